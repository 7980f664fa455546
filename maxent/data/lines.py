"""Shared by the readers of text files: decoding, numbers, and errors that name file and line."""

import bz2
import lzma
import math
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from maxent.errors import InputError
from maxent.limits import EXPANDED, EXPANSION, SMALL, Limit, too_large

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

_WHOLE = re.compile(r"[+-]?[0-9]{16,400}")
EXACT = 2**53  # whole numbers up to it differ as 64-bit floating-point numbers
SCORE = "a whole number that 64-bit floating point has (all up to 2^53)"  # expected of a large score

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
    if "\0" in str(path):
        raise InputError(f"{str(path)!r}: a path with NUL, expected that of a file")
    try:
        if str(path) == STDIN and sys.stdin is None:  # a daemon has none
            raise InputError(f"{STDIN}: there is no standard input")
        data = sys.stdin.buffer.read() if str(path) == STDIN else _regular(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    kind = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)
    if kind is None and data:
        kind = COMPRESSED.get(Path(path).suffix)  # the file is not what its name says
    return data if kind is None else _decompressed(path, data, kind)


def _regular(path: str | os.PathLike[str]) -> Path:
    """The path of a file that can be read; a pipe may wait for ever, a device may never end."""
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path}: a pipe or a device, expected a file (or {STDIN} for the standard input)")
    return Path(path)


def _decompressed(path: str | os.PathLike[str], data: bytes, kind: str) -> bytes:
    limits = EXPANDED, Limit("ratio", max(SMALL, EXPANSION * len(data)))
    most, limit = min(
        ((each.most, each) for each in limits if not each.lifted), default=(sys.maxsize - 1, EXPANDED)
    )
    try:
        parts, size, start = [], 0, data
        while start:  # a file may have several frames
            frame = _FRAMES[kind]()
            parts.append(frame.decompress(start, most + 1 - size))
            size += len(parts[-1])
            if reason := too_large(f"{path}: its decompressed size", size, limit):
                raise InputError(reason)
            if not frame.eof:
                raise EOFError("it ends within a frame")
            start = (frame.unused_data or b"").lstrip(b"\0")  # some tools fill up blocks
        return b"".join(parts)
    except ModuleNotFoundError as error:
        raise InputError(f"{path}: compressed by {kind}; to read it, pip install {error.name}") from None
    except (MemoryError, InputError):
        raise
    except Exception as error:  # each library has its own
        raise InputError(f"{path}: truncated or corrupt ({error}), expected a {kind} file") from error


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _lz4() -> Any:
    from lz4.frame import LZ4FrameDecompressor  # optional

    return LZ4FrameDecompressor()


class _Zstd:
    """A frame of Zstandard, with the interface of the other decompressors."""

    PIECE = 4096  # bytes at once: few enough not to become gigabytes

    def __init__(self) -> None:
        import zstandard  # optional

        self.frame = zstandard.ZstdDecompressor().decompressobj()

    def decompress(self, data: bytes, most: int) -> bytes:
        """Decompress until the frame ends or the result is larger than ``most``."""
        parts, size, place = [], 0, 0
        while place < len(data) and not self.frame.eof and size <= most:
            parts.append(self.frame.decompress(data[place : place + self.PIECE]))
            size += len(parts[-1])
            place += self.PIECE
        self.unused_data = self.frame.unused_data + data[place:]
        return b"".join(parts)

    @property
    def eof(self) -> bool:
        """Whether the frame has ended."""
        return bool(self.frame.eof)


_FRAMES: dict[str, Callable[[], Any]] = {
    "gzip": _gzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstandard": _Zstd,
    "lz4": _lz4,
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


def scores_of(path: str | os.PathLike[str], lines: Sequence[int], column: Sequence[str]) -> list[float]:
    """Scores of a column of text; whole numbers that would tie with their neighbours are errors, too."""
    values = convert(path, lines, column, finite_number, "score", "a finite number")
    large = [k for k, value in enumerate(values) if abs(value) >= EXACT]
    convert(path, [lines[k] for k in large], [column[k] for k in large], _exact, "score", SCORE)
    return values


def _exact(text: str) -> float:
    value = finite_number(text)
    if _WHOLE.fullmatch(text) and int(text) != value:
        raise ValueError(text)
    return value


def integer(text: str) -> int:
    """Whole number of at most 18 plain digits; ValueError for anything else."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)
