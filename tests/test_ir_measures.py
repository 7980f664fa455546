"""The measures in ir_measures and PyTerrier: the same values as from evaluate, whatever the batches."""

import copy
import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import ir_measures
import numpy as np
import pandas as pd
import pytest

import maxent as me
import maxent.ir_measures as bridge
from maxent.measures import MEASURES
from tests.conftest import reads_texts
from tests.golden.messages import as_golden, refused

G = (0.2, 0.3, 0.5)
REQUIRED = {"g": G, "cutoff": 10}
OWN = [
    getattr(bridge, name)(**{f.name: REQUIRED[f.name] for f in fields(cls) if f.default is MISSING})
    for name, cls in MEASURES.items()
    if hasattr(getattr(bridge, name), "of_maxent")
]
"""A measure of every name that ir_measures does not have."""
OWN += [
    bridge.Q(beta=2, gain="exp2"), bridge.gP(gain=(1, 3, 7), cutoff=5), bridge.muAP(levels=(1, 2.5, 4)),
    bridge.nERR(top=4, cutoff=20), bridge.nRecall(rel=2), bridge.DCG(discount="jk", b=3), bridge.ADM(gain="1,2,3"),
]  # fmt: skip
PROVIDER = ir_measures.providers.registry["maxent"]

pytestmark = pytest.mark.filterwarnings(
    "ignore:(ast|Attribute).*deprecated:DeprecationWarning"
)  # in ir_measures' texts


def values(found: Iterator[ir_measures.Metric]) -> dict[tuple[str, Any], float]:
    return {(metric.query_id, metric.measure): metric.value for metric in found}


def same(measure: Any) -> me.measures.Measure:
    ours = bridge.translated(measure)
    assert ours is not None
    return ours


def expected(run: pd.DataFrame, qrels: pd.DataFrame, wanted: Sequence[Any]) -> dict[tuple[str, Any], float]:
    """From maxent itself."""
    names = {str(same(measure)): measure for measure in wanted}
    table = me.evaluate({"run": run}, qrels, measures=list(names)).tables["values"]
    return {(str(row.query_id), names[str(row.measure)]): row.value for row in table.itertuples()}  # type: ignore[misc]


def test_every_measure_is_there() -> None:
    ours = set(MEASURES) - {"Judged"}  # which is another measure there
    assert {m.NAME for m in OWN} | set(bridge.IN_BOTH) >= ours
    assert set(MEASURES) <= set(ir_measures.measures.registry) & set(dir(bridge))
    assert bridge.AP is ir_measures.AP
    assert bridge.ERR is ir_measures.ERR
    with pytest.raises(AttributeError, match="Gap"):
        bridge.Gap  # noqa: B018


@pytest.mark.parametrize("number", range(len(OWN)), ids=map(str, OWN))
def test_values_are_those_of_evaluate(number: int, clef: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    run, qrels = clef
    measure = OWN[number]
    found = values(ir_measures.iter_calc([measure], qrels, run))
    assert {topic for topic, _ in found} == set(qrels["query_id"])
    assert found == expected(run, qrels, [measure])
    topics = qrels["query_id"].unique()
    if measure.NAME not in ("RHL", "ADM"):
        assert found[topics[0], measure] == found[topics[5], measure] == 0  # missing; without relevant documents


@pytest.mark.parametrize(
    ("provider", "measure", "atol"),
    [
        (ir_measures.pytrec_eval, ir_measures.P(judged_only=True) @ 10, 1e-9),
        (ir_measures.gdeval, ir_measures.nDCG(dcg="exp-log2") @ 20, 1e-5),  # it prints five digits
        (ir_measures.gdeval, ir_measures.ERR @ 20, 1e-5),
    ],
    ids=lambda value: getattr(value, "NAME", str(value)),  # of a provider, whose text has an address
)
def test_shared_names_have_shared_values(
    provider: Any, measure: Any, atol: float, clef: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    """What pytrec_eval computes on real runs: test_real_data.py."""
    # topics are numbers to gdeval
    run, qrels = (t.assign(query_id=t["query_id"].str.removeprefix("qtest2014.")) for t in clef)
    if not provider.is_available():
        pytest.skip("gdeval needs Perl")
    theirs = values(provider.iter_calc([measure], qrels, run))
    ours = values(PROVIDER.iter_calc([measure], qrels, run))
    assert theirs.keys() == ours.keys()
    for key, value in theirs.items():
        assert ours[key] == pytest.approx(value, abs=atol)


def test_rbp_is_that_of_its_definition() -> None:
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}
    assert (ir_measures.RBP(p=0.5, rel=1)).calc_aggregate(qrels, run) == pytest.approx(0.5 * (1 + 0.25))
    assert (ir_measures.RBP(p=0.5, rel=2)).calc_aggregate(qrels, run) == pytest.approx(0.5)


def test_what_differs_is_not_claimed() -> None:
    for measure in (
        ir_measures.SetP, ir_measures.NERR8(max_rel=2) @ 10, ir_measures.Judged @ 5, ir_measures.AP(rel=0)
    ):  # fmt: skip
        assert not PROVIDER.supports(measure), measure
    with refused(me.errors.MeasureError):
        PROVIDER.calc_aggregate([ir_measures.SetP], {"1": {"a": 1}}, {"1": {"a": 1.0}})


def test_ir_measures_asks_its_own_providers_before_but_for_the_script_of_gdeval() -> None:
    bridge.register()  # once more changes nothing
    names = [provider.NAME for provider in ir_measures.DefaultPipeline.providers]
    assert names.count("maxent") == 1
    assert names.index("pytrec_eval") < names.index("maxent") == names.index("gdeval") - 1


@reads_texts
@pytest.mark.parametrize("measure", [*OWN, bridge.GAP(g=(1 / 3, 2 / 3)), bridge.Q(beta=1e-5)], ids=str)
def test_texts_are_read_back(measure: Any) -> None:
    read = ir_measures.parse_measure(str(measure))
    assert read == measure
    assert same(read) == same(measure)


def test_a_measure_has_one_spelling() -> None:
    spellings: list[Any] = [(0.5, 0.5), [0.5, 0.5], "0.5,0.5", " .5, 0.50", np.array([0.5, 0.5])]
    found = {bridge.GAP(g=g) for g in spellings}
    assert [str(m) for m in found] == ["GAP(g='0.5,0.5')"]
    assert bridge.Q(gain="exp2", beta=2) == bridge.Q(beta=2.0)(gain="exp2")
    assert str(bridge.Q(beta=1, gain="linear")) == "Q"
    assert str(bridge.gP(gain=[1, 2], cutoff=5)) == "gP(gain='1,2')@5" == str(bridge.gP(gain="1,2") @ 5)
    assert bridge.GAP(g=1) == bridge.GAP(g="1")
    copies = [copy.deepcopy(bridge.GAP(g=G)), pickle.loads(pickle.dumps(bridge.GAP(g=G)))]
    assert copies == [bridge.GAP(g=G)] * 2


def test_mistakes_are_told() -> None:
    with refused(me.errors.MeasureError):
        bridge.GAP(g=(0.5, 0.6))
    with refused(me.errors.MeasureError):
        bridge.Q(g=1)
    with refused(me.errors.MeasureError):
        ir_measures.calc_aggregate([bridge.GAP], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    with refused(me.errors.MeasureError):
        bridge.GAP(g=1).calc_aggregate({"1": {"a": 2}}, {"1": {"a": 1.0}})


def test_every_kind_of_table_is_read() -> None:
    gap = bridge.GAP(g=(0.5, 0.5))
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}}
    rows = [ir_measures.Qrel(q, d, r) for q, docs in qrels.items() for d, r in docs.items()]
    docs = [ir_measures.ScoredDoc("1", d, s) for d, s in run["1"].items()]
    found = [
        ir_measures.calc_aggregate([gap, ir_measures.AP], judged(rows), listed(docs))
        for judged in (lambda _: qrels, pd.DataFrame, list, iter)
        for listed in (lambda _: run, pd.DataFrame, list, iter)
    ]
    assert found == [found[0]] * 16
    assert found[0][gap] == pytest.approx(me.GAP(g=(0.5, 0.5)).evaluate([1, 0, 2], (1, 1)) / 2)


def test_lists_without_a_judged_document_score_0() -> None:
    qrels: dict[str, dict[str, int]] = {"1": {"a": 1}, "2": {"b": 1}}
    wanted = [bridge.GAP(g=(0.5, 0.5)), bridge.nERR(top=2)]
    for run in ({}, {"1": {"x": 1.0}}, {"3": {"a": 1.0}}):
        assert ir_measures.calc_aggregate(wanted, qrels, run) == dict.fromkeys(wanted, 0.0)
    assert list(ir_measures.iter_calc(wanted, {}, {"1": {"x": 1.0}})) == []


def test_long_lists_are_not_cut() -> None:
    run = pd.DataFrame({"query_id": "1", "doc_id": [f"d{n}" for n in range(1500)], "score": -np.arange(1500.0)})
    assert bridge.GAP(g=1).calc_aggregate({"1": {"d1499": 1}}, run) == pytest.approx(1 / 1500)
    short = pd.DataFrame({"query_id": "2", "doc_id": ["x", "d0"], "score": [2.0, 1.0]})
    alone = bridge.nRecall.calc_aggregate({"2": {"d0": 1}}, short)
    found = values(bridge.nRecall.iter_calc({"1": {"d1499": 1}, "2": {"d0": 1}}, pd.concat([run, short])))
    assert found["2", bridge.nRecall] == alone < 1


def test_loading_the_module_again_does_no_harm() -> None:
    before = bridge.GAP(g=(0.5, 0.5))
    again = importlib.reload(bridge)
    after = again.GAP(g=(0.5, 0.5))
    assert [p.NAME for p in ir_measures.DefaultPipeline.providers].count("maxent") == 1
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"b": 3.0, "a": 1.0}}
    assert before == after == pickle.loads(pickle.dumps(before))
    assert before.calc_aggregate(qrels, run) == after.calc_aggregate(qrels, run) > 0


def test_a_measure_of_ones_own_appears(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, kw_only=True)
    class First(me.measures.Measure):
        """Whether the first document has grade ``rel`` or higher."""

        rel: int = 1
        reference: ClassVar[str] = "none"

        def _evaluate(self, grades: Any, relevant: Any, judged: Any) -> Any:
            return (grades[..., 0] >= self.rel).astype(float)

    monkeypatch.setitem(MEASURES, "First", First)
    found = bridge.First(rel=2)
    monkeypatch.delitem(ir_measures.measures.registry, "First")
    assert str(found) == "First(rel=2)"
    assert found.calc_aggregate({"1": {"a": 2}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}) == 0.5


def write(folder: Path) -> list[str]:
    (folder / "qrels.txt").write_text("1 0 a 2\n1 0 b 1\n2 0 a 1\n")
    (folder / "run.txt").write_text("1 Q0 b 1 3 x\n1 Q0 a 2 1 x\n2 Q0 a 1 1 x\n")
    return [str(folder / "qrels.txt"), str(folder / "run.txt")]


@reads_texts
def test_the_command_line_knows_the_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["GAP(g='0.5,0.5') AP", "GAP(g=0.75,0.25)", "gP@1"]  # the second in our spelling
    monkeypatch.setattr(sys, "argv", ["x", *write(tmp_path), *texts, "-q", "-n"])
    monkeypatch.delitem(sys.modules, "ir_measures.__main__", raising=False)  # of another test
    bridge.main()
    lines = capsys.readouterr().out.splitlines()
    assert {"1\tGAP(g='0.5,0.5')\t0.8333", "1\tAP\t1.0000", "1\tgP@1\t0.5000", "2\tgP@1\t0.5000"} <= set(lines)
    assert "1\tGAP(g='0.75,0.25')\t0.9286" in lines


@reads_texts
def test_err_of_topics_with_any_name_is_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script of gdeval fails for topics that are no numbers."""
    (tmp_path / "qrels.txt").write_text("31_1 0 a 1\n31_2 0 b 2\n")
    (tmp_path / "run.txt").write_text("31_1 Q0 a 1 3 x\n31_2 Q0 b 1 1 x\n")
    command = ["x", str(tmp_path / "qrels.txt"), str(tmp_path / "run.txt")]
    monkeypatch.setattr(sys, "argv", [*command, "ERR@20"])
    monkeypatch.delitem(sys.modules, "ir_measures.__main__", raising=False)  # of another test
    bridge.main()
    assert capsys.readouterr().out == "ERR@20\t0.1250\n"  # the mean of 1/16 and 3/16
    monkeypatch.setattr(sys, "argv", [*command, "ERR(top=4)@20"])
    with pytest.raises(SystemExit):
        bridge.main()
    as_golden(capsys.readouterr().err)


@pytest.mark.slow
@reads_texts
def test_the_command_line_names_the_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-m", "maxent.ir_measures", *write(tmp_path), "AP", "GAP(g='0.5,0.6')"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    as_golden(done.stderr)
    assert done.stdout == ""
    monkeypatch.setattr(sys, "argv", [*command[2:-1], "GAP(0.5,0.5)"])
    with pytest.raises(SystemExit):
        bridge.main()
    as_golden(capsys.readouterr().err)
