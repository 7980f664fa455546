"""Errors of many curves at once against those of one curve at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxent import actual_curve, curve_error
from maxent.curves import ALIGNS, Align, Curve
from maxent.kernels import Observed, curve_errors, expected_precision
from maxent.lists import precision_at_documents, precision_band
from maxent.problem import document_ranks
from tests import naive
from tests.golden.messages import refused


@pytest.mark.parametrize("align", ALIGNS)
@given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_many_curves_are_as_one_at_a_time(align: Align, depth: int, levels: int, seed: int, certain: bool) -> None:
    """Lists without a relevant document, topics with more than are retrieved, curves that are flat."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, levels + 1, (4, depth)) * (rng.random((4, depth)) < 0.6)
    own = rng.integers(0, len(grades), 6)
    p = rng.dirichlet(np.full(levels + 1, 0.3), (6, depth))
    if certain:  # probabilities 0 and 1: recall stays the same between documents
        p = np.eye(levels + 1)[rng.integers(0, levels + 1, (6, depth))]
    most = np.stack([(grades == grade).sum(axis=1) for grade in range(1, levels + 1)], axis=1).max(axis=0)
    relevant = most + rng.integers(0, 3, levels) + 1
    observed = Observed.of(grades, relevant, range(1, levels + 1), (align,)).part(own)
    np.testing.assert_array_equal(observed.rows(), grades[own])
    errors = curve_errors(p, observed)
    for threshold in range(1, levels + 1):
        base = float(relevant[threshold - 1 :].sum())
        for k, run in enumerate(own):
            curve = actual_curve(grades[run], relevant, threshold=threshold)
            count = np.cumsum(p[k][:, threshold:].sum(axis=1))
            rank = np.arange(1.0, depth + 1)
            error = curve_error(curve, Curve(rank, count / base, count / rank), align=align)
            found = errors[k, threshold - 1, 0]
            np.testing.assert_allclose(found, (error.rms, error.mae), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("align", ALIGNS)
@given(st.integers(1, 6), st.integers(1, 2), st.integers(0, 2**32 - 1))
def test_the_error_is_that_of_loops(align: Align, depth: int, base: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hits, grades = rng.uniform(0.1, 0.9, depth), rng.permutation(np.arange(depth) < base).astype(int)
    relevant = np.array([base + 1])
    wanted = naive.curve_error(hits.tolist(), base + 1, (np.flatnonzero(grades) + 1).tolist(), align)
    count, rank = np.cumsum(hits), np.arange(1.0, depth + 1)
    curve = Curve(rank, count / (base + 1), count / rank)
    at_once = curve_errors(
        np.column_stack((1 - hits, hits))[None], Observed.of(grades[None], relevant, (1,), (align,))
    )
    for errors in (curve_error(actual_curve(grades, relevant), curve, align=align)[:2], at_once[0, 0, 0]):
        np.testing.assert_allclose(errors, wanted, rtol=1e-9, atol=1e-12)


GRADES = np.array([[0, 2, 0, 1, 0, 0, 1, 0], [1, 0, 0, 0, 2, 0, 0, 1]])


def errors_of(grades: np.ndarray) -> np.ndarray:
    """Errors of some distributions against the lists."""
    p = np.random.default_rng(0).dirichlet(np.ones(3), (2, grades.shape[-1]))
    return curve_errors(p, Observed.of(grades, np.array([3, 2]), (1, 2), ALIGNS))


@pytest.mark.parametrize("kind", ["b", "B", "h", "H", "i", "I", "q", "Q", ">i4", ">i8"])
def test_grades_of_every_type_of_integers_are_the_same_grades(kind: str) -> None:
    np.testing.assert_array_equal(errors_of(GRADES.astype(kind)), errors_of(GRADES))


@pytest.mark.parametrize(
    "grades",
    [GRADES.astype(float), GRADES > 0, GRADES[0], GRADES + 1, GRADES - 1],
    ids=["float64", "bool", "one list", "to 3", "from -1"],
)
def test_what_are_no_grades_is_refused(grades: np.ndarray) -> None:
    with refused((TypeError, ValueError)):
        errors_of(grades)


@given(st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), min_size=1, max_size=9))
def test_expected_precision_is_that_of_all_lists(probability: list[float]) -> None:
    """Every list of independent ranks, with its probability: the mean over those that have the document."""
    depth, lists = len(probability), naive.all_lists(len(probability), 1)
    p = np.column_stack((1 - np.array(probability), probability))
    chances = naive.probabilities(lists, p)
    exists = [chances[lists.sum(axis=1) >= k].sum() for k in range(1, depth + 1)]
    wanted = np.array(naive.precision_where_present(lists, chances.tolist(), depth))
    for documents in {depth, min(depth, 2)}:
        found = expected_precision(np.cumsum(probability)[None], documents)[0]
        for k in range(documents):
            if exists[k] > 1e-4:
                assert found[k] == pytest.approx(wanted[k], abs=1e-9)
            rounding = 1e-9 + 1e-14 / max(exists[k], 1e-300)  # what hardly exists is a quotient of tiny numbers
            assert (k + 1) / depth - 1e-12 <= found[k] <= max(wanted[k], (k + 1) / depth) + rounding


@pytest.mark.parametrize("chance", [0.0, 1e-300, 1e-25, 1e-16, 1e-8, 1e-3, 0.3])
def test_a_document_that_hardly_exists_is_at_the_last_rank(chance: float) -> None:
    """Two of three documents at the first ranks: the third is at one of a hundred, or nowhere."""
    probability = np.array([1.0, 1.0, *[chance] * 98])
    found = np.vstack((np.cumsum(probability), np.arange(100) / 7))
    precision, change = expected_precision(found, 4)[:, 2:]
    assert np.isfinite(change).all()
    share = chance * (1 - chance) ** np.arange(98)
    ranks = document_ranks(probability, 4)
    for own in (precision, precision_at_documents(ranks)[2:]):  # the first adds tiny numbers to 2, and loses some
        assert own[1] == pytest.approx(0.04, rel=1e-4) or chance > 1e-10
        if share.sum() > 1e-10:
            wanted = 3 * (share / np.arange(3, 101)).sum() / share.sum()
            assert own[0] == pytest.approx(wanted, rel=1e-4 if chance < 1e-3 else 1e-9)
        elif chance < 1e-20:
            assert own[0] == pytest.approx(0.03, rel=1e-4)
        assert 0.03 - 1e-12 <= own[0] <= 1
    low, high = precision_band(ranks, 0.9)
    assert (low <= high).all()
    assert 0.03 <= low[2] <= high[2] <= 1


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.1, 1e-3]))
def test_derivatives_of_expected_precision_are_finite_differences(seed: int, scale: float) -> None:
    """Also of a document that exists with a probability of 1e-12."""
    rng = np.random.default_rng(seed)
    probability, direction = rng.uniform(0.1, 0.8, 8) * scale, rng.normal(size=8) * scale
    found, change = np.cumsum(probability), np.cumsum(direction)
    documents = 8 if scale > 0.5 else 4
    step = 1e-5
    up, down = (expected_precision((found + sign * change)[None], documents)[0] for sign in (step, -step))
    ours = expected_precision(np.vstack((found, change)), documents)[1]
    np.testing.assert_allclose(ours, (up - down) / (2 * step), rtol=1e-4, atol=1e-7)
