"""Properties of ranks, precisions and errors that hold for every problem and every reading."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.curves import ALIGNS
from maxent.lists import Lists, Recursion
from maxent.problem import COUNTS, MODELS, Count, Model

ROUNDING = 1e-9
TILTED = np.full((10, 2), (0.1, 0.2))  # both grades are probable, and neither fills the list
SHORT = st.tuples(st.integers(1, 12), st.integers(1, 2)).flatmap(
    lambda shape: st.tuples(
        st.lists(st.integers(0, shape[1]), min_size=shape[0], max_size=shape[0]),
        st.lists(st.integers(0, 20), min_size=shape[1], max_size=shape[1]),  # documents that the list misses
    )
)


def within(numbers: object, low: float, high: float) -> bool:
    """Whether all numbers are between two others, up to rounding."""
    own = np.asarray(numbers, dtype=np.float64)
    return bool(((own >= low - ROUNDING) & (own <= high + ROUNDING)).all())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("count", COUNTS)
@given(SHORT, st.sampled_from(["AP", "P@10", "nDCG@10"]), st.sampled_from([None, "log-uniform"]))
def test_probabilities_precisions_and_errors_are_at_most_one(
    count: Count,
    model: Model,
    drawn: tuple[list[int], list[int]],
    measure: str,
    reference: me.problem.reference.Reference,
) -> None:
    grades, missed = drawn
    number = [grades.count(level) for level in range(1, len(missed) + 1)]
    relevant = tuple(own + more for own, more in zip(number, missed, strict=True))
    if not sum(relevant):
        return
    known = me.measures.parse_measure(measure)
    problem = me.Problem.of_list(known, grades, relevant, count=count, reference=reference)
    solution = me.solve(problem, model=model)
    if solution.status not in ("optimal", "boundary") or not sum(problem.counts):
        return
    ranks = solution.ranks()
    assert len(ranks) <= ranks.shape[1] == len(grades)
    assert within(ranks, 0, 1)
    assert within(ranks.sum(axis=1), 0, 1)
    assert within(ranks.sum(axis=0), 0, 1)
    actual = me.actual_curve(grades, relevant)
    for expected in (False, True):
        inferred = me.inferred_curve(solution, expected=expected, band=0.9)
        assert within(inferred.precision, 0, 1)
        assert inferred.low is not None
        assert inferred.high is not None
        assert within(inferred.low, 0, 1)
        assert within(inferred.high, 0, 1)
        assert (inferred.low <= inferred.high).all()
        if len(actual.rank) and not expected:
            assert all(within(me.curve_error(actual, inferred, align=align)[:2], 0, 1) for align in ALIGNS)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("count", COUNTS)
def test_errors_of_a_study_are_at_most_one(count: Count, model: Model) -> None:
    """Topics with fewer and with more relevant documents than ranks."""
    runs, qrels = me.simulate(systems=2, topics=4, depth=100)
    for reference, align, depth in product((None, "log-uniform", "topics"), ALIGNS, (10, 100)):
        reading: dict[str, Any] = {"count": count, "model": model, "reference": reference, "align": align}
        table = me.informativeness(
            runs, qrels, measures=["AP", "P@10"], depth=depth, min_retrieved=1, progress=False, **reading
        )  # fmt: skip
        errors = table.loc[table["status"].isin(["optimal", "boundary"]), ["rms", "mae"]]
        assert len(errors) or (count, depth) == ("total", 10)
        assert within(errors, 0, 1), reading


@pytest.mark.parametrize("logs", [False, True])
def test_states_are_probable_once_where_ranks_cannot_hold_all_documents(logs: bool) -> None:
    problem = me.Problem(me.AP(), value=0.2, relevant=(20, 30), depth=10, count="at_most", reference=TILTED)
    recursion = Recursion(Lists.of(problem), np.array([3.0]), logs)
    states = recursion.backward(whole=True)[1]
    recursion.forward(states)
    np.testing.assert_allclose(states.sum(axis=1), 1, rtol=1e-12)
