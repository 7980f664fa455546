"""What an analysis found, on standard output: the finding first, then tables, lists used, and what numbers mean."""

import sys
from dataclasses import dataclass

from maxent.errors import visible
from maxent.results.content import Content, Table
from maxent.results.formats import TIDY, format_table
from maxent.results.terminal import Screen
from maxent.results.words import legend


@dataclass(frozen=True)
class Printer:
    """Where text goes: tables in a format with so many decimals on standard output, and notes unless left out."""

    form: str = "table"
    places: int | None = None
    quiet: bool = False

    @property
    def screen(self) -> Screen:
        """Where notes are shown; only a table for people has a look."""
        return Screen.of(sys.stdout) if self.form == "table" else Screen()

    def note(self, *lines: str, style: str = "") -> None:
        """Print what is no table: beside the tables, or on standard error where a program reads them."""
        if not self.quiet:
            text = self.screen.styled(self.screen.wrapped("\n".join(map(visible, lines))), style)
            print(text, file=sys.stdout if self.form == "table" else sys.stderr)

    def aside(self, text: str) -> None:
        """Print a note on standard error, whatever the format."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def show(self, found: Content) -> None:
        """Print what was found."""
        shown = found.at("text")
        if found.finding is not None:
            self.note(found.finding.sentence, style="bad" if found.errors else "good")
            below = [f"  {line}" for line in (*found.finding.support, *found.finding.cautions)]
            if below or shown:
                self.note(*below, *([""] if shown else []))
        if found.text and self.form == "table":
            self.note(found.text)
        elif self.form not in TIDY:
            for number, table in enumerate(shown):
                if number:
                    print()
                if len(shown) > 1 and table.title:
                    self.note(table.title, style="bold")
                self._table(table)
        elif found.table is not None:
            print(format_table(found.table.frame, self.form, places=self.places))
        if found.notes:
            self.note("", *found.notes)
        lines = [line for table in shown for line in legend(table.people, table.meanings)]
        told = list(dict.fromkeys((*lines, *found.legend)))
        if told and not found.text:
            self.note("", *told, style="dim")

    def _table(self, table: Table) -> None:
        caption = ". ".join(text for text in (table.title, table.note) if text)
        options = {"screen": self.screen, "keys": table.keys, "marked": table.marked, "caption": caption}
        print(format_table(table.people, self.form, places=self.places, **options))  # type: ignore[arg-type]
        if table.note:
            self.note(table.note)
