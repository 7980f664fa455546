"""Shared fixtures: where the real collections lie, if they do, and a small simulated one in files."""

import gzip
import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import maxent as me

Script = Callable[[str], ModuleType]
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Import a file of analyses/ or benchmarks/, where files import each other: ``script("benchmarks/stress")``."""

    def load(path: str) -> ModuleType:
        folder, name = path.split("/")
        monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / folder)
        return importlib.import_module(name)

    return load


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the real collections; tests that need it are skipped without it."""
    if not DATA.is_dir():
        pytest.skip("the real collections (../shared/data) are not here")
    return DATA


def write_collection(folder: Path, runs: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Files of a collection: qrels.txt and runs/NAME.gz."""
    (folder / "runs").mkdir(parents=True)
    lines = (f"{q} 0 {d} {g}" for q, d, g in qrels.itertuples(index=False))
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, rows in runs.groupby("run_id"):
        text = "".join(f"{r.query_id} Q0 {r.doc_id} 0 {r.score!r} {name}\n" for r in rows.itertuples())
        (folder / "runs" / f"{name}.gz").write_bytes(gzip.compress(text.encode()))


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection in TREC format."""
    folder = tmp_path_factory.mktemp("trec")
    runs, qrels = me.simulate(systems=3, topics=4, depth=150, rng=1)
    write_collection(folder, runs, qrels)
    return folder
