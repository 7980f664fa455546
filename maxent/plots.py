"""Figures. Every function takes a table and ``ax=None``, draws, and returns the axes; none shows or saves."""

import re
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from maxent.errors import ProblemError
from maxent.measures import GAP, parse_measure

BLUE, RED, GREEN, GREY = "#1f5fa8", "#c0392b", "#2e8b57", "#555555"
COLOURS = (RED, GREEN, "#8e44ad", "#b8860b", "#008b8b", "#d2691e", "#c71585")
LINES = ("--", "-.", ":", (0, (5, 1, 1, 1)))
REFERENCE_STYLES = tuple((COLOURS[k % 7], LINES[k % 4]) for k in range(28))  # no two alike


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(figsize=(6, 4), layout="constrained")[1] if ax is None else ax


def measure_label(text: str) -> str:
    """Text form of a measure with its long numbers rounded to four digits."""
    return re.sub(r"\d*\.\d{5,}", lambda number: f"{float(number[0]):.4g}", text)


def g_label(g: Sequence[float]) -> str:
    """Threshold probabilities as a tick label: ``.25, .75``."""
    return ", ".join(f"{x:.4g}".replace("0.", ".", 1) if 0 < x < 1 else f"{x:g}" for x in g)


def threshold_label(threshold: int, highest: int) -> str:
    """What counts as relevant, in words."""
    if threshold == 1:
        return "all relevant documents (grade ≥ 1)"
    return f"only grade {'≥ ' if threshold < highest else ''}{threshold}"


def plot_informativeness(summary: pd.DataFrame, *, threshold: int = 1, ax: Axes | None = None) -> Axes:
    """Mean RMS error against g: GAP as a line with its bootstrap band, other measures as reference lines.

    GAP paper, figure 2. With three or more positive grades the candidates stand side by side as points.

    Parameters
    ----------
    summary : DataFrame
        From :func:`maxent.summarize`.
    threshold : int
    ax : Axes, optional
    """
    ax = _axes(ax)
    rows = summary[(summary["threshold"] == threshold) & (summary["lists"] > 0)]
    if rows.empty:
        raise ProblemError(f"the summary has no solved list for threshold {threshold}")
    is_gap = rows["measure"].str.startswith("GAP(")
    gap, others = rows[is_gap], rows[~is_gap]
    _draw_sweep(gap, "rms", "rms_low", "rms_high", ax)
    for (colour, style), (_, row) in zip(REFERENCE_STYLES, others.iterrows(), strict=False):
        ax.axhline(row["rms"], color=colour, linestyle=style, label=measure_label(row["measure"]))
    if gap.empty:
        ax.set_xticks([])
    ax.set_ylabel("mean RMS error of the inferred curve")
    ax.set_title(threshold_label(threshold, int(summary["threshold"].max())), fontsize=10)
    ax.legend(fontsize=8)
    return ax


def _draw_sweep(gap: pd.DataFrame, value: str, low: str, high: str, ax: Axes) -> None:
    """GAP over g: a line with a band along g_1 for two grades, points with bars otherwise."""
    g = [m.g for m in map(parse_measure, gap["measure"]) if isinstance(m, GAP)]
    if not g:
        return
    if len(g[0]) == 2:
        x = [pair[0] for pair in g]
        ax.fill_between(x, gap[low], gap[high], color=BLUE, alpha=0.15, linewidth=0, label="95 % interval (topics)")
        ax.plot(x, gap[value], color=BLUE, marker="o", markersize=4, label="GAP(g)")
        shown = np.unique(np.linspace(0, len(g) - 1, 5).round().astype(int))
        ax.set_xticks([x[k] for k in shown], [g_label(g[k]) for k in shown], fontsize=8)
        ax.set_xlabel(r"$g_1,\, g_2$")
    else:
        x = list(range(len(g)))
        ax.vlines(x, gap[low], gap[high], color=BLUE, alpha=0.3, linewidth=3, label="95 % interval (topics)")
        ax.plot(x, gap[value], color=BLUE, marker="o", markersize=4, linestyle="", label="GAP(g)")
        step = max(1, -(-len(g) // 16))
        ax.set_xticks(x[::step], [g_label(v) for v in g[::step]], fontsize=7, rotation=90 if len(g) > 1 else 0)
        ax.set_xlabel(", ".join(f"$g_{k + 1}$" for k in range(len(g[0]))))


def informativeness_figure(summary: pd.DataFrame, *, title: str = "") -> Figure:
    """One panel of :func:`plot_informativeness` for each threshold."""
    thresholds = sorted(summary["threshold"].unique())
    figure = Figure(figsize=(5.2 * len(thresholds), 4.2), layout="constrained")
    for ax, threshold in zip(
        np.ravel(figure.subplots(1, len(thresholds), squeeze=False, sharey=True)), thresholds, strict=True
    ):
        plot_informativeness(summary, threshold=int(threshold), ax=ax)
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


def plot_choice(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """The objective of every candidate g with its interval, its parts by threshold, and the chosen g.

    Parameters
    ----------
    table : DataFrame
        ``GChoice.table``.
    ax : Axes, optional
    """
    ax = _axes(ax)
    table = table.sort_values(list(table.filter(regex="^g_").columns), ignore_index=True)  # a refined g is last
    _draw_sweep(table, "objective", "low", "high", ax)
    parts = [c for c in table.columns if c.startswith("rms_t")]
    best = int(table["objective"].to_numpy().argmin())
    two = "g_2" in table.columns and "g_3" not in table.columns
    x = table["g_1"].to_numpy() if two else np.arange(len(table))
    for part, style, marker in zip(parts, cycle(("--", ":", "-.", (0, (5, 1)))), cycle("v^<>sD"), strict=False):
        look: dict[str, Any] = (
            {"linestyle": style, "linewidth": 1} if two else {"linestyle": "", "marker": marker, "markersize": 3}
        )
        ax.plot(x, table[part], color=GREY, label=f"threshold {part.removeprefix('rms_t')} alone", **look)
    ax.plot(x[best], table["objective"].iloc[best], marker="*", markersize=14, color=RED, linestyle="",
            label=f"chosen: {g_label(table.filter(regex='^g_').iloc[best].tolist())}")  # fmt: skip
    ax.set_ylabel("weighted mean RMS error")
    ax.legend(fontsize=8)
    return ax


def plot_curves(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Actual precision-recall points of one list against the curves inferred from measures.

    Parameters
    ----------
    curves : DataFrame
        Columns curve (``actual`` or the measure), recall, precision.
    ax : Axes, optional
    """
    ax = _axes(ax)
    styles = cycle(((BLUE, "-"), *REFERENCE_STYLES))
    for name, rows in curves.groupby("curve", sort=False):
        if name == "actual":
            ax.plot(rows["recall"], rows["precision"], color="black", marker="o", markersize=3, linewidth=0.6,
                    label="actual")  # fmt: skip
        else:
            colour, style = next(styles)
            ax.plot(
                rows["recall"],
                rows["precision"],
                color=colour,
                linestyle=style,
                label=f"inferred from {measure_label(str(name))}",
            )
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.03))
    ax.legend(fontsize=8)
    return ax


def plot_profile(profile: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Probability of every positive grade at every rank, on a logarithmic rank axis.

    Parameters
    ----------
    profile : DataFrame
        Columns measure, rank, grade, p: from :func:`maxent.profile`, several of them stacked if you like.
    ax : Axes, optional
    """
    ax = _axes(ax)
    grades = sorted(g for g in profile["grade"].unique() if g > 0)
    shades = dict(zip(grades, plt.get_cmap("viridis")(np.linspace(0.75, 0.1, len(grades))), strict=True))
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
