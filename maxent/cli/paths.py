"""Arguments that are paths: what cannot be read or written is an error before the work."""

import argparse
import os
from pathlib import Path
from typing import Any

from maxent.errors import InputError

FILES = (
    ".csv",
    ".tsv",
    ".parquet",
    ".json",
    ".jsonl",
    ".xlsx",
    ".md",
    ".tex",
    ".html",
    ".htm",
    ".png",
    ".svg",
    ".pdf",
)


class InPaths(argparse.Action):
    """Take one or several paths of input; InputError for a text that can be none."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Check the paths and keep them as texts."""
        for text in [values] if isinstance(values, str) else values:
            _check_path(option or self.dest, text)
        setattr(namespace, self.dest, values)


class OutFolder(argparse.Action):
    """Take a folder to write in, which is made later; InputError before the work if that will not be possible."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Check the folder and keep it as a path."""
        _check_path(option or self.dest, values)
        folder = Path(values)
        if folder.suffix.lower() in FILES and not folder.is_dir():
            raise InputError(f"{option} {values}: expected a folder, this is the name of a file")
        _check_folder(folder, folder)
        setattr(namespace, self.dest, folder)


class OutPage(argparse.Action):
    """Take an HTML file to write, whose folder is made later; InputError before the work if that cannot be done."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Check the file and keep it as a path."""
        _check_path(option or self.dest, values)
        file = Path(values)
        if file.is_dir():
            raise InputError(f"cannot write to {file}: it is a folder, expected a file")
        if file.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{option} {values}: a report is an HTML file, expected a name that ends in .html")
        _check_folder(file, file.absolute().parent)
        setattr(namespace, self.dest, file)


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
        except OSError as error:  # a name that is too long, say
            raise InputError(f"cannot write to {written}: {error.strerror}") from None


def _check_path(option: str, text: str) -> None:
    if not text or "\0" in text:
        raise InputError(f"{option} {text!r}: expected a path")
