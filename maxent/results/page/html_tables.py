"""Tables of a page: cells as text, and keys to sort them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from maxent.errors import visible
from maxent.results.content import Table
from maxent.results.schema import Format, ShownColumn
from maxent.texts import measure_label, percent

SPACE = "\N{NO-BREAK SPACE}"
ZERO = 1e-12  # numbers closer to 0 are rounding errors, unless they are p-values
MOST = 1000  # rows of a table; the files of --out have all


class Cell(NamedTuple):
    """A cell of a table: its text, and its key for sorting (None: last)."""

    text: str
    key: float | str | None
    number: bool  # whether it is one, or a missing one


class PageTable(NamedTuple):
    """A table that readers sort and filter: its columns, whether each has numbers, and cells by row."""

    id: str
    title: str
    note: str
    closed: bool
    columns: tuple[tuple[ShownColumn, bool], ...]
    rows: tuple[tuple[Cell, ...], ...]
    marked: Sequence[int] = ()


def page_table(table: Table) -> PageTable:
    """Table of a page, cut after ``MOST`` rows."""
    frame, note = table.people, table.note
    if len(frame) > MOST:
        note = f"{note} The first {MOST} of {len(frame)} rows; the files that --out writes have all.".strip()
    shown = table.schema.shown(frame.iloc[:MOST])
    cells = [[cell_of(column.format, value) for value in column.values] for column in shown]
    heads = [
        (column, all(cell.number for cell in cells_of_column))
        for column, cells_of_column in zip(shown, cells, strict=True)
    ]
    rows = tuple(zip(*cells, strict=True))
    marked = sorted(table.marked)
    return PageTable(table.name, table.title or table.name, note, table.closed, tuple(heads), rows, marked)


def cell_of(form: Format, value: Any) -> Cell:
    """A value as text: four decimals, separated thousands, shares as percentages."""
    if isinstance(value, bool | np.bool_):
        return Cell("yes" if value else "no", float(value), False)
    if isinstance(value, tuple):
        low, high = value
        if not np.isfinite(low):
            return Cell("–", None, True)
        return Cell(f"{number_text(low)} to {number_text(high)}", low, True)
    if pd.isna(value):
        return Cell("–", None, not (form == "name" or isinstance(value, str)))
    if isinstance(value, str) or form == "name":
        text = visible(str(value))
        return Cell(measure_label(text) if form == "measure" else text, text, False)
    least = 0.0 if form == "p-value" else ZERO
    return Cell(number_text(value, share=form == "share", least=least), float(value), True)


def number_text(value: float, *, share: bool = False, least: float = ZERO) -> str:
    """A number as text, with a true minus sign; absolute values up to ``least`` become 0."""
    if share:
        text = percent(value).replace(".0%", "%").replace("%", f"{SPACE}%")
    elif isinstance(value, int | np.integer):
        text = f"{value:,}".replace(",", SPACE)
    elif least < abs(value) < 5e-5:
        text = f"{value:.1e}"
    else:
        text = f"{value if abs(value) > ZERO else 0:.4f}"
    return text.replace("-", "−")
