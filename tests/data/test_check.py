"""What is odd about runs and judgments: every number against a plain loop or another tool."""

from collections.abc import Callable
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import maxent as me
from maxent.data import trec
from maxent.errors import InputWarning
from maxent.problem import read_reference
from maxent.results import Result
from tests.golden.messages import as_golden, refused, warned

RUNS, QRELS = me.simulate(systems=3, topics=4, depth=60)
BY_TIES = "lowest and highest means over all orders of tied documents"
LINE = "{} Q0 {} {} {} {}\n"


def rows(result: Result) -> set[tuple[str, str, str]]:
    table = result.table
    return set(zip(table["level"], table["source"], table["finding"], strict=True))


def lines_of(result: Result) -> tuple[str, ...]:
    assert result.finding is not None
    return result.finding.support


def written(folder: Path, name: str, *lines: tuple[object, ...], tag: str = "tag") -> Path:
    (folder / name).write_text("".join(LINE.format(*line, tag) for line in lines))
    return folder / name


def test_a_clean_collection_has_no_findings() -> None:
    runs = RUNS[RUNS["doc_id"].isin(QRELS["doc_id"])]
    result = me.check(runs, QRELS, depth=60)
    assert result.table.empty
    assert result.errors == ""
    assert list(result.tables["runs"]["run_id"]) == ["system1", "system2", "system3"]
    assert result.tables["runs"][["judged_10", "judged"]].eq(1).all(axis=None)
    assert result.tables["runs"]["rank_differs"].isna().all()


def test_judgments_are_counted() -> None:
    qrels = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
    result = me.check({"mine": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, qrels)
    assert result.tables["grades"].to_numpy().tolist() == [[-1, 1, 1], [0, 2, 2], [1, 2, 1], [2, 1, 1]]
    columns = ["query_id", "judged", "relevant", "top", "negative", "runs"]
    assert result.tables["topics"][columns].to_numpy().tolist() == [
        ["1", 2, 1, 1, 1, 1], ["2", 2, 2, 0, 0, 1], ["3", 1, 0, 0, 0, 0]
    ]  # fmt: skip
    assert rows(result) == {
        ("warning", "qrels", "topics without relevant documents"),
        ("warning", "qrels", "topics without documents of grade 2"),
        ("warning", "qrels", "negative grades: unjudged for Bpref, 0 elsewhere"),
        ("warning", "mine", "topics without a list"),
    }
    assert "topics without documents of grade 3" in set(
        me.check({"a": {"1": {"a": 1.0}}}, qrels, levels=3).table["finding"]
    )
    nothing = me.check({"mine": {"1": {"a": 1.0}}}, {"1": {"a": 0}})
    assert ("error", "qrels", "no topic has a relevant document") in rows(nothing)


def test_shares_of_judged_documents_are_those_of_ir_measures() -> None:
    import ir_measures

    rng = np.random.default_rng(0)
    known = QRELS[rng.random(len(QRELS)) < 0.5]
    run = RUNS[(RUNS["run_id"] == "system2") & (rng.random(len(RUNS)) < 0.8)]
    run = run[(run["query_id"] != "2") | (run["score"].rank(ascending=False) < 40)]  # a short list
    assert not run.duplicated(["query_id", "score"]).any()
    result = me.check(run, known, depth=25).tables["runs"].iloc[0]
    for column, k in (("judged_10", 10), ("judged", 25)):
        judged = ir_measures.Judged @ k
        values = [result.value for result in ir_measures.iter_calc([judged], known, run)]
        assert result[column] == pytest.approx(np.mean(values))


def tied(scores: list[float], depth: int) -> bool:
    ranked = sorted(scores, reverse=True)
    return any(a == b for a, b in pairwise(ranked[: depth + 1]))


def test_ties_ranks_and_repetitions_are_those_of_plain_loops(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lines = [
        (topic, f"d{doc}", int(rank), float(score))
        for topic in range(60)
        for doc, rank, score in zip(range(5), rng.permutation(5), rng.integers(0, 9, 5), strict=True)
    ]
    lines = [lines[k] for k in rng.permutation(len(lines))]
    ordered = [(topic, f"d{doc}", doc, float(-doc // 2)) for topic in range(60, 70) for doc in range(5)]
    path = written(tmp_path, "run.txt", *lines, *ordered, *lines[:3])
    qrels = {str(topic): {"d0": 1} for topic in range(70)}
    result = me.check([path], qrels, depth=3, duplicates="first").tables["runs"].iloc[0]
    lists = [[line for line in [*lines, *ordered] if line[0] == topic] for topic in range(70)]
    used = [sorted(one, key=lambda line: (line[3], line[1]), reverse=True) for one in lists]
    by_rank = [sorted(one, key=lambda line: line[2]) for one in lists]
    scores = [[line[3] for line in one] for one in by_rank]
    assert result["lines"] == 70 * 5 + 3
    assert result["repeated"] == 3
    assert result["tied"] == sum(tied([line[3] for line in one], 3) for one in lists)
    assert result["rank_differs"] == sum(a != b for a, b in zip(used, by_rank, strict=True))
    against = sum(one != sorted(one, reverse=True) for one in scores)
    assert 0 < against == result["rank_against"] < result["rank_differs"]


DISTANCES = [{"query_id": "1", "doc_id": f"d{k}", "rank": k, "score": k / 8} for k in range(1, 7)]  # ascending
AGAINST = "lists whose ranks go against their scores, which count: run (1 of 1)"
FORMS: dict[str, Callable[[Path], object]] = {
    "TREC": lambda folder: written(folder, "run", *(tuple(row.values()) for row in DISTANCES), tag="run"),
    "frame": lambda _: pd.DataFrame(DISTANCES),
    "rows": lambda _: DISTANCES,
    "Arrow": lambda _: pa.Table.from_pylist(DISTANCES),
    "CSV": lambda folder: pd.DataFrame(DISTANCES).to_csv(folder / "run.csv", index=False) or folder / "run.csv",
    "JSON": lambda folder: (
        pd.DataFrame(DISTANCES).to_json(folder / "run.json", orient="records") or folder / "run.json"
    ),
    "JSON lines": lambda folder: (
        pd.DataFrame(DISTANCES).to_json(folder / "run.jsonl", orient="records", lines=True) or folder / "run.jsonl"
    ),
    "Parquet": lambda folder: pd.DataFrame(DISTANCES).to_parquet(folder / "run.parquet") or folder / "run.parquet",
}


@pytest.mark.parametrize("form", FORMS)
def test_ranks_against_scores_are_noted_with_values_of_every_form(form: str, tmp_path: Path) -> None:
    run, qrels = FORMS[form](tmp_path), {"1": {"d1": 1, "d2": 1, "d6": 0}}
    assert AGAINST in lines_of(me.check(run, qrels))
    result = me.evaluate(run, qrels, measures=["RR"])
    assert result.table["value"].tolist() == [0.2]  # scores count
    assert result.notes.count(AGAINST) == 1


@pytest.mark.parametrize("rank", ["1", "x", "nan", "-", "1_0", "0x1"])
def test_a_rank_that_is_no_number_contradicts_nothing(rank: str, tmp_path: Path) -> None:
    lines = [("1", "a", rank, 9.0), ("1", "b", 2, 8.0), ("2", "a", 2, 9.0), ("2", "b", 1, 8.0)]
    path = written(tmp_path, "run", *lines, tag="run")
    notes = me.collect(path, {"1": {"a": 1}, "2": {"a": 1}}).notes
    as_golden("\n".join(notes))
    assert trec.scan("run", 1, path.read_bytes(), "score") is not None


MESSY_RUN = (  # topic 9 has no judgments
    *(("1", "a", 1, 2.0), ("1", "1", 2, 1.5), ("1", "b", 3, 1.0), ("1", "a", 4, 0.5)),
    *(("2", "b", 2, 2.0), ("2", "c", 1, 1.0), ("3", "d", 2, 1.0), ("3", "e", 1, 1.0), ("9", "a", 1, 1.0)),
)
MESSY_QRELS = {"1": {"a": 1, "b": 2}, "2": {"b": 1, "c": 0}, "3": {"d": 1}, "4": {"a": 1}}
QUESTIONS = (me.evaluate, me.compare_systems, me.study, me.predict, me.compare_discriminative)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_what_check_finds_in_a_run_stands_below_values_once(question: Any, tmp_path: Path) -> None:
    paths = [written(tmp_path, name, *MESSY_RUN, tag=name) for name in ("r", "s")]
    options: dict[str, Any] = {"duplicates": "first", "progress": False}
    about_runs = [line for line in lines_of(me.check(paths, MESSY_QRELS, **options)) if "r (" in line]
    kinds = [line.partition(":")[0] for line in about_runs]
    kinds.remove(BY_TIES)  # which check alone has
    assert len(kinds) == 6
    collection = me.collect(paths, MESSY_QRELS, **options)
    forms = [(paths, MESSY_QRELS), (collection,)]
    for form in forms:
        notes = question(*form, **(options if len(form) == 2 else {"progress": False})).notes
        assert [[note.partition(":")[0] for note in notes].count(kind) for kind in kinds] == [1] * 6, notes


def test_remarks_are_those_of_the_chosen_runs_and_topics(tmp_path: Path) -> None:
    path = written(tmp_path, "r", *MESSY_RUN, tag="r")
    collection = me.collect({"r": path, "good": {"1": {"a": 1.0}}}, MESSY_QRELS, duplicates="first")
    assert not any("good (1 of" in note or "good (1:" in note for note in collection.notes)
    good = collection.part(runs=np.array([False, True]))
    assert [note.partition(":")[0] for note in good.notes] == ["topics without a list"]
    second = collection.part(topics=np.array([1]))
    as_golden("\n".join(second.notes))
    assert not any("query itself" in note for note in second.notes)
    chosen = me.collect({"r": path}, MESSY_QRELS, topics=["1", "2"], duplicates="first")
    assert not any("without judgments" in note for note in chosen.notes)


def test_equal_ranks_contradict_nothing(tmp_path: Path) -> None:
    path = written(
        tmp_path, "run.txt", ("1", "a", 0, 1.0), ("1", "b", 0, 3.0), ("2", "c", "x", 2.0), ("2", "d", 1, 3.0)
    )
    result = me.check(path, {"1": {"a": 1}}).tables["runs"].iloc[0]
    assert (result["rank_differs"], result["rank_against"]) == (0, 0)


def test_all_bad_files_are_reported(tmp_path: Path) -> None:
    good = written(tmp_path, "good.run", ("1", "a", 1, 1.0))
    (tmp_path / "columns.run").write_text("1 Q0 a 1 1.0\n")
    (tmp_path / "score.run").write_text("1 Q0 a 1 high tag\n")
    twice = written(tmp_path, "twice.run", ("1", "a", 1, 1.0), ("1", "a", 2, 0.5), tag="twice")
    other = written(tmp_path, "other.run", ("9", "a", 1, 1.0), tag="other")
    paths = [tmp_path / "none", tmp_path / "columns.run", tmp_path / "*.nothing", good, tmp_path / "score.run"]
    result = me.check([*map(str, paths), twice, other], tmp_path / "qrels")
    errors = result.table[result.table["level"] == "error"]
    texts = " ".join(errors["detail"])
    for name in ("none", "columns.run:1", "*.nothing", "score.run:1", "qrels"):
        assert f"{tmp_path / name}" in texts
    assert list(result.tables["runs"]["run_id"]) == ["tag", "twice", "other"]
    assert result.tables["runs"][["missing", "unknown"]].isna().all(axis=None)
    assert result.tables["topics"].empty
    assert result.tables["grades"].empty
    result = me.check([good, twice, other], {"1": {"a": 1}})
    assert rows(result) == {
        ("error", "twice", "documents listed twice in a topic"),
        ("error", "other", "no topic in common with the qrels"),
    }
    as_golden(result.errors)
    accepted = me.check([good, twice], {"1": {"a": 1}}, duplicates="first")
    assert rows(accepted) == {("warning", "twice", "documents listed twice in a topic")}


def test_runs_are_called_as_in_a_study(tmp_path: Path) -> None:
    paths = [written(tmp_path, name, ("1", "a", 1, 1.0)) for name in ("one.run", "two.run")]
    result = me.check(paths, {"1": {"a": 1}})
    assert (
        list(result.tables["runs"]["run_id"])
        == list(me.collect(paths, {"1": {"a": 1}}).runs)
        == ["one.run", "two.run"]
    )
    assert rows(result) == {("warning", "tag", "tag of several files: all are called by their names")}
    (tmp_path / "more").mkdir()
    again = written(tmp_path / "more", "one.run", ("1", "a", 1, 1.0))
    result = me.check([*paths, again], {"1": {"a": 1}})
    names = [f"{tmp_path.name}/one.run", f"{tmp_path.name}/two.run", "more/one.run"]
    assert list(result.tables["runs"]["run_id"]) == list(me.collect([*paths, again], {"1": {"a": 1}}).runs) == names
    result = me.check([*paths, paths[0]], {"1": {"a": 1}})
    assert ("error", "runs", "name") in rows(result)
    assert list(result.tables["runs"]["file"]) == [str(path) for path in (*paths, paths[0])]


def test_tables_are_checked_as_they_are() -> None:
    bad = RUNS.assign(score=RUNS["score"].where(RUNS.index > 0))
    result = me.check({"bad": bad.drop(columns="run_id"), "empty": RUNS.head(0)}, QRELS)
    as_golden(result.errors)
    assert "run 'bad', row 0: score nan, expected a finite number" in result.table["detail"].tolist()
    assert me.check([], QRELS).errors
    with refused(me.errors.InputError):
        me.check(RUNS, QRELS, depth=0)


def test_unjudged_runs_and_unknown_topics_are_odd() -> None:
    runs = {
        "foreign": RUNS[RUNS["run_id"] == "system1"].assign(doc_id=lambda t: "x" + t["doc_id"]),
        "more": pd.concat([RUNS[RUNS["run_id"] == "system2"], RUNS.head(1).assign(query_id="77")]),
    }
    tables = {name: table.drop(columns="run_id") for name, table in runs.items()}
    result = me.check(tables, QRELS, allow_unjudged=True)
    assert ("warning", "foreign", "no document is judged") in rows(result)
    assert ("warning", "more", "lists of topics without judgments") in rows(result)
    assert result.table.query("source == 'more'")["detail"].iloc[0] == "1: 77"


def test_runs_of_another_collection_are_an_error_as_in_a_study() -> None:
    foreign = RUNS[RUNS["run_id"] == "system1"].assign(doc_id=lambda t: "x" + t["doc_id"]).drop(columns="run_id")
    own = RUNS[RUNS["run_id"] == "system2"].drop(columns="run_id")
    with refused(me.errors.InputError):
        me.collect({"foreign": foreign, "own": own}, QRELS)
    for topics in (None, ["2"]):
        result = me.check({"foreign": foreign, "own": own}, QRELS, topics=topics)
        assert rows(result) == {("error", "foreign", "no document is judged")}
        first = foreign["doc_id"].iloc[0]
        assert result.table["detail"].iloc[0].startswith(f"the run has {first!r}, the qrels have {first[1:]!r}")
    few = QRELS[(QRELS["query_id"] != "2") | ~QRELS["doc_id"].isin(own["doc_id"])]  # judged in other topics
    assert not me.check({"own": own}, few, topics=["2"]).errors


def test_some_topics_are_checked() -> None:
    result = me.check(RUNS, QRELS, topics="2-3")
    assert result.tables["topics"]["query_id"].tolist() == ["2", "3"]
    assert result.tables["runs"]["topics"].tolist() == [2, 2, 2]
    assert "lists of topics without judgments" not in set(result.table["finding"])
    one = me.check({"one": {"1": {"a": 1.0}}}, {"1": {"a": 1}, "2": {"a": 1}}, topics=["2"])
    assert one.errors
    assert "run 'one': no list for the chosen topics" in one.table["detail"].tolist()


def test_queries_among_their_documents_are_odd() -> None:
    qrels = {"qA": {"qB": 1}, "qB": {"qA": 1}, "qC": {"qA": 1}}
    run = {"qA": {"qA": 2.0, "qB": 1.0}, "qB": {"qB": 2.0, "qA": 1.0}, "qC": {"qA": 1.0}}
    result = me.check(run, qrels)
    assert ("warning", "run", "lists with the query itself, which ignore_identical_ids leaves out") in rows(result)
    assert result.table.query("finding.str.contains('itself')")["detail"].tolist() == ["2 of 3"]
    result = me.check(run, qrels, ignore_identical_ids=True)
    assert result.table.empty
    assert result.tables["runs"]["lines"].tolist() == [3]
    alone = {"alone": {"qA": {"qA": 1.0}}}
    assert me.check(alone, qrels, ignore_identical_ids=True).errors
    with refused(me.errors.InputError):
        me.collect(alone, qrels, ignore_identical_ids=True)


def test_a_profile_is_of_runs_without_errors_and_a_reference(tmp_path: Path) -> None:
    result = me.check(RUNS, QRELS)
    profile = me.studies.rank_profile(RUNS, QRELS)
    np.testing.assert_array_equal(result.tables["profile"].set_index("rank"), profile)
    result.save(tmp_path)
    assert np.isfinite(np.array(read_reference(str(tmp_path / "profile.csv")))).all()
    assert result.notes == ()
    twice = me.check(pd.concat([RUNS, RUNS.head(1)]), QRELS)
    assert twice.errors
    assert "profile" not in twice.tables


def test_a_share_is_the_same_in_a_study_where_sums_round_in_another_way() -> None:
    """The mean of these is .2175, or a rounding error above or below it, by the order of the sum."""
    judged = "3322321123233233331311122133331132132123"
    docs = {str(t): [f"{'j' if k < int(n) else 'u'}{k}" for k in range(10)] for t, n in enumerate(judged)}
    qrels = {t: {"j0": 1, "j1": 1, "j2": 0} for t in docs}
    runs = {"a": docs, "b": docs}
    details = me.check(runs, qrels).table.query("finding.str.contains('first 10')")["detail"].tolist()
    with warned(InputWarning):
        notes = me.collect(runs, qrels).notes
    assert notes[0].endswith(f"judged: a ({details[0]}), b ({details[1]})")


ID_FORMS: dict[str, tuple[str, str]] = {
    "lower-casing": ("D{}", "d{}"),
    "removing blanks": ("d {}", "d{} "),
    "Unicode normalisation (NFKC)": ("caf\xe9{}", "cafe\u0301{}"),
    "removing blanks and lower-casing": (" D{}", "d{}"),
}


@pytest.mark.parametrize("how", ID_FORMS)
def test_ids_that_differ_in_their_form_are_counted(how: str) -> None:
    of_run, of_judgments = ID_FORMS[how]
    run: Any = {"r": {"1": ["same", *(of_run.format(k) for k in range(5)), "odd"]}}
    qrels: Any = {"1": {"same": 1} | {of_judgments.format(k): k % 2 for k in range(4)}}
    details = me.check(run, qrels).table.set_index("finding")["detail"]
    detail = f"4 of 6 unjudged documents among the first 10 match after {how}"
    assert details["ids that would match those of the judgments in another form"] == detail
    assert any(detail in note for note in me.evaluate(run, qrels, measures=["AP"]).notes)
    gold = {"1": {"same": 1, of_judgments.format(0): 1}}
    assert any("1 of 6 unjudged" in note for note in me.evaluate(run, gold, measures=["AP"]).notes)
    del qrels["1"]["same"]
    with refused(me.errors.InputError):
        me.evaluate(run, qrels, measures=["AP"])


def test_topics_that_differ_in_their_form_are_counted() -> None:
    run = {"r": {"Q1": ["a"], "q2": ["a"], "Q3": ["a"]}}
    details = me.check(run, {"q1": {"a": 1}, "q2": {"a": 1}}).table.set_index("finding")["detail"]
    finding = "ids that would match those of the judgments in another form"
    assert details[finding] == "1 of 2 topics without judgments match after lower-casing"
    half: Any = {"r": {"1": ["a", "A"]}}, {"1": {"a": 1, "x": 0}}
    assert finding in set(me.check(*half).table["finding"])
    assert not any(finding in note for note in me.evaluate(*half).notes)  # which look where less is judged


def test_gold_judgments_leave_most_documents_unjudged() -> None:
    run = {"r": {"1": ["a", "b", "c"]}}
    for qrels, odd in (({"1": {"a": 1}}, False), ({"1": {"a": 1, "x": 0}}, True)):
        for notes in (me.check(run, qrels).table["finding"], me.evaluate(run, qrels, measures=["AP"]).notes):
            assert any("less than 50%" in note for note in notes) == odd


@pytest.mark.parametrize("seed", range(4))
def test_means_over_ties_are_those_of_all_orders(seed: int) -> None:
    random = np.random.default_rng(seed)
    docs = [f"d{k}" for k in range(5)]
    run = {topic: dict(zip(docs, random.integers(1, 3, 5).tolist(), strict=True)) for topic in "12"}
    qrels = {topic: dict(zip(docs[:4], random.integers(-1, 3, 4).tolist(), strict=True)) for topic in "123"}
    qrels["1"]["d9"] = 2
    of_topics: dict[str, list[list[str]]] = {}
    for topic, scores in run.items():
        tied = [[doc for doc in docs if scores[doc] == score] for score in (2, 1)]
        of_topics[topic] = [[*first, *last] for first, last in product(*map(permutations, tied))]
    means = {"AP": np.zeros(2), "nDCG@10": np.zeros(2)}
    for topic, orders in of_topics.items():
        runs = {str(k): {topic: order} for k, order in enumerate(orders)}
        values = me.evaluate(runs, {topic: qrels[topic]}, measures=list(means), allow_unjudged=True).table
        of_measures = values.groupby("measure")["value"]
        for name in means:
            means[name] += np.array([of_measures.min()[name], of_measures.max()[name]]) / 3
    details = me.check({"r": run}, qrels, allow_unjudged=True).table.set_index("finding")["detail"]
    shown = {name: (f"{low:.4f}", f"{high:.4f}") for name, (low, high) in means.items()}
    changed = ", ".join(f"{name} {low} to {high}" for name, (low, high) in shown.items() if low != high)
    assert details.get(BY_TIES, "") == changed


def test_ties_of_equal_documents_do_not_matter() -> None:
    result = me.check({"r": {"1": {"a": 1, "b": 1, "c": 0}}}, {"1": {"a": 1, "b": 1, "c": 0}})
    assert BY_TIES not in set(result.table["finding"])


def test_scores_are_compared_in_single_precision_as_in_a_study() -> None:
    run = {"1": {"a": 1.0, "b": 1.0 + 1e-12}}
    for float32, tied in ((False, 0), (True, 1)):
        assert me.check(run, {"1": {"a": 1}}, float32=float32).tables["runs"]["tied"].tolist() == [tied]
