"""Values that other tools computed: every form of file gives the same table."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import pytrec_eval

import maxent as me
from maxent.data import values_of
from tests.golden.messages import refused

ROWS = [("bm25", "1", "AP", 0.25), ("bm25", "1", "P@10", 0.5), ("bm25", "2", "AP", 0.5), ("bm25", "2", "P@10", 0.1)]
TABLE = pd.DataFrame(ROWS, columns=["run_id", "query_id", "measure", "value"])
FILES = {
    "trec_eval": "runid\tall\tbm25\nmap\t1\t.25\nP_10\t1\t.5\nnum_q\t1\t1\nmap\t2\t.5\nP_10\t2\t.1\nmap\tall\t.4\n",
    "trec_eval without runid": "map  \t1\t0.25\nP_10 \t1\t0.5\nmap  \t2\t0.5\nP_10 \t2\t0.1\nmap\tall\t0.4\n",
    "ir_measures": "1\tAP\t0.25\n1\tP@10\t0.5\n2\tAP\t0.5\n2\tP@10\t0.1\nall\tAP\t0.4\n",
    "long": "run_id,query_id,measure,value\nbm25,1,AP,.25\nbm25,1,P@10,.5\nbm25,2,map,.5\nbm25,2,P_10,.1\n",
    "measures": "qid;AP;P@10\n1;.25;.5\n2;.5;.1\nall;.4;.3\n",
    "measures of runs": "topic\tsystem\tAP\tP_10\n1\tbm25\t.25\t.5\n2\tbm25\t.5\t.1\n",
}


@pytest.mark.parametrize("form", FILES)
def test_every_form_of_values_is_read_alike(form: str, tmp_path: Path) -> None:
    (tmp_path / "bm25.eval.txt").write_text(FILES[form])
    read = values_of(tmp_path / "bm25.eval.txt")
    keys = ["run_id", "query_id", "measure"]
    pd.testing.assert_frame_equal(
        read.sort_values(keys, ignore_index=True), TABLE.sort_values(keys, ignore_index=True), check_dtype=False
    )


def test_columns_of_runs_are_values_of_one_measure(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("query_id,bm25,mine\n1,.25,.5\n2,.5,.1\n")
    assert values_of(tmp_path / "values.csv").to_numpy().tolist() == [
        ["bm25", "1", "value", 0.25],
        ["bm25", "2", "value", 0.5],
        ["mine", "1", "value", 0.5],
        ["mine", "2", "value", 0.1],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "map\t1\tx\nmap\t2\t.5\n",
        "map\t1\t.5\nmap\t2\n",
        "map\t1\t.5\nmap\t2\tnan\n",
        "query_id,measure,value\n1,AP,x\n",
        "run_id,query_id,colour\na,1,2\n",
        "map\tall\t.5\n",
        "",
    ],
    ids=["header", "two columns", "nan", "no number", "no measure", "means alone", "empty"],
)
def test_what_are_no_values_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "values.txt").write_text(text)
    with refused(me.errors.InputError):
        values_of(tmp_path / "values.txt")


def test_a_run_without_a_value_that_another_has_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("map\t1\t.5\nmap\t2\t.5\n")
    for other in ("map\t1\t.5\n", "P_10\t1\t.5\nP_10\t2\t.5\n"):
        (tmp_path / "b").write_text(other)
        with refused(me.errors.InputError):
            me.compare_systems(values=[tmp_path / "a", tmp_path / "b"])


def by_topic(table: pd.DataFrame, value: str) -> dict[Any, Any]:
    """A table as pytrec_eval wants it: {topic: {document: value}}."""
    return {topic: dict(zip(rows["doc_id"], rows[value], strict=True)) for topic, rows in table.groupby("query_id")}


def test_tests_of_values_are_those_of_the_runs(tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=8, depth=50)
    judged: dict[Any, Any] = {
        q: dict(zip(rows.doc_id, rows.relevance, strict=True)) for q, rows in qrels.groupby("query_id")
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg_cut_10"})
    for name, lists in runs.groupby("run_id"):
        ranked: dict[Any, Any] = {
            q: dict(zip(rows.doc_id, rows.score, strict=True)) for q, rows in lists.groupby("query_id")
        }
        lines = [
            f"{measure}\t{topic}\t{value!r}\n"
            for topic, values in evaluator.evaluate(ranked).items()
            for measure, value in values.items()
        ]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    options: dict[str, Any] = {"measures": ["AP", "nDCG@10"], "baseline": "system1"}
    of_runs = me.compare_systems(runs, qrels, **options, depth=50).table
    of_files = me.compare_systems(values=sorted(tmp_path.glob("*.eval")), **options).table
    pd.testing.assert_frame_equal(of_runs, of_files, rtol=1e-4, atol=1e-6)
    named = {f"run{k}": path for k, path in enumerate(sorted(tmp_path.glob("*.eval")))}
    assert set(me.compare_systems(values=named).table["run_id"]) == {"run1", "run2"}
