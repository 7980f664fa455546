"""Problems and their solutions: back ends against each other, certificates, ends of the interval."""

import dataclasses
import importlib
from dataclasses import dataclass
from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from maxent.attainable import end_values, ends
from maxent.certificate import Multipliers, certify, place
from maxent.compiled import Workspace
from maxent.errors import ProblemError
from maxent.measures import AP, GAP, NDCNG, RBP, Measure, P, Q, Rprec, eGAP, nDCG, nRecall, parse_measure, wAP, xGAP
from maxent.measures.form import Form
from maxent.problem import COUNTS, Count, Problem
from maxent.solution import Solution
from maxent.solvers import BACKENDS, Interrupted, solve, solve_many
from maxent.solvers.ascent import ascend
from maxent.solvers.batch import pieces
from maxent.solvers.frozen import frozen
from maxent.solvers.interior import Interior, starts
from maxent.solvers.newton import load, solve_newton
from maxent.solvers.search import SHIFTS, STEADY, ambiguous
from maxent.statement import Lot, Statement
from tests import naive

REFERENCE = Problem(GAP(g=(0.5, 0.5)), value=0.35, relevant=(30, 10), retrieved=(30, 10), depth=1000)
MEASURES = (
    "AP", "AP(rel=2)", "GAP(g=.5,.5)", "GAP(g=0,1)", "nDCG(gain=exp2)", "nDCG@10", "DCG(discount=inverse)", "P@10",
    "Rprec", "RBP(p=.9)", "xGAP(g=.5,.5)", "eGAP(g=.3,.7)", "muAP", "muAP(levels=1,5)", "gAP", "wAP",
    "wAP(gain=exp2)", "Q", "Q(beta=100)", "NDCNG", "mnDCG", "SR@20", "mSR@10", "CG@5", "gP@10", "gR@20", "nRecall",
    "nPrecision(rel=2)",
)  # fmt: skip
SHARES = (0.02, 0.3, 0.5, 0.8, 0.97)


def at(measure: str | Measure, share: float, *, count: Count = "retrieved", depth: int = 60) -> Problem:
    """Problem whose value lies at ``share`` of the attainable interval."""
    m = parse_measure(measure) if isinstance(measure, str) else measure
    problem = Problem(m, value=0.5, relevant=(9, 6), retrieved=(7, 5), depth=depth, count=count)
    low, high = (end.value for end in problem.ends)
    return dataclasses.replace(problem, value=low + share * (high - low))


@pytest.mark.parametrize("solver", ["newton", "scipy", "cvxpy", "cvxpy-ipopt", "cvxpy-sequential"])
def test_back_ends_agree_on_the_reference_problem(solver: str) -> None:
    """Design 3: H = 158.812219469739 nats; every p within 1e-5 of Newton's."""
    solution = solve(REFERENCE, solver=solver)
    assert solution.status == "optimal", solution.message
    assert solution.solver == solver
    assert solution.entropy == pytest.approx(158.812219469739, abs=5e-8)
    np.testing.assert_allclose(solution.p, solve(REFERENCE).p, atol=1e-5)


@pytest.mark.parametrize("solver", [name for name in BACKENDS if name not in ("newton", "scipy-slsqp")])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("measure", ["GAP(g=.3,.7)", "AP", "nDCG(gain=exp2)", "P@10"])
def test_back_ends_agree(measure: str, count: Count, solver: str) -> None:
    problem = at(measure, 0.4, count=count)
    newton, other = solve(problem), solve(problem, solver=solver)
    assert other.status == "optimal", other.message
    np.testing.assert_allclose(other.p, newton.p, atol=1e-5)
    assert other.multipliers.value == pytest.approx(newton.multipliers.value, rel=1e-4)


@pytest.mark.parametrize("measure", ["GAP(g=.3,.7)", "nDCG"])
def test_slsqp_agrees_where_it_can(measure: str) -> None:
    problem = at(measure, 0.4, depth=30)
    solution = solve(problem, solver="scipy-slsqp")
    assert solution.status == "optimal", solution.message
    np.testing.assert_allclose(solution.p, solve(problem).p, atol=1e-5)


@pytest.mark.parametrize(("measure", "count", "share"), list(product(MEASURES, COUNTS, SHARES)))
def test_newton_is_certified(measure: str, count: Count, share: float) -> None:
    solution = solve(at(measure, share, count=count))
    assert solution.status == "optimal", solution.message
    c = solution.certificate
    assert c.accepted
    assert max(c.value_violation, c.count_violation, c.row_violation, c.stationarity) < 1e-10


@pytest.mark.parametrize("measure", MEASURES)
def test_newton_at_full_size(measure: str) -> None:
    for share in SHARES:
        solution = solve(at(measure, share, depth=1000))
        assert solution.status == "optimal", solution.message
        assert solution.certificate.stationarity < 1e-10


def test_the_multiplier_is_minus_the_slope_of_the_entropy() -> None:
    for measure in ("GAP(g=.5,.5)", "nDCG", "P@10"):
        problem = at(measure, 0.4)
        step = 1e-5
        up, down = (solve(dataclasses.replace(problem, value=problem.value + s)).entropy for s in (step, -step))
        assert solve(problem).multipliers.value == pytest.approx(-(up - down) / (2 * step), rel=1e-6)


def test_an_observed_list_is_never_infeasible() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        grades = rng.choice(3, size=rng.integers(1, 40), p=(0.6, 0.3, 0.1))
        relevant = np.bincount(grades, minlength=3)[1:] + rng.integers(0, 4, 2)
        for text in ("AP", "GAP(g=.5,.5)", "nDCG(gain=exp2)", "P@10", "Rprec"):
            solution = solve(Problem.of_list(parse_measure(text), grades, relevant))
            assert solution.status in ("optimal", "boundary"), (text, grades, relevant, solution.message)
            assert solution.certificate.accepted


# --- ends of the attainable interval ---


@pytest.mark.parametrize(
    "measure", ["AP", "GAP(g=.4,.6)", "GAP(g=0,1)", "GAP(g=1,0)", "nDCG", "P@2", "Rprec", "RBP"]
)
def test_ends_equal_the_best_and_worst_list(measure: str) -> None:
    """Of all lists with the given counts (depth 6)."""
    m = parse_measure(measure)
    for found in ((2, 1), (0, 2), (3, 3), (1, 0), (0, 0)):
        problem = Problem(m, value=0.5, relevant=(3, 3), retrieved=found, depth=6)
        lists = naive.all_lists(6, 2)
        lists = lists[((lists == 1).sum(axis=1) == found[0]) & ((lists == 2).sum(axis=1) == found[1])]
        values = m.evaluate(lists, (3, 3))
        low, high = problem.ends
        assert low.value == pytest.approx(values.min(), abs=1e-12)
        assert high.value == pytest.approx(values.max(), abs=1e-12)


@given(st.integers(0, 10**6), st.sampled_from(["AP", "GAP(g=.4,.6)", "GAP(g=0,1)", "nDCG", "P@2", "RBP"]))
@settings(max_examples=60, deadline=None)
def test_no_distribution_is_beyond_the_ends(seed: int, measure: str) -> None:
    """Random distributions with the counts (Sinkhorn scaling), many of them near the extremes."""
    rng = np.random.default_rng(seed)
    depth = int(rng.integers(2, 8))
    p = rng.gamma(rng.choice([0.05, 0.3, 1.0]), size=(depth, 3)) + 1e-9
    counts = rng.dirichlet(np.ones(3)) * depth
    for _ in range(500):
        p *= counts / p.sum(axis=0)
        p /= p.sum(axis=1, keepdims=True)
    relevant = np.ceil(counts[1:]) + 1
    m = parse_measure(measure)
    problem = Problem(m, value=0.5, relevant=tuple(relevant), retrieved=tuple(p[:, 1:].sum(axis=0)), depth=depth)
    low, high = problem.ends
    assert low.value - 1e-6 <= m.expected(p, relevant) <= high.value + 1e-6


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("measure", [*MEASURES, "GAP(g=1,0)", "nDCG(gain=0,1)@5", "nDCG(gain=2,2)"])
def test_both_ends_have_a_limiting_distribution(measure: str, count: Count) -> None:
    for share in (0.0, 1.0):
        solution = solve(at(measure, share, count=count))
        assert solution.status == "boundary", solution.message
        assert solution.certificate.accepted, solution.certificate
        assert abs(solution.multipliers.value) == np.inf
        # approached from inside: the boundary distribution is the limit
        near = solve(at(measure, abs(share - 1e-8), count=count))
        if near.status == "optimal":
            assert near.entropy == pytest.approx(solution.entropy, abs=0.2)


def test_beyond_the_ends_is_infeasible_and_says_the_interval() -> None:
    for share in (-0.01, 1.01):
        solution = solve(at("GAP(g=.5,.5)", share))
        assert solution.status == "infeasible"
        assert solution.certificate.accepted
        assert np.isnan(solution.p).all()
        low, high = (end.value for end in solution.problem.ends)
        assert f"{low:.10g} to {high:.10g}" in solution.message


def test_an_end_that_nobody_asked_for_is_not_computed() -> None:
    """What wAP can reach takes a search; a value below the other end is infeasible without it."""
    problem = at("wAP", -0.1, depth=200)
    found = solve(dataclasses.replace(problem))
    assert found.status == "infeasible"
    assert "value" not in vars(found.problem.ends[1])
    assert found.message.endswith(f"{found.problem.ends[1].known:.10g} or more")
    above = solve(at("wAP", 1.1, depth=200))
    assert above.message.endswith(f"to {above.problem.ends[1].value:.10g}")
    assert above.problem.ends[1].value > above.problem.ends[1].known


def test_more_relevant_documents_than_ranks() -> None:
    problem = Problem(AP(), value=0.5, relevant=(8, 5), depth=10, count="total")
    solution = solve(problem)
    assert solution.status == "infeasible"
    assert "13 relevant documents, more than the 10 ranks" in solution.message
    assert solution.certificate.accepted
    assert solve(dataclasses.replace(problem, count="at_most")).status == "optimal"


def test_the_total_reading_can_be_infeasible_where_the_others_are_not() -> None:
    """A list that misses most relevant documents: its nDCG is below what all of them would attain at the bottom."""
    grades = np.zeros(1000, dtype=int)
    grades[[100, 200]] = 1, 2
    m = nDCG(gain="exp2")
    status = {count: solve(Problem.of_list(m, grades, (60, 40), count=count)).status for count in COUNTS}
    assert status == {"retrieved": "optimal", "total": "infeasible", "at_most": "optimal"}


@pytest.mark.parametrize(
    ("measure", "relevant", "retrieved", "depth", "value"),
    [
        ("AP", (0, 0), (0, 0), 5, 0.0),  # nothing relevant
        ("GAP(g=.5,.5)", (4, 0), (0, 0), 5, 0.0),  # nothing retrieved
        ("GAP(g=0,1)", (4, 0), (2, 0), 5, 0.0),  # all of g on an absent grade
        ("nDCG", (5, 0), (5, 0), 5, 1.0),  # every rank relevant, one grade
        ("AP", (2, 3), (2, 3), 5, 1.0),  # every rank relevant, two grades of equal worth
        ("P@10", (2, 1), (2, 1), 5, 0.3),  # cutoff beyond the depth
        ("AP", (1,), (1,), 1, 1.0),  # one rank
        ("GAP(g=1)", (3,), (0,), 1, 0.0),
    ],
)
def test_values_that_leave_no_choice(
    measure: str, relevant: tuple[int, ...], retrieved: tuple[int, ...], depth: int, value: float
) -> None:
    problem = Problem(parse_measure(measure), value=value, relevant=relevant, retrieved=retrieved, depth=depth)
    solution = solve(problem)
    assert solution.status == "boundary"
    assert solution.multipliers.value == 0
    assert solution.certificate.accepted
    np.testing.assert_allclose(solution.p, np.tile(solution.p.mean(axis=0), (depth, 1)), atol=1e-15)


def test_a_list_without_non_relevant_documents() -> None:
    grades = np.array([1, 2, 2, 1, 1, 2])
    for text in ("GAP(g=.5,.5)", "nDCG(gain=exp2)"):
        solution = solve(Problem.of_list(parse_measure(text), grades, (3, 3)))
        assert solution.status == "optimal", solution.message
        assert (solution.p[:, 0] == 0).all()


@pytest.mark.parametrize("depth", [1, 2, 5, 20_000])
def test_depths(depth: int) -> None:
    grades = np.zeros(depth, dtype=int)
    grades[[0, depth // 2]] = 1
    for text in ("AP", "nDCG"):
        solution = solve(Problem.of_list(parse_measure(text), grades, (2,)))
        assert solution.status in ("optimal", "boundary"), solution.message


@pytest.mark.parametrize("levels", [1, 3, 5, 10])
def test_many_grades(levels: int) -> None:
    rng = np.random.default_rng(levels)
    grades = rng.choice(levels + 1, size=300, p=[0.6, *[0.4 / levels] * levels])
    relevant = np.bincount(grades, minlength=levels + 1)[1:] + 2
    for text in (f"GAP(g={','.join(['1'] + ['0'] * (levels - 1))})", "nDCG(gain=exp2)"):
        assert solve(Problem.of_list(parse_measure(text), grades, relevant)).status == "optimal"


# --- the certificate ---


def test_the_certificate_catches_tampering() -> None:
    solution = solve(REFERENCE)
    assert solution.certificate.accepted
    for change in (tamper_counts, tamper_value, tamper_shape, tamper_row, tamper_multiplier, tamper_status):
        assert not change(solution).certificate.accepted, change.__name__


def tamper_counts(s: Solution) -> Solution:
    p = s.p.copy()
    p[5, 1] += 1e-5
    p[5, 0] -= 1e-5
    return dataclasses.replace(s, p=p)


def tamper_value(s: Solution) -> Solution:
    return dataclasses.replace(s, p=np.vstack((s.p[1:], s.p[:1])))


def tamper_shape(s: Solution) -> Solution:
    """Constraints kept to first order, but not the most random distribution any more."""
    p = s.p.copy()
    p[700:702, 1] += (1e-5, -1e-5)
    p[700:702, 0] -= (1e-5, -1e-5)
    return dataclasses.replace(s, p=p)


def tamper_row(s: Solution) -> Solution:
    p = s.p.copy()
    p[999, 0] += 1e-6
    return dataclasses.replace(s, p=p)


def tamper_multiplier(s: Solution) -> Solution:
    return dataclasses.replace(s, multipliers=s.multipliers._replace(value=s.multipliers.value * 1.001))


def tamper_status(s: Solution) -> Solution:
    return dataclasses.replace(s, status="infeasible")


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


# --- statements of problems ---


def test_problems_must_make_sense() -> None:
    def problem(**changes: object) -> Problem:
        given: dict[str, object] = {"value": 0.3, "relevant": (3, 2), "retrieved": (2, 1), "depth": 10}
        return Problem(AP(), **{**given, **changes})  # type: ignore[arg-type]

    for changes, says in (
        ({"value": float("nan")}, "finite number"),
        ({"retrieved": None}, "needs the number of retrieved"),
        ({"retrieved": (2,)}, "relevant has 2 grades, retrieved 1"),
        ({"retrieved": (4, 1)}, "grade 1: 4 retrieved of 3 relevant"),
        ({"retrieved": (-1, 1)}, "grade 1: -1 retrieved"),
        ({"depth": 2}, "3 relevant documents in a list of 2"),
        ({"count": "all"}, "unknown count 'all'"),
    ):
        with pytest.raises(ProblemError, match=says):
            problem(**changes)


def test_unknown_solver() -> None:
    with pytest.raises(ProblemError, match="unknown solver 'simplex'; known: auto, newton"):
        solve(REFERENCE, solver="simplex")


def test_equal_problems_are_equal_and_hashable() -> None:
    again = Problem(GAP(g=(0.5, 0.5)), value=0.35, relevant=(30.0, 10.0), retrieved=(30, 10))
    assert again == REFERENCE
    assert hash(again) == hash(REFERENCE)


def test_solve_many_keeps_the_order() -> None:
    problems = [at(m, s) for m in ("AP", "nDCG") for s in SHARES]
    batch = solve_many(problems, jobs=2, progress=False)
    assert [s.problem for s in batch] == problems
    for found, problem in zip(batch, problems, strict=True):
        alone = solve(problem)
        assert (found.status, found.certificate.accepted) == (alone.status, True)
        assert found.entropy == pytest.approx(alone.entropy, abs=1e-9)


def test_elimination_keeps_the_value() -> None:
    """Any grade may be the reference: the reduced form differs by a constant."""
    rng = np.random.default_rng(0)
    form = GAP(g=(0.2, 0.5, 0.3)).form((3, 2, 2), 6)
    p, q = rng.dirichlet(np.ones(4), 6), rng.dirichlet(np.ones(4), 6)
    for present in ((0, 1, 2, 3), (2, 0, 1, 3), (3, 2, 1, 0)):
        reduced, constant = form.eliminate(present)
        rest = list(present[1:])
        assert reduced.expected(p[:, rest]) + constant == pytest.approx(form.expected(p), abs=1e-14)
        assert reduced.expected(q[:, rest]) + constant == pytest.approx(form.expected(q), abs=1e-14)
        only = np.full(6, present[0])
        assert constant == pytest.approx(form.evaluate(only), abs=1e-14)


def test_back_ends_see_a_scaled_interior_problem() -> None:
    inner = Interior(at(P(cutoff=10), 0.25))
    assert inner.value - inner.low == pytest.approx(0.25)
    assert inner.high - inner.low == pytest.approx(1.0)


# --- several local maxima ---

LOW_END = [  # relevant, depth, share of the interval above its lower end
    (9.0, 62, 7e-5),  # one run of Newton's method ends in a worse maximum
    (10.0, 100, 8.5e-4),
    (462.671, 751, 1.59e-6),  # or nowhere at all
    (38.0, 3392, 3e-5),
]


def low_end(relevant: float, depth: int, share: float) -> Problem:
    problem = Problem(AP(), value=0.5, relevant=(relevant,), retrieved=(relevant,), depth=depth)
    low, high = (end.value for end in problem.ends)
    return dataclasses.replace(problem, value=low + share * (high - low))


@pytest.mark.parametrize(("relevant", "depth", "share"), LOW_END)
def test_no_other_place_of_the_jump_is_better(relevant: float, depth: int, share: float) -> None:
    """Near the lower end every jump of p between two ranks can be a local maximum: try all around the best."""
    problem = low_end(relevant, depth, share)
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted
    inner = Interior(problem)
    work = Workspace(depth, 1)
    load(work, inner)
    theta = np.log(solution.p[:, 1] / np.maximum(solution.p[:, 0], 1e-300))
    best = int(np.abs(np.diff(solution.p[:, 1])).argmax())
    others = 0
    for jump in range(max(1, best - 6), min(depth - 2, best + 7)):
        moved = np.interp(np.arange(depth) + best - jump, np.arange(depth), theta)
        multipliers = np.array([solution.multipliers.value * inner.scale, *solution.multipliers.counts])
        point, _ = ascend(work, inner, moved[:, None], multipliers, most=60)
        if point is not None:
            others += 1
            assert point.entropy <= solution.entropy + 1e-8
    assert others >= 1


@pytest.mark.parametrize(
    ("measure", "value", "relevant", "retrieved", "depth"),
    [("wAP", 0.46, (5,), (4,), 23), ("Q(beta=100)", 0.5246420945444938, (2, 0, 4), (2, 0, 4), 60)],
)
def test_weights_that_do_not_fall_break_a_symmetry(
    measure: str, value: float, relevant: tuple[float, ...], retrieved: tuple[float, ...], depth: int
) -> None:
    """Some of the ranks of equal weight stand out from the others; the solution in which none does is a saddle."""
    m = parse_measure(measure)
    solution = solve(Problem(m, value=value, relevant=relevant, retrieved=retrieved, depth=depth))
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted
    q = 1 - solution.p[:, 0]
    assert q.max() > 3 * np.median(q)


def test_one_run_of_newton_is_not_enough_there() -> None:
    """What the search is for: the first maximum found is .2 nats worse."""
    problem = low_end(*LOW_END[0])
    first = solve_newton(Interior(problem))
    assert not first.failed
    entropy = -float(np.sum(first.p * np.log(first.p)))
    assert solve(problem).entropy > entropy + 0.1


LATE = [  # just below the upper end; errors halve after 10 to 12 iterations
    Problem(
        eGAP(g=(0.00286989, 0.00111757, 0.78471112, 0.00475532, 0.07733385, 0.12921225)),
        value=0.9999952648895369,
        relevant=(26, 26, 2, 13, 24, 4),
        retrieved=(26, 26, 2, 13, 24, 4),
        depth=1365,
        count="at_most",
    ),
    Problem(
        GAP(g=(0.16045100327152004, 0.33395991638830747, 0.0, 0.45982797773710615, 0.045761102603066386)),
        value=0.24271205240300261,
        relevant=(21.67, 12.7, 10.86, 10.32, 32.42),
        retrieved=(7, 1, 9, 3, 5),
        depth=360,
    ),
]


@pytest.mark.parametrize("problem", LATE, ids=repr)
def test_newton_goes_on_where_errors_fall_late(problem: Problem) -> None:
    found = solve_newton(Interior(problem, merged=True))
    assert not found.failed, found.message
    assert solve(problem).status == "optimal"


def test_logits_of_thousands_are_no_obstacle() -> None:
    """Few ranks weigh anything: where the list at the end leaves 1800 nats, values close to it leave 4100."""
    counts = (230, 78, 3, 836, 364)
    best = Problem(RBP(p=0.8, rel=2), value=0.5, relevant=counts, retrieved=counts, depth=3819, count="at_most")
    solution = solve(dataclasses.replace(best, value=best.interval[1] * (1 - 5e-11)))
    assert solution.status == "optimal"
    assert solution.entropy > 4000


def test_a_list_is_no_maximum_because_newton_ends_there() -> None:
    """It has the value of a list, and Newton's method leads to one; lambda says that there must be more entropy."""
    problem = Problem(
        xGAP(g=(0.5743511498441415, 0.3284001869826446, 0.08221228174156192, 0.01503638143165192)),
        value=0.2282845515707566,
        relevant=(1, 5, 0, 0),
        retrieved=(1, 5, 0, 0),
        depth=15,
    )
    assert solve(problem).entropy > 0.087
    measure = Q(beta=1.7041234001791536, gain="exp2")
    perfect = Problem(measure, value=0.9999999999999999, relevant=(0, 1), retrieved=(0, 1), depth=2, count="total")
    assert solve(perfect).entropy > 0.89


SEVERAL_JUMPS = [  # of one threshold; the best place of the largest is not enough
    (
        xGAP(g=(0.2219238511054058, 0.1773966957029108, 0.40039976024572654, 0.2002796929459569)),
        (1.303, 5.194, 2.047, 3.509),
        (1.0, 4.0, 1.0, 2.0),
        14,
        0.17037451496095293,
        2.65,  # 2.63
    ),
    (
        wAP(gain="exp2"),
        (4.0, 4.0, 0.0, 3.0, 4.0),
        (1.0, 1.0, 0.0, 0.0, 1.0),
        44,
        0.015135135135135135,
        8.38,
    ),  # 7.92
    (wAP(gain="linear"), (82.0, 29.0, 0.0, 18.0), (82.0, 29.0, 0.0, 18.0), 265, 0.3604651162790698, 24.28),  # 24.07
]


@pytest.mark.parametrize(("measure", "relevant", "retrieved", "depth", "value", "entropy"), SEVERAL_JUMPS)
def test_every_jump_is_moved(
    measure: Measure,
    relevant: tuple[float, ...],
    retrieved: tuple[float, ...],
    depth: int,
    value: float,
    entropy: float,
) -> None:
    """Not only the largest of each threshold."""
    problem = Problem(measure, value=value, relevant=relevant, retrieved=retrieved, depth=depth)
    assert solve(problem).entropy > entropy


def test_rounding_is_no_reason_to_end_a_climb() -> None:
    """Many maxima, of entropies known to 1e-8 nats; the first is half a nat worse than the best."""
    g = (0.18207453861718786, 0.4059392483529698, 0.2759492900437042, 0.13603692298613831)
    counts = (190.0, 162.0, 184.0, 195.0)
    problem = Problem(eGAP(g=g), value=0.07211952129153401, relevant=counts, retrieved=counts, depth=3547)
    assert solve(problem).entropy > 201.09


def test_a_search_ends_where_different_starts_lead_to_the_same_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would go on from the list at the end."""
    monkeypatch.setattr("maxent.solvers.search.frozen", None)
    gain = (0.001, 0.0, 0.00011401347776821447, 0.0, 0.00011401347776821447, 0.0)
    relevant = (149.542, 1.968, 118.827, 1074.506, 562.375, 2.847)
    retrieved = (148.0, 0.0, 117.0, 1073.0, 562.0, 0.0)
    problem = Problem(wAP(gain=gain), value=0.25879176658646, relevant=relevant, retrieved=retrieved, depth=1900)
    assert solve(problem).entropy > 1164.83


# --- the curvature at a saddle ---


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


# --- batches ---


def test_a_start_near_an_end_where_numbers_are_too_coarse() -> None:
    """The secant method finds no number closer to the value, and divided by the distance to the last."""
    relevant = (8.750833252638353, 16.7454903713037, 33.44366837605794)
    retrieved = (0.050833252638353935, 2.375490371303701, 5.5736683760579435)
    problem = Problem(
        eGAP(g=(1.0, 0.0, 0.0)), value=0.13573090164557308, relevant=relevant, retrieved=retrieved, depth=8
    )
    inner = Interior(problem, merged=True)
    work = Workspace(8, 1)
    load(work, inner)
    for steady, shift in product(((np.inf,), STEADY), SHIFTS):
        for theta, _ in frozen(work, inner, shift=shift, steady=steady):
            assert np.isfinite(theta).all()


@pytest.mark.parametrize("count", ["retrieved", "at_most"])
@pytest.mark.parametrize("share", [1e-8, 1e-3, 0.03])
def test_a_start_near_the_end_has_the_counts_and_about_the_value(count: Count, share: float) -> None:
    """With the derivative at a list; and the derivative may as well be that of a list without jump at the end."""
    problem = at("GAP(g=.5,.5)", share, count=count, depth=200)
    inner = Interior(problem)
    work = Workspace(200, 2)
    load(work, inner)
    steady = (np.inf, *STEADY)
    for theta, multipliers in chain(*(frozen(work, inner, shift=s, steady=steady) for s in SHIFTS)):
        p = softmax(np.column_stack((np.zeros(200), theta)), axis=1)[:, 1:]
        slack = inner.counts - p.sum(axis=0)
        if count == "at_most":
            assert (multipliers[1:] <= 0).all()
            slack = np.where(multipliers[1:] < 0, slack, np.minimum(slack, 0))
        assert np.abs(slack).max() <= 1e-5
        assert (inner.form.expected(p) - inner.low) / share == pytest.approx(1, rel=0.05)


def test_starts_near_the_end_go_on_from_the_last() -> None:
    """Whatever happens in between, and none twice."""
    inner = Interior(at("GAP(g=.5,.5)", 1e-3, depth=200))
    work = Workspace(200, 2)
    load(work, inner)
    starts = []
    for theta, _ in frozen(work, inner, shift=0, steady=(np.inf, 1e-3)):
        starts.append(theta)
        assert ascend(work, inner, np.zeros_like(theta), np.zeros(3), most=5)[0] is None
    for start, bound in zip(starts, (np.inf, 1e-3), strict=True):
        alone, _ = next(frozen(work, inner, shift=0, steady=(bound,)))
        np.testing.assert_array_equal(alone, start)
    assert len(list(frozen(work, inner, shift=0, steady=(0.0, 0.0)))) == 1  # never as steady as that


@pytest.mark.parametrize("bounded", [False, True])
def test_balanced_counts_minimise_the_dual_function(bounded: bool) -> None:
    """Against scipy.optimize, for derivatives and counts at random."""
    rng = np.random.default_rng(0)
    depth, c = 60, 3
    problem = Problem(GAP(g=(0.5, 0.3, 0.2)), value=0.3, relevant=(9, 5, 7.5), retrieved=(9, 5, 7.5), depth=depth)
    problem = dataclasses.replace(problem, count="at_most" if bounded else "retrieved")
    inner = Interior(problem)
    work = Workspace(depth, c)
    load(work, inner)
    for lam in (-20.0, -1.0, 0.0, 3.0):
        w = rng.uniform(size=(depth, c))
        work["r"][..., 0], work["multipliers"][:, 0] = w, (lam, 0.0, 0.0, 0.0)
        assert work.run("balance", 0, 10 + abs(lam))

        def dual(mu: np.ndarray, w: np.ndarray = w, lam: float = lam) -> float:
            logits = np.column_stack((np.zeros(depth), mu + lam * w))
            return float(logsumexp(logits, axis=1).sum() - mu @ inner.counts)

        bounds = [(None, 0 if bounded else None)] * c
        best = minimize(dual, np.full(c, -1.0), bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-14})
        mu = work["multipliers"][1:, 0]
        assert mu == pytest.approx(best.x, abs=1e-4)
        assert dual(mu) <= best.fun + 1e-12 * abs(best.fun)


def test_rounding_of_sums_over_the_ranks_is_no_distance_from_an_end() -> None:
    """The worst list's R-precision (1396 relevant in depth 1405), and the end, each a sum of 1396 numbers."""
    assert place(0.9935530085959887, 0.9935530085959733, 1.0) == "low"
    assert place(0.99355301, 0.9935530085959733, 1.0) == "inside"


def test_hardly_any_documents_leave_nothing_to_search() -> None:
    """No rank holds itself at a high probability, however steep the measure is."""
    problem = at("GAP(g=.5,.5)", 1e-7, count="at_most", depth=200)
    candidate = solve_newton(Interior(problem))
    assert candidate.p[:, 1:].max() < 1e-3
    assert not ambiguous(problem, candidate.p, -1e6, problem.interval)
    assert ambiguous(problem, solve_newton(Interior(at("GAP(g=.5,.5)", 1e-4))).p, -1e6, problem.interval)


@pytest.mark.parametrize(("before", "after"), [(0.004, 0.0047), (0.9941, 0.9938)])
def test_a_small_change_of_small_probabilities_is_no_jump(before: float, after: float) -> None:
    """The entropy is curved most there: by 1 / (p (1 - p))."""
    problem = at("AP", 1e-3, depth=200)
    multiplier = -40 * sum(problem.relevant)  # at rank 10 the pairwise part has a curvature of 4

    def one_step(before: float, after: float) -> np.ndarray:
        q = np.where(np.arange(200) < 10, before, after)
        return np.column_stack((1 - q, q))

    assert not ambiguous(problem, one_step(before, after), multiplier, problem.interval)
    assert ambiguous(problem, one_step(0.004, 0.996), multiplier, problem.interval)
    assert ambiguous(problem, one_step(0.4, 0.5), multiplier, problem.interval)


def test_a_batch_mixes_everything() -> None:
    """Interior, boundary, infeasible and searched problems, of several depths and numbers of grades, in order."""
    rng = np.random.default_rng(0)
    problems = [at(m, s) for m in ("AP", "GAP(g=.4,.6)", "nDCG") for s in (-0.1, 0.0, 0.3, 0.6, 1.0)]
    problems += [low_end(*LOW_END[0])] * 3
    for levels in (1, 2, 3, 5):
        for depth in (30, 250):
            grades = rng.integers(0, levels + 1, size=depth)
            relevant = np.bincount(grades, minlength=levels + 1)[1:] + 1
            measure = GAP(g=tuple(rng.dirichlet(np.ones(levels)).tolist()))
            problems += [Problem.of_list(measure, rng.permutation(grades), relevant, count=c) for c in COUNTS]
    batch = solve_many(problems, progress=False)
    assert [solution.problem for solution in batch] == problems
    for found, problem in zip(batch, problems, strict=True):
        alone = solve(problem)
        assert (found.status, found.certificate.accepted) == (alone.status, True)
        if found.status != "infeasible":
            np.testing.assert_allclose(found.p, alone.p, atol=1e-8)
    assert {s.status for s in batch} == {"optimal", "boundary", "infeasible"}


def test_a_batch_takes_topics_together_and_answers_in_order() -> None:
    """Run after run: those of a topic and measure side by side, whatever grades their lists lack."""
    topics, values = [(5.0, 3.0), (0.0, 4.0), (9.0, 2.0)], (0.3, 0.4, 0.5)
    problems = [
        Problem(measure, value=value, relevant=topic, retrieved=(topic[0], found), depth=40)
        for value in values
        for topic in topics
        for found in (topic[1], 0.0)
        for measure in (AP(), GAP(g=(0.5, 0.5)), nDCG())
    ]
    together = pieces(problems, 6)
    assert sorted(chain.from_iterable(together)) == list(range(len(problems)))
    assert all(len({(problems[k].measure, problems[k].relevant) for k in piece}) == 1 for piece in together)
    batch = solve_many(problems, progress=False)
    assert [solution.problem for solution in batch] == problems
    for solution, problem in zip(batch, problems, strict=True):
        assert solution.status == solve(problem).status


@pytest.mark.parametrize(
    ("measure", "value", "relevant"),
    [(P(cutoff=3), 0.9999999999989999, 24.479999999997002), (Rprec(), 0.7698229407234564, 3.896999999997)],
)
def test_lists_full_but_for_rounding_have_the_value_of_their_counts(
    measure: Measure, value: float, relevant: float
) -> None:
    """2.999999999997 documents in three ranks: the end is theirs, not that of three documents."""
    problem = Problem(measure, value=value, relevant=(relevant,), retrieved=(2.999999999997,), depth=3)
    assert solve(problem).status == "boundary"


GRADED = (3.4643537401480975, 17.792923590940863, 16.83983974760707, 2.902882921262969)


@pytest.mark.parametrize(
    ("measure", "value", "counts", "depth"),
    [
        (nRecall(size=672), 0.9999999996645386, (24.43665650744182, 646.5633434918872), 671),
        (NDCNG(gain=(0.0, 1.0, 1.0, 2.0)), 0.9999999999551117, GRADED, 41),
    ],
)
def test_lists_full_but_for_little_more_than_rounding(
    measure: Measure, value: float, counts: tuple[float, ...], depth: int
) -> None:
    """A share of 1e-12 of the ranks is room: it matters where the measure is steep; nothing is negative."""
    problem = Problem(measure, value=value, relevant=counts, retrieved=counts, depth=depth)
    assert problem.present[0] == 0
    solution = solve(problem)
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.p.min() >= 0


NARROW = [  # relevant documents of a database of a million: the values of all lists are alike but for 1e-6
    ((0.862, 1.558, 0.556), 3, 0.999999777972149),
    ((0.5640058477115862,), 1, 0.9999977820168684),
]


@pytest.mark.parametrize(("relevant", "rel", "value"), NARROW)
def test_weights_that_differ_in_their_last_digits_only(relevant: tuple[float, ...], rel: int, value: float) -> None:
    """Next to the ends of a range that is 1e-6 of the value."""
    measure = nRecall(rel=rel, size=1_000_003)
    problem = Problem(measure, value=value, relevant=relevant, depth=3, count="total")
    for solution in (solve(problem), *solve_many([problem], progress=False)):
        assert (solution.status, solution.certificate.accepted) == ("optimal", True)
        low, high = problem.interval
        assert abs(measure.expected(solution.p, relevant) - value) <= 1e-9 * (high - low) + 1e-15


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", ["AP", "AP(rel=2)", "GAP(g=.4,.6)", "GAP(g=0,1)", "nDCG", "nDCG@3", "P@4", "RBP"])
def test_a_batch_sees_the_intervals_of_single_problems(text: str, count: Count) -> None:
    """The values alone, many at once, against the ends with their distributions; fractional counts as well."""
    form, rng = parse_measure(text).form((9, 4), 20), np.random.default_rng(0)
    counts = np.concatenate((rng.random((20, 2)) * (9, 4), [[9, 4], [0, 4], [9, 0], [0, 0]]))
    low, high = end_values(form, counts, at_most=count == "at_most")
    for k, own in enumerate(counts):
        ends_ = ends(form, own, at_most=count == "at_most")
        np.testing.assert_allclose((low[k], high[k]), [end.value for end in ends_], rtol=1e-14)
        np.testing.assert_allclose((low[k], high[k]), [form.expected(end.p) for end in ends_], rtol=1e-12)


def test_a_batch_of_values_that_never_vary_gives_no_warning() -> None:
    """Without a cutoff the sliding ratio depends on the counts alone: its interval is a point."""
    problem = at("SR", 0.0)
    assert [s.status for s in solve_many([problem, at("SR@20", 0.4), problem], progress=False)] == [
        "boundary", "optimal", "boundary",
    ]  # fmt: skip


def test_an_interrupted_batch_keeps_what_was_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("maxent.solvers.solve")
    pieces = module._solve_piece

    def interrupted(problems: list[Problem], name: str) -> list[Solution]:
        if problems[0].value > 0.4:
            raise KeyboardInterrupt
        found: list[Solution] = pieces(problems, name)
        return found

    monkeypatch.setattr(module, "PIECE", 2)
    monkeypatch.setattr(module, "_solve_piece", interrupted)
    problems = [at("AP", share) for share in (0.1, 0.15, 0.2, 0.25, 0.9, 0.95)]
    with pytest.raises(Interrupted, match="4 of 6 problems") as stopped:
        solve_many(problems, progress=False)
    kept = stopped.value.solutions
    assert [s.problem if s else None for s in kept] == [*problems[:4], None, None]
    assert isinstance(stopped.value, KeyboardInterrupt)


def test_bounds_are_not_in_the_way_of_a_start_with_the_value() -> None:
    """Side by side: fewer documents have a value below that of all of them, spread evenly."""
    problems = [at(m, share, count="at_most") for m in ("GAP(g=.5,.5)", "GAP(g=.1,.9)") for share in (0.05, 0.5)]
    even, free = starts(Statement.of([Lot.of([problem]) for problem in problems]), np.zeros(len(problems)))
    for problem, row, below in zip(problems, even, free, strict=True):
        value = problem.form.expected(np.tile([1 - row.sum(), *row], (problem.depth, 1)))
        if below:
            assert value == pytest.approx(problem.value, rel=1e-12)
            assert (row * problem.depth < problem.counts).all()
        else:
            assert row * problem.depth == pytest.approx(problem.counts)
            assert value <= problem.value
    assert set(free.tolist()) == {True, False}
