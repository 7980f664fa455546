"""Figures with a dot for each list: predicted against actual values, and the lists behind a mean error."""

from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from maxent.errors import ProblemError
from maxent.plot.style import BLUE, PALE, SIZE, SMALL, TEXT, axes_or_new, draws, name_rows, rows_with
from maxent.texts import measure_label, threshold_label

By = Literal["query_id", "run_id", "points"]
NAMES = {"query_id": "topic", "run_id": "run", "points": "relevant documents in the list"}
BINS = 8  # of lists with similar numbers of relevant documents, each with as many lists


@draws("predict", "measure", "target", "actual", "predicted")
def plot_predicted(
    predictions: pd.DataFrame, *, measure: str | None = None, target: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot predicted against actual values of one measure, a dot for each list.

    Dots above the diagonal are lists whose prediction is too high. Bands of the predictions are vertical lines,
    which reach the diagonal if they contain the actual value.

    Parameters
    ----------
    measure, target : str, optional
        Given and predicted measure, as in the table; default: the first given measure, and the first other target.
    """
    # 1. the lists of one given measure and one target
    rows = rows_with(predictions[predictions["predicted"].notna()], measure=measure)
    given_measure = rows["measure"].iloc[0]
    other_targets = rows.loc[rows["target"] != given_measure, "target"]
    if target is None and len(other_targets):
        target = other_targets.iloc[0]
    rows = rows_with(rows, target=target)
    # 2. dots and bands
    ax = axes_or_new(ax, (4.2, 4.0))
    actual, predicted = rows["actual"].to_numpy(), rows["predicted"].to_numpy()
    values = rows[[name for name in ("actual", "predicted", "low", "high") if name in rows]].to_numpy()
    ends = min(0.0, values.min()), 1.03 * values.max() or 1.0  # all values may be 0
    ax.plot(ends, ends, color=PALE, linewidth=0.8)
    ax.scatter(actual, predicted, s=12, color=BLUE, alpha=0.5, linewidths=0)
    if {"low", "high"} <= set(rows):
        ax.vlines(actual, rows["low"], rows["high"], color=BLUE, alpha=0.2, linewidth=0.8)
    # 3. texts
    rms = float(np.sqrt(np.mean((predicted - actual) ** 2)))
    ax.text(0.03, 0.97, f"{len(rows)} lists\nRMS error {rms:.3f}", transform=ax.transAxes, va="top", fontsize=SMALL)
    label = measure_label(rows["target"].iloc[0])
    ax.set(xlabel=f"actual {label}", ylabel=f"{label} predicted from {measure_label(given_measure)}")
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    return ax


@draws("informativeness", "run_id", "query_id", "measure", "threshold", "rms", "points")
def plot_breakdown(
    table: pd.DataFrame,
    *,
    by: By = "query_id",
    measure: str | None = None,
    threshold: int = 1,
    ax: Axes | None = None,
) -> Axes:
    """Plot the errors of the lists behind a mean, a dot each, by topic, run or number of relevant documents.

    Dots in colour are means of a topic, a run, or an eighth of the lists with similar numbers of relevant
    documents; lines next to them span the middle half of these lists.

    Parameters
    ----------
    by : {"query_id", "run_id", "points"}
        Grouping of the lists. ``points`` is the number of documents of the threshold's grade or higher in the list,
        on a logarithmic axis. Topics and runs are sorted by mean error, the largest first.
    """
    if by not in NAMES:
        raise ProblemError(f"unknown by {by!r}; known: {', '.join(NAMES)}")
    rows = rows_with(table[table["rms"].notna()], measure=measure, threshold=threshold)
    if by == "points":
        ax = axes_or_new(ax)
        _draw_by_points(rows, ax)
    else:
        groups = rows.groupby(by)["rms"].describe().sort_values("mean")
        ax = axes_or_new(ax, (SIZE[0], 1.2 + 0.17 * len(groups)))
        _draw_by_name(rows, groups, by, ax)
    highest = int(table["threshold"].max())
    ax.set_title(f"{measure_label(rows['measure'].iloc[0])}\n{threshold_label(threshold, highest)}", fontsize=TEXT)
    return ax


def _draw_by_points(rows: pd.DataFrame, ax: Axes) -> None:
    """Errors over the number of relevant documents, with the means of lists that have similar numbers."""
    ax.scatter(rows["points"], rows["rms"], s=10, color=PALE, alpha=0.4, linewidths=0)
    bins = pd.qcut(rows["points"], min(BINS, rows["points"].nunique()), duplicates="drop")
    groups = rows.groupby(bins, observed=True)
    means, errors = groups["points"].median(), groups["rms"].describe()
    ax.vlines(means, errors["25%"], errors["75%"], color=BLUE, linewidth=1.5)
    ax.plot(means, errors["mean"], "o-", color=BLUE, markersize=5)
    ax.set(xscale="log", xlabel=NAMES["points"], ylabel="RMS error of a list", ylim=(0, None))
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_locator(NullLocator())


def _draw_by_name(rows: pd.DataFrame, groups: pd.DataFrame, by: By, ax: Axes) -> None:
    """Errors in a row for each topic or run; ``groups`` has their means and quartiles, from the bottom up."""
    heights = range(len(groups))
    height_of = dict(zip(groups.index, heights, strict=True))
    ax.scatter(rows["rms"], rows[by].map(height_of), s=10, color=PALE, alpha=0.4, linewidths=0)
    ax.hlines(heights, groups["25%"], groups["75%"], color=BLUE, linewidth=1.5)
    ax.plot(groups["mean"], heights, "o", color=BLUE, markersize=5)
    name_rows(ax, list(groups.index))
    ax.set(xlabel="RMS error of a list", ylabel=NAMES[by], xlim=(0, None), ylim=(-0.8, len(groups) - 0.2))
