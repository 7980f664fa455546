"""What commands print and write; the files of a command appear together, each complete, or not at all."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from maxent.data.collection import Collection
from maxent.errors import InputError, ProblemError
from maxent.measures.labels import g_label, measure_label
from maxent.study.choose_g import GChoice
from maxent.study.lock import lock
from maxent.study.summary import left_out
from maxent.study.topics import SOLVED, lists_kept

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PART = ".maxent.part"  # folder in which results are written before they appear


@contextmanager
def results(folder: Path, *, stale: Sequence[str] = ()) -> Iterator[Path]:
    """Folder to write the results of a command in; they appear in ``folder`` together when the block ends.

    The files are written to a folder of their own within ``folder``, flushed to the disk, and then renamed one
    after the other. A command that fails or is killed while it writes leaves the results of an earlier one as they
    are; only one that is killed between two of the renames, which take microseconds, leaves some of each. Commands
    that write to one folder wait for each other.

    Parameters
    ----------
    folder : path
        Output folder; it is made if it is not there.
    stale : sequence of str
        Names of files that are removed from ``folder`` unless they are written.

    Raises
    ------
    InputError
        If the files cannot be written.
    """
    part = folder / PART
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            _remove(part)  # left by a command that was killed
            part.mkdir()
            try:
                yield part
                written = sorted(part.iterdir())
                for file in written:
                    _flush(file)
                for name in {*stale} - {file.name for file in written}:
                    (folder / name).unlink(missing_ok=True)
                for file in written:
                    file.replace(folder / file.name)
            finally:
                _remove(part)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with all digits."""
    table.to_csv(path, index=False, errors="backslashreplace")  # names of files may have bytes that are no text


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of this size in inches."""
    from matplotlib.figure import Figure  # loaded when a figure is drawn

    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG and SVG; ``path`` has no suffix. Equal figures give equal files."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "maxent"}):
        for kind in ("png", "svg"):
            metadata = {"Date": None} if kind == "svg" else None
            figure.savefig(path.with_suffix(f".{kind}"), format=kind, dpi=150, metadata=metadata)


def text_table(table: pd.DataFrame, *, digits: int = 4) -> str:
    """Table as aligned text for the terminal."""
    return str(table.to_string(index=False, float_format=lambda x: f"{x:.{digits}f}", na_rep="-"))


def print_collection(collection: Collection, name: str, options: str) -> None:
    """Print what is studied, before the work starts."""
    grades = f"grades 1 to {collection.levels}" if collection.levels > 1 else "one grade"
    size = f"{_many(len(collection.runs), 'run')} x {_many(len(collection.topics), 'topic')}"
    print(f"{name}: {size}, depth {collection.depth}, {grades}; {options}\n")


def print_left_out(table: pd.DataFrame) -> None:
    """Print how many lists the means are over, how many were left out, and why."""
    counts = left_out(table)
    lists = len(table.drop_duplicates(["run_id", "query_id"]))
    solved = counts[counts["status"].isin(SOLVED)].groupby("measure", sort=False)["lists"].sum()
    most, fewest = (int(solved.max()), int(solved.min())) if len(solved) else (0, 0)
    if len(solved) < counts["measure"].nunique():
        fewest = 0
    topics = table.loc[table["status"].isin(SOLVED), "query_id"].nunique()
    used = f"{most} used" if most == fewest else f"{fewest} to {most} used"
    print(f"\n{lists} lists; {used}, of {_many(topics, 'topic')}")
    rest = counts[~counts["status"].isin(SOLVED)]
    for (status, reason), rows in rest.groupby(["status", "reason"], sort=False):
        number = rows["lists"]
        every = number.nunique() == 1 and len(rows) == counts["measure"].nunique()
        if every:
            print(f"  left out: {number.iloc[0]} ({status}: {reason})")
        else:
            detail = ", ".join(f"{m} {n}" for m, n in zip(rows["measure"], number, strict=True))
            print(f"  left out: {status} ({reason}), by measure: {detail}")
    if most != fewest:
        print("  the means of different measures are over different lists: compare them with care")


def no_lists(table: pd.DataFrame, collection: Collection) -> ProblemError:
    """Error of a study in which every list is left out: why, and what other options would keep."""
    print_left_out(table)
    message = "no list could be used (the reasons are above)"
    kept = lists_kept(collection)
    if (kept["lists"] > 0).any():
        counts = ", ".join(f"{n}: {lists}" for n, lists in zip(kept["min_retrieved"], kept["lists"], strict=True))
        message += f"; lists that --min-retrieved would keep: {counts}"
    elif any(part.any() for part in collection.grades):
        message += "; try --min-retrieved 0 --min-retrieved-total 1"
    return ProblemError(message)


def recommendation(choice: GChoice, *, among: str = "") -> str:
    """The chosen g in words: its error, how certain it is, and the candidates not distinguishable from it."""
    row = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
    rivals = choice.table[(choice.table["excess_low"] <= 0) & (choice.table["measure"] != row["measure"])]
    g = f"({g_label(choice.g)}){f' {among}' if among else ''}"
    text = f"\nmost informative: g = {g}, mean RMS {row['objective']:.4f} over the thresholds"
    if row["low"] != row["low"]:
        return text + "\n(a single topic: no interval, and no telling how certain this is)"
    text += f", 95 % [{row['low']:.4f}, {row['high']:.4f}]; best in {row['share_best']:.0%} of resampled topic sets"
    if len(rivals):
        text += f"\nnot distinguishable from it (95 %): {', '.join(measure_label(m) for m in rivals['measure'])}"
    return text


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for this folder; where folders can be locked, as on POSIX."""
    if os.name != "posix":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def _remove(part: Path) -> None:
    """Remove a folder with its files, or a symbolic link in its place."""
    if part.is_symlink() or part.is_file():
        part.unlink()
    elif part.exists():
        shutil.rmtree(part)


def _flush(file: Path) -> None:
    """Wait until a file is on the disk."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
