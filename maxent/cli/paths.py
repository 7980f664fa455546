"""Arguments that are paths: an unusable path is an error before the work begins."""

import argparse
import os
from pathlib import Path

from maxent.errors import InputError

INPUT = ("qrels", "runs", "clicks")  # arguments that are files to read
TABLES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".xlsx", ".md", ".tex")
PAGES, FIGURES = (".html", ".htm"), (".png", ".svg", ".pdf")


def check_paths(arguments: argparse.Namespace) -> None:
    """Check all paths before the work and convert output paths to ``Path``; InputError if one cannot be used."""
    for name in (*INPUT, "out", "report"):
        value = getattr(arguments, name, None)
        paths = [value] if isinstance(value, str) else value or []
        for text in paths:
            if not text or "\0" in text:
                flag = name if name == "clicks" else f"--{name}"
                raise InputError(f"{flag} {text!r}: expected a path")
    if getattr(arguments, "out", None) is not None:
        arguments.out = _folder(arguments.out)
    if getattr(arguments, "report", None) is not None:
        arguments.report = _page(arguments.report)


def _folder(text: str) -> Path:
    """Checked path of a folder to write in; the folder is created later."""
    folder = Path(text)
    if folder.suffix.lower() in (*TABLES, *PAGES, *FIGURES) and not folder.is_dir():
        raise InputError(f"--out {text}: expected a folder, this is the name of a file")
    _check_folder(folder, folder)
    return folder


def _page(text: str) -> Path:
    """Checked path of an HTML file to write; its folder is created later."""
    file = Path(text)
    if file.is_dir():
        raise InputError(f"cannot write to {file}: it is a folder, expected a file")
    if file.suffix.lower() not in PAGES:
        raise InputError(f"--report {text}: a report is an HTML file, expected a name that ends in .html")
    _check_folder(file, file.absolute().parent)
    return file


def _check_folder(written: Path, folder: Path) -> None:
    """Raise InputError if ``written``, a file in ``folder`` or this folder, cannot be created."""
    # 1. the last folder on the way that exists
    existing = next(parent for parent in (folder, *folder.absolute().parents) if os.path.lexists(parent))
    if not existing.is_dir():
        raise InputError(f"cannot write to {written}: {existing} is not a folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"cannot write to {written}: no permission to write to {existing}")
    # 2. names of what is created: the system refuses some, and below a missing folder would only not find them
    names = written.absolute().relative_to(existing.absolute()).parts
    for path in (written, *(existing / name for name in names)):
        try:
            path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:  # for example, if a name is too long
            raise InputError(f"cannot write to {written}: {error.strerror}") from None
