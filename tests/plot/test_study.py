"""Figures: what is drawn is what the tables say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

import maxent as me
from maxent import plot, texts
from maxent.plot import style
from maxent.plot.ternary import to_plane
from maxent.results import Drawing, Finding
from maxent.studies import error_figure
from tests.golden.messages import refused


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    runs, qrels = me.simulate(systems=3, topics=4, depth=200, rng=2)
    measures = [*(me.GAP(g=g) for g in me.g_grid(steps=5)), me.AP(), me.nDCG()]
    return me.informativeness(runs, qrels, measures=measures, depth=200, progress=False)


def line(ax: Axes, label: str) -> np.ndarray:
    """Data of the line with this label."""
    return np.asarray(next(x for x in ax.lines if x.get_label() == label).get_xydata())


def test_informativeness_shows_the_means(table: pd.DataFrame) -> None:
    """GAP with even g is a line of its own; axes that are given are returned."""
    even = table[table["measure"] == "GAP(g=0.5,0.5)"].assign(measure="GAP(g=even)")
    summary, ax = me.summarize(pd.concat([table, even])), plt.figure().subplots()
    assert plot.plot_informativeness(summary, threshold=2, ax=ax) is ax
    own = summary[summary["threshold"] == 2].set_index("measure")
    gap, others = [str(me.GAP(g=g)) for g in me.g_grid(steps=5)], ["AP", "nDCG", "GAP(g=even)"]
    np.testing.assert_allclose(line(ax, "GAP(g)"), np.column_stack((np.linspace(0, 1, 5), own.loc[gap, "rms"])))
    assert [line(ax, name)[0, 1] for name in others] == own.loc[others, "rms"].tolist()
    bars = [np.asarray(x.get_ydata()) for x in ax.lines if x.get_linewidth() == 2]
    np.testing.assert_array_equal(bars, own.loc[others, ["rms_low", "rms_high"]])
    assert {t.get_text() for t in ax.texts} == {"GAP(g)", *others}
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0\n1", ".25\n.75", ".5\n.5", ".75\n.25", "1\n0"]


def test_nothing_to_draw_is_an_error(table: pd.DataFrame) -> None:
    with refused(me.errors.ProblemError):
        plot.plot_informativeness(me.summarize(table.assign(status="too_few")))


def choice_table(levels: int, steps: int) -> pd.DataFrame:
    """A table like that of a choice, whose objective falls from candidate to candidate."""
    grid = me.g_grid(levels=levels, steps=steps)
    table = pd.DataFrame({"measure": [str(me.GAP(g=g)) for g in grid]})
    table[[f"g_{k + 1}" for k in range(levels)]] = grid
    table["objective"] = table["rms_t1"] = np.linspace(0.3, 0.2, len(grid))
    table["low"], table["high"] = table["objective"] - 0.01, table["objective"] + 0.01
    table["excess_low"] = table["objective"] - 0.21
    return table


def test_a_refined_g_does_not_stand_over_the_labels_of_others() -> None:
    table = choice_table(2, 5)
    refined = table.iloc[[0]].assign(measure="GAP(g=0.2435,0.7565)", g_1=0.2435, g_2=0.7565, objective=0.19)
    ax = plot.plot_choice(pd.concat([table, refined]))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0\n1", ".25\n.75", ".5\n.5", ".75\n.25", "1\n0"]


def summary_of(table: pd.DataFrame, *, nDCG: float) -> pd.DataFrame:
    """Summary with these candidates at every threshold, and nDCG."""
    rows = table[["measure"]].assign(rms=table["objective"], rms_low=table["low"], rms_high=table["high"])
    other = pd.DataFrame({"measure": ["nDCG"], "rms": nDCG, "rms_low": nDCG, "rms_high": nDCG})
    rows = pd.concat([rows, other], ignore_index=True)
    return pd.concat([rows.assign(threshold=t, lists=1) for t in (1, 2, 3)])


def test_three_grades_are_a_map() -> None:
    table = choice_table(3, 4)
    ax = plot.plot_informativeness(summary_of(table, nDCG=0.25), threshold=2)
    dots = next(c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_allclose(np.asarray(dots.get_offsets(), dtype=float), to_plane(me.g_grid(levels=3, steps=4)))
    np.testing.assert_allclose(np.asarray(dots.get_array()), table["objective"])
    np.testing.assert_allclose(to_plane(np.eye(3)), [(0, 0), (1, 0), (0.5, 0.75**0.5)])
    np.testing.assert_allclose(line(ax, "best: 1, 0, 0: 0.200"), [[0, 0]])
    assert {t.get_text() for t in ax.texts} >= {"g₁ = 1: AP", "g₂ = 1: AP(rel=2)", "g₃ = 1: AP(rel=3)"}
    labels = [t.get_text() for t in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert "nDCG: 0.250" in labels
    far = plot.plot_informativeness(summary_of(table, nDCG=0.9), threshold=2)
    assert "nDCG: 0.900, no contour" in [t.get_label() for t in far.lines]


@pytest.mark.parametrize("few", [2, 3])
def test_a_map_of_few_candidates(few: int) -> None:
    """Nothing to interpolate between points on a line: dots without a map, and measures without a contour."""
    table = choice_table(3, 4).head(few)
    ax = plot.plot_informativeness(summary_of(table, nDCG=0.25))
    ax.figure.canvas.draw()
    assert [type(drawn) for drawn in ax.collections] == [PathCollection]
    np.testing.assert_allclose(np.asarray(ax.collections[0].get_array()), table["objective"])
    assert "nDCG: 0.250, no contour" in [drawn.get_label() for drawn in ax.lines]


@pytest.mark.parametrize("levels", [2, 3])
def test_a_single_candidate_is_a_measure_among_others(levels: int) -> None:
    """It has a line and an interval like them, and no curve or map of one point."""
    summary = summary_of(choice_table(levels, 4).head(1), nDCG=0.25)
    ax = plot.plot_informativeness(summary)
    lines = [drawn for drawn in ax.lines if not str(drawn.get_label()).startswith("_")]
    assert [len(np.unique(np.asarray(drawn.get_ydata()))) for drawn in lines] == [1, 1]
    assert not ax.collections
    (panel, *_) = error_figure(summary, None).panels
    assert isinstance(panel.draw, Drawing)
    assert panel.draw.name == "plot_measures"


def test_a_tick_beside_another_has_no_label() -> None:
    table = choice_table(2, 5).assign(g_1=[0, 0.25, 0.5, 0.55, 1], g_2=[1, 0.75, 0.5, 0.45, 0])
    ax = plot.plot_choice(table)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0\n1", ".25\n.75", ".5\n.5", "1\n0"]


def test_maps_fill_their_panels() -> None:
    table = choice_table(3, 4)
    summary = summary_of(table, nDCG=0.25).replace("nDCG", "nDCG(gain=exp2)")  # a long name
    choice = me.studies.GChoice((1.0, 0.0, 0.0), table, Finding("it is chosen"), table, table.iloc[:0])
    figure = me.results.Result(title="maps", sheets=(error_figure(summary, choice),)).plot()
    figure.draw_without_rendering()
    assert min(ax.get_position().width for ax in figure.axes[:3]) * figure.get_figwidth() > 2.4  # of 4.1 inches


@pytest.mark.parametrize("levels", [2, 3])
def test_a_ring_marks_what_may_be_the_best(levels: int) -> None:
    table = choice_table(levels, 4)
    table["may_be_best"] = pd.array(table.index == table["objective"].nlargest(1).index[0], dtype="boolean")
    ax = plot.plot_choice(table)
    assert len(line(ax, "may be the best (95 %)")) == 1
    few = plot.plot_choice(table.assign(may_be_best=pd.array([pd.NA] * len(table), dtype="boolean")))
    assert "may be the best (95 %)" not in [own.get_label() for own in few.lines]


def test_the_broken_stick_is_a_grey_line_beside_the_candidates() -> None:
    table = choice_table(2, 4)
    null = table.iloc[:1].assign(measure="BrokenStick", role="no content", g_1=np.nan, g_2=np.nan, objective=0.25)
    ax = plot.plot_choice(pd.concat([table.assign(role=""), null]))
    levels = [own for own in ax.lines if own.get_color() == style.GREY and np.all(np.equal(own.get_ydata(), 0.25))]
    assert len(levels) == 1
    assert "broken stick (no content)" in [text.get_text() for text in ax.texts]
    other = summary_of(table, nDCG=0.25).replace("nDCG", "BrokenStick").tail(1)
    summary = pd.concat([summary_of(table, nDCG=0.3), other])
    for axes in (
        plot.plot_informativeness(summary, threshold=3),
        plot.plot_measures(summary.query("threshold == 3")),
    ):
        colours = [own.get_color() for own in axes.lines if own.get_label() == "broken stick (no content)"]
        assert colours == [style.GREY]


def test_more_grades_stand_side_by_side_best_first() -> None:
    table = choice_table(4, 3)
    ax = plot.plot_choice(table)
    np.testing.assert_allclose(line(ax, "GAP(g)")[:, 1], table["objective"].sort_values())
    np.testing.assert_allclose(line(ax, "best: 1, 0, 0, 0"), [[0, 0.2]])
    ax = plot.plot_informativeness(summary_of(table, nDCG=0.25))
    np.testing.assert_allclose(line(ax, "GAP(g)")[:, 1], table["objective"].sort_values())
    assert ax.get_xticklabels()[0].get_text() == "1, 0, 0, 0"


def test_predictions_are_a_matrix() -> None:
    pairs = [(known, target) for known in ("AP", "P@10") for target in ("AP", "nDCG", "RBP")]
    summary = pd.DataFrame(pairs, columns=["measure", "target"])
    for value in texts.PREDICTED:
        summary[value] = np.linspace(0.1, 0.9, 6)
        ax = plot.plot_predictions(summary, value=value)
        assert [t.get_text() for t in ax.get_yticklabels()] == ["AP", "P@10"]
        assert [t.get_text() for t in ax.get_xticklabels()] == ["AP", "nDCG", "RBP"]
        assert [t.get_text() for t in ax.texts] == [".100", ".260", ".420", ".580", ".740", ".900"]
    own = plt.figure().subplots()
    assert plot.plot_predictions(summary.assign(rms=np.nan), ax=own) is own
    assert {t.get_text() for t in own.texts} == {"–"}


def test_reference_lines_are_told_apart() -> None:
    assert len(set(map(str, style.REFERENCE_STYLES))) == len(style.REFERENCE_STYLES) == 28
