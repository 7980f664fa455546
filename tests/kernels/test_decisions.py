"""Decisions of Newton's method, and the loop."""

import math

import numpy as np
import pytest

from maxent.kernels import Workspace, call
from maxent.kernels.passes import SHORTENED
from tests.kernels import plain


def test_a_step_may_lead_from_nothing_to_something() -> None:
    """A probability of exp(-10,000) may grow by all of that, the largest of its rank by a little."""
    work = Workspace(3, 2)
    work["fresh"][:] = work["running"][:] = 1
    work["theta"][:, :, 0] = (-1e4, 0), (3e3, 0), (0, 0)
    work["step"][:, :, 0] = (1e4, 0), (-3e3, 0), (0, 0)
    work.run("softmax", "fastest_growth", "step_length")
    assert work["share"][0] == 1.0
    work["step"][2, 0] = 9
    work.run("fastest_growth", "step_length")
    assert work["share"][0] == pytest.approx(2 / (9 - 9 / 3))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_step_that_is_not_finite_ends_the_run(bad: float) -> None:
    work = plain.random_problems(5, 2, 1, 8)
    work.run("softmax")
    work["step"][3, 1, 2] = bad
    work.run("fastest_growth")
    assert work["running"].tolist() == [1, 1, 0, 1, 1, 1, 1, 1]
    assert work["share"][2] == 0


@pytest.mark.parametrize("m", [1, 3])
def test_the_border_is_eliminated_with_pivoting(m: int) -> None:
    """Also with a diagonal of zeros, rows of very different size, and bounds that do not count."""
    work = plain.random_problems(2, 4, m, 8)
    size = m + 4
    G = np.random.default_rng(0).normal(size=(size, size + 1, 8)) * 10.0 ** np.arange(-8, 8, 2)[:size, None, None]
    G[np.arange(size), np.arange(size)] = 0.0
    work["G"][:] = G
    work.run("border")
    for lane in range(8):
        active = work["active"][:, lane] > 0
        matrix = np.where(active[:, None], G[:, :-1, lane], np.eye(size))
        right = np.where(active, work["h"][:, lane] - G[:, -1, lane], -work["multipliers"][:, lane])
        found, wanted = work["change"][:, lane], np.linalg.solve(matrix, right)
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-13 * np.abs(wanted).max())


def judged(**values: float) -> dict[str, float]:
    """What one lane decides, from fields that differ from those of a new run."""
    work = Workspace(1, 1)
    work["used"][:], work["most"][:], work["tolerance"][:], work["quadratic"][:] = 1, 20, 1e-12, 1
    work.run("begin")
    for name, value in values.items():
        work[name][...] = value
    work.run("decide")
    return {name: work[name].item() for name in ("fresh", "running", "converged", "share", "iterations", "allowed")}


def test_decisions() -> None:
    first = judged(error=0.5)
    assert (first["fresh"], first["running"], first["iterations"]) == (1, 1, 1)
    assert first["allowed"] == 1.0  # twice the error
    assert judged(error=0.0)["fresh"] == 1  # a step in any case
    done = judged(error=1e-13, iterations=3)
    assert (done["converged"], done["running"], done["fresh"]) == (1, 0, 0)
    noisy = judged(error=1e-10, iterations=3, rounding=1e6)
    assert noisy["converged"] == 1
    longer = judged(error=3.0, allowed=1.0, share=0.5, iterations=3)
    assert (longer["share"], longer["fresh"], longer["running"]) == (-0.25, 0, 1)
    assert judged(error=3.0, allowed=1.0, shortened=SHORTENED, iterations=3)["fresh"] == 1
    for lost in ({"error": math.nan, "shortened": SHORTENED}, {"error": 1.0, "iterations": 40}):
        assert judged(**lost)["running"] == 0
    assert judged(error=1.0, iterations=20, patience=8.0)["running"] == 1  # the error keeps halving
    assert judged(error=1.0, iterations=20, patience=-5.0)["running"] == 0


def test_lanes_that_hold_no_problem_stay_idle() -> None:
    work = plain.random_problems(6, 2, 1, 8)
    work["counts"][:], work["value"][:] = 1.5, 0.4
    work["most"][:], work["tolerance"][:], work["quadratic"][:] = 5, 1e-12, 1
    work["used"][:3], work["used"][3:] = 1, 0
    work.run("begin")
    call("newton_method", ranks=work.ranks, whole=work.whole, passes=work.passes, at=work.places, quadratic=1)
    assert (work["iterations"][:3] > 0).all()
    assert work["iterations"][3:].tolist() == [0] * 5
