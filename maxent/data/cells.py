"""Cells of tables in text files other than runs and judgments, such as references and clicks."""

from collections.abc import Callable
from itertools import chain
from typing import TypeVar

import numpy as np
import pandas as pd

from maxent.data.delimited import SEPARATORS, header_names, table_rows
from maxent.data.lines import PathLike, chunks, title_of, whole_lines
from maxent.data.rows import LINE, Rows
from maxent.errors import InputError

Value = TypeVar("Value", int, float)


def read_cells(path: PathLike) -> pd.DataFrame:
    """Cells of a table in a file, indexed by line number; tabs, semicolons or commas separate the columns."""
    title = title_of(path)
    pieces = whole_lines(title, chunks(path))
    first_line, start = next(pieces, (1, b""))
    header = start.decode().lstrip("\n").partition("\n")[0]
    marks = SEPARATORS.replace(" ", "")  # a blank may be part of a name
    separator = next((mark for mark in marks if len(header_names(header, mark)) > 1), ",")
    body = table_rows(title, chain([(first_line, start)], pieces), separator)
    line, names = next(body, (1, []))
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError(
            f"{title}:{line}: header {names}, expected different names that tabs, semicolons or commas separate"
        )
    cells = dict(body)
    if not cells:
        raise InputError(f"{title}: empty after its header, expected at least one row")
    return pd.DataFrame.from_dict(cells, orient="index", columns=names, dtype=object)


def numbers_of(
    path: PathLike, column: "pd.Series[str]", kind: Callable[[str], Value], expected: str
) -> list[Value]:
    """Numbers of a column of cells; InputError names the line of the first cell that is not a number."""
    numbers: list[Value] = []
    for text in column:
        try:
            numbers.append(kind(text))
        except ValueError:
            name, wrong = str(column.name), len(numbers)  # the row of the text, which follows those converted
            rows = Rows(title_of(path), LINE, column.index.to_numpy(), {name: column})
            rows.require(np.arange(len(column)) != wrong, name, expected)
    return numbers
