"""The reader of a file, chosen by its content, and the checked lines of the file.

The content decides, not the name: a file whose first line has TREC's columns, with a number in the right one, is a
TREC file whatever the ids look like. Others are tables with a header, JSON, or Parquet. A reader gives the rows of
a file, all at once unless the file is large; ``clean`` checks them, as it checks tables in memory.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa

from maxent.data.cleaning import clean_parts
from maxent.data.delimited import NUMBER, delimited_rows, separator_of
from maxent.data.json_files import begins_with_row, json_line_rows, json_rows
from maxent.data.line_arrays import Columns, Ids, Repeated, distinct_ranks, joined
from maxent.data.lines import COMPRESSED, PathLike, chunks, title_of
from maxent.data.parquet import parquet_rows
from maxent.data.rows import TEXT, Rows
from maxent.data.trec import require_ranks, trec_rows

Reader: TypeAlias = Callable[[str, Iterable[bytes], str], Iterator[Rows]]
"""Rows from the title of a file, its content, and the value that its lines have, score or relevance."""

_PARQUET = b"PAR1"
_JSON = re.compile(rb'\{\s*["}]|\[\s*\{')
_TREC = re.compile(  # a line of judgments, or of a run
    rf"(\S+\s+){{3}}({NUMBER.pattern}|\S+\s+{NUMBER.pattern}\s+\S+)"
)
_BEGINNING = 4096  # bytes in which the first line is looked for


def read_columns(
    path: PathLike,
    value: Literal["score", "relevance"],
    *,
    fractions: bool = False,
    grade_of: Mapping[str, int] | None = None,
    repeated: Repeated = "error",
) -> Columns:
    """Lines of a file in any format: of a run, or of judgments, which are whole numbers unless ``fractions``.

    Ratings of judgments become their grades in ``grade_of``, if it is given.
    """
    read, rows = _rows_of_file(path, value)
    lines = joined(clean_parts(rows, value, fractions=fractions, grade_of=grade_of), repeated)[0]
    return _finished(path, read, lines) if value == "score" else lines


def read_runs(path: PathLike, *, repeated: Repeated = "error") -> list[Columns]:
    """Lines of each run in a file: of several if it has a column of their names, one if it is a TREC file."""
    read, rows = _rows_of_file(path, "score")
    runs = joined(clean_parts(rows, "score"), repeated, several=read is not trec_rows)
    return [_finished(path, read, run) for run in runs]


def _rows_of_file(path: PathLike, value: Literal["score", "relevance"]) -> tuple[Reader, Iterator[Rows]]:
    """The reader of a file, and its rows."""
    title, data = title_of(path), chunks(path)
    start = next(data, b"")
    read = reader_of(start, value)
    return read, read(title, chain([start], data), value)


def _finished(path: PathLike, read: Reader, run: Columns) -> Columns:
    """The lines of a run with its name; InputError if its ranks are not distinct."""
    if run.by_rank and read is trec_rows:
        require_ranks(run)
    return named(path, distinct_ranks(run))


def reader_of(start: bytes, value: str) -> Reader:
    """The reader of a file that begins like this."""
    # 1. formats that the first line, or the first bytes, show
    text = start[:_BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n")
    first_line = re.split(rb"[\r\n]", text, maxsplit=1)[0].decode(errors="replace")
    if _TREC.fullmatch(first_line.strip()):
        return trec_rows
    if start.startswith(_PARQUET):
        return parquet_rows
    if _JSON.match(text):
        return json_line_rows if begins_with_row(start) else json_rows
    # 2. the first line that is no comment: a header, or TREC's columns, of which there may be fewer
    lines = re.split("(?<=[\r\n])", text.decode(errors="replace"))
    line = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    separator = None if _TREC.fullmatch(line.strip()) else separator_of(line, value)
    return trec_rows if separator is None else partial(delimited_rows, separator=separator)


def named(path: PathLike, run: Columns) -> Columns:
    """The lines of a run with its name; for a file without one, the file's name without suffixes."""
    if run.tags is not None:
        return run
    name = Path(path).name
    pattern = rf"\.(jsonl?|tsv|csv|txt|parquet)?({'|'.join(map(re.escape, COMPRESSED))})?$"
    tag = pa.array([re.sub(pattern, "", name) or name], TEXT)
    return run._replace(tags=Ids(tag, np.zeros(len(run.lines), np.int32)))
