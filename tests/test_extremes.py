"""Ends of the intervals of pairwise measures: all lists, many starts, and where sorted lists are not extreme."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.optimize import minimize

from maxent.attainable import End, end_values, ends
from maxent.compiled.paths import exchange
from maxent.measures import AP, SR, Measure, Rprec, gR, nPrecision, nRecall, wAP, xGAP
from maxent.measures.form import Form, pairwise_form
from maxent.problem import COUNTS, Count, Problem
from maxent.solvers import solve
from tests import naive

G = np.array([0.3, 0.5, 0.2])
GAIN = np.array([1.0, 2.0, 4.0])


@dataclass(frozen=True)
class Pairwise(Measure):
    """A measure from its kernel and weights of ranks, as the papers define them."""

    name: str
    reference: ClassVar[str] = "the table in the design"

    def _form(self, relevant: np.ndarray, depth: int) -> Form:
        c, n = len(relevant), np.arange(1.0, depth + 1)
        x, cumulated = GAIN[:c], np.cumsum(G[:c])
        A = np.cumsum(G[:c] / np.cumsum(relevant[::-1])[::-1])
        ideal = np.repeat(x[::-1], np.ceil(relevant[::-1]).astype(int))
        best = np.cumsum(np.concatenate((ideal, np.zeros(depth))))[:depth]
        smaller = np.minimum.outer(np.arange(c), np.arange(c))
        d, kernel = {
            "eGAP": (1 / n, A[smaller]),
            "xGAP": (1 / n, (A / cumulated)[:, None] * cumulated[smaller]),
            "gAP": (1 / n, np.tile(x, (c, 1)) / (best[: len(ideal)] / n[: len(ideal)]).sum()),
            "wAP": (1 / best, np.tile(x, (c, 1)) / relevant.sum()),
            "Q": (1 / (n + best), np.tile(1 + x, (c, 1)) / relevant.sum()),
        }[self.name]
        return pairwise_form(d, kernel)


MEASURES = ("eGAP", "xGAP", "gAP", "wAP", "Q")
RETRIEVED = ((2, 1), (1, 3), (0, 2), (3, 3), (2, 1, 2), (1, 0, 1), (1,))


def forms(name: str, counts: tuple[float, ...], depth: int) -> Form:
    return Pairwise(name).form(np.ceil(np.array(counts) + 1), depth)


def searched(form: Form, counts: np.ndarray, sign: float, starts: int = 8) -> float:
    """Smallest value (largest for sign -1) that SLSQP finds from random distributions with these counts."""
    rng = np.random.default_rng(form.depth)
    depth, c = form.depth, form.levels
    full = abs(counts.sum() - depth) < 1e-9
    columns, rows = np.kron(np.ones((1, depth)), np.eye(c)), np.kron(np.eye(depth), np.ones((1, c)))

    def whole(x: np.ndarray) -> np.ndarray:
        q = x.reshape(depth, c)
        return np.column_stack((1 - q.sum(axis=1), q))

    def slope(x: np.ndarray) -> np.ndarray:
        w = form.gradient(whole(x))
        return np.asarray(sign * (w[:, 1:] - w[:, :1]).ravel())

    found = np.inf
    for _ in range(starts):
        p = rng.gamma(rng.choice([0.05, 0.3, 1.0]), size=(depth, c + 1)) + 1e-9
        for _ in range(300):
            p *= np.concatenate(([depth - counts.sum()], counts)) / np.maximum(p.sum(axis=0), 1e-300)
            p /= p.sum(axis=1, keepdims=True)
        result = minimize(
            lambda x: sign * form.expected(whole(x)), p[:, 1:].ravel(), jac=slope, method="SLSQP",
            bounds=[(0, 1)] * (depth * c), options={"maxiter": 400, "ftol": 1e-14},
            constraints=[
                {"type": "eq", "fun": lambda x: columns @ x - counts, "jac": lambda _: columns},
                {"type": "eq" if full else "ineq", "fun": lambda x: 1 - rows @ x, "jac": lambda _: -rows},
            ],
        )  # fmt: skip
        q = whole(result.x)
        if np.abs(columns @ result.x - counts).max() < 1e-9 and q.min() > -1e-9:
            found = min(found, float(result.fun))
    return sign * found


def check(end: End, form: Form, counts: np.ndarray) -> None:
    """The end's distribution is one, with these counts and this value."""
    assert end.p.min() >= -1e-12
    np.testing.assert_allclose(end.p.sum(axis=1), 1, atol=1e-10)
    np.testing.assert_allclose(end.p[:, 1:].sum(axis=0), counts, atol=1e-9)
    assert form.expected(end.p) == pytest.approx(end.value, abs=1e-12)


@pytest.mark.parametrize("counts", RETRIEVED)
@pytest.mark.parametrize("name", MEASURES)
def test_no_list_is_beyond_the_ends(name: str, counts: tuple[int, ...]) -> None:
    """And the lower end is that of a list; so is the upper one where n d_n does not rise."""
    depth = 7
    form = forms(name, counts, depth)
    lists = naive.all_lists(depth, len(counts))
    hits = [(lists == i + 1).sum(axis=1) == count for i, count in enumerate(counts)]
    values = form.evaluate(lists[np.all(hits, axis=0)])
    low, high = ends(form, np.array(counts, dtype=float), at_most=False)
    assert low.value == pytest.approx(values.min(), abs=1e-12)
    assert high.value >= values.max() - 1e-12
    assert low.known >= low.value - 1e-12
    assert high.known <= high.value + 1e-12
    if name in ("eGAP", "xGAP", "gAP"):
        assert high.value == pytest.approx(values.max(), abs=1e-12)
    for end in (low, high):
        check(end, form, np.array(counts, dtype=float))


@pytest.mark.parametrize("measure", [nRecall(), nPrecision(rel=2), nPrecision(size=9)])
@pytest.mark.parametrize("relevant", [(2, 1), (1, 3), (4, 1), (0, 5), (3, 9)])
def test_of_at_most_so_many_documents_none_is_where_it_does_harm(
    measure: Measure, relevant: tuple[int, ...]
) -> None:
    """A late relevant document lowers normalised recall below that of a list without it."""
    lists = naive.all_lists(6, 2)
    hits = [(lists == i + 1).sum(axis=1) <= count for i, count in enumerate(relevant)]
    form, counts = measure.form(relevant, 6), np.array(relevant, dtype=float)
    values = form.evaluate(lists[np.all(hits, axis=0)])
    many = end_values(form, counts[None], at_most=True)
    for end, value, same in zip(ends(form, counts, at_most=True), (values.min(), values.max()), many, strict=True):
        assert end.value == pytest.approx(value, abs=1e-12)
        assert same[0] == pytest.approx(value, abs=1e-12)
        assert (end.p[:, 1:].sum(axis=0) <= counts + 1e-9).all()
        assert form.expected(end.p) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("counts", [(2, 1), (1.5, 0.7), (0.5, 0.4, 0.3), (2.3, 2.7), (1.0, 1.0, 1.0)])
@pytest.mark.parametrize("name", MEASURES)
def test_no_distribution_is_beyond_the_ends(name: str, counts: tuple[float, ...]) -> None:
    depth = 5
    form, array = forms(name, counts, depth), np.array(counts, dtype=float)
    low, high = ends(form, array, at_most=False)
    for sign, end in ((1.0, low), (-1.0, high)):
        check(end, form, array)
        assert sign * end.value <= sign * searched(form, array, sign) + 1e-8


def test_one_document_spread_over_the_ranks_has_more_weighted_ap_than_in_any_list() -> None:
    """wAP of one relevant document is 1 wherever it is; its distribution q has 1 + sum_{m<n} q_m q_n."""
    problem = Problem(Pairwise("wAP"), value=1.0, relevant=(1,), retrieved=(1,), depth=8)
    low, high = problem.ends
    assert low.value == pytest.approx(1.0)
    assert high.value == pytest.approx(1 + (1 - 1 / 8) / 2)
    np.testing.assert_allclose(high.p, np.tile((7 / 8, 1 / 8), (8, 1)), atol=1e-6)
    assert solve(problem).status == "boundary"


@pytest.mark.parametrize("count", [0.9, 1e-3, 4e-8])
def test_part_of_a_document_is_spread_evenly_to_the_last_digits(count: float) -> None:
    problem = Problem(wAP(), value=0.0, relevant=(count,), depth=200, count="total")
    low, high = problem.ends
    np.testing.assert_allclose(high.p[:, 1], count / 200, rtol=1e-10)
    assert high.value == pytest.approx(low.value * (1 + (1 - 1 / 200) * count / 2), rel=1e-15)
    solution = solve(dataclasses.replace(problem, value=high.value))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)
    assert solution.certificate.stationarity < 1e-12


@pytest.mark.parametrize("depth", [60, 700])
def test_the_rank_down_to_which_the_better_documents_are_is_the_best_one(depth: int) -> None:
    """Both grades are spread evenly, over a number of ranks each: the weights are all equal."""
    counts = 0.3, 0.6
    problem = Problem(wAP(gain=(1.0, 9.0)), value=0.0, relevant=counts, depth=depth, count="total")
    high = problem.ends[1]
    found = []
    for k in range(1, depth):
        p = np.zeros((depth, 3))
        p[:k, 2], p[k:, 1] = counts[1] / k, counts[0] / (depth - k)
        found.append(problem.form.expected(p))
    assert high.value >= max(found) * (1 - 1e-14)


def test_the_rank_at_which_grades_change_may_be_hundreds_of_ranks_off_at_first() -> None:
    """Ranks weigh next to alike, and dynamic programming moves the change by one rank at a time."""
    relevant = (0.357, 1.366, 5.012, 2.034, 5.097, 1.053)
    problem = Problem(wAP(gain="exp"), value=0.0, relevant=relevant, depth=1733, count="total")
    solution = solve(dataclasses.replace(problem, value=problem.ends[1].value))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)
    assert solution.certificate.stationarity < 1e-9


@pytest.mark.parametrize("name", ["wAP", "Q"])
def test_a_perfect_list_is_inside(name: str) -> None:
    grades = np.array([2, 2, 1, 0, 0, 0, 0, 0])
    solution = solve(Problem.of_list(Pairwise(name), grades, (1, 2)))
    assert solution.status == "optimal", solution.message
    assert solution.problem.ends[1].value > 1


def test_a_fraction_of_a_document_can_beat_the_descending_list() -> None:
    """gAP: at rank 1 half a good document; half a bad one counts more below it than beside it."""
    form = pairwise_form(np.array([1.0, 0.5]), np.array([[0.0, 1.0], [0.0, 1.0]]) + np.array([[1e-3, 0.0]] * 2))
    _, high = ends(form, np.array([0.5, 0.5]), at_most=False)
    beside = form.expected(np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]))
    below = form.expected(np.array([[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]))
    assert below > beside + 0.1
    assert high.value >= below


def test_the_smallest_xgap_is_not_the_ascending_list() -> None:
    form = forms("xGAP", (1, 1), 30)
    low, _ = ends(form, np.array([1.0, 1.0]), at_most=False)
    assert low.value < low.known
    assert low.p.argmax(axis=1)[-2:].tolist() == [2, 1]


def test_next_to_a_largest_value_that_no_list_has() -> None:
    """The multipliers grow as one over the root of the distance."""
    problem = Problem(wAP(gain="exp2"), value=1.8124803562610552, relevant=(0.269, 0.41), depth=2, count="total")
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.accepted


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.4, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("name", MEASURES)
def test_problems_are_solved_up_to_the_ends(name: str, share: float, count: Count) -> None:
    problem = Problem(Pairwise(name), value=0.5, relevant=(9, 6, 4), retrieved=(7, 5, 3), depth=60, count=count)
    low, high = (end.value for end in problem.ends)
    solution = solve(dataclasses.replace(problem, value=low + share * (high - low)))
    assert solution.status == ("optimal" if 0 < share < 1 else "boundary"), solution.message
    assert solution.certificate.accepted, solution.certificate
    beyond = dataclasses.replace(problem, value=high + 1e-3)
    assert solve(beyond).status == "infeasible"


def test_a_perfect_list_within_bounds_is_confirmed() -> None:
    """What the bounds leave open is shared out to 1e-13, and such a probability is not one to exchange."""
    g = (0.0, 0.49957605880886835, 0.5004239411911316, 0.0)
    problem = Problem(xGAP(g=g), value=0.0, relevant=(2, 2, 0, 0), depth=3, count="at_most")
    solution = solve(dataclasses.replace(problem, value=problem.ends[1].value))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)


def test_bounds_of_equal_grades_that_are_all_reached() -> None:
    """Their factors matter up to a common one, which no step may follow."""
    gain = (0.001, 0.001, 0.001, 6.370517162021861e-05, 0.0)
    problem = Problem(SR(gain=gain), value=0.0, relevant=(0.936, 0.686, 0.5, 2.71, 0.159), depth=5, count="at_most")
    found = problem.ends[1]
    np.testing.assert_allclose(found.p[:, 1:].sum(axis=0), (0.936, 0.686, 0.5, 2.71, 0.084), rtol=1e-10)
    solution = solve(dataclasses.replace(problem, value=found.value))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)


def test_bounds_of_hardly_any_documents_are_reached_to_the_last_digits() -> None:
    relevant = (3.9e-8, 6.5e-8, 5.2e-8, 6.5e-8, 1e-3)
    high = Problem(Rprec(rel=1), value=0.0, relevant=relevant, depth=47, count="at_most").ends[1]
    np.testing.assert_allclose(high.p[:, 1:].sum(axis=0), relevant, rtol=1e-10)


def test_bounds_of_equal_grades_that_fill_the_list_are_reached_but_for_the_largest() -> None:
    """Every rank is relevant; the documents of the grades are as many as each other where bounds allow."""
    relevant = (2.055, 1.776, 2.324, 3.004, 2.542, 9.838)
    high = Problem(AP(), value=0.0, relevant=relevant, depth=20, count="at_most").ends[1]
    expected = (*relevant[:-1], 20 - sum(relevant[:-1]))
    np.testing.assert_allclose(high.p[:, 1:].sum(axis=0), expected, rtol=1e-10)


def test_hardly_any_documents_are_not_lost_beyond_the_last_rank() -> None:
    """Sums of all documents are rounded to 1e-13, which is much of 1e-4 documents."""
    relevant = (0.0, 7.561585774559348e-07, 0.0, 9.641021862563168e-05)
    problem = Problem(gR(), value=0.5, relevant=relevant, depth=1910, count="total")
    np.testing.assert_allclose([end.value for end in problem.ends], 1.0, rtol=1e-12)


SCATTERED = [  # g, documents of each grade, depth, and a value that successive linear programs lead to
    (
        (0.19323655710867166, 0.2803904199365029, 0.1446901480116421, 0.1801058840510334, 0.20157699089214984),
        (3.608804349961591, 0.964, 0.404, 2.0473685966577824, 0.741),
        23,
        0.1304075637784045,
    ),
    (
        (
            0.13950023932819122,
            3.1364390987022004e-06,
            0.005635412321521355,
            0.0015327967000958432,
            0.59631923655728,
            0.25700917865381284,
        ),
        (1.833, 0.747, 0.72, 0.342, 0.06, 2.118),
        27,
        0.08020802503395605,
    ),
    (
        (
            0.12434019293032832,
            0.17724211790387945,
            0.18217605901240505,
            0.13546973946533608,
            0.2166275081795352,
            0.16414438250851585,
        ),
        (2.211, 0.909, 1.522, 1.35, 0.801, 0.702),
        11,
        0.29962476101139534,
    ),
]


@pytest.mark.parametrize(("g", "counts", "depth", "value"), SCATTERED)
def test_the_smallest_xgap_of_parts_of_documents(
    g: tuple[float, ...], counts: tuple[float, ...], depth: int, value: float
) -> None:
    """The cheapest order of documents leads to a local minimum only, which longer circles of exchanges leave."""
    low, _ = ends(xGAP(g=g).form(counts, depth), np.array(counts), at_most=False)
    assert low.value <= value * (1 + 1e-12)
    check(low, xGAP(g=g).form(counts, depth), np.array(counts))


def test_a_bound_of_no_documents_at_all_is_met() -> None:
    """xGAP does not tell the two highest grades apart where none of the highest is relevant."""
    measure, relevant = xGAP(g=(0.0, 0.0, 0.27832709886122303, 0.721672901138777)), (168, 1, 8, 0)
    problem = Problem(measure, value=0.27832709886122303, relevant=relevant, depth=244, count="at_most")
    assert problem.ends[1].p[:, 4].max() < 1e-100
    solution = solve(problem)
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)


@pytest.mark.parametrize("upwards", [False, True])
def test_a_round_of_exchanges_takes_a_document_as_far_as_it_should_go(upwards: bool) -> None:
    """The smallest AP has the relevant document last, or the only other one first."""
    d, K = 1 / np.arange(1.0, 31), np.diag([0.0, 1.0])
    p = np.eye(2)[np.full(30, int(upwards))]
    p[-1 if upwards else 0] = p[1, ::-1]
    exchange(d, K, p, 1, upwards)
    np.testing.assert_array_equal(p[:, 1], np.arange(30) > 0 if upwards else np.arange(30) == 29)
