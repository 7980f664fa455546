"""Where the numbers of a report come from: versions, and hashes of the input files."""

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from maxent.data.collection import Collection
from maxent.data.sources import run_files
from maxent.reports.content import Input, Provenance

LIBRARIES = ("maxent", "numpy", "scipy", "pandas", "numba")


def provenance(
    command: str, collection: Collection | None, *, qrels: object = None, runs: Iterable[object] = ()
) -> Provenance:
    """Command, versions, and hashes of everything that is a file.

    Parameters
    ----------
    command : str
        The command, or the call in Python.
    collection : Collection or None
        What was studied; its hash identifies the data whatever form they came in.
    qrels : path or any other form of judgments, or a list of several
        Only paths of files are named.
    runs : iterable of paths, pairs of name and path, or other forms of runs
        The same for the runs; folders and patterns stand for their files.
    """
    paths = [run[1] if isinstance(run, tuple) and len(run) == 2 else run for run in runs]
    judged = qrels if isinstance(qrels, list) else [qrels]
    files = [Path(path) for path in judged if isinstance(path, str | Path)]
    inputs = [_input("judgments", file) for file in files if file.is_file()]
    named = [str(path) for path in paths if isinstance(path, str | Path) and str(path) != "-"]
    inputs += [_input("run", file) for file in run_files(named) if file.is_file()]
    versions = {name: version(name) for name in LIBRARIES}
    versions |= {"Python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    return Provenance(
        command=command,
        versions=versions,
        inputs=tuple(inputs),
        grades="" if collection is None else _grades(collection),
    )


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
