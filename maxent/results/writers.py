"""A result as files in a folder: tables as CSV or Parquet, figures as PNG, SVG and PDF."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.compute import binary_join_element_wise, replace_with_mask

from maxent.data.rows import TEXT
from maxent.data.spreadsheets import guarded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 150
ROWS = 10_000  # that are held as text at once


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with all digits; texts that look like formulas get an apostrophe."""
    safe = guarded(table)
    with path.open("wb") as file:
        file.write(",".join(map(_field, safe.columns)).encode() + b"\n")
        for start in range(0, len(safe), ROWS):
            cells = (_cells(safe.iloc[start : start + ROWS, k]) for k in range(safe.shape[1]))
            lines = binary_join_element_wise(*cells, pa.scalar(",", TEXT)).to_pylist()
            file.write("\n".join((*lines, "")).encode())


def _cells(column: pd.Series) -> Any:
    """Cells of a column as an array of texts; pyarrow formats numbers in a tenth of pandas' time."""
    kind, values = column.dtype.kind, column.to_numpy()
    # 1. whole numbers
    if kind in "iu":
        return pa.array(column).cast(TEXT).fill_null("")
    # 2. anything but floats: each text once
    if kind != "f":
        if column.dtype == object:  # 1 and True, which are equal, have other texts
            values = np.array([None if pd.isna(value) else str(value) for value in values], dtype=object)
        codes, names = pd.factorize(values)
        fields = pa.array([*map(_field, names), ""], TEXT)
        return fields.take(pa.array(codes % len(fields)))  # -1, of a missing one, becomes the last: empty
    # 3. floats: those that Python and pyarrow write in different ways as Python writes them
    size = np.abs(values)
    is_plain = (size >= 1e-4) & (size < 1e9) & (values != values.round())
    texts = pa.array(["" if value != value else repr(value) for value in values[~is_plain].tolist()], TEXT)
    return replace_with_mask(pa.array(values).cast(TEXT), ~is_plain, texts)


def _field(name: object) -> str:
    """A name or text as a field of CSV; bytes of file names that are not UTF-8 are escaped."""
    text = str(name).encode(errors="backslashreplace").decode()
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Write a Parquet file."""
    table.rename(columns=str).map(_as_text).to_parquet(path, engine="pyarrow", index=False)


def _as_text(value: object) -> object:
    """Text in UTF-8; bytes of file names that are not UTF-8 become escapes."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


TABLE_FILES: dict[str, Callable[[pd.DataFrame, Path], None]] = {"csv": write_csv, "parquet": write_parquet}
"""What writes a table, by the end of the file's name: the choices of ``--tables``."""


VECTORS = ("svg", "pdf")
PICTURES = ("png", *VECTORS)


def write_figure(figure: "Figure", path: Path, kinds: Sequence[str] = PICTURES) -> None:
    """Write a figure in several formats; ``path`` has no suffix. Equal figures give equal files."""
    from matplotlib import rc_context

    dates: dict[str, dict[str, None]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "maxent", "pdf.fonttype": 42}):  # publishers refuse matplotlib's usual fonts
        figure.set_dpi(DPI)
        if layout := figure.get_layout_engine():
            layout.execute(figure)
        figure.set_layout_engine()  # all formats have these places, and each is drawn once
        for kind in kinds:
            figure.savefig(path.with_suffix(f".{kind}"), format=kind, dpi=DPI, metadata=dates[kind])
