"""Fields of a well-formed file as positions in its bytes, so that no text is copied line by line.

A file is well-formed if it is ASCII and every line has as many fields as its format, separated by blanks and tabs.
Everything else (comments, blank lines, other control characters, odd numbers) is left to the strict readers, which
decide whether it is an error and name file, line and value. What is accepted here they accept, too, with the same
values; a test compares them.
"""

from typing import NamedTuple

import numpy as np

from maxent.types import FloatArray, IntArray

BLANK, TAB, NEWLINE, HASH = b" \t\n#"
_MIX = np.uint64(0x9E3779B97F4A7C15)
PADDING = 64  # bytes behind the text, so that words may be read beyond its end
LONGEST = 8 * (PADDING // 8 - 1)  # bytes of a field

_IN_NUMBERS = np.zeros(256, dtype=np.bool_)
_IN_NUMBERS[[0, *b"0123456789+-.eE"]] = True


class Fields(NamedTuple):
    """The fields of a file.

    Attributes
    ----------
    text : (bytes,) array of uint8
        The file, padded with zeros.
    start, end : (lines, columns) arrays of int
        Where each field begins, and the position after its last byte.
    """

    text: IntArray
    start: IntArray
    end: IntArray


def split(data: bytes, columns: int) -> Fields | None:
    """Fields of a well-formed file; None for any other."""
    if not data or not data.isascii():
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    padded = np.frombuffer(b"".join((data, b"" if data.endswith(b"\n") else b"\n", bytes(PADDING))), np.uint8)
    text = padded[:-PADDING]
    space = text <= BLANK
    edges = np.flatnonzero(space[1:] != space[:-1]) + 1
    if not space[0]:
        edges = np.concatenate(([0], edges))
    newline = text == NEWLINE
    lines = np.flatnonzero(newline)
    if len(edges) < 2 or len(edges) // 2 != columns * len(lines):  # edges may have the end of the last separator
        return None
    separators = np.count_nonzero(text == BLANK) + np.count_nonzero(text == TAB) + len(lines)
    if separators != np.count_nonzero(space):
        return None
    ends = edges[: 2 * columns * len(lines)].reshape(-1, columns, 2)
    start, end = ends[..., 0], ends[..., 1]
    on_its_line = (end[:, -1] <= lines).all() and (start[1:, 0] > lines[:-1]).all()
    if not on_its_line or (text[start[:, 0]] == HASH).any() or int((end - start).max()) > LONGEST:
        return None
    return Fields(padded, start, end)


def words(fields: Fields, column: int) -> IntArray:
    """A column as big-endian words of eight bytes, (words, lines) of uint64, which sort as the texts do."""
    start, length = fields.start[:, column], fields.end[:, column] - fields.start[:, column]
    at = np.ndarray((len(fields.text) - 7,), dtype=">u8", buffer=fields.text.data, strides=(1,))
    number = -(-int(length.max()) // 8)
    found = np.empty((number, len(start)), dtype=np.uint64)
    for k in range(number):
        left = np.clip(length - 8 * k, 0, 8)
        unused = (8 * (8 - np.maximum(left, 1))).astype(np.uint64)
        word = at[start + 8 * k].astype(np.uint64)
        found[k] = np.where(left > 0, (word >> unused) << unused, np.uint64(0))
    return found


def texts(packed: IntArray) -> list[str]:
    """The texts of words, (words, n)."""
    lines = np.ascontiguousarray(packed.T.astype(">u8")).view(f"S{8 * len(packed)}").ravel()
    return list(map(bytes.decode, lines.tolist()))


def distinct(packed: IntArray) -> tuple[IntArray, IntArray]:
    """First line of each distinct text in order of appearance, and for every line which of them it is."""
    code = np.zeros(packed.shape[1], dtype=np.int64)
    for word in packed:
        values, own = np.unique(word, return_inverse=True)
        _, code = np.unique(code * len(values) + own, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[code]


def any_twice(packed: IntArray) -> bool:
    """Whether some column of numbers (words, n) may be there twice: never False if one is."""
    mixed = np.zeros(packed.shape[1], dtype=np.uint64)
    for word in packed:
        mixed = (mixed ^ word) * _MIX
        mixed ^= mixed >> np.uint64(29)
    mixed.sort()
    return bool((mixed[1:] == mixed[:-1]).any())


def numbers(fields: Fields, column: int) -> FloatArray | None:
    """A column of finite numbers, each the nearest to its decimal text; None if one looks unusual."""
    start, length = fields.start[:, column], fields.end[:, column] - fields.start[:, column]
    across = np.arange(int(length.max()))
    text = fields.text[start[:, None] + across]
    text[across >= length[:, None]] = 0
    if not _IN_NUMBERS[text].all():
        return None
    try:
        values = np.ascontiguousarray(text).view(f"S{len(across)}").ravel().astype(np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
