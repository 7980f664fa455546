"""Layout of tables and notes for people, for the width of the terminal and its colours, if any."""

import os
import shutil
import textwrap
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TextIO

Rows = Sequence[Sequence[str]]
STYLES = {"bold": "1", "dim": "2", "good": "1;32", "bad": "1;31"}  # ANSI codes
BLANKS = 2  # blanks between columns


@dataclass(frozen=True)
class Screen:
    """Width and colours of the stream that shows text."""

    width: int | None = None  # columns of a terminal; None for files and pipes, where no line is broken
    colour: bool = False  # whether text has styles

    @classmethod
    def of(cls, stream: TextIO) -> "Screen":
        """Width of a stream, and whether it has colours: https://no-color.org and https://force-color.org."""
        is_terminal = stream.isatty()
        width = max(shutil.get_terminal_size().columns, 20) if is_terminal else None
        if os.environ.get("NO_COLOR"):
            return cls(width, colour=False)
        is_forced = bool(os.environ.get("FORCE_COLOR"))
        return cls(width, colour=is_forced or (is_terminal and os.environ.get("TERM") != "dumb"))

    def styled(self, text: str, style: str) -> str:
        """Text in a style of ``STYLES`` if the screen has colours; white space at the ends stays plain."""
        if not self.colour or not style:
            return text
        lines = []
        for line in text.split("\n"):
            inner = line.strip()
            lines.append(line.replace(inner, f"\x1b[{STYLES[style]}m{inner}\x1b[0m", 1) if inner else line)
        return "\n".join(lines)

    def wrapped(self, text: str) -> str:
        """Text with lines wrapped at the width of the terminal; continued lines are indented."""
        return "\n".join(self._wrap(line, len(line) - len(line.lstrip())) for line in text.split("\n"))

    def _wrap(self, line: str, indent: int) -> str:
        if self.width is None or cells(line) <= self.width:
            return line
        return textwrap.fill(
            line, self.width, subsequent_indent=" " * (indent + 2), break_long_words=False, break_on_hyphens=False
        )


def cells(text: str) -> int:
    """Width of a text in columns of a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def aligned(
    rows: Rows,
    numeric: Sequence[bool],
    *,
    screen: Screen | None = None,
    keys: int = 1,
    marked: Collection[int] = (),
    attached: Collection[int] = (),
) -> str:
    """Table in aligned columns, the heads first.

    Columns that do not fit the screen form further blocks below; those ``attached`` stay in the block of the column
    before them. Every block repeats the first ``keys`` columns, which name the rows. ``numeric`` columns are
    aligned to the right, and ``marked`` rows are highlighted. If a column is wider than the screen, rows become
    lists.
    """
    # 1. the room that the keys leave to other columns
    screen = screen or Screen()
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    key_columns, other_columns = list(range(keys)), list(range(keys, len(widths)))
    room = None if screen.width is None else screen.width - sum(widths[:keys]) - BLANKS * (keys - 1)

    def fit(columns: Sequence[int]) -> bool:
        return room is None or sum(widths[k] + BLANKS for k in columns) <= room

    units = _units(other_columns, attached)
    if not all(map(fit, units)):
        return _stack(rows, screen, marked)
    # 2. blocks of columns
    blocks: list[list[int]] = [[]]
    for unit in units:
        if blocks[-1] and not fit([*blocks[-1], *unit]):
            blocks.append([])
        blocks[-1] += unit
    if keys > 1:
        rows = _without_repeated_keys(rows)
    return "\n\n".join(_block(rows, widths, numeric, [*key_columns, *block], screen, marked) for block in blocks)


def _without_repeated_keys(rows: Rows) -> Rows:
    """The rows with a blank in place of a first key that is that of the row above; the heads are first."""
    head, *body = rows
    shown = [head, *body[:1]]
    for above, row in pairwise(body):
        shown.append(["", *row[1:]] if above[0] == row[0] else row)
    return shown


def _units(columns: Sequence[int], attached: Collection[int]) -> list[list[int]]:
    """Groups of columns that stay in one block: a column and those attached to it."""
    units: list[list[int]] = []
    for k in columns:
        if units and k in attached:
            units[-1].append(k)
        else:
            units.append([k])
    return units


def _block(
    rows: Rows,
    widths: Sequence[int],
    numeric: Sequence[bool],
    columns: Sequence[int],
    screen: Screen,
    marked: Collection[int],
) -> str:
    """Lines of some columns, whose ``widths`` and ``numeric`` are those of all columns."""
    lines = []
    for number, row in enumerate(rows):
        texts = []
        for k in columns:
            blanks = " " * (widths[k] - cells(row[k]))
            texts.append(blanks + row[k] if numeric[k] else row[k] + blanks)
        style = "good" if number - 1 in marked else ""
        if number == 0:  # the heads
            style = "bold"
        lines.append(screen.styled((" " * BLANKS).join(texts).rstrip(), style))
    return "\n".join(lines)


def _stack(rows: Rows, screen: Screen, marked: Collection[int]) -> str:
    """Rows as lists, for narrow screens: the first cell, then a line for each other cell with its head."""
    head, *body = rows
    margin = max(map(cells, head[1:])) + 2 * BLANKS
    lines = []
    for number, row in enumerate(body):
        lines.append(screen.styled(row[0], "good" if number in marked else "bold"))
        for name, cell in zip(head[1:], row[1:], strict=True):
            start = f"{'':{BLANKS}}{name}{'':{margin - BLANKS - cells(name)}}"
            lines.append(screen._wrap(start + cell, margin - 2))
    return "\n".join(lines)
