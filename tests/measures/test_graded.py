"""Properties that the GAP and xGAP papers claim: reduction to AP, swaps, random experiments, limits."""

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from tests.golden.messages import refused
from tests.measures.test_measures import simplex

KINDS: tuple[type[me.GAP] | type[me.xGAP] | type[me.eGAP], ...] = (me.GAP, me.xGAP, me.eGAP)
TRIALS = 200_000


@given(st.lists(st.integers(0, 3), min_size=1, max_size=15), st.integers(1, 3))
def test_all_revert_to_ap_where_users_agree(grades: list[int], threshold: int) -> None:
    """GAP paper 3; xGAP paper 6: g_t = 1 is AP with the grades from t relevant."""
    relevant = np.bincount(grades, minlength=4)[1:] + np.array([2, 0, 1])
    g = tuple(float(k == threshold) for k in (1, 2, 3))
    expected = float(me.AP(rel=threshold).evaluate(grades, relevant))
    for kind in KINDS:
        assert kind(g=g).evaluate(grades, relevant) == pytest.approx(expected, abs=1e-14)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12), simplex(3), st.data())
def test_a_worse_document_before_a_better_one_never_raises_gap(
    grades: list[int], g: tuple[float, ...], data: st.DataObject
) -> None:
    """GAP paper 3, on swaps."""
    relevant = np.bincount(grades, minlength=4)[1:]
    i, j = sorted(data.draw(st.lists(st.integers(0, len(grades) - 1), min_size=2, max_size=2, unique=True)))
    better, worse = list(grades), list(grades)
    better[i], better[j] = sorted((grades[i], grades[j]), reverse=True)
    worse[i], worse[j] = sorted((grades[i], grades[j]))
    values = me.GAP(g=g).evaluate([better, worse], relevant)
    assert values[0] >= values[1] - 1e-14


def test_gap_is_largest_exactly_at_grades_that_never_increase() -> None:
    """GAP paper 3, on the corollary; where all g are positive no other order reaches 1."""
    lists = np.array(sorted(set(itertools.permutations((0, 0, 1, 1, 2, 3)))))
    values = me.GAP(g=(0.5, 0.3, 0.2)).evaluate(lists, (2, 1, 1))
    ordered = np.all(np.diff(lists, axis=1) <= 0, axis=1)
    np.testing.assert_allclose(values[ordered], 1.0, atol=1e-14)
    assert np.all(values[~ordered] < 1 - 1e-3)


def experiment(kind: str, grades: np.ndarray, missed: tuple[int, ...], g: tuple[float, ...]) -> np.ndarray:
    """Outcomes of the papers' random experiments (GAP paper 3.1.2; xGAP paper 4, 5), user by user."""
    rng = np.random.default_rng(11)
    levels, depth = len(g), len(grades)
    pool = np.concatenate((grades[grades > 0], np.repeat(np.arange(1, levels + 1), missed)))
    rank = np.concatenate((np.flatnonzero(grades) + 1, np.full(sum(missed), depth + 1)))  # depth + 1: not retrieved
    user = rng.choice(levels, TRIALS, p=g) + 1
    pivot = rng.integers(0, len(pool), TRIALS)
    while np.any(rejected := pool[pivot] < user):  # a document that this user does not find relevant
        if kind == "GAP":  # documents and users are drawn together
            user[rejected] = rng.choice(levels, rejected.sum(), p=g) + 1
        pivot[rejected] = rng.integers(0, len(pool), rejected.sum())
    if kind == "xGAP":  # somebody else, of those who find the pivot relevant
        user = rng.choice(levels, TRIALS, p=g) + 1
        while np.any(rejected := pool[pivot] < user):
            user[rejected] = rng.choice(levels, rejected.sum(), p=g) + 1
    n = rank[pivot]
    other = grades[np.minimum(rng.integers(0, n), depth - 1)]
    return np.asarray((n <= depth) & (other >= user))


@pytest.mark.parametrize("kind", ["GAP", "xGAP", "eGAP"])
def test_the_papers_random_experiments(kind: str) -> None:
    grades = np.array([1, 0, 2, 1, 3, 0, 0, 1, 2, 1, 0, 3])
    missed, g = (2, 0, 1), (0.5, 0.2, 0.3)
    outcomes = experiment(kind, grades, missed, g)
    relevant = np.bincount(grades, minlength=4)[1:] + missed
    value = float(me.parse_measure(f"{kind}(g=0.5,0.2,0.3)").evaluate(grades, relevant))
    assert abs(outcomes.mean() - value) < 4 * outcomes.std() / np.sqrt(TRIALS)


def test_pivot_probabilities_of_the_xgap_paper() -> None:
    """Sections 3 and 4, R = (10, 1): the pivot's probability is K(i, i), whose precision part is 1."""
    half, most = ((0.5, 0.5), (0.1, 0.9))
    assert np.diag(me.GAP(g=half).form((10, 1), 1).K)[1:] == pytest.approx((1 / 12, 1 / 6))
    assert np.diag(me.GAP(g=most).form((10, 1), 1).K)[2] == pytest.approx(1 / 2)
    assert np.diag(me.xGAP(g=half).form((10, 1), 1).K)[1:] == pytest.approx((1 / 22, 12 / 22))
    assert np.diag(me.xGAP(g=most).form((10, 1), 1).K)[2] == pytest.approx(100 / 110)


@pytest.mark.parametrize("g2", [0.1, 0.5, 0.9])
def test_limits_of_a_highly_relevant_document_after_many_relevant_ones(g2: float) -> None:
    """xGAP paper 3-5: n documents of grade 1, then one of grade 2."""
    n, g = 200_000, (1 - g2, g2)
    grades = np.append(np.ones(n, dtype=int), 2)
    for kind, limit in zip(KINDS, (1.0, 1 - g2**2, 1 - g2), strict=True):
        assert kind(g=g).evaluate(grades, (n, 1)) == pytest.approx(limit, abs=2e-4)


# --- grids of g ---


@pytest.mark.parametrize(("levels", "steps"), [(1, 2), (2, 5), (3, 4), (4, 3), (30, 2)])
def test_the_grid_covers_the_simplex(levels: int, steps: int) -> None:
    grid = me.g_grid(levels=levels, steps=steps)
    assert grid == sorted(set(grid))
    assert len(grid) == comb(steps - 1 + levels - 1, levels - 1)
    assert all(sum(g) == pytest.approx(1) and min(g) >= 0 for g in grid)
    assert {tuple(float(k == j) for k in range(levels)) for j in range(levels)} <= set(grid)


def test_grids_that_make_no_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in ({"steps": 1}, {"levels": 3, "steps": 201}):
        with refused(me.errors.ProblemError):
            me.g_grid(**size)
    monkeypatch.setenv("MAXENT_LIMITS", "no-candidates")
    assert len(me.g_grid(levels=3, steps=201)) == 20301
