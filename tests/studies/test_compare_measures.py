"""Measures compared in every reading: the readings from one pass, their differences, and which verdicts stand."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import maxent as me
from maxent.curves import Align
from maxent.problem import COUNTS, Count
from maxent.results import Finding, format_table, write_csv
from maxent.stats import RESAMPLES
from maxent.studies import RULE, SOLVED, all_differences, best_sets, differences, finding_of, readings
from maxent.studies.verdicts import verdicts
from maxent.texts import READING, measure_label
from tests.golden.messages import as_golden, refused

MEASURES = ["AP", "GAP(g=0.5,0.5)", "nDCG(gain=exp2)"]
NO_SETS = pd.DataFrame({"best": [], "may_be_best": []})


@pytest.fixture(scope="module")
def collection() -> me.data.Collection:
    """Lists long enough for all relevant documents, which ``total`` asks for."""
    return me.collect(*me.simulate(systems=4, topics=5, depth=1000, rng=3))


@pytest.fixture(scope="module")
def every(collection: me.data.Collection) -> pd.DataFrame:
    return readings(collection, MEASURES, progress=False)


@pytest.mark.parametrize("count", ["retrieved", "total", "at_most"])
@pytest.mark.parametrize("align", ["recall", "rank"])
def test_each_reading_is_the_study_with_its_options(
    count: Count, align: Align, every: pd.DataFrame, collection: me.data.Collection
) -> None:
    rows = every[(every["count"] == count) & (every["align"] == align)]
    alone = me.informativeness(
        collection,
        measures=MEASURES,
        min_retrieved=1,
        count=count,
        align=align,
        reference="uniform",
        progress=False,
    )
    pd.testing.assert_frame_equal(rows[alone.columns].reset_index(drop=True), alone)


@pytest.mark.slow
def test_model_reference_and_depth_are_readings() -> None:
    runs, qrels = me.simulate(systems=2, topics=4, depth=40)
    measures = ["AP", "P@10"]
    table = readings(
        me.collect(runs, qrels), measures, counts=["retrieved"], models=["ranks", "lists"],
        references=[None, "log-uniform"], aligns=["recall", "expected"], depths=[20, 40], progress=False,
    )  # fmt: skip
    assert len(table) == 2**4 * 2 * 4 * 2 * 2
    for values, rows in table.groupby(READING, sort=False):
        reading: dict[str, Any] = dict(zip(READING, values, strict=True))
        alone = me.informativeness(runs, qrels, **reading, measures=measures, min_retrieved=1, progress=False)
        pd.testing.assert_frame_equal(rows[alone.columns].reset_index(drop=True), alone)


def test_other_questions_have_other_checkpoints(collection: me.data.Collection, tmp_path: Path) -> None:
    """As the same one would give the answers of the first."""
    kept: dict[str, Any] = {"checkpoint": tmp_path / "kept", "progress": False}
    questions: tuple[list[Align], ...] = (["recall"], ["rank"], ["rank", "recall"])
    for aligns in questions:
        table = readings(collection, ["AP"], counts=["retrieved"], aligns=aligns, **kept)
        expected = readings(collection, ["AP"], counts=["retrieved"], aligns=aligns, progress=False)
        pd.testing.assert_frame_equal(table, expected)
    me.informativeness(collection, measures=["AP"], min_retrieved=1, **kept)


def test_the_filter_can_be_applied_afterwards(every: pd.DataFrame, collection: me.data.Collection) -> None:
    strict = me.informativeness(collection, measures=["AP"], min_retrieved=5, progress=False)
    rows = every[(every["count"] == "retrieved") & (every["align"] == "recall") & (every["measure"] == "AP")]
    assert (rows["fewest"] >= 5).to_numpy().tolist() == strict["status"].isin(SOLVED).tolist()


def test_linear_measures_give_the_list_the_likelihood_of_their_entropy(every: pd.DataFrame) -> None:
    """Log p is linear in counts and value there, so any list with them has log-likelihood -H; pairwise ones not."""
    rows = every[(every["count"] == "retrieved") & every["status"].isin(SOLVED)]
    linear = rows["measure"] == "nDCG(gain=exp2)"
    np.testing.assert_allclose(rows.loc[linear, "log_likelihood"], -rows.loc[linear, "entropy"], rtol=1e-6)
    assert (rows.loc[~linear, "log_likelihood"] + rows.loc[~linear, "entropy"]).abs().max() > 0.1


def test_readings_that_make_no_sense_are_errors(collection: me.data.Collection) -> None:
    short = collection.part(depth=50)
    options: dict[str, Any] = {"measures": ["AP", "P@10"], "progress": False}
    with refused(me.errors.ProblemError):
        me.compare_measures(short, counts=[], **options)
    with refused(me.errors.ProblemError):
        me.compare_measures(short, depths=[], **options)
    with refused(me.errors.ProblemError):
        me.compare_measures(short, references=[None, None], **options)
    with refused(me.errors.ProblemError):
        me.compare_measures(short, depths=[20, 60], **options)


def test_the_result_has_both_tables_their_words_and_a_figure_with_a_legend(collection: me.data.Collection) -> None:
    result = me.compare_measures(
        collection, measures=["AP", "P@10"], counts=["total", "at_most"], depths=[5, 1000], progress=False
    )
    assert result.table is result.verdicts
    assert list(result.tables) == ["verdicts", "differences", "sets"]
    assert result.verdicts["readings"].unique().tolist() == [4], "total and at_most are one"
    assert result.tables["differences"].groupby("depth")["compared"].unique().map(list).to_dict() == {
        5: ["no list"], 1000: ["yes"],
    }  # fmt: skip
    assert result.finding is not None
    assert any("lists are excluded: depth 5: 0 of " in line for line in result.finding.cautions)
    assert any("with count=at_most" in line for line in (*result.finding.cautions, *result.notes))
    assert RULE in result.finding.support
    names = {line.partition(":")[0] for line in result.legend}
    readings_named = {"count=total", "count=at_most", "align=recall", "align=expected"}
    readings_named |= {"reference=uniform", "reference=log-uniform"}
    assert readings_named | {verdict.partition(" on ")[0] for verdict in result.verdicts["verdict"]} == names
    legend = result.plot().axes[0].get_legend()
    assert legend is not None
    assert len(legend.get_texts()) == 2 * 2 * 2 + 1
    assert pickle.loads(pickle.dumps(result)) == result


@pytest.mark.slow
def test_figure_and_table_are_of_the_threshold_that_a_verdict_is_about(collection: me.data.Collection) -> None:
    result = me.compare_measures(
        collection,
        measures=["AP", "nDCG(gain=exp2)", "P@10", "P@1000"],
        references=[None],
        min_retrieved=5,
        progress=False,
    )
    verdicts = result.verdicts.set_index(["first", "second"])
    stands = verdicts["verdict"] == "stands for threshold 1"
    assert verdicts["threshold"].equals(stands.astype(int)), "0 is the mean"
    assert set(verdicts["threshold"]) == {0, 1}
    shown = next(view.people for view in result.views if view.name == "verdicts")
    assert shown["threshold"].tolist() == [1 if first else "mean" for first in stands]
    axes = result.plot().axes[0]
    drawn = [label.get_text() for label in axes.get_yticklabels()]
    with_lists = verdicts[verdicts["lists"] > 0]
    assert drawn == [
        f"{measure_label(first)}\nminus {measure_label(second)}, {'t=1' if threshold else 'mean'}"
        for first, second, threshold in with_lists["threshold"].reset_index().itertuples(index=False)
    ]
    assert axes.get_xlabel().endswith(
        f"not drawn, as no list gives an interval: {len(verdicts) - len(with_lists)} pairs"
    )
    assert "95 % interval, corrected" in axes.get_xlabel()
    points = np.concatenate([dots.get_offsets() for dots in axes.collections if hasattr(dots, "get_sizes")])
    ends = [
        (points[np.rint(points[:, 1]) == k, 0].min(), points[np.rint(points[:, 1]) == k, 0].max())
        for k in range(len(drawn))
    ]
    np.testing.assert_allclose(ends, with_lists[["difference_min", "difference_max"]])


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "part"), [(100, 10), (99, 49), (20, 10), (1, 1)])
def test_measures_are_compared_at_the_whole_depth_and_a_part(
    depth: int, part: int, collection: me.data.Collection
) -> None:
    filters: dict[str, Any] = {"min_retrieved": 0, "min_retrieved_total": 1, "min_retrieved_by": "threshold"}
    short = collection.part(depth=depth)
    result = me.compare_measures(short, measures=["AP", "P@10"], progress=False, **filters)
    assert set(result.tables["differences"]["depth"]) == {part, depth}


Row = dict[str, Any]
BOTH = {("retrieved", "uniform"): -0.05, ("total", "log-uniform"): 0.05, ("at_most", "log-uniform"): 0.05}
CHANGES: dict[str, Callable[[Row], float]] = {  # of the error of AP minus that of P@10, by what it depends on
    "stands": lambda row: -0.05,
    "depends on reference": lambda row: -0.05 if row["reference"] == "uniform" else 0.05,
    "depends on count": lambda row: 0.05 if row["count"] == "retrieved" else -0.05,
    "stands for threshold 1": lambda row: -0.05 if row["threshold"] == 1 else 0.05,
    "depends on the reading": lambda row: BOTH.get((row["count"], row["reference"]), 0.0),
    "open": lambda row: 0.0,
}


def table_of(kind: str) -> pd.DataFrame:
    """A study of 12 topics with two systems in which AP differs from P@10 by what the kind says, and by topic."""
    rows: list[Row] = []
    for count, reference, threshold in product(COUNTS, ("uniform", "log-uniform"), (1, 2)):
        for topic, run, measure in product(range(12), "ab", ("AP", "P@10")):
            row: Row = dict(zip(READING, (count, "ranks", reference, "recall", 1000), strict=True))
            row |= {
                "run_id": run,
                "query_id": topic,
                "measure": measure,
                "threshold": threshold,
                "status": "optimal",
            }
            change = CHANGES[kind](row) + 0.005 * (-1) ** topic if measure == "AP" else 0.0
            rows.append({**row, "rms": 0.3 + change})
    return pd.DataFrame(rows)


def judged(table: pd.DataFrame, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Verdicts on all pairs of measures in a table of readings, and their differences."""
    return verdicts(all_differences(table, **{"replicates": 1000, "rng": 0, **options}))


def finding_in(table: pd.DataFrame) -> Finding:
    """The finding on all pairs of measures in a table of readings."""
    return finding_of(*judged(table), best_sets(table, replicates=1000, rng=0))


@pytest.mark.parametrize("kind", CHANGES)
def test_what_a_verdict_depends_on(kind: str) -> None:
    table = table_of(kind)
    pairs, rows = judged(table)
    row = pairs.iloc[0]
    assert row["verdict"] == kind
    assert row["readings"] == 4, "total and at_most are one"
    assert len(rows) == 6 * 3
    signs = table["measure"].map({row["first"]: 2, row["second"]: -2})
    signed = table.assign(signed=signs * table["rms"]).groupby(READING)["signed"].mean()
    over = rows[rows["threshold"] == 0].set_index(READING)
    pd.testing.assert_series_equal(over["difference"].sort_index(), signed, check_names=False)
    assert (over["difference_low"] <= over["difference"]).all()
    assert (over["difference"] <= over["difference_high"]).all()


def test_a_verdict_for_threshold_1_is_that_of_its_measure() -> None:
    pairs, rows = judged(table_of("stands for threshold 1").replace({"measure": {"AP": "P@10", "P@10": "AP"}}))
    row = pairs.iloc[0]
    assert row.tolist()[:8] == ["P@10", "AP", "stands for threshold 1", 1, 4, 4, 4, 0]
    first = rows.query("threshold == 1")["difference"]
    assert row.loc["difference_min":"difference_max"].tolist() == pytest.approx([first.min(), first.max()])


def test_every_verdict_has_the_size_of_the_effect_lists_and_topics() -> None:
    row = judged(table_of("stands"))[0].iloc[0]
    assert row[["lists", "solved", "topics"]].tolist() == [24, 24, 12]
    assert row[["difference_min", "difference_max"]].tolist() == pytest.approx([-0.05, -0.05])


@pytest.mark.parametrize("kind", CHANGES)
def test_the_best_is_the_measure_that_stands_ahead_of_all_others(kind: str) -> None:
    finding = finding_in(table_of(kind))
    assert finding.best == ("AP" if kind == "stands" else None)
    assert finding.set is None, "over 12 topics"
    assert len(finding.support) == (2 if kind.startswith("stands") else 1), "the numbers of a verdict, and the rule"


def test_the_best_is_ahead_of_all_others_but_the_broken_stick() -> None:
    table = table_of("stands")
    stick, third = (table[table["measure"] == "AP"].assign(measure=name) for name in ("BrokenStick", "nDCG"))
    assert finding_in(pd.concat([table, stick])).best == "AP"
    assert finding_in(pd.concat([table, third])).best is None


def test_the_set_of_a_finding_is_in_every_set() -> None:
    table = table_of("stands")
    pairs, rows = judged(table)
    sets = pd.DataFrame({"best": "AP", "may_be_best": ["AP; nDCG; P@10", "nDCG; AP", ""]})
    assert finding_of(pairs, rows, sets).set == ("AP", "nDCG")
    assert finding_of(pairs, rows, NO_SETS).set is None


def test_errors_clustered_by_topic_and_run() -> None:
    """The sums of each cluster by loops; runs count where they differ in the same way in every topic."""
    rng = np.random.default_rng(0)
    table = table_of("open")
    of_run = pd.Series({"a": -0.02, "b": 0.02})
    noise = 0.01 * rng.standard_normal(len(table)) + table["run_id"].map(of_run).to_numpy()
    table["rms"] = table["rms"].where(table["measure"] == "P@10", table["rms"] + noise)
    pairs, rows = judged(table)
    row = rows.query("threshold == 0").iloc[0]
    of_reading = table[(table[READING] == row[READING]).all(axis=1)]
    wide = of_reading.pivot_table(index=["run_id", "query_id", "threshold"], columns="measure", values="rms")
    gaps = (wide[row["first"]] - wide[row["second"]]).groupby(["run_id", "query_id"]).mean()
    off = gaps - gaps.mean()

    def variance(names: list[str]) -> float:
        return float(sum(float(each.sum()) ** 2 for _, each in off.groupby(names)))

    both = variance(["query_id"]) + variance(["run_id"]) - variance(["query_id", "run_id"])
    assert row["error_ratio"] == pytest.approx((both / variance(["query_id"])) ** 0.5)
    assert row["error_ratio"] > 1.5
    assert pairs["error_ratio"].item() == rows.query("threshold == 0")["error_ratio"].max()


@pytest.mark.slow
def test_with_other_systems_the_fewer_of_topics_and_runs_decide() -> None:
    """Two runs have one degree of freedom; where they do not differ, the standard error is that over topics."""
    table = table_of("stands")
    topics, both = (judged(table, resample=resample)[1] for resample in RESAMPLES)
    width = [rows["difference_high"] - rows["difference_low"] for rows in (topics, both)]
    wider = t.ppf(0.975, 1) * (2 / 1) ** 0.5 / (t.ppf(0.975, 11) * (12 / 11) ** 0.5)
    assert (width[1] / width[0]).mean() == pytest.approx(wider, rel=0.1)
    ends = [me.league(table[table["count"] == "total"], resample=resample) for resample in RESAMPLES]
    worst = [own.query("threshold == 0").iloc[-1] for own in ends]
    spread = [row["difference_high"] - row["difference_low"] for row in worst]
    assert spread[1] / spread[0] == pytest.approx(wider, rel=0.1)
    assert me.summarize(table.assign(mae=0.1), resample="both")["rms_low"].notna().all()
    with refused(me.errors.ProblemError):
        me.summarize(table.assign(mae=0.1), resample="systems")  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_measure_that_is_ahead_comes_first_and_intervals_are_corrected() -> None:
    table = table_of("stands")
    third = table[table["measure"] == "AP"].assign(measure="nDCG")
    options: dict[str, Any] = {"replicates": 1000, "rng": 0}
    alone, alone_rows = verdicts(differences(table, READING, [("P@10", "AP")], **options))
    several, rows = judged(pd.concat([table, third]))
    assert (alone["first"].item(), alone["second"].item()) == ("AP", "P@10")
    assert several["verdict"].tolist() == ["stands", "open", "stands"]
    assert len(finding_of(several, rows, NO_SETS).sentence.split(". ")) == 2, "a claim for each first measure"
    width = [(of["difference_high"] - of["difference_low"]).mean() for of in (alone_rows, rows[:18])]
    assert width[0] < width[1]
    with refused(me.errors.ProblemError):
        judged(table.assign(status="failed"))


@pytest.mark.parametrize("rounding", [0.0, 1e-9, -1e-9])
def test_a_measure_is_ahead_only_where_the_difference_is_more_than_rounding(rounding: float) -> None:
    table = table_of("open")
    equal = table["measure"].map({"AP": 0.3 + rounding, "P@10": 0.3})
    row = judged(table.assign(rms=equal))[0].iloc[0]
    assert row[["verdict", "ahead", "told", "opposite"]].tolist() == ["open", 0, 0, 0]


def test_a_pair_is_compared_in_the_readings_that_have_both() -> None:
    table = table_of("stands")
    cascade = table[(table["measure"] == "AP") & (table["count"] == "retrieved")].assign(measure="RR")
    rows = differences(
        pd.concat([table, cascade]), READING, [("AP", "P@10"), ("RR", "P@10")], replicates=100, rng=0
    )
    assert set(rows.loc[rows["first"] == "RR", "count"]) == {"retrieved"}
    assert set(rows.loc[rows["first"] == "AP", "count"]) == set(COUNTS)


@pytest.mark.parametrize("fixed", [range(12), range(6)])
def test_a_list_that_one_count_fixes_stays_in_the_readings_of_the_other(fixed: range) -> None:
    table = table_of("stands").query("count != 'total'")
    constant = (table["count"] == "retrieved") & (table["measure"] == "P@10") & table["query_id"].isin(fixed)
    pairs, rows = judged(table.assign(status=table["status"].mask(constant, "constant")))
    left = 2 * (12 - len(fixed))
    lists = rows.groupby("count")["lists"].unique().map(list).to_dict()
    assert lists == {"retrieved": [left], "at_most": [24]}
    alone, alone_rows = judged(table.query("count == 'at_most'"))
    of_count = rows[rows["count"] == "at_most"].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_count, alone_rows)
    assert pairs["verdict"].item() == alone["verdict"].item() == "stands"
    assert pairs["readings"].item() == (2 if left == 0 else 4)
    assert set(rows.loc[rows["count"] == "retrieved", "compared"]) == {"counts alone" if left == 0 else "yes"}


@pytest.mark.parametrize(("topics", "reason"), [(0, "no list"), (1, "one topic")])
def test_a_depth_without_two_topics_has_rows_that_say_so(topics: int, reason: str) -> None:
    table = table_of("stands")
    short = table.assign(depth=5, status=table["status"].where(table["query_id"] < topics, "too_few"))
    pairs, rows = judged(pd.concat([short, table]))
    whole_pairs, whole_rows = judged(table)
    pd.testing.assert_frame_equal(pairs, whole_pairs)
    pd.testing.assert_frame_equal(rows[rows["depth"] == 1000].reset_index(drop=True), whole_rows)
    left = rows[rows["depth"] == 5]
    assert len(left.query("threshold == 0")) == len(COUNTS) * 2, "a row for each reading"
    assert set(left["compared"]) == {reason}
    assert set(left["solved"]) == set(left["lists"]) == {2 * topics}
    assert set(left["topics"]) == {topics}
    assert left[["difference_low", "difference_high"]].isna().all(axis=None)
    assert finding_of(pairs, rows, NO_SETS).sentence == finding_of(whole_pairs, whole_rows, NO_SETS).sentence


def test_a_pair_of_one_topic_has_no_verdict_of_the_counts() -> None:
    table = table_of("stands")
    third = table[table["measure"] == "AP"].assign(measure="nDCG")
    constant = (table["measure"] == "P@10") & (table["query_id"] > 0)
    pairs, rows = judged(pd.concat([table.assign(status=table["status"].mask(constant, "constant")), third]))
    assert pairs["verdict"].tolist() == ["no interval", "open", "no interval"]
    assert set(rows.loc[rows["second"] == "nDCG", "compared"]) == {"yes", "one topic"}
    as_golden(finding_of(pairs, rows, NO_SETS).sentence)


def test_lists_of_one_topic_have_no_interval() -> None:
    table = table_of("stands")
    with refused(me.errors.ProblemError):
        judged(table[table["query_id"] == 0])


def test_a_note_says_that_a_depth_is_not_compared(collection: me.data.Collection) -> None:
    """The first document of a list is relevant in one topic alone: it is the only list of depth 1 that is left."""
    first = collection.grades.copy()
    first[1:, :, 0] = 0
    one = replace(collection, grades=first)
    filters: dict[str, Any] = {"min_retrieved": 0, "min_retrieved_total": 1, "min_retrieved_by": "threshold"}
    result = me.compare_measures(
        one, measures=["AP", "RBP"], counts=["at_most"], models=["ranks"], references=[None], aligns=["recall"],
        depths=[1, 50], progress=False, **filters,
    )  # fmt: skip
    assert set(result.tables["differences"].query("depth == 1")["compared"]) == {"one topic"}
    lines = [line for line in result.finding.cautions if "depth 1: " in line] if result.finding else []
    assert [line.endswith("; of one topic, which gives no interval") for line in lines] == [True]


def test_numbers_of_lists_and_topics_are_whole_where_some_are_missing(tmp_path: Path) -> None:
    table = table_of("stands")
    fixed = table[table["measure"] == "AP"].assign(measure="P@1000", status="constant")
    pairs, _ = judged(pd.concat([table, fixed]))
    assert pairs["verdict"].tolist() == ["stands", "counts alone", "counts alone"]
    lines = format_table(pairs[["lists", "solved", "topics"]]).splitlines()
    assert [line.split() for line in lines[1:]] == [["24", "24", "12"], ["0", "-", "-"], ["0", "-", "-"]]
    assert len({len(line) for line in lines}) == 1, "numbers are flush right"
    write_csv(pairs[["lists", "solved", "topics"]], tmp_path / "own.csv")
    assert (tmp_path / "own.csv").read_text().splitlines()[1:] == ["24,24,12", "0,,", "0,,"]


@pytest.mark.slow
def test_short_lists_are_compared_with_both_counts_by_default() -> None:
    collection = me.collect(*me.simulate(systems=3, topics=4, depth=10))
    result = me.compare_measures(collection, measures=["AP", "RR"], depths=[10], progress=False)
    assert result.tables["differences"]["count"].unique().tolist() == ["retrieved", "at_most"]
    assert "count=retrieved and at_most" in result.introduction
    alone = me.compare_measures(collection, measures=["AP", "RR"], depths=[10], aligns=["rank"], progress=False)
    assert alone.tables["differences"]["count"].unique().tolist() == ["retrieved"]
