"""References other than the uniform one: relative entropy, at the ends as well, and its certificate."""

import warnings
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maxent.curves import sensitivity
from maxent.errors import ProblemError
from maxent.measures import AP, GAP, RBP, Measure, P, parse_measure
from maxent.problem import COUNTS, Count, IndependentRanks, Problem, Reference, Solution, Value, log_odds
from maxent.solvers import solve, solve_many
from maxent.types import FloatArray
from tests.golden.messages import refused
from tests.helpers import SHARES, at, with_p

DEPTH = 60
TABLE = np.random.default_rng(3).uniform(0.1, 3.0, (DEPTH, 2))
REFERENCES: dict[str, Reference] = {"log-uniform": "log-uniform", "table": TABLE}


def relative_entropy(problem: Problem, p: FloatArray) -> float:
    """What is maximised, with the odds in place of probabilities."""
    odds = np.pad(log_odds(problem.reference, problem.depth, problem.levels), ((0, 0), (1, 0)))
    return float(np.sum(p * odds - p * np.log(np.maximum(p, 1e-300))))


def by_cvxpy(problem: Problem, fixed: FloatArray | None = None) -> FloatArray:
    """The distribution of largest relative entropy; cells that are 0 in ``fixed`` are 0."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # CVXPY finds shapes by summing memory that nobody has filled. Whether Clarabel reaches its tolerance
        # depends on the processor; what it found is compared in any case.
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        return _by_cvxpy(problem, fixed)


def _by_cvxpy(problem: Problem, fixed: FloatArray | None) -> FloatArray:
    p = cp.Variable((problem.depth, problem.levels + 1))
    odds = np.pad(log_odds(problem.reference, problem.depth, problem.levels), ((0, 0), (1, 0)))
    counted = cp.sum(p[:, 1:], axis=0)
    counts = counted <= problem.counts if problem.count == "at_most" else counted == problem.counts
    known = [cp.sum(p, axis=1) == 1, counts]
    if fixed is None:
        pairs = zip(problem.forms, problem.values, strict=True)
        known += [cp.sum(cp.multiply(form.a, p)) == value for form, value in pairs]
    else:
        known += [cp.multiply(p, fixed == 0) == 0]
    cp.Problem(cp.Minimize(cp.sum(cp.kl_div(p, np.exp(odds)))), known).solve(
        solver=cp.CLARABEL, **({"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-13} if fixed is None else {})
    )
    return np.asarray(p.value)


def test_a_reference_is_kept_as_a_value() -> None:
    problem = replace(at("AP", 0.4), reference=TABLE)
    assert problem == replace(problem, reference=TABLE.tolist())
    assert len({problem, replace(problem, reference=TABLE), replace(problem, reference=None)}) == 2
    assert problem.parts[0].reference == problem.reference
    with refused(ProblemError):
        replace(problem, reference="flat")
    assert replace(problem, reference="uniform") == replace(problem, reference=None)
    with refused(ProblemError):
        replace(problem, reference=TABLE[:, 0])
    with refused(ProblemError):
        replace(problem, reference=object())


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("measure", ["nDCG(gain=exp2)", "P@10", "nDCG & P@10", "counts"])
def test_linear_measures_have_the_largest_relative_entropy(measure: str, reference: str, count: Count) -> None:
    known = {"relevant": (9, 6), "retrieved": (7, 5), "depth": DEPTH, "count": count}
    parts = [] if measure == "counts" else measure.split(" & ")
    values = {parse_measure(part): at(part, 0.6).value for part in parts}
    problem = Problem(values, **known, reference=REFERENCES[reference])  # type: ignore[arg-type]
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted
    np.testing.assert_allclose(solution.p, by_cvxpy(problem), atol=2e-5)


@given(
    odds=st.lists(st.tuples(*[st.floats(0.02, 50.0)] * 2), min_size=7, max_size=7),
    share=st.floats(0.05, 0.95),
    measure=st.sampled_from(["AP", "GAP(g=.5,.5)", "xGAP(g=.5,.5)", "nDCG"]),
)
def test_no_neighbour_has_a_larger_relative_entropy(
    odds: list[tuple[float, float]], share: float, measure: str
) -> None:
    """Random directions along the constraints, at a solution of a short list."""
    short = Problem(parse_measure(measure), value=0.5, relevant=(2, 2), retrieved=(2, 1), depth=7)
    low, high = (end.listed for end in short.ends)
    problem = replace(short, value=low + share * (high - low), reference=odds)
    solution = solve(problem)
    if solution.status != "optimal":  # close to an end, a measure with a pairwise part may have no strict maximum
        assert not problem.form.linear
        return
    p, form, random = solution.p, problem.form, np.random.default_rng(0)
    normals = [form.gradient(p).ravel(), *np.kron(np.eye(7), np.ones(3)), *np.tile(np.eye(3), 7)]
    basis = np.linalg.svd(np.array(normals))[2][np.linalg.matrix_rank(np.array(normals)) :]
    best = relative_entropy(problem, p)
    for _ in range(20):
        way = (random.normal(size=len(basis)) @ basis).reshape(p.shape)
        way *= 1e-4 * p.min() / np.abs(way).max()
        # what the value changes by in second order is paid for by the multiplier
        off = sum(form.expected(p + sign * way) - problem.value for sign in (1.0, -1.0))
        around = sum(relative_entropy(problem, p + sign * way) for sign in (1.0, -1.0))
        assert around + solution.multipliers.value * off <= 2 * best + 1e-9 * max(1.0, abs(best))


@pytest.mark.parametrize("measure", ["AP", "GAP(g=.5,.5)", "nDCG", "P@10"])
def test_a_certificate_refuses_another_reference(measure: str) -> None:
    given = at(measure, 0.4)
    for wrong, right in ((None, "log-uniform"), ("log-uniform", None), ("log-uniform", TABLE)):
        solution = solve(replace(given, reference=wrong))
        assert solution.certificate.accepted
        claim = replace(solution, distribution=IndependentRanks(replace(given, reference=right), solution.p))
        assert claim.certificate.stationarity > 1e-4
        assert not claim.certificate.accepted


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("measure", ["P@10", "CG@5", "AP(rel=2)", "AP", "nDCG@10"])
def test_ends_leave_the_rest_to_the_reference(measure: str, reference: str) -> None:
    """The sorted list says which cells are empty; relative entropy decides on the others."""
    for above in (0, 1):
        plain = at(measure, 0.5)
        end = plain.ends[above]
        problem = replace(plain, value=end.value, reference=REFERENCES[reference])
        solution = solve(problem)
        assert solution.status == "boundary", solution.message
        assert solution.certificate.accepted
        np.testing.assert_allclose(solution.p, by_cvxpy(problem, (end.p > 1e-11) * 1.0), atol=3e-4)
        listed = with_p(solution, end.p)
        assert listed.certificate.accepted == bool(np.abs(end.p - solution.p).max() < 1e-9)
        near = replace(
            problem, value=end.value + (1e-9 if not above else -1e-9) * (plain.interval[1] - plain.interval[0])
        )
        assert solve(near).status in ("optimal", "boundary")
        assert solve(replace(problem, count="at_most")).status in ("optimal", "boundary")


AT_ENDS = ("P@1", "P@3", "P@20", "CG@3", "gP@3", "R@3", "nDCG@3", "nDCG", "RBP(p=.5)", "AP", "AP@3", "AP(rel=2)")


def odds_of(levels: int) -> st.SearchStrategy[Reference]:
    """References for lists of six documents."""
    tables = st.lists(st.tuples(*[st.floats(0.1, 10.0)] * levels), min_size=6, max_size=6)
    return st.one_of(st.sampled_from([None, "log-uniform"]), tables)


@settings(max_examples=50)
@given(data=st.data(), count=st.sampled_from(COUNTS), measure=st.sampled_from(AT_ENDS), above=st.booleans())
def test_ends_are_limits_of_values_inside(data: st.DataObject, count: Count, measure: str, above: bool) -> None:
    """Counts are fixed, or they are upper bounds, some of which an end may need to be reached."""
    levels = data.draw(st.integers(2, 3))
    relevant = data.draw(st.lists(st.integers(0, 4), min_size=levels, max_size=levels))
    retrieved = data.draw(st.tuples(*(st.integers(0, min(documents, 2)) for documents in relevant)))
    reference = data.draw(odds_of(levels))
    wanted: dict[str, Any] = {"depth": 6, "count": count, "reference": reference, "retrieved": retrieved}
    problem = Problem(parse_measure(measure), value=0.0, relevant=relevant, **wanted)
    assume(not problem.overfull)
    low, high = problem.interval
    at_end = solve(replace(problem, value=high if above else low))
    assert at_end.status == "boundary", at_end.message
    assert at_end.certificate.accepted
    towards = low - high if above else high - low
    values = [at_end.problem.value + share * towards for share in (1e-4, 1e-6, 1e-8)]
    near = [solve(replace(problem, value=value)) for value in values]
    distances = [np.abs(solution.p - at_end.p).max() for solution in near if solution.status == "optimal"]
    assert min(distances, default=0.0) < 1e-3
    if at_end.problem.form.linear:
        np.testing.assert_allclose(at_end.p, by_cvxpy(at_end.problem), atol=1e-3)


def test_values_above_the_smallest_approach_what_the_smallest_has() -> None:
    """No document among the first three ranks; the reference has the odds 1/n for the one document behind them."""
    known = {"relevant": (1,), "depth": 8, "count": "at_most", "reference": "log-uniform"}
    inside, at_end = (solve(Problem({P(cutoff=3): value}, **known)) for value in (1e-9, 0.0))  # type: ignore[arg-type]
    np.testing.assert_allclose(at_end.p, inside.p, atol=1e-8)
    np.testing.assert_allclose(at_end.p[3:, 1], 1 / (1 + np.arange(4.0, 9.0)), rtol=1e-12)
    uniform = solve(replace(at_end.problem, reference=None))
    assert not with_p(at_end, uniform.p).certificate.accepted


@pytest.mark.parametrize("reference", [None, "log-uniform"])
def test_intervals_beside_a_value_at_an_end(reference: Reference) -> None:
    """The document at rank 1 is certain, and only with the reference does the printed P@5 need more documents."""
    values: dict[Measure, Value] = {P(cutoff=1): 1.0, P(cutoff=5): "0.560"}
    problem = Problem(values, relevant=(23,), depth=27, count="at_most", reference=reference)
    solution = solve(problem)
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)
    assert solution.p[0, 1] == 1
    assert P(cutoff=5).expected(solution.p, (23,)) == pytest.approx(0.5605 if reference is None else 0.5595)


@pytest.mark.parametrize("seed", range(50, 58))
def test_a_reference_decides_between_grades_that_share_no_rank_with_others(seed: int) -> None:
    """Documents of grades 2 and 3 fill three ranks at an end: one of the two counts follows from the other."""
    table = np.exp(np.random.default_rng(seed).normal(0.0, 1.5, (9, 3)))
    known = {"relevant": (2, 2, 1), "retrieved": (2, 2, 1), "depth": 9}
    plain = Problem(RBP(rel=2), value=0.0, reference=table, **known)  # type: ignore[arg-type]
    for end in plain.ends:
        solution = solve(replace(plain, value=end.value))
        assert solution.status == "boundary", solution.message
        assert solution.certificate.accepted
        np.testing.assert_allclose(solution.p, by_cvxpy(solution.problem), atol=1e-3)


def test_a_constant_measure_leaves_all_to_the_reference() -> None:
    problem = Problem(P(cutoff=9), value=5 / 9, relevant=(5,), retrieved=(5,), depth=9, reference="log-uniform")
    alone = solve(Problem(relevant=(5,), retrieved=(5,), depth=9, reference="log-uniform"))
    solution = solve(problem)
    assert (solution.status, solution.multipliers.value) == ("boundary", 0.0)
    assert solution.certificate.accepted
    np.testing.assert_allclose(solution.p, alone.p, atol=1e-12)
    odds = solution.p[:, 1] / solution.p[:, 0]
    np.testing.assert_allclose(odds * np.arange(1, 10), odds[0], rtol=1e-9)  # 1/n, and a factor for the count


def test_grades_are_merged_only_where_the_reference_is_the_same() -> None:
    """AP tells no relevant grade from another, AP(rel=2) neither grade 0 from grade 1."""
    problem = at("AP", 0.4)
    assert replace(problem, reference="log-uniform").merged_grades == problem.merged_grades == ((0,), (1, 2))
    assert replace(problem, reference=TABLE).merged_grades == ((0,), (1,), (2,))
    two = at("AP(rel=2)", 0.4)
    assert two.merged_grades == ((0, 1), (2,))
    apart = replace(two, reference="log-uniform")
    assert apart.merged_grades == ((0,), (1,), (2,))
    assert solve(apart).certificate.accepted
    merged = solve(replace(problem, reference="log-uniform"))
    nearly = solve(replace(problem, reference=np.exp(log_odds("log-uniform", DEPTH, 2)) * [1.0, 1 + 1e-9]))
    np.testing.assert_allclose(merged.p, nearly.p, atol=1e-7)


@pytest.mark.parametrize("count", COUNTS)
def test_problems_side_by_side_keep_their_references(count: Count) -> None:
    kinds = (None, "log-uniform", TABLE)
    given = [at(m, share, count=count) for m in ("AP", "GAP(g=.5,.5)", "P@10") for share in SHARES]
    problems = [replace(problem, reference=kind) for problem in given for kind in kinds]
    found = solve_many(problems, progress=False)
    assert [solution.problem for solution in found] == problems
    for solution in found:
        assert solution.status == "optimal"
        assert solution.certificate.accepted
        np.testing.assert_allclose(solution.p, solve(solution.problem).p, atol=1e-9)


def test_a_table_of_equal_odds_is_uniform() -> None:
    problem = at("GAP(g=.5,.5)", 0.4, depth=300)
    even = solve(replace(problem, reference=np.ones((300, 2))))
    np.testing.assert_allclose(even.p, solve(problem).p, atol=1e-10)


@pytest.mark.parametrize("measure", [AP(), GAP(g=(0.5, 0.5)), P(cutoff=10)])
def test_derivatives_are_those_of_the_problem_with_its_reference(measure: AP) -> None:
    problem = replace(at(measure, 0.5), reference="log-uniform")
    step = 1e-5 * (problem.interval[1] - problem.interval[0])

    def moved(by: float) -> Solution:
        return solve(replace(problem, value=problem.value + by))

    found = sensitivity(solve(problem))
    np.testing.assert_allclose(found.p[0], (moved(step).p - moved(-step).p) / (2 * step), rtol=1e-4, atol=1e-5)
    gained = relative_entropy(problem, moved(step).p) - relative_entropy(problem, moved(-step).p)
    assert gained / (2 * step) == pytest.approx(-solve(problem).multipliers.value, rel=1e-5)
