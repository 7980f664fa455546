"""Measures: text forms, naive twins, full enumeration, derivatives and published identities."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxent.errors import MeasureError
from maxent.measures import AP, DCG, GAP, MEASURES, RBP, Measure, P, Rprec, as_measures, nDCG, parse_measure
from maxent.measures.form import Form, pairwise_form
from tests import naive

Naive = Callable[[Sequence[int], Sequence[int]], float]


def simplex(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    """Probabilities, some of them zero."""
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(x / sum(w) for x in w))


@st.composite
def measured(draw: st.DrawFn, levels: int) -> tuple[Measure, Naive]:
    """A measure of every kind and parameter, and its naive twin."""
    rel = draw(st.integers(1, levels))
    cutoff = draw(st.none() | st.integers(1, 8))
    table = st.tuples(*[st.integers(0, 9).map(float)] * levels)
    gain: str | tuple[float, ...] = draw(st.sampled_from(["linear", "exp2", "exp"]) | table)
    discount = draw(st.sampled_from(["log2", "jk", "inverse"]))
    b = draw(st.sampled_from([2.0, 3.0, 10.0])) if discount == "jk" else 2.0
    g = draw(simplex(levels))
    p = draw(st.floats(0.05, 0.95))
    k = cutoff or 3
    kinds: list[tuple[Measure, Naive]] = [
        (AP(rel=rel), lambda x, r: naive.ap(x, r, rel)),
        (GAP(g=g), lambda x, r: naive.gap(x, r, g)),
        (P(cutoff=k, rel=rel), lambda x, r: naive.precision_at(x, r, k, rel)),
        (Rprec(rel=rel), lambda x, r: naive.r_precision(x, r, rel)),
        (RBP(p=p, rel=rel), lambda x, r: naive.rbp(x, r, p, rel)),
        (
            DCG(gain=gain, discount=discount, b=b, cutoff=cutoff),
            lambda x, r: naive.dcg(x, r, gain, discount, b, cutoff),
        ),
        (
            nDCG(gain=gain, discount=discount, b=b, cutoff=cutoff),
            lambda x, r: naive.ndcg(x, r, gain, discount, b, cutoff),
        ),
    ]
    return draw(st.sampled_from(kinds))


@st.composite
def topics(
    draw: st.DrawFn, most_depth: int = 6
) -> tuple[Measure, Naive, int, tuple[int, ...], np.random.Generator]:
    """Measure, twin, depth, relevant counts, and randomness."""
    levels = draw(st.integers(1, 3))
    measure, twin = draw(measured(levels))
    relevant = tuple(draw(st.lists(st.integers(0, 5), min_size=levels, max_size=levels)))
    return (
        measure,
        twin,
        draw(st.integers(1, most_depth)),
        relevant,
        np.random.default_rng(draw(st.integers(0, 99))),
    )


@given(topics(most_depth=12))
@settings(max_examples=300, deadline=None)
def test_evaluation_equals_the_naive_twin(
    topic: tuple[Measure, Naive, int, tuple[int, ...], np.random.Generator],
) -> None:
    measure, twin, depth, relevant, rng = topic
    lists = rng.integers(0, len(relevant) + 1, (2, 4, depth))
    values = measure.evaluate(lists, relevant)
    assert values.shape == (2, 4)
    for index in np.ndindex(2, 4):
        assert values[index] == pytest.approx(twin(lists[index].tolist(), relevant), abs=1e-12)


@given(topics())
@settings(max_examples=120, deadline=None)
def test_expected_value_equals_full_enumeration(
    topic: tuple[Measure, Naive, int, tuple[int, ...], np.random.Generator],
) -> None:
    measure, twin, depth, relevant, rng = topic
    levels = len(relevant)
    depth = min(depth, 4 if levels == 3 else 6)
    p = rng.dirichlet(np.full(levels + 1, 0.7), depth)
    lists = naive.all_lists(depth, levels)
    values = np.array([twin(x.tolist(), relevant) for x in lists])
    assert measure.expected(p, relevant) == pytest.approx(float(naive.probabilities(lists, p) @ values), abs=1e-10)


def test_expected_value_equals_full_enumeration_at_the_largest_size() -> None:
    rng = np.random.default_rng(1)
    lists = naive.all_lists(6, 3)
    p = rng.dirichlet(np.ones(4), 6)
    probability = np.prod(p[np.arange(6), lists], axis=1)
    for text in (
        "AP",
        "AP(rel=3)",
        "GAP(g=.2,.3,.5)",
        "nDCG(gain=exp2)@4",
        "DCG",
        "P@3",
        "Rprec(rel=2)",
        "RBP(p=.6)",
    ):
        measure = parse_measure(text)
        expected = float(probability @ measure.evaluate(lists, (2, 0, 1)))
        assert measure.expected(p, (2, 0, 1)) == pytest.approx(expected, abs=1e-12)


@given(topics(most_depth=8))
@settings(max_examples=100, deadline=None)
def test_derivatives_equal_finite_differences(
    topic: tuple[Measure, Naive, int, tuple[int, ...], np.random.Generator],
) -> None:
    measure, _, depth, relevant, rng = topic
    form = measure.form(relevant, depth)
    check_derivatives(form, rng)


def test_derivatives_of_a_kernel_without_symmetry() -> None:
    rng = np.random.default_rng(3)
    check_derivatives(pairwise_form(rng.random(7), rng.random((3, 3))), rng)


def check_derivatives(form: Form, rng: np.random.Generator) -> None:
    """Gradient and Hessian action against central differences (exact for a quadratic)."""
    p, x = rng.random((2, form.depth, form.levels + 1))
    slope = (form.expected(p + x) - form.expected(p - x)) / 2
    assert np.sum(form.gradient(p) * x) == pytest.approx(slope, abs=1e-9, rel=1e-9)
    change = (form.gradient(p + x) - form.gradient(p - x)) / 2
    np.testing.assert_allclose(form.hessian_action(x), change, atol=1e-9)


@given(st.integers(1, 4).flatmap(lambda levels: measured(levels)))
@settings(max_examples=200)
def test_text_form_parses_back(pair: tuple[Measure, Naive]) -> None:
    measure, _ = pair
    again = parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("GAP(g=0.5,0.5)", GAP(g=(0.5, 0.5))),
        ("nDCG(gain=exp2,discount=log2)@10", nDCG(gain="exp2", cutoff=10)),
        ("nDCG", nDCG(gain="linear", discount="log2")),
        (" nDCG( gain = 1, 3 ) ", nDCG(gain=(1, 3))),
        ("DCG(discount=jk,b=10)", DCG(discount="jk", b=10)),
        ("P@10", P(cutoff=10)),
        ("RBP(p=0.95)", RBP(p=0.95)),
        ("AP(rel=2)", AP(rel=2)),
    ],
)
def test_text_forms(text: str, measure: Measure) -> None:
    assert parse_measure(text) == measure


def test_texts_are_as_short_as_possible() -> None:
    assert [str(m) for m in (GAP(g=(0, 1)), nDCG(gain="exp2", cutoff=5), AP(), RBP())] == [
        "GAP(g=0,1)",
        "nDCG(gain=exp2)@5",
        "AP",
        "RBP",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("MAP", "known: AP, GAP"),
        ("GAP", "needs g"),
        ("P", "write P@10"),
        ("GAP(g=0.5,0.4)", "sum to 1"),
        ("GAP(g=-0.5,1.5)", "sum to 1"),
        ("GAP(g=nan,1)", "sum to 1"),
        ("GAP(0.5,0.5)", "expected parameter=value"),
        ("AP(rel=x)", "rel=x is not a number"),
        ("AP(rel=0)", "positive grade"),
        ("AP(k=3)", "no parameter 'k'"),
        ("AP@5", "no cutoff"),
        ("AP(rel=1,rel=2)", "twice"),
        ("nDCG@0", "cutoff must be a rank"),
        ("nDCG@1.5", "not a number"),
        ("nDCG(gain=cubic)", "unknown gain 'cubic'"),
        ("nDCG(gain=1,-3)", "not negative"),
        ("nDCG(discount=none)", "unknown discount"),
        ("nDCG(b=3)", "base of discount=jk"),
        ("nDCG(discount=jk,b=1)", "above 1"),
        ("RBP(p=1)", "strictly between"),
        ("AP(rel=2", "cannot read"),
    ],
)
def test_bad_texts_say_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(MeasureError, match=says.replace("(", r"\(")):
        parse_measure(text)


def test_measures_must_fit_the_topic() -> None:
    with pytest.raises(MeasureError, match="2 threshold probabilities, but the topic has 3"):
        GAP(g=(0.5, 0.5)).evaluate([0, 1], (1, 1, 1))
    with pytest.raises(MeasureError, match="rel=3 is outside 1..2"):
        AP(rel=3).evaluate([0, 1], (1, 1))
    with pytest.raises(MeasureError, match="3 gains given, but the topic has 2"):
        nDCG(gain=(1, 2, 3)).evaluate([0, 1], (1, 1))
    with pytest.raises(MeasureError, match=r"grade 3 is outside 0\.\.2"):
        AP().evaluate([0, 3], (1, 1))
    with pytest.raises(MeasureError, match="integers"):
        AP().evaluate([0.0, 1.0], (1, 1))
    with pytest.raises(MeasureError, match=r"shape \(depth, 3\)"):
        AP().expected(np.ones((4, 2)), (1, 1))


def test_every_measure_names_its_source() -> None:
    assert all(cls.reference for cls in MEASURES.values())


@given(simplex(3), st.integers(0, 1000))
@settings(max_examples=50)
def test_gap_is_the_weighted_mean_of_ap(g: tuple[float, ...], seed: int) -> None:
    """Design 2: GAP = sum_k g_k R_>=k AP(k) / sum_k g_k R_>=k."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(4, 20, p=rng.dirichlet(np.full(4, 0.5)))
    relevant = np.bincount(grades, minlength=4)[1:] + rng.integers(0, 3, 3)
    base = np.cumsum(relevant[::-1])[::-1] * g
    parts = np.array([float(AP(rel=k).evaluate(grades, relevant)) for k in (1, 2, 3)])
    expected = base @ parts / base.sum() if base.sum() else 0.0
    assert float(GAP(g=g).evaluate(grades, relevant)) == pytest.approx(expected, abs=1e-12)


def test_gap_without_documents_in_its_grades_is_zero() -> None:
    assert GAP(g=(0, 1)).evaluate([1, 0, 1], (2, 0)) == 0


def test_perfect_lists_have_value_one() -> None:
    for text in ("AP", "GAP(g=.3,.7)", "nDCG", "nDCG(gain=exp2)", "Rprec"):
        assert parse_measure(text).evaluate([2, 1, 1, 0], (2, 1)) == pytest.approx(1.0, abs=1e-15)


def test_lists_of_measures_may_hold_texts() -> None:
    assert as_measures(["AP", GAP(g=(0.5, 0.5))]) == (AP(), GAP(g=(0.5, 0.5)))
    with pytest.raises(MeasureError, match="single measure AP"):
        as_measures(AP())  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="not a measure: 3"):
        as_measures([3])  # type: ignore[list-item]
