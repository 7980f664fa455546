"""Figures of several measures: measures chosen one after the other, and differences by reading."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.errors import ProblemError
from maxent.plot.style import BLUE, GREY, PALE, SMALL, STYLES, axes_or_new, draws, rows_with
from maxent.stats.intervals import ROUNDING
from maxent.texts import MEAN, READING, many, measure_label

HELPS = "helps"  # the verdict on a step that is certain to help


@draws("choose_measures", "added", "rms", "rms_low", "rms_high", "verdict")
def plot_steps(steps: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot the mean RMS error as measures are added one after the other, with 95 % intervals.

    Steps whose improvement is not certain have open circles and a label.
    """
    ax = axes_or_new(ax)
    x = np.arange(len(steps))
    ax.vlines(x, steps["rms_low"], steps["rms_high"], color=BLUE, linewidth=1.5)
    ax.plot(x, steps["rms"], "o-", color=BLUE, markersize=5)
    is_uncertain = ~steps["verdict"].isin(["", HELPS]).to_numpy()
    ax.plot(x[is_uncertain], steps["rms"][is_uncertain], "o", color=BLUE, mfc="white", markersize=5)
    names = ["counts alone"]
    for added, verdict in zip(steps["added"][1:], steps["verdict"][1:], strict=True):
        names.append(f"+ {measure_label(added)}" + (f"\n({verdict})" if verdict != HELPS else ""))
    ax.set_xticks(x, names, rotation=20, ha="right", rotation_mode="anchor", fontsize=SMALL)
    ax.set(xlim=(-0.3, len(steps) - 0.7), ylim=(0, None), ylabel="mean RMS error, 95 % interval")
    return ax


@draws(
    "compare_measures", "threshold", "first", "second", "difference", "difference_low", "difference_high", *READING
)
def plot_verdicts(differences: pd.DataFrame, *, threshold: int | None = 0, ax: Axes | None = None) -> Axes:
    """Plot the difference of two measures' errors with its interval, in every reading, a row for each pair.

    Left of 0, the first measure of a pair has the smaller error. Circles are open if the interval includes 0.
    Pairs without an interval, in which the counts alone fix one of the measures, are omitted.

    Parameters
    ----------
    differences : DataFrame
        ``tables["differences"]`` of :func:`maxent.compare_measures`.
    threshold : int
        Threshold whose differences are drawn; 0: the mean over all thresholds; None: every threshold in the table.
    """
    # 1. the differences that have an interval
    all_rows = differences if threshold is None else rows_with(differences, threshold=threshold)
    rows = all_rows[all_rows["difference_low"].notna()]
    if rows.empty:
        raise ProblemError("no pair of measures has an interval to draw")
    # 2. the name of the pair and of the reading of each difference
    pairs = rows["first"].map(measure_label) + "\nminus " + rows["second"].map(measure_label)
    pairs += rows["threshold"].map(lambda t: f", t={t}" if t else ", mean")
    names = list(dict.fromkeys(pairs))
    varied = [name for name in READING if rows[name].nunique() > 1] or READING
    reading_of_row = rows[varied].astype(str).agg(", ".join, axis=1)
    readings = list(dict.fromkeys(reading_of_row))
    # 3. a row for each pair, in which the readings are below one another
    ax = axes_or_new(ax)
    ax.axvline(0.0, color=PALE, linewidth=0.8)
    for k, reading in enumerate(readings):
        compared = rows[reading_of_row == reading]
        y = [names.index(pair) + 0.8 * ((k + 0.5) / len(readings) - 0.5) for pair in pairs[compared.index]]
        low, high = compared["difference_low"], compared["difference_high"]
        colour = STYLES[k % len(STYLES)][0]
        is_certain = (low > ROUNDING) | (high < -ROUNDING)
        faces = np.where(is_certain, colour, "white")
        ax.hlines(y, low, high, color=colour, linewidth=1, label=reading)
        ax.scatter(compared["difference"], y, s=14, color=colour, facecolors=faces, zorder=3)
    ax.scatter([], [], s=14, color=GREY, facecolors="white", label="interval includes 0")
    # 4. labels
    ax.set_yticks(range(len(names)), names, fontsize=SMALL)
    label = f"difference of RMS errors, for threshold t or {MEAN}\n95 % interval, corrected for the number of pairs"
    number, drawn = (len(table[["first", "second"]].drop_duplicates()) for table in (all_rows, rows))
    if drawn < number:
        label += f"\nnot drawn, as no list gives an interval: {many(number - drawn, 'pair')}"
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=label)
    ax.legend(title=", ".join(varied), loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=7, frameon=False)
    return ax
