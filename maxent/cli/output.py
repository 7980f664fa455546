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


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Write a Parquet file."""
    table.rename(columns=str).map(_as_text).to_parquet(path, engine="pyarrow", index=False)


def _as_text(value: object) -> object:
    """Names of files may have bytes that are no text."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {"csv": write_table, "parquet": write_parquet}
"""What tables are written as, by the ends of the names."""


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG, SVG and PDF; ``path`` has no suffix. Equal figures give equal files."""
    from matplotlib import rc_context

    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "maxent", "pdf.fonttype": 42}):  # publishers refuse matplotlib's usual fonts
        for kind, metadata in dates.items():
            figure.savefig(path.with_suffix(f".{kind}"), format=kind, dpi=150, metadata=metadata)
            figure.set_layout_engine("none")  # the next format has the places of the first


def deliver(found: Result, arguments: argparse.Namespace) -> int:
    """Print what a command found, write its files and its report if they are wanted; its exit code."""
    printer = given.printer(arguments)
    printer.show(found)
    if arguments.out is not None and (found.at("file") or found.figures):
        write_files(found, arguments.out, arguments.tables, say=printer.aside)
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


def write_files(
    found: Result, folder: Path, kind: str = "csv", *, say: Callable[[str], None] | None = None
) -> None:
    """Write the tables and figures of a result; those of an earlier one that it has not are removed."""
    names = {table.name for table in found.tables if "file" in table.places} | {*found.absent}
    with results(folder, stale=[f"{name}.{end}" for name in sorted(names) for end in WRITERS], say=say) as out:
        for table in found.at("file"):
            WRITERS[kind](table.frame, out / f"{table.name}.{kind}")
        for figure in found.figures:
            write_figure(found.plot(figure.name), out / figure.name)
