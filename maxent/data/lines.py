"""Shared by the readers of text files: decoding, numbers, and errors that name file and line."""

import bz2
import gzip
import lzma
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from maxent.errors import InputError

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"\x04\x22\x4d\x18": "lz4",
}
STDIN = "-"  # in place of a path
COMPRESSED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstandard", ".lz4": "lz4"}
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")  # fits int64; int() would also take `1_000`

_Value = TypeVar("_Value", int, float)


def read_text(path: str | os.PathLike[str]) -> str:
    """Text of a file, decompressed, with line feeds as the only line ends."""
    return decode(path, read_bytes(path))


def decode(path: str | os.PathLike[str], data: bytes) -> str:
    """Text of the bytes of a file, with line feeds as the only line ends."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _not_text(path, data, error.start) from None
    if "\0" in text:  # valid UTF-8, but not text
        raise _not_text(path, data, data.index(b"\0"))
    # joined files can have a byte order mark in the middle, in front of a topic's id
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Content of a file; gzip, bzip2, xz, Zstandard and LZ4 are known by its first bytes and decompressed."""
    try:
        data = sys.stdin.buffer.read() if str(path) == STDIN else Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    kind = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)
    if kind is None and data:
        kind = COMPRESSED.get(Path(path).suffix)  # the file is not what its name says
    return data if kind is None else _decompressed(path, data, kind)


def _decompressed(path: str | os.PathLike[str], data: bytes, kind: str) -> bytes:
    try:
        return _DECOMPRESS[kind](data)
    except ModuleNotFoundError as error:
        raise InputError(f"{path}: compressed by {kind}; to read it, pip install {error.name}") from None
    except MemoryError:
        raise
    except Exception as error:  # each library has its own
        raise InputError(f"{path}: truncated or corrupt ({error}), expected a {kind} file") from error


def _unzstd(data: bytes) -> bytes:
    import zstandard  # optional

    parts = []
    while data:  # a file may have several frames
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise EOFError("it ends within a frame")
        data = frame.unused_data
    return b"".join(parts)


def _unlz4(data: bytes) -> bytes:
    from lz4 import frame  # optional

    found: bytes = frame.decompress(data)
    return found


_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
    "zstandard": _unzstd,
    "lz4": _unlz4,
}


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
