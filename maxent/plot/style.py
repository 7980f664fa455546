"""Shared style of figures: size, text sizes, colours, line styles, and labels next to lines in place of legends.

Colours are those of Okabe and Ito (2008) except yellow, and colour-blind readers can distinguish them. Reports
replace them by colours that are legible as text. Lines that meet also differ in line style.
"""

import inspect
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import wraps
from io import BytesIO
from typing import Any, TypeVar, cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from maxent.errors import ProblemError, require_columns, visible
from maxent.options import fill_sections
from maxent.types import FloatArray

BLUE, RED, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#555555"
PALE = "#999999"  # what is in the background: single lists, lines of reference
COLOURS = (RED, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#332288", "#8c510a")
LINES = ("--", "-.", ":", (0, (5, 1, 1, 1)))
REFERENCE_STYLES = tuple((COLOURS[k % 7], LINES[k % 4]) for k in range(28))  # all different
STYLES = ((BLUE, "-"), *REFERENCE_STYLES)  # where no line is more than a reference
SIZE = (5.2, 3.7)  # of a figure, in inches: half of it is a column of a paper
SMALL, TEXT = 9, 10.5  # points
LEGEND_BELOW: dict[str, Any] = {  # of axes, so that no point is covered
    "loc": "upper center",
    "bbox_to_anchor": (0.5, -0.18),
    "fontsize": SMALL,
    "ncols": 2,
    "frameon": False,
}
DPI = 100  # of a picture in a notebook
LONGEST = 40  # letters of a name in a figure
F = TypeVar("F", bound=Callable[..., Axes])
SHARED = {
    "measure": "measure : str, optional\n    Measure, as in the table; default: the first one.",
    "target": "target : str, optional\n    Observed or predicted measure, as in the table; default: the first one.",
    "threshold": "threshold : int\n    Threshold of the curves.",
    "topics": "topics : str\n    Set of topics, as in the table.",
    "value": 'value : {"tau", "tau_ap"}\n    The agreement to show.',
    "ax": "ax : Axes, optional\n    Axes to draw on; default: the axes of a new figure.",
}
"""Parameters of several figures; a figure with another meaning of a parameter explains it in its docstring."""
RETURNS = "Returns\n-------\nAxes"
RAISES = """\
Raises
------
InputError
    If the table lacks a column.
ProblemError
    If the table has nothing to draw, or lacks the rows that are requested."""


class NotebookFigure(Figure):
    """A figure that a notebook shows as a picture, with or without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue()

    def html(self) -> str:
        """The figure as an image in HTML."""
        return f'<img alt="" src="data:image/png;base64,{b64encode(self._repr_png_()).decode()}">'


def draws(source: str = "", *columns: str) -> Callable[[F], F]:
    """Decorator of a figure: checks the table from ``source``, and adds shared sections to the docstring."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        first, *_ = signature.parameters
        origin = f"From :func:`maxent.{source}`." if source.islower() else f"``{source}``."
        entries = {first: f"{first} : DataFrame\n    {origin}"} | SHARED
        usual = {"Returns": RETURNS, **({"Raises": RAISES} if source else {})}
        function.__doc__ = fill_sections(function.__doc__ or "", entries, signature.parameters, **usual)
        if not source:
            return function

        @wraps(function)
        def checked(*arguments: Any, **options: Any) -> Axes:
            bound = signature.bind(*arguments, **options)
            bound.apply_defaults()
            table, value_column = bound.arguments[first], bound.arguments.get("value")
            needed = columns if value_column is None else (*columns, value_column)
            require_columns(table, needed, f"table of {source}")
            if not len(table):
                raise ProblemError(f"the table from {source} has no rows to draw")
            return function(*arguments, **options)

        return cast(F, checked)

    return decorate


def rows_with(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Rows with these values in their columns; None is the first value. ProblemError if there are none."""
    rows = table
    for name, value in values.items():
        column = rows[name]
        rows = rows[column == (column.iloc[0] if value is None and len(column) else value)]
        if rows.empty:
            there = ", ".join(dict.fromkeys(map(str, column)))
            raise ProblemError(f"the table has no row with {name} {value!r}; known: {there or 'none'}")
    return rows


def axes_or_new(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """Given axes or new ones, without a frame above and on the right."""
    if ax is None:
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise TypeError(f"ax: expected matplotlib's Axes, got {type(ax).__name__}")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def label_ends(ax: Axes, ends: Sequence[tuple[float, str, str]], *, x: float = 1.02) -> None:
    """Write names next to the right ends of lines, given as (height, text, colour), without overlap."""
    low, high = ax.get_ylim()
    from_below = sorted(ends, key=lambda end: end[0])
    apart = 1.35 * SMALL * ax.figure.dpi / 72 / ax.bbox.height  # a line of text, as a share of the axes
    places = spread(np.array([(height - low) / (high - low) for height, _, _ in from_below]), apart)
    for place, (_, text, colour) in zip(places, from_below, strict=True):
        ax.text(x, place, text, color=colour, fontsize=SMALL, va="center", transform=ax.transAxes)


def panel_width(ax: Axes) -> float:
    """Width in inches that the layout will give to axes with their labels, estimated before the layout."""
    usual = 0.775  # share of a figure that matplotlib gives to its axes before the layout
    return float(ax.get_position().width / usual * ax.figure.bbox.width / ax.figure.dpi)


def shorten(name: str, longest: int = LONGEST) -> str:
    """Shorten a long name in its middle, and escape control characters, which fonts lack."""
    name, half = visible(name, keep=""), (longest - 1) // 2
    return name if len(name) <= longest else f"{name[:half]}…{name[-half:]}"


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Write the names of runs or topics on the left, from the bottom up; a dollar sign starts no formula."""
    longest = min(LONGEST, int(7 * panel_width(ax)))  # half of the width, at least, stays free
    texts = [shorten(str(name), longest) for name in names]
    ax.set_yticks(range(len(names)), texts, fontsize=8, parse_math=False)


def spread(heights: FloatArray, apart: float) -> FloatArray:
    """Places at least ``apart`` from each other, about as far above ascending ``heights`` as below them.

    With places y_k = z_k + k apart, z must not fall: it is halfway between the lowest z above heights minus k apart
    and the highest below. (SciPy's isotonic regression takes longer to import than a figure to draw.)
    """
    steps = apart * np.arange(len(heights))
    above = np.maximum.accumulate(heights - steps)
    below = np.minimum.accumulate((heights - steps)[::-1])[::-1]
    return np.asarray((above + below) / 2 + steps)
