"""Read run files and relevance files (qrels) in the formats of TREC.

A run has six columns, ``query_id Q0 doc_id rank score run_id``, a qrels file has four,
``query_id iteration doc_id relevance``, separated by white space. Both may be gzipped, start with a byte
order mark, end their lines as any system does, contain blank lines and ``#`` comments, and list their
topics in any order. Anything else that is unusual is an `InputError` that names the file and the line:
a silent guess here would become a wrong number in a study.
"""

import gzip
import math
import os
import re
import sys
import textwrap
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pandas as pd

from maxent.errors import InputError

__all__ = ["read_qrels", "read_run"]

_RUN_LAYOUT = "query_id Q0 doc_id rank score run_id"
_QRELS_LAYOUT = "query_id iteration doc_id relevance"
_GZIP_MAGIC = b"\x1f\x8b"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")  # what fits int64, and not the `1_000` that int() takes

_Value = TypeVar("_Value", int, float)


def read_run(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read the run of one system.

    Parameters
    ----------
    path : str or path-like
        A TREC run file, plain or gzipped, with the lines of one run. The second column and the rank are
        ignored: scores decide the order.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str), ``score`` (float64) and ``run_id`` (str), in the order
        of the file.

    Raises
    ------
    InputError
        If the file cannot be read as a run; the message names file, line and what was found.
    """
    lines, columns = _read_columns(path, _RUN_LAYOUT)
    topics, _, docs, _, scores, run_ids = columns
    other = next((k for k, run_id in enumerate(run_ids) if run_id != run_ids[0]), None)
    if other is not None:
        raise InputError(
            f"{path}:{lines[other]}: run id {run_ids[other]!r}, expected {run_ids[0]!r} as in line {lines[0]}: "
            "a file holds one run"
        )
    _reject_duplicates(path, lines, topics, docs)
    values = _convert(path, lines, scores, _finite_number, "score", "a finite number")
    # One string object per topic, not one per line: a study holds millions of lines in memory.
    query_ids = list(map(sys.intern, topics))
    return pd.DataFrame({"query_id": query_ids, "doc_id": docs, "score": values, "run_id": run_ids[0]})


def read_qrels(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read relevance judgments.

    Parameters
    ----------
    path : str or path-like
        A TREC qrels file, plain or gzipped. The second column is ignored.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str) and ``relevance`` (int64), in the order of the file.
        Negative judgments stay as they are; `maxent.collection.collect` counts them as not relevant.

    Raises
    ------
    InputError
        If the file cannot be read as qrels; the message names file, line and what was found.
    """
    lines, columns = _read_columns(path, _QRELS_LAYOUT)
    topics, _, docs, grades = columns
    _reject_duplicates(path, lines, topics, docs)
    relevance = _convert(path, lines, grades, _integer, "relevance", "an integer")
    return pd.DataFrame({"query_id": list(map(sys.intern, topics)), "doc_id": docs, "relevance": relevance})


def _read_columns(path: str | os.PathLike[str], layout: str) -> tuple[list[int], list[list[str]]]:
    """Line numbers of the data lines, and their columns."""
    width = len(layout.split())
    lines: list[int] = []
    fields: list[str] = []  # flat: keeping a list per line would keep the garbage collector busy
    for line, text in enumerate(_read_text(path).split("\n"), start=1):
        row = text.split()
        if not row or row[0].startswith("#"):
            continue
        if len(row) != width:
            shown = textwrap.shorten(text, 80, placeholder="...")
            raise InputError(f"{path}:{line}: {len(row)} columns ({shown!r}), expected the {width} of '{layout}'")
        lines.append(line)
        fields += row
    if not lines:
        raise InputError(f"{path}: empty, expected lines of the form '{layout}'")
    return lines, [fields[column::width] for column in range(width)]


def _read_text(path: str | os.PathLike[str]) -> str:
    """Decode a file; its lines end in a line feed only."""
    data = _read_bytes(path)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _not_text(path, data, error.start) from None
    if "\0" in text:  # valid UTF-8, but in no text file
        raise _not_text(path, data, data.index(b"\0"))
    # Files that were joined can have a byte order mark in the middle, glued to a topic's id.
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")


def _read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Content of a file, decompressed."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if data.startswith(_GZIP_MAGIC) or (data and Path(path).suffix == ".gz"):
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: truncated or corrupt ({error}), expected a gzip file") from error
    return data


def _not_text(path: str | os.PathLike[str], data: bytes, position: int) -> InputError:
    line = data.count(b"\n", 0, position) + 1
    return InputError(f"{path}:{line}: byte 0x{data[position]:02x} (a binary file?), expected text in UTF-8")


def _reject_duplicates(
    path: str | os.PathLike[str], lines: Sequence[int], topics: Sequence[str], docs: Sequence[str]
) -> None:
    """Raise if a document comes twice in a topic."""
    if len(set(map(" ".join, zip(topics, docs, strict=True)))) == len(lines):
        return
    first: dict[tuple[str, str], int] = {}
    for line, topic, doc in zip(lines, topics, docs, strict=True):
        seen = first.setdefault((topic, doc), line)
        if seen != line:
            raise InputError(
                f"{path}:{line}: document {doc!r} twice in topic {topic!r} (first in line {seen}), expected once"
            )


def _convert(
    path: str | os.PathLike[str],
    lines: Sequence[int],
    column: Sequence[str],
    convert: Callable[[str], _Value],
    name: str,
    expected: str,
) -> list[_Value]:
    """Convert a column from text, naming the first line where that fails."""
    values = []
    for line, text in zip(lines, column, strict=True):
        try:
            values.append(convert(text))
        except ValueError:
            raise InputError(f"{path}:{line}: {name} {text!r}, expected {expected}") from None
    return values


def _finite_number(text: str) -> float:
    """Read a decimal number as every other tool would: no `1_000`, no Arabic digits, no infinity."""
    value = float(text)  # correctly rounded, which pandas' parsers are not
    if not math.isfinite(value) or "_" in text or not text.isascii():
        raise ValueError(text)
    return value


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)
