"""The change of the value under a swap: against evaluation again, for every measure."""

import numpy as np
import pytest
from hypothesis import given

import maxent as me
from maxent.ltr import LambdaObjective, swap_deltas
from tests.golden.messages import refused
from tests.measures.test_measures import Topic, topics


@given(topics(most_depth=9))
def test_swaps_are_those_of_another_evaluation(topic: Topic) -> None:
    """Of every measure, with any parameters."""
    measure, _, depth, extra, rng = topic
    grades = rng.integers(0, len(extra) + 1, depth)
    relevant = np.bincount(grades, minlength=len(extra) + 1)[1:] + extra
    found = swap_deltas(measure, np.stack([grades, grades[::-1]]), relevant)
    assert found.shape == (2, depth, depth)
    np.testing.assert_array_equal(found, np.swapaxes(found, 1, 2))
    for one, x in zip(found, (grades, grades[::-1]), strict=True):
        for i, j in np.ndindex(one.shape):
            swapped = x.copy()
            swapped[[i, j]] = x[[j, i]]
            after, before = measure.evaluate(np.stack([swapped, x]), relevant)
            assert one[i, j] == pytest.approx(after - before, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "falls"),
    [(text, False) for text in ("GAP(g=.5,.5)", "eGAP(g=.5,.5)", "nDCG", "muAP")]
    + [(text, True) for text in ("xGAP(g=.5,.5)", "gAP", "Q", "wAP")],
)
def test_some_measures_may_fall_when_the_better_document_moves_up(text: str, falls: bool) -> None:
    rng, measure, lowest = np.random.default_rng(0), me.parse_measure(text), 0.0
    for grades in rng.integers(0, 3, (200, 12)):
        upwards = np.triu(grades[:, None] < grades)
        lowest = min(lowest, swap_deltas(measure, grades, np.bincount(grades, minlength=3)[1:])[upwards].min())
    assert (lowest < -1e-9) == falls


def test_swaps_of_what_is_no_form() -> None:
    for measure in (me.ERR(), me.Bpref(), me.RR(), me.ADM()):
        with refused(me.errors.MeasureError):
            swap_deltas(measure, [1, 0], (1,))
        with refused(me.errors.MeasureError):
            LambdaObjective(measure)
    with refused(me.errors.MeasureError):
        swap_deltas(me.AP(), [1, 2], (1,))
    np.testing.assert_array_equal(swap_deltas("nDCG", [1, 0], (1,)), swap_deltas(me.nDCG(), [1, 0], (1,)))
