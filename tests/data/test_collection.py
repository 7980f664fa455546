"""Runs and qrels as arrays: against plain loops, and every refusal."""

import dataclasses
import struct
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent import collect, read_qrels, read_run
from maxent.data import Collection
from maxent.data.select_topics import select_topics
from maxent.errors import InputError, InputWarning
from tests.golden.messages import as_golden, refused

Row = tuple[str, str, float]
Judgment = tuple[str, str, int]


def run_table(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["query_id", "doc_id", "score"])


def qrels_table(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["query_id", "doc_id", "relevance"])


QRELS = qrels_table([("2", "a", 2), ("1", "a", 1), ("2", "b", 0), ("1", "b", -1), ("3", "a", 0), ("1", "c", 1)])
RUN = run_table(
    [("1", "a", 1.0), ("2", "x", 3.0), ("1", "b", 2.0), ("2", "a", 2.5), ("9", "a", 1.0), ("1", "c", 0)]
)


def test_a_collection_holds_arrays() -> None:
    with refused(InputError):
        dataclasses.replace(collect(RUN, QRELS), grades=[[0]])  # type: ignore[arg-type]


def test_collection_cannot_be_changed() -> None:
    collection = collect(RUN, QRELS)
    assert [str(a.dtype) for a in (collection.grades, collection.relevant, collection.missing)] == [
        "int16",
        "int64",
        "bool",
    ]
    fields = [getattr(collection, field.name) for field in dataclasses.fields(collection)]
    for array in (value for value in fields if isinstance(value, np.ndarray)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        collection.runs = ()  # type: ignore[misc]


def test_tables_are_left_as_they_are() -> None:
    run, qrels = RUN.copy(), QRELS.copy()
    collect(run, qrels, float32=True)
    pd.testing.assert_frame_equal(run, RUN)
    pd.testing.assert_frame_equal(qrels, QRELS)


@pytest.mark.parametrize("scores", [(1 + 1e-9, 1.0), (2e-305, 1e-305), (2e300, 1e300), (-1e-305, -2e-305)])
def test_single_precision_makes_ties(scores: tuple[float, float]) -> None:
    qrels = qrels_table([("1", "a", 1), ("1", "b", 2)])
    run = run_table([("1", "a", scores[0]), ("1", "b", scores[1])])
    assert collect(run, qrels, depth=2).grades.tolist() == [[[1, 2]]]
    assert collect(run, qrels, depth=2, float32=True).grades.tolist() == [[[2, 1]]]


def test_single_precision_matters_where_scores_underflow(data: Path) -> None:
    run = read_run(data / "clef2014" / "runs" / "YORKU_EN_Run.6.txt.gz")
    qrels = read_qrels(data / "clef2014" / "qrels.txt")
    assert not np.array_equal(collect(run, qrels).grades, collect(run, qrels, float32=True).grades)


# --- against plain loops


def naive(
    runs: Mapping[str, list[Row]], qrels: list[Judgment], depth: int | None, topics: set[str], single: bool
) -> dict[str, Any] | None:
    """The fields of a Collection by plain loops; nothing where the input must be refused."""
    order = list(dict.fromkeys(topic for topic, _, _ in qrels))
    if depth is None:
        lengths = [Counter(topic for topic, _, _ in rows if topic in order) for rows in runs.values()]
        depth = max(max(length.values(), default=0) for length in lengths)
    levels = max(grade for _, _, grade in qrels)
    chosen = [topic for topic in order if topic in topics]
    useful = [topic for topic in chosen if max(qrels_of(qrels, topic)) > 0]
    if not useful:
        return None
    grades: list[list[list[int]]] = []
    nonrelevant: list[list[list[bool]]] = []
    judged_10: list[list[float]] = []
    tied: list[list[bool]] = []
    for topic in useful:
        judged = {doc: grade for q, doc, grade in qrels if q == topic}
        grades.append([])
        nonrelevant.append([])
        judged_10.append([])
        tied.append([])
        for rows in runs.values():
            ranked = [
                (struct.unpack("f", struct.pack("f", x))[0] if single else x, d) for q, d, x in rows if q == topic
            ]
            docs = [doc for _, doc in sorted(ranked, reverse=True)]
            grades[-1].append([max(judged.get(doc, 0), 0) for doc in docs])
            nonrelevant[-1].append([judged.get(doc) == 0 for doc in docs])
            first = docs[: min(depth, 10)]
            judged_10[-1].append(sum(judged.get(doc, -1) >= 0 for doc in first) / max(len(first), 1))
            scores = sorted((score for score, _ in ranked), reverse=True)
            tied[-1].append(any(a == b for a, b in pairwise(scores[: depth + 1])))
    return {
        "runs": tuple(runs),
        "topics": tuple(useful),
        "grades": [[(ranked + [0] * depth)[:depth] for ranked in lists] for lists in grades],
        "nonrelevant": [[(ranked + [False] * depth)[:depth] for ranked in lists] for lists in nonrelevant],
        "judged_nonrelevant": [qrels_of(qrels, topic).count(0) for topic in useful],
        "relevant": [[qrels_of(qrels, topic).count(level) for level in range(1, levels + 1)] for topic in useful],
        "lengths": [[min(len(ranked), depth) for ranked in lists] for lists in grades],
        "judged_10": judged_10,
        "tied": tied,
        "without_relevant": tuple(topic for topic in chosen if topic not in useful),
    }


def qrels_of(qrels: list[Judgment], topic: str) -> list[int]:
    return [grade for q, _, grade in qrels if q == topic]


TOPICS = st.sampled_from(["1", "2", "10", "q-3"])
DOCS = st.sampled_from(["d1", "d2", "10", "9", "D1", "é", "\uffee", "\U0001f600"])  # in the order of code points
SCORES = st.sampled_from([-1.0, 0.0, -0.0, 1.0, 1.0 + 1e-9, 2.0, 1e-305, 1e30])


def unique(strategy: st.SearchStrategy[tuple[Any, ...]]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Rows without the same document twice in a topic."""
    return st.lists(strategy, min_size=1, max_size=25, unique_by=lambda row: row[:2])


@given(
    runs=st.dictionaries(
        st.sampled_from(["A", "B", "C"]), unique(st.tuples(TOPICS | st.just("other"), DOCS, SCORES)), min_size=1
    ),
    qrels=unique(st.tuples(TOPICS, DOCS, st.integers(-2, 4))),
    depth=st.none() | st.integers(1, 9),
    left_out=st.sets(TOPICS, max_size=2),
    float32=st.booleans(),
)
def test_equals_plain_loops(
    runs: dict[str, list[Row]], qrels: list[Judgment], depth: int | None, left_out: set[str], float32: bool
) -> None:
    judged = {(topic, doc) for topic, doc, _ in qrels}
    matched = all(any((topic, doc) in judged for topic, doc, _ in rows) for rows in runs.values())
    topics = {topic for topic, _, _ in qrels} - left_out
    tables = {name: run_table(rows) for name, rows in runs.items()}
    expected = naive(runs, qrels, depth, topics, float32)
    if expected is None or not matched:
        with pytest.raises(InputError):
            collect(tables, qrels_table(qrels), depth=depth, topics=topics, float32=float32)
    if expected is None:
        return
    options = {} if matched else {"allow_unjudged": True}
    collection = collect(tables, qrels_table(qrels), depth=depth, topics=topics, float32=float32, **options)  # type: ignore[arg-type]
    for name, value in expected.items():
        found = getattr(collection, name)
        assert (found.tolist() if isinstance(found, np.ndarray) else found) == value, name


def test_the_depth_is_that_of_the_longest_list_of_all_runs_at_most_1000() -> None:
    qrels = qrels_table([("1", "1", 1), ("2", "1", 1)])

    def run(**lengths: int) -> pd.DataFrame:
        """Lists of so many documents for topics 1, 2 and, without judgments, 3."""
        return run_table([(topic[1:], str(k), -k) for topic, length in lengths.items() for k in range(length)])

    short, longer = run(t1=3, t2=10, t3=2000), run(t1=12)
    assert collect({"short": short}, qrels).depth == 10, "topic 3 has no judgments"
    assert collect({"short": short, "longer": longer}, qrels).depth == 12
    assert collect({"short": short}, qrels, topics=["1"]).depth == 10, "lists are as long whatever the topics"
    assert collect(run(t1=1001), qrels).depth == 1000
    assert collect(run(t1=1001), qrels, depth=1001).depth == 1001
    both = collect({"short": short, "longer": longer}, qrels, depth=11)
    assert both.lengths.tolist() == [[3, 11], [10, 0]]
    assert both.part(depth=5).lengths.tolist() == [[3, 5], [5, 0]]


@pytest.mark.parametrize(("depth", "cautions"), [(20, 0), (21, 1)])
def test_a_depth_that_no_list_reaches_half_of_is_a_caution(depth: int, cautions: int) -> None:
    collection = collect({"run": {"1": {str(k): -k for k in range(10)}}}, {"1": {"1": 1}}, depth=depth)
    assert len(collection.cautions) == cautions
    assert all("half of the depth, 21: the longest has 10 documents" in text for text in collection.cautions)


# --- what runs may be


def same(first: Collection, second: Collection) -> bool:
    names = [field.name for field in dataclasses.fields(first) if field.name != "remarks"]
    return first.notes == second.notes and all(np.array_equal(getattr(first, n), getattr(second, n)) for n in names)


def test_runs_come_in_several_shapes() -> None:
    one, two = RUN.assign(run_id="one"), RUN.assign(run_id="two", score=-RUN["score"])
    expected = collect({"one": RUN, "two": RUN.assign(score=-RUN["score"])}, QRELS)
    assert expected.runs == ("one", "two")
    assert not np.array_equal(expected.grades[:, 0], expected.grades[:, 1])
    assert same(collect([one, two], QRELS), expected)
    assert same(collect((table for table in (one, two)), QRELS), expected)
    assert same(collect(pd.concat([one, two]), QRELS), expected)
    assert same(collect([pd.concat([one, two], ignore_index=True)], QRELS), expected)
    shuffled = pd.concat([one, two], ignore_index=True).sample(frac=1, random_state=3)
    both = collect(shuffled, QRELS)
    assert both.runs == tuple(shuffled["run_id"].unique())
    np.testing.assert_array_equal(both.grades[:, both.runs.index("two")], expected.grades[:, 1])
    assert collect({"x": one, "y": one}, QRELS).runs == ("x", "y")
    assert collect([RUN], QRELS).runs == ("run",)  # there is no other
    assert collect([{"1": {"a": 2.0}}], QRELS).runs == ("run",)


def test_integer_ids_are_text() -> None:
    runs = run_table([(1, 10, 1.0), (1, 9, 1.0)]).assign(run_id=7)
    qrels = qrels_table([("1", "10", 1), ("1", "9", 2)])
    kinds: tuple[dict[str, Any], ...] = (
        {},
        {"query_id": object, "doc_id": "Int64"},
        {"query_id": "category", "run_id": object},
    )
    for table in (runs.astype(kind) for kind in kinds):
        collection = collect(table, qrels, depth=2, topics=[1])  # type: ignore[list-item]
        assert collection.runs == ("7",)
        assert collection.grades.tolist() == [[[2, 1]]]


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "Float64", "Int64", object])
def test_scores_and_grades_of_any_numeric_type(dtype: Any) -> None:
    qrels = qrels_table([("1", "a", 1), ("1", "b", 2)]).astype({"relevance": dtype})
    run = run_table([("1", "a", 3), ("1", "b", 4)]).astype({"score": dtype})
    assert collect(run, qrels, depth=2).grades.tolist() == [[[2, 1]]]


# --- topics


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("601-650", ("601", "0602", "650")),
        ("650,601", ("601", "650")),
        (" 601 - 602 , a-b ", ("601", "0602", "a-b")),
        ("601-601", ("601",)),
        ("700-701", ("700-701",)),
        ("700-702", ("700", "701", "702")),
        ("1-1000,qtest2014.3", ("601", "0602", "650", "700", "701", "702", "qtest2014.3")),
        ("0602,601-610", ("601", "0602")),
    ],
)
def test_select_topics(spec: str, expected: tuple[str, ...]) -> None:
    available = ["601", "0602", "650", "a-b", "700", "700-701", "701", "702", "qtest2014.3", "601"]
    assert select_topics(spec, available) == expected


@pytest.mark.parametrize(
    "spec",
    ["601,603", "a,700-800", "650-601", "601,,602", "", "a-b", pytest.param(f"1-{'9' * 5000}", id="a long range")],
)
def test_select_topics_refuses(spec: str) -> None:
    with refused(InputError):
        select_topics(spec, ["601", "602", "650", "a", "1" * 5000])


def test_runs_and_qrels_swapped_are_noticed() -> None:
    run, qrels = {"1": {"a": 1.5, "b": 0.5}}, {"1": {"a": 1, "b": 0}}
    table = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [1.5, 0.5], "run_id": "mine"})
    judged = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": [1, 0]})
    several = [table, table.assign(run_id="other")]
    for lists in (run, table, several, pd.concat(several)):
        for labels in (qrels, judged):
            with refused(InputError):
                collect(labels, lists)
            collect(lists, labels)
    with refused(InputError) as caught:
        collect(run, {"1": {"a": 0.5}})
    assert "swapped" not in str(caught.value)


# --- refusals


def refusal(runs: Any = RUN, qrels: Any = QRELS, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        collect(runs, qrels, **options)
    return str(caught.value)


def test_bad_runs() -> None:
    a, other = RUN.assign(run_id="a"), run_table([("other", "a", 1.0)])
    nameless = RUN.assign(run_id=pd.Series(["a"] * 5 + [0.5], dtype=object))
    twice = run_table([("1", "a", 3.0), ("9", "zz", 1.0), ("9", "zz", 2.0)])  # in a topic without judgments
    for runs in (
        RUN.drop(columns="score"),
        RUN.rename(columns={"query_id": "q"}),
        pd.concat([RUN, RUN[["score"]]], axis=1),
        RUN.head(0),
        a.head(0),
        [],
        {},
        [a, RUN],
        ["a.txt"],
        {"a": "a.txt"},
        [a, a],
        {1: RUN, "1": RUN},
        nameless,
        {"a": other},
        twice,
    ):
        as_golden(refusal(runs))


def replaced(table: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    """The table with another value in one row, and with row labels of its own."""
    values = pd.Series(table[column].tolist(), dtype=object)
    values[3] = value
    return table.assign(**{column: values}).set_axis([f"r{k}" for k in range(len(table))])


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("value", [None, np.nan, 1.0, True, b"x"])
def test_bad_id(column: str, value: object) -> None:
    as_golden(refusal({"mine": replaced(RUN, column, value)}))
    as_golden(refusal(qrels=replaced(QRELS, column, value)))


def test_document_twice_in_a_topic() -> None:
    as_golden(refusal(replaced(RUN, "doc_id", "x")))
    as_golden(refusal(qrels=replaced(QRELS, "doc_id", "a")))


def test_bad_qrels() -> None:
    as_golden(refusal(qrels=QRELS.rename(columns={"relevance": "gold"})))
    as_golden(refusal(qrels=QRELS.head(0)))
    as_golden(refusal(qrels="qrels.txt"))
    as_golden(refusal(qrels=None))
    as_golden(refusal(qrels=QRELS.assign(relevance=-1)))


def test_bad_topics_and_depth() -> None:
    as_golden(refusal(topics=["1", "9"]))
    as_golden(refusal(topics="9-11"))
    assert collect(*me.simulate(systems=2, topics=3, depth=50), topics="2-9").topics == ("2", "3")
    for topics in (["3"], []):
        as_golden(refusal(topics=topics))
    for depth in (0, -1):
        as_golden(refusal(depth=depth))


# --- runs that do not match the judgments


@pytest.mark.parametrize(
    ("run", "judged"),
    [
        ("7 ", "7"),
        ("007", "7"),
        ("7", "007"),
        ("Doc-a", "doc-A"),
        ("caf\u00e9", "cafe\u0301"),
        ("msmarco/abc", "abc"),
        ("doc07", "7"),
        ("7", "CLUEWEB09-7"),
    ],
)
def test_a_run_without_a_judged_document_is_an_error(run: str, judged: str) -> None:
    """The message has an id of the run, and the one of the judgments that is meant."""
    qrels, good = {"1": {"x": 1, judged: 1}}, {"1": {"x": 2.0, judged: 1.0}}
    bad = {"1": {"z": 2.0, run: 1.0}}
    as_golden(refusal({"good": good, "bad": bad}, qrels))
    assert collect({"good": good, "bad": bad}, qrels, allow_unjudged=True).runs == ("good", "bad")
    bad, qrels = {run: {"x": 1.0}}, {"8": {"x": 1}, judged: {"x": 1}}
    as_golden(refusal({"bad": bad}, qrels))


def test_documents_that_are_judged_for_other_topics_do_not_match() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    as_golden(refusal({"mine": {"1": {"b": 1.0}, "2": {"a": 1.0}}}, qrels))
    low = {"1": {"x": 3.0, "a": 1.0}}  # below the depth
    assert not collect({"mine": low}, qrels, depth=1).grades.any()
    assert collect({"mine": {"1": {"a": 1.0}}}, {"1": {"a": -1, "b": 1}}).runs == ("mine",)
    empty = collect({"mine": {"9": {"a": 1.0}}}, qrels, allow_unjudged=True)
    assert not empty.grades.any()
    as_golden("\n".join(empty.notes))


@pytest.mark.parametrize("question", [collect, partial(me.informativeness, measures=["AP"], min_retrieved=1)])
def test_a_warning_on_input_names_the_line_that_called_the_package(question: Callable[..., object]) -> None:
    qrels = [
        {"query": query, "docid": "a", "rating": rating} for query, rating in (("1", 1), ("2", 1), ("3", None))
    ]
    with pytest.warns(InputWarning) as caught:
        question({"short": {"1": {"a": 2.0, "b": 2.0}}}, qrels)
    assert len(caught) == 3, "a blank rating, a topic without a list, tied scores"
    assert {warning.filename for warning in caught} == {__file__}


def test_what_reading_shows_of_runs_is_a_warning() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"a": 1}}
    good = {topic: {"a": 1.0} for topic in "123"}
    short = {"1": {"a": 2.0, "b": 2.0}}
    foreign = {topic: {**{f"x{k}": float(k) for k in range(1, 20)}, "a": 0.5} for topic in "123"}
    with pytest.warns(InputWarning) as caught:
        collection = collect({"good": good, "short": short, "foreign": foreign}, qrels)
    notes = (
        "topics without a list: short (2: 2, 3)",
        "lists with tied scores, ordered by document id: short (1 of 1)",
        "less than 50% of the first 10 documents judged: foreign (0.0%)",
    )
    assert collection.notes == notes == tuple(str(warning.message) for warning in caught)
    assert collection.part(runs=np.array([True, False, False])).notes == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert collect(collection) is collection  # it was said


# --- queries that are documents


def test_the_query_may_be_left_out_of_its_list() -> None:
    """As ArguAna and Quora are evaluated (``ignore_identical_ids`` of BEIR)."""
    qrels = {"qA": {"qB": 1}, "qB": {"qA": 1}}
    run = {"qA": {"qA": 2.0, "qB": 1.0}, "qB": {"qB": 2.0, "qA": 1.0, "x": 0.5}}
    options: dict[str, Any] = {"measures": ["nDCG@10"]}
    [with_query] = me.evaluate(run, qrels, **options).table["value"]
    [without] = me.evaluate(run, qrels, **options, ignore_identical_ids=True).table["value"]
    assert (with_query, without) == (pytest.approx(np.log(2) / np.log(3)), 1)
    collection = collect(run, qrels, depth=3, ignore_identical_ids=True)
    assert collection.grades.tolist() == [[[1, 0, 0]], [[1, 0, 0]]]
    assert not collect({**run, "qB": {"qB": 1.0}}, qrels, ignore_identical_ids=True).missing[0, 0]
    assert collect({**run, "qB": {"qB": 1.0}}, qrels, ignore_identical_ids=True).missing[1, 0]


# --- a collection in place of runs


def test_a_collection_goes_in_as_it_is() -> None:
    runs, qrels = me.simulate(systems=2, topics=3, depth=50)
    collection = collect(runs, qrels, depth=50)
    assert collect(collection) is collection
    assert collect(collection, depth=50, levels=2, topics=["3", "1", "2"], by_name=True) is collection


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("depth", 20), ("levels", 3), ("topics", ["1"]), ("duplicates", "first"), ("float32", True),
        ("allow_unjudged", True), ("ignore_identical_ids", True),
        ("by_name", True), ("qrels", "qrels.txt"),
    ],
)  # fmt: skip
def test_options_that_ask_for_another_collection(option: str, value: object) -> None:
    runs, qrels = me.simulate(systems=2, topics=3, depth=50)
    collection = collect({"b": runs[runs["run_id"] == "system1"], "a": runs[runs["run_id"] == "system2"]}, qrels)
    with refused(InputError):
        collect(collection, **{option: value})  # type: ignore[arg-type]
