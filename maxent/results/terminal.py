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
        terminal = stream.isatty()
        width = max(shutil.get_terminal_size().columns, 20) if terminal else None
        if os.environ.get("NO_COLOR"):
            return cls(width, colour=False)
        forced = bool(os.environ.get("FORCE_COLOR"))
        return cls(width, colour=forced or (terminal and os.environ.get("TERM") != "dumb"))

    def styled(self, text: str, style: str) -> str:
        """Text in a style of ``STYLES`` if the screen has colours; white space at the ends stays plain."""
        if not self.colour or not style:
            return text
        return "\n".join(
            line.replace(line.strip(), f"\x1b[{STYLES[style]}m{line.strip()}\x1b[0m", 1) if line.strip() else line
            for line in text.split("\n")
        )

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
    screen = screen or Screen()
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    names, rest = list(range(keys)), list(range(keys, len(widths)))
    room = None if screen.width is None else screen.width - sum(widths[:keys]) - BLANKS * (keys - 1)
    units = _units(rest, attached)
    if room is not None and any(sum(widths[k] + BLANKS for k in unit) > room for unit in units):
        return _stack(rows, screen, marked)
    if keys > 1:
        head, *body = rows
        repeats = [False, *(above[0] == row[0] for above, row in pairwise(body))][: len(body)]
        # a first key that is that of the row above is left blank
        rows = [head, *(["", *row[1:]] if repeat else row for row, repeat in zip(body, repeats, strict=True))]
    blocks: list[list[int]] = [[]]
    for unit in units:
        if blocks[-1] and room is not None and sum(widths[j] + BLANKS for j in (*blocks[-1], *unit)) > room:
            blocks.append([])
        blocks[-1] += unit
    return "\n\n".join(_block(rows, widths, numeric, [*names, *block], screen, marked) for block in blocks)


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
    lines = []
    for number, row in enumerate(rows):
        texts = []
        for k in columns:
            blanks = " " * (widths[k] - cells(row[k]))
            texts.append(blanks + row[k] if numeric[k] else row[k] + blanks)
        style = "bold" if not number else "good" if number - 1 in marked else ""
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
