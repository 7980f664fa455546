"""What others call measures of ours: their texts, names and objects, and the values that they mean by them."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import ir_measures
import numpy as np
import pytest

import maxent as me
from maxent.measures import as_measures
from maxent.measures.candidates import Kind, candidate
from tests.golden.messages import refused


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        # trec_eval
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.20", "nDCG@20"),
        ("P_10", "P@10"),
        ("recip_rank", "RR"),
        ("recall_1000", "R@1000"),
        ("success_10", "Success@10"),
        ("bpref", "Bpref"),
        ("Rprec", "Rprec"),
        # ranx
        ("ndcg@10", "nDCG@10"),
        ("ndcg_burges@10", "nDCG(gain=exp2)@10"),
        ("map@100", "AP@100"),
        ("p@5", "P@5"),
        ("precision@5", "P@5"),
        ("recall@100", "R@100"),
        ("mrr@10", "RR@10"),
        ("hit_rate@1", "Success@1"),
        ("r-precision", "Rprec"),
        # MTEB
        ("ndcg_at_10", "nDCG@10"),
        ("mrr_at_10", "RR@10"),
        ("map_at_100", "AP@100"),
        ("recall_at_100", "R@100"),
        ("precision_at_5", "P@5"),
        ("hit_rate_at_5", "Success@5"),
        # recommender systems
        ("HitRate@10", "Success@10"),
        # ir_measures
        ("MAP(rel=2)", "AP(rel=2)"),
        ("MRR@10", "RR@10"),
        ("NDCG@5", "nDCG@5"),
        ("Recall@50", "R@50"),
        ("Precision(rel=2)@5", "P(rel=2)@5"),
        ("BPref", "Bpref"),
        ("RPrec", "Rprec"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp2)@10"),
        ("nDCG(dcg=exp-log2)", "nDCG(gain=exp2)"),
        ('nDCG(dcg="log2")', "nDCG"),
        ("DCG(dcg='exp-log2')", "DCG(gain=exp2)"),
        ("mnDCG(dcg='log2')", "mnDCG(discount=log2)"),
        ("AP(judged_only=True)@10", "AP(judged_only=True)@10"),
        ("P(cutoff=5)", "P@5"),
        # NTCIREVAL
        ("MSnDCG@10", "nDCG@10"),
        ("MSnDCG(gain=1,3,7)@10", "nDCG(gain=1,3,7)@10"),
        # Python
        ("nDCG()@10", "nDCG@10"),
        ("nDCG( gain = 'exp2' , discount = \"jk\" , b = 3 , ) @ 10", "nDCG(gain=exp2,discount=jk,b=3)@10"),
        ("GAP(g=(0.5, 0.5))", "GAP(g=0.5,0.5)"),
        ("nDCG(gain=linear,discount=log2)", "nDCG"),
        ("Q(beta=1)", "Q"),
        ("GAP(g=[.5,.5])@5", "GAP(g=0.5,0.5)@5"),
        ("nDCG(gain={1: 1, 2: 3})@10", "nDCG(gain=1,3)@10"),
    ],
)
def test_what_others_write_is_read(text: str, ours: str) -> None:
    assert str(me.parse_measure(text)) == ours


@pytest.mark.parametrize(
    "text",
    [
        "recal@10",
        "NDGC@10",
        "nDCG(gains=exp-2)",
        "nDCG(dcg=ln)",
        "nDCG(dcg={1: 2})",
        "nDCG(dcg=log2,gains={1: 2})",
        "nDCG(discont=jk)",
        "AP(judged_only=yes)",
        "R",
        "Judged",
        "map_cut",
        "ndcg_at_x",
        "foo_at_10",
        "map_cut.5,10",
        "map@x",
        "p",
        "RBP(rel=2,gain=linear)",
        "SetP",
    ],
)
def test_what_is_meant_is_guessed(text: str) -> None:
    with refused(me.errors.MeasureError):
        me.parse_measure(text)


OBJECTS = {
    ir_measures.AP @ 10: "AP@10",
    ir_measures.nDCG(dcg="exp-log2") @ 5: "nDCG(gain=exp2)@5",
    ir_measures.nDCG(gains={0: 0, 1: 1, 2: 5}): "nDCG(gain=1,5)",
    ir_measures.MRR: "RR",
    ir_measures.R(rel=2) @ 7: "R(rel=2)@7",
    ir_measures.Success @ 5: "Success@5",
    ir_measures.Judged @ 5: "Judged@5",
    ir_measures.Bpref: "Bpref",
    # what differs in meaning is translated
    ir_measures.RBP(p=0.5): "RBP(p=0.5,gain=linear)",
    ir_measures.RBP(p=0.5, rel=1): "RBP(p=0.5)",
    ir_measures.ERR @ 20: "ERR(top=4)@20",
}


def test_measures_of_ir_measures_are_measures() -> None:
    assert as_measures(OBJECTS) == tuple(map(me.parse_measure, OBJECTS.values()))
    with refused(me.errors.MeasureError):
        me.parse_measure(ir_measures.alpha_nDCG @ 20)
    for single in (ir_measures.AP, me.AP(), "AP", 3):
        with refused(me.errors.MeasureError):
            as_measures(single)  # type: ignore[arg-type]
    with refused(me.errors.MeasureError):
        as_measures([3])  # type: ignore[list-item]


def test_they_are_known_by_their_looks() -> None:
    """ir_measures need not be there."""

    @dataclass
    class Looks:
        NAME: str = "nDCG"
        params: dict[str, Any] = field(default_factory=lambda: {"cutoff": np.int64(10)})

    assert me.parse_measure(Looks()) == me.nDCG(cutoff=10)


LIST, RELEVANT = [2, 0, 1, 0, 3, 1, 0, 0, 2, 1], (4, 3, 2)


@pytest.mark.parametrize(
    ("text", "linear", "exponential"),
    [
        # from pyNTCIREVAL 0.0.3 with the gains 1:2:3 and 1:3:7
        ("AP", 0.45432098765432094, 0.45432098765432094),
        ("Q(beta=0)@5", 0.45333333333333337, 0.45333333333333337),
        ("Q", 0.38758768922855613, 0.33149816483149813),
        ("Q@5", 0.3467914438502674, 0.26),
        ("Q@20", 0.38758768922855613, 0.33149816483149813),
        ("nERR@5", 0.6955468039987882, 0.5324087702657029),
        ("nERR@10", 0.7050310548830221, 0.5369804883465003),
        ("ERR", 0.6066080729166666, 0.5011285146077474),
        ("MSnDCG@5", 0.48626890791624094, 0.4039254814216876),
        ("nDCG(discount=jk)@5", 0.4299975885443162, 0.35567193255803886),
        ("RBP(p=0.8)", 0.3110828032, 0.2134975488),
    ],
)
def test_values_of_ntcireval(text: str, linear: float, exponential: float) -> None:
    for gain, value in (("linear", linear), ("exp2", exponential)):
        measure = me.parse_measure(text)
        graded = measure if isinstance(measure, me.AP) else type(measure)(**{**vars(measure), "gain": gain})
        assert graded.evaluate(LIST, RELEVANT) == pytest.approx(value, abs=1e-12)


# --- unjudged documents ---

KNOWN = me.measures.JudgedNonrelevant(np.array([False, True, False, False, True, False]), 3)
OBSERVED = [0, 0, 2, 0, 0, 1]  # judged are ranks 2, 3, 5, 6


@pytest.mark.parametrize(
    "text", ["AP", "AP@2", "P@3", "R@2", "Rprec", "nDCG", "nDCG(gain=exp2)@3", "RR", "RR(rel=2)", "Success@2"]
)
def test_judged_only_removes_unjudged_documents_first(text: str) -> None:
    every = me.parse_measure(text)
    only = type(every)(**{**vars(every), "judged_only": True})
    assert me.parse_measure(str(only)) == only
    expected = every.evaluate([0, 2, 0, 1, 0, 0], (2, 1))
    assert only.evaluate(OBSERVED, (2, 1), judged=KNOWN) == expected
    both = only.evaluate(
        [OBSERVED, OBSERVED], (2, 1), judged=me.measures.JudgedNonrelevant(np.stack([KNOWN[0]] * 2), 3)
    )
    assert both.tolist() == [expected] * 2
    with refused(me.errors.MeasureError):
        only.evaluate(OBSERVED, (2, 1))
    with refused(me.errors.MeasureError):
        me.measures.value_changes(only, OBSERVED, (2, 1))
    with refused(me.errors.MeasureError):
        only.expected(np.full((6, 3), 1 / 3), (2, 1))
    if only.is_form():
        with refused(me.errors.MeasureError):
            me.Problem(only, value=0.5, relevant=(2, 1), retrieved=(1, 1), depth=6)


def test_the_share_of_judged_documents() -> None:
    judged = [float(me.Judged(cutoff=k).evaluate(OBSERVED, (2, 1), judged=KNOWN)) for k in (1, 2, 3, 6, 8)]
    assert judged == [0, 1 / 2, 2 / 3, 4 / 6, 4 / 8]
    with refused(me.errors.MeasureError):
        me.Judged(cutoff=2).evaluate(OBSERVED, (2, 1))


# --- cutoffs ---


def test_normalisers_at_a_cutoff() -> None:
    """AP@k is divided by all relevant documents (trec_eval), Q@k by those that can be found (NTCIREVAL)."""
    grades, relevant = [1, 1, 0, 1], (5,)
    assert me.AP(cutoff=2).evaluate(grades, relevant) == pytest.approx(2 / 5)
    assert me.Q(cutoff=2).evaluate(grades, relevant) == pytest.approx(1)
    assert me.wAP(cutoff=2).evaluate(grades, relevant) == pytest.approx(1)
    for text in ("GAP(g=1)", "xGAP(g=1)", "eGAP(g=1)", "muAP", "gAP"):
        assert me.parse_measure(f"{text}@2").evaluate(grades, relevant) == pytest.approx(2 / 5)


@pytest.mark.parametrize("cutoff", [4, 7, None])
@pytest.mark.parametrize("first", [0.3, 0.0])
@pytest.mark.parametrize("kind", ["GAP", "nDCG"])
def test_derivatives_by_g(kind: Kind, first: float, cutoff: int | None) -> None:
    """At the ends, where grades or ranks have the same gain, from the side that has other measures."""
    grades, relevant, step = np.array([1, 2, 0, 1, 2, 2, 0, 1]), (4, 5), 1e-6
    for g in ((first, 1 - first), (1 - first, first)):
        at = [(g[0] + h, g[1] - h) for h in ((-step, step) if first else (0, step if g[0] == 0 else -step))]
        measures = [dataclasses.replace(candidate(kind, own), cutoff=cutoff) for own in (g, *at)]
        forms = measures[0].partial_forms(relevant, len(grades))
        slope = float(forms[0].evaluate(grades) - forms[1].evaluate(grades))
        before, after = (float(measure.evaluate(grades, relevant)) for measure in measures[1:])
        assert slope == pytest.approx((after - before) / (at[1][0] - at[0][0]), rel=1e-4)


@pytest.mark.parametrize("count", ["retrieved", "total", "at_most"])
@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("relevant_first", [True, False])
def test_ranks_beyond_a_cutoff_are_as_random_as_they_can_be(count: Any, k: int, relevant_first: bool) -> None:
    """At the ends of their intervals AP@k and P@k say the same: all or none of the first k are relevant."""
    rest = [1, 0, 2, 0, 1, 1, 0, 0, 2]
    grades = [int(relevant_first)] * k + rest
    relevant = (sum(g == 1 for g in grades) + 2, 3)
    found = [
        me.solve(me.Problem.of_list(me.parse_measure(f"{name}@{k}"), grades, relevant, count=count))
        for name in ("AP", "P")
    ]
    assert {solution.status for solution in found} == {"boundary"}
    assert found[0].entropy == pytest.approx(found[1].entropy)
    np.testing.assert_allclose(found[0].p, found[1].p, atol=1e-12)


def test_cutoffs_are_listed_as_in_trec_eval() -> None:
    assert as_measures(["ndcg_cut.10,20", "P_5,10", "AP"]) == as_measures(
        ["nDCG@10", "nDCG@20", "P@5", "P@10", "AP"]
    )
    with refused(me.errors.MeasureError):
        as_measures(["map.5,10"])
