"""Tables with a header in text files, such as BEIR's qrels: tabs, semicolons, commas or blanks separate columns."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from maxent.data.column_names import is_header, is_id_name, positions
from maxent.data.lines import whole_lines
from maxent.data.rows import LINE, Rows, texts
from maxent.data.spreadsheets import unguarded
from maxent.errors import InputError

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = "\t;, "
"""What separates columns, in the order in which it is looked for."""
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WIDEST = 50  # columns of a header whose names are unknown: a line of more is rather text
_MOST = 1 << 16  # rows at once: the texts of Python take much more memory than those of a file


def separator_of(line: str, value: str) -> str | None:
    """What separates the columns of a table whose first line, comments aside, this is; None if it is no header."""
    text = line.strip()
    names = {separator: header_names(text, separator) for separator in SEPARATORS}
    for separator in SEPARATORS:
        if is_header(names[separator]):
            return separator
    # no known names: only a whole line without a number may be a header
    is_whole = line.endswith(("\r", "\n"))
    if not is_whole or any(map(NUMBER.fullmatch, text.split())):
        return None
    for separator in SEPARATORS:
        if _is_unknown_header(names[separator], value):
            return separator
    return None


def _is_unknown_header(names: list[str], value: str) -> bool:
    """Whether a line without numbers is a header: the last cell should be one, or, of two cells, one names ids."""
    if len(names) == 2:
        return value == "relevance" and any(map(is_id_name, names))
    return 2 < len(names) <= _WIDEST


def delimited_rows(title: str, data: Iterable[bytes], value: str, *, separator: str) -> Iterator[Rows]:
    """Rows of a table with a header."""
    comments, pieces = _after_comments(whole_lines(title, data))
    # an export of Quepid has a query without ratings in a cell
    body = table_rows(title, pieces, separator, padded=value == "relevance")
    _, names = next(body)
    places = positions(title, names, value)
    chosen_cells = ((line, [row[place] for place in places.values()]) for line, row in body)  # it may be wide
    is_empty = True
    while numbered_rows := list(islice(chosen_cells, _MOST)):
        lines = np.array([line for line, _ in numbered_rows])
        rows = [row for _, row in numbered_rows]
        columns = dict(zip(places, zip(*rows, strict=True), strict=True))
        if "relevance" in columns:  # a blank rating is not judged, a blank score is an error
            columns["relevance"] = tuple(text or None for text in columns["relevance"])
        cells = {name: texts(column) for name, column in columns.items()}
        yield Rows(title, LINE, lines, cells, comments)
        is_empty, comments = False, 0  # the first rows have the comments
    if is_empty:
        raise InputError(f"{title}: empty after its header, expected at least one line")


def _after_comments(pieces: Iterator[tuple[int, bytes]]) -> tuple[int, Iterator[tuple[int, bytes]]]:
    """Number of comments before the first line that is neither blank nor a comment, and the pieces from there."""
    line, piece = next(pieces)
    comments = 0
    while piece[:1] in (b"#", b"\n"):
        comments += piece.startswith(b"#")
        piece = piece.partition(b"\n")[2]
        line += 1
    return comments, chain([(line, piece)], pieces)


def table_rows(
    title: str, pieces: Iterator[tuple[int, bytes]], separator: str, *, padded: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table, each with the number of its first line; the header comes first.

    Every row has as many cells as the header. If ``padded``, a row of a single cell is filled up with empty cells.
    """
    first_line, start = next(pieces, (1, b""))
    contents = chain([start], (piece for _, piece in pieces))
    lines = (line for piece in contents for line in io.StringIO(piece.decode(), newline="\n"))
    reader = _csv_reader(lines, separator)
    line, width = first_line, 0
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                width = width or len(row)
                if padded and len(row) == 1:
                    row += [""] * (width - 1)
                if len(row) != width:
                    raise InputError(f"{title}:{line}: {len(row)} columns, expected {width} as in the header")
                yield line, _texts(row)
            line = first_line + reader.line_num  # a cell in quotes may have several lines
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
