"""What becomes of a command's result: it is printed, written to the folder of ``--out``, and made a report."""

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from maxent.cli import given
from maxent.cli.process import in_options
from maxent.cli.table_files import TABLE_FILES, write_figure
from maxent.content import Origin
from maxent.errors import InputError
from maxent.files import results
from maxent.result import Result


def deliver(found: Result, arguments: argparse.Namespace) -> int:
    """Print what a command found, write its files and its report if they are wanted; its exit code."""
    say = partial(in_options, flags=arguments.flags)
    found = replace(found, kind=f"maxent {arguments.kind}", question=found.question or arguments.question)
    finding = found.finding and replace(found.finding, cautions=tuple(map(say, found.finding.cautions)))
    found = replace(found, finding=finding, notes=tuple(map(say, found.notes)))
    printer = given.printer(arguments)
    printer.show(found)
    if arguments.out is not None and (found.at("file") or found.figures):
        write_files(found, arguments.out, arguments.tables, say=printer.aside)
        getattr(arguments, "written", lambda: None)()
        printer.aside(f"\nwritten to {arguments.out}/")
    if arguments.report is not None:
        runs = map(given.named, getattr(arguments, "runs", None) or ())
        command = ["maxent", *arguments.given]
        if found.collection is not None and not any(text.startswith("--depth") for text in arguments.given):
            command += ["--depth", str(found.collection.depth)]
        origin = Origin(shlex.join(command), getattr(arguments, "qrels", None), tuple(runs))
        printer.aside(f"\nreport written to {replace(found, origin=origin).report(arguments.report)}")
    for failure in found.failures:
        print(f"maxent {arguments.kind.split()[0]}: failed: {failure}", file=sys.stderr)
    if found.errors:
        raise InputError(found.errors)
    return 1 if found.failures else 0


def write_files(
    found: Result, folder: Path, kind: str = "csv", *, say: Callable[[str], None] | None = None
) -> None:
    """Write the tables and figures of a result; those of an earlier one that it has not are removed."""
    names = sorted(table.name for table in found.tables if "file" in table.places)
    stale = [f"{name}.{end}" for name in names for end in TABLE_FILES]
    with results(folder, stale=stale, say=say) as out:
        for table in found.at("file"):
            TABLE_FILES[kind](table.frame, out / f"{table.name}.{kind}")
        for figure in found.figures:
            write_figure(found.plot(figure.name), out / figure.name)
