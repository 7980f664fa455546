"""Rows of runs and judgments as readers find them: cells by column, each row with its line or label, unchecked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from maxent.errors import InputError, quoted
from maxent.types import BoolArray, IntArray

Texts: TypeAlias = Any
"""An array of pyarrow of the type ``TEXT``, null where a cell is blank."""
Numbered: TypeAlias = Any
"""The same, each text stored once and numbered: a ``DictionaryArray`` of the type ``NUMBERED``."""
Cells: TypeAlias = Any
"""A column: `Texts` of a file, `Numbered` where they repeat, or a Series with cells of any type."""

TEXT = pa.large_string()
NUMBERED = pa.dictionary(pa.int32(), TEXT)
LINE, ROW = ":", ", row "  # between the title of a source and the number of a line, or the label of a row


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a run or of judgments: all of a source, or as many of a large file as are in memory at once."""

    title: str  # of a file or a table, for errors
    unit: str  # LINE or ROW
    labels: npt.NDArray[Any]  # (rows,) numbers of the lines, or labels of the rows
    cells: Mapping[str, Cells]  # (rows,) by column: query_id, doc_id, and those of score, relevance, rank, run_id
    comments: int = 0  # lines besides these that are comments

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, places: IntArray) -> "Rows":
        """The rows at some positions."""
        cells = {
            name: column.iloc[places] if isinstance(column, pd.Series) else texts(column).take(pa.array(places))
            for name, column in self.cells.items()
        }
        return replace(self, labels=self.labels[places], cells=cells)

    def cell(self, column: str, row: int) -> Any:
        """A single cell."""
        cells = self.cells[column]
        return cells.iloc[row] if isinstance(cells, pd.Series) else cells[row].as_py()

    def require(self, right: BoolArray, column: str, expected: str, name: str = "") -> None:
        """Raise InputError for the first row where ``right`` (rows,) is False; it calls the column ``name``."""
        if right.all():
            return
        row = int(np.argmin(right))
        cell = self.cell(column, row)
        place = f"{self.title}{self.unit}{self.labels[row]}"
        raise InputError(f"{place}: {name or column} {_shown(cell)}, expected {expected}")


def _shown(cell: object) -> str:
    """A cell as errors show it: text in quotes, a number alone, anything else with its type."""
    if isinstance(cell, str):
        return quoted(cell)
    kind = type(cell).__name__
    return quoted(cell, str) + ("" if kind.startswith(("float", "int", "uint")) else f" ({kind})")


def texts(cells: Any) -> Texts:
    """Texts of a sequence, or of a column of any kind of texts."""
    return cells.cast(TEXT) if isinstance(cells, pa.Array) else pa.array(cells, TEXT)


def numbered(cells: Any) -> Numbered:
    """The same, numbered in the order of their first appearance."""
    return cells if isinstance(cells, pa.DictionaryArray) else texts(cells).dictionary_encode()
