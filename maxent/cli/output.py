"""Files and tables that commands leave behind: written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from maxent.errors import InputError


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
    """CSV with all digits."""
    _whole(path, lambda part: table.to_csv(part, index=False))


def write_figure(figure: Figure, path: Path) -> None:
    """PNG and SVG beside each other; ``path`` without suffix. Equal figures give equal files."""

    def save(kind: str) -> Callable[[Path], object]:
        metadata = {"Date": None} if kind == "svg" else None
        return lambda part: figure.savefig(part, format=kind, dpi=150, metadata=metadata)

    with rc_context({"svg.hashsalt": "maxent"}):
        for kind in ("png", "svg"):
            _whole(path.with_suffix(f".{kind}"), save(kind))


def text_table(table: pd.DataFrame, *, digits: int = 4) -> str:
    """Aligned text for the terminal."""
    return str(table.to_string(index=False, float_format=lambda x: f"{x:.{digits}f}", na_rep="-"))


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write beside the target and rename: an interrupted command leaves no half-written file."""
    part = path.with_name(f".{path.name}.part")
    try:
        write(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
