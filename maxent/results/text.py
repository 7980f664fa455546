"""A result as text: the finding first, then tables, notes on the lists used, and the meaning of columns."""

import sys
from dataclasses import dataclass
from typing import TextIO

from maxent.errors import visible
from maxent.results.content import Content, Table
from maxent.results.formats import TIDY, format_table
from maxent.results.terminal import Screen


@dataclass(frozen=True)
class Printer:
    """Printer of tables, in a format with a number of decimals, and of notes unless ``quiet``."""

    form: str = "table"
    places: int | None = None
    quiet: bool = False
    output: TextIO | None = None  # for tables; default: standard output

    @property
    def screen(self) -> Screen:
        """Screen for notes; only the format ``table`` uses the width and the colours of a terminal."""
        return Screen.of(self.output or sys.stdout) if self.form == "table" else Screen()

    def note(self, *lines: str, style: str = "") -> None:
        """Print lines in addition to the tables; on standard error if a program reads the tables."""
        if not self.quiet:
            text = self.screen.styled(self.screen.wrapped("\n".join(map(visible, lines))), style)
            print(text, file=self.output or (sys.stdout if self.form == "table" else sys.stderr))

    def aside(self, text: str) -> None:
        """Print a note on standard error, whatever the format."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def show(self, content: Content) -> None:
        """Print a result without its introduction, which is logged before the work."""
        shown = content.at("text")
        # 1. the finding
        if content.finding is not None:
            self.note(content.finding.sentence, style="bad" if content.errors else "good")
            below = [f"  {line}" for line in (*content.finding.support, *content.finding.cautions)]
            if below or shown:
                self.note(*below, *([""] if shown else []))
        # 2. tables; programs get the main one alone
        if content.explanation and self.form == "table":
            self.note(content.explanation)
        elif self.form not in TIDY:
            for number, table in enumerate(shown):
                if number:
                    print(file=self.output)
                if len(shown) > 1 and table.title:
                    self.note(table.title, style="bold")
                self._table(table)
        elif content.main_view is not None:
            print(format_table(content.main_view.frame, self.form, places=self.places), file=self.output)
        # 3. notes and meanings
        if content.notes:
            self.note("", *content.notes)
        lines = [line for table in shown for line in table.schema.legend(table.people)]
        meanings = list(dict.fromkeys((*lines, *content.legend)))
        if meanings and not content.explanation:
            self.note("", *meanings, style="dim")

    def _table(self, table: Table) -> None:
        """Print a table and its note."""
        caption = ". ".join(text for text in (table.title, table.note) if text)
        text = format_table(
            table.people,
            self.form,
            schema=table.schema,
            places=self.places,
            screen=self.screen,
            keys=table.keys,
            marked=table.marked,
            caption=caption,
        )
        print(text, file=self.output)
        if table.note:
            self.note(table.note)
