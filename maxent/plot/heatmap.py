"""Heat map of a matrix with the numbers written into the cells."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from maxent.errors import require_columns
from maxent.plot.style import SMALL, axes_or_new, draws, panel_width

CELL = 0.3  # inches that a number takes
DARK = 0.6  # share of the colour scale above which numbers are white


def tau_limits(matrix: pd.DataFrame) -> tuple[float, float]:
    """Ends of the colour scale of Kendall's tau: from the smallest, rounded down to tenths, to 1."""
    return float(np.floor(10 * np.nanmin(matrix.to_numpy(), initial=0.9)) / 10), 1.0


@draws()
def plot_heatmap(
    matrix: pd.DataFrame,
    *,
    limits: tuple[float, float],
    colours: str = "Blues",
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a heat map with three decimals in every cell; cells without a number stay white.

    Cells that are too narrow for numbers have only their colours.

    Parameters
    ----------
    matrix : DataFrame
        Numbers; the names of rows and columns become labels.
    limits : pair of float
        Ends of the colour scale.
    colours : str
        Colour map from light to dark.
    label : str
        Label of the colour scale: the meaning of the numbers.
    """
    require_columns(matrix, (), "matrix")
    rows, columns = matrix.shape
    ax = axes_or_new(ax, (2.6 + 0.6 * columns, 1.8 + 0.36 * rows))
    ax.spines[["top", "right"]].set_visible(True)
    values, (low, high) = matrix.to_numpy(dtype=np.float64), limits
    image = ax.imshow(np.ma.masked_invalid(values), cmap=colours, vmin=low, vmax=high, aspect="auto")
    room = panel_width(ax) - 1.6  # labels and the colour scale take the rest
    if room >= CELL * columns:
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if value - low > DARK * (high - low) else "black"
            text = f"{value:.3f}".replace("0.", ".", 1) if np.isfinite(value) else "–"
            ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=SMALL)
    ax.set_xticks(range(columns), matrix.columns, rotation=40, ha="right", rotation_mode="anchor", fontsize=SMALL)
    ax.set_yticks(range(rows), matrix.index, fontsize=SMALL)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label(label, fontsize=SMALL)
    return ax
