"""Heat map of a matrix with the numbers written into the cells."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

DARK = 0.6  # share of the colour scale above which numbers are white


def plot_heatmap(
    matrix: pd.DataFrame,
    *,
    limits: tuple[float, float],
    colours: str = "Blues",
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Heat map with three decimals in every cell; cells without a number stay white.

    Parameters
    ----------
    matrix : DataFrame
        Numbers; the names of rows and columns become labels.
    limits : pair of float
        Ends of the colour scale.
    colours : str
        Colour map from light to dark.
    label : str
        Label of the colour bar.
    ax : Axes, optional
        Axes to draw on; default: those of a new figure.

    Returns
    -------
    Axes
    """
    rows, columns = matrix.shape
    if ax is None:
        ax = plt.subplots(figsize=(3 + 0.75 * columns, 2 + 0.5 * rows), layout="constrained")[1]
    values, (low, high) = matrix.to_numpy(dtype=np.float64), limits
    image = ax.imshow(np.ma.masked_invalid(values), cmap=colours, vmin=low, vmax=high, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        colour = "white" if value - low > DARK * (high - low) else "black"
        text = f"{value:.3f}" if np.isfinite(value) else "–"
        ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
    ax.set_xticks(range(columns), matrix.columns, rotation=40, ha="right", rotation_mode="anchor", fontsize=8)
    ax.set_yticks(range(rows), matrix.index, fontsize=8)
    ax.figure.colorbar(image, ax=ax).set_label(label, fontsize=8)
    return ax
