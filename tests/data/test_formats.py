"""The smallest input of each form without TREC's columns: its values, and its error where it does not fit."""

import gzip
import json
import re
import tracemalloc
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maxent as me
from maxent.data import SYNONYMS, Empty, lines
from maxent.errors import InputError, InputWarning
from maxent.limits import Limit
from tests.golden.messages import as_golden, refused, warned

PAGE = (Path(__file__).parents[2] / "docs/files_in.md").read_text(encoding="utf-8")
RANKED = [{"query": "1", "docid": "d3", "rank": 1}, {"query": "1", "docid": "d1", "rank": 2}]  # AP of d1 is .5
RATED = [{"query-id": "1", "corpus-id": "d1", "rating": 1}, {"query-id": "1", "corpus-id": "d3", "rating": 0}]
COLUMNS = {"qid": ["1", "1"], "docno": ["d1", "d3"], "rank": [2, 1]}
SHOP = [{"user-id": "1", "Item.ID": "d3", "SCORE": 9}, {"user-id": "1", "Item.ID": "d1", "SCORE": 7}]
WHOLE = {"query": "1", "retrieved": ["d3", "d1"], "relevant": ["d1"]}
RESPONSE = {
    "metric_score": 0.5,
    "details": {
        "1": {
            "metric_score": 0.5,
            "unrated_docs": [{"_index": "a", "_id": "d3"}],
            "hits": [
                {"hit": {"_index": "a", "_id": "d3", "_score": 1.5}, "rating": None},
                {"hit": {"_index": "a", "_id": "d1", "_score": 1.5}, "rating": 1},
            ],
        }
    },
    "failures": {},
}
REQUEST = {
    "requests": [
        {"id": "1", "request": {"query": {"match_all": {}}}, "ratings": [{"_index": "a", "_id": "d1", "rating": 1}]}
    ],
    "metric": {"precision": {"k": 10}},
}
OPENSEARCH = {
    "name": "imported",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [{"query": "1", "ratings": [{"docId": "d1", "rating": "1.000"}]}],
}
LISTS = {"1": ["d3", "d1"]}
GRADE_1 = {"1": {"d1"}}


class Dataset:
    """What a Dataset of Hugging Face has."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __iter__(self) -> Any:
        return iter(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        return pd.DataFrame(self.rows)


def file(name: str, text: str) -> Callable[[Path], object]:
    def write(folder: Path) -> object:
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        return folder / name

    return write


def held(thing: object) -> Callable[[Path], object]:
    return lambda _: thing


def json_lines(rows: Iterable[Mapping[Any, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


RUNS: dict[str, Callable[[Path], object]] = {
    "frame with ranks": held(pd.DataFrame(RANKED)),
    "ranks from 0": held(pd.DataFrame(RANKED).assign(rank=[0, 1])),
    "scores before ranks": held(pd.DataFrame(RANKED).assign(rank=[2, 1], score=[9.0, 8.0])),
    "rows": held(RANKED),
    "iterator of rows": held(iter(RANKED)),
    "columns": held(COLUMNS),
    "Dataset": held(Dataset(RANKED)),
    "list of ids": held(LISTS),
    "tuple of ids": held({"1": ("d3", "d1"), "2": ()}),
    "runs by name": held({"run": LISTS}),
    "rows by name": held({"run": RANKED}),
    "columns by name": held({"run": COLUMNS}),
    "Dataset by name": held({"run": Dataset(RANKED)}),
    "MS MARCO": file("run.tsv", "1\td3\t1\n1\td1\t2\n"),
    "MS MARCO, in any order": file("run.txt.gz", "# by rank\n\n1 d1 2\n2 d1 1\n1 d3 1\n"),
    "MS MARCO, after a comment": file("run.txt", "# query_id doc_id rank\n1 d3 1\n1 d1 2\n"),
    "MS MARCO, beyond ASCII": file("run.txt", "1 d1 2\n1 d3 1\n\u00e9 d1 1\n"),
    "header with ranks": file("run.tsv", "qid\tpid\trank\n1\td1\t7\n1\td3\t3\n"),
    "header with blanks": file("run.txt", "query_id doc_id score\n1 d1 7\n1 d3 9\n"),
    "TSV, quoted": file("run.tsv", '"qid"\t"pid"\t"rank"\n"1"\t"d1"\t2\n"1"\t"d3"\t"1"\n'),
    "semicolons": file("run.csv", "qid;pid;score\n1;d1;7\n1;d3;9\n"),
    "semicolons, quoted": file("run.csv", '"qid";"pid";"score"\n"1";"d1";7\n"1";"d3";9\n'),
    "blanks, quoted": file("run.txt", '"qid" "pid" "score"\n"1" "d1" 7\n"1" "d3" 9\n'),
    "blanks after commas": file("run.csv", 'qid, "pid", score\n1, "d1", 7\n1, "d3", 9\n'),
    "write.csv of R": file("run.csv", '"","qid","pid","score"\n"1","1","d1",7\n"2","1","d3",9\n'),
    "header after comments": file("run.csv", '# a "b\n\n# c\nqid,pid,score\n1,d1,7\n1,d3,9\n'),
    "JSON, lists": file("run.json", json.dumps(LISTS)),
    "header of passages": file("run.tsv", "query_id\tpassage_id\tscore\n1\td1\t7\n1\td3\t9\n"),
    "JSON, rows": file("run.json", json.dumps(RANKED)),
    "JSON, chunks": file("run.json", json.dumps(RANKED).replace("docid", "chunk_id")),
    "JSON, columns": file("run.json", json.dumps(COLUMNS)),
    "JSON lines": file("run.jsonl", json_lines(RANKED)),
    "JSON lines, compressed": file("run.jsonl.gz", "\n" + json_lines(RANKED)),
    "whole lists": file("run.jsonl", json_lines([WHOLE])),
    "whole lists, in memory": held([WHOLE]),
    "whole lists, in a frame": held(pd.DataFrame([WHOLE])),
    "whole lists, Arrow": held(pa.Table.from_pylist([WHOLE])),
    "whole lists with scores": file("run.json", json.dumps([{"qid": "1", "ids": ["d1", "d3"], "scores": [7, 9]}])),
    "whole lists of objects": file(
        "run.jsonl", json_lines([{"qid": "1", "results": [{"id": "d3"}, {"id": "d1"}]}])
    ),
    "whole lists of hits": file(
        "run.jsonl",
        json_lines([{"qid": "1", "hits": [{"_id": "d1", "_score": 7}, {"_id": "d3", "_score": 9}]}]),
    ),
    "_rank_eval": held(RESPONSE),
    "_rank_eval, by name": held({"run": RESPONSE}),
    "_rank_eval, a line": file("run.json", json.dumps(RESPONSE)),
    "_rank_eval, lines": file("run.json", json.dumps(RESPONSE, indent=2)),
    "shop": file("run.csv", "User ID,Product ID,Position\n1,d3,1\n1,d1,2\n"),
    "recommender": held(pd.DataFrame({"userId": ["1", "1"], "movieId": ["d1", "d3"], "prediction": [3.5, 4]})),
    "recommender, JSON lines": file("run.jsonl", json_lines(SHOP)),
    "recommender, Parquet": lambda folder: (
        pd.DataFrame(SHOP).to_parquet(folder / "run.parquet") or folder / "run.parquet"
    ),
}
JUDGMENTS: dict[str, Callable[[Path], object]] = {
    "set of ids": held(GRADE_1),
    "list of ids": held({"1": ["d1", "d1"]}),
    "rows": held(RATED),
    "columns": held({"query": ["1"], "docid": ["d1"], "rating": [1]}),
    "Dataset": held(Dataset(RATED)),
    "two columns": file("qrels.tsv", "1\td1\n"),
    "two columns, beyond ASCII": file("qrels.txt", "# \u00e9\n1 d1\n"),
    "Quepid": file("ratings.csv", "query,docid,rating\n1,d1,1\n1,d3,0\n"),
    "JSON, lists": file("qrels.json", '{"1": ["d1"]}'),
    "JSON lines": file("qrels.jsonl", json_lines(RATED)),
    "three columns": file("qrels.txt", "# a b\n1 d1 1\n1 d3 0\n"),
    "three columns, beyond ASCII": file("qrels.tsv", "# \u00e9 # b\n1\td1\t1\n1\td3\t0\n"),
    "whole lists": file("gold.jsonl", json_lines([WHOLE, {"query": "0", "retrieved": [], "relevant": []}])),
    "whole lists with ratings": held([{"query": "1", "docs": ["d1", "d3"], "ratings": [1, 0]}]),
    "_rank_eval": held(REQUEST),
    "_rank_eval, lines": file("qrels.json", json.dumps(REQUEST, indent=2)),
    "judgmentRatings": file("qrels.json", json.dumps(OPENSEARCH)),
    "Quepid, in detail": file("ratings.csv", "Case ID,Query Text,Doc ID,Title,Rating\n9,1,d1,a,1\n9,1,d3,b,0\n"),
    "recommender": file("ratings.tsv", "userId\tmovieId\trating\ttimestamp\n1\td1\t1\t9\n"),
}
IDS = [{"qid": "1", "pid": "d1"}, {"qid": "2", "pid": "d2"}]
GOLD: dict[str, Callable[[Path], object]] = {
    "frame": held(pd.DataFrame(IDS)),
    "rows": held(IDS),
    "columns": held({"qid": ["1", "2"], "pid": ["d1", "d2"]}),
    "header": file("gold.tsv", "qid\tpid\n1\td1\n2\td2\n"),
    "JSON": file("gold.json", json.dumps(IDS)),
    "JSON lines": file("gold.jsonl", json_lines(IDS)),
    "Parquet": lambda folder: pd.DataFrame(IDS).to_parquet(folder / "gold.parquet") or folder / "gold.parquet",
}


@pytest.mark.parametrize("form", RUNS)
def test_every_form_of_a_run_has_its_order(form: str, tmp_path: Path) -> None:
    values = me.evaluate(RUNS[form](tmp_path), GRADE_1, measures=["AP"]).tables["values"]
    assert values.to_numpy().tolist() == [["run", "1", "AP", 0.5]]


@pytest.mark.parametrize("form", JUDGMENTS)
def test_every_form_of_judgments_has_its_grades(form: str, tmp_path: Path) -> None:
    result = me.evaluate(LISTS, JUDGMENTS[form](tmp_path), measures=["AP"])
    expected = 0.25 if form == "whole lists" else 0.5  # which have a second query, without documents
    assert result.table["value"].tolist() == [expected]


def documented_inputs() -> list[tuple[str, str, str]]:
    """What people hold, the smallest input, and what it is, as documented."""
    table = PAGE.partition("### The smallest inputs")[2].partition("|---|---|---|\n")[2].partition("\n\n")[0]
    held, inputs, kinds = zip(*(line.strip("| ").split(" | ") for line in table.splitlines()), strict=True)
    return list(zip(held, (smallest.strip("`") for smallest in inputs), kinds, strict=True))


@pytest.mark.parametrize(("held", "smallest", "kind"), documented_inputs())
def test_documented_inputs_have_the_documented_values(held: str, smallest: str, kind: str, tmp_path: Path) -> None:
    source = file("input", smallest.replace(" \u23ce ", "\n") + "\n")(tmp_path)
    grades: Any = {"yes": 1, "no": 0} if "--grades" in held else None
    runs, qrels = (LISTS, source) if kind == "judgments" else (source, GRADE_1)
    values = me.evaluate(runs, qrels, measures=["AP", "nDCG@10"], grades=grades).table
    assert values["value"].round(4).tolist() == [0.5, 0.6309, *([1, 1] if "e5" in kind else [])]
    names = {"the run `weekly`": ["weekly"], "`bm25`, and `e5` with AP 1": ["bm25", "e5"]}
    assert values["run_id"].unique().tolist() == names.get(kind, ["input" if kind == "a run" else "run"])


def test_all_names_of_columns_are_documented() -> None:
    documented = re.sub("[-_]", "", PAGE)
    names = [re.sub("[-_]", "", name) for name in chain.from_iterable(SYNONYMS.values())]
    assert [name for name in names if f"`{name}`" not in documented] == []


SEVERAL = [
    {"query": "1", "ids": ["d3", "d1"], "retriever": "bm25"},
    {"query": "1", "ids": ["d1"], "retriever": "e5"},
]
SEVERAL_ROWS = [("1", "d3", 9, "bm25"), ("1", "d1", 9, "e5"), ("1", "d1", 7, "bm25")]
SEVERAL_TABLE = pd.DataFrame(SEVERAL_ROWS, columns=["Query ID", "Doc ID", "score", "Model"])
SEVERAL_FORMS: dict[str, Callable[[Path], object]] = {
    "JSON lines, whole lists": file("results.jsonl", json_lines(SEVERAL)),
    "JSON lines": file("results.jsonl", json_lines(SEVERAL_TABLE.to_dict("records"))),
    "JSON": file("results.json", json.dumps(SEVERAL)),
    "CSV": file("results.csv", SEVERAL_TABLE.to_csv(index=False)),
    "Parquet": lambda folder: SEVERAL_TABLE.to_parquet(folder / "results.parquet") or folder / "results.parquet",
    "frame": held(SEVERAL_TABLE),
}


@pytest.mark.parametrize("form", SEVERAL_FORMS)
def test_a_file_may_hold_several_runs(form: str, tmp_path: Path) -> None:
    runs = SEVERAL_FORMS[form](tmp_path)
    result = me.evaluate(runs, GRADE_1, measures=["AP"])
    assert result.table[["run_id", "value"]].to_numpy().tolist() == [["bm25", 0.5], ["e5", 1]]
    table = me.check(runs, GRADE_1).tables["runs"]
    assert table[["run_id", "lines"]].to_numpy().tolist() == [["bm25", 2], ["e5", 1]]
    if isinstance(runs, Path):
        other = file("other.jsonl", json_lines([{"query": "1", "ids": ["d1"], "system": "dense"}]))(tmp_path)
        assert me.collect([runs, other], GRADE_1).runs == ("bm25", "e5", "dense")
        for question in (me.data.as_run, lambda path: me.collect({"mine": path}, GRADE_1)):
            with refused(InputError):
                question(runs)


def test_errors_of_a_file_with_several_runs_name_the_run(tmp_path: Path) -> None:
    rows = [*SEVERAL, {"query": "1", "ids": ["d9"], "retriever": "odd"}]
    with refused(InputError):
        me.evaluate(file("results.jsonl", json_lines(rows))(tmp_path), GRADE_1)
    with refused(InputError):
        me.evaluate(file("results.jsonl", json_lines([*rows, rows[0]]))(tmp_path), GRADE_1)


@pytest.mark.parametrize("of_run", [True, False])
def test_ids_that_became_floats(of_run: bool, tmp_path: Path) -> None:
    floats, whole = ({"10.0": {"7": 1.0}}, {"10": {"7": 1}}) if of_run else ({"10": {"7": 1.0}}, {"10.0": {"7": 1}})
    with refused(InputError):
        me.evaluate(floats, whole)
    joined = pd.DataFrame({"query_id": ["1", "1"], "doc_id": [10.0, float("nan")], "score": [1, 2]})
    with refused(InputError):
        me.data.as_run(joined)
    with refused(InputError):
        me.data.as_run(joined.assign(doc_id=[10.5, 2]))


@pytest.mark.parametrize(
    ("read", "source"),
    [
        (me.data.as_qrels, RESPONSE),
        (me.data.as_run, REQUEST),
        (me.data.as_run, {"details": {"1": {"hits": [{"_id": "d1"}]}}}),
        (me.data.as_run, {"details": {"1": {"hits": []}}}),
        (me.data.as_qrels, {"requests": [{"id": "1"}]}),
        (me.data.as_run, [{"query": "1", "ids": ["d1"], "scores": [1, 2]}]),
        (me.data.as_run, [{"query": "1", "ids": [["d1"]]}]),
        (me.data.as_run, [{"qid": "1", "query_id": "2", "Query ID": "3", "ids": ["d1"]}]),
    ],
)
def test_nested_objects_that_do_not_fit(read: Callable[[object], pd.DataFrame], source: object) -> None:
    with refused(InputError):
        read(source)


def test_a_list_beside_an_id_is_no_list_of_documents() -> None:
    row = {"qid": "1", "docno": "d1", "score": 2, "results": ["d2"]}
    assert me.data.as_run([row])["doc_id"].tolist() == ["d1"]


@pytest.mark.slow
@pytest.mark.parametrize("form", GOLD)
def test_judgments_of_ids_alone_have_grade_1_and_a_note(form: str, tmp_path: Path) -> None:
    with warned(InputWarning):
        table = me.data.as_qrels(GOLD[form](tmp_path))
    assert table.to_numpy().tolist() == [["1", "d1", 1], ["2", "d2", 1]]
    assert any(
        "no column of grades" in note for note in me.study(LISTS | {"2": ["d2"]}, GOLD[form](tmp_path)).notes
    )


WORDS = [("1", "d1", "Exact"), ("1", "d2", "Partial"), ("2", "d1", " exact"), ("2", "d3", "Irrelevant")]
WORD_ROWS = [dict(zip(("Query", "product_id", "Label"), row, strict=True)) for row in WORDS]
WORD_FORMS: dict[str, Callable[[Path], object]] = {
    "frame": held(pd.DataFrame(WORD_ROWS)),
    "categories": held(pd.DataFrame(WORD_ROWS, dtype="category")),
    "rows": held(WORD_ROWS),
    "dictionary": held({"1": {"d1": "Exact", "d2": "Partial"}, "2": {"d1": "exact", "d3": "Irrelevant"}}),
    "CSV": file("q.csv", pd.DataFrame(WORD_ROWS).to_csv(index=False)),
    "TREC": file("q.txt", "".join(f"{query} 0 {doc} {label}\n" for query, doc, label in WORDS)),
    "JSON": file("q.json", json.dumps(WORD_ROWS)),
    "JSON lines": file("q.jsonl", json_lines(WORD_ROWS)),
    "Parquet": lambda folder: pd.DataFrame(WORD_ROWS).to_parquet(folder / "q.parquet") or folder / "q.parquet",
}


@pytest.mark.parametrize("form", WORD_FORMS)
def test_words_become_grades_in_every_form(form: str, tmp_path: Path) -> None:
    qrels = WORD_FORMS[form](tmp_path)
    table = me.data.as_qrels(qrels, grades={"exact": 2, "PARTIAL": 1, "Irrelevant": 0})
    assert table.to_numpy().tolist() == [["1", "d1", 2], ["1", "d2", 1], ["2", "d1", 2], ["2", "d3", 0]]
    run = {"r": {"1": ["d2", "d1"], "2": ["d3", "d1"]}}
    values = me.evaluate(
        run, qrels, measures=["P(rel=2)@1", "AP"], grades={"exact": 2, "partial": 1, "irrelevant": 0}
    )
    assert values.table["value"].tolist() == [0, 0.75]
    with refused(InputError):
        me.data.as_qrels(qrels)


def test_grades_of_words_and_numbers(tmp_path: Path) -> None:
    mixed = {"1": {"a": "Exact", "b": 1, "c": "1", "d": 0.5, "e": 0, "f": -1, "g": None}}
    grades: Any = {"EXACT": 3, 1: 2, "0.50": 1}
    with warned(InputWarning):
        table = me.data.as_qrels(mixed, grades=grades)
    assert table["relevance"].tolist() == [3, 2, 2, 1, 0, -1]
    for wrong in ({"exact": 1, "Exact": 2}, {"exact": "x"}, {"exact": 1}):
        with refused(InputError):
            me.data.as_qrels(mixed, grades=wrong)  # type: ignore[arg-type]
    many = "".join(f"{topic},d,{label}\n" for topic, label in enumerate(["E", "S", "C", "I"] * 5))
    with refused(InputError):
        me.data.as_qrels(file("esci.csv", f"query_id,product_id,esci_label\n{many}")(tmp_path))


def test_the_words_of_all_parts_of_a_file_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxent.data.delimited._MOST", 3)
    lines_of_file = "".join(f"1,d{k},{'good' if k % 2 else 'bad'}\n" for k in range(9))
    with refused(InputError):
        me.data.as_qrels(file("q.csv", f"qid,pid,label\n{lines_of_file}")(tmp_path))


@pytest.mark.parametrize(
    "names", [["Query ID", "query_id", "docno", "score"], ["qid", "Item ID", "itemId", "score"]]
)
def test_two_names_of_one_column_are_an_error(names: list[str], tmp_path: Path) -> None:
    table = pd.DataFrame([["1", "1", "1", "1"]], columns=names)
    table.to_csv(tmp_path / "q.csv", index=False)
    for source in (table, tmp_path / "q.csv", table.to_dict("records")):
        with refused(InputError):
            me.data.as_run(source)
        with refused(InputError):
            me.data.as_qrels(source)


def test_an_exact_name_goes_before_one_that_is_alike() -> None:
    pyterrier = pd.DataFrame({"qid": ["1"], "docid": [7], "docno": ["d1"], "score": [1], "Query": ["what"]})
    assert me.data.as_run(pyterrier).to_numpy().tolist() == [["1", "d1", 1.0]]


def test_a_header_of_passages_is_no_line(tmp_path: Path) -> None:
    with warned(InputWarning):
        table = me.data.as_qrels(file("gold.tsv", "query_id\tpassage_id\n1\td1\n")(tmp_path))
    assert table.to_numpy().tolist() == [["1", "d1", 1]]


def test_a_last_line_without_a_rating_is_not_judged(tmp_path: Path) -> None:
    rows = json_lines([{"qid": "1", "pid": "d1", "rating": 2}, {"qid": "1", "pid": "d2"}])
    with warned(InputWarning):
        table = me.data.as_qrels(file("gold.jsonl", rows.rstrip("\n"))(tmp_path))
    assert table.to_numpy().tolist() == [["1", "d1", 2]]


def test_sets_have_one_order() -> None:
    ids = [f"d{k}" for k in range(10, 60)]
    assert me.data.as_qrels({"1": set(ids)})["doc_id"].tolist() == ids


def test_a_rank_becomes_a_score() -> None:
    assert me.data.as_run(RANKED).to_dict("list") == {
        "query_id": ["1", "1"], "doc_id": ["d3", "d1"], "score": [-1.0, -2.0],
    }  # fmt: skip


QUEPID = 'query,docid,rating\n"a, b",d1,2\n"a, b",d2,\nno ratings\nc,d3,0\n'  # as it is exported


def test_blank_ratings_are_not_judged_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(QUEPID)
    frame = pd.read_csv(path)
    frame.to_parquet(tmp_path / "ratings.parquet")
    rows = [{"query": "a, b", "docid": "d1", "rating": 2}, {"query": "c", "docid": "d3", "rating": 0}]
    rows[1:1] = [{"query": "a, b", "docid": "d2", "rating": None}, {"query": "no ratings"}]
    of_lines = file("ratings.jsonl", json_lines(rows))(tmp_path)
    for form in (path, frame, tmp_path / "ratings.parquet", rows, of_lines):
        with warned(InputWarning):
            found = me.data.as_qrels(form)
        assert found.to_numpy().tolist() == [["a, b", "d1", 2], ["c", "d3", 0]]
    with warned(InputWarning):
        assert len(me.read_qrels(tmp_path / "ratings.csv")) == 2
    with warned(InputWarning):
        assert me.data.as_qrels(path, bins=[0.5])["relevance"].tolist() == [1, 0]


ONE_GOLD = [("1", "d1", 1), ("2", None, None)]  # query 2 has no gold document
NO_GOLD = pd.DataFrame(ONE_GOLD, columns=["qid", "pid", "rating"])
NO_GOLD_ROWS: list[dict[str, Any]] = [dict(zip(("qid", "pid", "rating"), row, strict=True)) for row in ONE_GOLD]
NO_GOLD_FORMS: dict[str, Callable[[Path], object]] = {
    "dictionary": held({"1": {"d1": 1}, "2": {}}),
    "lists": held({"1": ["d1"], "2": []}),
    "tuples": held({"2": (), "1": ("d1",)}),
    "sets": held({"1": {"d1"}, "2": set()}),
    "a rating of None": held({"1": {"d1": 1}, "2": {"d3": None}}),
    "grade 0": held({"1": {"d1": 1}, "2": {"d3": 0}}),
    "frame": held(NO_GOLD),
    "rows": held(NO_GOLD_ROWS),
    "polars": held(pl.DataFrame(ONE_GOLD, schema=["qid", "pid", "rating"], orient="row")),
    "Arrow": held(pa.Table.from_pylist(NO_GOLD_ROWS)),
    "ids alone": held(NO_GOLD[["qid", "pid"]]),
    "JSON": file("gold.json", '{"1": {"d1": 1}, "2": {}}'),
    "JSON, lists": file("gold.json", '{"1": ["d1"], "2": []}'),
    "JSON, rows": file("gold.json", json.dumps(NO_GOLD_ROWS)),
    "JSON lines": file("gold.jsonl", json_lines(NO_GOLD_ROWS)),
    "CSV": file("gold.csv", "qid,pid,rating\n1,d1,1\n2,,\n"),
    "CSV, ids alone": file("gold.csv", "qid,pid\n1,d1\n2,\n"),
    "TSV": file("gold.tsv", "qid\tpid\trating\n1\td1\t1\n2\t\t\n"),
    "TREC": file("gold.txt", "1 0 d1 1\n2 0 d3 0\n"),
    "Parquet": lambda folder: NO_GOLD.to_parquet(folder / "gold.parquet") or folder / "gold.parquet",
}


@pytest.mark.parametrize("form", NO_GOLD_FORMS)
def test_a_query_without_a_gold_document_counts_in_every_form(form: str, tmp_path: Path) -> None:
    run = {"r": {"1": ["d3", "d1"], "2": ["d3"]}}
    cases: tuple[tuple[Empty, float, str], ...] = (
        ("zero", 0.25, "2 topics, depth 2; those without relevant documents count 0 (empty=skip excludes them): 1"),
        ("skip", 0.5, "1 topic, depth 2; those without relevant documents are excluded: 1"),
    )
    for empty, value, rule in cases:
        result = me.evaluate(run, NO_GOLD_FORMS[form](tmp_path), measures=["AP"], empty=empty)
        assert result.table["value"].tolist() == [value]
        assert result.notes[0] == rule
        assert not any("blank rating" in note for note in result.notes) or form == "a rating of None"


@pytest.mark.parametrize("options", [{}, {"bins": [0.5]}, {"grades": {1: 2}}])
def test_a_query_without_a_gold_document_is_checked_and_has_no_row(options: dict[str, Any]) -> None:
    qrels = {"1": {"d1": 1}, "2": {}, "3": {}}
    with warned(InputWarning):
        assert me.data.as_qrels(qrels, **options)["query_id"].tolist() == ["1"]
    collection = me.collect(LISTS, qrels, **options)
    assert collection.without_relevant == ("2", "3")
    details = me.check(LISTS, qrels, **options).table.set_index("finding")["detail"]
    assert details["topics without relevant documents"] == "2: 2, 3"
    as_golden(me.check(LISTS | {"2": ["d1"]}, qrels, topics=["2"], **options).errors)


NOTHING = {"1": {"d1": 0, "d3": -1}, "2": {}}


def test_values_are_0_where_no_topic_has_a_relevant_document(tmp_path: Path) -> None:
    result = me.evaluate(LISTS, NOTHING, measures=["AP", "GAP(g=0.5,0.5)", "nDCG@10"])
    assert result.table["value"].tolist() == [0, 0, 0]
    as_golden(result.notes[0])
    result.report(tmp_path / "report.html")
    some = {"3": {"d1": 1}, **NOTHING}
    chosen = me.evaluate(LISTS, some, measures=["AP"], topics=["1", "2"])
    assert chosen.table.to_numpy().tolist() == [["run", "AP", 0.0]]
    bounds = me.evaluate({"1": ["d5", "d1"]}, NOTHING, measures=["P@1"], unjudged="bounds").table
    assert bounds[["low", "value", "high"]].to_numpy().tolist() == [[0, 0, 0.5]]


@pytest.mark.parametrize(
    "question",
    [me.study, me.compare_systems, partial(me.evaluate, empty="skip"), me.collect],
    ids=["study", "compare systems", "skip", "collect"],
)
def test_nothing_can_be_said_of_topics_without_relevant_documents(question: Callable[..., object]) -> None:
    with refused(InputError):
        question(LISTS, NOTHING)
    with refused(InputError):
        question(LISTS, {"3": {"d1": 1}, **NOTHING}, topics=["1"])


def test_comparisons_say_how_they_count_topics_without_relevant_documents() -> None:
    runs = {name: {"1": list(docs), "2": list(docs)} for name, docs in (("a", "xy"), ("b", "yx"), ("c", "yz"))}
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 0, "y": 1}, "3": {"x": 0}}
    skipped = "2 topics, depth 2; those without relevant documents are excluded: 1"
    counted = "3 topics, depth 2; those without relevant documents count 0 (empty=skip excludes them): 1"
    options: dict[str, Any] = {"measures": ["AP", "P@1"], "progress": False}
    assert counted in me.compare_systems(runs, qrels, **options).notes
    assert counted in me.compare_discriminative(runs, qrels, **options).notes
    assert skipped in me.compare_discriminative(runs, qrels, empty="skip", **options).notes
    assert skipped in me.compare_agreement(runs, qrels, quantile=0, **options).notes
    assert skipped in me.compare_pools(runs, qrels, quantile=0, repetitions=2, **options).notes


def test_judgments_without_a_rating_are_refused() -> None:
    row = {"qid": "1", "pid": None, "rating": None}
    without: list[Any] = [{"1": {}}, {"1": []}, {"1": set(), "2": set()}, [row]]
    for qrels in without:
        with refused(InputError):
            me.evaluate(LISTS, qrels, measures=["AP"])


def test_long_files_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every piece has the columns that the first line says."""
    rows = [{"query": "1", "docid": f"d{k}", "rank": k} for k in range(1, 50)]
    short = "".join(f"1 d{k} {k}\n" for k in range(1, 50))
    for size, write in ((64, file("a.jsonl", json_lines(rows))), (8, file("a.txt", short))):
        monkeypatch.setattr(lines, "PIECE", size)
        monkeypatch.setattr(lines, "_PART", size)
        assert me.data.as_run(write(tmp_path))["doc_id"].tolist() == [f"d{k}" for k in range(1, 50)]
    with refused(InputError):
        me.data.as_run(file("b.txt", f"{short}1 d50\n")(tmp_path))


SCORED, GRADED = ([{"qid": "1", "docid": f"{name}{k}", **cells} for k in range(9)] for name, cells in (
    ("d", {"score": 2}), ("e", {"score": 2, "relevance": 0}),
))  # fmt: skip
CHANGING: dict[str, tuple[Callable[[Any], pd.DataFrame], list[dict[str, Any]]]] = {
    "a better name of grades": (me.data.as_qrels, SCORED + GRADED),
    "no better name of grades": (me.data.as_qrels, GRADED + SCORED),
    "no grades at first": (me.data.as_qrels, [{"qid": "1", "docid": "f"}, *SCORED]),
    "a better name of queries": (me.data.as_qrels, [*SCORED, {"query_id": "1", "docid": "f", "score": 1}]),
    "a query and its text": (me.data.as_run, [{**row, "query": row["docid"]} for row in SCORED] + GRADED),
    "scores after ranks": (me.data.as_run, [*RANKED, *SCORED]),
    "a tag at first": (me.data.as_run, [{**row, "tag": "a"} for row in SCORED] + GRADED),
    "a tag at last": (me.data.as_run, SCORED + [{**row, "tag": "a"} for row in GRADED]),
}


def outcome(read: Callable[[Any], pd.DataFrame], source: object) -> list[Any]:
    """Rows and notes, or the error, without the place."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            rows = read(source).iloc[:, :3].to_numpy().tolist()  # a file gives its name to a run
        except InputError as error:
            return [str(error).partition(": ")[2]]
    return [*rows, *(str(note.message).partition(": ")[2] for note in notes)]


@pytest.mark.parametrize("case", CHANGING)
@pytest.mark.parametrize("size", [64, 1 << 22])
def test_json_lines_are_read_like_rows_wherever_their_keys_change(
    case: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, rows = CHANGING[case]
    of_lines, of_array = file("a.jsonl", json_lines(rows))(tmp_path), file("a.json", json.dumps(rows))(tmp_path)
    monkeypatch.setattr(lines, "PIECE", size)
    monkeypatch.setattr(lines, "_PART", size)
    monkeypatch.setattr(lines, "LINE", Limit("size", 1 << 20))
    assert outcome(read, of_lines) == outcome(read, rows)
    assert outcome(read, of_array) == outcome(read, rows)


def test_rows_take_memory_for_the_columns_that_count(tmp_path: Path) -> None:
    rows = [{"qid": "1", "docid": f"d{k}", "score": -k, f"key{k}": 1} for k in range(1500)]
    wide = "qid,docid,score" + "," * 900 + "\n" + "".join(f"1,d{k},{-k}" + "," * 900 + "\n" for k in range(1500))
    for name, text in (("a.jsonl", json_lines(rows)), ("a.json", json.dumps(rows)), ("a.csv", wide)):
        path = file(name, text)(tmp_path)
        tracemalloc.start()
        try:
            assert len(me.data.as_run(path)) == 1500
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()


class Scored(NamedTuple):
    """A row of a run."""

    query_id: str
    doc_id: str
    score: object


TIED = {"a": 9007199254740993, "b": 9007199254740992, "c": 0.5}  # as floats a and b are equal
TIES: dict[str, Callable[[Path], object]] = {
    "dictionary": held({"1": TIED}),
    "columns": held({"qid": ["1"] * 3, "docno": list(TIED), "score": list(TIED.values())}),
    "columns of tuples": held({"qid": ("1",) * 3, "docno": (*TIED,), "score": (*TIED.values(),)}),
    "rows": held([{"qid": "1", "docno": doc, "score": score} for doc, score in TIED.items()]),
    "named tuples": held([Scored("1", doc, score) for doc, score in TIED.items()]),
    "objects": held(pd.DataFrame({"qid": "1", "docno": [*TIED], "score": [*TIED.values()]}, dtype=object)),
    "JSON": file("a.json", json.dumps({"1": TIED})),
    "JSON, columns": file("a.json", json.dumps({"qid": ["1"] * 3, "docno": [*TIED], "score": [*TIED.values()]})),
    "JSON lines": file("a.jsonl", json_lines([{"qid": "1", "docno": d, "score": s} for d, s in TIED.items()])),
    "CSV": file("a.csv", "qid,docno,score\n" + "".join(f"1,{doc},{score}\n" for doc, score in TIED.items())),
    "TREC": file("a.txt", "".join(f"1 Q0 {doc} 1 {score} t\n" for doc, score in TIED.items())),
}


@pytest.mark.parametrize("form", TIES)
def test_whole_scores_that_floats_would_tie_are_refused_in_every_form(form: str, tmp_path: Path) -> None:
    with refused(InputError):
        me.data.as_run(TIES[form](tmp_path))


ODD_IDS = (
    'a "b"',
    '"',
    "a;b,c",
    "a\\tb",
    "a b",
    "'tis",
    r"'a\x41b",
    r"a\x1bb",
    "=1",
    "d\ufeff1",
    "\ufeffd1",
    "\u00e9",
)


@pytest.mark.parametrize("doc", ODD_IDS)
def test_an_id_is_the_same_in_every_form(doc: str, tmp_path: Path) -> None:
    """But for the byte order mark, which is part of no id."""
    rows = [{"qid": doc, "docno": doc, "score": 1.5}]
    cell = doc.replace('"', '""')
    forms = [file("a.csv", f'qid{mark}docno{mark}score\n"{cell}"{mark}"{cell}"{mark}1.5\n') for mark in "\t;, "]
    for escaped in (True, False):
        forms.append(file("a.json", json.dumps({doc: {doc: 1.5}}, ensure_ascii=escaped)))
        forms.append(file("a.json", json.dumps(rows, ensure_ascii=escaped)))
        forms.append(file("a.jsonl", json.dumps(rows[0], ensure_ascii=escaped)))
    if not set(doc) & {" ", "\t"}:
        forms.append(file("a.txt", f"{doc} Q0 {doc} 1 1.5 t\n"))
    forms += [held({doc: {doc: 1.5}}), held({doc: [doc]}), held(rows), held(pd.DataFrame(rows))]
    ids = [me.data.as_run(form(tmp_path)).iloc[0, :2].tolist() for form in forms]
    expected = doc.replace("\ufeff", "")
    assert ids == [[expected, expected]] * len(forms)


def test_comments_before_a_header_are_counted(tmp_path: Path) -> None:
    with warned(InputWarning):
        table = me.data.as_qrels(file("a.csv", "# c\n\n# c\nqid,pid,rating\n#1,d1,2\n")(tmp_path))
    assert table.to_numpy().tolist() == [["#1", "d1", 2]]


UNKNOWN = ("question_id document", "question doc_id", "item url_id", "topicId text", "Query_No File Rating",
           "question iteration document grade", "who what score")  # fmt: skip


@pytest.mark.parametrize("header", UNKNOWN)
@pytest.mark.parametrize("separator", ["\t", ";", ",", " "])
@pytest.mark.parametrize("before", ["", "# c\n"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_an_unknown_header_is_refused_as_of_a_frame(
    header: str, separator: str, before: str, quote: str, tmp_path: Path
) -> None:
    names = header.split()
    lines = [f"{quote}{name}{quote}" for name in names]
    path = file("q.txt", f"{before}{separator.join(lines)}\n{separator.join('1' * len(names))}\n")(tmp_path)
    with pytest.raises(InputError) as of_frame:
        me.data.as_qrels(pd.DataFrame([["1"] * len(names)], columns=names))
    with pytest.raises(InputError) as of_file:
        me.data.as_qrels(path)
    assert str(of_file.value).partition(": ")[2] == str(of_frame.value).partition(": ")[2]
    assert str(names) in str(of_file.value)


@pytest.mark.parametrize(
    "text",
    [
        "1 0 d1 x\n",
        "q1 0 d1 nan\n",
        'qid\tpid\trating\n"1\td\t1\n',
        'qid;pid;rating\n"1"2;d;1\n',
        "# c\n\n# c\nqid;pid;rating\n1;d;x\n",
        "qid;pid;rating\n1;d;0,5\n",
    ],
)
def test_lines_that_do_not_fit_the_dialect(text: str, tmp_path: Path) -> None:
    with refused(InputError):
        me.data.as_qrels(file("q", text)(tmp_path))


@pytest.mark.parametrize(
    "run",
    [
        file("run.tsv", "1\ta\t1\n1\tb\t3\n"),
        file("run.tsv", "1\ta\t0\n1\tb\t1\n"),
        file("run.tsv", "1\ta\t1\n1\tb\t1\n"),
        file("run.tsv", "1\ta\t12.5\n"),
        file("run.tsv", "1\ta\tx\n"),
        file("run.tsv", "1\ta\n"),
        file("run.csv", "qid,pid,rank\n1,a,2\n\n1,b,2\n"),
        file("run.csv", "qid,pid,rank\n1,a,1.5\n"),
        file("run.csv", "qid,pid\n1,a\n"),
        file("run.csv", "qid,pid,score\n1\n"),
        held(pd.DataFrame(RANKED).assign(rank=1)),
        held(pd.DataFrame(RANKED).assign(rank=[1, float("nan")])),
        held([*RANKED, "x"]),
        held([{"query": "1", "text": "x", "rank": 1}]),
        held({"qid": ["1"], "docno": [], "rank": [1]}),
        held({"1": {"a", "b"}}),
        held({"1": ["a"], "2": {"b": 1}}),
        held({"1": ["a", "b", "a"]}),
        held({"1": [("a", 0.5)]}),
        file("run.jsonl", json_lines(RANKED) + "\n{"),
        file("run.jsonl", json_lines(RANKED) + "[1]"),
        file("run.jsonl", json_lines([*RANKED, *RANKED])),
        file("run.jsonl", '{"qid": "1", "docno": "a", "score": "x"}'),
        file("run.jsonl", '{"qid": 1, "qid": 2}'),
        file("run.jsonl", '{"qid": "1", "score": 2}\n'),
        file("run.tsv", "qid\tpid\n1\ta\n"),
        file("run.json", json.dumps({"a": {"1": {"d": 1.0}}, "b": {"1": {}}})),
        file("run.json", json.dumps({"a": LISTS})),
        file("run.json", json.dumps([{**row, "run": row["docid"]} for row in RANKED])),
    ],
)  # fmt: skip
def test_runs_that_do_not_fit(run: Callable[[Path], object], tmp_path: Path) -> None:
    with refused(InputError):
        me.data.as_run(run(tmp_path))


@pytest.mark.parametrize(
    "qrels",
    [
        file("q.tsv", "1\ta\n1\tb\t1\n"),
        file("q.tsv", "1\ta\t1\t2\t3\n"),
        file("q.txt", "qid pid gold\n1 a 1\n"),
        file("q.tsv", "query_id\tpart\n1\ta\n"),
        file("q.jsonl", json_lines(RANKED)),
        file("q.json", json.dumps({"a": {"1": {"d": 1}}})),
        file("q.csv", "query,docid,rating\n1,a,\n2\n"),
        file("q.csv", "query,docid,rating\n1,a,nan\n"),
        file("q.csv", "query,docid,rating\n1,a\n"),
        held({"1": ["a"], "2": "b"}),
    ],
)
def test_judgments_that_do_not_fit(qrels: Callable[[Path], object], tmp_path: Path) -> None:
    with refused(InputError):
        me.data.as_qrels(qrels(tmp_path))


def test_lists_in_place_of_a_run_are_not_taken_for_judgments() -> None:
    with refused(InputError):
        me.evaluate(LISTS, "none.txt", measures=["AP"])


def test_the_first_line_of_a_document_may_count(tmp_path: Path) -> None:
    for text in ("1 a 1\n1 b 2\n1 a 1\n", "qid,pid,rank\n1,a,1\n1,b,2\n1,a,2\n"):
        path = file("run.txt", text)(tmp_path)
        assert me.data.as_run(path, duplicates="first")["doc_id"].tolist() == ["a", "b"]
        assert me.check(path, GRADE_1, allow_unjudged=True).tables["runs"]["repeated"].tolist() == [1]


@pytest.mark.parametrize("column", ["score", "rank"])
def test_a_blank_score_or_rank_is_an_error(tmp_path: Path, column: str) -> None:
    """pandas writes NaN as a blank; a blank rating is not judged, but a run without a score has no order."""
    run = tmp_path / "run.csv"
    run.write_text(f"qid,docno,{column}\n1,d1,2\n1,d2,\n")
    with refused(me.errors.InputError):
        me.read_run(run)
