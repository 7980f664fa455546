"""Figures of one list: precision-recall curves, and profiles of inferred distributions."""

from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from maxent.plot.style import LEGEND_BELOW, LINES, SMALL, STYLES, TEXT, axes_or_new, draws
from maxent.texts import measure_label

FEW = 20  # ranks that fit on a linear axis


@draws("explain", "curve", "recall", "precision")
def plot_curves(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot the actual precision-recall curve of one list and the curves inferred from measures.

    Parameters
    ----------
    curves : DataFrame
        Columns curve (``actual`` or the measure), recall, precision, such as ``tables["curves"]`` of
        :func:`maxent.explain`. If a column threshold has several values, each has a colour; a single value is the
        title. Columns low and high are drawn as bands.
    """
    ax = axes_or_new(ax)
    parts = list(curves.groupby("threshold")) if "threshold" in curves else [(1, curves)]
    # with several thresholds, colours tell thresholds, and the legend has curves in black
    several = len(parts) > 1
    handles: dict[str, Artist] = {}  # of the legend, by label
    for (threshold, part), shade in zip(parts, _shades(len(parts)), strict=True):
        styles = cycle(STYLES)
        relevant = f"grade ≥ {threshold!s}"
        # 1. the curves
        for name, rows in part.groupby("curve", sort=False):
            look: dict[str, Any]
            if name == "actual":
                label = "actual"
                look = {"color": "black", "marker": "o", "markersize": 3, "linewidth": 0.6}
            else:
                label = f"from {measure_label(str(name))}"
                colour, style = next(styles)
                look = {"color": colour, "linestyle": style}
            if several:
                look["color"] = shade
            ax.plot(rows["recall"], rows["precision"], **look, label=f"{label}, {relevant}" if several else label)
            if {"low", "high"} <= set(rows):
                ax.fill_between(rows["recall"], rows["low"], rows["high"], color=look["color"], alpha=0.13, lw=0)
            handles[label] = Line2D([], [], **look | ({"color": "black"} if several else {}), label=label)
        # 2. the threshold
        if several:
            handles[relevant] = Line2D([], [], color=shade, linewidth=4, label=relevant)
        elif "threshold" in curves:
            ax.set_title(relevant, fontsize=TEXT)
        if "low" in part and part["low"].notna().any():
            handles["band"] = Patch(color="black", alpha=0.13, linewidth=0, label="band")
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.03))
    ax.legend(handles=list(handles.values()), **LEGEND_BELOW)
    return ax


@draws("graded curves", "curve", "recall", "precision")
def plot_graded_curves(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot graded precision over graded recall (GAP paper 3.2); the area below a curve's steps is its GAP(g).

    Parameters
    ----------
    curves : DataFrame
        Columns curve (its name, such as the name of a run), recall, precision: tables of
        :func:`maxent.graded_curve`, each with a name, concatenated.

    Examples
    --------
    Two lists of a topic with two documents of grade 1 and one of grade 2::

        lists = {"a": [2, 0, 1, 1], "b": [0, 1, 0, 2]}
        curves = {name: me.graded_curve(grades, (2, 1), g=(0.5, 0.5)) for name, grades in lists.items()}
        plot_graded_curves(pd.concat(curve.to_frame().assign(curve=name) for name, curve in curves.items()))
    """
    ax = axes_or_new(ax)
    for (name, rows), (colour, style) in zip(curves.groupby("curve", sort=False), STYLES, strict=False):
        recall, precision = rows["recall"].to_numpy(), rows["precision"].to_numpy()
        area = float(np.diff(recall, prepend=0.0) @ precision)
        ax.stairs(precision, np.concatenate(([0.0], recall)), color=colour, alpha=0.12, fill=True, baseline=0)
        x, y = np.repeat([0.0, *recall], 2)[1:-1], np.repeat(precision, 2)  # both ends of each step
        ax.plot(x, y, color=colour, linestyle=style, label=f"{name}: area {area:.3f}")
    ax.set(xlabel="graded recall", ylabel="graded precision", xlim=(0, 1.02), ylim=(0, 1.03))
    ax.legend(**LEGEND_BELOW)
    return ax


@draws("curves.profile", "measure", "rank", "grade", "p")
def plot_profile(profile: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot the probability of every positive grade at every rank, on a logarithmic axis if there are many ranks.

    Parameters
    ----------
    profile : DataFrame
        Columns measure, rank, grade, p: one table of :func:`maxent.curves.profile`, or several concatenated.
    """
    ax = axes_or_new(ax)
    grades = sorted(g for g in profile["grade"].unique() if g > 0)
    shades = dict(zip(grades, _shades(len(grades)), strict=True))
    names = list(dict.fromkeys(profile["measure"]))
    styles = cycle(("-", "--", ":", "-.", *LINES[3:], (0, (1, 3)), (0, (8, 2))))
    for name, style in zip(names, styles, strict=False):
        rows = profile[profile["measure"] == name]
        for grade in grades:
            line = rows[rows["grade"] == grade]
            label = f"grade {grade}, {measure_label(name)}" if len(names) > 1 else f"grade {grade}"
            ax.plot(line["rank"], line["p"], color=shades[grade], linestyle=style, label=label)
    last = profile["rank"].max()
    is_long = last > FEW
    ax.set(
        xscale="log" if is_long else "linear",
        xlabel="rank",
        ylabel="probability of the grade at the rank",
        xlim=(1, last) if is_long else (0.5, last + 0.5),
        ylim=(0, 1.03),
    )
    ax.legend(fontsize=SMALL, frameon=False)
    return ax


def _shades(number: int) -> Any:
    """Colours of grades or thresholds, from light to dark."""
    return plt.get_cmap("viridis")(np.linspace(0.75, 0.1, number))
