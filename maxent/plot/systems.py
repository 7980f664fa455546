"""Figures of comparisons of systems: differences, discriminative power, agreement, reduced pools."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.plot.heatmap import plot_heatmap, tau_limits
from maxent.plot.style import (
    BLUE,
    GREY,
    PALE,
    RED,
    SIZE,
    SMALL,
    STYLES,
    TEXT,
    axes_or_new,
    draws,
    label_ends,
    name_rows,
    rows_with,
    shorten,
)
from maxent.stats.matrices import NOT_JUDGED, confusion_matrix
from maxent.stats.pairs import COMPARED, against, top_pairs
from maxent.texts import measure_label, percent

AGREEMENT = {"tau": "Kendall's tau-b", "tau_ap": "AP correlation"}


@draws("compare_discriminative", "measure", "run_a", "run_b", "difference", "asl")
def plot_discrimination(
    pairs: pd.DataFrame,
    *,
    alpha: float = 0.05,
    top: int | None = 15,
    by: str = "each",
    ax: Axes | None = None,
) -> Axes:
    """Plot the achieved significance levels of all pairs of systems, in descending order for each measure.

    The figure follows figure 3 of the GAP paper: the nearer a curve is to the origin, the more discriminative is
    the measure. The inset shows the pairs among the best systems.

    Parameters
    ----------
    alpha : float
        Level to mark; the axis ends at three times this level.
    top : int, optional
        Number of best systems in the inset. There is no inset if it is None, less than 2, or not less than the
        number of all systems.
    by : {"each", "both"}
        Systems in the inset: the best by each measure separately, or those among the best by every measure.
    """
    # 1. all pairs
    ax = axes_or_new(ax)
    _draw_levels(pairs, alpha, ax)
    ax.set(xlabel="pair of systems, by descending level", ylabel="achieved significance level (ASL)")
    ax.set_xlim(0, pairs.groupby("measure").size().max())  # room for the inset
    # 2. those among the best systems, below the legend
    runs = pd.concat([pairs["run_a"], pairs["run_b"]]).nunique()
    best = top_pairs(pairs, top, by=by) if top is not None and 2 <= top < runs else pairs[:0]
    if len(best):
        legend_height = (pairs["measure"].nunique() + 1) * 1.5 * SMALL * ax.figure.dpi / 72 / ax.bbox.height
        inset = ax.inset_axes((0.55, 0.16, 0.42, min(0.4, 0.74 - legend_height)))
        _draw_levels(best, alpha, inset)
        inset.tick_params(labelsize=7)
        inset.set_title(f"top {top} systems by {'each measure' if by == 'each' else 'all measures'}", fontsize=8)
    ax.legend(fontsize=SMALL, loc="upper right", frameon=False)
    return ax


def _draw_levels(pairs: pd.DataFrame, alpha: float, ax: Axes) -> None:
    """Achieved levels of the pairs in descending order, a line for each measure."""
    for (name, rows), (colour, style) in zip(pairs.groupby("measure", sort=False), STYLES, strict=False):
        levels = np.sort(rows["asl"].to_numpy())[::-1]
        share = (levels < alpha).mean()
        label = f"{measure_label(str(name))}: {percent(share)} below {alpha:g}"
        ax.plot(np.arange(1, len(levels) + 1), levels, color=colour, linestyle=style, linewidth=1.2, label=label)
    ax.axhline(alpha, color=PALE, linewidth=0.6)
    above_zero = pairs[pairs["asl"] > 0]
    last = above_zero.groupby("measure").size().max() if len(above_zero) else len(levels)
    ax.set(xlim=(0, 1.05 * last), ylim=(0, min(1.0, 3 * alpha)))


@draws("compare_judgments", "grade_a", "grade_b", "documents")
def plot_confusion(confusion: pd.DataFrame, *, names: tuple[str, str] = ("a", "b"), ax: Axes | None = None) -> Axes:
    """Draw a heat map of two sets of judgments: shares of the second's grades for each grade of the first.

    Parameters
    ----------
    names : pair of str
        Names of the two sets.
    """
    matrix = confusion_matrix(confusion)  # grades of the first by grades of the second
    matrix = matrix.loc[matrix.any(axis=1), matrix.any(axis=0)]
    totals = matrix.sum(axis=1)
    shares = matrix.div(totals, axis=0)
    if NOT_JUDGED in shares.index and NOT_JUDGED in shares:
        shares.loc[NOT_JUDGED, NOT_JUDGED] = np.nan
    shares.index = pd.Index([f"{grade} ({total})" for grade, total in totals.items()])
    ax = plot_heatmap(shares, limits=(0.0, 1.0), label="share of the documents of the row", ax=ax)
    ax.set(xlabel=f"grade by {names[1]}", ylabel=f"grade by {names[0]}")
    return ax


@draws("compare_agreement", "topics", "g", "measure_a", "measure_b")
def plot_agreement(table: pd.DataFrame, *, topics: str = "all", value: str = "tau", ax: Axes | None = None) -> Axes:
    """Draw a heat map of the agreement of GAP, xGAP and eGAP with other measures, for every g."""
    rows = rows_with(table, topics=topics)
    rows = rows[rows["measure_a"] != rows["measure_b"]]  # 1 by definition
    matrix = rows.pivot(index="g", columns=["measure_b", "measure_a"], values=value)
    # rows and columns in the order of the table, columns by the other measure first
    pairs = rows[["measure_b", "measure_a"]].drop_duplicates()
    place_of = {name: k for k, name in enumerate(pairs["measure_b"].unique())}
    pairs = pairs.sort_values("measure_b", key=lambda names: names.map(place_of), kind="stable")
    matrix = matrix.loc[rows["g"].unique(), pd.MultiIndex.from_frame(pairs)]
    matrix.columns = pd.Index([f"{measure_label(b)} – {a}" for b, a in pairs.to_numpy().tolist()])
    ax = plot_heatmap(matrix, limits=tau_limits(matrix), colours="Greens", ax=ax)
    ax.set_title(f"{AGREEMENT[value]}, topics: {topics}", fontsize=TEXT)
    ax.set_ylabel("g")
    return ax


@draws("compare_pools", "topics", "share", "measure")
def plot_pools(table: pd.DataFrame, *, topics: str = "all", value: str = "tau", ax: Axes | None = None) -> Axes:
    """Plot the agreement over the share of the judgments: means, and bands with 95 % of the repetitions.

    The figure follows figures 1 and 2 of the xGAP paper: the flatter and the closer to 1 a line is, the more robust
    is the measure.
    """
    rows = rows_with(table, topics=topics)
    ax, ends = axes_or_new(ax), []
    for (name, measure_rows), (colour, style) in zip(rows.groupby("measure", sort=False), STYLES, strict=False):
        repetitions = measure_rows.groupby("share")[value]
        low, mean, high = repetitions.quantile(0.025), repetitions.mean(), repetitions.quantile(0.975)
        x = 100 * mean.index.to_numpy(dtype=np.float64)
        ax.fill_between(x, low, high, color=colour, alpha=0.1, linewidth=0)
        ax.plot(x, mean, color=colour, linestyle=style, marker=".", label=measure_label(str(name)))
        ends.append((mean.iloc[0], measure_label(str(name)), colour))
    ax.set(xlabel="judgments kept, %", ylabel=f"{AGREEMENT[value]}, 95 % of repetitions")
    ax.set_title(f"topics: {topics}", fontsize=TEXT)
    ax.invert_xaxis()
    label_ends(ax, ends)
    return ax


@draws("compare_systems", *COMPARED)
def plot_comparison(
    table: pd.DataFrame, *, measure: str | None = None, baseline: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot differences from a baseline with their confidence intervals, a line for each run, the best run on top.

    Runs whose corrected p-value is significant are in colour: blue above the baseline, red below it.

    Parameters
    ----------
    baseline : str, optional
        Run with which the others are compared; default: the first baseline of the table.
    """
    # 1. the runs, the worst first: it is at the bottom
    rows = rows_with(table, measure=measure)
    rows = against(rows, str(rows["baseline"].iloc[0] if baseline is None else baseline))
    rows = rows.sort_values("difference", kind="stable")
    # 2. a line for each
    ax = axes_or_new(ax, (SIZE[0], 1.2 + 0.2 * len(rows)))
    is_significant, is_better = rows["reject"], rows["difference"] > 0
    groups = ((~is_significant, GREY), (is_significant & is_better, BLUE), (is_significant & ~is_better, RED))
    for is_member, colour in groups:
        difference, low, high = rows.loc[is_member, ["difference", "low", "high"]].to_numpy().T
        y = np.flatnonzero(is_member)
        ax.hlines(y, low, high, color=colour, linewidth=1.2)
        ax.plot(difference, y, "o", color=colour, markersize=4)
    ax.axvline(0, color=PALE, linewidth=0.6)
    # 3. names
    name_rows(ax, list(rows["run_id"]))
    ax.set_ylim(-0.8, len(rows) - 0.2)
    measure_name, baseline_name = rows[["measure", "baseline"]].iloc[0]
    label = f"{measure_label(measure_name)}, difference of means to\n{shorten(baseline_name)}"
    ax.set_xlabel(label, fontsize=SMALL, parse_math=False, loc="right")  # to the left there is room over the names
    ax.xaxis.set_label_position("top")  # with the best runs: many runs do not fit on a screen
    ax.xaxis.tick_top()
    ax.spines["top"].set_visible(True)
    ax.spines["bottom"].set_visible(False)
    return ax


@draws("evaluate", "run_id", "query_id", "measure", "value")
def plot_topics(
    values: pd.DataFrame, *, run: str, baseline: str, measure: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the differences of two runs by topic, the largest gain on top.

    Parameters
    ----------
    values : DataFrame
        ``tables["values"]`` of :func:`maxent.evaluate`.
    run, baseline : str
        The two runs: the difference is the value of ``run`` minus the value of ``baseline``.
    """
    rows = rows_with(values, measure=measure)
    of_run, of_baseline = (rows_with(rows, run_id=name).set_index("query_id")["value"] for name in (run, baseline))
    differences = (of_run - of_baseline).sort_values()
    ax = axes_or_new(ax, (SIZE[0], 1.2 + 0.17 * len(differences)))
    ax.barh(range(len(differences)), differences, color=np.where(differences > 0, BLUE, RED))
    ax.axvline(0, color=PALE, linewidth=0.6)
    name_rows(ax, list(differences.index))
    ax.set_ylim(-0.8, len(differences) - 0.2)
    counts = f"{(differences > 0).sum()} of {len(differences)} topics better, {(differences < 0).sum()} worse"
    ax.set_title(counts, fontsize=TEXT)
    label = f"{measure_label(rows['measure'].iloc[0])}, {shorten(run)}\nminus {shorten(baseline)}"
    ax.set_xlabel(label, fontsize=SMALL, parse_math=False)
    return ax
