"""Text tables with a header: their rows, and the cells of tables other than runs and judgments."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import pandas as pd

from maxent.data.lines import PathLike, Value, chunks, convert, title_of, whole_lines
from maxent.data.spreadsheets import unguarded
from maxent.errors import InputError

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = "\t;, "
"""What separates columns, in the order in which it is looked for."""


def read_cells(path: PathLike) -> pd.DataFrame:
    """Cells of a table in a file, indexed by line number; tabs, semicolons or commas separate the columns."""
    title = title_of(path)
    pieces = whole_lines(title, chunks(path))
    first = next(pieces, (1, b""))
    header = first[1].decode().lstrip("\n").partition("\n")[0]
    separator = next((mark for mark in SEPARATORS[:-1] if len(header_names(header, mark)) > 1), ",")
    body = rows(title, chain([first], pieces), separator)
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
    return convert(title_of(path), column.index.tolist(), column.tolist(), kind, str(column.name), expected)


def rows(
    title: str, pieces: Iterator[tuple[int, bytes]], separator: str, *, padded: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table, each with the number of its first line; the header comes first.

    Every row has as many cells as the header. If ``padded``, a row of a single cell is filled up with empty cells.
    """
    first, start = next(pieces, (1, b""))
    contents = chain([start], (piece for _, piece in pieces))
    texts = (line for piece in contents for line in io.StringIO(piece.decode(), newline="\n"))
    reader = _csv_reader(texts, separator)
    line, width = first, 0
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                width = width or len(row)
                row += [""] * (width - 1 if padded and len(row) == 1 else 0)
                if len(row) != width:
                    raise InputError(f"{title}:{line}: {len(row)} columns, expected {width} as in the header")
                yield line, _texts(row)
            line = first + reader.line_num
    except csv.Error as error:
        raise InputError(f"{title}:{line}: {error}, expected a row with its quotes closed") from None


def header_names(line: str, separator: str) -> list[str]:
    """Names in a line that may be a header; none if its quotes are not closed."""
    try:
        return _texts(next(_csv_reader([line], separator), []))
    except csv.Error:
        return []


def _csv_reader(lines: Iterable[str], separator: str) -> "Reader":
    """Reader of the only dialect: cells may be in quotes, which are doubled within, whatever the separator."""
    return csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator != " ")


def _texts(row: list[str]) -> list[str]:
    return [unguarded(field.strip()) for field in row]
