"""Errors of many curves at once against those of one curve at a time."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxent.curves import ALIGNS, Align, Curve, actual_curve, curve_error
from maxent.kernels.curves import Observed, curve_errors, expected_precision


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


@given(st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), min_size=1, max_size=9))
def test_expected_precision_is_that_of_all_lists(probability: list[float]) -> None:
    """Every list of independent ranks, with its probability; a document that is not there has precision 0."""
    depth = len(probability)
    wanted = np.zeros(depth)
    for relevant in product((False, True), repeat=depth):
        chance = np.prod(np.where(relevant, probability, 1 - np.array(probability)))
        ranks = np.flatnonzero(relevant) + 1
        wanted[: len(ranks)] += chance * np.arange(1, len(ranks) + 1) / ranks
    found = np.cumsum(probability)[None]
    np.testing.assert_allclose(expected_precision(found, depth)[0], wanted, atol=1e-14)
    np.testing.assert_allclose(expected_precision(found, 2)[0], np.pad(wanted, (0, 1))[:2], atol=1e-14)
