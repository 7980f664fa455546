"""What one document does to the value: against evaluation again, and against Kishida's equations."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from tests import naive
from tests.golden.messages import refused
from tests.measures.test_measures import Topic, topics

Equation = Callable[[int, Sequence[int], Sequence[int], int], float]
DEPTH, B = 12, 2


@given(topics(most_depth=8, wanted=lambda _: True), st.sampled_from(["fixed", "updated"]))
def test_changes_are_those_of_another_evaluation(topic: Topic, recall_base: me.measures.change.RecallBase) -> None:
    measure, _, depth, extra, rng = topic
    grades = rng.integers(0, len(extra) + 1, depth)
    relevant = np.bincount(grades, minlength=len(extra) + 1)[1:] + extra
    found = me.measures.value_changes(measure, np.stack([grades, grades]), relevant, recall_base=recall_base)
    assert found.shape == (2, depth, len(extra) + 1)
    before = float(measure.values(grades, relevant))
    for n, grade in np.ndindex(depth, len(extra) + 1):
        changed, counts = grades.copy(), np.concatenate(([0], relevant))
        changed[n] = grade
        if recall_base == "updated":
            counts[grades[n]] -= 1
            counts[grade] += 1
        after = float(measure.values(changed, counts[1:]))
        expected = 0.0 if after == before else after - before
        np.testing.assert_allclose(found[:, n, grade], expected, rtol=1e-9, atol=1e-9)


def eq_10(j: int, x: Sequence[int], y: Sequence[int], R: int) -> float:
    hit = [int(k == j or value > 0) for k, value in enumerate(x, start=1)]  # x_j is relevant by now
    return (sum(hit[:j]) / j + sum(hit[t - 1] / t for t in range(j + 1, len(x) + 1))) / R


def eq_16(j: int, x: Sequence[int], y: Sequence[int], R: int) -> float:
    v = sum((value > 0) * sum(other > 0 for other in x[:i]) / i for i, value in enumerate(x, start=1)) / R
    return (eq_10(j, x, y, R) * R - v) / (R + 1)


def eq_28(j: int, x: Sequence[int], y: Sequence[int], R: int) -> float:
    return 1 / j / sum(value / k for k, value in enumerate(y, start=1))


def eq_33(j: int, x: Sequence[int], y: Sequence[int], R: int) -> float:
    def ideal(i: int) -> float:  # eq. 31
        return sum(y[: B - 1]) + sum(y[k - 1] / math.log(k, B) for k in range(B, i + 1))

    return sum(1 / math.log(j, B) / ideal(k) for k in range(j, len(x) + 1)) / len(x)


def eq_36(j: int, x: Sequence[int], y: Sequence[int], R: int) -> float:
    return sum((x[i - 1] > 0) / (i + sum(y[:i])) for i in range(j, len(x) + 1)) / R


def eq_37(j: int, x: Sequence[int], y: Sequence[int], R: int, *, to: int) -> float:
    new = [*x[: j - 1], to, *x[j:]]
    own = sum((value > 0) * (value + 1) for value in new[:j]) / (j + sum(y[:j]))
    return (own + sum((new[i - 1] > 0) * (to + 1) / (i + sum(y[:i])) for i in range(j + 1, len(x) + 1))) / R


def most(y: Sequence[int]) -> float:
    """Kishida's eq. 41."""
    return sum((value > 0) * sum(y[:i]) / i for i, value in enumerate(y, start=1))


def eq_43(j: int, x: Sequence[int], y: Sequence[int], R: int) -> float:
    return sum((x[k - 1] > 0) / k for k in range(j, len(x) + 1)) / most(y)


def eq_44(j: int, x: Sequence[int], y: Sequence[int], R: int, *, to: int) -> float:
    new = [*x[: j - 1], to, *x[j:]]
    return (sum(new[:j]) / j + sum((new[t - 1] > 0) * to / t for t in range(j + 1, len(x) + 1))) / most(y)


@pytest.fixture(params=range(5))
def example(request: pytest.FixtureRequest) -> tuple[list[int], list[int], list[int]]:
    """A list of gains x_1..x_n, the ideal list y_1..y_n, and R_1..R_3."""
    rng = np.random.default_rng(request.param)
    x = rng.choice(4, DEPTH, p=(0.5, 0.2, 0.2, 0.1))
    relevant = np.bincount(x, minlength=4)[1:] + rng.integers(0, 2, 3)
    y = [grade for grade in (3, 2, 1) for _ in range(relevant[grade - 1])]
    return x.tolist(), [*y, *[0] * DEPTH][:DEPTH], relevant.tolist()


@pytest.mark.parametrize(("equation", "recall_base"), [(eq_10, "fixed"), (eq_16, "updated")])
def test_kishida_on_ap(
    equation: Equation,
    recall_base: me.measures.change.RecallBase,
    example: tuple[list[int], list[int], list[int]],
) -> None:
    x, y, relevant = example
    binary, R = [int(value > 0) for value in x], sum(relevant)
    found = me.measures.value_changes(me.AP(), binary, (R,), recall_base=recall_base)
    for j in (j for j in range(1, DEPTH + 1) if x[j - 1] == 0):
        assert found[j - 1, 1] == pytest.approx(equation(j, x, y, R), abs=1e-14)


@pytest.mark.parametrize(("measure", "equation"), [(me.Q(), eq_37), (me.gAP(), eq_44)])
def test_kishida_on_documents_that_become_relevant(
    measure: me.measures.Measure, equation: Callable[..., float], example: tuple[list[int], list[int], list[int]]
) -> None:
    x, y, relevant = example
    found = me.measures.value_changes(measure, x, relevant)
    for j in (j for j in range(1, DEPTH + 1) if x[j - 1] == 0):
        for to in (1, 2, 3):
            assert found[j - 1, to] == pytest.approx(equation(j, x, y, sum(relevant), to=to), abs=1e-14)


@pytest.mark.parametrize(
    ("measure", "equation"), [(me.mSR(), eq_28), (me.mnDCG(b=B), eq_33), (me.Q(), eq_36), (me.gAP(), eq_43)]
)
def test_kishida_on_derivatives(
    measure: me.measures.Measure, equation: Equation, example: tuple[list[int], list[int], list[int]]
) -> None:
    x, y, relevant = example
    found = me.measures.gain_derivatives(measure, x, relevant)
    everywhere = equation in (eq_28, eq_33)  # linear measures
    for j in range(1, DEPTH + 1):
        if equation is eq_33 and j < B:
            continue
        if x[j - 1] > 0 or everywhere:
            assert found[j - 1] == pytest.approx(equation(j, x, y, sum(relevant)), abs=1e-14)
        else:
            assert np.isnan(found[j - 1])


@pytest.mark.parametrize(
    ("kind", "twin"),
    [
        (me.wAP, naive.weighted_ap),
        (me.gAP, naive.generalised_ap),
        (me.gP, lambda x, r, gain: naive.generalised_precision(x, r, gain, None)),
        (me.gR, lambda x, r, gain: naive.generalised_recall(x, r, gain, None)),
        (me.nDCG, lambda x, r, gain: naive.ndcg(x, r, gain, "log2", 2.0, None)),
        (me.CG, lambda x, r, gain: naive.cumulated_gain(x, r, gain, None)),
    ],
)
def test_derivatives_are_limits_of_quotients(
    kind: Callable[..., me.measures.Measure],
    twin: Callable[..., float],
    example: tuple[list[int], list[int], list[int]],
) -> None:
    """Document j gets a grade of its own, worth a little less."""
    x, _, relevant = example
    gains, step = (0.5, 2.0, 7.0), 1e-6
    found = me.measures.gain_derivatives(kind(gain=gains), [x], relevant)[0]
    for j in (j for j in range(DEPTH) if x[j] > 0):
        less = [*x[:j], 4, *x[j + 1 :]]
        table = (*gains, gains[x[j] - 1] - step)
        quotient = (twin(x, relevant, gains) - twin(less, [*relevant, 0], table)) / step
        assert found[j] == pytest.approx(quotient, abs=1e-7)


def test_gains_of_any_kind() -> None:
    """A grade without gain is as grade 0, and tables without gain, or text for gains, do no harm."""
    assert np.isnan(me.measures.gain_derivatives(me.gAP(gain=(0, 2)), [1, 2, 0], (1, 1))).tolist() == [
        True,
        False,
        True,
    ]
    np.testing.assert_array_equal(me.measures.gain_derivatives(me.CG(gain=(0, 0)), [1, 2, 0], (1, 1)), 1)
    by_name, by_table = (
        me.measures.gain_derivatives(me.nDCG(gain=gain), [1, 2, 0], (1, 1)) for gain in ("exp2", (1, 3))
    )
    np.testing.assert_array_equal(by_name, by_table)


def test_a_relevant_document_counts_most_at_the_top() -> None:
    """Kishida's eq. 11: between two documents that are not relevant, the higher one gains more."""
    found = me.measures.value_changes(me.AP(), [0, 0, 1, 0, 0, 1, 1, 0], (5,))[[0, 1, 3, 4, 7], 1]
    assert np.all(np.diff(found) < 0)


def test_what_has_no_answer() -> None:
    for measure in (me.AP(), me.ERR(), me.NDCNG(), me.RBP()):
        with refused(me.errors.MeasureError):
            me.measures.gain_derivatives(measure, [1, 0], (1,))
    with refused(me.errors.MeasureError):
        me.measures.value_changes(me.Bpref(), [1, 0], (1,))
    with refused(me.errors.MeasureError):
        me.measures.value_changes(me.AP(), [1, 2], (1, 0), recall_base="updated")
    with refused(me.errors.MeasureError):
        me.measures.value_changes(me.AP(), [1, 0], (1,), recall_base="new")  # type: ignore[arg-type]
