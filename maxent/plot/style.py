"""What all figures share: colours, line styles, and the labels of measures, g and thresholds."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

BLUE, RED, GREEN, GREY = "#1f5fa8", "#c0392b", "#2e8b57", "#555555"
COLOURS = (RED, GREEN, "#8e44ad", "#b8860b", "#008b8b", "#d2691e", "#c71585")
LINES = ("--", "-.", ":", (0, (5, 1, 1, 1)))
REFERENCE_STYLES = tuple((COLOURS[k % 7], LINES[k % 4]) for k in range(28))  # all different


def axes_or_new(ax: Axes | None) -> Axes:
    """Axes to draw on: the given ones, or those of a new figure."""
    return plt.subplots(figsize=(6, 4), layout="constrained")[1] if ax is None else ax
