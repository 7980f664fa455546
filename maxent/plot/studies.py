"""Figures of studies: errors over g, the choice of g, predictions."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.measures.candidates import candidates_of
from maxent.plot.heatmap import plot_heatmap, tau_limits
from maxent.plot.style import (
    BLUE,
    GREY,
    RED,
    REFERENCE_STYLES,
    SMALL,
    TEXT,
    axes_or_new,
    draws,
    label_ends,
    rows_with,
)
from maxent.plot.ternary import plot_ternary, to_plane
from maxent.stats.matrices import prediction_matrix
from maxent.texts import (
    PREDICTED,
    g_label,
    g_symbol,
    is_without_content,
    measure_label,
    threshold_label,
)
from maxent.types import BoolArray

STAR: dict[str, Any] = {"marker": "*", "markersize": 14, "color": RED, "linestyle": "", "zorder": 6}
RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 11,
    "linestyle": "",
    "color": RED,
    "fillstyle": "none",
    "zorder": 5,
    "label": "may be the best (95 %)",
}
BELOW: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.03), "fontsize": SMALL, "frameon": False}
ABOVE: dict[str, Any] = {  # of axes without a title, so that no line passes through a mark of the legend
    "loc": "lower left",
    "bbox_to_anchor": (0.0, 1.0),
    "fontsize": SMALL,
    "frameon": False,
}
NULL: dict[str, Any] = {"color": GREY, "linestyle": "-", "linewidth": 3, "alpha": 0.35}  # the broken stick
ERROR = "mean RMS error of the inferred curve"
OBJECTIVE = "mean RMS error over the thresholds"


@draws("summarize", "measure", "threshold", "lists", "rms", "rms_low", "rms_high")
def plot_informativeness(
    summary: pd.DataFrame, *, threshold: int = 1, limits: tuple[float, float] | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the mean RMS error over g: GAP as a line with a bootstrap band, other measures as horizontal lines.

    The figure follows figure 2 of the GAP paper. The intervals of other measures are on the right. The broken
    stick, a measure without content, is a grey line. With three positive grades, the errors of GAP are a triangular
    map without intervals, in which other measures are contour lines and marks on the colour bar. With more grades,
    the candidates are points with intervals side by side, the best first.

    Parameters
    ----------
    limits : pair of float, optional
        Range of errors that the colours of a map must cover, or ends of the axis of errors; default: the range of
        the data.
    """
    rows = rows_with(summary[summary["lists"] > 0], threshold=threshold)
    candidates = candidates_of(rows["measure"])
    is_gap = rows["measure"].isin(candidates) & (len(candidates) > 1)  # a single g is no curve
    gap, references = rows[is_gap], rows[~is_gap]
    levels = _levels(gap)
    if levels == 3:
        ax = _draw_map(gap, "rms", ERROR, references=references, limits=limits, ax=ax)
    else:
        ax = axes_or_new(ax)
        if limits is not None:
            ax.set(ylim=limits, autoscaley_on=False)
        gap = gap.sort_values("rms") if levels > 3 else gap
        _draw_sweep(gap, "rms", "rms_low", "rms_high", ax)
        _draw_references(gap, references, ax)
        ax.set_ylabel("mean RMS error, 95 % interval")
    ax.set_title(threshold_label(threshold, int(summary["threshold"].max())), fontsize=TEXT)
    return ax


@draws("study", "measure", "lists")
def plot_measures(
    summary: pd.DataFrame,
    *,
    title: str = "",
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot mean RMS errors of measures with their 95 % intervals, the most informative measure at the top.

    The broken stick, a measure without content, is a grey line.

    Parameters
    ----------
    limits : pair of float, optional
        Ends of the axis, to compare several panels.
    """
    ax = axes_or_new(ax)
    rows = summary[summary["lists"] > 0].sort_values("rms", ascending=False, kind="stable")
    is_null = rows["measure"].map(is_without_content) & (rows["measure"].nunique() > 1)
    for row in rows[is_null].to_dict("records"):
        ax.axvline(row["rms"], label=measure_label(row["measure"]), **NULL)
    rows = rows[~is_null]
    places = np.arange(len(rows))
    ends = rows[["rms_low", "rms_high"]].to_numpy().T
    ax.hlines(places, *ends, color=GREY, lw=1.4)
    ax.plot(rows["rms"], places, "o", color=BLUE, ms=5)
    ax.set_yticks(places, [measure_label(name) for name in rows["measure"]])
    ax.set_xlabel("mean RMS error, 95 % interval")
    ax.set_title(title, fontsize=TEXT)
    if is_null.any():
        ax.legend(fontsize=SMALL, frameon=False)
    if limits is not None and limits[0] < limits[1]:
        ax.set_xlim(limits)
    return ax


def _g(gap: pd.DataFrame) -> list[tuple[float, ...]]:
    """The g of each candidate: from the columns g_1, g_2, ... of ``GChoice.table``, else from texts of measures."""
    if "g_1" in gap:
        return [tuple(g) for g in gap.filter(regex="^g_").to_numpy().tolist()]
    return list(candidates_of(gap["measure"]).values())


def _kind(gap: pd.DataFrame) -> str:
    """Label of the candidates: GAP, or nDCG whose gains are sums of g."""
    is_ndcg = gap["measure"].iloc[0].startswith("nDCG")
    return "nDCG, gains g₁ + … + gᵢ" if is_ndcg else "GAP(g)"


def _levels(gap: pd.DataFrame) -> int:
    """Number of positive grades of the candidates; 0 if there are none."""
    return len(_g(gap.head(1))[0]) if len(gap) else 0


def _draw_references(gap: pd.DataFrame, references: pd.DataFrame, ax: Axes) -> None:
    """Other measures as horizontal lines, with their intervals and the names of all measures on the right."""
    ends = [(gap["rms"].iloc[-1], "GAP(g)", BLUE)] if len(gap) else []
    for k, reference in enumerate(_references(references)):
        row, label = reference.row, measure_label(reference.row["measure"])
        ax.axhline(row["rms"], color=reference.colour, linestyle=reference.style, label=label)
        x = 1.02 + 0.02 * k  # beyond the right end of the axes
        ax.plot(
            [x, x],
            [row["rms_low"], row["rms_high"]],
            color=reference.colour,
            linewidth=2,
            transform=ax.get_yaxis_transform(),
            clip_on=False,
            scaley=True,
        )
        ends.append((row["rms"], label, reference.colour))
    if gap.empty:
        ax.set_xticks([])
    label_ends(ax, ends, x=1.03 + 0.02 * len(references))


class _Reference(NamedTuple):
    """A measure beside the candidates: colour and style of its line, and its row in the summary."""

    colour: str
    style: Any
    row: dict[Hashable, Any]


def _references(rows: pd.DataFrame) -> Iterator[_Reference]:
    """The measures of some rows; the broken stick, last, is grey."""
    is_null = rows["measure"].map(is_without_content).astype(bool)
    for (colour, style), row in zip(REFERENCE_STYLES, rows[~is_null].to_dict("records"), strict=False):
        yield _Reference(colour, style, row)
    for row in rows[is_null].to_dict("records"):
        yield _Reference(NULL["color"], NULL["linestyle"], row)


def _draw_map(
    gap: pd.DataFrame,
    value: str,
    label: str,
    *,
    references: pd.DataFrame | None = None,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """GAP over g for three grades: a triangular map, a star at one candidate, other measures as contours."""
    g, z = _g(gap), gap[value].to_numpy()
    corners = [f"{g_symbol(k)} = 1" for k in (1, 2, 3)]
    if _kind(gap) == "GAP(g)":
        corners = [f"{corner}: {ap}" for corner, ap in zip(corners, ("AP", "AP(rel=2)", "AP(rel=3)"), strict=True)]
    contours = [
        (reference.row[value], reference.colour, reference.style, measure_label(reference.row["measure"]))
        for reference in (() if references is None else _references(references))
    ]
    ax = plot_ternary(g, z, corners=corners, contours=contours, limits=limits, label=label, ax=ax)
    star, name = _starred(gap, value)
    ax.plot(*to_plane(g[star]), **STAR, label=f"{name}: {g_label(g[star])}: {z[star]:.3f}")
    ax.legend(**BELOW)
    return ax


def _draw_sweep(gap: pd.DataFrame, value: str, low: str, high: str, ax: Axes) -> None:
    """Errors of the candidates in columns of a table: for two grades over g_1, otherwise side by side."""
    levels = _levels(gap)
    if levels == 2:
        _draw_over_g(gap, value, low, high, ax)
    elif levels:
        _draw_side_by_side(gap, value, low, high, ax)


def _draw_over_g(gap: pd.DataFrame, value: str, low: str, high: str, ax: Axes) -> None:
    """A line over g_1, with a band from ``low`` to ``high``."""
    g = _g(gap)
    x = [g_1 for g_1, _ in g]
    ax.fill_between(x, gap[low], gap[high], color=BLUE, alpha=0.15, linewidth=0)
    ax.plot(x, gap[value], color=BLUE, marker="o", markersize=4, label=_kind(gap))
    # ticks at the candidates nearest to even places: a refined g among the others would stand over their labels
    even = np.linspace(min(x), max(x), 5)
    nearest = np.unique(np.abs(np.subtract.outer(even, x)).argmin(axis=1))
    ticks = _apart(x, nearest)
    ax.set_xticks([x[k] for k in ticks], [g_label(g[k]).replace(", ", "\n") for k in ticks], fontsize=SMALL)
    ax.set_xlabel("above g₁, below g₂" + ("" if _kind(gap) == "GAP(g)" else ", steps of the gains"))


def _draw_side_by_side(gap: pd.DataFrame, value: str, low: str, high: str, ax: Axes) -> None:
    """A point for each candidate, in the order of the table, with a bar from ``low`` to ``high``."""
    g = _g(gap)
    x = list(range(len(g)))
    several = len(g) > 1
    ax.vlines(x, gap[low], gap[high], color=BLUE, alpha=0.3, linewidth=3)
    ax.plot(x, gap[value], color=BLUE, marker="o", markersize=4, linestyle="", label=_kind(gap))
    step = -(-len(g) // 16)  # 16 labels at most
    ax.set_xticks(x[::step], [g_label(v) for v in g[::step]], fontsize=7, rotation=90 if several else 0)
    symbols = ", ".join(g_symbol(grade) for grade in range(1, len(g[0]) + 1))
    ax.set_xlabel(f"{symbols}, best first" if several else symbols)


def _apart(x: Sequence[float], ticks: Iterable[int]) -> list[int]:
    """Of ``ticks``, indices of ascending places ``x``, those that leave room for the label of the one before."""
    room = (max(x) - min(x)) / 8
    legible: list[int] = []
    for k in ticks:
        if not legible or x[k] - x[legible[-1]] >= room:
            legible.append(k)
    return legible


@draws("GChoice.table", "measure", "g_1", "objective", "low", "high")
def plot_choice(table: pd.DataFrame, *, limits: tuple[float, float] | None = None, ax: Axes | None = None) -> Axes:
    """Plot the objective of every candidate g with its interval, and the error for each threshold.

    A star marks the recommended g, rings the others that may be the best of the grid. The broken stick, a measure
    without content, is a grey line. With three positive grades, the figure is a triangular map of the objective
    alone. With more grades, the candidates are side by side, the best first, and there are no rings.

    Parameters
    ----------
    limits : pair of float, optional
        As for :func:`plot_informativeness`.
    """
    is_null = table["measure"].map(is_without_content)
    table, null_rows = table[~is_null], table[is_null]
    if "g_3" in table and "g_4" not in table:
        ax = _draw_map(table, "objective", OBJECTIVE, references=null_rows, limits=limits, ax=ax)
        is_alike = _alike(table)
        if is_alike.any():
            ax.plot(*to_plane(table.loc[is_alike, ["g_1", "g_2", "g_3"]]).T, **RING)
        ax.legend(**BELOW)
        return ax
    ax = axes_or_new(ax)
    if limits is not None:
        ax.set(ylim=limits, autoscaley_on=False)
    # 1. the objective: for two grades a line over g_1, else candidates side by side
    has_line = "g_2" in table and "g_3" not in table
    table = table.sort_values("g_1" if has_line else "objective", ignore_index=True)  # a refined g is last
    _draw_sweep(table, "objective", "low", "high", ax)
    x = table["g_1"].to_numpy() if has_line else np.arange(len(table))
    ends = [(table["objective"].iloc[-1], "mean of all", BLUE)]
    # 2. the error for each threshold, and of the broken stick
    parts = [name for name in table.columns if name.startswith("rms_t")]
    for part, style, marker in zip(parts, cycle(("--", ":", "-.", (0, (5, 1)))), cycle("v^<>sD"), strict=False):
        look: dict[str, Any] = {"linestyle": "", "marker": marker, "markersize": 3}
        if has_line:
            look = {"linestyle": style, "linewidth": 1}
        label = f"threshold {part.removeprefix('rms_t')} alone"
        ax.plot(x, table[part], color=GREY, label=label, **look)
        ends.append((table[part].iloc[-1], label, GREY))
    for row in null_rows.to_dict("records"):
        ax.axhline(row["objective"], **NULL)
        ends.append((row["objective"], measure_label(row["measure"]), GREY))
    # 3. star and rings
    star, name = _starred(table, "objective")
    g_of_star = g_label(table.filter(regex="^g_").iloc[star].tolist())
    marks = ax.plot(x[star], table["objective"].iloc[star], **STAR, label=f"{name}: {g_of_star}")
    is_alike = _alike(table)
    if has_line and is_alike.any():
        marks += ax.plot(x[is_alike], table.loc[is_alike, "objective"], **RING)
    ax.set_ylabel("mean RMS error over\nthe thresholds, 95 % interval")
    ax.legend(handles=marks, **ABOVE)
    label_ends(ax, ends)
    return ax


def _starred(table: pd.DataFrame, value: str) -> tuple[int, str]:
    """Place and name of the candidate with a star: the recommended one or, in a summary, the best."""
    if "role" in table:
        is_recommended = table["role"].eq("recommended").to_numpy()
        if is_recommended.any():
            return int(is_recommended.argmax()), "recommended"
    return int(table[value].argmin()), "best"


def _alike(table: pd.DataFrame) -> BoolArray:
    """Candidates of the grid, except the starred one, that may be the best, (candidates,)."""
    may_be_best = table.get("may_be_best", pd.Series(False, table.index)).astype("boolean")  # missing: no set
    is_alike = may_be_best.fillna(False).to_numpy(dtype=np.bool_, copy=True)
    star, _ = _starred(table, "objective")
    is_alike[star] = False
    return is_alike


@draws("studies.summarize_predictions", "measure", "target")
def plot_predictions(summary: pd.DataFrame, *, value: str = "rms", ax: Axes | None = None) -> Axes:
    """Draw a heat map of how well each given measure (row) predicts each target (column).

    Parameters
    ----------
    value : {"rms", "mae", "tau", "tau_systems"}
        Column of the summary. Errors are blue, on a scale from 0 to the largest; tau is green, on a scale from the
        smallest, rounded down to tenths, to 1.
    """
    matrix = prediction_matrix(summary, value)
    matrix = matrix.rename(index=measure_label, columns=measure_label)
    if value.startswith("tau"):
        ax = plot_heatmap(matrix, limits=tau_limits(matrix), colours="Greens", ax=ax)
    else:
        ax = plot_heatmap(matrix, limits=(0.0, float(np.nanmax(matrix.to_numpy(), initial=1e-9))), ax=ax)
    ax.set(xlabel="predicted measure", ylabel="given measure")
    ax.set_title(PREDICTED[value], fontsize=TEXT)
    return ax
