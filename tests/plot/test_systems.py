"""Figures of comparisons of systems."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import maxent as me
from maxent import plot
from maxent.plot.style import shorten
from tests.golden.messages import refused
from tests.plot.test_images import KINDS, Draw, differences, lists

LONG = "bm25_rm3_k1-0.9_b-0.4_monot5-3b_duot5-3b_top50_and_then_some"


def stays_inside(figure: Figure) -> None:
    """Nothing is cut off at the edges of a figure."""
    figure.draw_without_rendering()  # places the axes
    box = figure.get_tightbbox()
    assert min(box.x0, box.y0) >= -0.01  # inches
    width, height = figure.get_size_inches()
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01


def compared(baseline: str, run: str) -> pd.DataFrame:
    """Table of a comparison of two runs."""
    table = pd.DataFrame({"measure": ["nDCG(gain=exp2)"], "baseline": baseline, "run_id": run, "reject": False})
    table[["difference", "low", "high", "mean_baseline", "mean", "effect_size", "better", "worse"]] = 0.1
    return table


def test_names_of_runs_are_no_formulas() -> None:
    ax = plot.plot_comparison(compared("a $x^{2$", "b $y_{1$"), ax=plt.figure().subplots())
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b $y_{1$"]
    assert ax.get_xlabel() == "nDCG(gain=exp2), difference of means to\na $x^{2$"
    ax = plot.plot_breakdown(lists().replace("run0", "a $x^{2$"), by="run_id", ax=plt.figure().subplots())
    ax.figure.canvas.draw()
    assert "a $x^{2$" in {text.get_text() for text in ax.get_yticklabels()}


def test_long_names_lose_their_middle() -> None:
    assert shorten("short") == "short"
    assert shorten(LONG) == "bm25_rm3_k1-0.9_b-0…top50_and_then_some"
    figure = Figure(figsize=(5, 1.6), layout="constrained")
    plot.plot_comparison(compared(LONG, LONG[::-1]), ax=figure.subplots())
    stays_inside(figure)


PHONE = 4.1  # inches: what a screen of 375 px shows at a legible size


@pytest.mark.slow
@pytest.mark.parametrize("draw", KINDS, ids=lambda draw: draw.__name__)
def test_a_phone_shows_every_figure_whole(draw: Draw) -> None:
    figure = Figure(figsize=(PHONE, 3.0), layout="constrained")
    draw(figure.subplots())
    stays_inside(figure)


def test_the_best_run_and_the_axis_stand_on_top() -> None:
    figure = Figure(figsize=(PHONE, 3.0), layout="constrained")
    ax = differences(figure.subplots())
    figure.draw_without_rendering()
    heights = {text.get_text(): text.get_window_extent().y0 for text in ax.get_yticklabels()}
    assert max(heights, key=heights.__getitem__) == "run6"
    assert ax.xaxis.label.get_window_extent().y0 > heights["run6"]


def test_two_runs_topic_by_topic() -> None:
    rows = [(run, f"t{k}", "AP", value) for run, own in {"a": [0.5, 0.2, 0.3], "b": [0.1, 0.4, 0.3]}.items()
            for k, value in enumerate(own)]  # fmt: skip
    values = pd.DataFrame(rows, columns=["run_id", "query_id", "measure", "value"])
    ax = plot.plot_topics(values, run="a", baseline="b")
    widths = [bar.get_width() for bar in ax.patches if isinstance(bar, Rectangle)]
    assert np.round(widths, 9).tolist() == [-0.2, 0.0, 0.4]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["t1", "t2", "t0"]
    assert ax.get_title() == "1 of 3 topics better, 1 worse"
    with refused(me.errors.ProblemError):
        plot.plot_topics(values, run="a", baseline="c")


@pytest.mark.slow
def test_the_inset_stays_below_the_legend() -> None:
    """With seven measures, too."""
    frame = pd.DataFrame([(f"run{a}", f"run{b}") for a in range(8) for b in range(a)], columns=["run_a", "run_b"])
    frame["difference"], frame["asl"] = 0.1, np.linspace(0, 1, len(frame)) ** 3
    frames = pd.concat([frame.assign(measure=f"nDCG(gain=exp2)@{k}") for k in range(1, 8)])
    for size in ((PHONE, 3.4), (8, 4.8)):
        figure = Figure(figsize=size, layout="constrained")
        ax = plot.plot_discrimination(frames, top=4, ax=figure.subplots())
        figure.draw_without_rendering()
        legend, inset = ax.get_legend(), ax.child_axes[0].get_tightbbox()
        assert legend is not None
        assert inset is not None
        assert inset.y1 <= legend.get_window_extent().y0
        stays_inside(figure)


def test_cells_without_room_have_no_numbers() -> None:
    for columns, written in ((5, True), (20, False)):
        matrix = pd.DataFrame(np.full((3, columns), 0.5)).rename(columns="nDCG@{}".format)
        ax = plot.plot_heatmap(matrix, limits=(0, 1), ax=Figure(figsize=(PHONE, 3)).subplots())
        assert bool(ax.texts) == written
