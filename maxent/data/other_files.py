"""Runs and judgments in files that are not in the formats of TREC: tables with a header, JSON and Parquet.

The content decides, not the name: a first line with the columns of TREC, and a number in the right one, is of TREC
whatever its ids look like. A table with a header is separated by tabs or commas, as the qrels of BEIR are
(``query-id corpus-id score``); JSON is ``{query: {document: number}}``, as ranx and pytrec_eval use it.
"""

import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.compute import binary_length

from maxent.checks import JSON, SIZE, too_large
from maxent.data.cells import rows
from maxent.data.columns import Columns, Piece, Repeated, Texts, joined, numbered
from maxent.data.lines import COMPRESSED, PathLike, checked_text, title_of, values_of, whole_lines
from maxent.data.tables import clean, has_columns, of_nested, positions
from maxent.errors import InputError
from maxent.types import IntArray

PARQUET = b"PAR1"
_JSON = re.compile(rb'\{\s*["}]')
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_TREC = re.compile(rf"(\S+\s+){{3}}({_NUMBER}|\S+\s+{_NUMBER}\s+\S+)")  # a line of judgments, or of a run
_ROWS = 1 << 13  # of a table that are read at once
_SEPARATORS = 3  # bytes of a row besides its ids and its number


def other_file(
    path: PathLike, start: bytes, data: Iterable[bytes], value: str, *, fractions: bool, repeated: Repeated
) -> Columns | None:
    """Lines of a file, by ``score`` or ``relevance``; None if it begins like a file of TREC."""
    title = title_of(path)
    text = start[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    header = re.split(rb"[\r\n]", text, maxsplit=1)[0].decode(errors="replace").strip()
    if _TREC.fullmatch(header):
        return None
    if start.startswith(PARQUET):
        found = joined(title, ", row ", _parquet(title, b"".join(data), value, fractions), repeated)
        return _tagged(path, found, value, "a Parquet file without rows")
    if _JSON.match(text):
        table = of_nested(title, _json(title, data), value)
        return _tagged(path, clean(title, table, value, fractions=fractions, repeated=repeated), value, "")
    for separator in "\t,":
        names = [name.strip() for name in header.split(separator)]
        if has_columns(names, ("query_id", "doc_id")):
            pieces = _with_header(title, whole_lines(title, data), separator, value, fractions)
            return _tagged(path, joined(title, ":", pieces, repeated), value, "after its header")
    return None


def _tagged(path: PathLike, found: Columns | None, value: str, where: str) -> Columns:
    """Lines with the name of their run; if the file does not say it, the file's name without its suffixes."""
    if found is None:
        raise InputError(f"{title_of(path)}: empty {where}, expected at least one line")
    if found.tag is not None or value != "score":
        return found
    name = Path(path).name
    pattern = rf"\.(json|tsv|csv|txt|parquet)?({'|'.join(map(re.escape, COMPRESSED))})?$"
    return found._replace(tag=re.sub(pattern, "", name) or name)


def _parquet(title: str, data: bytes, value: str, fractions: bool) -> Iterator[Piece]:
    """Rows of a Parquet file, some at a time; ids that a dictionary numbers are not repeated."""
    try:
        from pyarrow.parquet import ParquetFile  # takes a while

        schema = ParquetFile(io.BytesIO(data)).schema_arrow
        places = positions(title, schema.names, value)
        names = {column: schema.names[place] for column, place in places.items()}
        file = ParquetFile(io.BytesIO(data), read_dictionary=[names[c] for c in names if c != value])
        row = size = 0
        for batch in file.iter_batches(_ROWS, columns=list(names.values())):
            index = pd.RangeIndex(row, row := row + len(batch))
            arrays = {column: batch.column(name) for column, name in names.items()}
            table = pd.DataFrame(
                {
                    column: pd.Series(_of_dictionary(array), index, dtype=object)  # not one text a row in pyarrow
                    if isinstance(array, pa.DictionaryArray)
                    else array.to_pandas().set_axis(index)
                    for column, array in arrays.items()
                }
            )
            if len(batch):
                found = clean(title, table, value, fractions=fractions, repeated="keep")
                size += _bytes(found)
                if reason := too_large(f"{title}: its size as text", size, SIZE):
                    raise InputError(reason)
                yield _piece(found)
    except InputError:
        raise
    except Exception as error:  # each library has its own
        reason = " ".join(str(error).split())
        raise InputError(f"{title}: truncated or corrupt ({reason}), expected a Parquet file") from error


def _of_dictionary(array: Any) -> Texts:
    """Texts of a column with a dictionary: each is there once in memory."""
    known: Texts = np.array([*array.dictionary.to_pylist(), None], dtype=object)
    codes: IntArray = array.indices.fill_null(len(known) - 1).to_numpy()
    return known[codes]


def _bytes(found: Columns) -> int:
    """Bytes that lines have as text."""
    of_ids = sum(int(binary_length(own.names).to_numpy()[own.codes].sum()) for own in (found.topics, found.docs))
    return of_ids + found.values.nbytes + _SEPARATORS * len(found.values)


def _piece(found: Columns) -> Piece:
    tags = {} if found.tag is None else dict(zip(found.tag[::-1], found.lines[::-1].tolist(), strict=True))
    return Piece(found.lines, found.topics.numbered(), found.docs.numbered(), found.values, tags)


def _json(title: str, data: Iterable[bytes]) -> Any:
    whole = bytearray()
    for part in data:
        whole += part
        if reason := too_large(f"{title}: its size as JSON", len(whole), JSON):
            raise InputError(reason)

    def without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):  # json would not notice
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, number in counts.items() if number > 1)
            raise InputError(f"{title}: {twice!r} twice in one object, expected once")
        return found

    try:
        return json.loads(checked_text(title, 1, bytes(whole)), object_pairs_hook=without_repetition)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(f"{title}:{error.lineno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{title}: nested too deeply, expected {{query: {{document: number}}}}") from None
    except ValueError:  # of int
        raise InputError(
            f"{title}: a number of too many digits, expected at most {sys.get_int_max_str_digits()}"
        ) from None


def _with_header(
    title: str, pieces: Iterable[tuple[int, bytes]], separator: str, value: str, fractions: bool
) -> Iterator[Piece]:
    """Lines of a table with a header, some at a time."""
    body = rows(title, pieces, separator)
    _, names = next(body)
    places = positions(title, names, value)
    while some := list(islice(body, _ROWS)):
        lines = [line for line, _ in some]
        column = {name: [row[place] for _, row in some] for name, place in places.items()}
        tags = dict(zip(reversed(column.get("run_id", [])), reversed(lines), strict=False))
        topics, docs = numbered(column["query_id"]), numbered(column["doc_id"])
        yield Piece(np.array(lines), topics, docs, values_of(title, lines, column[value], value, fractions), tags)
