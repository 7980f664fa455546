"""Ends of the interval, and bounds: all lists, many starts, and where sorted lists are not extreme."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from maxent import measures
from maxent.measures import (
    AP,
    SR,
    Form,
    Measure,
    Rprec,
    gR,
    nPrecision,
    nRecall,
    pairwise_form,
    parse_measure,
    wAP,
    xGAP,
)
from maxent.problem import COUNTS, Count, End, Problem, end_values, ends
from maxent.solvers import solve
from tests import naive
from tests.helpers import slow_but

MEASURES = ("eGAP", "xGAP", "gAP", "wAP", "Q")
RETRIEVED = ((2, 1), (1, 3), (0, 2), (3, 3), (2, 1, 2), (1, 0, 1), (1,))


def forms(name: str, counts: tuple[float, ...], depth: int) -> Form:
    """Form of a measure with g or gains of its own, for a topic with more documents than these."""
    levels = len(counts)
    g = np.array([0.3, 0.5, 0.2])[:levels]
    own = {"g": g / g.sum()} if name in ("eGAP", "xGAP") else {"gain": (1.0, 2.0, 4.0)[:levels]}
    return measures.MEASURES[name](**own).form(np.ceil(np.array(counts) + 1), depth)


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
            lambda x: sign * form.expected(whole(x)),
            p[:, 1:].ravel(),
            jac=slope,
            method="SLSQP",
            bounds=[(0, 1)] * (depth * c),
            options={"maxiter": 400, "ftol": 1e-14},
            constraints=[
                {"type": "eq", "fun": lambda x: columns @ x - counts, "jac": lambda _: columns},
                {"type": "eq" if full else "ineq", "fun": lambda x: 1 - rows @ x, "jac": lambda _: -rows},
            ],
        )
        q = whole(result.x)
        if np.abs(columns @ result.x - counts).max() < 1e-9 and q.min() > -1e-9:
            found = min(found, float(result.fun))
    return sign * found


def check(end: End, form: Form, counts: np.ndarray) -> None:
    """The end's distribution is one, with these counts and this value."""
    assert end.p.min() >= -1e-12
    np.testing.assert_allclose(end.p.sum(axis=1), 1, atol=1e-10)
    np.testing.assert_allclose(end.p[:, 1:].sum(axis=0), counts, atol=1e-9)
    assert form.expected(end.p) == pytest.approx(end.listed, abs=1e-12)


@pytest.mark.parametrize("counts", RETRIEVED)
@pytest.mark.parametrize("name", MEASURES)
def test_no_list_is_beyond_the_ends(name: str, counts: tuple[int, ...]) -> None:
    """An exact end is that of a list."""
    depth = 7
    form = forms(name, counts, depth)
    lists = naive.all_lists(depth, len(counts))
    hits = [(lists == i + 1).sum(axis=1) == count for i, count in enumerate(counts)]
    values = form.evaluate(lists[np.all(hits, axis=0)])
    low, high = ends(form, np.array(counts, dtype=float), at_most=False)
    assert low.value <= values.min() + 1e-12
    assert high.value >= values.max() - 1e-12
    assert low.exact or name == "xGAP"
    assert high.exact or name in ("wAP", "Q")
    for end, extreme in ((low, values.min()), (high, values.max())):
        check(end, form, np.array(counts, dtype=float))
        assert not end.exact or end.value == pytest.approx(extreme, abs=1e-12)


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
    many = end_values([(form, counts[None])], at_most=True)[0][:2]
    for end, value, same in zip(ends(form, counts, at_most=True), (values.min(), values.max()), many, strict=True):
        assert end.value == pytest.approx(value, abs=1e-12)
        assert same[0] == pytest.approx(value, abs=1e-12)
        assert (end.p[:, 1:].sum(axis=0) <= counts + 1e-9).all()
        assert form.expected(end.p) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("counts", [(2, 1), (1.5, 0.7), (0.5, 0.4, 0.3), (2.3, 2.7), (1.0, 1.0, 1.0)])
@pytest.mark.parametrize("name", slow_but(["gAP"], MEASURES))
def test_no_distribution_is_beyond_the_ends(name: str, counts: tuple[float, ...]) -> None:
    depth = 5
    form, array = forms(name, counts, depth), np.array(counts, dtype=float)
    low, high = ends(form, array, at_most=False)
    for sign, end in ((1.0, low), (-1.0, high)):
        check(end, form, array)
        assert sign * end.value <= sign * searched(form, array, sign) + 1e-8


def test_one_document_spread_over_the_ranks_has_more_weighted_ap_than_in_any_list() -> None:
    """wAP of one relevant document is 1 wherever it is; its distribution q has 1 + sum_{m<n} q_m q_n."""
    problem = Problem(wAP(), value=1.2, relevant=(1,), retrieved=(1,), depth=8)
    low, high = problem.ends
    even = problem.form.expected(np.tile((7 / 8, 1 / 8), (8, 1)))
    assert even == pytest.approx(1 + (1 - 1 / 8) / 2)
    assert (low.value, low.listed, high.listed) == pytest.approx((1.0, 1.0, 1.0))
    assert (low.exact, high.exact) == (True, False)
    assert even < high.value < 2.1
    assert solve(problem).status == "optimal"


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("relevant", [(30, 10), (3, 40), (1, 1)])
def test_bounds_are_close_enough_to_be_of_use(relevant: tuple[int, int], count: Count) -> None:
    """On lists as long as real ones."""
    for measure, side, within in ((wAP(), 1, 0.6), (parse_measure("Q"), 1, 0.6), (xGAP(g=(0.5, 0.5)), 0, 0.1)):
        problem = Problem(measure, value=0.5, relevant=relevant, retrieved=relevant, depth=1000, count=count)
        end = problem.ends[side]
        assert 0 <= (end.value - end.listed) * (1 if side else -1) <= within / min(relevant)


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_bounds_of_any_kernel_hold(seed: int) -> None:
    """Kernels and weights at random, some negative: no list and no distribution is beyond."""
    rng = np.random.default_rng(seed)
    depth, kernel = 6, rng.normal(size=(2, 2))
    d = rng.normal(size=depth) if seed % 5 else 1 / np.arange(1.0, depth + 1)
    form = pairwise_form(d, kernel if seed % 2 else np.abs(kernel))
    if seed % 7 == 0:  # and a part of its own
        form = dataclasses.replace(form, a=form.a + np.column_stack((np.zeros(depth), rng.normal(size=(depth, 2)))))
    counts = np.array([2.0, 1.0]) if seed % 3 else rng.random(2) * 2
    low, high = (end.value for end in ends(form, counts, at_most=False))
    for sign, end in ((1.0, low), (-1.0, high)):
        assert sign * end <= sign * searched(form, counts, sign, starts=2) + 1e-8
    fewest, most = (end.value for end in ends(form, counts, at_most=True))
    assert fewest <= low + 1e-12
    assert most >= high - 1e-12


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
    grades = np.zeros(30, dtype=int)
    grades[-2:] = 2, 1
    assert low.value <= form.evaluate(grades) < low.listed


def test_a_perfect_list_within_bounds_is_confirmed() -> None:
    """What the bounds leave open is shared out to 1e-13, and such a probability is not one to exchange."""
    g = (0.0, 0.49957605880886835, 0.5004239411911316, 0.0)
    problem = Problem(xGAP(g=g), value=0.0, relevant=(2, 2, 0, 0), depth=3, count="at_most")
    solution = solve(dataclasses.replace(problem, value=problem.ends[1].listed))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)


def test_hardly_any_documents_are_not_lost_beyond_the_last_rank() -> None:
    """Sums of all documents are rounded to 1e-13, which is much of 1e-4 documents."""
    relevant = (0.0, 7.561585774559348e-07, 0.0, 9.641021862563168e-05)
    problem = Problem(gR(), value=0.5, relevant=relevant, depth=1910, count="total")
    np.testing.assert_allclose([end.value for end in problem.ends], 1.0, rtol=1e-12)


OF_AP = (2.055, 1.776, 2.324, 3.004, 2.542, 9.838)
HARDLY_ANY = (3.9e-8, 6.5e-8, 5.2e-8, 6.5e-8, 1e-3)
GAINS = (0.001, 0.001, 0.001, 6.370517162021861e-05, 0.0)
REACHED: list[tuple[Measure, int, tuple[float, ...], tuple[float, ...]]] = [
    # factors of equal grades matter up to a common one, which no step may follow
    (SR(gain=GAINS), 5, (0.936, 0.686, 0.5, 2.71, 0.159), (0.936, 0.686, 0.5, 2.71, 0.084)),
    (Rprec(rel=1), 47, HARDLY_ANY, HARDLY_ANY),
    # every rank is relevant; the documents of the grades are as many as each other where bounds allow
    (AP(), 20, OF_AP, (*OF_AP[:-1], 20 - sum(OF_AP[:-1]))),
]


@pytest.mark.parametrize(("measure", "depth", "relevant", "expected"), REACHED)
def test_bounds_are_reached_to_the_last_digits(
    measure: Measure, depth: int, relevant: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    problem = Problem(measure, value=0.0, relevant=relevant, depth=depth, count="at_most")
    found = problem.ends[1]
    np.testing.assert_allclose(found.p[:, 1:].sum(axis=0), expected, rtol=1e-10)
    solution = solve(dataclasses.replace(problem, value=found.value))
    assert (solution.status, solution.certificate.accepted) == ("boundary", True)
