"""What the certificate accepts, and what it refuses."""

import dataclasses
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

import maxent as me
from maxent.kernels import Start, newton_method
from maxent.lists import ListDistribution
from maxent.measures import AP, GAP, Form
from maxent.problem import (
    COUNTS,
    MODELS,
    Count,
    Model,
    Multipliers,
    Problem,
    Problems,
    Solution,
    apart,
    as_batch,
    certify,
    certify_many,
    locate,
)
from maxent.solvers import solve
from tests.helpers import REFERENCE, at, with_p


def test_the_certificate_catches_tampering() -> None:
    solution = solve(REFERENCE)
    assert solution.certificate.accepted
    for change in (tamper_counts, tamper_value, tamper_shape, tamper_row, tamper_multiplier, tamper_status):
        assert not change(solution).certificate.accepted, change.__name__


def tamper_counts(s: Solution) -> Solution:
    p = s.p.copy()
    p[5, 1] += 1e-5
    p[5, 0] -= 1e-5
    return with_p(s, p)


def tamper_value(s: Solution) -> Solution:
    return with_p(s, np.vstack((s.p[1:], s.p[:1])))


def tamper_shape(s: Solution) -> Solution:
    """Constraints kept to first order, but not the most random distribution any more."""
    p = s.p.copy()
    p[700:702, 1] += (1e-5, -1e-5)
    p[700:702, 0] -= (1e-5, -1e-5)
    return with_p(s, p)


def tamper_row(s: Solution) -> Solution:
    p = s.p.copy()
    p[999, 0] += 1e-6
    return with_p(s, p)


def tamper_multiplier(s: Solution) -> Solution:
    return dataclasses.replace(s, multipliers=s.multipliers._replace(value=s.multipliers.value * 1.001))


def tamper_status(s: Solution) -> Solution:
    return dataclasses.replace(s, status="infeasible")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("most", [1, 2, 60])
def test_the_certificate_of_a_problem_is_a_row_of_that_of_many(count: Count, most: int) -> None:
    """After too few iterations and after enough; some of the last are maxima."""
    problems = [at("GAP(g=.5,.5)", share, count=count) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    batch, k = as_batch(Problems.of(problems), apart(problems[0].present)), len(problems)
    share = batch.counts / problems[0].depth
    logits = np.log(share / (1 - share.sum(axis=1, keepdims=True)))
    start = Start(share[:, None], np.column_stack((np.zeros(k), logits)), np.zeros(k, dtype=bool))
    result = newton_method(batch, np.ones((k, 1)), start, most=most, tolerance=1e-12, lanes=8)
    ranges = np.array([[max(problem.interval)] for problem in problems])
    certificates = certify_many(batch, result.multipliers, result.evidence, ranges)
    for row, problem in enumerate(problems):
        value, *counts = result.multipliers[row].tolist()
        alone = certify(problem, result.p[row], "optimal", Multipliers(value, tuple(counts)))
        together = certificates.row(row)
        assert together.accepted == alone.accepted == certificates.accepted[row]
        assert together.curvature == alone.curvature
        np.testing.assert_allclose(together[:4], alone[:4], rtol=1e-6, atol=1e-12)
    if most == 60:
        assert certificates.accepted.any()


def test_a_wrong_boundary_is_not_accepted() -> None:
    solution = solve(at("GAP(g=.4,.6)", 1.0))
    assert solution.certificate.accepted
    middle = solve(at("GAP(g=.4,.6)", 0.9))
    assert not certify(middle.problem, middle.p, "boundary", middle.multipliers).accepted


def test_the_curvature_is_the_inertia_of_the_reduced_hessian() -> None:
    """Against dense linear algebra at stationary points and elsewhere, maxima and saddles."""
    rng = np.random.default_rng(2)
    verdicts = set()
    for levels, count in product((1, 2, 3), COUNTS[::2]):
        for _ in range(25):
            depth = int(rng.integers(3, 8))
            p = rng.dirichlet(np.ones(levels + 1), depth)
            m = GAP(g=tuple(rng.dirichlet(np.ones(levels))))
            relevant = np.ceil(p[:, 1:].sum(axis=0)) + 1
            retrieved = relevant if count == "at_most" else p[:, 1:].sum(axis=0)
            problem = Problem(
                m, value=0.5, relevant=tuple(relevant), retrieved=tuple(retrieved), depth=depth, count=count
            )
            multiplier = float(rng.normal() * rng.choice([3.0, 30.0, 300.0]))
            fast = certify(problem, p, "optimal", Multipliers(multiplier, (0.0,) * levels)).curvature
            assert fast == dense_strict_maximum(problem, p, multiplier)
            verdicts.add(fast)
    assert verdicts == {True, False}


def dense_strict_maximum(problem: Problem, p: np.ndarray, multiplier: float) -> bool:
    """Largest eigenvalue of the Hessian of the Lagrangian on the null space of the active constraints."""
    depth, grades = p.shape
    size = depth * (grades - 1)
    form = problem.form
    hessian = np.zeros((size, size))
    for k in range(size):
        x = np.zeros((depth, grades))
        x[k // (grades - 1), 1 + k % (grades - 1)] = 1
        hessian[k] = multiplier * form.hessian_action(x)[:, 1:].ravel()
    for n in range(depth):
        rows = slice(n * (grades - 1), (n + 1) * (grades - 1))
        hessian[rows, rows] -= np.diag(1 / p[n, 1:]) + 1 / p[n, 0]
    constraints = [form.gradient(p)[:, 1:].ravel()]
    if problem.count == "retrieved":
        constraints += [np.tile(np.eye(grades - 1)[i], depth) for i in range(grades - 1)]
    _, singular, rows_ = np.linalg.svd(np.array(constraints))
    null = rows_[np.sum(singular > 1e-10) :]
    if not len(null):
        return True
    return bool(np.linalg.eigvalsh(null @ hessian @ null.T).max() < 0)


@dataclass(frozen=True)
class Bent(AP):
    """AP plus a linear part that makes a given distribution stationary; for the test of saddles."""

    own: tuple[float, ...] = ()

    def _form(self, relevant: np.ndarray, depth: int) -> Form:
        form = super()._form(relevant, depth)
        return dataclasses.replace(form, a=np.column_stack((np.zeros(depth), np.array(self.own))))


@pytest.mark.parametrize("multiplier", [-3.0, -3000.0])
def test_a_saddle_is_refused(multiplier: float) -> None:
    """A stationary point built on purpose: a maximum for a small multiplier, a saddle for a large one."""
    depth, p = 8, np.linspace(0.2, 0.7, 8)
    pairwise = AP().form((5,), depth)
    both = np.column_stack((1 - p, p))
    w = dataclasses.replace(pairwise, a=np.zeros((depth, 2))).gradient(both)[:, 1]
    theta = np.log(p / (1 - p))
    m = Bent(own=tuple(((theta - 0.3) / multiplier - w).tolist()))  # theta = mu + lambda w with mu = 0.3
    count = float(p.sum())
    problem = Problem(m, value=m.expected(both, (5,)), relevant=(5.0,), retrieved=(count,), depth=depth)
    found = certify(problem, both, "optimal", Multipliers(multiplier, (0.3,)))
    assert found.stationarity < 1e-12
    assert found.curvature == dense_strict_maximum(problem, both, multiplier)
    assert found.accepted == found.curvature == (multiplier == -3.0)


def test_rounding_of_sums_over_the_ranks_is_no_distance_from_an_end() -> None:
    """The worst list's R-precision (1396 relevant in depth 1405), and the end, each a sum of 1396 numbers."""
    assert locate(0.9935530085959887, 0.9935530085959733, 1.0) == "low"
    assert locate(0.99355301, 0.9935530085959733, 1.0) == "inside"


def test_what_is_refused_or_infeasible_has_no_numbers() -> None:
    inside = me.solve(me.Problem(me.AP(), value=0.35, relevant=(4,), retrieved=(4,), depth=20))
    nothing = np.full_like(inside.p, np.nan)
    refused = certify(inside.problem, nothing, "optimal", inside.multipliers)
    assert tuple(refused) == (np.inf, np.inf, np.inf, np.inf, False, False, None, None, None)
    beyond = me.solve(me.Problem(me.AP(), value=1.5, relevant=(4,), retrieved=(4,), depth=20))
    assert beyond.status == "infeasible"
    assert beyond.certificate == refused


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "values", [{"AP": 1.5}, {"P@20": 0.0, "P@10": 1.0}, {"AP": 0.0, "P@10": 0.4}, {"AP": 1.0, "P@10": 0.2}]
)
def test_nothing_without_a_distribution_is_accepted(values: dict[str, float], model: Model) -> None:
    """Beyond an interval, or contradicting each other."""
    parts = {me.measures.parse_measure(name): value for name, value in values.items()}
    for count in COUNTS:
        solution = me.solve(me.Problem(parts, relevant=(4,), retrieved=(4,), depth=30, count=count), model=model)
        assert solution.status in ("infeasible", "failed")
        assert not solution.certificate.accepted


def test_a_distribution_over_lists_that_is_none_is_not_accepted() -> None:
    whole = me.solve(me.Problem(me.AP(), value=0.5, relevant=(4,), depth=9, count="total"), model="lists")
    assert whole.certificate.accepted
    distribution = whole.distribution
    assert isinstance(distribution, ListDistribution)
    dual = distribution.dual._replace(p=np.full_like(distribution.dual.p, np.nan))
    nothing = dataclasses.replace(whole, distribution=dataclasses.replace(distribution, dual=dual))
    assert not nothing.certificate.accepted
