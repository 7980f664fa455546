"""Problems with several measures, or none: solutions, their certificates, and other ways to them."""

import dataclasses
from itertools import chain, product
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from maxent.kernels import newton_method
from maxent.measures import AP, GAP, Joint, P, nDCG, parse_measure
from maxent.problem import Count, Problem, Reference
from maxent.solvers import solve, solve_many
from tests.golden.messages import as_golden
from tests.helpers import MEASURES, at, with_p

LIST = [1, 0, 2, 0, 0, 1, 0, 2, 1, 0, *[0] * 10, *[2, 0, 1] * 2, 1, *[0] * 13]  # 40 ranks
RELEVANT = (9, 6)
PAIRS = ("AP & P@10", "AP & nDCG(gain=exp2)", "Q & P@5", "nDCG & P@10", "GAP(g=.5,.5) & wAP", "AP & AP(rel=2)")
TRIPLES = ("AP & AP(rel=2) & P@10", "nDCG & P@5 & P@20", "GAP(g=.3,.7) & Q & RBP(p=.9)")


def of_list(text: str, grades: list[int] = LIST, count: Count = "retrieved") -> Problem:
    return Problem.of_list(parse_measure(text), grades, RELEVANT, count=count)


@pytest.mark.parametrize("text", [*PAIRS, *TRIPLES])
def test_every_measure_has_its_value(text: str) -> None:
    """And each lowers the entropy; the logits are sums over the measures."""
    problem = of_list(text)
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted
    for part, value in zip(problem.measure.parts, problem.values, strict=True):
        assert part.expected(solution.p, RELEVANT) == pytest.approx(value, rel=1e-9)
        alone = solve(Problem.of_list(part, LIST, RELEVANT))
        assert solution.entropy < alone.entropy + 1e-9
    np.testing.assert_allclose(solution.p.sum(axis=0)[1:], problem.counts, rtol=1e-9)
    logits = np.log(solution.p[:, 1:] / solution.p[:, :1])
    w = [form.gradient(solution.p) for form in problem.forms]
    implied = np.tensordot(solution.multipliers.values, w, 1)
    np.testing.assert_allclose(logits, implied[:, 1:] + solution.multipliers.counts, atol=1e-7)


@pytest.mark.slow
def test_expected_values_are_those_of_all_lists() -> None:
    problem = Problem.of_list(parse_measure("AP & nDCG@2 & gAP"), [1, 0, 2, 0, 0, 1], (3, 2))
    solution = solve(problem)
    lists = np.array(list(product(range(3), repeat=6)))
    weight = solution.p[np.arange(6), lists].prod(axis=1)
    for part, value in zip(problem.measure.parts, problem.values, strict=True):
        assert weight @ part.values(lists, (3, 2)) == pytest.approx(value, rel=1e-9)
    found = optimize.minimize(
        lambda x: float(np.sum(x * np.log(x))),
        np.tile([3 / 6, 2 / 6, 1 / 6], 6),
        bounds=[(1e-9, 1)] * 18,
        constraints=[
            {"type": "eq", "fun": lambda x: x.reshape(6, 3).sum(axis=1) - 1},
            {"type": "eq", "fun": lambda x: x.reshape(6, 3).sum(axis=0)[1:] - (2, 1)},
            {
                "type": "eq",
                "fun": lambda x: [
                    x.reshape(6, 3)[np.arange(6), lists].prod(axis=1) @ part.values(lists, (3, 2)) - value
                    for part, value in zip(problem.measure.parts, problem.values, strict=True)
                ],
            },
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert found.success
    assert -found.fun == pytest.approx(solution.entropy, abs=1e-6)
    np.testing.assert_allclose(found.x.reshape(6, 3), solution.p, atol=1e-4)


@pytest.mark.parametrize("text", [*PAIRS, "GAP(g=.5,.5)", "nDCG", "P@10"])
def test_multipliers_are_derivatives_of_the_entropy(text: str) -> None:
    problem = of_list(text)
    solution = solve(problem)
    for j, step in enumerate(1e-5 * np.eye(len(problem.values))):
        up, down = (solve(dataclasses.replace(problem, value=problem.values + s)).entropy for s in (step, -step))
        assert solution.multipliers.values[j] == pytest.approx(-(up - down) / 2e-5, rel=1e-4, abs=1e-4)


def test_counts_alone_make_every_rank_the_same() -> None:
    solution = solve(Problem(relevant=RELEVANT, retrieved=(7, 5), depth=40))
    assert solution.status == "optimal"
    np.testing.assert_allclose(solution.p, np.tile([28 / 40, 7 / 40, 5 / 40], (40, 1)), rtol=1e-12)
    assert solution.multipliers.value == ()
    bounded = solve(Problem(relevant=(30, 2), depth=40, count="at_most"))
    np.testing.assert_allclose(bounded.p, np.tile([0.475, 0.475, 0.05], (40, 1)), rtol=1e-9)
    assert solve(Problem(relevant=RELEVANT, retrieved=(0, 0), depth=3)).p.tolist() == [[1, 0, 0]] * 3


@pytest.mark.parametrize("grades", [[0] * 10 + LIST, sorted(LIST, reverse=True), LIST[:2] * 5 + LIST])
@pytest.mark.parametrize("other", ["AP", "nDCG(gain=exp2)", "AP(rel=2) & P@30"])
@pytest.mark.parametrize(
    ("count", "reference"), [("retrieved", None), ("at_most", None), ("at_most", "log-uniform")]
)
def test_values_at_an_end(grades: list[int], other: str, count: Count, reference: Reference) -> None:
    """P@10 = 0, everything at the top, and values inside: the ends fix grades at some ranks."""
    measure = parse_measure(f"P@10 & {other}")
    problem = Problem.of_list(measure, grades, (20, 9), count=count, reference=reference)
    solution = solve(problem)
    assert solution.status in ("boundary", "optimal"), solution.message
    assert solution.certificate.accepted
    assert (solution.status == "boundary") == any(part.location in ("low", "high") for part in problem.parts)
    if grades[:10] == [0] * 10:
        assert solution.multipliers.values[0] == -np.inf
        np.testing.assert_array_equal(solution.p[:10], np.eye(3)[[0] * 10])
        as_golden(solution.message)
    near = dataclasses.replace(problem, value=[v + 1e-7 * (0.2 - v) for v in problem.values])
    close = solve(near)
    if close.status == "optimal":
        np.testing.assert_allclose(close.p, solution.p, atol=2e-3)


def test_more_relevant_documents_than_the_first_ranks_hold() -> None:
    """P@10 = 1: one of two positive grades at each of the first ranks, and nDCG says which."""
    grades = [1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 0, 0, 1, 0, 2, 0, 0, 1, *[0] * 22]
    problem = Problem.of_list(parse_measure("nDCG(gain=exp2) & P@10"), grades, (20, 9))
    solution = solve(problem)
    assert solution.status == "boundary"
    assert solution.certificate.accepted
    assert (solution.p[:10, 0] == 0).all()
    assert (solution.p[:10, 1:] > 0.01).all()
    assert nDCG(gain="exp2").expected(solution.p, (20, 9)) == pytest.approx(problem.values[0])
    convex = solve(dataclasses.replace(problem, value=(problem.values[0], 1 - 1e-9)), solver="cvxpy")
    np.testing.assert_allclose(convex.p, solution.p, atol=1e-4)


@pytest.mark.parametrize("text", ["AP & P@10", "nDCG & P@10"])
def test_other_back_ends_take_values_at_ends_for_others(text: str) -> None:
    problem = Problem.of_list(parse_measure(text), [0] * 10 + LIST, (20, 9))
    other = solve(problem, solver="cvxpy")
    assert other.status == "optimal", other.message
    np.testing.assert_allclose(other.p, solve(problem).p, atol=1e-6)


@pytest.mark.parametrize("solver", ["newton", "scipy", "cvxpy"])
@pytest.mark.parametrize(
    ("value", "retrieved", "expected"), [(0.0, (0, 0), (1.0, 0.0)), (1.0, (5, 0), (0.0, 1.0))], ids=["none", "all"]
)
def test_values_that_leave_one_list_need_no_back_end(
    value: float, retrieved: tuple[int, int], expected: tuple[float, float], solver: str
) -> None:
    values = {parse_measure("P@5"): value, parse_measure("AP"): value}
    solution = solve(Problem(values, relevant=(5, 0), retrieved=retrieved, depth=20), solver=solver)
    assert solution.status == "boundary"
    assert solution.p[0, :2].tolist() == pytest.approx(expected)


def test_a_tampered_boundary_is_not_accepted() -> None:
    solution = solve(Problem.of_list(parse_measure("AP & P@10"), [0] * 10 + LIST, (20, 9)))
    assert solution.certificate.accepted
    swapped, leaking = solution.p.copy(), solution.p.copy()
    swapped[[20, 30]] = swapped[[30, 20]]
    leaking[0] = leaking[30]
    for p in (swapped, leaking):
        assert not with_p(solution, p).certificate.accepted
    steeper = tuple(1.01 * x for x in solution.multipliers.values)
    wrong = dataclasses.replace(solution, multipliers=solution.multipliers._replace(value=steeper))
    assert not wrong.certificate.accepted


def test_redundant_measures_change_nothing() -> None:
    grades = np.array(LIST)
    twice = solve(Problem.of_list(Joint((AP(), GAP(g=(1, 0)), P(cutoff=40))), grades, RELEVANT))
    once = solve(Problem.of_list(AP(), grades, RELEVANT))
    assert twice.status == "optimal"
    np.testing.assert_allclose(twice.p, once.p, atol=1e-9)
    assert twice.multipliers.values[1:] == (0, 0)
    contradiction = dataclasses.replace(twice.problem, value=(0.3, 0.31, twice.problem.values[2]))
    as_golden(solve(contradiction).message)


def test_values_that_pull_in_opposite_directions() -> None:
    """Little AP and much nDCG: some documents are nearly certain to be at some ranks."""
    found = [59, 67, 352, 354, 431, 450, 631, 716, 718, 927]
    grades = np.zeros(1000, dtype=int)
    grades[np.array(found) - 1] = [2, 2, 2, 1, 2, 1, 2, 1, 1, 1]
    problem = Problem.of_list(parse_measure("AP & nDCG(gain=exp2)"), grades, (19, 11))
    solution = solve(problem)
    assert solution.status == "optimal"
    assert solution.certificate.accepted
    assert solution.p[:, 1:].sum(axis=1).max() > 0.5


def test_a_failure_comes_soon_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways to a pair that has no solution over ranks that could be found are given up after so many iterations."""
    grades = np.zeros(1000, dtype=int)
    grades[[375, 388, 416, 545, 643, 662, 706, 787, 829, 943]] = 1
    grades[[249, 288, 363, 395, 429, 461, 496, *range(591, 597), 636, 702, 757, 760]] = 2
    problem = Problem.of_list(parse_measure("AP & nRecall"), grades, (13, 21))
    monkeypatch.setattr("maxent.solvers.joint_problems.LONGEST", 200)
    steps: list[int] = []

    def counted(*given: Any, **how: Any) -> Any:
        steps.append(1)
        return newton_method(*given, **how)

    monkeypatch.setattr("maxent.solvers.joint_problems.newton_method", counted)
    solution = solve(problem)
    assert solution.status == "failed"
    as_golden(solution.message)
    assert len(steps) < 60


@pytest.mark.slow
def test_whole_lists_answer_where_ranks_fail() -> None:
    measures = dict.fromkeys(map(parse_measure, ("mSR", "gAP")), 1 / 71) | {parse_measure("Rprec"): 0.0}
    problem = Problem(measures, relevant=(1,), retrieved=(1,), depth=100)
    assert solve(problem).status == "failed"
    assert solve(problem, model="lists").status == "boundary"


def test_a_batch_mixes_joints_and_single_measures() -> None:
    rng = np.random.default_rng(0)
    texts = ("AP", "AP & P@10", "nDCG & P@10", "AP & AP(rel=2) & P@5", "counts", "P@40 & AP", "P@5 & AP")
    lists = [rng.permutation(LIST).tolist() for _ in range(6)]
    problems = list(chain.from_iterable([of_list(text, grades) for text in texts] for grades in lists))
    problems += [at(measure, 0.3) for measure in MEASURES[:4]]
    batch = solve_many(problems, progress=False)
    assert [solution.problem for solution in batch] == problems
    for found, problem in zip(batch, problems, strict=True):
        alone = solve(problem)
        assert (found.status, found.certificate.accepted) == (alone.status, True), problem
        np.testing.assert_allclose(found.p, alone.p, atol=1e-7)
        np.testing.assert_allclose(found.multipliers.values, alone.multipliers.values, rtol=1e-5, atol=1e-8)


def test_long_lists_start_from_coarse_problems() -> None:
    grades = np.random.default_rng(5).permutation([1] * 30 + [2] * 12 + [0] * 958)
    problems = [Problem.of_list(parse_measure(text), grades, (40, 20)) for text in (*PAIRS, *TRIPLES)]
    for solution in solve_many(problems, progress=False):
        assert solution.certificate.accepted, solution.problem.measure


def test_all_documents_among_the_first() -> None:
    """What P@5 leaves open then are the grades alone; the counts have no multipliers."""
    grades = [1, 2, 1, 1, 2, *[0] * 30]
    solution = solve(Problem.of_list(parse_measure("P@5 & R@20"), grades, (6, 4)))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)
    np.testing.assert_allclose(solution.p[:5], np.tile([0, 0.6, 0.4], (5, 1)), atol=1e-12)
    assert not solution.p[5:, 1:].any()


@pytest.mark.parametrize("value", [0.01, 1.5])
def test_a_value_beyond_its_own_interval(value: float) -> None:
    solution = solve(Problem({P(cutoff=10): 0.4, AP(): value}, relevant=RELEVANT, retrieved=(9, 6), depth=40))
    assert solution.status == "infeasible"
    assert not solution.certificate.accepted
    assert solution.message.startswith(f"AP = {value} is")
