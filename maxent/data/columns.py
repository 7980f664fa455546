"""Lines of a run or of judgments as arrays, from pieces of a file or from a table.

In a well-formed piece of a file no text is copied line by line: it is ASCII, and every line has as many fields as
its format, separated by blanks and tabs. Everything else (other control characters, odd numbers) is left to the
strict readers, which decide whether it is an error and name file, line and value. What is accepted here they
accept, too, with the same values; a test compares them.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.errors import InputError
from maxent.types import BoolArray, FloatArray, IntArray

Texts: TypeAlias = npt.NDArray[np.object_]
Ids: TypeAlias = IntArray | Sequence[str]
"""Ids as words (words, n) of eight bytes that sort as the ids do, or as texts where one is too long for words."""
Repeated: TypeAlias = Literal["error", "first", "keep"]
"""What becomes of a document that a topic lists twice: an error, its first line counts, or all lines stay."""

BLANK, TAB, NEWLINE, HASH = b" \t\n#"
_MIX = np.uint64(0x9E3779B97F4A7C15)
PADDING = 64  # bytes behind the text, so that words may be read beyond its end
LONGEST = 8 * (PADDING // 8 - 1)  # bytes of a field
_LOOK = 1 << 19  # lines after which repetitions are looked for before the end: a file may be one line repeated
_IN_NUMBERS = np.isin(np.arange(256), [0, *b"0123456789+-.eE"])
_IN_INTEGERS = np.isin(np.arange(256), [0, *b"0123456789+-"])
_DIGITS = 18  # of an integer, with its sign: int64 has more


class Piece(NamedTuple):
    """Some lines of a file: numbers, ids, scores or grades, the first line of each tag, and ranks if wanted."""

    lines: IntArray
    topics: Ids
    docs: Ids
    values: npt.NDArray[Any]
    tags: dict[str, int]
    ranks: FloatArray | None = None


class Columns(NamedTuple):
    """The lines of a run or of judgments."""

    title: str  # of a file or a table, for errors
    unit: str  # between title and number: ``:`` or ``, row ``
    lines: npt.NDArray[Any]  # (n,) numbers of the lines, or labels of the rows
    topics: Texts  # distinct ids in the order of first appearance
    topic: IntArray  # (n,) which of the topics each line belongs to
    ids: IntArray  # (words, n) numbers that sort as the ids of the documents do, the first row first
    texts: Texts | None  # the ids that ``ids`` number; None if these are the ids, as words of eight bytes
    values: npt.NDArray[Any]  # (n,) scores or grades
    tag: str | Texts | None = None  # name of the run, or of the run of each line, if it has one
    ranks: FloatArray | None = None  # (n,) as the file says, if that was wanted

    def docs(self) -> Texts:
        """Id of the document of each line."""
        return np.array(texts(self.ids), dtype=object) if self.texts is None else self.texts[self.ids[0]]

    def only(self, kept: BoolArray) -> "Columns":
        """Some of the lines."""
        tag = self.tag[kept] if isinstance(self.tag, np.ndarray) else self.tag
        ranks = None if self.ranks is None else self.ranks[kept]
        return self._replace(
            lines=self.lines[kept], topic=self.topic[kept], ids=self.ids[:, kept], values=self.values[kept],
            tag=tag, ranks=ranks,
        )  # fmt: skip

    def frame(self, value: str) -> pd.DataFrame:
        """Table with the columns query_id, doc_id, ``value``, and run_id if there is a tag."""
        table = pd.DataFrame({"query_id": self.topics[self.topic], "doc_id": self.docs(), value: self.values})
        return table if self.tag is None else table.assign(run_id=self.tag)

    def again(self) -> BoolArray:
        """Whether each line has a document that its topic listed before."""
        pairs = np.vstack((self.topic[None].astype(np.uint64), self.ids.astype(np.uint64, copy=False)))
        if not any_twice(pairs):
            return np.zeros(len(self.lines), dtype=np.bool_)
        first, which = distinct(pairs)
        return np.asarray(first[which] != np.arange(len(which)))

    def once(self, repeated: Repeated) -> "Columns":
        """Each document of a topic once."""
        if repeated == "keep" or not (again := self.again()).any():
            return self
        if repeated == "first":
            return self.only(~again)
        row = int(np.argmax(again))
        same = (self.topic == self.topic[row]) & (self.ids == self.ids[:, [row]]).all(axis=0)
        line, first = self.lines[row], f"{'line' if self.unit == ':' else 'row'} {self.lines[np.argmax(same)]}"
        raise InputError(
            f"{self.title}{self.unit}{line}: document {self.only(same).docs()[0]!r} twice in topic "
            f"{self.topics[self.topic[row]]!r} (first in {first}), expected once"
        )


def joined(title: str, unit: str, pieces: Iterable[Piece], repeated: Repeated) -> Columns | None:
    """The lines of all pieces; None if there are none."""
    parts: list[Piece] = []
    size, look, tags = 0, _LOOK, dict[str, int]()
    for piece in pieces:
        parts.append(piece)
        size += len(piece.lines)
        tags = piece.tags | tags  # the first line of each
        if len(tags) > 1:
            one, two = sorted(tags, key=tags.__getitem__)[:2]
            raise InputError(
                f"{title}{unit}{tags[two]}: run id {two!r}, expected {one!r} as in "
                f"{'line' if unit == ':' else 'row'} {tags[one]}: a file holds one run"
            )
        if repeated == "error" and size >= look:
            _columns(title, unit, parts).once(repeated)
            look = 2 * size
    return _columns(title, unit, parts).once(repeated) if parts else None


def _columns(title: str, unit: str, parts: Sequence[Piece]) -> Columns:
    ids, names = _one([part.topics for part in parts])
    start = np.flatnonzero(np.concatenate(([True], (ids[:, 1:] != ids[:, :-1]).any(axis=0))))
    first, which = distinct(ids[:, start])
    order = np.argsort(first)  # of appearance
    topic = np.repeat(np.argsort(order)[which], np.diff(np.append(start, ids.shape[1])))
    chosen = ids[:, start[first[order]]]
    topics = np.array(texts(chosen), dtype=object) if names is None else names[chosen[0]]
    docs, numbered = _one([part.docs for part in parts])
    ranks = [part.ranks for part in parts if part.ranks is not None]
    return Columns(
        title,
        unit,
        np.concatenate([part.lines for part in parts]),
        topics,
        topic,
        docs,
        numbered,
        np.concatenate([part.values for part in parts]),
        next(iter(parts[0].tags), None),
        np.concatenate(ranks) if ranks else None,
    )


def _one(parts: Sequence[Ids]) -> tuple[IntArray, Texts | None]:
    """Ids of all parts as words, or as numbers with the texts that they number."""
    words = [part for part in parts if isinstance(part, np.ndarray)]
    if len(words) < len(parts):
        every = [text for part in parts for text in (texts(part) if isinstance(part, np.ndarray) else part)]
        codes, distinct_texts = pd.factorize(np.array(every, dtype=object), sort=True)
        return codes[None], distinct_texts
    found = np.zeros((max(map(len, words)), sum(part.shape[1] for part in words)), dtype=np.uint64)
    end = 0
    for part in words:
        start, end = end, end + part.shape[1]
        found[: len(part), start:end] = part
    return found, None


class Fields(NamedTuple):
    """The fields of a piece: its bytes, padded with zeros, and where fields begin and end, (lines, columns)."""

    text: IntArray
    start: IntArray
    end: IntArray


def without_comments(first: int, piece: bytes) -> tuple[IntArray, bytes]:
    """Lines of a piece that are neither empty nor begin with ``#``, and their numbers."""
    lines = np.arange(first, first + piece.count(b"\n"), dtype=np.int32)
    if b"#" not in piece and b"\n\n" not in piece and not piece.startswith(b"\n"):
        return lines, piece
    text = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(text == NEWLINE) + 1
    beginning = text[np.concatenate(([0], ends[:-1]))]
    kept = (beginning != HASH) & (beginning != NEWLINE)
    return lines[kept], text[np.repeat(kept, np.diff(ends, prepend=0))].tobytes()


def split(data: bytes, columns: int) -> Fields | None:
    """Fields of a well-formed piece; None for any other."""
    if not data or not data.isascii():
        return None
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


def packed(column: Sequence[str]) -> Ids:
    """Texts as words; texts if one of them is too long for words."""
    if max(map(len, column), default=0) > LONGEST:
        return column
    encoded = [text.encode() for text in column]
    longest = max(map(len, encoded), default=0)
    if longest > LONGEST:
        return column
    width = max(1, -(-longest // 8))
    return np.array(encoded, dtype=f"S{8 * width}").view(">u8").reshape(len(encoded), width).T.astype(np.uint64)


def texts(packed: IntArray) -> list[str]:
    """The texts of words, (words, n)."""
    lines = np.ascontiguousarray(packed.T.astype(">u8")).view(f"S{8 * len(packed)}").ravel()
    return list(map(bytes.decode, lines.tolist()))


def distinct(packed: IntArray) -> tuple[IntArray, IntArray]:
    """First line of each distinct id in the order of ids, and for every line which of them it is."""
    code = np.zeros(packed.shape[1], dtype=np.int64)
    for word in packed:
        values, own = np.unique(word, return_inverse=True)
        _, code = np.unique(code * len(values) + own, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    return first, code


def any_twice(packed: IntArray) -> bool:
    """Whether some column of numbers (words, n) may be there twice: never False if one is."""
    mixed = np.zeros(packed.shape[1], dtype=np.uint64)
    for word in packed:
        mixed = (mixed ^ word) * _MIX
        mixed ^= mixed >> np.uint64(29)
    mixed.sort()
    return bool((mixed[1:] == mixed[:-1]).any())


def numbers(fields: Fields, column: int, *, whole: bool = False) -> npt.NDArray[Any] | None:
    """A column of finite numbers, the nearest to their texts, or of whole ones; None if one looks unusual."""
    allowed, kind, longest = (_IN_INTEGERS, np.int64, _DIGITS) if whole else (_IN_NUMBERS, np.float64, LONGEST)
    start, length = fields.start[:, column], fields.end[:, column] - fields.start[:, column]
    across = np.arange(int(length.max()))
    text = fields.text[start[:, None] + across]
    text[across >= length[:, None]] = 0
    if len(across) > longest or not allowed[text].all():
        return None
    try:
        values = np.ascontiguousarray(text).view(f"S{len(across)}").ravel().astype(kind)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
