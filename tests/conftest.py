"""Shared fixtures: where the real collections lie, if they do, and a small simulated one in files."""

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

import maxent as me
from maxent.measures import MEASURES
from tests.collections import write_collection
from tests.golden.messages import pytest_collection_modifyitems, pytest_runtest_call

__all__ = ["pytest_collection_modifyitems", "pytest_runtest_call"]  # hooks

Script = Callable[[str], ModuleType]
reads_texts = pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures 0.4 needs ast.Num to read texts")
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    """Draw off screen, find what the analyses share; hypothesis draws few examples while people work.

    They are the same in every run: no test fails by luck. ``--hypothesis-profile search`` draws others, as ``nox -s
    fuzz`` does. A busy machine may take its time, and files of a fixture may be written over.
    """
    mpl.use("Agg")
    unchecked = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    examples = 30 if config.option.markexpr == "not slow" else 300
    settings.register_profile("search", max_examples=3000, deadline=None, suppress_health_check=unchecked)
    same = settings(settings.get_profile("search"), derandomize=True, database=None)
    settings.register_profile("ours", same, max_examples=examples)
    settings.load_profile(config.getoption("--hypothesis-profile") or "ours")
    sys.path.append(str(Path(__file__).resolve().parents[1] / "analyses"))


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    """Close what a test has drawn: the next one may switch the back end, and memory is not free."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Import a file of a folder whose files import each other: ``script("tests/evidence/stress")``."""

    def load(path: str) -> ModuleType:
        file = Path(__file__).resolve().parents[1] / path
        monkeypatch.syspath_prepend(file.parent)
        with skip_without_torch():
            return importlib.import_module(file.name)

    return load


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the real collections; tests that need it are skipped without it."""
    if not DATA.is_dir():
        pytest.skip("the real collections (../shared/data) are not here")
    return DATA


@pytest.fixture(scope="session")
def clef(data: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run and the judgments of twelve topics.

    The run lacks the first one, the sixth has no relevant document, and the eighth none of the highest grade.
    """
    folder = data / "clef2014"
    run, qrels = me.read_run(folder / "runs/CUNI_CS_RUN.1.dat.gz"), me.read_qrels(folder / "qrels.txt")
    topics = qrels["query_id"].unique()[:12]
    run, qrels = run[run["query_id"].isin(topics[1:])], qrels[qrels["query_id"].isin(topics)].copy()
    qrels.loc[qrels["query_id"] == topics[5], "relevance"] = 0
    qrels.loc[(qrels["query_id"] == topics[7]) & (qrels["relevance"] == 3), "relevance"] = 1
    return run, qrels


@pytest.fixture
def registry() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(MEASURES)
    yield
    MEASURES.clear()
    MEASURES.update(before)


@contextmanager
def skip_without_torch() -> Iterator[None]:
    """Skip a test where it imports PyTorch, which is in a dependency group of its own, and lacks it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        pytest.skip("PyTorch is not installed (dependency group networks)")


def import_error(missing: str, statement: str) -> str:
    """What the ImportError of a statement says in a process that lacks a library."""
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"try: {statement}\n"
        "except ImportError as error: print(error)\n"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return printed.strip()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection in TREC format."""
    folder = tmp_path_factory.mktemp("trec")
    runs, qrels = me.simulate(systems=3, topics=4, depth=150, rng=1)
    write_collection(folder, runs, qrels)
    return folder


@pytest.fixture
def letor() -> pd.DataFrame:
    """Judged documents with five features, the first of which tells something, as of ``me.data.read_letor``."""
    rng = np.random.default_rng(0)
    sizes = [1, *rng.integers(12, 30, 40)]
    features = rng.normal(size=(sum(sizes), 5))
    grades = np.clip(np.round(0.6 * features[:, 0] + rng.normal(size=len(features)) / 2), 0, 2).astype(int)
    frame = pd.DataFrame(features, columns=[f"f{k}" for k in range(1, 6)])
    frame = frame.assign(query_id=np.repeat([f"q{k}" for k in range(41)], sizes), relevance=grades)
    frame.loc[frame["query_id"] == "q0", "relevance"] = 1  # alone
    frame.loc[frame["query_id"] == "q2", "relevance"] = 0
    return frame
