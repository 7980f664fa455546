"""Text tables with a header: their rows, and the cells of tables other than runs and judgments."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pandas as pd

from maxent.data.lines import PathLike, Value, chunks, convert, title_of, whole_lines
from maxent.data.spreadsheets import unguarded
from maxent.errors import InputError


def read_cells(path: PathLike) -> pd.DataFrame:
    """Cells of a table in a file as texts, indexed by line number; commas or tabs separate the columns."""
    title = title_of(path)
    pieces = whole_lines(title, chunks(path))
    first = next(pieces, (1, b""))
    separator = "\t" if b"\t" in first[1].lstrip().partition(b"\n")[0] else ","
    body = rows(title, chain([first], pieces), separator)
    line, names = next(body, (1, []))
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError(f"{title}:{line}: header {names}, expected different names that commas or tabs separate")
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
    title: str, pieces: Iterable[tuple[int, bytes]], separator: str, *, padded: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table, each with the number of its first line; the header comes first.

    Every row has as many cells as the header. If ``padded``, a row of a single cell is filled up with empty cells.
    """
    texts = (line for _, piece in pieces for line in io.StringIO(piece.decode(), newline="\n"))
    reader = csv.reader(
        texts, delimiter=separator, quoting=csv.QUOTE_MINIMAL if separator == "," else 3, strict=True
    )
    line, width = 1, 0
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                width = width or len(row)
                row += [""] * (width - 1 if padded and len(row) == 1 else 0)
                if len(row) != width:
                    raise InputError(f"{title}:{line}: {len(row)} columns, expected {width} as in the header")
                yield line, [unguarded(field.strip()) for field in row]
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{title}:{line}: {error}, expected a row with its quotes closed") from None
