"""Shared by the readers of text files: decoding, numbers, and errors that name file and line."""

import gzip
import math
import os
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from maxent.errors import InputError

_GZIP_MAGIC = b"\x1f\x8b"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")  # fits int64; int() would also take `1_000`

_Value = TypeVar("_Value", int, float)


def read_text(path: str | os.PathLike[str]) -> str:
    """Text of a file, plain or gzipped, with line feeds as the only line ends."""
    data = _read_bytes(path)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _not_text(path, data, error.start) from None
    if "\0" in text:  # valid UTF-8, but not text
        raise _not_text(path, data, data.index(b"\0"))
    # joined files can have a byte order mark in the middle, in front of a topic's id
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


def reject_duplicates(
    path: str | os.PathLike[str], lines: Sequence[int], topics: Sequence[str], docs: Sequence[str]
) -> None:
    """Raise InputError if a document comes twice in a topic."""
    if len(set(map(" ".join, zip(topics, docs, strict=True)))) == len(lines):
        return
    first: dict[tuple[str, str], int] = {}
    for line, topic, doc in zip(lines, topics, docs, strict=True):
        seen = first.setdefault((topic, doc), line)
        if seen != line:
            raise InputError(
                f"{path}:{line}: document {doc!r} twice in topic {topic!r} (first in line {seen}), expected once"
            )


def convert(
    path: str | os.PathLike[str],
    lines: Sequence[int],
    column: Sequence[str],
    convert: Callable[[str], _Value],
    name: str,
    expected: str,
) -> list[_Value]:
    """Values of a column of text; an InputError names the first line that cannot be converted."""
    values = []
    for line, text in zip(lines, column, strict=True):
        try:
            values.append(convert(text))
        except ValueError:
            raise InputError(f"{path}:{line}: {name} {text!r}, expected {expected}") from None
    return values


def finite_number(text: str) -> float:
    """Finite number in plain notation; ValueError for `1_000`, digits beyond ASCII, infinity and NaN."""
    value = float(text)  # correctly rounded, unlike pandas' parsers
    if not math.isfinite(value) or "_" in text or not text.isascii():
        raise ValueError(text)
    return value


def integer(text: str) -> int:
    """Whole number of at most 18 plain digits; ValueError for anything else."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)
