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
        paths = getattr(arguments, name, None)
        for text in [paths] if isinstance(paths, str) else paths or ():
            if not text or "\0" in text:
                raise InputError(f"{'' if name == 'clicks' else '--'}{name} {text!r}: expected a path")
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
    there = next(parent for parent in (folder, *folder.absolute().parents) if os.path.lexists(parent))
    if not there.is_dir():
        raise InputError(f"cannot write to {written}: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"cannot write to {written}: no permission to write to {there}")
    new = written.absolute().relative_to(there.absolute()).parts
    for path in (written, *(there / name for name in new)):
        try:
            path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:  # for example, if a name is too long
            raise InputError(f"cannot write to {written}: {error.strerror}") from None
