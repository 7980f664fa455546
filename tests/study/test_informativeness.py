"""The study: rows, reasons, summaries, the choice of g, and going on after an interruption."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.study import informativeness as study_module
from maxent.study.options import StudyOptions
from maxent.study.topics import SOLVED, Topic


@pytest.fixture(scope="module")
def collection() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A small simulated collection."""
    return me.simulate(systems=4, topics=5, depth=200, rng=3)


@pytest.fixture(scope="module")
def table(collection: tuple[pd.DataFrame, pd.DataFrame]) -> pd.DataFrame:
    runs, qrels = collection
    measures = [me.GAP(g=g) for g in me.g_grid(steps=3)] + [me.AP(), me.nDCG(gain="exp2")]
    return me.informativeness(runs, qrels, measures=measures, depth=200, progress=False)


def test_one_row_per_run_topic_measure_and_threshold(table: pd.DataFrame) -> None:
    assert len(table) == 4 * 5 * 5 * 2
    assert not table.duplicated(["run_id", "query_id", "measure", "threshold"]).any()
    solved = table["status"].isin(SOLVED)
    assert solved.any()
    assert table.loc[solved, ["rms", "mae", "entropy"]].notna().all().all()
    assert table.loc[~solved, ["rms", "mae", "entropy"]].isna().all().all()
    assert (table.loc[solved, "mae"] <= table.loc[solved, "rms"] + 1e-12).all()


def test_rows_equal_the_steps_done_by_hand(
    collection: tuple[pd.DataFrame, pd.DataFrame], table: pd.DataFrame
) -> None:
    runs, qrels = collection
    arrays = me.collect(runs, qrels, depth=200)
    for _, row in table[table["status"].isin(SOLVED)].iloc[::17].iterrows():
        t, r = arrays.topics.index(row["query_id"]), arrays.runs.index(row["run_id"])
        grades, relevant = arrays.grades[t, r], arrays.relevant[t]
        solution = me.solve(me.Problem.of_list(me.parse_measure(row["measure"]), grades, relevant))
        actual = me.actual_curve(grades, relevant, threshold=row["threshold"])
        error = me.curve_error(actual, me.inferred_curve(solution, threshold=row["threshold"]))
        # side by side, a problem's sums are rounded in another order
        assert (row["rms"], row["mae"], row["points"]) == pytest.approx(tuple(error), rel=1e-9)
        assert row["entropy"] == pytest.approx(solution.entropy, rel=1e-12)


def test_gap_with_all_weight_on_the_lowest_grade_is_ap(table: pd.DataFrame) -> None:
    wide = table.pivot_table(index=["run_id", "query_id", "threshold"], columns="measure", values="rms")
    np.testing.assert_allclose(wide["GAP(g=1,0)"], wide["AP"], atol=1e-9)


def test_jobs_do_not_change_the_result(collection: tuple[pd.DataFrame, pd.DataFrame], table: pd.DataFrame) -> None:
    runs, qrels = collection
    measures = [me.parse_measure(m) for m in table["measure"].unique()]
    again = me.informativeness(runs, qrels, measures=measures, depth=200, jobs=2, progress=False)
    pd.testing.assert_frame_equal(again, table)


def test_every_list_left_out_has_a_reason() -> None:
    qrels = pd.DataFrame(
        [("1", "a", 1), ("1", "b", 2), ("2", "a", 1), ("2", "b", 2), ("3", "a", 0)],
        columns=["query_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        [("1", "a", 3.0), ("1", "x", 2.0), ("1", "b", 1.0), ("3", "a", 1.0)],
        columns=["query_id", "doc_id", "score"],
    )
    other = pd.DataFrame([("1", "a", 1.0), ("2", "b", 1.0)], columns=["query_id", "doc_id", "score"])
    table = me.informativeness(
        {"A": run, "B": other}, qrels, measures=[me.AP()], depth=10, min_retrieved=1, progress=False
    )
    status = table[table["threshold"] == 1].set_index(["run_id", "query_id"])["status"].to_dict()
    assert status == {
        ("A", "1"): "optimal",
        ("A", "2"): "missing",
        ("A", "3"): "no_relevant",
        ("B", "1"): "too_few",
        ("B", "2"): "too_few",
        ("B", "3"): "no_relevant",
    }
    counts = me.left_out(table).set_index("status")["lists"].to_dict()
    assert counts == {"optimal": 1, "missing": 1, "no_relevant": 2, "too_few": 2}


def test_a_grade_that_no_topic_has_asks_for_no_documents() -> None:
    qrels = pd.DataFrame([("1", "a", 1), ("1", "b", 4)], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame([("1", "b", 2.0), ("1", "a", 1.0)], columns=["query_id", "doc_id", "score"])
    table = me.informativeness(run, qrels, measures=["AP"], depth=10, min_retrieved=1, progress=False)
    assert set(table["status"]) == {"optimal"} or set(table["status"]) == {"boundary"}


def test_a_grid_must_not_explode() -> None:
    with pytest.raises(me.ProblemError, match="take fewer steps or name measures"):
        me.g_grid(levels=100)


def test_infeasible_lists_are_counted_not_dropped(collection: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    runs, qrels = collection
    table = me.informativeness(
        runs, qrels, measures=[me.nDCG(gain="exp2"), me.AP()], count="total", depth=200, progress=False
    )
    retrieved = me.informativeness(runs, qrels, measures=[me.AP()], depth=200, progress=False)
    assert len(table) == 2 * len(retrieved)
    assert set(retrieved["status"]) <= {*SOLVED, "too_few"}
    assert "infeasible" in set(table["status"])


def test_summary_is_the_mean_with_an_interval_over_topics(table: pd.DataFrame) -> None:
    summary = me.summarize(table, rng=1)
    assert list(summary.columns) == ["measure", "threshold", "lists", "rms", "mae", "rms_low", "rms_high"]
    solved = table[table["status"].isin(SOLVED)]
    for _, row in summary.iterrows():
        own = solved[(solved["measure"] == row["measure"]) & (solved["threshold"] == row["threshold"])]
        assert row["rms"] == pytest.approx(own["rms"].mean())
        assert row["lists"] == len(own)
        assert row["rms_low"] < row["rms"] < row["rms_high"]
    pd.testing.assert_frame_equal(summary, me.summarize(table, rng=1))


def test_the_league_is_paired_and_on_common_lists(table: pd.DataFrame) -> None:
    """Against loops over replicates; one list is unsolved for one measure and counts for none."""
    gone = (table["measure"] == "AP") & (table["query_id"] == "1") & table["status"].isin(SOLVED)
    gone &= table["run_id"] == table.loc[gone, "run_id"].iloc[0]
    table = table.assign(status=table["status"].mask(gone, "failed"))
    league = me.league(table, replicates=50, rng=3)
    solved = table[table["status"].isin(SOLVED)]
    number = solved["measure"].nunique()
    common = solved.groupby(["run_id", "query_id"]).filter(lambda own: own["measure"].nunique() == number)
    assert set(league["lists"]) == {len(common.drop_duplicates(["run_id", "query_id"]))}
    topics = sorted(common["query_id"].unique(), key=list(common["query_id"].unique()).index)
    weights = np.random.default_rng(3).multinomial(len(topics), np.full(len(topics), 1 / len(topics)), size=50)
    replicates = []
    for weight in weights:
        drawn = common["query_id"].map(dict(zip(topics, weight, strict=True)))
        weighted = (
            common.assign(w=drawn, rw=common["rms"] * drawn).groupby(["measure", "threshold"])[["rw", "w"]].sum()
        )
        replicates.append((weighted["rw"] / weighted["w"]).groupby("measure").mean())
    overall = league[league["threshold"] == 0].set_index("measure")
    each = pd.concat(replicates, axis=1)
    best = overall.index[0]
    assert overall["rms"].is_monotonic_increasing
    for measure in overall.index:
        row = overall.loc[measure]
        own = common[common["measure"] == measure].groupby("threshold")["rms"].mean()
        assert row["rms"] == pytest.approx(own.mean())
        low, high = np.quantile(each.loc[measure] - each.loc[best], (0.025, 0.975))
        assert row["difference_low"] == pytest.approx(low, abs=1e-12)
        assert row["difference_high"] == pytest.approx(high, abs=1e-12)
    assert league.groupby("threshold")["share_best"].sum().to_numpy() == pytest.approx(1)
    with pytest.raises(me.ProblemError, match="solved for every measure"):
        me.league(table.assign(status="failed"))


def test_the_bootstrap_interval_equals_scipys(table: pd.DataFrame) -> None:
    """Ratio of sums over resampled topics, percentile interval."""
    from scipy.stats import bootstrap

    ap = table[(table["measure"] == "AP") & (table["threshold"] == 1) & table["status"].isin(SOLVED)]
    sums, sizes = (ap.groupby("query_id")["rms"].agg(how).to_numpy(dtype=float) for how in ("sum", "size"))
    interval = bootstrap(
        (sums, sizes),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=0,
    ).confidence_interval
    row = me.summarize(table, replicates=20_000).query("measure == 'AP' and threshold == 1").iloc[0]
    assert row["rms_low"] == pytest.approx(interval.low, abs=2e-3)
    assert row["rms_high"] == pytest.approx(interval.high, abs=2e-3)


def test_one_topic_has_no_interval(table: pd.DataFrame) -> None:
    topic = table[table["status"].isin(SOLVED)]["query_id"].iloc[0]
    summary = me.summarize(table[table["query_id"] == topic])
    assert summary["rms"].notna().all()
    assert summary[["rms_low", "rms_high"]].isna().all().all()


def test_nothing_solved_gives_empty_means(table: pd.DataFrame) -> None:
    none = table.assign(status="too_few", rms=np.nan, mae=np.nan)
    summary = me.summarize(none)
    assert (summary["lists"] == 0).all()
    assert summary["rms"].isna().all()


@pytest.mark.parametrize(("levels", "steps"), [(1, 2), (2, 5), (3, 4), (4, 3)])
def test_the_grid_covers_the_simplex(levels: int, steps: int) -> None:
    from math import comb

    grid = me.g_grid(levels=levels, steps=steps)
    assert len(set(grid)) == len(grid) == comb(steps - 1 + levels - 1, levels - 1)
    assert all(sum(g) == pytest.approx(1) and min(g) >= 0 for g in grid)
    assert {tuple(float(k == j) for k in range(levels)) for j in range(levels)} <= set(grid)


def test_the_grid_of_the_paper() -> None:
    assert me.g_grid(steps=5) == [(0, 1), (0.25, 0.75), (0.5, 0.5), (0.75, 0.25), (1, 0)]
    with pytest.raises(me.ProblemError, match="steps >= 2"):
        me.g_grid(steps=1)


# --- the choice of g ---


def test_the_choice_minimises_the_weighted_mean(table: pd.DataFrame) -> None:
    solved = table[table["status"].isin(SOLVED)]
    means = solved.groupby(["measure", "threshold"])["rms"].mean().unstack()
    for weights in (None, {1: 1.0}, {2: 3.0}, {1: 1.0, 2: 3.0}):
        w = weights or {1: 1.0, 2: 1.0}
        objective = pd.DataFrame({t: means[t] * x for t, x in w.items()}).sum(axis=1) / sum(w.values())
        choice = me.choose_from(table, weights=weights)
        candidates = objective[objective.index.str.startswith("GAP")]
        assert str(choice.measure) == candidates.sort_values().index[0]
        ours = choice.table.set_index("measure")["objective"]
        np.testing.assert_allclose(ours, candidates[ours.index])
        assert choice.table["share_best"].sum() == pytest.approx(1)
        assert (choice.table["excess_low"] <= choice.table["excess_high"]).all()
        best = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
        assert best["excess_low"] == best["excess_high"] == 0


def test_the_choice_compares_on_common_lists(table: pd.DataFrame) -> None:
    lost = table.copy()
    victim = lost[lost["status"].isin(SOLVED)].iloc[0]
    same = (lost["run_id"] == victim["run_id"]) & (lost["query_id"] == victim["query_id"])
    lost.loc[same & (lost["measure"] == "GAP(g=0,1)"), ["status", "rms"]] = "infeasible", np.nan
    assert me.choose_from(lost).table["lists"].max() == me.choose_from(table).table["lists"].max() - 1


def test_choose_g_does_the_study_itself(collection: tuple[pd.DataFrame, pd.DataFrame], table: pd.DataFrame) -> None:
    runs, qrels = collection
    choice = me.choose_g(runs, qrels, steps=3, refine=False, depth=200, progress=False)
    assert choice.g == me.choose_from(table).g
    pd.testing.assert_frame_equal(choice.table, me.choose_from(table).table)


def test_stability_of_the_choice(table: pd.DataFrame) -> None:
    """All topics but one are copies of a topic that prefers the first g: only sets of the other one choose else."""
    gap = table[table["measure"].str.startswith("GAP(") & table["status"].isin(SOLVED)]
    one = gap[gap["query_id"] == gap["query_id"].iloc[0]]
    first, *_, last = one["measure"].unique()
    rms = {first: 0.1, last: 0.3}
    usual = [one.assign(query_id=str(k), rms=one["measure"].map(rms).fillna(0.5)) for k in range(4)]
    odd = one.assign(query_id="odd", rms=one["measure"].map({first: 0.4, last: 0.3}).fillna(0.5))
    found = me.choice_stability(pd.concat([*usual, odd]), sizes=(2, 50), replicates=4000)
    assert found["topics"].tolist() == [2, 50]
    assert found["share_same"][0] == pytest.approx(1 - 1 / 25, abs=0.01)  # only two odd ones choose the last
    assert found["share_same"][1] == 1
    best, other = (4 * 0.1 + 0.4) / 5, 0.3
    assert found["excess"][0] == pytest.approx((1 - found["share_same"][0]) * (other - best))
    assert found["excess"][1] == 0
    with pytest.raises(me.ProblemError, match="numbers of topics"):
        me.choice_stability(table, sizes=(0,))


def test_three_grades() -> None:
    rng = np.random.default_rng(0)
    qrels = pd.DataFrame(
        [(q, f"d{k}", int(g)) for q in "12" for k, g in enumerate(rng.permutation([1] * 6 + [2] * 6 + [3] * 6))],
        columns=["query_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        [(q, f"d{k}", float(s)) for q in "12" for k, s in enumerate(rng.normal(size=40))],
        columns=["query_id", "doc_id", "score"],
    )
    choice = me.choose_g(run, qrels, steps=3, refine=False, depth=50, progress=False)
    assert len(choice.g) == 3
    assert len(choice.table) == 6
    assert [c for c in choice.table.columns if c.startswith("rms_t")] == ["rms_t1", "rms_t2", "rms_t3"]


def test_bad_choices_say_what_is_wrong(table: pd.DataFrame) -> None:
    for weights, says in (
        ({3: 1.0}, r"thresholds \[3\]"),
        ({1: -1.0}, "not be negative"),
        ({1: 0.0}, "one must be"),
    ):
        with pytest.raises(me.ProblemError, match=says):
            me.choose_from(table, weights=weights)
    with pytest.raises(me.ProblemError, match="no GAP measure"):
        me.choose_from(table[table["measure"] == "AP"])
    with pytest.raises(me.ProblemError, match="no list on which"):
        me.choose_from(table.assign(status="too_few"))


def test_bad_studies_fail_before_the_work(collection: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    runs, qrels = collection
    for options, says in (
        ({"measures": []}, "at least one measure"),
        ({"measures": [me.GAP(g=(1,))]}, "1 threshold probabilities, but the topic has 2"),
        ({"thresholds": [3]}, r"within 1\.\.2"),
        ({"count": "every"}, "unknown count"),
        ({"align": "precision"}, "unknown alignment"),
        ({"min_retrieved": 0}, "at least 1"),
        ({"solver": "simplex"}, "unknown solver"),
    ):
        with pytest.raises(me.MaxentError, match=says):
            me.informativeness(runs, qrels, **options)


# --- interruption ---


def test_an_interrupted_study_goes_on(
    collection: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, qrels = collection
    options = {"measures": [me.AP(), me.nDCG()], "depth": 200, "progress": False}
    whole = me.informativeness(runs, qrels, **options)  # type: ignore[arg-type]
    real = study_module._study_topic
    done: list[str] = []

    def interrupted(topic: Topic, options: StudyOptions) -> pd.DataFrame:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(topic.query_id)
        return real(topic, options)

    path = tmp_path / "out" / "partial.csv"
    monkeypatch.setattr(study_module, "_study_topic", interrupted)
    with pytest.raises(KeyboardInterrupt):
        me.informativeness(runs, qrels, checkpoint=path, **options)  # type: ignore[arg-type]
    with path.open("a") as file:  # what a power cut in the middle of a line leaves
        file.write(path.read_text().splitlines()[-1][:25])

    def counted(topic: Topic, options: StudyOptions) -> pd.DataFrame:
        done.append(topic.query_id)
        return real(topic, options)

    monkeypatch.setattr(study_module, "_study_topic", counted)
    again = me.informativeness(runs, qrels, checkpoint=path, **options)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(again, whole)
    assert len(done) == len(set(done)) == 5
    # a third time nothing is left to do, and another study does not use these rows
    pd.testing.assert_frame_equal(
        me.informativeness(runs, qrels, checkpoint=path, **options),  # type: ignore[arg-type]
        whole,
    )
    assert len(done) == 5
    me.informativeness(runs, qrels, checkpoint=path, align="rank", **options)  # type: ignore[arg-type]
    assert len(done) == 10
