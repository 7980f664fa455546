"""The files of tables and figures in the folder of ``--out``: CSV, Parquet; PNG, SVG and PDF."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from maxent.data.spreadsheets import guarded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with all digits; texts that look like formulas get an apostrophe."""
    # names of files may have bytes that are no text
    guarded(table).to_csv(path, index=False, errors="backslashreplace")


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Write a Parquet file."""
    table.rename(columns=str).map(_as_text).to_parquet(path, engine="pyarrow", index=False)


def _as_text(value: object) -> object:
    """Names of files may have bytes that are no text."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


TABLE_FILES: dict[str, Callable[[pd.DataFrame, Path], None]] = {"csv": write_csv, "parquet": write_parquet}
"""What writes a table, by the end of the file's name: the choices of ``--tables``."""


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG, SVG and PDF; ``path`` has no suffix. Equal figures give equal files."""
    from matplotlib import rc_context

    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "maxent", "pdf.fonttype": 42}):  # publishers refuse matplotlib's usual fonts
        for kind, metadata in dates.items():
            figure.savefig(path.with_suffix(f".{kind}"), format=kind, dpi=150, metadata=metadata)
            figure.set_layout_engine("none")  # the next format has the places of the first
