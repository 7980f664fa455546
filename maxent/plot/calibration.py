"""The figure of calibration: where what is observed lies within its distributions."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.plot.style import PALE, SMALL, STYLES, axes_or_new, draws, rows_with
from maxent.studies.calibration import PIT_EDGES, PITS
from maxent.texts import measure_label


@draws("study.summarize_calibration", "measure", "target", *PITS)
def plot_calibration(summary: pd.DataFrame, *, target: str | None = None, ax: Axes | None = None) -> Axes:
    """Density of the probability integral transform of ranks or values, a line for each known measure.

    It is 1 everywhere where distributions are right. A line that is high at both ends says that they are too
    narrow, one that is high in the middle that they are too wide, and one that is high on the left that relevant
    documents are further up, or values smaller, than expected. Ranks and values are discrete: each observation is
    spread evenly over its interval, see :func:`maxent.studies.calibration`.
    """
    rows = rows_with(summary, target=target)
    ax = axes_or_new(ax)
    ax.axhline(1.0, color=PALE, linewidth=0.8)
    top = 1.05 * max(1.0, rows[list(PITS)].to_numpy(dtype=float).max() * len(PITS))
    for (_, row), (colour, style) in zip(rows.iterrows(), STYLES, strict=False):
        density = row[list(PITS)].to_numpy(dtype=float) * len(PITS)
        label = f"from {measure_label(row['measure'])}"
        ax.stairs(density, PIT_EDGES, baseline=None, color=colour, linestyle=style, linewidth=1.5, label=label)
    observed = measure_label(rows["target"].iloc[0])
    ax.set(xlabel=f"probability integral transform of {observed}", ylabel="density over lists")
    ax.set(xlim=(0, 1), ylim=(0, top), xticks=np.linspace(0, 1, 6))
    ax.legend(fontsize=SMALL, frameon=False)
    return ax
