"""Measures: text forms, naive twins, full enumeration, derivatives and published identities."""

import dataclasses
import doctest
import functools
import inspect
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

import maxent as me
from maxent.measures import MEASURES
from tests import naive
from tests.golden.messages import refused

Naive = Callable[[Sequence[int], Sequence[int]], float]
Wanted = Callable[[me.measures.Measure], bool]
Topic = tuple[me.measures.Measure, Naive, int, tuple[int, ...], np.random.Generator]
"""Measure, twin, depth, relevant counts, and randomness."""


def simplex(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    """Probabilities, some of them zero."""
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(x / sum(w) for x in w))


@st.composite
def measured(draw: st.DrawFn, levels: int, wanted: Wanted = lambda _: True) -> tuple[me.measures.Measure, Naive]:
    """A measure with any parameters, of every class that is ``wanted``, and its naive twin."""
    rel = draw(st.integers(1, levels))
    cutoff = draw(st.none() | st.integers(1, 8))
    table = st.tuples(*[st.integers(0, 9).map(float)] * levels)
    gain: str | tuple[float, ...] = draw(st.sampled_from(["linear", "exp2", "exp"]) | table)
    discount = draw(st.sampled_from(["log2", "jk", "inverse"]))
    b = draw(st.sampled_from([2.0, 3.0, 10.0])) if discount == "jk" else 2.0
    g = draw(simplex(levels))
    p = draw(st.floats(0.05, 0.95))
    k = cutoff or 3
    beta = draw(st.sampled_from([0.0, 1.0, 2.5]))
    size = draw(st.sampled_from([None, 40, 1000]))
    ratings = draw(st.none() | st.lists(st.integers(1, 9), min_size=levels, max_size=levels, unique=True))
    spread = None if ratings is None else tuple(x / 2 for x in sorted(ratings))
    top = levels + draw(st.integers(0, 2)) if isinstance(gain, str) and draw(st.booleans()) else None
    kinds: list[tuple[me.measures.Measure, Naive]] = [
        (me.xGAP(g=g, cutoff=cutoff), lambda x, r: naive.xgap(x[:cutoff], r, g)),
        (me.eGAP(g=g, cutoff=cutoff), lambda x, r: naive.egap(x[:cutoff], r, g)),
        (me.muAP(levels=spread, cutoff=cutoff), lambda x, r: naive.mu_ap(x[:cutoff], r, spread)),
        (me.gAP(gain=gain, cutoff=cutoff), lambda x, r: naive.generalised_ap(x[:cutoff], r, gain)),
        (
            me.wAP(gain=gain, cutoff=cutoff),
            lambda x, r: naive.weighted_ap(x[:cutoff], r, gain) * naive.found_at_most(r, gain, cutoff),
        ),
        (
            me.Q(beta=beta, gain=gain, cutoff=cutoff),
            lambda x, r: naive.q_measure(x[:cutoff], r, beta, gain) * naive.found_at_most(r, gain, cutoff),
        ),
        (me.CG(gain=gain, cutoff=cutoff), lambda x, r: naive.cumulated_gain(x, r, gain, cutoff)),
        (me.NDCNG(gain=gain, cutoff=cutoff), lambda x, r: naive.ndcng(x, r, gain, cutoff)),
        (
            me.mnDCG(gain=gain, discount=discount, b=b, cutoff=cutoff),
            lambda x, r: naive.mean_ndcg(x, r, gain, discount, b, cutoff),
        ),
        (me.SR(gain=gain, cutoff=cutoff), lambda x, r: naive.sliding_ratio(x, r, gain, cutoff)),
        (me.mSR(gain=gain, cutoff=cutoff), lambda x, r: naive.sliding_ratio(x, r, gain, cutoff, modified=True)),
        (me.gP(gain=gain, cutoff=cutoff), lambda x, r: naive.generalised_precision(x, r, gain, cutoff)),
        (me.gR(gain=gain, cutoff=cutoff), lambda x, r: naive.generalised_recall(x, r, gain, cutoff)),
        (me.nRecall(rel=rel, size=size), lambda x, r: naive.normalised(x, r, rel, size, log=False)),
        (me.nPrecision(rel=rel, size=size), lambda x, r: naive.normalised(x, r, rel, size, log=True)),
        (me.ERR(gain=gain, top=top, cutoff=cutoff), lambda x, r: naive.err(x, r, gain, top, cutoff)),
        (me.nERR(gain=gain, top=top, cutoff=cutoff), lambda x, r: naive.nerr(x, r, gain, top, cutoff)),
        (me.RR(rel=rel, cutoff=cutoff), lambda x, r: naive.reciprocal_rank(x, r, rel, cutoff)),
        (me.RHL(gain=gain), lambda x, r: naive.half_life(x, r, gain)),
        (me.ADM(gain=gain, size=size), lambda x, r: naive.average_distance(x, r, gain, size)),
        (me.AP(rel=rel, cutoff=cutoff), lambda x, r: naive.ap(x[:cutoff], r, rel)),
        (me.GAP(g=g, cutoff=cutoff), lambda x, r: naive.gap(x[:cutoff], r, g)),
        (me.GAP(g="even"), lambda x, r: naive.gap(x, r, (1 / levels,) * levels)),
        (me.R(cutoff=k, rel=rel), lambda x, r: naive.recall_at(x, r, k, rel)),
        (me.Success(cutoff=k, rel=rel), lambda x, r: naive.success_at(x, k, rel)),
        (me.RBP(p=p, gain=gain, cutoff=cutoff), lambda x, r: naive.rbp(x[:cutoff], r, p, gain=gain)),
        (me.BrokenStick(gain=gain), lambda x, r: naive.broken_stick(x, r, gain=gain)),
        (me.BrokenStick(rel=rel), lambda x, r: naive.broken_stick(x, r, rel)),
        (me.P(cutoff=k, rel=rel), lambda x, r: naive.precision_at(x, r, k, rel)),
        (me.Rprec(rel=rel), lambda x, r: naive.r_precision(x, r, rel)),
        (me.RBP(p=p, rel=rel, cutoff=cutoff), lambda x, r: naive.rbp(x[:cutoff], r, p, rel)),
        (
            me.DCG(gain=gain, discount=discount, b=b, cutoff=cutoff),
            lambda x, r: naive.dcg(x, r, gain, discount, b, cutoff),
        ),
        (
            me.nDCG(gain=gain, discount=discount, b=b, cutoff=cutoff),
            lambda x, r: naive.ndcg(x, r, gain, discount, b, cutoff),
        ),
    ]
    return draw(st.sampled_from([pair for pair in kinds if wanted(pair[0])]))


@st.composite
def topics(draw: st.DrawFn, most_depth: int = 6, wanted: Wanted = operator.methodcaller("is_form")) -> Topic:
    levels = draw(st.integers(1, 3))
    measure, twin = draw(measured(levels, wanted))
    relevant = tuple(draw(st.lists(st.integers(0, 5), min_size=levels, max_size=levels)))
    depth, seed = draw(st.integers(1, most_depth)), draw(st.integers(0, 99))
    return measure, twin, depth, relevant, np.random.default_rng(seed)


@given(topics(most_depth=12, wanted=lambda _: True))
def test_evaluation_equals_the_naive_twin(topic: Topic) -> None:
    measure, twin, depth, relevant, rng = topic
    lists = rng.integers(0, len(relevant) + 1, (2, 4, depth))
    values = measure.values(lists, relevant)  # whatever the numbers of documents
    assert values.shape == (2, 4)
    for index in np.ndindex(2, 4):
        assert values[index] == pytest.approx(twin(lists[index].tolist(), relevant), abs=1e-12)


@given(topics(wanted=lambda measure: measure.is_form() or measure.is_cascade()), st.integers(0, 3))
def test_expected_value_equals_full_enumeration(topic: Topic, certain: int) -> None:
    """Also where the grades of the first ranks are certain."""
    measure, twin, depth, relevant, rng = topic
    levels = len(relevant)
    depth = min(depth, 5 if levels == 3 else 6)
    p = rng.dirichlet(np.full(levels + 1, 0.7), depth)
    p[:certain] = np.eye(levels + 1)[rng.integers(0, levels + 1, len(p[:certain]))]
    lists = naive.all_lists(depth, levels)
    values = np.array([twin(x.tolist(), relevant) for x in lists])
    assert measure.expected(p, relevant) == pytest.approx(float(naive.probabilities(lists, p) @ values), abs=1e-10)


@given(topics(most_depth=8))
def test_derivatives_equal_finite_differences(topic: Topic) -> None:
    """Gradient and Hessian action against central differences (exact for a quadratic)."""
    measure, _, depth, relevant, rng = topic
    form = measure.form(relevant, depth)
    p, x = rng.random((2, depth, form.levels + 1))
    slope = (form.expected(p + x) - form.expected(p - x)) / 2
    assert np.sum(form.gradient(p) * x) == pytest.approx(slope, abs=1e-9, rel=1e-9)
    change = (form.gradient(p + x) - form.gradient(p - x)) / 2
    np.testing.assert_allclose(form.hessian_action(x), change, atol=1e-9)


@given(st.integers(1, 4).flatmap(lambda levels: measured(levels)))
def test_text_form_parses_back(pair: tuple[me.measures.Measure, Naive]) -> None:
    measure, _ = pair
    again = me.parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)


def test_texts_are_as_short_as_possible() -> None:
    shown = [str(m) for m in (me.GAP(g=(0, 1)), me.nDCG(gain="exp2", cutoff=5), me.AP(rel=1), me.RBP())]
    assert shown == ["GAP(g=0,1)", "nDCG(gain=exp2)@5", "AP", "RBP"]


@pytest.mark.parametrize(
    "text",
    [
        "foo",
        "Map",
        "ndcg_10",
        "P_0",
        "GAP",
        "GAP(g=0.5,0.4)",
        "GAP(g=-0.5,1.5)",
        "GAP(g=nan,1)",
        "GAP(0.5,0.5)",
        "AP(rel=x)",
        "AP(rel=0)",
        "AP(k=3)",
        "Rprec@5",
        "AP(rel=1,rel=2)",
        "nDCG@0",
        "nDCG@1.5",
        "nDCG(gain=cubic)",
        "nDCG(gain=1,-3)",
        "nDCG(discount=none)",
        "nDCG(b=3)",
        "nDCG(discount=jk,b=1)",
        "RBP(p=1)",
        "AP(rel=2",
        "muAP(levels=1,1)",
        "muAP(levels=0,1)",
        "muAP(levels=1,inf)",
        "Q(beta=-1)",
        "ERR(gain=1,2,top=2)",
        "ADM(size=0)",
    ],
)
def test_bad_texts_say_what_is_wrong(text: str) -> None:
    with refused(me.errors.MeasureError):
        me.parse_measure(text)


@pytest.mark.parametrize(
    ("text", "grades", "relevant"),
    [
        ("GAP(g=.5,.5)", [0, 1], (1, 1, 1)),
        ("AP(rel=3)", [0, 1], (1, 1)),
        ("AP", [0, 3], (1, 1)),
        ("muAP(levels=1)", [0, 1], (1, 1)),
        ("ERR(top=1)", [0, 1], (1, 1)),
        ("nRecall(size=1)", [0, 1], (1, 1)),
        ("ADM(size=2)", [0, 1], (1, 1)),
        ("RR", [0, 1], (1, -1)),
        ("RR", np.zeros((3, 0), dtype=int), (1, 1)),
        ("AP", [0.0, 1.0], (1, 1)),
    ],
)
def test_measures_must_fit_the_topic(text: str, grades: Any, relevant: tuple[int, ...]) -> None:
    with refused(me.errors.MeasureError):
        me.parse_measure(text).evaluate(grades, relevant)


@pytest.mark.parametrize("cls", MEASURES.values())
def test_a_docstring_has_source_parameters_and_an_example_that_runs(cls: type[me.measures.Measure]) -> None:
    assert cls.reference != me.measures.Measure.reference
    (test,) = doctest.DocTestFinder(recurse=False).find(cls, cls.__name__)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
    text = inspect.getdoc(cls) or ""
    for field in dataclasses.fields(cls):
        assert re.search(rf"^{field.name} : .+\n    [A-Z]", text, re.M), field.name


@given(simplex(3), st.integers(0, 1000))
def test_gap_is_the_weighted_mean_of_ap(g: tuple[float, ...], seed: int) -> None:
    """Design 2: GAP = sum_k g_k R_>=k AP(k) / sum_k g_k R_>=k."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(4, 20, p=rng.dirichlet(np.full(4, 0.5)))
    relevant = np.bincount(grades, minlength=4)[1:] + rng.integers(0, 3, 3)
    base = np.cumsum(relevant[::-1])[::-1] * g
    parts = np.array([float(me.AP(rel=k).evaluate(grades, relevant)) for k in (1, 2, 3)])
    expected = base @ parts / base.sum() if base.sum() else 0.0
    assert float(me.GAP(g=g).evaluate(grades, relevant)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "AP", "GAP(g=.3,.7)", "xGAP(g=.3,.7)", "eGAP(g=.3,.7)", "muAP", "gAP", "wAP", "Q", "Q(beta=10)", "nDCG",
        "nDCG(gain=exp2)", "mnDCG", "NDCNG", "SR", "mSR", "gR", "Rprec", "nRecall", "nPrecision", "nERR", "RR",
    ],
)  # fmt: skip
def test_perfect_lists_have_value_one_and_those_without_relevant_documents_zero(text: str) -> None:
    measure = me.parse_measure(text)
    assert measure.evaluate([2, 1, 1, 0], (2, 1)) == pytest.approx(1.0, abs=1e-14)
    assert measure.evaluate([0, 0, 0], (0, 0)) == measure.evaluate([0], (3, 1)) == 0


def test_half_life_and_distance_without_relevant_documents() -> None:
    """Half of nothing is never reached; a distance from nothing is still a distance."""
    assert me.RHL().evaluate([[0, 0, 0], [0, 1, 0]], (1, 0)).tolist() == [np.inf, 1.5]
    assert me.ADM().evaluate([0, 0], (0, 0)) == pytest.approx(1 - (1 + 0.5) / 2)


@pytest.mark.parametrize(
    ("graded", "binary"),
    [
        *((name, "AP") for name in ("gAP", "Q(beta=0)", "muAP", "muAP(levels=7)", "xGAP(g=1)")),
        *((name, "P@3") for name in ("SR@3", "gP@3")),
    ],
)
def test_one_grade_makes_measures_binary(graded: str, binary: str) -> None:
    grades = np.random.default_rng(5).integers(0, 2, (20, 9))
    found = me.parse_measure(graded).evaluate(grades, (9,))
    np.testing.assert_allclose(found, me.parse_measure(binary).evaluate(grades, (9,)), atol=1e-14)


def test_scale_of_levels_does_not_matter_to_mu_ap_and_ndcng() -> None:
    """Unused grades neither, unlike in eGAP, where the users of an unused grade find nothing."""
    grades, spread = np.array([1, 0, 2, 1, 2]), np.array([2, 0, 4, 2, 4])
    narrow, wide = (3, 2), (0, 3, 0, 2, 0)
    for text in ("muAP", "NDCNG"):
        found = me.parse_measure(text).evaluate(spread, wide)
        assert found == pytest.approx(float(me.parse_measure(text).evaluate(grades, narrow)), abs=1e-15)
    assert me.eGAP(g=(0.5, 0.25, 0.25)).evaluate(grades, (3, 2, 0)) == pytest.approx(
        0.5 * float(me.AP().evaluate(grades, narrow)) + 0.25 * float(me.AP(rel=2).evaluate(grades, narrow))
    )


@given(st.integers(1, 3), st.integers(1, 12), st.integers(0, 10_000))
def test_bpref_equals_the_naive_twin(levels: int, depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, levels + 1, (3, depth))
    known = rng.random((3, depth)) < 0.5
    relevant = tuple(int(r) for r in np.full(levels, depth) - rng.integers(0, 2, levels))
    judged = me.measures.JudgedNonrelevant(known, depth + int(rng.integers(0, 3)))
    for rel in range(1, levels + 1):
        values = me.Bpref(rel=rel).values(grades, relevant, judged)
        for row in range(3):
            twin = naive.bpref(grades[row].tolist(), relevant, rel, known[row].tolist(), judged.total)
            assert values[row] == pytest.approx(twin, abs=1e-12)


def test_bpref_needs_judgments() -> None:
    with refused(me.errors.MeasureError):
        me.Bpref().evaluate([1, 0], (1,))
    with refused(me.errors.MeasureError):
        me.Bpref().evaluate([0, 0], (1,), judged=me.measures.JudgedNonrelevant(np.array([True, True]), 1))
    assert me.Bpref().evaluate([0, 0], (0,), judged=me.measures.JudgedNonrelevant(np.array([False, True]), 1)) == 0
    assert (
        me.Bpref().evaluate([1, 0], (2,), judged=me.measures.JudgedNonrelevant(np.array([False, False]), 0)) == 0.5
    )


@pytest.mark.parametrize("text", ["Bpref", "Judged@3", "RHL", "ADM"])
def test_measures_that_are_only_evaluated_say_which_can_be_constraints(text: str) -> None:
    measure = me.parse_measure(text)
    assert not measure.is_form()
    assert not measure.is_cascade()
    for ask in (lambda: measure.form((2, 1), 3), lambda: measure.expected(np.full((3, 3), 1 / 3), (2, 1))):
        with refused(me.errors.MeasureError):
            ask()
    with refused(me.errors.MeasureError):
        me.Problem(measure, value=0.3, relevant=(2, 1), retrieved=(2, 1), depth=5)


def test_usage_shows_every_parameter() -> None:
    assert [cls.usage() for cls in (me.AP, me.GAP, me.P, me.nDCG, me.nRecall)] == [
        "AP(rel=1,judged_only=False)[@k]",
        "GAP(g=...)[@k]",
        "P(rel=1,judged_only=False)@k",
        "nDCG(gain=linear,discount=log2,b=2,judged_only=False)[@k]",
        "nRecall(rel=1,size=...)",
    ]


def test_an_expectation_needs_a_distribution() -> None:
    for p in ([[0.5, 0.6]], [[2.0, -1.0]], [[float("nan"), 0.5]]):
        with refused(me.errors.MeasureError):
            me.AP().expected(p, (1,))
    with refused(me.errors.MeasureError):
        me.AP().expected(np.ones((4, 2)), (1, 1))


def test_hardly_any_relevant_documents_of_a_large_database() -> None:
    """Normalised recall and precision of 1e-7 documents are those of their slopes at R = 0, with all digits."""
    size, R, n = 1_000_003, 1e-7, np.arange(1.0, 4)
    recall, precision = (measure(size=size).form((R,), 3).a[:, 1] * R for measure in (me.nRecall, me.nPrecision))
    np.testing.assert_allclose(recall, (size + 0.5 - n) / size, rtol=1e-11)
    last, first = digamma((size + 1, 1))
    np.testing.assert_allclose(precision, (last - np.log(n)) / (last - first), rtol=1e-6)


@pytest.mark.parametrize("measure", [me.nRecall(), me.nPrecision()])
def test_a_database_of_relevant_documents_but_for_rounding_has_no_order(measure: me.measures.Measure) -> None:
    np.testing.assert_allclose(measure.form((3 * (1 - 1e-10),), 3).a[:, 1], 1 / 3, rtol=1e-9)
    assert np.ptp(measure.form((3 * (1 - 1e-7),), 3).a[:, 1]) > 1e6


def test_fractions_that_sum_to_a_whole_number_count_as_such() -> None:
    """One after the other these six sum to 4.9999999999999991."""
    relevant = (
        *(0.1837627697965702, 1.927900570672244, 1.8425622402387734),
        *(0.8755121156774232, 0.04310350688962682, 0.12715879672536207),
    )
    assert functools.reduce(operator.add, relevant) < 5  # sum() compensates from Python 3.12 on
    assert me.Rprec().form(relevant, 9).a[:, 1].tolist() == [0.2] * 5 + [0.0] * 4


def test_topics_share_their_coefficients_as_long_as_anybody_has_them() -> None:
    """Run after run, over more topics than are kept by themselves."""
    topics = [(float(relevant), 2.0) for relevant in range(1, 101)]
    forms = [me.AP().form(topic, 30) for topic in topics]
    assert all(me.AP().form(topic, 30) is form for topic, form in zip(topics, forms, strict=True))


BILLIONS = ((10**9, 10**9), (100, 100))


@pytest.mark.parametrize("text", ["nDCG@10", "NDCNG@3", "nDCG(gain=exp2)@10", "nERR@10"])
def test_an_ideal_list_is_no_longer_than_the_cutoff(text: str) -> None:
    measure = me.parse_measure(text)
    many, few = (measure.form(own, 20) if measure.is_form() else measure.expectation(own, 20) for own in BILLIONS)
    grades = np.array([2, 1, 0, 2, *[0] * 16])
    assert many.evaluate(grades) == few.evaluate(grades)


def test_the_partial_forms_of_ndcg_have_ideal_lists_up_to_the_cutoff() -> None:
    many, few = (me.nDCG(cutoff=10).partial_forms(own, 20) for own in BILLIONS)
    for one, other in zip(many, few, strict=True):
        np.testing.assert_array_equal(one.a, other.a)


@pytest.mark.parametrize("text", ["nDCG", "gAP", "gAP@10", "NDCNG", "nERR"])
def test_an_ideal_list_without_a_cutoff_has_a_limit(text: str) -> None:
    measure = me.parse_measure(text)
    assert measure.evaluate([1, 0], (10**5, 3)) >= 0
    with refused(me.errors.MeasureError):
        measure.evaluate([1, 0], BILLIONS[0])


def test_the_broken_stick_is_the_mean_of_weights_that_fall_with_the_rank() -> None:
    """Pieces of a stick broken at random, by decreasing length, have its weights as means."""
    draws = np.sort(np.random.default_rng(1).dirichlet(np.ones(6), 20_000))[:, ::-1]
    weights = me.BrokenStick().form((3,), 6).a[:, 1]
    standard_errors = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - weights) < 4 * standard_errors).all()
    assert weights.sum() == pytest.approx(1)
