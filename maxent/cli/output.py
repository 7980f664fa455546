"""What commands write; the files of a command appear together, each complete, or not at all."""

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from filecmp import cmp
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from maxent.cli import given
from maxent.content import Origin
from maxent.data.spreadsheets import guarded
from maxent.errors import InputError
from maxent.files import lock
from maxent.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PART = ".maxent.part"  # folder in which results are written before they appear


@contextmanager
def results(folder: Path, *, stale: Sequence[str] = (), say: Callable[[str], None] | None = None) -> Iterator[Path]:
    """Folder to write the results of a command in; they appear in ``folder`` together when the block ends.

    The files are written to a folder of their own within ``folder`` and flushed to the disk; then those of earlier
    commands are removed, and these renamed one after the other. A command that fails or is killed while it writes
    leaves the results of an earlier one as they are. One that is killed during the renames, which take
    microseconds, leaves some of its own files, never some of each. Commands that write to one folder wait for each
    other.

    Parameters
    ----------
    folder : path
        Output folder; it is made if it is not there.
    stale : sequence of str
        Names of further files that are removed from ``folder``, unless they are written.
    say : function of a text, optional
        Is told which files of an earlier command had other contents and are replaced or removed, in one line.

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
                gone = sorted({*stale} - {file.name for file in written})
                if say is not None and (line := _replaced(folder, written, gone)):
                    say(line)
                names = (*gone, *(file.name for file in written))
                if there := [
                    name for name in names if (folder / name).is_dir() and not (folder / name).is_symlink()
                ]:
                    raise InputError(f"{folder / there[0]}: a folder, in the place of a file of results")
                for name in names:
                    (folder / name).unlink(missing_ok=True)  # all before the first rename: no mixture
                for file in written:
                    file.replace(folder / file.name)
            finally:
                _remove(part)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None


def _replaced(folder: Path, written: Sequence[Path], gone: Sequence[str]) -> str:
    """Which files had other contents, and which are removed; empty if none."""
    there = [(folder / file.name, file) for file in written if (folder / file.name).is_file()]
    names = [old.name for old, new in there if not cmp(old, new, shallow=False)]
    removed = [name for name in gone if (folder / name).exists()]
    parts = [f"{verb} {', '.join(some)}" for verb, some in (("replaced", names), ("removed", removed)) if some]
    return f"earlier results in {folder}/ with other numbers: {'; '.join(parts)}" if parts else ""


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with all digits; texts that look like formulas get an apostrophe."""
    # names of files may have bytes that are no text
    guarded(table).to_csv(path, index=False, errors="backslashreplace")


FILES: dict[str, Callable[[pd.DataFrame, Path], None]] = {"csv": write_table}
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
    with results(folder, stale=[f"{name}.{end}" for name in sorted(absent) for end in FILES], say=say) as out:
        for table in tables:
            for end, write in FILES.items():
                write(table.frame, out / f"{table.name}.{end}")
        for figure in found.figures:
            write_figure(found.plot(figure.name), out / figure.name)


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
