"""What commands write: tables and figures in the folder of --out, and a report."""

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from maxent.cli import given
from maxent.content import Origin
from maxent.data.spreadsheets import guarded
from maxent.errors import InputError
from maxent.files import results
from maxent.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with all digits; texts that look like formulas get an apostrophe."""
    # names of files may have bytes that are no text
    guarded(table).to_csv(path, index=False, errors="backslashreplace")


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {"csv": write_table}
"""What tables are written as, by the ends of the names."""


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG and SVG; ``path`` has no suffix. Equal figures give equal files."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "maxent"}):
        for kind in ("png", "svg"):
            metadata = {"Date": None} if kind == "svg" else None
            figure.savefig(path.with_suffix(f".{kind}"), format=kind, dpi=150, metadata=metadata)


def deliver(found: Result, arguments: argparse.Namespace) -> int:
    """Print what a command found, write its files and its report if they are wanted; its exit code."""
    printer = given.printer(arguments)
    printer.show(found)
    if arguments.out is not None and (found.at("file") or found.figures):
        write_files(found, arguments.out, say=printer.aside)
        getattr(arguments, "written", lambda: None)()
        printer.aside(f"\nwritten to {arguments.out}/")
    if arguments.report is not None:
        runs = map(given.named, getattr(arguments, "runs", None) or ())
        origin = Origin(shlex.join(["maxent", *arguments.given]), getattr(arguments, "qrels", None), tuple(runs))
        printer.aside(f"\nreport written to {found.of(origin).report(arguments.report)}")
    for failure in found.failures:
        print(f"maxent {arguments.kind.split()[0]}: failed: {failure}", file=sys.stderr)
    if found.errors:
        raise InputError(found.errors)
    return 1 if found.failures else 0


def write_files(found: Result, folder: Path, *, say: Callable[[str], None] | None = None) -> None:
    """Write the tables and figures of a result; those of an earlier one that it has not are removed."""
    tables = found.at("file")
    names = {table.name for table in found.tables if "file" in table.places}
    absent = (names | {*found.absent}) - {table.name for table in tables}
    with results(folder, stale=[f"{name}.{end}" for name in sorted(absent) for end in WRITERS], say=say) as out:
        for table in tables:
            for end, write in WRITERS.items():
                write(table.frame, out / f"{table.name}.{end}")
        for figure in found.figures:
            write_figure(found.plot(figure.name), out / figure.name)
