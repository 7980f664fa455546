"""Where Newton's method does not arrive: proximal steps, and starts in which the last ranks stand out."""

import dataclasses

import numpy as np
import pytest

from maxent.compiled import Workspace
from maxent.measures import AP, Measure, Q, muAP, wAP, xGAP
from maxent.problem import Problem
from maxent.solvers import solve
from maxent.solvers.ascent import ascend
from maxent.solvers.frozen import frozen
from maxent.solvers.interior import Interior
from maxent.solvers.newton import load
from maxent.solvers.proximal import rise
from maxent.solvers.starts import mixture, tail


def low(measure: Measure, share: float, counts: tuple[float, ...], depth: int = 1000) -> Problem:
    """Problem whose value lies at ``share`` of the attainable interval."""
    problem = Problem(measure, value=0.5, relevant=counts, retrieved=counts, depth=depth)
    least, most = problem.interval
    return dataclasses.replace(problem, value=least + share * (most - least))


FEW = (0, 4.390082436872443e-06, 8.780164873744886e-06, 0, 4.390082436872443e-06, 4.390082436872443e-06)
FAILED = [  # once: most of them before there were proximal steps
    low(wAP(), 0.07, (9, 3)),
    low(wAP(), 0.02, (9, 3)),
    low(wAP(), 0.04, (5, 4, 3)),
    low(wAP(), 0.03, (5, 4, 3)),
    low(wAP(), 0.1, (3,)),
    low(wAP(), 0.05, (2, 1)),
    low(wAP(), 0.003, (100, 50)),
    Problem(  # near the largest value
        wAP(gain=(1.0, 1.0, 0.17284270543506342, 0.0)),
        value=1.1764457202604954,
        relevant=(0.921, 0.245, 0.753, 8.067),
        retrieved=(0, 0, 0, 8),
        depth=34,
        count="at_most",
    ),
    Problem(
        wAP(gain="exp"),
        value=1.0000283846668026,
        relevant=(10.139, 3.266, 7.157, 6.585, 2.203),
        retrieved=(10, 3, 7, 6, 2),
        depth=34,
        count="total",
    ),
    Problem(
        Q(beta=0.5157737813119758, gain=(200.0, 0.0, 626.4621714665739, 626.4621714665739, 200.0)),
        value=1.0157630311877055,
        relevant=(1.056, 0.396, 1.6350000000000002, 2.217037032288618, 0.012),
        retrieved=(0, 0, 0, 3.70322886176578e-05, 0),
        depth=28,
        count="at_most",
    ),
    Problem(
        muAP(levels=(0.001, 0.002, 0.003, 8.669163382470401, 9.669163382470401)),
        value=0.99999411414941,
        relevant=(8.709229608935988, 0.8663439255464529, 5.449557536213562, 11.155447539366449, 1.6350000000000002),
        retrieved=(6.204229608935988, 0.2573439255464529, 3.460557536213562, 8.653447539366448, 0),
        depth=1195,
        count="at_most",
    ),
    Problem(
        muAP(levels=(1.0, 1.001, 1.0019999999999998, 6.246094613372226, 11.490189226744452, 12.490189226744452)),
        value=0.19320727928621645,
        relevant=(3.139, 1.254, 3.411, 3.913, 3.811, 1.701),
        retrieved=(1, 0, 3, 1, 1, 0),
        depth=10,
    ),
    Problem(  # hardly any documents
        wAP(gain="exp"),
        value=45558.03698009008,
        relevant=FEW,
        retrieved=FEW,
        depth=91,
    ),
]


@pytest.mark.parametrize("problem", FAILED, ids=lambda problem: f"{problem.measure}-{problem.value:.4g}")
def test_every_value_has_a_maximum(problem: Problem) -> None:
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.stationarity < 1e-9


def test_near_the_largest_value_derivatives_are_renewed() -> None:
    """Of Q, whose weights hardly fall: steps from the end, kept short, took 2101 iterations."""
    problem = Problem(
        Q(beta=1.2414268075691555, gain=(0.0, 676.8303404277619)),
        value=0.9999999999999954,
        relevant=(13, 1382),
        retrieved=(13, 1382),
        depth=2357,
        count="at_most",
    )
    solution = solve(problem)
    assert solution.status == "optimal"
    assert solution.entropy == pytest.approx(80.475608, abs=1e-6)
    assert solution.iterations < 100


@pytest.mark.parametrize(
    ("counts", "share", "entropy"),
    [((12,), 0.03, 25.562189), ((9, 3), 0.01, 13.236237), ((5, 4, 3), 0.003, 6.406732)],
)
def test_better_maxima_than_from_the_end(counts: tuple[float, ...], share: float, entropy: float) -> None:
    """With some ranks that hold a document, another that may, and all others alike."""
    assert solve(low(wAP(), share, counts)).entropy > entropy - 1e-5


def test_steps_that_stay_close_raise_the_entropy() -> None:
    """Each is at least as good as the last, with the logits mu + (1 - s) lambda w + s theta'."""
    problem = Problem(AP(), value=0.5, relevant=(462.671,), retrieved=(462.671,), depth=751)
    least, most = problem.interval
    inner = Interior(dataclasses.replace(problem, value=least + 1.59e-6 * (most - least)))
    work = Workspace(751, 1)
    load(work, inner)
    start = next(frozen(work, inner, shift=0, steady=(np.inf,)))
    theta, multipliers = start
    assert ascend(work, inner, theta, multipliers, most=60)[0] is None
    entropies = []
    for _ in range(6):
        work["offset"][..., 0] = 0.5 * theta
        point, _ = ascend(work, inner, theta, 0.5 * multipliers, most=60)
        assert point is not None
        implied = point.multipliers[1:] + point.multipliers[0] * work["w"][..., 0] + 0.5 * theta
        np.testing.assert_allclose(point.theta, implied, atol=1e-6)
        theta, multipliers = point.theta, 2 * point.multipliers
        entropies.append(point.entropy)
    assert np.diff(entropies).min() > -1e-9
    assert entropies[-1] > entropies[0] + 1e-3
    work["offset"][:] = 0.0
    found, _ = rise(work, inner, *start)
    assert found is not None
    assert found.entropy > entropies[-1]
    assert not work["offset"].any()


def test_hardly_any_steps_fail() -> None:
    """Four ascents near the smallest xGAP: 644 of 759 iterations when each step after a success was much longer."""
    problem = Problem(
        xGAP(g=(1.4864230368676175e-05, 1.4180692227339648e-05, 0.999970955077404)),
        value=0.0137273576168694,
        relevant=(2, 317, 130),
        retrieved=(2, 317, 130),
        depth=4819,
    )
    solution = solve(problem)
    assert solution.entropy == pytest.approx(1225.2135314, abs=1e-6)
    assert solution.iterations < 650


def test_starts_have_the_value() -> None:
    inner = Interior(low(wAP(), 0.02, (9, 3)))
    blurred, whole, mixed = tail(inner, whole=False), tail(inner, whole=True), mixture(inner)
    for p, off in ((blurred, 0.02), (whole, 1e-9), (mixed, 1e-9)):
        assert p is not None
        assert p.min() > 0
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_allclose(p[:, 1:].sum(axis=0), (9, 3))
        assert inner.form.expected(p[:, 1:]) == pytest.approx(inner.value, abs=off)
    assert tail(Interior(low(wAP(), 0.9, (9, 3))), whole=False) is None
    assert tail(Interior(low(AP(), 0.01, (9,))), whole=False) is None  # there the weights fall


def test_a_list_with_multipliers_beyond_all_bounds_is_no_maximum() -> None:
    """A perfect list has the value wanted to the last digit, and stays itself however large lambda is."""
    counts = (1.0, 1.0, 14.0, 3.0, 0.0, 5.0)
    measure, value = Q(beta=1.0, gain="exp2"), 0.9999999999999999
    solution = solve(Problem(measure, value=value, relevant=counts, retrieved=counts, depth=369, count="at_most"))
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.entropy == pytest.approx(2.061875, abs=1e-6)
