import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import maxent as me
from maxent import Averages
from maxent.errors import ProblemError
from maxent.lists import Moments, descend, interpolated, solve_averages
from maxent.measures import Measure, as_measures, parse_measure
from maxent.problem import Problem, log_odds
from maxent.types import FloatArray
from tests.golden.messages import as_golden, refused
from tests.lists.every_list import arrangements

DEPTH = 8
RELEVANT = ((2, 1), (1, 2), (3, 0))
RETRIEVED = ((2, 0), (1, 1), (2, 0))
OTHERS = ("AP", "P@3", "nDCG(gain=exp2)", "GAP(g=.4,.6)", "AP(rel=2)", "Q", "ERR", "RR", "nERR@5")
EXACT = 1e-10


class EveryTopic:
    """The lists of documents of a topic one by one, merged where the known measures do not tell grades apart."""

    def __init__(self, numbers: tuple[int, ...], relevant: tuple[int, ...], *, exact: bool, merge: bool) -> None:
        most = (sum(numbers),) if merge else numbers
        lists = []
        for own in [most] if exact else itertools.product(*(range(min(number, DEPTH) + 1) for number in most)):
            for groups in arrangements((DEPTH - sum(own), *own)) if sum(own) <= DEPTH else []:
                lists += [(groups, *each) for each in (dealt(groups, numbers) if merge else [(groups, 1.0)])]
        groups, grades, share = zip(*lists, strict=True)
        self.groups, self.grades, self.share, self.relevant = *map(np.array, (groups, grades, share)), relevant

    def values(self, measures: tuple[Measure, ...]) -> FloatArray:
        return np.array([measure.values(self.grades, self.relevant) for measure in measures])

    def weigh(self, known: tuple[Measure, ...], multipliers: FloatArray, odds: FloatArray) -> FloatArray:
        weighed = np.concatenate((np.zeros((DEPTH, 1)), odds), axis=1)
        logs = weighed[np.arange(DEPTH), self.groups].sum(axis=1) + multipliers @ self.values(known)
        weights = np.exp(logs) * self.share
        return np.asarray(weights / weights.sum())


def dealt(groups: tuple[int, ...], numbers: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
    """Grades of the relevant documents of a list, drawn from these without replacement, with probabilities."""
    found: list[tuple[tuple[int, ...], float, tuple[int, ...]]] = [((), 1.0, numbers)]
    for group in groups:
        after: list[tuple[tuple[int, ...], float, tuple[int, ...]]] = []
        for grades, share, left in found:
            if not group:
                after.append(((*grades, 0), share, left))
                continue
            for grade, number in enumerate(left, start=1):
                if number:
                    rest = tuple(own - (k == grade - 1) for k, own in enumerate(left))
                    after.append(((*grades, grade), share * number / sum(left), rest))
        found = after
    return [(grades, share) for grades, share, _ in found]


CASES = {
    "AP & P@3": ("AP", "P@3"),
    "AP & R@8": ("AP", "R@8"),
    "RR & num_rel_ret": ("RR", "num_rel_ret"),
    "GAP & nDCG@3": ("GAP(g=.4,.6)", "nDCG@3"),
    "ERR & AP(rel=2) & P@2": ("ERR", "AP(rel=2)", "P@2"),
}


@pytest.mark.parametrize("counts", [False, True], ids=["up to R", "of a run"])
@pytest.mark.parametrize("reference", ["log-uniform", None])
@pytest.mark.parametrize("texts", CASES.values(), ids=CASES)
def test_all_lists_of_three_topics_one_by_one(texts: tuple[str, ...], reference: str | None, counts: bool) -> None:
    texts = tuple(text for text in texts if not (counts and text in ("R@8", "num_rel_ret")))
    numbers = RETRIEVED if counts else RELEVANT
    given: dict[str, Any] = {text: 0.3 if text != "num_rel_ret" else 4 for text in texts}
    options: dict[str, Any] = {"depth": DEPTH, "reference": reference, "retrieved": RETRIEVED if counts else None}
    averages = Averages(given, RELEVANT, **options)
    merge = all(parse_measure(text) in as_measures(["AP", "P@3", "R@8", "RR"]) for text in given if text[0] != "n")
    every = [EveryTopic(*own, exact=counts, merge=merge) for own in zip(numbers, RELEVANT, strict=True)]
    values = [own.values(averages.measures) for own in every]
    ends = np.mean([(own.min(axis=1), own.max(axis=1)) for own in values], axis=0)
    odds, multipliers = log_odds(reference, DEPTH, 1 if merge else 2), np.array([3.0, -1.0, 0.5])[: len(texts)]
    found = [own.weigh(averages.measures, multipliers, odds) for own in every]
    means = [own @ p for own, p in zip(values, found, strict=True)]
    known = dict(zip(averages.measures, np.mean(means, axis=0), strict=True))
    system = solve_averages(Averages(known, RELEVANT, **options))
    assert system.status == "optimal", system.message
    np.testing.assert_allclose(np.transpose(system.intervals), ends, atol=EXACT)
    np.testing.assert_allclose(system.multipliers, multipliers, atol=EXACT)
    others = as_measures(OTHERS)
    wanted = [own.values(others) @ p for own, p in zip(every, found, strict=True)]
    np.testing.assert_allclose(system.by_topic(OTHERS), wanted, atol=EXACT)
    np.testing.assert_allclose(system.expected(OTHERS), np.mean(wanted, axis=0), atol=EXACT)
    p = [
        np.einsum("k,kni->ni", p, own.grades[:, :, None] == np.arange(3))
        for own, p in zip(every, found, strict=True)
    ]
    np.testing.assert_allclose(system.p, p, atol=EXACT)


@pytest.mark.parametrize("texts", [("AP", "P@3"), ("GAP(g=.4,.6)", "nDCG@3")])
def test_more_relevant_documents_than_ranks_one_by_one(texts: tuple[str, ...]) -> None:
    relevant = ((12, 9), (2, 100_000))
    measures, others = as_measures(list(texts)), as_measures(OTHERS)
    every = [EveryTopic(own, own, exact=False, merge=texts[0] == "AP") for own in relevant]
    odds = log_odds("log-uniform", DEPTH, 1 if texts[0] == "AP" else 2)
    weights = [own.weigh(measures, np.array([3.0, -1.0]), odds) for own in every]
    means, wanted = (
        [own.values(of) @ p for own, p in zip(every, weights, strict=True)] for of in (measures, others)
    )
    known = dict(zip(measures, np.mean(means, axis=0), strict=True))
    system = solve_averages(Averages(known, relevant, depth=DEPTH))
    assert system.status == "optimal", system.message
    np.testing.assert_allclose(system.by_topic(OTHERS), wanted, atol=EXACT)


def one_topic(share: float, counts: bool) -> tuple[Averages, Problem]:
    """A topic of one grade, as averages and as a problem; AP and P@3 at a share of their interval."""
    known = {"AP": 0.3 + 0.6 * share, "P@3": (1 + share) / 3}
    averages = Averages(known, [[3]], retrieved=[[2]] if counts else None, depth=DEPTH)
    problem = Problem(
        {parse_measure(text): value for text, value in known.items()},
        relevant=(3,), retrieved=(2,), depth=DEPTH, reference="log-uniform",
        count="retrieved" if counts else "at_most",
    )  # fmt: skip
    return averages, problem


@pytest.mark.parametrize("counts", [False, True])
def test_one_topic_is_the_problem_of_one_list(counts: bool) -> None:
    averages, problem = one_topic(0.1, counts)
    system, solution = solve_averages(averages), me.solve(problem, model="lists")
    assert system.multipliers == solution.multipliers.values
    np.testing.assert_array_equal(system.p[0], solution.p)
    assert system.entropy == solution.entropy
    others = as_measures(["AP(rel=1)", "nDCG", "ERR"])
    forms = [other.expectation((3,), DEPTH) for other in others]
    np.testing.assert_array_equal(system.expected(others), solution.distribution.expected(forms))


def test_averages_at_an_end_are_every_topic_at_its_end() -> None:
    system = solve_averages(Averages({"P@2": 1.0, "AP": 0.8}, RELEVANT, depth=DEPTH))
    assert system.status == "boundary"
    assert system.multipliers[0] == np.inf
    np.testing.assert_allclose(system.by_topic(["P@2"]), 1.0)
    np.testing.assert_allclose(system.expected(["AP"]), 0.8)
    best = solve_averages(Averages({"AP": 1.0}, RELEVANT, depth=DEPTH))
    np.testing.assert_allclose(best.by_topic(["Rprec"]), 1.0)


def test_averages_that_no_lists_have() -> None:
    beyond = solve_averages(Averages({"P@5": 0.7}, RELEVANT, depth=DEPTH))
    assert beyond.status == "infeasible"
    as_golden(beyond.message)
    apart = solve_averages(Averages({"AP": 0.9, "P@3": 0.2}, RELEVANT, depth=DEPTH))
    assert apart.status == "infeasible"
    assert "together" in apart.message
    with refused(ProblemError):
        apart.expected(["P@2"])


def test_a_row_at_an_edge_goes_on_from_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    averages = Averages({"AP": 0.75, "R@8": 0.7501}, RELEVANT, depth=DEPTH)  # AP is at most recall
    at_once = solve_averages(averages)
    monkeypatch.setattr("maxent.lists.implied.FEW", at_once.passes - 4)
    later = solve_averages(averages)
    assert later.passes == 5
    np.testing.assert_allclose(later.multipliers, at_once.multipliers)


@pytest.mark.slow
def test_an_impossible_row_whose_slope_does_not_change_along_a_step() -> None:
    """Far out in a direction that no lists have, a step of 1e134 is cut until the dual is below the least."""
    relevant = me.collect(*me.simulate(systems=3, topics=6, depth=100), depth=100).relevant
    assert solve_averages(Averages({"AP": ".61", "P@10": ".05"}, relevant, depth=100)).status == "infeasible"


@pytest.mark.parametrize("counts", [False, True])
def test_random_systems_have_the_averages(counts: bool) -> None:
    retrieved = RETRIEVED if counts else None
    averages = Averages({"AP": 0.45, "P@2": 0.4}, RELEVANT, retrieved=retrieved, depth=DEPTH)
    system = solve_averages(averages)
    lists = system.sample(20_000, rng=1)
    np.testing.assert_array_equal(system.sample(3, rng=1), system.sample(3, rng=1))
    others = as_measures(OTHERS)
    means = [
        [measure.evaluate(lists[:, t], relevant).mean() for measure in others]
        for t, relevant in enumerate(averages.relevant)
    ]
    np.testing.assert_allclose(means, system.by_topic(OTHERS), atol=5 * 0.5 / np.sqrt(20_000))


def test_topics_whose_run_has_nothing() -> None:
    """A topic without a retrieved document has the value 0 and leaves the others to the rest."""
    system = solve_averages(Averages({"AP": 0.2}, RELEVANT, retrieved=((2, 0), (0, 0), (2, 0)), depth=DEPTH))
    assert system.status == "optimal"
    assert system.values(["AP", "ERR"])[1].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(system.expected(["AP"]), 0.2)


def test_what_makes_no_sense_is_refused() -> None:
    cases: list[dict[str, Any]] = [{}, {"AP": np.nan}, {"AP": 0.2, "map": 0.3}]
    for known in cases:
        with refused(ProblemError):
            Averages(known, RELEVANT, depth=DEPTH)
    with refused(me.errors.MeasureError):
        Averages({"Bpref": 0.3}, RELEVANT, depth=DEPTH)


@pytest.mark.parametrize(
    ("relevant", "retrieved"),
    [
        ([3, 2], None),
        ([], None),
        ([[0.5]], None),
        ([[2, -1]], None),
        ([[2], [0]], None),
        ([[2]], [[3]]),
        ([[2], [2]], [[1]]),
    ],
)
def test_documents_are_numbers_by_topic_and_grade(relevant: Any, retrieved: Any) -> None:
    with refused(ProblemError):
        Averages({"AP": 0.2}, relevant, retrieved=retrieved)


def test_ends_given_the_others_are_those_of_all_mixtures_of_lists() -> None:
    """A linear program over every list of every topic, with ranges of printed numbers for the others."""
    averages = Averages({"AP": ".45", "P@2": ".40", "ERR": ".38"}, RELEVANT, depth=DEPTH)
    every = [EveryTopic(own, own, exact=False, merge=False) for own in RELEVANT]
    values = [own.values(averages.measures) for own in every]
    table = np.concatenate(values, axis=1) / len(values)
    one = np.array([np.repeat(t == np.arange(3), [own.shape[1] for own in values]) for t in range(3)], dtype=float)
    low, high = averages.ranges
    wanted = []
    for k in range(3):
        others = np.arange(3) != k
        rows, limits = np.vstack((table[others], -table[others])), np.concatenate((high[others], -low[others]))
        for sign in (1, -1):
            found = linprog(sign * table[k], A_ub=rows, b_ub=limits, A_eq=one, b_eq=np.ones(3), method="highs")
            wanted.append(sign * found.fun)
    system = solve_averages(averages)
    possible = system.possible(1e-10)
    np.testing.assert_allclose(possible[["low", "high"]].to_numpy().ravel(), wanted, atol=1e-7)
    np.testing.assert_allclose(possible["nearest"], averages.values, atol=0.005)


def test_the_odd_average_is_the_one_that_has_an_interval() -> None:
    """AP and RR agree; no lists have this P@3 beside them."""
    system = solve_averages(Averages({"AP": ".85", "RR": ".95", "P@3": ".20"}, RELEVANT, depth=DEPTH))
    assert system.status == "infeasible"
    possible = system.possible().set_index("measure")
    low, high = (float(possible[end]["P@3"]) for end in ("low", "high"))
    assert low > 0.2
    again = solve_averages(Averages({"AP": 0.85, "RR": 0.95, "P@3": (low + high) / 2}, RELEVANT, depth=DEPTH))
    assert again.status == "optimal"


@pytest.mark.slow
def test_printed_numbers_are_ranges() -> None:
    """A printed 0 or 1 is not an end, and one that is impossible by less than its rounding is possible."""
    system = solve_averages(Averages({"P@2": "1.0", "AP": ".80"}, RELEVANT, depth=DEPTH))
    assert (system.status, system.averages.rounding) == ("optimal", (0.05, 0.005))
    assert 0.95 < system.expected(["P@2"])[0] < 1
    exact = {"AP": 0.75, "R@8": 0.7499}  # AP is at most recall
    assert solve_averages(Averages(exact, RELEVANT, depth=DEPTH)).status == "infeasible"
    system = solve_averages(Averages({"AP": ".75", "R@8": ".745"}, RELEVANT, depth=DEPTH))
    assert system.status == "optimal", system.message
    low, high = system.averages.ranges
    assert ((low <= system.solved_for) & (system.solved_for <= high)).all()


def test_a_dual_that_does_not_fall_ends_after_its_passes() -> None:
    rising = itertools.count(step=10**6)

    def evaluate(multipliers: FloatArray) -> Moments:
        return Moments(float(next(rising)), np.array([0.2]), np.array([[1e-3]]))

    ends = np.array([[0.0], [1.0]])
    assert descend(evaluate, np.array([0.5]), ends, np.array([0]), np.zeros(1), -1e-18, most=9)[1] == 9


def test_bands_are_of_topics_that_go_together_and_of_the_rounding() -> None:
    averages = Averages({"AP": 0.5, "R@8": 0.7}, RELEVANT, depth=DEPTH)
    system = solve_averages(averages)
    found, measure, ends = system.predict(["ERR"], band=0.8).iloc[0], parse_measure("ERR"), []
    for t, relevant in enumerate(averages.relevant):
        values = sorted(measure.evaluate(system.lists[:, t], relevant))
        ends.append(np.interp([9.9, 89.1], np.arange(100), values))  # of a hundred systems
    assert found[["low", "high"]].tolist() == pytest.approx(np.mean(ends, axis=0).tolist())
    rounded = solve_averages(Averages({"AP": "0.50", "R@8": "0.70"}, RELEVANT, depth=DEPTH))
    wider = rounded.predict(["ERR"], band=0.8).iloc[0]
    moved = [
        solve_averages(Averages({"AP": ap, "R@8": recall}, RELEVANT, depth=DEPTH)).expected(["ERR"])[0]
        for ap, recall in [(0.505, 0.7), (0.5, 0.705)]
    ]
    extra = wider["rounding"]
    assert extra == pytest.approx(sum(abs(own - found["expected"]) for own in moved), rel=0.02)  # to first order
    values = [measure.evaluate(rounded.lists[:, t], relevant) for t, relevant in enumerate(averages.relevant)]
    least, most = np.mean([(own.min(), own.max()) for own in values], axis=0)
    assert wider["low"] == pytest.approx(max(found["low"] - extra, least))
    assert wider["high"] == pytest.approx(min(found["high"] + extra, most))
    assert rounded.predict(["RR"])["high"].iloc[0] <= 1


def test_bands_contain_what_they_stand_beside() -> None:
    """A run whose lists nearly all begin with a relevant document, too."""
    system = solve_averages(Averages({"AP": 0.9, "R@8": 0.95}, RELEVANT, depth=DEPTH))
    curve, levels = system.curve(), system.levels()
    averages = system.predict(["RR", "Success@1", "P@3"]).rename(columns={"expected": "precision"})
    for table in (curve, levels, averages):
        assert (table["low"] <= table["precision"]).all()
        assert (table["precision"] <= table["high"]).all()


def test_the_mean_curve_is_that_of_all_lists() -> None:
    averages = Averages({"AP": 0.5, "R@8": 0.7}, RELEVANT, depth=DEPTH)
    every = [EveryTopic(own, own, exact=False, merge=True) for own in RELEVANT]
    system = solve_averages(averages)
    odds = log_odds("log-uniform", DEPTH, 1)
    p = [own.weigh(averages.measures, np.array(system.multipliers), odds) for own in every]
    for threshold in (1, 2):
        hits = [np.cumsum(own.grades >= threshold, axis=1) / np.arange(1, DEPTH + 1) for own in every]
        curve = system.curve(threshold=threshold)
        wanted = np.mean([w @ own for w, own in zip(p, hits, strict=True)], axis=0)
        np.testing.assert_allclose(curve["precision"], wanted, atol=EXACT)
        bases = [sum(own[threshold - 1 :]) for own in RELEVANT]
        found = zip(p, every, bases, strict=True)
        means = [w @ interpolated(own.grades >= threshold, base) for w, own, base in found if base]
        np.testing.assert_allclose(
            system.levels(threshold=threshold)["precision"], np.mean(means, axis=0), atol=0.08
        )


def test_interpolated_precision_is_that_of_trec_eval() -> None:
    """Two of four relevant documents, at ranks 1 and 4."""
    found = interpolated(np.array([True, False, False, True]), 4)
    np.testing.assert_allclose(found, [1, 1, 1, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0])
