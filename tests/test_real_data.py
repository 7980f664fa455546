"""Real collections: values against independent tools, and the published check figures of the study."""

import dataclasses
import importlib
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.solvers import solve_alone
from maxent.studies import BYS, lists_kept
from tests.conftest import reads_texts


def read(data: Path, name: str) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    paths = sorted((data / name / "runs").iterdir())
    return {p.name: me.read_run(p) for p in paths}, me.read_qrels(data / name / "qrels.txt")


@pytest.fixture(scope="module")
def robust03(data: Path) -> me.data.Collection:
    return me.collect(*read(data, "robust03"), depth=1000)


@pytest.mark.slow
def test_both_readings_of_the_papers_filter(robust03: me.data.Collection) -> None:
    assert [lists_kept(robust03, by)[5] for by in BYS] == [362, 422]


def test_values_equal_trec_evals_own_fixture(data: Path) -> None:
    folder = data / "trec_eval"
    texts = {"map": "AP", "P_10": "P@10", "Rprec": "Rprec", "bpref": "Bpref", "recip_rank": "RR"}
    texts["rbp"] = "RBP(p=0.9)"  # trec_eval's persistence
    measures = {theirs: me.parse_measure(ours) for theirs, ours in texts.items()}
    expected = pd.read_csv(
        folder / "out.test.aq.gz", sep=r"\s+", names=["measure", "query_id", "value"], dtype=str, engine="python"
    )
    expected = expected[(expected["query_id"] != "all") & expected["measure"].isin(list(measures))]
    run, qrels = me.read_run(folder / "results.test.gz"), me.read_qrels(folder / "qrels.test.gz")
    values = me.evaluate(run, qrels, measures=list(measures.values()), float32=True).tables["values"]
    names = {name: str(measure) for name, measure in measures.items()}
    pairs = expected.assign(measure=expected["measure"].map(names)).merge(values, on=["query_id", "measure"])
    assert len(pairs) == len(expected) == len(values)
    np.testing.assert_allclose(pairs["value_y"], pairs["value_x"].astype(float), atol=5.1e-5)


FIGURES = {
    # design, section 4: GAP (0,1), (.25,.75), (.5,.5), (.75,.25), (1,0), nDCG
    ("recall", 1): (0.313, 0.252, 0.192, 0.171, 0.169, 0.253),
    ("recall", 2): (0.173, 0.278, 0.282, 0.182, 0.206, 0.250),
    ("rank", 1): (0.214, 0.137, 0.095, 0.089, 0.089, 0.145),
    ("rank", 2): (0.087, 0.115, 0.124, 0.102, 0.151, 0.102),
}


@pytest.mark.slow
@pytest.mark.parametrize("align", ["recall", "rank"])
def test_the_study_of_robust03(align: str, data: Path, tmp_path: Path) -> None:
    folder = data / "robust03"
    runs = [str(p) for p in sorted((folder / "runs").iterdir())]
    argv = ["study", "--qrels", str(folder / "qrels.txt"), "--runs", *runs, "--topics", "601-650", "--g-steps", "5"]
    argv += ["--reading", "papers"]
    assert main([*argv, "--align", align, "--jobs", "2", "--out", str(tmp_path)]) == 0
    summary = pd.read_csv(tmp_path / "summary.csv")
    assert (summary["lists"] == 362).all()
    measures = [*(f"GAP(g={g})" for g in ("0,1", "0.25,0.75", "0.5,0.5", "0.75,0.25", "1,0")), "nDCG(gain=exp2)"]
    for threshold in (1, 2):
        found = summary[summary["threshold"] == threshold].set_index("measure")["rms"].loc[measures]
        np.testing.assert_allclose(found, FIGURES[align, threshold], atol=2e-3)


@pytest.mark.slow
def test_every_list_of_clef2014_with_four_grades(data: Path) -> None:
    runs, qrels = read(data, "clef2014")
    some = dict(list(runs.items())[::6])
    measures = [me.GAP(g=(1 / 3, 1 / 3, 1 / 3)), me.GAP(g=(0, 0, 1)), me.AP(), me.nDCG(gain="exp2")]
    table = me.informativeness(some, qrels, measures=measures, jobs=2, progress=False)
    assert set(table["status"]) <= {"optimal", "boundary", "too_few", "missing"}
    assert (table["status"] == "optimal").sum() > 1000


TEXTS_OF_IR_MEASURES = """
    AP AP(rel=2) AP(rel=2)@10 AP(judged_only=True) AP(judged_only=True)@20 MAP@100
    P@10 P(rel=2)@5 P(judged_only=True)@10 Precision@1 R@10 R(judged_only=True)@30 Recall@1000
    Rprec(rel=2) Rprec(judged_only=True) RPrec nDCG nDCG@20 NDCG nDCG(judged_only=True)@10
    nDCG(gains={1:1,2:3,3:10})@20 nDCG(gains={1:0,2:4,3:5})
    RR(rel=2) RR(judged_only=True) MRR Success(rel=2)@5 Success(judged_only=True)@1
    Bpref(rel=2) BPref
"""


@pytest.mark.slow
@reads_texts
@pytest.mark.filterwarnings("ignore:(ast|Attribute).*deprecated:DeprecationWarning")  # ir_measures' own
@pytest.mark.parametrize("name", ["clef2014", "robust03", "covid-round4"])
def test_values_equal_ir_measures(name: str, data: Path) -> None:
    """Those of trec_eval: above a grade, with cutoffs, of tied scores (clef2014), on two and three grades."""
    import ir_measures

    paths, qrels = sorted((data / name / "runs").iterdir()), me.read_qrels(data / name / "qrels.txt")
    ours = {}
    for text in TEXTS_OF_IR_MEASURES.split():
        other = ir_measures.parse_measure(text)
        ours[me.parse_measure(other)] = other
        assert me.parse_measure(other) == me.parse_measure(text) == me.parse_measure(str(other))
    # with several gains in one call, the gains that ir_measures takes depend on the order of a set
    alone = [other for other in ours.values() if "gains" in other.params]
    groups = [[other for other in ours.values() if other not in alone], *([other] for other in alone)]
    texts = {str(other): str(measure) for measure, other in ours.items()}
    for path in paths[::20]:
        run = me.read_run(path)
        values = me.evaluate(run, qrels, measures=list(ours), float32=True).tables["values"]
        table = values.set_index(["measure", "query_id"])["value"]
        theirs = chain.from_iterable(ir_measures.iter_calc(group, qrels, run) for group in groups)
        found = {(texts[str(m.measure)], m.query_id): m.value for m in theirs}
        common = [key for key in found if key[1] in set(values["query_id"])]
        assert len(common) > 100
        np.testing.assert_allclose(table.loc[common], [found[key] for key in common], atol=1e-9)


def one_list(data: Path, name: str, run: str, topic: str) -> tuple[np.ndarray, tuple[float, ...]]:
    """Grades of a list, and the relevant documents of its topic."""
    runs = {run: me.read_run(data / name / "runs" / run)}
    collection = me.collect(runs, me.read_qrels(data / name / "qrels.txt"), topics=[topic])
    return collection.grades[0][0].astype(int), tuple(collection.relevant[0].tolist())


def test_rounding_does_not_decide_where_a_curve_is_flat(data: Path) -> None:
    """Once .999, and with recall times 1 + 1e-15 .667: one of two highly relevant documents is found, at rank 1."""
    grades, relevant = one_list(data, "robust03", "input.THUIRr0301.gz", "615")
    actual = me.actual_curve(grades, relevant, threshold=2)
    solution = me.solve(me.Problem.of_list(me.xGAP(g=(0.25, 0.75)), grades, relevant))
    curve = me.inferred_curve(solution, threshold=2)
    errors = [
        me.curve_error(actual, dataclasses.replace(curve, recall=curve.recall * factor)).rms
        for factor in (1 - 1e-15, 1.0, 1 + 1e-15)
    ]
    assert errors == pytest.approx([errors[0]] * 3, abs=1e-9)


PERFECT = [("630", "input.InexpC2.gz"), ("601", "input.NLPR03vb10.gz")]


@pytest.mark.parametrize("measure", ["wAP", "wAP(gain=exp2)", "Q", "xGAP(g=.5,.5)"])
@pytest.mark.parametrize(("topic", "run"), PERFECT)
def test_lists_that_are_all_but_perfect_are_solved(data: Path, topic: str, run: str, measure: str) -> None:
    """Their value is that of the best sorted list, or beyond it, and other distributions may have it too."""
    grades, relevant = one_list(data, "robust03", run, topic)
    solution = me.solve(me.Problem.of_list(me.parse_measure(measure), grades, relevant))
    assert solution.status in ("optimal", "boundary"), solution.message
    assert solution.certificate.accepted


def test_a_value_all_but_the_largest_is_solved_to_its_last_digits(data: Path) -> None:
    """RBP(.5) = 1 - 1.3e-11: the first ranks are all but certain, the others nearly as random as without it."""
    grades, relevant = one_list(data, "covid-round4", "BioInfo-run3.gz", "39")
    solution = me.solve(me.Problem.of_list(me.RBP(p=0.5), grades, relevant))
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.entropy == pytest.approx(623.527, abs=0.01)
    even = me.solve(me.Problem.of_list(me.P(cutoff=1000), grades, relevant))
    assert solution.entropy < even.entropy < solution.entropy + 200


LEADERBOARD = {
    "nDCG@20": "ndcg@20", "P@20": "P@20", "RBP(p=0.5,gain=linear)": "rbp_p5", "Bpref": "bpref", "AP": "map"
}  # fmt: skip


@pytest.mark.slow
def test_the_leaderboard_of_trec_covid(data: Path) -> None:
    """All 72 runs, all five columns, to the printed digit; RBP is graded there."""
    folder = data / "covid-round4"
    published = pd.read_csv(folder / "leaderboard.csv").set_index("tag")
    measures = list(LEADERBOARD)
    result = me.evaluate(folder / "runs", folder / "qrels.txt", measures=measures, wide=True, float32=True)
    means = result.table.set_index("run_id")
    assert set(means.index) == set(published.index)
    for ours, theirs in LEADERBOARD.items():
        np.testing.assert_allclose(means[ours], published.loc[means.index, theirs], atol=5.0001e-5, rtol=0)


@pytest.mark.slow
def test_measures_that_are_much_alike_are_solved_side_by_side(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the uniform distribution a sixth of these lists is not: they start from the first measure alone."""
    alone = []

    def counted(problem: me.Problem) -> me.problem.Solution:
        alone.append(problem)
        return solve_alone(problem)

    monkeypatch.setattr(importlib.import_module("maxent.solvers.solve"), "solve_alone", counted)
    paths = sorted((data / "covid-round4" / "runs").iterdir())[::12]
    runs, qrels = {path.name: path for path in paths}, data / "covid-round4" / "qrels.txt"
    options: dict[str, Any] = {"reading": "papers", "thresholds": (1,), "progress": False}
    table = me.informativeness(runs, qrels, measures=["GAP(g=even) & nDCG"], **options)
    optimal = (table["status"] == "optimal").sum()
    assert optimal > 200
    assert len(alone) < optimal / 20


PAIRED = ("AP", "GAP(g=0.5,0.5)", "nDCG", "nDCG@10", "P@10", "Rprec", "RBP")


@pytest.mark.slow
@pytest.mark.parametrize("pair", list(combinations(PAIRED, 2)), ids=" & ".join)
def test_every_list_of_robust03_is_certified_for_pairs(pair: tuple[str, str], robust03: me.data.Collection) -> None:
    """All lists with at least five documents of each grade, as studies have them by default."""
    measure = me.parse_measure(" & ".join(pair))
    found = chain.from_iterable(
        ((grades, relevant) for grades in lists if min(np.bincount(grades, minlength=3)[1:]) >= 5)
        for lists, relevant in zip(robust03.grades, robust03.relevant, strict=True)
    )
    problems = [me.Problem.of_list(measure, grades, relevant) for grades, relevant in found]
    assert len(problems) > 300
    for solution in me.solve_many(problems):
        assert solution.status in {"optimal", "boundary"}
        assert solution.certificate.accepted
        if solution.status == "optimal":
            assert solution.certificate.stationarity < 1e-8
