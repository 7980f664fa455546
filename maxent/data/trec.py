"""Rows of run files and relevance files (qrels) in the formats of TREC.

A run has six columns, ``query_id Q0 doc_id rank score run_id``, a qrels file has four,
``query_id iteration doc_id relevance``, separated by white space. Both may start with a byte order mark, have the
line ends of any system, contain blank lines and comments, and list their topics in any order. A comment begins with
``#`` and does not have the columns of the format, or its ``#`` stands alone; ``#metoo 0 d1 1`` is a judgment.
Anything else that is unusual is an `InputError` that names the file and the line: a silent guess here would lead to
a wrong number in a study.
"""

import io
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

from maxent.data.cleaning import numbers
from maxent.data.line_arrays import POOL, Columns
from maxent.data.lines import whole_lines
from maxent.data.numbers import is_number
from maxent.data.rows import LINE, NUMBERED, TEXT, Rows, Texts, texts
from maxent.errors import InputError
from maxent.options.choices import Duplicates as Duplicates
from maxent.types import IntArray

DUPLICATES = get_args(Duplicates)

BLANK, NEWLINE, HASH = b" \n#"
_LAYOUTS = {  # by what says the order or the grade
    "score": "query_id Q0 doc_id rank score run_id",
    "rank": "query_id doc_id rank",
    "relevance": "query_id iteration doc_id relevance",
    "triple": "query_id doc_id relevance",
    "pair": "query_id doc_id",
}
_SHORT = {("score", 3): "rank", ("relevance", 3): "triple", ("relevance", 2): "pair"}
_NUMBERS = ("score", "relevance", "rank")  # columns, one of which says that a line is no comment
_IDS, _IGNORED = {"query_id", "doc_id", "run_id"}, {"Q0", "iteration"}
_RANK = "3 columns with rank"
_RANKS = "1, 2, ... in each query, or a header 'query_id doc_id score'"


def trec_rows(title: str, data: Iterable[bytes], value: str) -> Iterator[Rows]:
    """Rows of a file whose ``value`` is score, of a run, or relevance, of judgments.

    The first line says how many columns there are; with fewer than usual, the layout of ``_SHORT`` applies.
    """
    width = size = 0  # columns and rows
    for first_line, text in whole_lines(title, data):
        width = width or _width(text, value)
        layout = _SHORT.get((value, width), value)
        rows = scan(title, first_line, text, layout)
        if rows is None:  # unusual text is read line by line
            rows = _strict(title, first_line, text, layout)
        if layout == "rank":
            ranks = numbers(rows, "rank")
            rows.require(ranks == np.floor(ranks), "rank", _RANKS, _RANK)
        size += len(rows)
        yield rows
    if not size:
        raise InputError(f"{title}: empty, expected lines of the form '{_LAYOUTS[value]}'")


def require_ranks(run: Columns) -> None:
    """Raise InputError unless the ranks of each topic are 1, 2, ...: without a header, nothing else says so."""
    once = run.once("first")
    ranks = -pd.Series(once.values)  # the scores of a run with ranks
    expected = ranks.groupby(once.topics.codes).rank("first")  # 1, 2, ... whatever the order of the lines
    wrong = np.flatnonzero(expected != ranks)
    if len(wrong):
        raise InputError(f"{once.place(wrong[0])}: {_RANK} {ranks[wrong[0]]:.10g}, expected {_RANKS}")


def _width(text: bytes, value: str) -> int:
    """Number of columns of the lines of a text; 0 if all are comments.

    It is that of the first line without a number sign or, if all have one, of the widest that is no comment.
    """
    widths = [0]
    for row in (line.decode().split() for line in io.BytesIO(text)):
        if row and not row[0].startswith("#"):
            return len(row)
        layout = _SHORT.get((value, len(row)), value)
        if row and not _is_comment(row, layout):
            widths.append(len(row))
    return max(widths)


def _is_comment(row: Sequence[str], layout: str) -> bool:
    """Whether a line begins with ``#`` and does not have the columns of a layout, or its ``#`` stands alone."""
    if not row[0].startswith("#"):
        return False
    names = _LAYOUTS[layout].split()
    if row[0] == "#" or len(row) != len(names):
        return True
    number = next((name for name in _NUMBERS if name in names), None)
    return number is not None and not is_number(row[names.index(number)])


def scan(title: str, first_line: int, text: bytes, layout: str) -> Rows | None:
    """Rows of a text, as `_strict` reads them, from line ``first_line`` on; None if the text is unusual."""
    characters = np.frombuffer(text, np.uint8)
    size = np.count_nonzero(characters == NEWLINE)
    tidy = _TidyText(np.arange(first_line, first_line + size, dtype=np.int32), text, hashes=0, comments=0)
    is_space = characters <= BLANK
    is_double = is_space[1:] & is_space[:-1]
    if is_space[0] or is_double.any() or b" " in text or b"#" in text:
        tidy = _tidy(tidy.lines, characters, layout)
    # a line that begins with # only now had blanks before it: perhaps it is a comment
    if b"#" in tidy.text and tidy.text.startswith(b"#") + tidy.text.count(b"\n#") > tidy.hashes:
        return None
    table = _table(tidy.lines, tidy.text, _LAYOUTS[layout].split())
    if table is None:
        return None
    return Rows(title, LINE, tidy.lines, table, tidy.comments)


class _TidyText(NamedTuple):
    """Lines that are neither empty nor comments, with a single tab between fields."""

    lines: IntArray  # their numbers
    text: bytes
    hashes: int  # how many of them begin with #
    comments: int  # lines besides these


def _tidy(lines: IntArray, characters: npt.NDArray[np.uint8], layout: str) -> _TidyText:
    """Tidy text of the lines with these numbers, whose ``characters`` may have more blanks and comments."""
    # 1. lines that are neither empty nor comments
    ends = np.flatnonzero(characters == NEWLINE) + 1
    starts = np.concatenate(([0], ends[:-1]))
    has_fields = characters[starts] != NEWLINE
    hashes = np.flatnonzero(characters[starts] == HASH)
    rows = (characters[starts[k] : ends[k]].tobytes().decode().split() for k in hashes)
    is_comment = np.fromiter((_is_comment(row, layout) for row in rows), np.bool_, len(hashes))
    comments = hashes[is_comment]
    has_fields[comments] = False
    # 2. their text, in which any blanks between fields become one tab
    is_of_fields = np.repeat(has_fields, np.diff(ends, prepend=0))
    text = characters[is_of_fields].tobytes().replace(b" ", b"\t")
    while b"\t\t" in text:
        text = text.replace(b"\t\t", b"\t")
    text = text.replace(b"\t\n", b"\n").replace(b"\n\t", b"\n").lstrip(b"\t")  # none at the ends of a line
    return _TidyText(lines[has_fields], text, len(hashes) - len(comments), len(comments))


def _table(lines: IntArray, text: bytes, layout: list[str]) -> dict[str, Texts] | None:
    """Columns of a tidy text with tabs between fields; None if a line is malformed, or Python would part others."""
    wanted = [name for name in layout if name not in _IGNORED]
    if not len(lines):
        return {name: texts([]) for name in wanted}
    if not text.isascii():
        return None
    try:
        table = read_csv(
            pa.BufferReader(text),
            ReadOptions(use_threads=False, column_names=layout, block_size=len(text) + 1),
            ParseOptions(delimiter="\t", quote_char=False),
            ConvertOptions(
                include_columns=wanted,
                column_types={name: NUMBERED if name in _IDS else TEXT for name in wanted},
                check_utf8=False,
                null_values=[],
            ),
            POOL,
        )
    except pa.ArrowInvalid:
        return None
    # some lines have nothing but blanks, or there are control characters, some of which separate fields for Python
    spaces = np.count_nonzero(np.frombuffer(text, np.uint8) <= BLANK)
    if len(table) < len(lines) or spaces > len(lines) * len(layout):
        return None
    return {name: table[name].chunk(0) for name in wanted}


def _strict(title: str, first_line: int, text: bytes, layout: str) -> Rows:
    """Rows of any text, split line by line in Python; InputError names the first with other columns."""
    names = _LAYOUTS[layout].split()
    width = len(names)
    lines: list[int] = []
    comments = 0
    fields: list[str] = []  # flat: a list per line would keep the garbage collector busy
    for line, content in enumerate(text.decode().split("\n"), start=first_line):
        row = content.split()
        if not row or _is_comment(row, layout):
            comments += bool(row)
            continue
        if len(row) != width:
            shown = textwrap.shorten(content, 80, placeholder="...")
            other = {4: " (a qrels file?)", 6: " (a run file?)"}.get(len(row), "")
            columns = f"{len(row)} columns ({shown!r})"
            raise InputError(f"{title}:{line}: {columns}, expected the {width} of '{_LAYOUTS[layout]}'{other}")
        lines.append(line)
        fields += row
    cells: dict[str, Any] = {
        name: texts(fields[place::width]) for place, name in enumerate(names) if name not in _IGNORED
    }
    return Rows(title, LINE, np.array(lines, dtype=np.int32), cells, comments)
