"""What all figures share: colours, line styles, and the labels of measures, g and thresholds."""

import re
from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

BLUE, RED, GREEN, GREY = "#1f5fa8", "#c0392b", "#2e8b57", "#555555"
COLOURS = (RED, GREEN, "#8e44ad", "#b8860b", "#008b8b", "#d2691e", "#c71585")
LINES = ("--", "-.", ":", (0, (5, 1, 1, 1)))
REFERENCE_STYLES = tuple((COLOURS[k % 7], LINES[k % 4]) for k in range(28))  # all different


def axes_or_new(ax: Axes | None) -> Axes:
    """Axes to draw on: the given ones, or those of a new figure."""
    return plt.subplots(figsize=(6, 4), layout="constrained")[1] if ax is None else ax


def measure_label(text: str) -> str:
    """Text form of a measure with long decimal fractions rounded to four digits."""
    return re.sub(r"\d*\.\d{5,}", lambda number: f"{float(number[0]):.4g}", text)


def g_label(g: Sequence[float]) -> str:
    """Threshold probabilities as a tick label: ``.25, .75``."""
    return ", ".join(f"{x:.4g}".replace("0.", ".", 1) if 0 < x < 1 else f"{x:g}" for x in g)


def threshold_label(threshold: int, highest: int) -> str:
    """Which documents are relevant for a threshold, in words; ``highest`` is the highest threshold."""
    if threshold == 1:
        return "all relevant documents (grade ≥ 1)"
    return f"only grade {'≥ ' if threshold < highest else ''}{threshold}"
