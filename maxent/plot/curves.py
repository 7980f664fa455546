"""Figures of one list: precision-recall curves, and profiles of inferred distributions."""

from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.measures.labels import measure_label
from maxent.plot.style import BLUE, LINES, REFERENCE_STYLES, axes_or_new


def plot_curves(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Actual precision-recall curve of one list and the curves inferred from measures.

    Parameters
    ----------
    curves : DataFrame
        Columns curve (``actual`` or the measure), recall, precision, such as ``Explanation.curves``. If there are
        several values in a column threshold, each has a colour.
    ax : Axes, optional
        Axes to draw on; default: those of a new figure.

    Returns
    -------
    Axes
    """
    ax = axes_or_new(ax)
    parts = list(curves.groupby("threshold")) if "threshold" in curves else [(1, curves)]
    for (threshold, part), shade in zip(parts, _shades(len(parts)), strict=True):
        several, styles = len(parts) > 1, cycle(((BLUE, "-"), *REFERENCE_STYLES))
        suffix = f", grade ≥ {threshold!s}" if several else ""
        for name, rows in part.groupby("curve", sort=False):
            x, y = rows["recall"], rows["precision"]
            if name == "actual":
                ax.plot(x, y, color=shade if several else "black", marker="o", markersize=3, linewidth=0.6,
                        label=f"actual{suffix}")  # fmt: skip
            else:
                colour, style = next(styles)
                label = f"inferred from {measure_label(str(name))}{suffix}"
                ax.plot(x, y, color=shade if several else colour, linestyle=style, label=label)
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.03))
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)  # no point is covered
    return ax


def plot_profile(profile: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Probability of every positive grade at every rank, on a logarithmic rank axis.

    Parameters
    ----------
    profile : DataFrame
        Columns measure, rank, grade, p: one table of :func:`maxent.profile`, or several concatenated.
    ax : Axes, optional
        Axes to draw on; default: those of a new figure.

    Returns
    -------
    Axes
    """
    ax = axes_or_new(ax)
    grades = sorted(g for g in profile["grade"].unique() if g > 0)
    shades = dict(zip(grades, _shades(len(grades)), strict=True))
    names = list(dict.fromkeys(profile["measure"]))
    for name, style in zip(
        names, cycle(("-", "--", ":", "-.", *LINES[3:], (0, (1, 3)), (0, (8, 2)))), strict=False
    ):
        rows = profile[profile["measure"] == name]
        for grade in grades:
            line = rows[rows["grade"] == grade]
            label = f"grade {grade}, {measure_label(name)}" if len(names) > 1 else f"grade {grade}"
            ax.plot(line["rank"], line["p"], color=shades[grade], linestyle=style, label=label)
    ax.set(
        xscale="log",
        xlabel="rank",
        ylabel="probability of the grade at the rank",
        xlim=(1, profile["rank"].max()),
        ylim=(0, 1.03),
    )
    ax.legend(fontsize=8)
    return ax


def _shades(number: int) -> Any:
    """Colours of grades or thresholds, from light to dark."""
    return plt.get_cmap("viridis")(np.linspace(0.75, 0.1, number))
