"""What may happen to bytes that people give the package: a result or a ``MaxentError``, and nothing else.

Each target takes any bytes and holds the readers to their promises; an exception that gets out of it, or a warning,
is a defect. ``test_targets`` calls them with mutations by hypothesis, ``python -m tests.fuzz`` guided by coverage.
"""

import argparse
import atexit
import contextlib
import functools
import io
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import maxent as me
from maxent import cli
from maxent.cli.commands import COMMANDS
from maxent.data import Judgments, run_columns, trec
from maxent.results import format_table
from maxent.studies import Checkpoint, clicks_table, expanded, file_of, read_clicks

QRELS = pd.DataFrame(
    [("1", "a", 1), ("1", "b", 2), ("2", "c", 1), ("q1", "d1", 1), ("é", "é", 0)],
    columns=["query_id", "doc_id", "relevance"],
)
LONGEST = 4096  # bytes: what is longer is not more interesting


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "file"
    path.write_bytes(data)
    return path


def _outcome(read: Callable[[], Any]) -> tuple[str, Any]:
    """What a reader says, or what it reads."""
    try:
        return "", read()
    except me.errors.InputError as error:
        _one_line(error)
        return str(error), pd.DataFrame()


def _one_line(error: Exception) -> None:
    said = str(error)
    assert said
    assert said.isprintable(), f"control characters in {said!r}"


def run(data: bytes, folder: Path) -> None:
    """A run is refused or read, alike by the strict reader and the fast path, and every format can print it."""
    path = _written(folder, data)
    said, table = _outcome(lambda: me.read_run(path))
    with mock.patch.object(trec, "scan", return_value=None):
        strictly, expected = _outcome(lambda: me.read_run(path))
    assert said == strictly
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    if "twice" in said:
        _outcome(lambda: me.read_run(path, duplicates="first"))
    if not said:
        assert len(table)
        assert np.isfinite(table["score"]).all()
        judged = Judgments.of(QRELS)
        of_file, of_table = (run_columns("run", source) for source in (path, table))
        np.testing.assert_array_equal(judged.positions(of_file), judged.positions(of_table))
        np.testing.assert_array_equal(of_file.values, of_table.values)


def check(data: bytes, folder: Path) -> None:
    """A check of a run finds an error where a study refuses it; tables of it control no terminal."""
    path = _written(folder, data)
    result = me.check([path], QRELS, progress=False)
    said, _ = _outcome(lambda: me.collect([path], QRELS, depth=3, progress=False))
    assert bool(result.errors) == bool(said), (result.table, said)
    if len(result.tables["runs"]):
        for form in ("table", "csv", "jsonl"):
            assert format_table(result.tables["runs"], form).translate({9: None, 10: None}).isprintable(), form


def qrels(data: bytes, folder: Path) -> None:
    """Judgments are refused or read, as whole numbers or as fractions, and make a collection."""
    path = _written(folder, data)
    said, table = _outcome(lambda: me.read_qrels(path))
    fractions, graded = _outcome(lambda: me.data.as_qrels(path, bins=[0.5, 1.5]))
    assert said or not fractions or "twice" in fractions
    if not said:
        assert len(table)
        run = table.rename(columns={"relevance": "score"})
        with contextlib.suppress(me.errors.InputError):
            me.collect({"run": run}, table, depth=3)
    if not fractions:
        assert graded["relevance"].between(0, 2).all()


def letor(data: bytes, folder: Path) -> None:
    """A file for learning to rank is refused or read."""
    path = _written(folder, data)
    said, table = _outcome(lambda: me.data.read_letor(path, features=64))
    if not said:
        assert np.isfinite(table.filter(regex="^f[0-9]+$").to_numpy()).all()


def clicks(data: bytes, folder: Path) -> None:
    """Clicks are refused, or give probabilities."""
    try:
        table = clicks_table(read_clicks(_written(folder, data)), replicates=3)
    except (me.errors.InputError, me.errors.ProblemError) as error:
        _one_line(error)
    else:
        assert abs(table["g"].sum() - 1) < 1e-9


def measure(data: bytes, _: Path) -> None:
    """A text is refused, or is a measure whose text form is read as itself."""
    try:
        found = me.parse_measure(data.decode(errors="replace"))
    except me.errors.MeasureError as error:
        _one_line(error)
        return
    again = me.parse_measure(str(found))
    assert again == found
    assert hash(again) == hash(found)
    with contextlib.suppress(me.MaxentError):
        if not isinstance(found, me.Joint):
            found.evaluate([1, 0, 2, 0], (2, 1))


def options(data: bytes, _: Path) -> None:
    """Arguments of a command, one a line, are refused or become options."""
    texts = [text.replace("\0", "?") for text in data.decode(errors="replace").split("\n")]
    command = list(COMMANDS)[data[0] % len(COMMANDS) if data else 0]
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            arguments = cli.command_parser(command).parse_args([command, *texts[1:]])
            _options(arguments)
        except (SystemExit, OSError):  # argparse has said why; main says what the system has against a path
            pass
        except me.MaxentError as error:
            _one_line(error)


def _options(arguments: argparse.Namespace) -> None:
    for texts in (getattr(arguments, "measures", None), getattr(arguments, "targets", None)):
        if isinstance(texts, list):
            expanded(texts, 2, min(getattr(arguments, "g_steps", None) or 2, 20) if "GAP" in texts else None)
    if isinstance(getattr(arguments, "topics", None), str):
        me.data.select_topics(arguments.topics, list(QRELS["query_id"]))
    if getattr(arguments, "grades", None) or getattr(arguments, "bins", None):
        me.data.as_qrels(QRELS, grades=arguments.grades, bins=arguments.bins)


def checkpoint(data: bytes, folder: Path) -> None:
    """What is in a file of finished topics is used if it is whole, and does not harm what is added."""
    path, key = folder / "study.partial", "k" * 64
    file_of(path, key).write_bytes(data)
    results = {"rms": np.array([0.1, np.nan])}
    with contextlib.redirect_stderr(io.StringIO()):
        with Checkpoint(path, key=key) as opened:
            before = opened.read()
            opened.add("new", results)
        with Checkpoint(path, key=key) as opened:
            after = opened.read()
    assert after.keys() == before.keys() | {"new"}
    assert after["new"]["rms"].tobytes() == results["rms"].tobytes()


TARGETS: dict[str, Callable[[bytes, Path], None]] = {
    target.__name__: target for target in (run, check, qrels, letor, clicks, measure, options, checkpoint)
}


SHARED_MEMORY = Path("/dev/shm")


@functools.cache
def _folder() -> Path:
    folder = tempfile.mkdtemp(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None)
    atexit.register(shutil.rmtree, folder)
    return Path(folder)


def attempt(name: str, data: bytes) -> None:
    """Call a target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", me.errors.InputWarning)  # odd input is what this is about
        TARGETS[name](data[:LONGEST], _folder())
