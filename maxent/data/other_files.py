"""Runs and judgments in files that are not in the formats of TREC: tables with a header, JSON and Parquet.

The content decides, not the name: a file whose first line has TREC's columns, with a number in the right one, is a
TREC file whatever the ids look like. A table has a header, as BEIR's qrels (``query-id corpus-id score``), and has
tabs, semicolons, commas or blanks between columns. JSON is ``{query: {document: number}}``, as in ranx and
pytrec_eval, or has a dictionary for each row, in an array or one on each line.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.compute import binary_length

from maxent.data.cells import SEPARATORS, header_names, rows
from maxent.data.line_arrays import Columns, Piece, Repeated, Texts, distinct_ranks, joined, numbered, numbers_in
from maxent.data.lines import COMPRESSED, PathLike, checked_text, title_of, values_of, whole_lines
from maxent.data.tables import (
    LINE,
    clean,
    is_header,
    is_id_name,
    is_row,
    objects_table,
    picked,
    positions,
    require_rows,
)
from maxent.errors import InputError
from maxent.limits import JSON, SIZE, too_large
from maxent.types import IntArray

PARQUET = b"PAR1"
_JSON = re.compile(rb'\{\s*["}]|\[\s*\{')
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_TREC = re.compile(  # a line of judgments, or of a run
    rf"(\S+\s+){{3}}({_NUMBER.pattern}|\S+\s+{_NUMBER.pattern}\s+\S+)"
)
_WIDEST = 50  # columns of a header whose names are unknown: a line of more is rather text
_ROWS = 1 << 13  # of a table that are read at once
_SEPARATORS = 3  # bytes of a row besides its ids and its number


def other_file(
    path: PathLike, start: bytes, data: Iterable[bytes], value: str, *, fractions: bool, repeated: Repeated
) -> Columns | None:
    """Lines of a file with the ``value`` score or relevance; None if the file begins like a TREC file."""
    title = title_of(path)
    text = start[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    header = re.split(rb"[\r\n]", text, maxsplit=1)[0].decode(errors="replace").strip()
    if _TREC.fullmatch(header):
        return None
    if start.startswith(PARQUET):
        lines = joined(title, ", row ", _parquet(title, b"".join(data), value, fractions), repeated)
        return tagged(path, lines, value, "a Parquet file without rows")
    if _JSON.match(text) and _begins_with_row(start):
        return tagged(path, joined(title, ":", _json_lines(title, data, value, fractions), repeated), value, "")
    if _JSON.match(text):
        table = objects_table(title, _json(title, data), value)
        piece = _piece(clean(title, table, value, fractions=fractions, repeated="keep"))
        return tagged(path, joined(title, ", row ", [piece], repeated), value, "")
    separator = _separator(text.decode(errors="replace"), value)
    if separator is None:
        return None
    pieces = _header_table(title, whole_lines(title, data), separator, value, fractions)
    return tagged(path, joined(title, ":", pieces, repeated), value, "after its header")


def _separator(start: str, value: str) -> str | None:
    """What separates the columns of a table; None if its first line, comments aside, is not a header."""
    lines = (line for line in re.split("(?<=[\r\n])", start) if line.strip() and not line.lstrip().startswith("#"))
    line = next(lines, "")
    first = line.strip()
    if _TREC.fullmatch(first):
        return None
    names = {separator: header_names(first, separator) for separator in SEPARATORS}
    headers = [separator for separator in SEPARATORS if is_header(names[separator])]
    is_whole = line.endswith(("\r", "\n"))
    if not headers and is_whole and not any(map(_NUMBER.fullmatch, first.split())):
        headers = [separator for separator in SEPARATORS if _is_unknown_header(names[separator], value)]
    return next(iter(headers), None)


def _is_unknown_header(names: list[str], value: str) -> bool:
    """Whether a line without numbers is a header: the last cell should be one, or, of two cells, one names ids."""
    if len(names) == 2:
        return value == "relevance" and any(map(is_id_name, names))
    return 2 < len(names) <= _WIDEST


def _after_comments(pieces: Iterator[tuple[int, bytes]]) -> tuple[int, Iterator[tuple[int, bytes]]]:
    """Number of comments before the first line that is neither blank nor a comment, and the pieces from there."""
    line, piece = next(pieces)
    comments = 0
    while piece[:1] in (b"#", b"\n"):
        comments += piece.startswith(b"#")
        piece = piece.partition(b"\n")[2]
        line += 1
    return comments, chain([(line, piece)], pieces)


def tagged(path: PathLike, lines: Columns | None, value: str, where: str) -> Columns:
    """Lines with the name of their run; for a file without one, the file's name without suffixes."""
    if lines is None:
        raise InputError(f"{title_of(path)}: empty {where}, expected at least one line")
    distinct_ranks(lines)
    if lines.tag is not None or value != "score":
        return lines
    name = Path(path).name
    pattern = rf"\.(jsonl?|tsv|csv|txt|parquet)?({'|'.join(map(re.escape, COMPRESSED))})?$"
    return lines._replace(tag=re.sub(pattern, "", name) or name)


def _parquet(title: str, data: bytes, value: str, fractions: bool) -> Iterator[Piece]:
    """Rows of a Parquet file, some at a time; ids are read as dictionaries, which hold each id once."""
    try:
        from pyarrow.parquet import ParquetFile  # takes a while

        schema = ParquetFile(pa.BufferReader(data)).schema_arrow
        places = positions(title, schema.names, value)
        names = {column: schema.names[place] for column, place in places.items()}
        file = ParquetFile(
            pa.BufferReader(data),
            read_dictionary=[names[column] for column in names if column != value],
            page_checksum_verification=True,
        )
        size = _decompressed(file.metadata, names.values())
        if reason := too_large(f"{title}: its decompressed size", size, SIZE):
            raise InputError(reason)
        row = size = 0
        for batch in _batches(file, names.values()):
            index = pd.RangeIndex(row, row := row + len(batch))
            arrays = {column: batch.column(name) for column, name in names.items()}
            table = pd.DataFrame(
                {
                    column: pd.Series(
                        _dictionary_texts(array), index, dtype=object
                    )  # not one text a row in pyarrow
                    if isinstance(array, pa.DictionaryArray)
                    else array.to_pandas().set_axis(index)
                    for column, array in arrays.items()
                }
            )
            if len(batch):
                lines = clean(title, table, value, fractions=fractions, repeated="keep")
                size += _bytes(lines)
                if reason := too_large(f"{title}: its size as text", size, SIZE):
                    raise InputError(reason)
                yield _piece(lines)
    except InputError:
        raise
    except Exception as error:  # each library has its own
        reason = " ".join(str(error).split())
        raise InputError(f"{title}: truncated or corrupt ({reason}), expected a Parquet file") from error


def _decompressed(metadata: Any, names: Collection[str]) -> int:
    """Size in bytes of the pages of some columns of a Parquet file, as its metadata say."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    chunks = [group.column(k) for group in groups for k in range(group.num_columns)]
    return sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] in names)


def _batches(file: Any, names: Collection[str]) -> Iterator[Any]:
    """Rows of some columns of a Parquet file, some at a time; a single row group is in memory."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(_ROWS, row_groups=[group], columns=list(names))


def _dictionary_texts(array: Any) -> Texts:
    """Texts of a dictionary column, (rows,); equal texts are one object in memory."""
    texts: Texts = np.array([*array.dictionary.to_pylist(), None], dtype=object)
    codes: IntArray = array.indices.fill_null(len(texts) - 1).to_numpy()
    return texts[codes]


def _bytes(lines: Columns) -> int:
    """Size of lines as text, in bytes."""
    of_ids = sum(int(binary_length(ids.names).to_numpy()[ids.codes].sum()) for ids in (lines.topics, lines.docs))
    return of_ids + lines.values.nbytes + _SEPARATORS * len(lines.values)


def _piece(lines: Columns) -> Piece:
    tags = {} if lines.tag is None else dict(zip(lines.tag[::-1], lines.lines[::-1].tolist(), strict=True))
    ids = (lines.topics.numbered(), lines.docs.numbered())
    return Piece(lines.lines, *ids, lines.values, tags, lines.ranks, lines.blank)


def _json(title: str, data: Iterable[bytes]) -> Any:
    whole = bytearray()
    for part in data:
        whole += part
        if reason := too_large(f"{title}: its size as JSON", len(whole), JSON):
            raise InputError(reason)
    return _parse_json(title, bytes(whole))


def _begins_with_row(start: bytes) -> bool:
    """Whether the first line is a dictionary of cells, as in JSON lines."""
    first = re.split(rb"[\r\n]", start.lstrip(b"\xef\xbb\xbf \t\r\n"), maxsplit=1)[0]
    try:
        return is_row(json.loads(first))
    except (ValueError, RecursionError):  # the error comes when the file is read
        return False


def _json_lines(title: str, data: Iterable[bytes], value: str, fractions: bool) -> Iterator[Piece]:
    """Rows of JSON lines, some megabytes at a time; the keys of all lines say which columns count."""
    pieces = list(whole_lines(title, data))
    keys = dict[str, None]()
    for first, piece in pieces:
        for line, text in _numbered_lines(first, piece):
            row = _parse_json(title, text, line)
            if not is_row(row):
                require_rows(title, [row], pd.Index([line], name=LINE))
            keys.update(dict.fromkeys(row))
    keys_in_order = list(keys)
    names = {column: keys_in_order[place] for column, place in positions(title, keys_in_order, value).items()}
    for first, piece in pieces:
        lines = [line for line, _ in _numbered_lines(first, piece)]
        rows = (json.loads(text) for _, text in _numbered_lines(first, piece))
        if lines:
            table = picked(rows, names, pd.Index(lines, name=LINE))
            yield _piece(clean(title, table, value, fractions=fractions, repeated="keep"))


def _numbered_lines(first: int, piece: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, each with its number."""
    return ((line, text) for line, text in enumerate(piece.split(b"\n"), first) if text.strip())


def _parse_json(title: str, text: bytes, line: int | None = None) -> Any:
    """Value of a JSON text, a whole file or a line; InputError if it is not JSON or repeats a key."""
    place = title if line is None else f"{title}:{line}"

    def without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
        cells = dict(pairs)
        if len(cells) < len(pairs):  # json would not notice
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, number in counts.items() if number > 1)
            raise InputError(f"{place}: {twice!r} twice in one object, expected once")
        return cells

    try:
        return json.loads(checked_text(title, line or 1, text), object_pairs_hook=without_repetition)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(f"{title}:{line or error.lineno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{place}: nested too deeply, expected {{query: {{document: number}}}}") from None
    except ValueError:  # of int
        raise InputError(
            f"{place}: a number of too many digits, expected at most {sys.get_int_max_str_digits()}"
        ) from None


def _header_table(
    title: str, pieces: Iterator[tuple[int, bytes]], separator: str, value: str, fractions: bool
) -> Iterator[Piece]:
    """Lines of a table with a header, some at a time."""
    comments, pieces = _after_comments(pieces)
    # an export of Quepid has a query without ratings in a cell
    body = rows(title, pieces, separator, padded=value == "relevance")
    _, names = next(body)
    columns = positions(title, names, value)
    body = ((line, [row[place] for place in columns.values()]) for line, row in body)  # a table may be wide
    places = {column: place for place, column in enumerate(columns)}
    number = "rank" if "rank" in places and value not in places else value
    query, document = places["query_id"], places["doc_id"]
    while some := list(islice(body, _ROWS)):
        # a blank rating is not judged, a blank score is an error; without ratings every document has grade 1
        judged = [value == "score" or row[places.get(value, document)] != "" for _, row in some]
        rated = list(compress(some, judged))
        blank = [row for (_, row), is_judged in zip(some, judged, strict=True) if not is_judged]
        # a query counts even if none of its documents is judged
        queries = [(row[query], is_judged) for (_, row), is_judged in zip(some, judged, strict=True)]
        queries = [(text, is_judged) for text, is_judged in queries if is_judged or text]
        lines = [line for line, _ in rated]
        column = {name: [row[place] for _, row in rated] for name, place in places.items()}
        column.setdefault("relevance", ["1"] * len(lines))  # of judgments without grades
        tags = dict(zip(reversed(column.get("run_id", [])), reversed(lines), strict=False))
        topics = numbered([text for text, _ in queries]).filter(pa.array([of_line for _, of_line in queries]))
        docs = numbered(column["doc_id"])
        values = values_of(title, lines, column[number], number, fractions)
        ranks = numbers_in(column["rank"]) if "rank" in column else None
        values = -values.astype(np.float64) if number == "rank" else values
        unjudged = sum(row[document] != "" or not row[query] for row in blank)
        yield Piece(np.array(lines, np.int64), topics, docs, values, tags, ranks, unjudged, comments)
        comments = 0
