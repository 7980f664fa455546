"""Figures with a dot for each list."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import maxent as me
from maxent import plot
from maxent.plot.one_list import By
from maxent.plot.style import label_ends, spread
from tests.golden.messages import refused


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    runs, qrels = me.simulate(systems=4, topics=5, depth=200, rng=2)
    return me.informativeness(
        runs, qrels, measures=["AP", "nDCG"], depth=200, min_retrieved=0, min_retrieved_total=1, progress=False
    )


def dots(ax: Axes) -> np.ndarray:
    return np.asarray(ax.collections[0].get_offsets(), dtype=float)


def test_predicted_values_stand_over_actual_ones() -> None:
    rows = [("AP", "AP", 0.5, 0.5), ("AP", "nDCG", 0.2, 0.3), ("AP", "nDCG", 0.6, 0.5), ("AP", "nDCG", 0.9, np.nan)]
    found = pd.DataFrame(rows, columns=["measure", "target", "actual", "predicted"])
    ax = plot.plot_predicted(found)  # the first measure, and the first target but it
    np.testing.assert_array_equal(dots(ax), [(0.2, 0.3), (0.6, 0.5)])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("actual nDCG", "nDCG predicted from AP")
    assert ax.texts[0].get_text() == "2 lists\nRMS error 0.100"
    bands = plot.plot_predicted(found.assign(low=[0.0, 0.1, 0.4, np.nan], high=[0.0, 0.4, 0.7, np.nan])).collections
    assert [np.asarray(path.vertices).tolist() for path in bands[1].get_paths()] == [
        [[0.2, 0.1], [0.2, 0.4]],
        [[0.6, 0.4], [0.6, 0.7]],
    ]
    with refused(me.errors.ProblemError):
        plot.plot_predicted(found, target="P@10")


def test_predictions_of_nothing_but_zeros_have_axes() -> None:
    rows = pd.DataFrame({"measure": ["AP"], "target": ["P@1"], "actual": [0.0], "predicted": [0.0]})
    assert plot.plot_predicted(rows).get_xlim() == (0, 1)


@pytest.mark.parametrize("by", ["query_id", "run_id"])
def test_groups_stand_from_the_largest_mean_error_down(table: pd.DataFrame, by: By) -> None:
    rows = table[(table["measure"] == "nDCG") & (table["threshold"] == 2) & table["rms"].notna()]
    ax = plot.plot_breakdown(table, by=by, measure="nDCG", threshold=2)
    means = rows.groupby(by)["rms"].mean().sort_values()
    assert [text.get_text() for text in ax.get_yticklabels()] == means.index.tolist()
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_xdata()), means)
    assert dots(ax)[:, 0].tolist() == rows["rms"].tolist()
    assert [means.index[int(y)] for y in dots(ax)[:, 1]] == rows[by].tolist()
    assert ax.get_title() == "nDCG\nonly grade 2"


def test_a_breakdown_of_one_number_of_documents_has_one_mean(table: pd.DataFrame) -> None:
    ax = plot.plot_breakdown(table.assign(points=7), by="points")
    ax.figure.canvas.draw()
    rows = table[(table["measure"] == "AP") & (table["threshold"] == 1) & table["rms"].notna()]
    mean = np.array([(7.0, rows["rms"].mean())])
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_xydata(), dtype=float), mean)
    assert len(dots(ax)) == len(rows)


def test_no_breakdown_of_what_is_not_there(table: pd.DataFrame) -> None:
    with refused(me.errors.ProblemError):
        plot.plot_breakdown(table, by="topic")  # type: ignore[arg-type]
    with refused(me.errors.ProblemError):
        plot.plot_breakdown(table, measure="ERR")


def test_labels_are_apart_and_near_their_lines() -> None:
    np.testing.assert_allclose(spread(np.array([0.1, 0.5, 0.9]), 0.1), [0.1, 0.5, 0.9])
    np.testing.assert_allclose(spread(np.array([0.5, 0.5, 0.9]), 0.1), [0.45, 0.55, 0.9])
    np.testing.assert_allclose(spread(np.array([]), 0.1), [])
    ax = plt.figure().subplots()
    label_ends(ax, [(0.9, "high", "red"), (0.1, "low", "blue"), (0.1, "also low", "blue")])
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert [text.get_text() for text in ax.texts] == ["low", "also low", "high"]
    assert all(below.y1 <= above.y0 for below, above in pairwise(boxes))
