"""Triangular map of the simplex: values at triples of proportions."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from maxent.plot.style import GREY, SMALL, axes_or_new, draws
from maxent.texts import g_symbol
from maxent.types import FloatArray

LineStyle = str | tuple[int, tuple[int, ...]]
CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (0.5, np.sqrt(0.75))])
COLOURS = "Blues"
BANDS = 12  # of colour at most
OUTWARDS = ((-0.045, 0.025), (0.0, -0.06), (0.045, 0.025))  # from the left, lower and right edge to its tick labels


def to_plane(g: npt.ArrayLike) -> FloatArray:
    """Proportions (n, 3) as points of the plane (n, 2): g_1 grows to the left, g_2 to the right, g_3 upwards."""
    return np.asarray(np.asarray(g, dtype=np.float64) @ CORNERS)


@draws()
def plot_ternary(
    g: "npt.ArrayLike",
    values: "npt.ArrayLike",
    *,
    corners: Sequence[str] = ("g₁ = 1", "g₂ = 1", "g₃ = 1"),
    contours: Sequence[tuple[float, str, LineStyle, str]] = (),
    limits: tuple[float, float] | None = None,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a coloured map of values over the simplex: dots for the given values, bands interpolated between them.

    Parameters
    ----------
    g : (n, 3) array
        Proportions that sum to 1.
    values : (n,) array
        Value at each point.
    corners : three texts
        Labels of the corners (1, 0, 0), (0, 1, 0) and (0, 0, 1).
    contours : sequence of (level, colour, line style, label)
        Levels to mark on the colour bar and, if they are within the range of the map, as contour lines.
    limits : pair of float, optional
        Range of values that the colours must cover; default: the smallest and the largest value.
    label : str
        Label of the colour bar.
    """
    # 1. colours
    ax = axes_or_new(ax, (6, 5.4))
    points, z = np.asarray(g, dtype=np.float64), np.asarray(values, dtype=np.float64)
    low, high = limits or (z.min(), z.max())
    bands = MaxNLocator(BANDS).tick_values(low, high)
    colours = plt.get_cmap(COLOURS)
    norm = BoundaryNorm(bands, colours.N)
    # 2. the map, unless the points are on one line
    _frame(corners, ax)
    x, y = to_plane(points).T
    has_area = np.linalg.matrix_rank(points - points[0], tol=1e-9) == 2
    if has_area:
        triangles = Triangulation(x, y)
        ax.tricontourf(triangles, z, levels=bands, cmap=colours, norm=norm, zorder=1)
    dots = ax.scatter(x, y, c=z, cmap=colours, norm=norm, s=22, edgecolors="#333333", linewidths=0.6, zorder=4)
    # 3. the colour bar, above the map, so that the triangle is as wide as its panel
    ticks = bands[:: 1 + len(bands) // 6]
    bar = ax.figure.colorbar(dots, ax=ax, location="top", shrink=0.8, aspect=30, ticks=ticks)
    bar.set_label(label, fontsize=SMALL)
    # 4. contours
    near = 1e-3 * np.ptp(z)  # a contour at an end of the range would be a point
    for level, colour, style, text in contours:
        if bands[0] <= level <= bands[-1]:
            bar.ax.axvline(level, color=colour, linestyle=style, linewidth=2)
        has_contour = has_area and z.min() + near < level < z.max() - near
        if has_contour:
            line = ax.tricontour(triangles, z, levels=[level], colors=[colour], linestyles=[style], zorder=3)
            line.set_path_effects([withStroke(linewidth=3.5, foreground="white")])
        remark = "" if has_contour else ", no contour"
        ax.plot([], [], color=colour, linestyle=style, label=f"{text}: {level:.3f}{remark}")
    return ax


def _frame(corners: Sequence[str], ax: Axes) -> None:
    """Triangle with names at its corners and lines of constant g_k at .25, .5 and .75."""
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set(xlim=(-0.16, 1.16), ylim=(-0.13, 0.96))
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color="black", linewidth=1, zorder=2)
    for k, text in enumerate(corners):
        x, y = CORNERS[k]
        is_top = k == 2
        ax.text(x, y + (0.03 if is_top else -0.07), text, ha="center", va="bottom" if is_top else "top", fontsize=9)
        for share in (0.25, 0.5, 0.75):
            # the line g_k = share ends on the edges to the previous and to the next corner
            ends = np.zeros((2, 3))
            ends[:, k] = share
            ends[0, k - 1] = ends[1, (k + 1) % 3] = 1 - share
            line = to_plane(ends)
            ax.plot(*line.T, color=GREY, linewidth=0.4, alpha=0.6, zorder=2)
            x, y = line[0] + OUTWARDS[k]
            tick = f"{g_symbol(k + 1)} = .5" if share == 0.5 else f"{share:g}".lstrip("0")
            ax.text(x, y, tick, ha=("right", "center", "left")[k], va="center", fontsize=7, color=GREY)
