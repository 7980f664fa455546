"""SoftRank: loops straight from the papers, sampled rankings, finite differences, and sorted lists in the limit."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")
import torch

import maxent as me
from maxent.ltr import rank_distribution, soft_objective, win_probabilities
from maxent.measures import MEASURES, threshold_probabilities
from tests.conftest import import_error
from tests.golden.messages import refused
from tests.helpers import plain
from tests.measures.test_measures import Topic, topics

GAP = me.GAP(g=(0.5, 0.5))
MEANS = {"AP", "GAP", "xGAP", "eGAP", "muAP", "gAP"}
NEITHER = {"Q", "wAP"}
FORMS = [plain(kind, {"g": (0.3, 0.5, 0.2), "cutoff": 4}) for kind in MEASURES.values() if kind.is_form()]


def naive_wins(scores: Sequence[float], deviation: float) -> list[list[float]]:
    difference = NormalDist(0, math.sqrt(2) * deviation)
    return [[0.0 if i == j else difference.cdf(s - t) for j, t in enumerate(scores)] for i, s in enumerate(scores)]


def naive_distribution(wins: list[list[float]], document: int) -> list[float]:
    """SoftRank: one rival after the other, rank by rank."""
    p = [1.0] + [0.0] * (len(wins) - 1)
    for rival in range(len(wins)):
        if rival != document:
            pi = wins[rival][document]
            p = [(p[r - 1] * pi if r > 0 else 0.0) + p[r] * (1 - pi) for r in range(len(p))]
    return p


def naive_gap(wins: list[list[float]], grades: Sequence[int], relevant: Sequence[int], g: Sequence[float]) -> float:
    """GAP paper 5, as printed."""
    value = 0.0
    for n, own in enumerate(grades):
        numerator = sum(g[:own]) + sum(wins[m][n] * sum(g[: min(i, own)]) for m, i in enumerate(grades))
        value += numerator / (sum(wins[m][n] for m in range(len(grades)) if m != n) + 1)
    norm = sum(count * sum(g[: i + 1]) for i, count in enumerate(relevant))
    return value / norm if norm else 0.0


def naive_ratio(wins: list[list[float]], grades: Sequence[int], kernel: np.ndarray) -> float:
    """The same for any kernel K(i_n, i_m)."""
    value = 0.0
    for n, own in enumerate(grades):
        numerator = kernel[own, own] + sum(wins[m][n] * kernel[own, i] for m, i in enumerate(grades))
        value += numerator / (sum(wins[m][n] for m in range(len(grades)) if m != n) + 1)
    return value


def naive_expectation(
    measure: me.measures.Measure, wins: list[list[float]], grades: np.ndarray, relevant: Sequence[int]
) -> float:
    """A linear measure is the sum of the values of lists with one document each."""
    nothing = float(measure.evaluate(np.zeros(len(grades), dtype=int), relevant))
    value = nothing
    for document, own in enumerate(grades):
        alone = own * np.eye(len(grades), dtype=int)
        gains = measure.evaluate(alone, relevant) - nothing
        value += float(gains @ naive_distribution(wins, document))
    return value


@pytest.mark.slow
@given(topics(most_depth=9), st.sampled_from([0.1, 1.0, 3.0]))
def test_values_are_those_of_the_loops(topic: Topic, deviation: float) -> None:
    measure, _, depth, extra, rng = topic
    grades, scores = rng.integers(0, len(extra) + 1, depth), rng.integers(-4, 5, depth) / 2
    relevant = (np.bincount(grades, minlength=len(extra) + 1)[1:] + extra).tolist()
    tensor, wins = torch.tensor(scores), naive_wins(scores.tolist(), deviation)
    form = measure.form(relevant, depth)
    cut = getattr(measure, "cutoff", None) is not None and not form.linear
    if type(measure).__name__ in NEITHER or cut:
        try:  # on some topics they are means after all
            found = float(soft_objective(measure, grades, relevant, deviation=deviation)(tensor))
        except me.errors.MeasureError:
            assert not form.linear
            return
        assert form.linear or np.allclose(form.d, form.d[0] / np.arange(1, depth + 1))
        expected = naive_ratio(wins, grades.tolist(), form.d[0] * form.K)
    else:
        found = float(soft_objective(measure, grades, relevant, deviation=deviation)(tensor))
        if isinstance(measure, me.GAP):
            g = threshold_probabilities(measure, len(relevant)).tolist()
            expected = naive_gap(wins, grades.tolist(), relevant, g)
        elif isinstance(measure, me.AP):
            hit = (grades >= measure.rel).astype(int)
            expected = naive_gap(wins, hit.tolist(), [sum(relevant[measure.rel - 1 :])], [1.0])
        elif type(measure).__name__ in MEANS:
            expected = naive_ratio(wins, grades.tolist(), form.K)
        else:
            expected = naive_expectation(measure, wins, grades, relevant)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("measure", FORMS, ids=str)
def test_every_measure_tends_to_the_value_of_the_sorted_list(measure: me.measures.Measure) -> None:
    rng = np.random.default_rng(3)
    grades, scores = rng.integers(0, 4, 12), rng.permutation(12) / 10
    if type(measure).__name__ in NEITHER:
        with refused(me.errors.MeasureError):
            soft_objective(measure, grades, (5, 4, 6))
        return
    expected = measure.evaluate(grades[np.argsort(-scores)], (5, 4, 6))
    found = soft_objective(measure, grades, (5, 4, 6), deviation=1e-3)(torch.tensor(scores))
    assert float(found) == pytest.approx(float(expected), rel=1e-12)


def test_wins_and_distributions_are_those_of_the_loops() -> None:
    scores = [0.3, -1.0, 0.3, 2.0, 0.5]
    wins = win_probabilities(torch.tensor(scores, dtype=torch.float64), deviation=0.7)
    np.testing.assert_allclose(wins, naive_wins(scores, 0.7), rtol=1e-13)
    np.testing.assert_allclose(wins + wins.T, 1 - np.eye(5), rtol=1e-14)
    expected = [naive_distribution(wins.tolist(), document) for document in range(5)]
    every = rank_distribution(wins)
    np.testing.assert_allclose(every, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(rank_distribution(wins, [3, 1]), every[[3, 1]])
    np.testing.assert_array_equal(rank_distribution(wins, [3, 1], depth=2), every[[3, 1], :2])
    np.testing.assert_allclose(every.sum(dim=1), 1, rtol=1e-14)
    np.testing.assert_allclose(every.sum(dim=0), 1, atol=0.5)
    assert float((every.sum(dim=0) - 1).abs().max()) > 0.05  # not independent
    assert rank_distribution(wins, []).shape == (0, 5)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["GAP(g=.3,.7)", "AP", "xGAP(g=.5,.5)", "nDCG", "nDCG(gain=exp2)@3", "RBP"])
def test_gradients(text: str) -> None:
    rng = np.random.default_rng(0)
    grades, scores = np.array([0, 2, 1, 0, 1, 2, 0]), torch.tensor(rng.normal(size=7), requires_grad=True)
    value = soft_objective(me.parse_measure(text), grades, (3, 2), deviation=0.8)
    assert torch.autograd.gradcheck(value, scores, atol=1e-9, rtol=1e-6)
    (gradient,) = torch.autograd.grad(value(scores), scores)
    for n, step in enumerate(1e-5 * torch.eye(7, dtype=torch.float64)):
        with torch.no_grad():
            difference = float(value(scores + step) - value(scores - step)) / 2e-5
        assert float(gradient[n]) == pytest.approx(difference, abs=1e-9)


def sampled_ranks(scores: np.ndarray, deviation: float, samples: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    drawn = scores + deviation * rng.normal(size=(samples, len(scores)))
    return np.argsort(np.argsort(-drawn, axis=1), axis=1)


@pytest.mark.parametrize(("deviation", "width", "missed"), [(1.0, 0.42, 0.46), (0.1, 0.77, 0.09)])
def test_rank_distributions_against_sampled_rankings(deviation: float, width: float, missed: float) -> None:
    """The mean rank is exact; the figures of the docstring say how far the rest is."""
    ratios, distances = [], []
    for seed in range(5):
        scores = np.random.default_rng(seed).normal(size=20)
        p = rank_distribution(win_probabilities(torch.tensor(scores), deviation=deviation)).numpy()
        sampled = sampled_ranks(scores, deviation, 20_000)
        mean = p @ np.arange(20)
        error = sampled.std(axis=0) / math.sqrt(20_000)
        assert np.all(np.abs(mean - sampled.mean(axis=0)) <= 4 * error + 1e-4)
        frequency = np.stack([np.bincount(own, minlength=20) for own in sampled.T]) / 20_000
        distances.append(np.abs(p - frequency).sum(axis=1).mean() / 2)
        deviations = np.sqrt((p * (np.arange(20) - mean[:, None]) ** 2).sum(axis=1))  # no difference of squares
        ratios.append(deviations.mean() / sampled.std(axis=0).mean())
    assert np.mean(ratios) == pytest.approx(width, abs=0.02)
    assert np.mean(distances) == pytest.approx(missed, abs=0.02)


@pytest.mark.parametrize("measure", [GAP, me.nDCG()], ids=str)
def test_nothing_relevant(measure: me.measures.Measure) -> None:
    scores = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    value = soft_objective(measure, [0, 0, 0], (0, 0))(scores)
    (gradient,) = torch.autograd.grad(value, scores)
    assert value.item() == 0.0
    assert not gradient.any()


def test_measures_without_a_soft_value() -> None:
    for name, kind in MEASURES.items():
        if not kind.is_form() and name != "Bpref":
            text = f"{name}@3" if name in ("Success", "Judged") else name
            with refused(me.errors.MeasureError):
                soft_objective(me.parse_measure(text), [1, 0], (1,))
    with pytest.raises(me.errors.MeasureError) as error:
        soft_objective(me.Q(), [0, 2, 1], (1, 1))
    with refused(me.errors.MeasureError):
        soft_objective(me.Q(beta=1e-3), [0, 2, 1], (1, 1))  # nearly AP, but not AP
    named = set(str(error.value).replace("(", " ").replace(")", " ").replace(",", " ").split())
    assert named & set(MEASURES) == {name for name, kind in MEASURES.items() if kind.is_form()} - {"wAP"}


def test_bad_input() -> None:
    wrong: Any = [0.1, 0.2]
    with refused(me.errors.InputError):
        win_probabilities(wrong)
    with refused(me.errors.InputError):
        soft_objective(me.AP(), [1, 0], (1,))(wrong)
    with refused(me.errors.MeasureError):
        soft_objective(wrong, [1, 0], (1,))
    value = soft_objective(me.AP(), [1, 0, 0], (1,))
    with refused(me.errors.InputError):
        value(torch.zeros(2))
    with refused(me.errors.InputError):
        value(torch.zeros(3, 1))
    with refused(me.errors.InputError):
        value(torch.tensor([0.0, math.nan, 1.0], requires_grad=True))
    with refused(me.errors.InputError):
        win_probabilities(torch.zeros(2, 2))
    for deviation in (0.0, -1.0, math.nan, math.inf):
        with refused(me.MaxentError):
            soft_objective(me.AP(), [1, 0, 0], (1,), deviation=deviation)
        with refused(me.MaxentError):
            win_probabilities(torch.zeros(2), deviation=deviation)
    with refused(me.MaxentError):
        rank_distribution(win_probabilities(torch.zeros(2)), depth=0)
    with refused(me.errors.MeasureError):
        soft_objective(me.AP(), [[1, 0]], (1,))
    with refused(me.errors.MeasureError):
        soft_objective(me.AP(), [2, 0], (1,))


@pytest.mark.slow
def test_torch_is_optional() -> None:
    says = "SoftRank needs torch, which is not installed: pip install torch"
    assert import_error("torch", "import maxent.ltr.soft") == says
