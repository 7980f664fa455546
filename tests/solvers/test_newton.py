"""The structured Newton solver."""

import dataclasses
from itertools import product

import numpy as np
import pytest

from maxent.curves import ALIGNS
from maxent.kernels.curves import Observed
from maxent.measures import AP, GAP, NDCNG, RBP, Measure, eGAP, nPrecision, nRecall, parse_measure
from maxent.problem import COUNTS, Count, Problem
from maxent.problem.arrays import Problems, apart
from maxent.problem.solutions import seen_of
from maxent.solvers import solve, solve_many
from maxent.solvers.groups import Group
from maxent.solvers.newton import _attempt
from maxent.solvers.solve import solve_arrays
from tests.helpers import MEASURES, SHARES, at, slow_but


@pytest.mark.parametrize(("measure", "count", "share"), list(product(MEASURES, COUNTS, SHARES)))
def test_newton_is_certified(measure: str, count: Count, share: float) -> None:
    solution = solve(at(measure, share, count=count))
    assert solution.status == "optimal", solution.message
    c = solution.certificate
    assert c.accepted
    assert max(c.value_violation, c.count_violation, c.row_violation, c.stationarity) < 1e-10


@pytest.mark.parametrize("measure", slow_but(["AP", "GAP(g=.5,.5)", "nDCG@10"], MEASURES))
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


@pytest.mark.slow
def test_an_observed_list_is_never_infeasible() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        grades = rng.choice(3, size=rng.integers(1, 40), p=(0.6, 0.3, 0.1))
        relevant = np.bincount(grades, minlength=3)[1:] + rng.integers(0, 4, 2)
        for text in ("AP", "GAP(g=.5,.5)", "nDCG(gain=exp2)", "P@10", "Rprec"):
            solution = solve(Problem.of_list(parse_measure(text), grades, relevant))
            assert solution.status in ("optimal", "boundary"), (text, grades, relevant, solution.message)
            assert solution.certificate.accepted


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
    assert solve(problem).status == "optimal"


def test_logits_of_thousands_are_no_obstacle() -> None:
    """Few ranks weigh anything: where the list at the end leaves 1800 nats, values close to it leave 4100."""
    counts = (230, 78, 3, 836, 364)
    best = Problem(RBP(p=0.8, rel=2), value=0.5, relevant=counts, retrieved=counts, depth=3819, count="at_most")
    solution = solve(dataclasses.replace(best, value=best.interval[1] * (1 - 5e-11)))
    assert solution.status == "optimal"
    assert solution.entropy > 4000


GRADED = (3.4643537401480975, 17.792923590940863, 16.83983974760707, 2.902882921262969)


@pytest.mark.parametrize(
    ("measure", "value", "counts", "depth"),
    [
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


@pytest.mark.parametrize("measure", [nPrecision(), nRecall(), GAP(g=(1.0, 0.0)), AP()])
def test_lists_full_of_grades_that_are_alike_have_one_value(measure: Measure) -> None:
    """A normalisation divides by next to nothing there, if it does not notice."""
    for counts in [(2.5, 1.499999999999996), (4.0, 0.0)]:
        problem = Problem(measure, value=1.0, relevant=counts, retrieved=counts, depth=4)
        low, high = problem.interval
        assert low == high
        assert solve(dataclasses.replace(problem, value=low)).status == "boundary"
        below = solve(dataclasses.replace(problem, value=low - 0.1))
        assert (below.status, below.certificate.accepted) == ("infeasible", True)


ALIKE = ("AP", "AP(rel=3)", "GAP(g=0,.5,0,.5)", "xGAP(g=0,0,0,1)", "eGAP(g=.5,0,0,.5)", "P@10", "nRecall(rel=2)")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", [*ALIKE, "gAP(gain=1,1,2,2)", "nDCG(gain=1,2,1,2)"])
@pytest.mark.parametrize("share", [0.03, 0.3, 0.9])
def test_grades_that_are_alike_are_solved_as_one(text: str, count: Count, share: float) -> None:
    """The same p and multipliers as with every grade for itself, alone and in a batch."""
    counts = (4.0, 3.0, 6.5, 2.0)
    problem = Problem(parse_measure(text), value=0.0, relevant=counts, retrieved=counts, depth=60, count=count)
    low, high = (end.listed for end in problem.ends)
    problem = dataclasses.replace(problem, value=low + share * (high - low))
    assert len(problem.merged_grades) < len(problem.present)
    group = Group(apart(problem.present), (0,), np.zeros(1, dtype=np.int64))
    alone = _attempt(Problems.of([problem]), np.array([[problem.interval]]), group, coarse=False)
    assert alone.accepted.all()
    for found in (solve(problem), *solve_many([problem, dataclasses.replace(problem)])):
        assert found.status == "optimal"
        assert found.certificate.accepted
        np.testing.assert_allclose(found.p, alone.p[0], atol=1e-9)
        np.testing.assert_allclose(found.multipliers.counts, alone.multipliers[0, 1:], atol=1e-8)
        assert found.multipliers.value == pytest.approx(alone.multipliers[0, 0], rel=1e-7)


@pytest.mark.parametrize("text", ["AP", "GAP(g=0,1)"])
def test_bounds_of_alike_grades_that_are_not_reached(text: str) -> None:
    """Documents are dealt out by their bounds only where these are reached; here 30 would do for five."""
    problem = Problem(parse_measure(text), value=0.05, relevant=(30.0, 2.0), depth=40, count="at_most")
    solution = solve(problem)
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.p[:, 1].sum() < 29
    assert solution.p[:, 2].sum() < 2 + 1e-6


def test_bounds_above_what_newtons_method_leaves_of_a_class() -> None:
    """Q near its largest value: 1e-307 of the documents that are worth as little as irrelevant ones."""
    relevant, retrieved = (28.66, 20.49, 18.42, 22.98, 21.27), (1.0, 0.0, 0.0, 0.0, 0.0)
    measure = parse_measure("Q(beta=0.7317226905392302,gain=0.001,0.002,0,0.001,0.001)")
    value = 0.021413276230985177
    problem = Problem(measure, value=value, relevant=relevant, retrieved=retrieved, depth=2, count="at_most")
    for solution in (solve(problem), *solve_many([problem], progress=False)):
        assert (solution.status, solution.certificate.accepted) == ("optimal", True)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", ["GAP(g=.5,.5)", "AP(rel=2)", "AP", "nDCG", "AP & P@10", "P@10", "wAP"])
def test_what_solutions_say_of_lists_comes_out_of_the_lanes(text: str, count: Count) -> None:
    """As what their distributions say: grades merged or absent, values inside and at ends, empty lists."""
    measure, relevant, rng = parse_measure(text), np.array([9, 6]), np.random.default_rng(1)
    grades = rng.choice(3, (30, 250), p=(0.97, 0.02, 0.01)) * (rng.random((30, 1)) < 0.9)
    grades[:3, 20:] = 0
    grades[3:6] = np.minimum(grades[3:6], 1)
    grades = grades[[max((own == 1).sum() - 9, (own == 2).sum() - 6) <= 0 for own in grades]]
    problems = Problems.of([Problem.of_list(measure, own, relevant, count=count) for own in grades])
    observed = Observed.of(grades, relevant, (1, 2), ALIGNS)
    for (members, solutions), (_, compared) in zip(
        solve_arrays(problems), solve_arrays(dataclasses.replace(problems, observed=observed)), strict=True
    ):
        wanted = seen_of(solutions.p, observed.part(members))
        assert compared.statuses.tolist() == solutions.statuses.tolist()
        assert compared.seen
        assert not compared.p.size
        for own, other in zip(compared.seen, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9)
