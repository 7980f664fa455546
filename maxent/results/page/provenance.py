"""Provenance of a report's numbers: versions, and hashes of the input files."""

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

import maxent
from maxent.data.collection import Collection
from maxent.data.sources import run_files
from maxent.results.content import Origin

LIBRARIES = ("numpy", "scipy", "pandas", "llvmlite")


@dataclass(frozen=True)
class Provenance:
    """Provenance of numbers: command, versions by name, input files, and a hash of all grades."""

    command: str
    versions: Mapping[str, str]
    inputs: tuple["Input", ...]
    grades: str


class Input(NamedTuple):
    """An input file: its role (judgments or run), name, size in bytes, and SHA-256."""

    role: str
    name: str
    size: int
    digest: str


def provenance(origin: Origin, collection: Collection | None) -> Provenance:
    """Command, versions, and hashes of all input files, also of those in folders or matched by patterns."""
    # 1. files among the judgments and runs, which may be tables as well
    qrels = origin.qrels if isinstance(origin.qrels, list) else [origin.qrels]
    files = [Path(source) for source in qrels if isinstance(source, str | Path)]
    inputs = [_input("judgments", file) for file in files if file.is_file()]
    runs = [run[1] if isinstance(run, tuple) and len(run) == 2 else run for run in origin.runs]  # (name, run)
    paths = [str(run) for run in runs if isinstance(run, str | Path) and str(run) != "-"]
    inputs += [_input("run", file) for file in run_files(paths) if file.is_file()]
    # 2. versions
    versions = {"maxent": maxent.__version__} | {name: version(name) for name in LIBRARIES}
    versions |= {"Python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    return Provenance(origin.call, versions, tuple(inputs), "" if collection is None else _grades(collection))


def _grades(collection: Collection) -> str:
    """SHA-256 of the names, the grades of all lists, and the numbers of judged documents."""
    digest = hashlib.sha256(repr((collection.runs, collection.topics, collection.grades.shape)).encode())
    for array in (collection.grades, collection.relevant, collection.judged_nonrelevant):
        for of_topic in array:  # one by one: all of them would be copied
            digest.update(np.ascontiguousarray(of_topic, dtype="<i8").data)
    return digest.hexdigest()


def _input(role: str, path: Path) -> Input:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Input(role, path.name, path.stat().st_size, digest)
