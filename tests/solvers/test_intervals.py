"""Problems with intervals, held against CVXPY and against all lists one by one."""

import pickle
import re
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from scipy import optimize

from maxent import inferred_curve
from maxent.curves import sensitivity
from maxent.errors import MeasureError, ProblemError
from maxent.measures import AP, ERR, Measure, P, Q, R, nDCG, parse_measure
from maxent.problem import COUNTS, FEASIBLE, Bounds, Count, Problem, Reference, Solution, Value
from maxent.solvers import solve, solve_many
from maxent.types import FloatArray
from tests.golden.messages import as_golden, refused
from tests.lists.every_list import EveryList

LINEAR = ("P@3", "P@5", "P(rel=2)@4", "nDCG", "nDCG(gain=exp2)@6", "RBP(p=.8)", "DCG@4", "R@7", "NDCNG")
LISTED = ("AP", "AP(rel=2)", "GAP(g=.3,.7)", "P@3", "nDCG(gain=exp2)", "Q", "ERR", "RR", "Success@2", "RBP(p=.8)")
PRECISE = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}  # an entropy is flat at its maximum
KNOWN: dict[str, Any] = {"relevant": (30, 10), "retrieved": (24, 9), "depth": 100}


def drawn(seed: int, texts: tuple[str, ...], depth: int) -> Problem:
    """A random problem with intervals, which hold the values of a mixture of two lists."""
    random = np.random.default_rng(seed)
    depth = int(random.integers(6, depth + 1))
    relevant = tuple(int(n) for n in random.integers(2, 4, 2))
    count: Count = random.choice(["retrieved", "at_most"])
    retrieved = tuple(int(random.integers(1, 1 + min(own, 2))) for own in relevant)
    reference: Any = "log-uniform" if random.integers(2) else None
    measures = [parse_measure(text) for text in random.choice(texts, int(random.integers(1, 4)), replace=False)]
    grades = random.permutation(np.repeat([0, 1, 2], [depth - sum(retrieved), *retrieved]))
    values: dict[Any, Any] = {}
    for measure in measures:
        value = 0.8 * float(measure.evaluate(grades, relevant)) + 0.2 * middle(measure, relevant, retrieved, depth)
        below, above = random.exponential(0.15 * value, 2)
        kind = random.integers(0 if values else 1, 5)  # the first is an interval
        pairs = [(value, value), (value - below, None), (None, value + above)]
        values[measure] = pairs[kind] if kind < len(pairs) else (value - below, value + above)
    return Problem(values, relevant=relevant, retrieved=retrieved, depth=depth, count=count, reference=reference)


def middle(measure: Any, relevant: tuple[int, ...], retrieved: tuple[int, ...], depth: int) -> float:
    """Mean value over the lists with these counts, from a sample."""
    random = np.random.default_rng(0)
    lists = np.tile(np.repeat([0, 1, 2], [depth - sum(retrieved), *retrieved]), (400, 1))
    return float(measure.evaluate(random.permuted(lists, axis=1), relevant).mean())


def check_bounds(problem: Problem, solution: Solution, expected: FloatArray, near: float) -> None:
    """Every value is within its bounds; a multiplier that is not 0 has the sign of the bound that is reached."""
    for value, (low, high), multiplier in zip(expected, problem.bounds, solution.multipliers.values, strict=True):
        assert low - near <= value <= high + near
        if low < high and multiplier:
            assert value == pytest.approx(low if multiplier > 0 else high, abs=near)


WRONG = {43, 44, 173, 189}  # in these, a bound that is violated at first gets a multiplier of the wrong sign
CASES = [pytest.param(seed, marks=[] if seed < 10 or seed in WRONG else pytest.mark.slow) for seed in range(300)]


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("seed", CASES)
def test_is_what_cvxpy_finds(seed: int) -> None:
    problem = drawn(seed, LINEAR, depth=30)
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted
    program, p = problem.to_cvxpy()
    program.solve(solver=cp.CLARABEL, **PRECISE)
    assert p.value is not None
    np.testing.assert_allclose(solution.p, p.value, atol=2e-5)
    assert solution.entropy == pytest.approx(float(np.sum(cp.entr(p.value).value)), abs=1e-4)
    check_bounds(problem, solution, np.array([form.expected(solution.p) for form in problem.forms]), 1e-9)
    wide = [cp.sum(p, axis=1) == 1]  # with the duals of bounds in terms of our multipliers
    totals = cp.sum(p[:, 1:], axis=0)
    wide.append(totals <= problem.counts if problem.count == "at_most" else totals == problem.counts)
    ours = []
    for form, (low, high) in zip(problem.forms, problem.bounds, strict=True):
        value = cp.sum(cp.multiply(form.a, p))
        ours.append([value >= low] * int(np.isfinite(low)) + [value <= high] * int(np.isfinite(high)))
        if low == high:
            ours[-1] = [value == low]
    columns = np.array([(form.a - form.a[:, :1])[:, 1:] for form in problem.forms])
    columns -= 0 if problem.count == "at_most" else columns.mean(axis=1, keepdims=True)
    if np.linalg.matrix_rank(columns.reshape(len(columns), -1), tol=1e-9) == len(columns):
        cp.Problem(program.objective, [*wide, *(bound for bounds in ours for bound in bounds)]).solve(
            solver=cp.CLARABEL, **PRECISE
        )
        for bounds, multiplier, form in zip(ours, solution.multipliers.values, problem.forms, strict=True):
            theirs = sum(dual_of(bound) for bound in bounds)
            assert multiplier == pytest.approx(theirs, rel=1e-3, abs=1e-3 / float(np.ptp(form.a)))


def dual_of(constraint: Any) -> float:
    """What raising the value gains, in nats: CVXPY writes both kinds of bounds as something that is at most 0."""
    lower = isinstance(constraint, cp.constraints.Inequality) and isinstance(
        constraint.args[0], cp.expressions.constants.Constant
    )
    return float(constraint.dual_value) * (1.0 if lower else -1.0)


@pytest.mark.parametrize("seed", CASES)
def test_over_lists_is_the_optimum_over_all_of_them(seed: int) -> None:
    """The conditions of Karush, Kuhn and Tucker, checked list by list, suffice: the problem is convex."""
    problem = drawn(seed, LISTED, depth=9)
    solution = solve(problem, model="lists")
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted
    odds = np.zeros((problem.depth, 2)) if problem.log_odds is None else problem.log_odds
    every = EveryList(problem, odds)
    every.weigh(solution.multipliers.values)
    np.testing.assert_allclose(solution.p, every.p, atol=1e-10)
    check_bounds(problem, solution, every.values @ every.weights, 1e-8)
    assert solution.entropy == pytest.approx(float(-every.weights @ every.log_p), abs=1e-8)
    if seed < 40:
        assert every.log_z - dual_terms(problem, solution.multipliers.values) <= least_dual(problem, every) + 1e-6


def dual_terms(problem: Problem, multipliers: Any) -> float:
    """What the dual subtracts from log Z: a multiplier above 0 stands for the lower bound, else for the upper."""
    low, high = np.where(np.isfinite(problem.bounds), problem.bounds, 0.0).T
    return float(np.maximum(multipliers, 0) @ low + np.minimum(multipliers, 0) @ high)


def least_dual(problem: Problem, every: EveryList) -> float:
    """The dual's minimum as SciPy finds it, with multipliers of lower and upper bounds apart."""
    m = len(problem.bounds)
    low, high = np.where(np.isfinite(problem.bounds), problem.bounds, 0.0).T

    def dual(x: FloatArray) -> tuple[float, FloatArray]:
        every.weigh(x[:m] - x[m:])
        expected = every.values @ every.weights
        return every.log_z - x[:m] @ low + x[m:] @ high, np.concatenate((expected - low, high - expected))

    limits = [(0.0, None if np.isfinite(own) else 0.0) for own in problem.bounds.T.ravel()]
    return float(optimize.minimize(dual, np.zeros(2 * m), jac=True, bounds=limits, options={"maxiter": 2000}).fun)


@pytest.mark.parametrize("model", ["ranks", "lists"])
def test_bounds_that_are_equal_are_the_value(model: Any) -> None:
    known: dict[str, Any] = {"relevant": (4, 3), "retrieved": (4, 3), "depth": 20}
    for pair in ((0.5, 0.5), "0.5:.5"):
        own, value = (
            Problem({AP(): pair, P(cutoff=5): 0.6}, **known),
            Problem({AP(): 0.5, P(cutoff=5): 0.6}, **known),
        )
        assert own == value
        assert (solve(own, model=model).p == solve(value, model=model).p).all()


@pytest.mark.parametrize("model", ["ranks", "lists"])
@pytest.mark.parametrize("count", ["retrieved", "at_most"])
def test_bounds_around_the_value_without_them_say_nothing(model: Any, count: Count) -> None:
    known: dict[str, Any] = {"relevant": (4, 3), "retrieved": (4, 3), "depth": 20, "count": count}
    free = solve(Problem({P(cutoff=5): 0.6}, **known), model=model)
    (value,) = free.distribution.expected([AP().form((4, 3), 20)])
    for pair in ((value - 0.01, value + 0.02), (None, value), (value, None), (None, None)):
        solution = solve(Problem({AP(): pair, P(cutoff=5): 0.6}, **known), model=model)
        assert solution.status == free.status
        assert solution.multipliers.values == (0.0, free.multipliers.value)
        assert (solution.p == free.p).all()
        assert solution.certificate.accepted
    alone = solve(Problem({AP(): (0.01, 0.99)}, **known), model=model)
    assert alone.multipliers.value == 0.0
    assert (alone.p == solve(Problem(**known), model=model).p).all()


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["scipy", "cvxpy"])
@pytest.mark.parametrize(
    "values", [{AP(): (0.6, 0.7)}, {AP(): (None, 0.4), P(cutoff=5): (0.6, None), nDCG(): ".7"}, {Q(): (0.7, 0.9)}]
)
def test_back_ends_agree(values: Any, solver: str) -> None:
    problem = Problem(values, relevant=(4, 3), retrieved=(4, 3), depth=20)
    ours, theirs = solve(problem), solve(problem, solver=solver)
    assert ours.status == theirs.status == "optimal"
    assert theirs.solver == solver
    assert theirs.certificate.accepted
    np.testing.assert_allclose(ours.p, theirs.p, atol=1e-5)
    np.testing.assert_allclose(ours.multipliers.values, theirs.multipliers.values, rtol=1e-4, atol=1e-6)
    assert any(ours.multipliers.values)


def test_pairwise_measures_have_the_bound_as_their_value() -> None:
    free = solve(Problem(**KNOWN))
    (value,) = free.distribution.expected([AP().form((30, 10), 100)])
    for pair, active in (((value + 0.05, 0.8), value + 0.05), ((0.1, value - 0.02), value - 0.02)):
        solution, equal = solve(Problem({AP(): pair}, **KNOWN)), solve(Problem({AP(): active}, **KNOWN))
        assert (solution.p == equal.p).all()
        assert solution.multipliers == equal.multipliers
        assert solution.multipliers.value * (active - value) > 0
        assert solution.certificate.accepted
        assert solution.certificate.sign


@pytest.mark.parametrize("model", ["ranks", "lists"])
def test_a_bound_is_let_go_that_cannot_hold_with_equality(model: Any) -> None:
    """P@5 of .5 is missed most at first, but P@10 is at most .75 beside it."""
    odds = np.repeat([0.1, 20.0, 1.0], [5, 5, 10])[:, None]
    known: dict[str, Any] = {"relevant": (12,), "retrieved": (12,), "depth": 20, "reference": odds}
    early = Problem({P(cutoff=5): 0.5, P(cutoff=10): 0.8}, **known)
    assert solve(early, model=model).status == "infeasible"
    solution = solve(Problem({P(cutoff=5): (0.5, None), P(cutoff=10): (0.8, None)}, **known), model=model)
    assert (solution.status, solution.multipliers.value[0]) == ("optimal", 0.0)
    assert solution.multipliers.value[1] > 0
    assert solution.p[:5, 1].mean() > 0.6
    assert solution.certificate.accepted


def test_a_bound_at_an_end_is_the_end() -> None:
    low, high = Problem(P(cutoff=10), value=0.5, **KNOWN).interval
    solution = solve(Problem({P(cutoff=10): (high, None)}, **KNOWN))
    assert (solution.status, solution.multipliers.value) == ("boundary", np.inf)
    assert solution.certificate.accepted
    inside = solve(Problem({P(cutoff=10): (low, high)}, **KNOWN))
    assert (inside.status, inside.multipliers.value) == ("optimal", 0.0)


INFEASIBLE: dict[str, tuple[Any, str]] = {
    "alone": ({AP(): (0.9, None)}, "AP = 0.9 or more is above"),
    "with another": ({AP(): 0.3, R(cutoff=100): (None, 0.4)}, "R@100 = 0.4 or less is below"),
    "together": ({P(cutoff=10): (0.9, None), P(cutoff=5): (0.2, 0.3)}, "P@10 = 0.9 or more and P@5 = 0.2 to 0.3:"),
    "beside a value": ({P(cutoff=5): 0.2, P(cutoff=10): (0.9, None)}, "P@5 = 0.2 and P@10 = 0.9 or more:"),
}


@pytest.mark.parametrize("model", ["ranks", "lists"])
@pytest.mark.parametrize("name", INFEASIBLE)
def test_infeasible_bounds_are_named(name: str, model: Any) -> None:
    values, words = INFEASIBLE[name]
    known: dict[str, Any] = KNOWN
    if model == "lists":
        known, words = {"relevant": (30, 10), "retrieved": (8, 4), "depth": 40}, words.split(":")[0]
    problem = Problem(values, **known)
    if name == "with another" and model == "lists":
        problem = replace(problem, value=(0.1, Bounds(-np.inf, 0.2)))
        words = "R@100 = 0.2 or less"
    solution = solve(problem, model=model)
    assert solution.status == "infeasible"
    assert words in solution.message
    assert np.isnan(solution.multipliers.values).all()
    assert not solution.certificate.accepted
    with refused(ProblemError):
        solution.sample(1)


def test_more_documents_than_ranks_are_infeasible() -> None:
    problem = Problem({AP(): (0.1, 0.2)}, relevant=(30,), count="total", depth=20)
    assert solve(problem).status == "infeasible"
    as_golden(solve(problem).message)


def test_certificates_see_wrong_signs_slack_and_values() -> None:
    problem = Problem({P(cutoff=10): (0.5, 0.6), nDCG(): (0.2, 0.99)}, **KNOWN)
    right = solve(problem)
    assert right.certificate.sign
    assert right.certificate.slack == pytest.approx(0.0, abs=1e-12)
    upper = replace(right, interval_problem=replace(problem, value=(Bounds(0.4, 0.5), problem.values[1])))
    assert (upper.certificate.accepted, upper.certificate.sign) == (False, False)
    loose = replace(right, interval_problem=replace(problem, value=(Bounds(0.45, 0.7), problem.values[1])))
    assert not loose.certificate.accepted
    assert (loose.certificate.slack or 0.0) > FEASIBLE
    beyond = replace(right, interval_problem=replace(problem, value=(problem.values[0], Bounds(0.98, 0.99))))
    assert not beyond.certificate.accepted
    assert beyond.certificate.value_violation > FEASIBLE


def test_texts_are_read_as_printed_or_as_bounds() -> None:
    problem = Problem({AP(): ".31", P(cutoff=10): "0.5:", nDCG(): ":.7", Q(): ".2:.4"}, **KNOWN)
    expected = [[0.305, 0.315], [0.5, np.inf], [-np.inf, 0.7], [0.2, 0.4]]
    np.testing.assert_allclose(problem.bounds, expected, rtol=1e-15)
    assert problem.has_intervals
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert [f"{value:.4g}" for value in problem.values] == [
        "0.305 to 0.315",
        "0.5 or more",
        "0.7 or less",
        "0.2 to 0.4",
    ]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("1", (1.0, 1.0)),
        ("0", (0.0, 0.0)),
        ("1.", (1.0, 1.0)),
        ("1e0", (1.0, 1.0)),
        ("2E1", (20.0, 20.0)),
        ("1.0", (0.95, 1.05)),
        (".350", (0.3495, 0.3505)),
        ("35e-2", (0.345, 0.355)),
        (".35:.35", (0.35, 0.35)),
    ],
)
def test_a_text_is_read_to_its_decimals(text: str, bounds: tuple[float, float]) -> None:
    """A whole number has none, and is exact."""
    problem = Problem({P(cutoff=10): text}, **KNOWN)
    assert problem.bounds.tolist() == [pytest.approx(bounds, rel=1e-14)]
    assert problem.has_intervals == (bounds[0] < bounds[1])


@pytest.mark.parametrize(
    "value",
    [
        (0.4, 0.3),
        (0.4,),
        "x",
        ".1:.2:.3",
        (np.nan, 0.3),
        (0.3, np.inf),
        (".1", ".2"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(value: Any) -> None:
    with refused(ProblemError):
        Problem({AP(): value}, **KNOWN)


def test_intervals_are_for_mappings_alone() -> None:
    with refused(ProblemError):
        Problem(AP(), value=(0.3, 0.4), **KNOWN)


def test_many_are_solved_as_one() -> None:
    values: list[Any] = [{AP(): (0.5, 0.6)}, {AP(): 0.5}, {P(cutoff=10): (0.7, None)}, {AP(): (0.1, 0.7)}, {}]
    problems = [Problem(own, **KNOWN) for own in values]
    for found, problem in zip(solve_many(problems, progress=False), problems, strict=True):
        assert found.problem == problem
        np.testing.assert_allclose(found.p, solve(problem).p, atol=1e-12)


def test_cascades_are_refused_over_ranks_and_bounded_over_lists() -> None:
    known: dict[str, Any] = {"relevant": (4, 2), "retrieved": (3, 2), "depth": 12}
    problem = Problem({ERR(): (0.6, None)}, **known)
    with refused(MeasureError):
        solve(problem)
    solution, equal = solve(problem, model="lists"), solve(Problem({ERR(): 0.6}, **known), model="lists")
    assert solution.multipliers.value == equal.multipliers.value > 0


# --- CVXPY, and distributions from elsewhere ---


def monotone(problem: Problem) -> Solution:
    """The most random distribution in which no grade is more probable at a lower rank."""
    program, p = problem.to_cvxpy()
    falling = [p[:-1, grade] >= p[1:, grade] for grade in range(1, problem.levels + 1)]
    cp.Problem(program.objective, [*program.constraints, *falling]).solve(solver=cp.CLARABEL)
    assert p.value is not None
    return Solution.of(problem, p.value)


def test_a_program_takes_other_constraints_and_its_p_becomes_a_solution() -> None:
    """Documents of grade 2 come first, so that the probability of grade 1 first rises with the rank."""
    problem = Problem({nDCG(): (0.8, None), P(cutoff=10): (None, 0.95)}, **KNOWN)
    ours, found = solve(problem), monotone(problem)
    assert ours.status == "optimal"
    assert (np.diff(ours.p[:, 1]) > 1e-3).any()
    assert found.status == "given"
    assert found.message.startswith("stationarity 0.")
    assert not found.certificate.accepted
    assert (np.diff(found.p[:, 1:], axis=0) < 1e-6).all()
    assert found.entropy < ours.entropy - 0.01
    assert inferred_curve(found).precision[9] == pytest.approx(found.p[:10, 1:].sum() / 10)
    assert found.sample(3, rng=0).shape == (3, 100)


def test_a_constraint_that_holds_anyway_leaves_the_optimum() -> None:
    problem = Problem({nDCG(): (0.8, None)}, relevant=(30,), retrieved=(24,), depth=100)
    found, ours = monotone(problem), solve(problem)
    np.testing.assert_allclose(found.p, ours.p, atol=5e-5)
    assert found.multipliers.value == pytest.approx(ours.multipliers.value, rel=1e-3)


@pytest.mark.parametrize("values", [{AP(): 0.4}, {AP(): (0.4, None)}, {P(cutoff=10): (0.2, 0.9)}, {}])
@pytest.mark.parametrize("count", ["retrieved", "at_most"])
def test_our_own_p_is_confirmed(values: Any, count: Count) -> None:
    problem = Problem(values, **KNOWN, count=count)
    ours = solve(problem)
    found = Solution.of(problem, ours.p)
    assert found.status == "optimal"
    np.testing.assert_allclose(found.multipliers.values, ours.multipliers.values, rtol=1e-8)
    np.testing.assert_allclose(found.multipliers.counts, ours.multipliers.counts, rtol=1e-6, atol=1e-8)


def test_what_a_distribution_violates_is_said() -> None:
    problem = Problem({P(cutoff=10): (0.5, 0.6)}, **KNOWN)
    p = solve(problem).p
    fewer = Solution.of(problem, p * [1.0, 0.9, 1.0]).message
    assert "count violation 0.1 (accepted up to 1e-07); row violation 0.036 (accepted up to 1e-07)" in fewer
    uniform = np.tile(p.mean(axis=0), (100, 1))
    assert re.match(r"value violation 0\.\d+", Solution.of(problem, uniform).message)
    assert "row violation 0.05" in Solution.of(problem, np.vstack(([0.95, 0, 0], p[1:]))).message


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("reference", [None, "log-uniform"])
@pytest.mark.parametrize(
    "values", [{}, {nDCG(): 0.7}, {nDCG(): 0.7, P(cutoff=10): 0.7}, {nDCG(): (0.7, 0.7001)}, {P(cutoff=3): 0.0}]
)
def test_a_tolerance_accepts_what_another_solver_leaves(values: Any, reference: Reference, count: Count) -> None:
    """CVXPY stops at residuals of about 1e-5."""
    known = {"relevant": (9, 6), "retrieved": (7, 5), "depth": 20}
    problem = Problem(values, **known, reference=reference, count=count)  # type: ignore[arg-type]
    program, p = problem.to_cvxpy()
    program.solve(solver=cp.CLARABEL)
    accepted = Solution.of(problem, p.value, tolerance=1e-4)
    assert (accepted.status, accepted.message, accepted.certificate.accepted) == ("optimal", "", True)
    assert accepted.certificate.tolerance == 1e-4
    assert (np.abs(accepted.p - solve(problem).p) < 1e-3).all()
    residuals = accepted.certificate
    largest = max(*residuals[:4], residuals.slack or 0.0)
    refused = Solution.of(problem, p.value, tolerance=0.9 * largest)
    assert (refused.status, refused.certificate.accepted) == ("given", False)
    assert f"(accepted up to {0.9 * largest:g})" in refused.message
    assert repr(refused.certificate) == f"Certificate(not accepted: {refused.message})"


@pytest.mark.parametrize("middle", [0.4, 0.5, 0.6])
@pytest.mark.parametrize("width", [1e-8, 3e-7, 1e-6, 3e-6, 1e-5])
def test_narrow_intervals_are_answered_or_refused_with_a_reason(middle: float, width: float) -> None:
    """P@3 is .5 in the most random list: where the interval is below or above, its nearer bound is active."""
    known = {"relevant": (4,), "retrieved": (3,), "depth": 6}
    interval = Problem({P(cutoff=3): (middle - width / 2, middle + width / 2)}, **known)  # type: ignore[arg-type]
    shares = np.linspace(-0.5, 0.5, 5)
    values = [Problem({P(cutoff=3): middle + width * share}, **known) for share in shares]  # type: ignore[arg-type]
    statuses = [Solution.of(interval, solve(problem).p) for problem in values]
    best = {0.4: -1, 0.5: 2, 0.6: 0}[middle]
    assert statuses[best].status == "optimal"
    assert all((solution.status == "optimal") == (solution.message == "") for solution in statuses)
    assert all(Solution.of(interval, solution.p, tolerance=1e-4).status == "optimal" for solution in statuses)


def test_values_that_the_counts_fix_need_no_value_of_a_bound() -> None:
    """P@6 of six ranks is .5 in every list; the bounds are so close that both might be active."""
    values: dict[Measure, Value] = {P(cutoff=6): (0.5 - 4e-7, 0.5 + 4e-7)}
    problem = Problem(values, relevant=(4,), retrieved=(3,), depth=6)
    assert Solution.of(problem, np.full((6, 2), 0.5)).status == "optimal"


def test_lists_full_of_one_grade_leave_nothing_to_fit() -> None:
    values: dict[Measure, Value] = {nDCG(): (None, 1), P(cutoff=3): (None, 2 / 3)}
    problem = Problem(values, relevant=(2,), depth=2, count="total")
    assert Solution.of(problem, [[0, 1]] * 2).status == "optimal"
    leaking = Solution.of(problem, [[0.01, 0.99]] * 2)
    assert leaking.status == "given"
    assert leaking.message.startswith("row violation 0.02 (accepted up to 1e-07)")
    assert Solution.of(Problem(relevant=(2,), depth=2, count="total"), [[0, 1]] * 2).status == "optimal"


@pytest.mark.parametrize("tolerance", [0.0, -1e-6, np.nan, "small"])
def test_a_tolerance_is_a_positive_number(tolerance: Any) -> None:
    problem = Problem({P(cutoff=3): 0.5}, relevant=(4,), retrieved=(3,), depth=6)
    with refused(ProblemError):
        Solution.of(problem, np.full((6, 2), 0.5), tolerance=tolerance)


@pytest.mark.parametrize(
    "p", [np.ones((3, 3)), np.full((100, 3), np.nan), np.full((100, 3), 2.0), [[1], [1, 0]], None]
)
def test_no_distribution_is_no_solution(p: Any) -> None:
    with refused(ProblemError):
        Solution.of(Problem({P(cutoff=10): (0.5, 0.6)}, **KNOWN), p)
    overfull = Problem({P(cutoff=10): (0.5, 0.6)}, relevant=(30,), count="total", depth=20)
    with refused(ProblemError):
        Solution.of(overfull, np.full((20, 2), 0.5))


def test_only_linear_measures_have_a_program() -> None:
    with refused(ProblemError):
        Problem({AP(): 0.3, P(cutoff=10): 0.5}, **KNOWN).to_cvxpy()


def test_no_derivatives_by_bounds() -> None:
    with refused(ProblemError):
        sensitivity(solve(Problem({AP(): (0.5, 0.6)}, **KNOWN)))
