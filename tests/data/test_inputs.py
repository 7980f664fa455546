"""Whatever people hold: every form of a run and of judgments gives the same table, and every function takes it."""

import gzip
import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import maxent as me
from maxent import collect
from maxent.data import as_qrels, as_run
from maxent.errors import InputError
from maxent.systems import Pools
from tests.golden.messages import refused
from tests.helpers import slow_but

RUN = pd.DataFrame(
    [("q1", "a", 1.5), ("q1", "b", 1.5), ("q1", "c", 0.25), ("q2", "a", -3.0), ("q2", "d", 2.0)],
    columns=["query_id", "doc_id", "score"],
)
QRELS = pd.DataFrame(
    [("q1", "a", 2), ("q1", "b", 0), ("q1", "c", 1), ("q2", "d", 1), ("q2", "e", 2)],
    columns=["query_id", "doc_id", "relevance"],
)
PYTERRIER = RUN.set_axis(["qid", "docno", "score"], axis=1).assign(
    query="what they asked", rank=[1, 0, 2, 1, 0], docid=range(5)
)
BEIR = QRELS.set_axis(["query-id", "corpus-id", "score"], axis=1)
HALF = pd.DataFrame({"query_id": ["1"], "doc_id": ["a\ud800"], "score": [1.0]}, dtype=object)  # of a character
WITH_NUL = '{"1": {"d1": 1, "d1\\u0000": 0, "d3": 2}}'


def nested(table: pd.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    return {
        str(topic): dict(zip(rows["doc_id"], rows[value], strict=True)) for topic, rows in table.groupby("query_id")
    }


def tuples(table: pd.DataFrame, make: Callable[..., Any]) -> list[Any]:
    return [make(*row) for row in table.itertuples(index=False)]


def as_file(text: str, name: str) -> Callable[[Path], object]:
    def write(folder: Path) -> object:
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        return str(folder / name)

    return write


def trec(table: pd.DataFrame) -> str:
    if "relevance" in table:
        return "".join(f"{q} 0 {d} {r}\n" for q, d, r in table.itertuples(index=False))
    return "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in table.itertuples(index=False))


def parquet(table: pd.DataFrame) -> Callable[[Path], object]:
    def write(folder: Path) -> object:
        table.to_parquet(folder / "table.parquet")
        return folder / "table.parquet"

    return write


class Stream:
    """All that DuckDB and others show of a table."""

    def __init__(self, table: pa.Table) -> None:
        self.__arrow_c_stream__ = table.__arrow_c_stream__


RUNS: dict[str, Callable[[Path], object]] = {
    "pandas": lambda _: RUN,
    "categories": lambda _: RUN.astype({"query_id": "category", "doc_id": "category"}),
    "PyTerrier": lambda _: PYTERRIER,
    "polars": lambda _: pl.from_pandas(RUN),
    "polars, lazy": lambda _: pl.from_pandas(RUN).lazy(),
    "pyarrow": lambda _: pa.Table.from_pandas(RUN),
    "Arrow stream": lambda _: Stream(pa.Table.from_pandas(RUN, preserve_index=False)),
    "dictionary": lambda _: nested(RUN, "score"),
    "ir_measures": lambda _: tuples(RUN, ir_measures.ScoredDoc),
    "iterator": lambda _: iter(tuples(RUN, ir_measures.ScoredDoc)),
    "ir_datasets": lambda _: tuples(RUN, ir_datasets.formats.GenericScoredDoc),
    "ranx": lambda _: import_module("ranx").Run(nested(RUN, "score"), name="own"),
    "TREC file": as_file(trec(RUN), "run.txt"),
    "compressed": as_file(trec(RUN), "run.txt.gz"),
    "JSON": as_file(json.dumps(nested(RUN, "score")), "run.json"),
    "comma-separated": as_file(RUN.to_csv(index=False), "run.csv"),
    "Parquet": parquet(PYTERRIER),
}
JUDGMENTS: dict[str, Callable[[Path], object]] = {
    "pandas": lambda _: QRELS,
    "PyTerrier": lambda _: QRELS.set_axis(["qid", "docno", "label"], axis=1),
    "polars": lambda _: pl.from_pandas(BEIR),
    "dictionary": lambda _: nested(QRELS, "relevance"),
    "ir_measures": lambda _: tuples(QRELS, ir_measures.Qrel),
    "ir_datasets": lambda _: [ir_datasets.formats.TrecQrel(*row, "0") for row in QRELS.itertuples(index=False)],
    "iterator": lambda _: (ir_measures.Qrel(*row) for row in QRELS.itertuples(index=False)),
    "ranx": lambda _: import_module("ranx").Qrels(nested(QRELS, "relevance")),
    "TREC file": as_file(trec(QRELS), "qrels.txt"),
    "BEIR": as_file(BEIR.to_csv(index=False, sep="\t"), "test.tsv"),
    "BEIR, compressed": as_file(BEIR.to_csv(index=False, sep="\t"), "test.tsv.gz"),
    "JSON": as_file(json.dumps(nested(QRELS, "relevance")), "qrels.json"),
    "Parquet": parquet(BEIR),
}


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "text": str,
    "Decimal": lambda value: Decimal(str(value)),
    "Fraction": Fraction,
    "array": np.array,
    "float32": np.float32,
    "longdouble": np.longdouble,
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_number_counts_by_its_value_whatever_its_type(kind: str) -> None:
    of = NUMBERS[kind]
    run = {topic: {doc: of(x) for doc, x in docs.items()} for topic, docs in nested(RUN, "score").items()}
    qrels = {topic: {doc: of(x) for doc, x in docs.items()} for topic, docs in nested(QRELS, "relevance").items()}
    objects = RUN.assign(score=pd.Series([of(x) for x in RUN["score"]], dtype=object))
    for form in (run, objects):
        pd.testing.assert_frame_equal(as_run(form), as_run(RUN))
    pd.testing.assert_frame_equal(as_qrels(qrels), as_qrels(QRELS))
    assert collect(run, qrels, depth=3).runs == ("run",)


def test_numbers_of_databases(tmp_path: Path) -> None:
    decimals = pa.array([Decimal(str(score)) for score in RUN["score"]], pa.decimal128(12, 3))
    table = pa.Table.from_pandas(RUN, preserve_index=False).set_column(2, "score", decimals)
    pyarrow.parquet.write_table(table, tmp_path / "run.parquet")
    for form in (table, Stream(table), pl.from_arrow(table), tmp_path / "run.parquet"):
        pd.testing.assert_frame_equal(as_run(form)[list(RUN)], as_run(RUN))


@pytest.mark.parametrize(
    "value",
    ["1_0", "\u0661", "inf", True, np.True_, None, pd.NA, b"1", Decimal("NaN"), np.zeros(1), np.nan, 10**400],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_number_is_named_as_text_or_with_its_type(value: Any) -> None:
    table = RUN.head(1).assign(score=pd.Series([value], dtype=object))
    with refused(InputError):
        as_run(table)


@pytest.mark.parametrize("cell", ["x", "1_0", "nan", "1.5", "1e18", "9" * 50, "+9007199254740993"])
@pytest.mark.parametrize("value", ["score", "relevance", "rank"])
def test_an_error_is_the_same_in_every_form_but_for_its_place(value: str, cell: str, tmp_path: Path) -> None:
    rows = [{"qid": "1", "docno": "a", value: "1"}, {"qid": "1", "docno": "b", value: cell}]
    table = pd.DataFrame(rows)
    forms: list[Any] = [table, rows, {name: list(cells) for name, cells in table.items()}, pl.from_pandas(table)]
    forms += [as_file(table.to_csv(index=False), "a.csv"), as_file(json.dumps(rows), "a.json")]
    forms += [as_file("".join(json.dumps(row) + "\n" for row in rows), "a.jsonl"), parquet(table)]
    if value != "rank":
        lines = {"score": "1 Q0 {docno} 1 {score} t\n", "relevance": "1 0 {docno} {relevance}\n"}[value]
        forms.append(as_file("".join(lines.format(**row) for row in rows), "a.txt"))
    said = set()
    for form in forms:
        try:
            found = (as_qrels if value == "relevance" else as_run)(form(tmp_path) if callable(form) else form)
            said.add(str(found.iloc[:, 2].tolist()))
        except InputError as error:
            said.add(re.sub(r".*?(:\d+|, row \d+): ", "", str(error)))
    assert len(said) == 1, said


def test_whole_numbers_of_18_digits_are_not_rounded() -> None:
    for grade in (123456789012345677, "123456789012345677", Decimal(123456789012345677)):
        assert as_qrels({"1": {"a": grade}})["relevance"].tolist() == [123456789012345677]


@pytest.mark.parametrize("of", [str, Decimal, np.uint64, np.array])
def test_large_scores_that_tie_are_refused_whatever_their_type(of: Callable[[Any], Any]) -> None:
    with refused(InputError):
        as_run({"q1": {"a": of(2**53 + 1)}})


def ordered(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["query_id", "doc_id"], ignore_index=True)


@pytest.mark.parametrize("form", slow_but([*RUNS.keys() - {"ranx"}], RUNS))  # which compiles for a minute
def test_every_form_of_a_run_is_the_same_table(form: str, tmp_path: Path) -> None:
    run = RUNS[form](tmp_path)
    found = as_run(run)
    assert found.dtypes["score"] == np.float64
    assert {type(value) for value in found["query_id"]} | {type(value) for value in found["doc_id"]} == {str}
    pd.testing.assert_frame_equal(ordered(found[["query_id", "doc_id", "score"]]), ordered(RUN), check_dtype=False)
    if form != "iterator":  # which is read
        name = {"ranx": "own", "TREC file": "tag", "compressed": "tag", "Parquet": "table"}.get(form, "run")
        assert collect(run, QRELS).runs == (name,), "it may come alone"


@pytest.mark.parametrize("form", slow_but([*JUDGMENTS.keys() - {"ranx"}], JUDGMENTS))
def test_every_form_of_judgments_is_the_same_table(form: str, tmp_path: Path) -> None:
    found = as_qrels(JUDGMENTS[form](tmp_path))
    assert found.dtypes["relevance"] == np.int64
    assert list(found.columns) == ["query_id", "doc_id", "relevance"]
    pd.testing.assert_frame_equal(ordered(found), ordered(QRELS), check_dtype=False)


def test_runs_of_different_forms_go_together(tmp_path: Path) -> None:
    runs = [RUN.assign(run_id="table"), RUNS["JSON"](tmp_path), ("pair", nested(RUN, "score"))]
    collection = collect(runs, QRELS, depth=3)
    assert collection.runs == ("table", "run", "pair")
    assert (collection.grades == collection.grades[:, :1]).all()


def test_folders_and_patterns_stand_for_their_files(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.run").write_text(trec(RUN).replace("tag", name))
    (tmp_path / ".hidden").write_text("no run")
    for runs in (tmp_path, str(tmp_path / "*.run"), [str(tmp_path / "a.run"), tmp_path / "b.*"]):
        assert collect(runs, QRELS).runs == ("a", "b")
    with refused(InputError):
        collect(str(tmp_path / "*.txt"), QRELS)


class DataSet:
    """Judgments alone, as ir_datasets has them."""

    def has_qrels(self) -> bool:
        return True

    def has_scoreddocs(self) -> bool:
        return False

    def qrels_iter(self) -> Any:
        return iter(tuples(QRELS, ir_datasets.formats.GenericQrel))


class Unreachable(DataSet):
    def qrels_iter(self) -> Any:
        raise ConnectionError("no network")


def test_data_sets_of_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hasattr(ir_datasets.load("vaswani"), "qrels_iter")
    monkeypatch.setattr(ir_datasets, "load", {"own/test": DataSet(), "far": Unreachable()}.__getitem__)
    for own in ("irds:own/test", DataSet()):
        pd.testing.assert_frame_equal(ordered(as_qrels(own)), ordered(QRELS), check_dtype=False)
        with refused(InputError):
            as_run(own)
    with refused(InputError):
        collect(DataSet(), QRELS)
    with refused(InputError):
        as_qrels("irds:far")
    with refused(InputError):
        as_qrels("irds:none")


def test_ratings_become_grades(tmp_path: Path) -> None:
    assert as_qrels(QRELS, grades={1: 0, 2: 1})["relevance"].tolist() == [1, 0, 0, 0, 1]
    negative = QRELS.assign(relevance=[-1, 0, 1, 2, 2])
    assert as_qrels(negative, grades={1: 2, 2: 3})["relevance"].tolist() == [-1, 0, 2, 3, 3]
    real = QRELS.assign(relevance=[0.1, 0.25, 0.5, 0.74, 1.0])
    assert as_qrels(real, bins=(0.25, 0.5, 0.75))["relevance"].tolist() == [0, 1, 2, 2, 3]
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 a .9\nq1 0 b .3\n")
    assert as_qrels(path, bins=[0.5])["relevance"].tolist() == [1, 0]
    with refused(InputError):
        as_qrels(path)


@pytest.mark.parametrize(
    "options",
    [
        {"grades": {1: 1}},
        {"bins": [2, 1]},
        {"bins": []},
        {"bins": [1], "grades": {1: 1, 2: 2}},
        {"qrels": {"1": {"a": 10**30}}},
        {"qrels": {"1": {"a": 10**18}}},
        {"qrels": json.loads(WITH_NUL)},
    ],
)
def test_judgments_that_cannot_be_used(options: dict[str, Any]) -> None:
    with refused(InputError):
        as_qrels(**{"qrels": QRELS} | options)


@pytest.mark.parametrize(
    "run",
    [
        3,
        {"q1": 3},
        {"q1": {"a": "high"}},
        [("q1", "a", 1.0)],
        pl.DataFrame({"qid": ["1"], "score": [1.0]}),
        pl.DataFrame({"qid": ["1"], "docno": [None], "score": [1.0]}),
        RUN.assign(score=np.nan),
        HALF,
        HALF.rename(columns={"doc_id": "query_id", "query_id": "doc_id"}),
    ],
)
def test_what_is_no_run(run: Any) -> None:
    with refused(InputError):
        as_run(run)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.json", '{"q1": {"a": 1.0, "a": 2.0}}'),
        ("run.json", '{"q1": {"a": 1.0}'),
        ("run.json", '{"q1":' * 200_000 + "}" * 200_000),
        ("run.json", f'{{"q1": {{"a": {"9" * 5000}}}}}'),
        ("run.json", f'{{"q1": {{"a": {"9" * 400}}}}}'),
        ("run.json", '{"q1": {"a\\ud800": 1.0}}'),
        ("run.json", '{"\\ud800": {"a": 1.0}}'),
        ("run.csv", f'query_id,doc_id,score\nq1,"{"a" * 140_000}",1\n'),
        ("run.json", '{"q1": {"a": NaN}}'),
        ("run.json", '{"q1": "a"\n}'),
        ("run.csv", "qid,docno,score\nq1,a,1\nq1,b"),
        ("run.csv", "qid,docno,score\nq1,a,1_0"),
        ("run.csv", "qid,docno,score\nq1,a,1\nq1,a,2"),
        ("run.csv", "qid,docno,score\n"),
        ("run.tsv", "qid\tdocno\tplace\nq1\ta\t1"),
        ("run.csv", "qid,docno,score,tag\nq1,a,1,x\nq1,b,1,y"),
        ("run.parquet", "PAR1 and no more"),
    ],
)
def test_files_that_cannot_be_used(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with refused(InputError):
        as_run(tmp_path / name)
    (tmp_path / name).write_text("{1 Q0 a 1 2.0 tag\n")  # a topic may begin with a brace, too
    assert as_run(tmp_path / name)["query_id"].tolist() == ["{1"]


def test_documents_listed_twice_may_count_once(tmp_path: Path) -> None:
    twice = pd.concat([RUN, RUN.assign(score=9.0)], ignore_index=True)
    forms: list[Any] = [
        twice,
        tuples(twice, ir_measures.ScoredDoc),
        as_file(trec(twice), "run.txt")(tmp_path),
        as_file(twice.to_csv(index=False), "run.csv")(tmp_path),
    ]
    for run in forms:
        with refused(InputError):
            as_run(run)
        found = as_run(run, duplicates="first")
        pd.testing.assert_frame_equal(
            ordered(found[["query_id", "doc_id", "score"]]), ordered(RUN), check_dtype=False
        )
        once = collect({"run": run}, QRELS, duplicates="first")
        np.testing.assert_array_equal(once.grades, collect({"run": RUN}, QRELS).grades)


@pytest.mark.slow
def test_equal_judgments_are_one_and_of_others_the_first_may_count(tmp_path: Path) -> None:
    equal = pd.concat([QRELS, QRELS], ignore_index=True)
    unequal = pd.concat([QRELS, QRELS.assign(relevance=1)], ignore_index=True)  # the first that differs is row 5
    for table in (equal, unequal):
        forms: list[Any] = [
            table,
            tuples(table, ir_measures.Qrel),
            as_file(trec(table), "qrels.txt")(tmp_path),
            as_file(table.astype({"relevance": float}).pipe(trec), "floats.txt")(tmp_path),
            as_file(table.to_csv(index=False), "qrels.csv")(tmp_path),
            parquet(table)(tmp_path),
        ]
        for form in forms:
            if table is unequal:
                with refused(InputError):
                    as_qrels(form)
                with refused(InputError):
                    collect(RUN, form)
            duplicates: Any = "first" if table is unequal else "error"
            pd.testing.assert_frame_equal(ordered(as_qrels(form, duplicates=duplicates)), ordered(QRELS))
            once = collect(RUN, form, duplicates=duplicates)
            assert once.relevant.tolist() == collect(RUN, QRELS).relevant.tolist()
            assert not me.check(RUN, form, duplicates=duplicates).errors
    np.testing.assert_array_equal(Pools.of(RUN, unequal, duplicates="first").judged, Pools.of(RUN, QRELS).judged)
    agreement = me.compare_judgments([unequal, QRELS], duplicates="first").table
    assert agreement["value"].tolist() == [1.0] * len(agreement)


def test_all_bad_files_are_reported(tmp_path: Path) -> None:
    paths = [tmp_path / f"{k}.run" for k in range(25)]
    for k, path in enumerate(paths):
        path.write_text(trec(RUN).replace("tag", str(k)) if k == 3 else "two columns\n")
    with refused(InputError) as error:
        collect(paths, QRELS)
    assert len(str(error.value).splitlines()) == 22


def test_levels_are_those_of_the_scale() -> None:
    binary = QRELS.assign(relevance=QRELS["relevance"].clip(upper=1))
    collection = collect(RUN, binary, levels=3)
    assert collection.levels == 3
    assert collection.relevant.tolist() == [[2, 0, 0], [2, 0, 0]]
    values = me.evaluate(RUN, binary, measures=["GAP(g=0.5,0.25,0.25)"], levels=3).tables["values"]["value"]
    np.testing.assert_allclose(values, me.evaluate(RUN, binary, measures=["AP"]).tables["values"]["value"])
    with refused(InputError):
        collect(RUN, QRELS, levels=1)
    with refused(InputError):
        collect(RUN, QRELS, levels=0)


def test_topics_without_relevant_documents_count_zero() -> None:
    qrels = pd.concat([QRELS, pd.DataFrame([("q3", "a", 0)], columns=QRELS.columns)], ignore_index=True)
    measures = ["AP", "nDCG@2", "P@1", "RR", "Bpref", "Rprec"]
    values = me.evaluate(RUN, qrels, measures=measures).tables["values"]
    assert values.loc[values["query_id"] == "q3", "value"].tolist() == [0] * 6
    skipped = me.evaluate(RUN, qrels, measures=measures, empty="skip").tables["values"]
    assert set(values["query_id"]) - set(skipped["query_id"]) == {"q3"}
    with refused(InputError):
        me.evaluate(RUN, qrels, measures=["AP"], empty="drop")  # type: ignore[arg-type]


def test_a_measure_named_twice_is_evaluated_once() -> None:
    once = me.evaluate(RUN, QRELS, measures=["nDCG@10"])
    assert me.evaluate(RUN, QRELS, measures=["ndcg_cut_10", "nDCG@10"]) == once


@pytest.mark.parametrize("place", ["query_id", "doc_id", "run_id"])
def test_nul_is_refused_everywhere(place: str, tmp_path: Path) -> None:
    ids = {"query_id": "q1", "doc_id": "a", "run_id": "own"} | {place: "q1\0"}
    table = pd.DataFrame({name: [text] for name, text in ids.items()}).assign(score=1.0)
    table.to_parquet(tmp_path / "run.parquet")
    forms: list[Any] = [table, tmp_path / "run.parquet"]
    if place == "run_id":
        forms.append({"q1\0": RUN})
    else:
        forms.append({"run": {ids["query_id"]: {ids["doc_id"]: 1.0}}})
        (tmp_path / "run.json").write_text(json.dumps(forms[-1]["run"]))
        forms.append(tmp_path / "run.json")
    for form in forms:
        with refused(InputError):
            collect(form, QRELS)


def test_errors_are_one_line_whatever_the_path(tmp_path: Path) -> None:
    path = tmp_path / "two\nlines"
    for content in (None, b"1 Q0 a\n", b"\0", b"1 Q0 a 1 x t\n", b'{"1": {"a": "' + b"x" * 500 + b'"}}', b"PAR1"):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            as_run(path)
        assert r"two\nlines" in str(caught.value)
        assert str(caught.value).isprintable()
        assert str(caught.value).count("x") < 50


def test_a_parquet_file_with_checksums_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    table = pd.DataFrame({"query_id": "1", "doc_id": [f"d{k}" for k in range(50)], "score": np.linspace(0, 1, 50)})
    table.to_parquet(path, compression=None, write_page_checksum=True)
    data = path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for place in range(4, footer, 5):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        try:
            read = as_run(path)
        except InputError:
            continue
        pd.testing.assert_frame_equal(read[list(table)], table, check_dtype=False, check_exact=True)


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="Linux only")
def test_a_file_that_waits_for_data_is_refused() -> None:
    with refused(InputError):
        as_run("/proc/kmsg")
