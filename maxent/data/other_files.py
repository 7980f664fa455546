"""Runs and judgments in files that are not in the formats of TREC: tables with a header, JSON and Parquet.

The content decides, not the name. A table with a header is separated by tabs or commas, as the qrels of BEIR are
(``query-id corpus-id score``); JSON is ``{query: {document: number}}``, as ranx and pytrec_eval use it.
"""

import csv
import io
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd

from maxent.data.lines import (
    COMPRESSED,
    convert,
    decode,
    finite_number,
    integer,
    reject_duplicates,
    scores_of,
)
from maxent.data.spreadsheets import unguarded
from maxent.data.synonyms import has_columns, renamed
from maxent.data.tables import clean, first_of_each, of_nested
from maxent.errors import InputError
from maxent.limits import ROWS, too_large

PARQUET = b"PAR1"
_JSON = re.compile(rb'\{\s*["}]')  # a topic of TREC may begin with a brace as well


def other_file(
    path: str | os.PathLike[str], data: bytes, value: str, *, fractions: bool = True, first: bool = False
) -> pd.DataFrame | None:
    """Table of a file, or None if it looks like a file of TREC.

    Parameters
    ----------
    path : path-like
        Named in errors.
    data : bytes
        Content of the file.
    value : {"score", "relevance"}
        Name of the column of numbers.
    fractions, first
        As for :func:`maxent.data.tables.clean`.

    Returns
    -------
    DataFrame or None
        Columns query_id, doc_id, ``value``, and run_id if the file has one.

    Raises
    ------
    InputError
        If the file starts like one of these formats and cannot be read as such.
    """
    if data.startswith(PARQUET):
        table = renamed(str(path), _parquet(path, data), value)
        return clean(str(path), table, value, fractions=fractions, first=first)
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if _JSON.match(start):
        table = of_nested(str(path), _json(path, data), value)
        return clean(str(path), table, value, fractions=fractions)
    header = start.split(b"\n")[0].decode(errors="replace").strip()
    for separator in "\t,":
        names = [name.strip() for name in header.split(separator)]
        if has_columns(names, ("query_id", "doc_id")):
            lines, table = _with_header(path, decode(path, data), separator, value)
            if not first:
                reject_duplicates(path, lines, table["query_id"].tolist(), table["doc_id"].tolist())
            texts = table[value].tolist()
            if value == "score":
                table[value] = scores_of(path, lines, texts)
            else:
                number, expected = (finite_number, "a finite number") if fractions else (integer, "an integer")
                table[value] = convert(path, lines, texts, number, value, expected)
            return first_of_each(table) if first else table
    return None


def file_tag(path: str | os.PathLike[str]) -> str:
    """Name of a run whose file does not say it: the file's name without suffixes of format and compression."""
    name = Path(path).name
    return re.sub(rf"\.(json|tsv|csv|txt|parquet)?({'|'.join(map(re.escape, COMPRESSED))})?$", "", name) or name


def _parquet(path: str | os.PathLike[str], data: bytes) -> pd.DataFrame:
    try:
        from pyarrow.parquet import ParquetFile  # optional

        rows = ParquetFile(io.BytesIO(data)).metadata.num_rows
        if reason := too_large(f"{path}: its number of rows", rows, ROWS):
            raise InputError(reason)
        return pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    except InputError:
        raise
    except ImportError:
        raise InputError(f"{path}: a Parquet file; to read it, pip install pyarrow") from None
    except Exception as error:  # each library has its own
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: truncated or corrupt ({reason}), expected a Parquet file") from error


def _json(path: str | os.PathLike[str], data: bytes) -> object:
    try:
        return json.loads(decode(path, data), object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    except _Repeated as error:
        raise InputError(f"{path}: {error} twice in one object, expected once") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply, expected {{query: {{document: number}}}}") from None
    except ValueError:  # of int
        raise InputError(
            f"{path}: a number of too many digits, expected at most {sys.get_int_max_str_digits()}"
        ) from None


class _Repeated(Exception):
    """A key is there twice, which json would not notice."""


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _Repeated(repr(next(key for key, number in counts.items() if number > 1)))
    return found


def _with_header(
    path: str | os.PathLike[str], text: str, separator: str, value: str
) -> tuple[list[int], pd.DataFrame]:
    """Line numbers and texts of a table with a header."""
    reader = csv.reader(
        io.StringIO(text), delimiter=separator, quoting=csv.QUOTE_MINIMAL if separator == "," else 3
    )
    lines, rows = [], []
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                lines.append(reader.line_num)
                rows.append([unguarded(field.strip()) for field in row])
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}") from None
    names, lines, rows = rows[0], lines[1:], rows[1:]
    if not rows:
        raise InputError(f"{path}: empty after its header, expected at least one line")
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            raise InputError(f"{path}:{line}: {len(row)} columns, expected {len(names)} as in the header")
    return lines, renamed(str(path), pd.DataFrame(rows, columns=names, dtype=object), value).copy()
