"""What commands print and write; a file is written completely or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from maxent.data.collection import Collection
from maxent.errors import InputError, ProblemError
from maxent.measures.labels import g_label, measure_label
from maxent.study.choose_g import GChoice
from maxent.study.summary import left_out
from maxent.study.topics import SOLVED, lists_kept

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def folder(path: Path) -> Path:
    """Make the output folder.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {path}: {error.strerror}") from None
    return path


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with all digits."""
    _whole(path, lambda part: table.to_csv(part, index=False))


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of this size in inches."""
    from matplotlib.figure import Figure  # loaded when a figure is drawn

    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG and SVG; ``path`` has no suffix. Equal figures give equal files."""

    def save(kind: str) -> Callable[[Path], object]:
        metadata = {"Date": None} if kind == "svg" else None
        return lambda part: figure.savefig(part, format=kind, dpi=150, metadata=metadata)

    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "maxent"}):
        for kind in ("png", "svg"):
            _whole(path.with_suffix(f".{kind}"), save(kind))


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


def recommendation(choice: GChoice, reading: str, *, among: str = "") -> str:
    """The chosen g in words: how certain it is, its rivals, and the reading for which it holds."""
    row = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
    rivals = choice.table[(choice.table["excess_low"] <= 0) & (choice.table["measure"] != row["measure"])]
    g = f"({g_label(choice.g)}){f' {among}' if among else ''}"
    text = f"\nmost informative: g = {g}, mean RMS {row['objective']:.4f} over the thresholds"
    scope = f"\nfor this reading only ({reading}): --count and --align change it"
    if row["low"] != row["low"]:
        return text + "\n(a single topic: no interval, and no telling how certain this is)" + scope
    text += f", 95 % [{row['low']:.4f}, {row['high']:.4f}]; best in {row['share_best']:.0%} of resampled topic sets"
    if len(rivals):
        text += f"\nnot distinguishable from it (95 %): {', '.join(measure_label(m) for m in rivals['measure'])}"
    return text + scope


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}"


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside ``path`` and rename it: an interrupted command leaves no incomplete file."""
    part = path.with_name(f".{path.name}.part")
    try:
        write(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
