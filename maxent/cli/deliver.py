"""Call the function of a command, then print its result, write its files and its report."""

import argparse
import inspect
import logging
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from maxent.cli.process import in_options
from maxent.data.lines import STDIN
from maxent.errors import InputError
from maxent.results.content import Origin
from maxent.results.question import LOG
from maxent.results.result import Result
from maxent.results.text import Printer


def call(function: Callable[..., Result], arguments: argparse.Namespace, checkpoint: str) -> Result:
    """Call a function with the arguments of its command; its announcements are printed."""
    # 1. the arguments that the function takes
    parameters = inspect.signature(function).parameters
    options: dict[str, Any] = {name: value for name, value in vars(arguments).items() if name in parameters}
    if options.get("qrels") == STDIN and STDIN in (options.get("runs") or ()):
        raise InputError("--qrels and --runs are both -, but there is one standard input")
    if "progress" in parameters:
        options["progress"] = not arguments.quiet
    if checkpoint and arguments.out is not None:
        options["checkpoint"] = arguments.out / checkpoint
    # 2. the call
    quiet = arguments.quiet or arguments.text  # the text for a paper includes the announcements
    handler = Announcements(replace(printer(arguments), quiet=quiet))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        return function(**options)
    finally:
        LOG.removeHandler(handler)


class Announcements(logging.Handler):
    """Log handler that prints what a function announces before long work."""

    def __init__(self, printer: Printer) -> None:
        super().__init__()
        self.printer = printer

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message: announcements with the tables, warnings on standard error."""
        if record.levelno >= logging.WARNING:
            print(record.getMessage(), file=sys.stderr)
        else:
            self.printer.note(record.getMessage())


def deliver(result: Result, arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    """Print a result, write the files and the report that the arguments ask for, and return the exit code."""
    has_files = arguments.out is not None and bool(result.at("file") or result.sheets)
    paper = result.text(arguments.out if has_files else None) if arguments.text else ""
    # 1. parameters that the result names become options
    as_options = partial(in_options, flags=arguments.flags)
    finding = result.finding
    if finding is not None:
        finding = replace(finding, cautions=tuple(map(as_options, finding.cautions)))
    result = replace(result, finding=finding, notes=tuple(map(as_options, result.notes)))
    # 2. print, then write files
    text_printer = printer(arguments)
    try:
        if arguments.text:
            print(paper)
        else:
            text_printer.show(result)
    finally:  # a reader that has stopped, such as head, costs no files
        if has_files:
            result.save(arguments.out, tables=arguments.tables, style=arguments.style, say=text_printer.aside)
            text_printer.aside(f"\nwritten to {arguments.out}/")
    # 3. report, whose command names the depth, so that it gives the same numbers again
    if arguments.report is not None:
        command = ["maxent", *argv]
        if result.collection is not None and not any(word.startswith("--depth") for word in argv):
            command += ["--depth", str(result.collection.depth)]
        reading = f"  # {result.reading}" if result.reading else ""
        origin = Origin(shlex.join(command) + reading, result.origin.qrels, result.origin.runs)
        text_printer.aside(f"\nreport written to {replace(result, origin=origin).report(arguments.report)}")
    # 4. exit code
    for failure in result.failures:
        print(f"maxent {argv[0]}: failed: {failure}", file=sys.stderr)
    if result.errors:
        raise InputError(result.errors)
    return 1 if result.failures else 0


def printer(arguments: argparse.Namespace) -> Printer:
    """Printer for tables and notes with the format, decimals and quietness of the arguments."""
    return Printer(arguments.format, arguments.places, arguments.quiet)
