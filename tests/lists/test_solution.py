import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from maxent.errors import ProblemError
from maxent.lists import (
    EVERY,
    ListDistribution,
    Lists,
    Recursion,
    evaluate_dual,
    expected_curve_errors,
    hypergeometric,
    interval,
    precision_at_documents,
    precision_band,
    rank_quantiles,
    solve_lists,
)
from maxent.measures import AP, parse_measure
from maxent.measures.joint import joint
from maxent.problem import COUNTS, Count, Problem, Solution, log_odds
from tests import naive
from tests.golden.messages import as_golden, refused
from tests.helpers import MEASURES, slow_but
from tests.lists.every_list import EveryList

ALL = (*MEASURES, "ERR", "nERR", "RR", "RR(rel=2)", "Success@3", "ERR@4")
QUICK = ("AP", "GAP(g=.5,.5)", "nDCG@10", "ERR", "RR")
TABLE = np.random.default_rng(5).uniform(0.2, 2.0, (9, 2))
REFERENCES = {"uniform": None, "log-uniform": "log-uniform", "table": TABLE}
EXACT = 1e-12


def problem(text: str, count: Count = "retrieved", share: float = 0.4) -> Problem:
    """Problem of nine ranks whose value lies at a share of the interval over lists."""
    measures = tuple(parse_measure(part) for part in text.split(" & "))
    own = [Problem(m, value=0.5, relevant=(3, 2), retrieved=(2, 2), depth=9, count=count) for m in measures]
    intervals = [interval(Lists.of(part), 0) for part in own]
    values = {m: low + share * (high - low) for m, (low, high) in zip(measures, intervals, strict=True)}
    return Problem(values, relevant=(3, 2), retrieved=(2, 2), depth=9, count=count)


def check(solution: Solution, every: EveryList) -> None:
    """Compare everything that a solution says with the lists one by one."""
    wanted, own = solution.problem, solution.distribution
    assert isinstance(own, ListDistribution)
    assert np.isclose(own.log_z, every.log_z, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(solution.p, every.p, rtol=0, atol=EXACT)
    lengths = [high - low for low, high in own.intervals]
    reached = np.abs(every.values @ every.weights - wanted.values)
    assert (reached <= 1e-9 * np.array(lengths) + EXACT).all()
    assert solution.entropy == pytest.approx(-every.weights @ np.where(every.weights > 0, every.log_p, 0), abs=1e-9)
    assert solution.certificate.accepted
    others = [parse_measure(text) for text in ("P@3", "AP(rel=2)", "ERR")]
    means = np.array([other.values(every.grades, wanted.relevant) for other in others]) @ every.weights
    forms = [other.expectation(wanted.relevant, wanted.depth) for other in others]
    np.testing.assert_allclose(own.expected(forms), means, rtol=0, atol=10 * EXACT)
    for k in (0, len(every.grades) // 3, len(every.grades) - 1):
        found = solution.log_likelihood(every.grades[k])
        assert found == every.log_p[k] or np.isclose(found, every.log_p[k], rtol=EXACT, atol=EXACT)
    for threshold in (1, 2):
        ranks = solution.ranks(threshold=threshold)
        one_by_one = every.ranks(threshold, len(ranks))
        np.testing.assert_allclose(ranks, one_by_one, rtol=0, atol=EXACT)
        precision = naive.precision_where_present(every.grades, every.weights.tolist(), len(ranks), threshold)
        possible = one_by_one.sum(axis=1) > 1e-4  # fewer lists have few digits
        np.testing.assert_allclose(
            precision_at_documents(ranks)[possible], np.array(precision)[possible], atol=1e-8
        )


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("text", slow_but(QUICK, ALL))
def test_all_lists_one_by_one(text: str, reference: str, count: Count) -> None:
    wanted = problem(text, count)
    solution = solve_lists(replace(wanted, reference=REFERENCES[reference]))
    low, high = solution.distribution.intervals[0]
    assert solution.status == "optimal", solution.message
    every = EveryList(wanted, log_odds(REFERENCES[reference], 9, 2))
    every.weigh(solution.multipliers.values)
    check(solution, every)
    np.testing.assert_allclose([low, high], [every.values.min(), every.values.max()], rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("relevant", [(9, 2), (6, 8), (3, 100_000)])
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("text", QUICK)
def test_more_relevant_documents_than_ranks_one_by_one(
    text: str, reference: str, relevant: tuple[int, int]
) -> None:
    """States are of the documents that a list can have, whatever the number of relevant ones."""
    table = TABLE[:5] if reference == "table" else REFERENCES[reference]
    wanted = Problem(parse_measure(text), value=0.5, relevant=relevant, depth=5, count="at_most", reference=table)
    low, high = interval(Lists.of(wanted), 0)
    wanted = Problem(
        parse_measure(text), value=low + 0.4 * (high - low), relevant=relevant, depth=5, count="at_most",
        reference=table,
    )  # fmt: skip
    solution = solve_lists(wanted)
    assert solution.status == "optimal", solution.message
    every = EveryList(wanted, log_odds(table, 5, 2))
    every.weigh(solution.multipliers.values)
    check(solution, every)
    np.testing.assert_allclose([low, high], [every.values.min(), every.values.max()], rtol=EXACT, atol=EXACT)
    assert Lists.of(wanted).states.shape[1] == math.prod(min(number, 5) + 1 for number in relevant)


@pytest.mark.parametrize(
    ("number", "marked", "most"),
    [(1, 1, 5), (9, 0, 9), (60, 60, 60), (400, 150, 400), (400, 150, 20), (3000, 4, 3000), (100_000, 40_000, 30)],
)
def test_documents_dealt_at_random_are_those_of_whole_numbers(number: int, marked: int, most: int) -> None:
    """Relative to exact fractions, to 1e-13; what is impossible is exactly 0."""
    table = hypergeometric(number, marked, most)
    assert table.shape == (min(number, most) + 1, min(marked, most) + 1)
    chosen = np.unique(np.linspace(0, len(table) - 1, 40).round().astype(int)).tolist()
    exact = [[float(_exact_share(number, marked, k, x)) for x in range(table.shape[1])] for k in chosen]
    np.testing.assert_allclose(table[chosen], exact, rtol=1e-13, atol=0)


def _exact_share(number: int, marked: int, k: int, x: int) -> Fraction:
    """Share of the ways in which x of the first k documents are marked."""
    ways = math.comb(k, x) * math.perm(marked, x) * math.perm(number - marked, k - x) if x <= k else 0
    return Fraction(ways, math.perm(number, k))


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("text", ["AP & P@3", "GAP(g=.5,.5) & nDCG(gain=exp2)", "AP & nDCG & RBP(p=.9)"])
def test_joints_one_by_one(text: str, reference: str) -> None:
    wanted = problem(text)
    solution = solve_lists(replace(wanted, reference=REFERENCES[reference]))
    assert solution.status == "optimal", solution.message
    every = EveryList(wanted, log_odds(REFERENCES[reference], 9, 2))
    every.weigh(solution.multipliers.values)
    check(solution, every)


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", slow_but(QUICK, ALL))
def test_ends_are_the_extreme_lists(text: str, count: Count, share: float) -> None:
    wanted = problem(text, count, share)
    solution = solve_lists(replace(wanted, reference="log-uniform"))
    low, high = solution.distribution.intervals[0]
    every = EveryList(wanted, log_odds("log-uniform", 9, 2))
    every.weigh([0.0], np.abs(every.values[0] - (low, high)[int(share)]) <= 1e-10 * (high - low) + EXACT)
    assert solution.status == ("boundary" if high - low > EXACT else "optimal"), solution.message
    check(solution, every)


TWELVE = ("nDCG(gain=exp2) & AP(rel=2)", "AP", "RR", "GAP(g=.2,.3,.5)")


@pytest.mark.slow
@pytest.mark.parametrize("text", slow_but(TWELVE[:1], TWELVE))
def test_three_grades_and_twelve_ranks(text: str) -> None:
    measures = [parse_measure(part) for part in text.split(" & ")]
    grades = [0, 3, 0, 0, 1, 2, 0, 0, 0, 1, 0, 2]
    wanted = Problem.of_list(joint(tuple(measures)), grades, (3, 2, 1))
    solution = solve_lists(replace(wanted, reference="log-uniform"))
    assert solution.status == "optimal", solution.message
    every = EveryList(wanted, log_odds("log-uniform", 12, 3))
    every.weigh(solution.multipliers.values)
    check(solution, every)


@pytest.mark.parametrize("logs", [False, True])
def test_gradient_and_hessian_are_finite_differences(logs: bool) -> None:
    lists = Lists.of(replace(problem("GAP(g=.5,.5) & nDCG & RBP(p=.9)"), reference="log-uniform"))
    at, step = np.array([3.0, -4.0, 2.0]), 1e-5
    _, gradient, hessian = Recursion(lists, at, logs).moments()
    sides = [[Recursion(lists, at + sign * step * unit, logs).moments() for sign in (-1, 1)] for unit in np.eye(3)]
    slopes = [(high[0] - low[0]) / (2 * step) for low, high in sides]
    curvatures = [(high[1] - low[1]) / (2 * step) for low, high in sides]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8)
    np.testing.assert_allclose(hessian, curvatures, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("text", ["AP", "AP(rel=2)", "ERR"])
@pytest.mark.parametrize("share", [0.4, 1.0])
def test_samples_have_the_marginals_and_the_counts(text: str, share: float) -> None:
    wanted = problem(text, share=share)
    solution = solve_lists(wanted)
    lists = solution.sample(20_000, rng=1)
    assert (solution.sample(5, rng=1) == solution.sample(5, rng=1)).all()
    shares = (lists[:, :, None] == np.arange(3)).mean(axis=0)
    np.testing.assert_allclose(shares, solution.p, atol=5 * 0.5 / np.sqrt(20_000))
    assert (np.array([(lists == grade).sum(axis=1) for grade in (1, 2)]) == 2).all()
    assert np.isfinite([solution.log_likelihood(own) for own in lists[:50]]).all()
    mean = wanted.measure.values(lists, wanted.relevant).mean()
    assert abs(mean - wanted.value) < 5 * 0.5 / np.sqrt(20_000)


def test_values_beyond_are_infeasible_and_say_so() -> None:
    found = solve_lists(Problem(AP(), value=0.99, relevant=(3,), retrieved=(2,), depth=9))
    assert found.status == "infeasible"
    as_golden(found.message)
    with refused(ProblemError):
        found.ranks()
    full = solve_lists(Problem(AP(), value=0.5, relevant=(4,), depth=3, count="total"))
    assert full.status == "infeasible"
    assert np.isnan(full.p).all()
    as_golden(full.message)


def test_values_that_contradict_each_other_are_infeasible() -> None:
    """Each is within its interval; but nDCG near its largest value has the documents on top, P@3 has none there."""
    parts = {parse_measure("nDCG"): 0.99, parse_measure("P@3"): 0.1}
    found = solve_lists(Problem(parts, relevant=(3,), retrieved=(3,), depth=9))
    assert found.status == "infeasible"


@pytest.mark.parametrize(
    ("text", "relevant", "depth", "ranks"),
    [
        ("AP & nDCG(gain=exp2)", (7, 11), 1000, [[13, 15, 16, 17, 22], [*range(1, 11)]]),
        ("mSR & gAP & Rprec", (1,), 100, [[71]]),
        ("Q & nRecall", (5,), 10, [[5, 7, 8, 9, 10]]),
        ("NDCNG & DCG(discount=inverse)", (8, 4), 10, [[10], [9]]),
        ("mnDCG & AP", (8, 7), 30, [[24, 26, 27], [28, 29, 30]]),
        ("nDCG@10 & Rprec & mSR", (7, 2), 30, [[2], []]),
    ],
)
def test_values_of_a_list_have_a_solution(
    text: str, relevant: tuple[int, ...], depth: int, ranks: list[list[int]]
) -> None:
    """The measures say nearly the same of these lists, or no other mixture of lists has their values."""
    grades = np.zeros(depth, dtype=int)
    for grade, own in enumerate(ranks, start=1):
        grades[np.array(own, dtype=int) - 1] = grade
    measures = tuple(parse_measure(part) for part in text.split(" & "))
    found = solve_lists(Problem.of_list(joint(measures), grades, relevant))
    assert found.status in ("optimal", "boundary"), found.message


def test_counts_alone_give_the_reference() -> None:
    found = solve_lists(Problem(relevant=(3, 2), retrieved=(2, 2), depth=9))
    np.testing.assert_allclose(found.p, np.tile([5 / 9, 2 / 9, 2 / 9], (9, 1)), atol=EXACT)


@pytest.mark.slow
def test_values_close_to_an_end_do_not_underflow() -> None:
    """The multiplier is 1e4 and more, so that some weights are beyond the range of a double."""
    for share in (1e-8, 1e-5, 1 - 1e-5, 1 - 1e-8):
        for text in ("AP", "Q", "ERR", "nDCG"):
            own = Problem(parse_measure(text), value=0.5, relevant=(20, 9), retrieved=(20, 9), depth=200)
            low, high = interval(Lists.of(own), 0)
            found = solve_lists(replace(own, value=low + share * (high - low), reference="log-uniform"))
            assert found.status == "optimal", (text, share, found.message)
            np.testing.assert_allclose(found.p.sum(axis=0)[1:], (20, 9), rtol=1e-9)


def test_what_is_pruned_is_within_the_stated_bound() -> None:
    """Logarithms prune nothing, and keep the sums after every rank."""
    wanted = Problem(parse_measure("GAP(g=.5,.5)"), value=0.3, relevant=(20, 9), retrieved=(20, 9), depth=200)
    lists = Lists.of(replace(wanted, reference="log-uniform"))
    pruned, whole = (evaluate_dual(lists, np.array([25.0]), EVERY, logs) for logs in (False, True))
    assert 0 < pruned.lost < EXACT
    np.testing.assert_allclose(pruned.p, whole.p, rtol=0, atol=EXACT)
    np.testing.assert_allclose([pruned.log_z, *pruned.expected], [whole.log_z, *whole.expected], rtol=EXACT)


def test_too_many_states_say_what_would_fit() -> None:
    wanted = Problem(
        parse_measure("GAP(g=.5,.5)"), value=0.3, relevant=(400, 400), retrieved=(400, 400), depth=1000
    )
    with refused(ProblemError):
        solve_lists(wanted)


def test_more_documents_than_ranks_are_infeasible_whatever_their_states() -> None:
    solution = solve_lists(Problem(AP(), value=0.3, relevant=(500, 500, 500), depth=10, count="total"))
    assert solution.status == "infeasible"
    assert "1500" in solution.message


def test_counts_and_references_that_make_no_sense() -> None:
    with refused(ProblemError):
        solve_lists(Problem(AP(), value=0.5, relevant=(3,), retrieved=(2.5,), depth=9))
    wanted = problem("AP")
    with refused(ProblemError):
        solve_lists(replace(wanted, reference="exponential"))
    with refused(ProblemError):
        solve_lists(replace(wanted, reference=np.ones((9, 1))))
    with refused(ProblemError):
        solve_lists(replace(wanted, reference=np.zeros((9, 2))))


def test_probabilities_are_a_reference_like_their_odds() -> None:
    rows = np.column_stack((np.ones(9), TABLE))
    wanted = problem("GAP(g=.5,.5)")
    found = solve_lists(replace(wanted, reference=rows / rows.sum(axis=1, keepdims=True)))
    np.testing.assert_allclose(found.p, solve_lists(replace(wanted, reference=TABLE)).p, atol=EXACT)


def test_bands_are_quantiles_of_all_lists() -> None:
    wanted = problem("GAP(g=.5,.5)")
    solution = solve_lists(replace(wanted, reference="log-uniform"))
    every = EveryList(wanted, log_odds("log-uniform", 9, 2))
    every.weigh(solution.multipliers.values)
    where = np.argsort(every.grades == 0, axis=1, kind="stable")[:, :4] + 1  # ranks of the relevant documents
    ranks = solution.ranks()
    for k in range(4):
        order = np.argsort(where[:, k], kind="stable")
        reached = np.cumsum(every.weights[order])
        low, high = (where[order[np.searchsorted(reached, share - 1e-12)], k] for share in (0.05, 0.95))
        assert rank_quantiles(ranks, 0.05)[k] == low
        assert rank_quantiles(ranks, 0.95)[k] == high
        assert precision_band(ranks, 0.9)[:, k].tolist() == [(k + 1) / high, (k + 1) / low]
    observed = np.array([1, 3, 4, 9])
    error = np.sqrt(np.mean((precision_at_documents(ranks) - np.arange(1, 5) / observed) ** 2))
    assert expected_curve_errors(ranks, observed)[0] == pytest.approx(error)


def test_what_is_said_of_a_document_is_said_of_the_lists_that_have_it() -> None:
    ranks = np.array([[0.5, 0.3, 0.2], [0.0, 0.1, 0.3], [0.0, 0.0, 0.0]])
    assert precision_at_documents(ranks)[1:] == pytest.approx([0.25 + 0.75 * 2 / 3, 1])
    assert precision_band(ranks, 0.9)[:, 1:].T.tolist() == [[2 / 3, 1.0], [1.0, 1.0]]


def test_a_failure_says_nothing_of_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ERR neither, which has no interval over independent ranks."""
    monkeypatch.setattr("maxent.lists.solver.FEASIBLE", -1.0)
    solution = solve_lists(problem("ERR"))
    assert solution.status == "failed"
    assert not solution.constant


def test_a_solution_goes_to_another_place_with_all_that_it_needs() -> None:
    solution = solve_lists(problem("AP"))
    assert isinstance(solution.distribution, ListDistribution)
    lists = solution.sample(50, rng=0)
    moved = pickle.loads(pickle.dumps(solution))
    for own in solution.distribution.lists.steps:  # nobody else looks at this memory
        if isinstance(own, np.ndarray):
            own[...] = 0
    np.testing.assert_array_equal(moved.sample(50, rng=0), lists)


@pytest.mark.parametrize("levels", [7, 8, 9])
def test_a_value_at_an_end_with_many_grades(levels: int) -> None:
    best = Problem(parse_measure("nDCG"), value=1.0, relevant=(1,) * levels, depth=levels + 2, count="total")
    solution = solve_lists(best)
    assert solution.status == "boundary"
    assert solution.sample(1, rng=0).tolist() == [[*range(levels, 0, -1), 0, 0]]
