"""Problems into the lanes, through Newton's method, and out of them."""

import dataclasses

import numpy as np
import pytest

from maxent.kernels import Batch, Start, examine, newton_method
from maxent.measures import GAP
from maxent.problem import Problem, Problems, apart, as_batch

COUNTS = ((2.0, 1.0, 3.0), (1.0, 0.0, 2.5))


def problems(number: int, depth: int = 6) -> list[Problem]:
    """Different forms, values, counts and grades present; in some of them another grade than 0 is eliminated."""
    return [
        Problem(
            GAP(g=(0.05 * (k % 8), 0.5, 0.5 - 0.05 * (k % 8))),
            value=0.1 + 0.01 * k,
            relevant=COUNTS[k % 2],
            depth=depth,
            count="total",
        )
        for k in range(number)
    ]


def arrays(given: list[Problem]) -> Batch:
    return as_batch(Problems.of(given), apart(given[0].present))


def test_centred_problems_are_the_same() -> None:
    batch = arrays(problems(8)[1::2])
    centred, middle = batch.centred()
    rng = np.random.default_rng(0)
    for k in range(4):
        p = rng.random((6, 2))
        p *= batch.counts[k] / p.sum(axis=0)
        lost = ((batch.stacked("a") - centred.stacked("a"))[batch.index[k], :, 0] * p).sum()
        assert lost == pytest.approx(batch.value[k, 0] - centred.value[k, 0])
        assert lost == pytest.approx(middle[k, 0] @ batch.counts[k])


def test_some_of_the_measures() -> None:
    """As if the others had not been given, in any order, or none."""
    both = Problem({"AP": 0.3, "nDCG": 0.4}, relevant=(2, 1), retrieved=(2, 1), depth=6)
    batch = arrays([both, dataclasses.replace(both, value=(0.5, 0.6))])
    for name, j, values in (("AP", 0, [0.3, 0.5]), ("nDCG", 1, [0.4, 0.6])):
        alone = arrays([Problem(name, value=v, relevant=(2, 1), retrieved=(2, 1), depth=6) for v in values])
        some = batch.with_measures([j])
        for field in "adK":
            np.testing.assert_array_equal(some.stacked(field), alone.stacked(field))
        np.testing.assert_array_equal(some.value, alone.value)
        assert some.quadratic == alone.quadratic == (name == "AP")
    none = batch.with_measures([])
    assert (none.depth, none.c, none.m) == (6, 2, 0)


@pytest.mark.parametrize("lanes", [1, 8])
def test_every_lane_gets_its_own_problem(lanes: int) -> None:
    """More problems than lanes, and a last group that does not fill them."""
    given = problems(2 * lanes + 6, depth=30)[1::2]
    batch = arrays(given)
    even = batch.counts / 30
    logits = np.log(even / (1 - even.sum(axis=1, keepdims=True)))
    start = Start(
        even[:, None],
        np.column_stack((np.zeros(len(given)), logits)),
        np.zeros(len(given), dtype=bool),
    )
    found = newton_method(batch, np.ones((len(given), 1)), start, most=60, tolerance=1e-12, lanes=lanes)
    assert found.converged.all()
    np.testing.assert_allclose(found.evidence.expected, batch.value, atol=1e-11)
    np.testing.assert_allclose(found.evidence.total, batch.counts, rtol=1e-10)
    np.testing.assert_allclose(found.p.sum(axis=2), 1, atol=1e-14)
    np.testing.assert_allclose(found.p[:, :, 1:].sum(axis=1), batch.counts, rtol=1e-10)
    for k in range(len(given)):
        one = dataclasses.replace(batch, index=batch.index[[k]], value=batch.value[[k]], counts=batch.counts[[k]])
        alone = examine(one, found.p[[k]], found.multipliers[[k]])
        assert alone.deviation[0] < 1e-10
        assert alone.rows[0] < 1e-14
        np.testing.assert_allclose(alone.border, found.evidence.border[[k]], rtol=1e-6)
        assert alone.negative[0] == found.evidence.negative[k]
