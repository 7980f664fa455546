"""Figures: what is drawn is what the tables say."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import maxent as me
from maxent import plots


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    """Draw off screen, close everything."""
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    runs, qrels = me.simulate(systems=3, topics=4, depth=200, rng=2)
    measures = [*(me.GAP(g=g) for g in me.g_grid(steps=5)), me.AP(), me.nDCG()]
    return me.informativeness(runs, qrels, measures=measures, depth=200, progress=False)


def line(ax: Axes, label: str) -> np.ndarray:
    """Data of the line with this label."""
    return np.asarray(next(x for x in ax.lines if x.get_label() == label).get_xydata())


def test_informativeness_shows_the_means(table: pd.DataFrame) -> None:
    summary = me.summarize(table)
    for threshold in (1, 2):
        ax = plots.plot_informativeness(summary, threshold=threshold)
        own = summary[summary["threshold"] == threshold].set_index("measure")
        gap = [str(me.GAP(g=g)) for g in me.g_grid(steps=5)]
        np.testing.assert_allclose(line(ax, "GAP(g)"), np.column_stack((np.linspace(0, 1, 5), own.loc[gap, "rms"])))
        assert line(ax, "AP")[0, 1] == own.loc["AP", "rms"]
        assert line(ax, "nDCG")[0, 1] == own.loc["nDCG", "rms"]
        assert [t.get_text() for t in ax.get_xticklabels()] == ["0, 1", ".25, .75", ".5, .5", ".75, .25", "1, 0"]


def test_one_panel_per_threshold(table: pd.DataFrame) -> None:
    figure = plots.informativeness_figure(me.summarize(table), title="here")
    assert [ax.get_title() for ax in figure.axes] == ["all relevant documents (grade ≥ 1)", "only grade 2"]


def test_an_axes_given_is_the_axes_returned(table: pd.DataFrame) -> None:
    ax = plt.figure().subplots()
    assert plots.plot_informativeness(me.summarize(table), ax=ax) is ax


def test_nothing_to_draw_is_an_error(table: pd.DataFrame) -> None:
    with pytest.raises(me.ProblemError, match="no solved list for threshold 1"):
        plots.plot_informativeness(me.summarize(table.assign(status="too_few")))


def test_choice_marks_the_chosen_g(table: pd.DataFrame) -> None:
    choice = me.choose_from(table)
    ax = plots.plot_choice(choice.table)
    star = line(ax, f"chosen: {plots.g_label(choice.g)}")
    np.testing.assert_allclose(star, [[choice.g[0], choice.table["objective"].min()]])


def test_choice_of_three_grades() -> None:
    grid = me.g_grid(levels=3, steps=4)
    table = pd.DataFrame({"measure": [str(me.GAP(g=g)) for g in grid]})
    table[["g_1", "g_2", "g_3"]] = grid
    table["objective"] = table["rms_t1"] = np.linspace(0.3, 0.2, len(grid))
    table["low"], table["high"] = table["objective"] - 0.01, table["objective"] + 0.01
    ax = plots.plot_choice(table)
    np.testing.assert_allclose(line(ax, "GAP(g)")[:, 1], table["objective"])


def test_curves_and_profiles() -> None:
    grades, relevant = np.array([2, 1, 0, 0, 1, 0, 0, 2]), (3, 2)
    solutions = [me.solve(me.Problem.of_list(m, grades, relevant)) for m in (me.AP(), me.nDCG())]
    actual = me.actual_curve(grades, relevant)
    inferred = [me.inferred_curve(s).to_frame().assign(curve=str(s.problem.measure)) for s in solutions]
    ax = plots.plot_curves(pd.concat([actual.to_frame().assign(curve="actual"), *inferred]))
    np.testing.assert_allclose(line(ax, "actual"), np.column_stack((actual.recall, actual.precision)))
    ax = plots.plot_profile(pd.concat(me.profile(s) for s in solutions))
    np.testing.assert_allclose(line(ax, "grade 2, AP")[:, 1], solutions[0].p[:, 2])


def test_reference_lines_are_told_apart() -> None:
    assert len(set(map(str, plots.REFERENCE_STYLES))) == len(plots.REFERENCE_STYLES) == 28


def test_labels_are_short() -> None:
    assert plots.measure_label(str(me.GAP(g=(1 / 3,) * 3))) == "GAP(g=0.3333,0.3333,0.3333)"
    assert plots.measure_label("RBP(p=0.95)") == "RBP(p=0.95)"
