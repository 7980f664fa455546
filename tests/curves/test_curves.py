"""Precision-recall curves: loops straight from the definitions, identities, alignment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.curves import Curve, precision_differences
from maxent.lists import precision_band
from maxent.problem import Model
from tests.golden.messages import refused


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 3))
def test_actual_curve_equals_a_loop(grades: list[int], threshold: int) -> None:
    relevant = np.bincount(grades, minlength=4)[1:] + 1
    curve = me.actual_curve(grades, relevant, threshold=threshold)
    found, points = 0, []
    for n, grade in enumerate(grades, start=1):
        if grade >= threshold:
            found += 1
            points.append((n, found / relevant[threshold - 1 :].sum(), found / n))
    np.testing.assert_allclose(
        curve.to_frame().to_numpy().reshape(-1, 3), np.array(points).reshape(-1, 3), atol=1e-15
    )
    assert curve.area == pytest.approx(float(me.AP(rel=threshold).evaluate(grades, relevant)), abs=1e-12)


def test_inferred_curve_equals_a_loop() -> None:
    solution = me.solve(me.Problem(me.GAP(g=(0.5, 0.5)), value=0.4, relevant=(5, 3), retrieved=(4, 3), depth=20))
    for threshold in (1, 2):
        curve = me.inferred_curve(solution, threshold=threshold)
        found = 0.0
        for n in range(20):
            found += sum(solution.p[n, i] for i in range(threshold, 3))
            assert curve.recall[n] == pytest.approx(found / (8 if threshold == 1 else 3))
            assert curve.precision[n] == pytest.approx(found / (n + 1))


def test_no_curve_without_a_distribution() -> None:
    solution = me.solve(me.Problem(me.AP(), value=2.0, relevant=(5,), retrieved=(4,), depth=20))
    with refused(me.errors.ProblemError):
        me.inferred_curve(solution)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=20), st.sampled_from([(0.2, 0.3, 0.5), (0, 1, 0), (1, 0, 0)])
)
def test_graded_curve_equals_a_loop_and_its_area_is_gap(grades: list[int], g: tuple[float, ...]) -> None:
    """GAP paper 3.2, graded recall and precision spelled out."""
    relevant = np.bincount(grades, minlength=4)[1:] + np.array([1, 0, 2])
    curve = me.graded_curve(grades, relevant, g=g)
    norm = sum(relevant[i] * sum(g[: i + 1]) for i in range(3))
    points, gained = [], 0.0
    for n, grade in enumerate(grades, start=1):
        own = sum(g[:grade])
        gained += own
        if own > 0:
            shared = sum(sum(g[: min(grade, grades[m])]) for m in range(n))
            points.append((n, gained / norm, shared / own / n))
    np.testing.assert_allclose(
        curve.to_frame().to_numpy().reshape(-1, 3), np.array(points).reshape(-1, 3), atol=1e-12
    )
    assert curve.area == pytest.approx(float(me.GAP(g=g).evaluate(grades, relevant)), abs=1e-12)


def test_graded_curve_where_nobody_finds_anything_relevant() -> None:
    curve = me.graded_curve([1, 0, 1], (2, 0), g=(0, 1))
    assert curve.area == 0
    assert len(curve.rank) == 0


def test_error_at_equal_recall_interpolates_and_extends_to_recall_zero() -> None:
    actual = Curve(np.array([1.0, 4.0]), np.array([0.05, 0.25]), np.array([1.0, 0.5]))
    inferred = Curve(np.arange(1.0, 5), np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.8, 0.6, 0.4, 0.2]))
    error = me.curve_error(actual, inferred)
    # recall .05 is before the first inferred point: its precision .8; recall .25 lies half-way: .5
    assert error.rms == pytest.approx(np.sqrt((0.2**2 + 0.0**2) / 2))
    assert error.mae == pytest.approx(0.1)
    assert error.points == 2


def test_error_at_equal_rank() -> None:
    actual = Curve(np.array([1.0, 4.0]), np.array([0.05, 0.25]), np.array([1.0, 0.5]))
    inferred = Curve(np.arange(1.0, 5), np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.8, 0.6, 0.4, 0.2]))
    error = me.curve_error(actual, inferred, align="rank")
    assert error.rms == pytest.approx(np.sqrt((0.2**2 + 0.3**2) / 2))


def test_a_curve_in_single_precision_is_read_as_numbers() -> None:
    actual = me.actual_curve([1, 0, 1, 0], (2,))
    rank, recall, precision = np.arange(1.0, 5.0), np.array([0.4, 0.5, 0.8, 1.0]), np.array([0.8, 0.5, 0.5, 0.5])
    double, single = (Curve(*(own.astype(kind) for own in (rank, recall, precision))) for kind in ("f8", "f4"))
    found = [me.curve_error(actual, own, align="expected").rms for own in (double, single)]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_error_of_expected_precision() -> None:
    """Two ranks of probability a half: the first relevant document is at rank 1, twice as often as at rank 2."""
    actual = me.actual_curve([0, 1], (1,))
    inferred = Curve(np.arange(1.0, 3), np.array([0.5, 1.0]), np.array([0.5, 0.5]))
    error = me.curve_error(actual, inferred, align="expected")
    assert error.rms == pytest.approx((2 * 1 + 1 / 2) / 3 - 0.5)


def test_no_points_no_error() -> None:
    empty = me.actual_curve([0, 0, 1], (3, 2), threshold=2)
    error = me.curve_error(empty, me.actual_curve([1], (1,)))
    assert error.points == 0
    assert np.isnan(error.rms)


def test_recall_needs_relevant_documents() -> None:
    with refused(me.errors.ProblemError):
        me.actual_curve([1, 0], (1, 0), threshold=2)
    with refused(me.errors.MeasureError):
        me.actual_curve([1, 0], (1, 0), threshold=3)
    with refused(me.errors.ProblemError):
        me.curve_error(me.actual_curve([1], (1,)), me.actual_curve([1], (1,)), align="precision")  # type: ignore[arg-type]


@pytest.mark.parametrize("rounding", [-1e-15, 0.0, 1e-15])
def test_where_a_curve_is_flat_its_first_rank_counts(rounding: float) -> None:
    """Later ranks have the same recall and less precision, and rounding must not choose among them."""
    rank = np.arange(1.0, 7)
    found = np.array([0.4, 1.0, 1.0, 1.0 + 1e-13, 1.5, 1.5])
    inferred = Curve(rank, found / 2, found / rank)
    actual = Curve(np.array([3.0, 6.0]), np.array([0.5, 0.75]) * (1 + rounding), np.array([1 / 3, 0.25]))
    precision = actual.precision + precision_differences(actual, inferred, "recall")[0]
    np.testing.assert_allclose(precision, [0.5, 0.3], rtol=1e-9)


def test_beyond_its_ends_a_curve_goes_on_as_it_ends() -> None:
    rank = np.array([1.0, 2.0, 3.0])
    inferred = Curve(rank, np.array([0.2, 0.6, 0.6]), np.array([0.9, 0.8, 0.5]))
    actual = Curve(rank, np.array([0.1, 0.4, 0.9]), rank)
    np.testing.assert_allclose(
        actual.precision + precision_differences(actual, inferred, "recall")[0], [0.9, 0.85, 0.5]
    )


@pytest.mark.parametrize("model", ["ranks", "lists"])
def test_bands_and_expected_curves_are_those_of_drawn_lists(model: Model) -> None:
    problem = me.Problem(me.GAP(g=(0.5, 0.5)), value=0.45, relevant=(6, 3), retrieved=(5, 3), depth=30)
    solution = me.solve(problem, model=model)
    drawn = solution.sample(20_000, rng=0) >= 2
    precision = np.full((len(drawn), 3), np.nan)  # of documents that are not there
    for row, own in zip(precision, drawn, strict=True):
        ranks = np.flatnonzero(own)[:3] + 1
        row[: len(ranks)] = np.arange(1, len(ranks) + 1) / ranks
    expected = me.inferred_curve(solution, threshold=2, expected=True, band=0.9)
    np.testing.assert_allclose(expected.recall, [1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(expected.precision, np.nanmean(precision, axis=0), atol=0.02)
    assert expected.low is not None
    assert expected.high is not None
    inside = (expected.low - 1e-12 <= precision) & (precision <= expected.high + 1e-12)
    there = np.isfinite(precision).sum(axis=0)
    assert (inside.sum(axis=0) / there >= 0.9 - 0.01).all()
    beyond = (expected.low < precision) & (precision < expected.high)
    assert (beyond.sum(axis=0) / there <= 0.9 + 0.01).all(), "no narrower band would do"
    assert expected.to_frame().columns.tolist() == ["rank", "recall", "precision", "low", "high"]
    curve = me.inferred_curve(solution, threshold=2, band=0.9)
    assert curve.low is not None
    np.testing.assert_allclose(np.interp(expected.recall, curve.recall, curve.low), expected.low, atol=0.02)
    plain = me.inferred_curve(solution, threshold=2)
    actual = me.actual_curve([2, 0, 0, 2, *[0] * 26], (6, 3), threshold=2)
    errors = [me.curve_error(actual, own, align="expected").rms for own in (plain, expected)]
    assert errors[0] == pytest.approx(errors[1], abs=1e-9)


@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("model", ["ranks", "lists"])
def test_a_band_contains_its_curve(model: Model, expected: bool) -> None:
    """Also at the first rank, which nearly all lists begin with a relevant document, and at the last ranks."""
    problem = me.Problem(me.AP(), value=0.35, relevant=(40,), retrieved=(40,), depth=1000)
    solution = me.solve(problem, model=model)
    curve = me.inferred_curve(solution, expected=expected, band=0.9)
    assert curve.low is not None
    assert curve.high is not None
    assert (curve.low <= curve.precision).all()
    assert (curve.precision <= curve.high).all()
    quantiles = precision_band(solution.ranks(), 0.9)
    documents = np.arange(1, quantiles.shape[1] + 1)
    low, high = (np.interp(curve.recall * 40, documents, end) for end in quantiles)
    within = (low <= curve.precision) & (curve.precision <= high)
    assert within.mean() > 0.9
    np.testing.assert_allclose(np.array((curve.low, curve.high))[:, within], np.array((low, high))[:, within])


def test_a_band_is_a_probability() -> None:
    solution = me.solve(me.Problem(me.AP(), value=0.5, relevant=(2,), retrieved=(2,), depth=5))
    with refused(me.errors.ProblemError):
        me.inferred_curve(solution, band=90)
