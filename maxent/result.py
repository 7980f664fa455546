"""One value for each analysis, shown in three ways: on a terminal or in a notebook, as files, as a report."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import pandas as pd

from maxent.console.formats import html_table
from maxent.console.show import Printer
from maxent.content import Content, Sheet
from maxent.errors import InputError, ProblemError, visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TEXT, LETTERS = 10, 13  # points of the title of a figure, and its letters for each inch


class Result(Content):
    """What an analysis found: a finding, tables, figures, and how it was made.

    :func:`maxent.study_measures` gives one, and the commands of the command line show theirs. A notebook shows it.

    Attributes
    ----------
    finding : Finding or None
        The answer: ``sentence``, what supports it (``support``), and what to be careful about (``cautions``).
    choice : GChoice or None
        The choice of g, if there were several candidates.
    league, left_out : DataFrame
        Of a study: as from :func:`maxent.league` and :func:`maxent.left_out`.
    frames : mapping from str to DataFrame
        All tables by their names, in the columns of the files of ``--out``.
    """

    def show(self) -> None:
        """Print the finding, the tables and what their numbers mean, as the command line does."""
        printer = Printer()
        if self.introduction:
            printer.note(self.introduction)
        printer.show(self)

    def report(self, path: str | Path) -> Path:
        """Write one HTML file that can be sent to somebody, as :func:`maxent.report` does."""
        from maxent.reports.page import write_report  # loads matplotlib

        return write_report(self, path)

    def plot(self, name: str | None = None) -> "Figure":
        """Draw a figure.

        Parameters
        ----------
        name : str, optional
            Its name; default: the first.

        Returns
        -------
        Figure
            Of matplotlib.
        """
        figures = {figure.name: figure for figure in self.figures}
        if not figures or (name is not None and name not in figures):
            raise ProblemError(f"no figure {name or ''}; there are: {', '.join(figures) or 'none'}")
        sentence = "" if self.finding is None else self.finding.sentence
        return _drawn(figures[name or next(iter(figures))], (self.title, sentence, self.reading))

    @property
    def league(self) -> pd.DataFrame:
        """League table of a study, as of :func:`maxent.league`."""
        return self._named("league")

    @property
    def left_out(self) -> pd.DataFrame:
        """Lists that a study left out, as of :func:`maxent.left_out`."""
        return self._named("left-out")

    def _named(self, name: str) -> pd.DataFrame:
        if name not in self.frames:
            raise ProblemError(f"no table {name}; there are: {', '.join(self.frames)}")
        return self.frames[name]

    @property
    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Tables by their names, in the columns of the files of ``--out``."""
        return {table.name: table.frame for table in self.tables}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kind}: {self.finding or self.title})"

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self.finding.sentence)}</b></p>"] if self.finding else []
        if self.finding:
            parts += [f"<p>{escape(line)}</p>" for line in (*self.finding.support, *self.finding.cautions)]
        parts += [html_table(table.people) for table in self.at("text")]
        return "".join((*parts, *(f"<p>{escape(note)}</p>" for note in self.notes)))


def _drawn(sheet: Sheet, texts: Iterable[str]) -> "Figure":
    """All panels of a figure on one sheet below texts, each on lines of its own, in which nothing is a formula."""
    from matplotlib.figure import Figure  # loaded when a figure is drawn

    columns = sheet.columns or len(sheet.panels)
    rows = -(-len(sheet.panels) // columns)
    widths, heights = zip(*(panel.size for panel in sheet.panels), strict=True)
    width = columns * max(widths)
    lines = [line for text in texts for line in wrap(text, int(LETTERS * width))]
    figure = Figure(figsize=(width, rows * max(heights) + 0.2 * len(lines)), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, ax in zip(sheet.panels, grid, strict=False):
        panel.draw(ax=ax)
    for ax in grid[len(sheet.panels) :]:
        ax.set_axis_off()
    figure.suptitle(visible("\n".join(lines)), fontsize=TEXT, parse_math=False)
    return figure


def report(result: Result, path: str | Path) -> Path:
    """Write what an analysis found as one HTML file that can be sent to somebody.

    The file needs no network and no other file. It has the finding, figures, tables to sort and filter, the data,
    and the versions and hashes that identify how it was made. Equal input gives equal files.

    Parameters
    ----------
    result : Result
        Such as :func:`maxent.study_measures` gives.
    path : path
        The file to write; its folder is made if needed.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If it is no Result, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> study = me.study_measures(runs, qrels, measures=["AP", "nDCG"], min_retrieved=1, depth=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = me.report(study, f"{folder}/report.html")
    ...     print(path.name, path.read_text(encoding="utf-8")[:15])
    report.html <!doctype html>
    """
    if not isinstance(result, Result):
        raise InputError(f"me.report: {type(result).__name__} given, expected a Result")
    return result.report(path)
