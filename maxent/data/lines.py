"""Text files as whole lines, decompressed.

A file of up to sixteen megabytes, as nearly all are, is one piece; a larger one is read in several pieces. Files
are read up to the first byte that cannot occur in text, and to the limit ``size``.
"""

import bz2
import lzma
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from isal import igzip_lib

from maxent.errors import InputError, missing_package, quoted, visible
from maxent.limits import LINE, SIZE, too_large

PathLike: TypeAlias = str | os.PathLike[str]

STDIN = "-"  # in place of a path
PIECE = 1 << 24  # bytes of a file that are in memory at once
_PART = 1 << 22  # bytes that are read or decompressed at once


class _Compression(NamedTuple):
    """A compression: its name, the suffix of files, their first bytes, and the decompressor of a frame."""

    name: str
    suffix: str
    magic: bytes | tuple[bytes, ...]
    decompressor: Callable[[], Any]
    step: int = 1 << 14  # compressed bytes at once
    most: tuple[int, ...] = (_PART,)  # decompressed bytes at once, as the decompressor takes it


# a line of text may begin with BZh9 as well: the size of blocks, then pi or the root of pi
_BZIP2 = tuple(b"BZh%d%b" % (size, mark) for size in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90"))
_COMPRESSIONS = (
    _Compression("gzip", ".gz", b"\x1f\x8b", lambda: igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)),
    _Compression("bzip2", ".bz2", _BZIP2, bz2.BZ2Decompressor),
    _Compression("xz", ".xz", b"\xfd7zXZ\x00", lzma.LZMADecompressor),
    # optional libraries
    _Compression(
        "zstandard",
        ".zst",
        b"\x28\xb5\x2f\xfd",
        lambda: import_module("zstandard").ZstdDecompressor().decompressobj(),
        step=1 << 8,  # which become 8 megabytes at most
        most=(),
    ),
    _Compression("lz4", ".lz4", b"\x04\x22\x4d\x18", lambda: import_module("lz4.frame").LZ4FrameDecompressor()),
)
COMPRESSED = tuple(compression.suffix for compression in _COMPRESSIONS)


def title_of(path: PathLike) -> str:
    """Path of a file as errors name it, on one line."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{quoted(path)}: {type(path).__name__}, expected the path of a file")
    return visible(str(path), keep="")


def as_text(name: object) -> str:
    """Name as text in UTF-8; bytes of a file name that are not UTF-8 become escapes."""
    try:
        return str(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a character
        return str(name).encode("utf-8", "backslashreplace").decode()


def whole_lines(title: str, data: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Pieces of whole lines, each with the number of its first line; all lines end with a line feed."""
    line, unfinished = 1, b""  # number and beginning of the line that the next chunk goes on with
    for chunk in data:
        # 1. where the last whole line of the chunk ends; 0 if none does
        end = chunk.rfind(b"\n")
        if end < 0:
            end = chunk.rfind(b"\r", 0, -1)  # a last CR may belong to a CR LF
        cut = end + 1
        if b"\0" in chunk:
            cut = len(chunk)  # the check of the text refuses it at once
        elif not cut and (reason := too_large("the size of a line", len(unfinished) + len(chunk), LINE)):
            raise InputError(f"{title}:{line}: {reason}")
        # 2. the whole lines, and what remains
        if cut:
            piece = checked_text(title, line, unfinished + chunk[:cut])
            unfinished = b""
            yield line, piece
            line += int(np.count_nonzero(np.frombuffer(piece, np.uint8) == ord("\n")))
        unfinished += chunk[cut:]
    if unfinished:
        yield line, checked_text(title, line, unfinished) + b"\n"


def checked_text(title: str, line: int, piece: bytes) -> bytes:
    """A piece with line feeds as line ends; InputError names the first byte that is not UTF-8."""
    wrong = piece.find(b"\0")
    try:
        if not piece.isascii():
            piece[: None if wrong < 0 else wrong].decode()
    except UnicodeDecodeError as error:
        wrong = error.start
    if wrong >= 0:
        line += _line_feeds(piece[:wrong]).count(b"\n")
        raise InputError(f"{title}:{line}: byte 0x{piece[wrong]:02x} (a binary file?), expected text in UTF-8")
    # joined files can have a byte order mark in the middle, in front of a topic's id
    return _line_feeds(piece if piece.isascii() else piece.replace(b"\xef\xbb\xbf", b""))


def _line_feeds(piece: bytes) -> bytes:
    return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in piece else piece


def chunks(path: PathLike) -> Iterator[bytes]:
    """Content of a file, as a whole or in pieces; the first bytes of a file say how it is compressed."""
    title = title_of(path)
    size = 0  # bytes of all parts
    parts: list[bytes] = []  # since the last piece
    size_of_parts = 0
    try:
        with _open_file(path) as file:
            for part in _read_parts(path, file):
                size += len(part)
                if reason := too_large(f"{title}: its decompressed size", size, SIZE):
                    raise InputError(reason)
                parts.append(part)
                size_of_parts += len(part)
                if size_of_parts >= PIECE:
                    yield b"".join(parts)
                    parts, size_of_parts = [], 0
    except FileNotFoundError:
        raise InputError(f"{title}: no such file") from None
    except OSError as error:
        raise InputError(f"{title}: cannot be read: {error.strerror}") from error
    if parts:
        yield b"".join(parts)


def _open_file(path: PathLike) -> AbstractContextManager[IO[bytes]]:
    """Open a file without waiting; refuse pipes, which may wait for ever, and devices, which may never end."""
    title = title_of(path)
    if "\0" in str(path):
        raise InputError(f"{title}: a path with NUL, expected that of a file")
    if str(path) == STDIN:
        if sys.stdin is None:  # a daemon has none
            raise InputError(f"{STDIN}: there is no standard input")
        return nullcontext(sys.stdin.buffer)
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{title}: a pipe or a device, expected a file (or {STDIN} for the standard input)")
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))


def _read_parts(path: PathLike, file: IO[bytes]) -> Iterator[bytes]:
    """Content of an open file in parts of any size."""
    start = file.read(_PART) or b""
    kind = next((compression for compression in _COMPRESSIONS if start.startswith(compression.magic)), None)
    if kind is None and start:  # the file is not what its name says
        kind = next((compression for compression in _COMPRESSIONS if compression.suffix == Path(path).suffix), None)
    if kind is not None:
        yield from _decompress(title_of(path), _read_on(start, file), kind)
        return
    size = 0 if str(path) == STDIN else os.stat(path).st_size
    if reason := too_large(f"{title_of(path)}: its size", size, SIZE):
        raise InputError(reason)
    yield from _read_on(start, file)


def _read_on(start: bytes, file: IO[bytes]) -> Iterator[bytes]:
    while start:
        yield start
        start = file.read(_PART) or b""


def _decompress(title: str, data: Iterable[bytes], kind: _Compression) -> Iterator[bytes]:
    """Content of a compressed file, which may have several frames with zeros between them."""
    frame = None  # the decompressor of a frame that has begun and not ended
    try:
        for chunk in data:
            for start in range(0, len(chunk), kind.step):
                remaining = chunk[start : start + kind.step]
                while remaining:
                    if frame is None:
                        remaining = remaining.lstrip(b"\0")  # some tools fill up blocks
                        if not remaining:
                            break
                        frame = kind.decompressor()
                    yield from _frame_parts(frame, remaining, kind.most)
                    remaining = b""
                    if frame.eof:
                        remaining, frame = frame.unused_data or b"", None
        if frame is not None:
            raise EOFError("it ends within a frame")
    except ModuleNotFoundError as error:
        raise missing_package(f"{title}: compressed by {kind.name}, it", error) from error
    except MemoryError:
        raise
    except Exception as error:  # each library has its own
        raise InputError(f"{title}: truncated or corrupt ({error}), expected a {kind.name} file") from error


def _frame_parts(frame: Any, data: bytes, most: tuple[int, ...]) -> Iterator[bytes]:
    """What a decompressor makes of some bytes, in parts of at most `_PART` bytes."""
    ends = False
    while not ends:
        content = frame.decompress(data, *most)
        yield from (content[place : place + _PART] for place in range(0, len(content), _PART))
        data, ends = b"", frame.eof or getattr(frame, "needs_input", True)
