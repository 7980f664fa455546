"""What commands write; a file is written completely or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from maxent.errors import InputError

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


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside ``path`` and rename it: an interrupted command leaves no incomplete file."""
    part = path.with_name(f".{path.name}.part")
    try:
        write(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
