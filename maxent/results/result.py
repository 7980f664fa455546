"""Results of questions, shown in several ways: as text, in a notebook, as figures, as files, as a report."""

from collections.abc import Callable, Iterable, Mapping
from html import escape
from io import StringIO
from pathlib import Path
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.errors import InputError, ProblemError, visible
from maxent.files import results
from maxent.results.content import Content, Sheet
from maxent.results.formats import html_table
from maxent.results.paper import COLUMN, PANEL, columns_of, paper_text, references
from maxent.results.text import Printer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from maxent.measures import Measure
    from maxent.problem import Solution
    from maxent.types import IntArray


Style = Literal["screen", "paper"]
STYLES: tuple[Style, ...] = get_args(Style)
GAP = 0.33  # inches between two columns of a paper
POINTS, LINE = 8, 1.4  # size of the text in it, and height of a line in this size
TEXT, LETTERS = 10, 1000  # points of the title of a figure, and most letters of each of its texts
LABEL = 24  # letters of a label that are as wide as the axes of a column
HEIGHT = 1200  # pixels of a cell that an explorer takes, until it is there and says how many it needs
FITTED = "this.style.height = `${this.contentDocument.documentElement.offsetHeight + 8}px`"


class Result(Content):
    """The answer to a question: a finding, tables, figures, and their origin.

    ``print(result)`` prints the same text as the command of the same name, and a notebook shows the result.

    Attributes
    ----------
    finding : Finding or None
        The answer: in words the finding (``sentence``), the numbers behind it (``support``), and reasons for doubt
        (``cautions``); in fields what these are made from: ``best``, ``set``, ``null``, ``differences``, ``lists``,
        ``topics`` and ``reading``.
    notes : tuple of str
        Notes on the lists behind the numbers.
    origin : Origin
        The call or the command that reproduces the result.
    answers : mapping
        The answers for programs, by name: those of the attributes below that the question has.
    g, simplest : tuple of float or None
        The best threshold probabilities, and the simplest that may be the best; None without candidates.
    measure : Measure or None
        The chosen measure; None if no measure helps.
    study : DataFrame
        The study of the candidates, as from :func:`maxent.informativeness`.
    solutions : tuple of Solution
        The solution for each measure, or one for all values.
    grades : (depth,) array
        Grades of the list, in the order of ranks.
    relevant, retrieved : tuple of int
        Numbers of documents of each grade in the topic and in the list.
    verdicts : DataFrame
        The verdict on each pair of measures.
    """

    g: tuple[float, ...] | None
    simplest: tuple[float, ...] | None
    measure: "Measure | None"
    study: pd.DataFrame
    solutions: "tuple[Solution, ...]"
    grades: "IntArray"
    relevant: tuple[float, ...]
    retrieved: tuple[float, ...] | None
    verdicts: pd.DataFrame

    @property
    def table(self) -> pd.DataFrame:
        """The main table; ProblemError if there is none."""
        if self.main_view is None:
            raise ProblemError(f"{self.kind} has no table")
        return self.main_view.frame

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """All tables by their names, in the columns of the files that :meth:`save` writes."""
        return {view.name: view.frame for view in self.views}

    @property
    def columns(self) -> pd.DataFrame:
        """Meanings of the columns in the tables that :meth:`save` writes (``table``, ``column``, ``meaning``)."""
        rows = [
            (view.name, name, view.schema.meaning(str(name))) for view in self.at("file") for name in view.frame
        ]
        return pd.DataFrame(rows, columns=["table", "column", "meaning"])

    @property
    def figures(self) -> Mapping[str, Sheet]:
        """Figures that :meth:`plot` draws, by name."""
        return {sheet.name: sheet for sheet in self.sheets}

    def plot(self, name: str | None = None, ax: "Axes | None" = None, *, style: Style = "screen") -> "Figure":
        """Draw a figure.

        Parameters
        ----------
        name : str, optional
            Name of the figure, one of ``figures``; default: the first.
        ax : Axes, optional
            Axes for the first panel of the figure alone; default: all panels on a new figure.
        style : {"screen", "paper"}
            For a screen, with a title; or as wide as a column of a paper (3.33 inches; 7 inches, both columns, if
            the figure would not fit on a page), with text of 8 points and without a title.

        Returns
        -------
        Figure
            Figure of matplotlib, which a notebook shows.

        Raises
        ------
        ProblemError
            If there is no such figure.
        """
        if not self.figures or (name is not None and name not in self.figures):
            raise ProblemError(f"no figure {name or ''}; there are: {', '.join(self.figures) or 'none'}")
        sheet = self.figures[name or next(iter(self.figures))]
        if ax is not None:
            sheet.panels[0].draw(ax=ax)
            return ax.figure  # type: ignore[return-value]
        check_choice("style", style, STYLES, raises=ProblemError)
        if style == "paper":
            return _drawn_for_paper(sheet)
        sentence = "" if self.finding is None else self.finding.sentence
        return _draw(sheet, (self.title, sentence, self.reading))

    def text(self, folder: str | Path | None = None) -> str:
        """LaTeX for a paper: methods, reading, finding, lists, versions, tables (booktabs) and references.

        Parameters
        ----------
        folder : path, optional
            The folder of :meth:`save`, as LaTeX finds it: the text then includes its figures (graphicx).

        Returns
        -------
        str
            Two paragraphs, figures, tables and references.

        Examples
        --------
        >>> import maxent as me
        >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
        >>> text = me.study(runs, qrels, measures=["AP", "nDCG"], min_retrieved=1, depth=100).text()
        >>> print(text.splitlines()[1].partition(" Data:")[0])
        How informative are measures: how well does the precision-recall curve of a list follow from a value alone?
        """
        return paper_text(self, folder="" if folder is None else str(folder))

    def show(self) -> None:
        """Print the finding, the tables and the meanings of their columns, as the command does."""
        self._print(Printer())

    def report(self, path: str | Path) -> Path:
        """Write the result as one self-contained HTML file, as :func:`maxent.report` does."""
        from maxent.results.page.page import write_report  # loads matplotlib

        return write_report(self, path)

    def save(
        self,
        folder: str | Path,
        *,
        tables: str = "csv",
        style: Style = "screen",
        say: Callable[[str], None] | None = None,
    ) -> Path:
        """Write the tables and figures to a folder, all or none, and replace those of an earlier result.

        ``KIND_columns.csv``, such as ``study_columns.csv``, has the meanings of the columns of the tables, and
        ``references.bib`` the papers to cite.

        Parameters
        ----------
        folder : path
            The folder, which is created if needed.
        tables : {"csv", "parquet"}
            Format of the tables.
        style : {"screen", "paper"}
            As for :meth:`plot`; figures for a paper are vector graphics only, SVG and PDF.
        say : callable, optional
            Called with a sentence about earlier files that are replaced or removed.

        Returns
        -------
        Path
            The folder.
        """
        from maxent.results.writers import PICTURES, TABLE_FILES, VECTORS, write_csv, write_figure

        names = sorted(view.name for view in self.views if "file" in view.places)
        stale = [f"{name}.{end}" for name in names for end in TABLE_FILES]
        with results(Path(folder), stale=stale, say=say) as out:
            for view in self.at("file"):
                TABLE_FILES[tables](view.frame, out / f"{view.name}.{tables}")
            write_csv(self.columns, out / f"{self.kind}_columns.csv")
            (out / "references.bib").write_text(references(self), encoding="utf-8")
            for name in self.figures:
                write_figure(self.plot(name, style=style), out / name, VECTORS if style == "paper" else PICTURES)
        for file in self.checkpoints:
            if file is not None:
                file.unlink(missing_ok=True)
        return Path(folder)

    def explore(self) -> "Cell":
        """The g explorer of the report, for a cell of a notebook; ProblemError if there is none."""
        from maxent.results.page.page import render

        if self.explorer is None or (numbers := self.explorer()) is None:
            raise ProblemError(f"{self.kind} has no g to explore: give two candidates or more")
        page = render(Content(title=self.title, explorer=lambda: numbers), bare=True)
        size = f'width="100%" height="{HEIGHT}" style="border:0" onload="{FITTED}"'
        return Cell(f'<iframe srcdoc="{escape(page)}" {size}></iframe>')

    def _print(self, printer: Printer) -> None:
        if self.introduction:
            printer.note(self.introduction)
        printer.show(self)

    if not TYPE_CHECKING:  # a type checker knows the attributes

        def __getattr__(self, name: str) -> Any:
            use = f"; use .table.{name}" if not name.startswith("_") and hasattr(pd.DataFrame, name) else ""
            raise AttributeError(f"a Result has no attribute {name!r}{use}")

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(f"a Result has no columns; use .table[{key!r}], or .tables for another table")

    __iter__ = None  # with __getitem__ alone, Python would iterate by it

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        same = self.finding == other.finding and list(self.tables) == list(other.tables)
        return same and all(frame.equals(other.tables[name]) for name, frame in self.tables.items())

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        output = StringIO()
        self._print(Printer(output=output))
        return output.getvalue().removesuffix("\n")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kind}: {self.finding.sentence if self.finding else self.title})"

    def _repr_html_(self) -> str:
        parts = []
        if self.finding:
            parts.append(f"<p><b>{escape(self.finding.sentence)}</b></p>")
            parts += [f"<p>{escape(line)}</p>" for line in (*self.finding.support, *self.finding.cautions)]
        if self.sheets:
            parts.append(self.plot().html())  # type: ignore[attr-defined]
        shown = self.at("text")
        for view in shown:
            if len(shown) > 1 and view.title:
                parts.append(f"<p><b>{escape(view.title)}</b></p>")
            parts.append(html_table(view.people, view.schema))
            if view.note:
                parts.append(f"<p>{escape(view.note)}</p>")
        parts += [f"<p>{escape(note)}</p>" for note in self.notes]
        return "".join(parts)


class Cell(str):
    """Text that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def _draw(sheet: Sheet, texts: Iterable[str]) -> "Figure":
    """Figure with all panels below a title of several texts, in which a dollar sign starts no formula."""
    from matplotlib.cbook import is_math_text

    from maxent.plot.style import NotebookFigure  # loads matplotlib

    # 1. panels
    columns = sheet.columns or len(sheet.panels)
    rows = -(-len(sheet.panels) // columns)
    widths, heights = zip(*(panel.size for panel in sheet.panels), strict=True)
    figure = NotebookFigure(figsize=(columns * max(widths), rows * max(heights)), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, ax in zip(sheet.panels, grid, strict=False):
        panel.draw(ax=ax)
    for ax in grid[len(sheet.panels) :]:
        ax.set_axis_off()
    # 2. the title, for which the figure grows
    lines = [shorten(text, LETTERS, placeholder=" …") for text in texts if text]
    text = visible("\n".join(lines))
    plain = not is_math_text(text)  # to wrap lines, matplotlib would measure the formula that dollars make
    title = figure.suptitle(text, fontsize=TEXT, parse_math=False, wrap=plain)
    figure.set_figheight(figure.get_figheight() + title.get_window_extent().height / figure.dpi)
    return figure


def _drawn_for_paper(sheet: Sheet) -> "Figure":
    """All panels of a figure below one another in one column of a paper, or in both if one has no room for them."""
    from matplotlib.text import Text

    from maxent.plot.style import NotebookFigure

    # 1. panels, column by column
    heights = np.array([panel.size[1] for panel in sheet.panels]) * COLUMN / PANEL
    columns = columns_of(sheet)
    heights = np.pad(heights, (0, -len(heights) % columns))  # zeros fill the last row
    rows = len(heights) // columns
    figure = NotebookFigure((columns * COLUMN + (columns - 1) * GAP, heights.sum() / columns), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel("F")
    for panel, ax in zip(sheet.panels, grid, strict=False):
        panel.draw(ax=ax)
    # 2. texts
    for text in figure.findobj(Text):
        text.set_fontsize(min(float(text.get_fontsize()), POINTS))
    for ax in grid:
        lines = [part for line in ax.get_xlabel().split("\n") for part in wrap(line, LABEL)]
        ax.set_xlabel("\n".join(lines))
    # 3. legends, for which the rows grow
    for k, ax in enumerate(grid):
        legend = ax.get_legend()
        if legend is not None:
            centre = (k // rows + 0.5) / columns
            heights[k] += LINE * POINTS / 72 * _put_legend_below(legend, ax, centre)
    row_heights = heights.reshape(columns, -1).max(axis=0)
    grid[0].get_gridspec().set_height_ratios(row_heights)
    figure.set_figheight(row_heights.sum())
    for ax in grid[len(sheet.panels) :]:
        ax.set_axis_off()
    return figure


def _put_legend_below(legend: "Legend", ax: "Axes", centre: float) -> int:
    """Put the legend of axes below their labels, in one column, and return its number of lines.

    ``centre`` is its middle as a share of the figure's width: a column has no room for two columns of texts.
    """
    from matplotlib.transforms import blended_transform_factory

    from maxent.plot.style import LEGEND_BELOW

    figure = ax.figure
    labels = ax.xaxis.get_tightbbox()
    down = (ax.bbox.y0 - labels.y0) / figure.dpi * 72 / POINTS if ax.axison and labels else 0
    texts, title = [text.get_text() for text in legend.get_texts()], legend.get_title().get_text()
    look = LEGEND_BELOW | {"ncols": 1, "fontsize": POINTS, "title_fontsize": POINTS}
    middle = blended_transform_factory(figure.transFigure, ax.transAxes)  # of the column, below the axes
    place = {"bbox_to_anchor": (centre, 0), "bbox_transform": middle, "borderaxespad": down + 0.3}
    ax.legend(legend.legend_handles, texts, **look | place, title=title)  # type: ignore[arg-type]
    return len(texts) + bool(title)


def report(result: Result, path: str | Path) -> Path:
    """Write a result as one self-contained HTML file.

    The file needs no network and no other file. It has the finding, figures, tables to sort and filter, the data,
    and the versions and hashes that identify its origin. Equal input gives equal files.

    Parameters
    ----------
    result : Result
        Result of a question, such as :func:`maxent.study`.
    path : path
        The file to write; its folder is created if needed.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If ``result`` is not a Result, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> study = me.study(runs, qrels, measures=["AP", "nDCG"], min_retrieved=1, depth=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = me.report(study, f"{folder}/report.html")
    ...     print(path.name, path.read_text(encoding="utf-8")[:15])
    report.html <!doctype html>
    """
    if not isinstance(result, Result):
        raise InputError(f"me.report: {type(result).__name__} given, expected a Result")
    return result.report(path)
