"""Figures of several measures known together: chosen one after the other, and what one adds to others."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.plot.heatmap import plot_heatmap
from maxent.plot.style import BLUE, SMALL, TEXT, axes_or_new, draws, rows_with
from maxent.study.choose_measures import HELPS
from maxent.study.compare import ROUNDING
from maxent.texts import measure_label, threshold_label


@draws("choose_measures", "added", "rms", "rms_low", "rms_high", "verdict")
def plot_steps(steps: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean RMS error with one more measure after the other, with 95 % intervals.

    Steps that are not certain to help have open circles, and say so.
    """
    ax = axes_or_new(ax)
    at = np.arange(len(steps))
    ax.vlines(at, steps["rms_low"], steps["rms_high"], color=BLUE, linewidth=1.5)
    ax.plot(at, steps["rms"], "o-", color=BLUE, markersize=5)
    open_circles = ~steps["verdict"].isin(["", HELPS]).to_numpy()
    ax.plot(at[open_circles], steps["rms"][open_circles], "o", color=BLUE, mfc="white", markersize=5)
    names = ["counts alone"]
    for added, verdict in zip(steps["added"][1:], steps["verdict"][1:], strict=True):
        names.append(f"+ {measure_label(added)}" + (f"\n({verdict})" if verdict != HELPS else ""))
    ax.set_xticks(at, names, rotation=20, ha="right", rotation_mode="anchor", fontsize=SMALL)
    ax.set(xlim=(-0.3, len(steps) - 0.7), ylim=(0, None), ylabel="mean RMS error, 95 % interval")
    return ax


@draws("redundancy", "threshold", "known", "added", "rms_known", "gain", "gain_low", "gain_high")
def plot_redundancy(table: pd.DataFrame, *, threshold: int = 0, ax: Axes | None = None) -> Axes:
    """Heat map of what each measure (column) adds to what is known (row); a measure that adds nothing is redundant.

    Measures stand in the order of their own errors, the most informative first. Numbers in brackets are within
    noise: their interval includes 0. Colours start at 0, and decreases below it have the colour of 0.

    Parameters
    ----------
    threshold : int
        Threshold whose gains are drawn; 0 is the mean over all.
    """
    rows = rows_with(table, threshold=threshold)
    known = list(dict.fromkeys(rows.sort_values("rms_known", kind="stable")["known"]))
    place = {text: k for k, text in enumerate(known)}
    added = sorted(dict.fromkeys(rows["added"]), key=lambda text: place.get(text, len(place)))
    gain, low, high = (
        rows.pivot(index="known", columns="added", values=name).reindex(index=known, columns=added)
        for name in ("gain", "gain_low", "gain_high")
    )
    limits = (0.0, max(float(rows["gain"].max()), 1e-9))
    named = gain.rename(index=measure_label, columns=measure_label)
    ax = plot_heatmap(named, limits=limits, label="mean decrease of the RMS error", ax=ax)
    noise = (low.to_numpy() <= ROUNDING) & (high.to_numpy() >= -ROUNDING)
    for text, within in zip(ax.texts, noise.ravel(), strict=False):  # narrow cells have no texts
        text.set_text(f"({text.get_text()})" if within else text.get_text())
    ax.set(xlabel="measure added", ylabel="known")
    highest = int(table["threshold"].max())
    of = "mean over the thresholds" if threshold == 0 else threshold_label(threshold, highest)
    ax.set_title(f"{of}; ( ) within noise", fontsize=TEXT)
    return ax
