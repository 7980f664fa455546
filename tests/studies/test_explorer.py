"""The g explorer shows what a study solved, as if it were solved again for each list."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxent as me
from maxent.measures import Measure
from maxent.measures.candidates import Kind
from maxent.results.result import Result
from maxent.studies import topics
from maxent.studies.rank_profile import topic_references
from maxent.studies.shown_lists import MOST, POINTS, distribution, spaced, thinned
from maxent.texts import g_label
from tests.collections import six_topics

ROUNDED = 1.01  # ten-thousandths by which rounded numbers may differ


@pytest.fixture(scope="module")
def collection() -> me.data.Collection:
    return six_topics()


@pytest.fixture(scope="module")
def study(collection: me.data.Collection) -> Result:
    return me.study(collection, g_steps=3, reading="papers")


def explored(result: Result) -> dict[str, Any]:
    """Numbers of the explorer."""
    assert result.explorer is not None
    numbers = result.explorer()
    assert numbers is not None
    return numbers


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"align": "expected", "reference": "log-uniform"},
        {"count": "at_most", "align": "rank"},
        {"reference": "topics", "weights": {2: 1.0}},
        {"solver": "scipy", "depth": 20, "min_retrieved": 1, "count": "retrieved"},
        {"model": "lists", "depth": 8, "min_retrieved": 1, "count": "retrieved"},
    ],
    ids=lambda options: " ".join(options),
)
def test_curves_and_bands_are_those_of_solved_problems(collection: me.data.Collection, options: Any) -> None:
    options = {"reading": "papers", **options}
    own = collection.part(depth=options.pop("depth", collection.depth))
    if options.get("solver"):
        own = own.part(topics=slice(2))
    result = me.study(own, measures=["GAP(g=.5,.5)", "GAP(g=.75,.25)"], **options)
    references = topic_references(own, options.get("reference"))
    align, explorer = options.get("align", "recall"), explored(result)
    rows: Any = result.tables["informativeness"].set_index(["query_id", "run_id", "measure", "threshold"])
    thresholds = list(options.get("weights", (1, 2)))
    for one in explorer["lists"]:
        topic, run = own.topics.index(one["topic"]), own.runs.index(one["run"])
        grades, relevant = own.grades[topic, run].astype(int), own.relevant[topic]
        for t, threshold in enumerate(thresholds):
            actual = me.actual_curve(grades, relevant, threshold=threshold)
            assert one["at"][t] == actual.rank[np.array(one["found"][t]) - 1].tolist()
            assert one["base"][t] == relevant[threshold - 1 :].sum()
        for k, g in enumerate(explorer["g"]):
            reading = {"count": options.get("count", "retrieved"), "reference": references[topic]}
            problem = me.Problem.of_list(me.GAP(g=g), grades, relevant, **reading)
            solution = me.solve(problem, model=options.get("model", "ranks"))
            assert one["values"][k] == pytest.approx(problem.value, abs=6e-5)
            for t, threshold in enumerate(thresholds):
                row = rows.loc[(one["topic"], one["run"], str(me.GAP(g=g)), threshold)]
                assert one["rms"][t][k] == pytest.approx(row["rms"], abs=6e-5)
                expected = align == "expected"
                curve = me.inferred_curve(solution, threshold=threshold, expected=expected, band=0.9)
                at = np.array(one["found"][t] if expected else explorer["ranks"]) - 1
                np.testing.assert_allclose(one["curves"][t][k], 1e4 * curve.precision[at], atol=ROUNDED)
                if k == explorer["recommended"]:
                    assert curve.low is not None
                    assert curve.high is not None
                    ends = 1e4 * np.stack((curve.low[at], curve.high[at]))
                    # an end is at a whole rank: where the probability is all but 5 % there, it may be at the next
                    assert (abs(np.array(one["bands"][t]) - ends) > ROUNDED).mean() < 0.02
    assert explorer["lists"]


@pytest.mark.parametrize(("measure", "miss"), [(me.nDCG(gain=(0.5, 1.0)), 1e-6), (me.GAP(g=(0.5, 0.5)), 5e-4)])
def test_a_reference_need_not_be_smooth(collection: me.data.Collection, measure: Measure, miss: float) -> None:
    reference = np.random.default_rng(0).dirichlet((9, 2, 1), 200)
    problem = me.Problem.of_list(
        measure, collection.grades[0, 0].astype(int), collection.relevant[0], reference=reference
    )
    p, ranks = me.solve(problem).p, spaced(200)
    found = distribution(p[None, ranks - 1], ranks, problem.log_odds)[0]
    off = abs(np.cumsum(found - p, axis=0)) / np.arange(1, 201)[:, None]
    assert off.max() < miss


def test_values_at_ends_have_sorted_lists() -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    best = runs.merge(qrels, on=["query_id", "doc_id"], how="left").fillna({"relevance": 0})
    best = best.sort_values(["query_id", "relevance"], ascending=[True, False], kind="stable")
    best = best[best["run_id"] == "system1"].assign(run_id="sorted")
    best["score"] = -np.arange(len(best), dtype=float)
    result = me.study({"sorted": best[runs.columns], "other": runs[runs["run_id"] == "system2"]}, qrels, g_steps=3,
                      min_retrieved=1, depth=100)  # fmt: skip
    one = next(one for one in explored(result)["lists"] if one["run"] == "sorted")
    assert one["curves"][1][1][0] == 10_000
    assert result.tables["informativeness"].query("run_id == 'sorted'")["status"].eq("boundary").any()


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["GAP", "nDCG"])
def test_a_refined_candidate_is_shown(collection: me.data.Collection, measure: Kind, tmp_path: Path) -> None:
    choice = me.choose_g(collection, measure=measure, g_steps=3, reading="papers")
    explorer = explored(choice)
    assert len(explorer["g"]) == (choice.table["role"] != "no content").sum() == 4
    assert explorer["g"][explorer["recommended"]] == choice.simplest
    refined = explorer["g"].index(choice.g)
    assert refined != explorer["recommended"]
    assert explorer["name"] == {"GAP": "GAP(g)", "nDCG": "nDCG"}[measure]
    page = choice.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert (page.partition('id="explorer"')[2].count("GAP(g)") > 0) == (measure == "GAP")
    assert choice.measure is not None
    one = explorer["lists"][0]
    topic, run = collection.topics.index(one["topic"]), collection.runs.index(one["run"])
    problem = me.Problem.of_list(
        choice.measure, collection.grades[topic, run].astype(int), collection.relevant[topic]
    )
    curve = me.inferred_curve(me.solve(problem), threshold=2)
    shown = one["curves"][1][refined]
    np.testing.assert_allclose(shown, 1e4 * curve.precision[np.array(explorer["ranks"]) - 1], atol=ROUNDED)


@pytest.mark.slow
def test_a_report_solves_nothing(study: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("maxent.solvers.newton.solve_newton", refused)
    page = study.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="explorer-data"' in page
    assert explored(pickle.loads(pickle.dumps(study))) == explored(study)


@pytest.mark.slow
def test_lists_do_not_depend_on_how_topics_are_solved(
    collection: me.data.Collection, study: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"g_steps": 3, "reading": "papers"}
    assert explored(me.study(collection, **options, jobs=2)) == explored(study)
    for _ in range(2):  # the second time from the file of finished topics
        assert explored(me.study(collection, **options, checkpoint=tmp_path / "study")) == explored(study)
    monkeypatch.setattr(topics, "BLOCK", 3)  # runs, of which there are four
    blocks = explored(me.study(collection, **options))
    monkeypatch.setattr(topics, "BLOCK", 1000)
    monkeypatch.setattr(topics, "PIECES", 2)
    together = explored(me.study(collection, **options))
    for other in (blocks, together):
        for one, same in zip(explored(study)["lists"], other["lists"], strict=True):
            assert (one["topic"], one["run"]) == (same["topic"], same["run"])
            np.testing.assert_allclose(one["curves"], same["curves"], atol=ROUNDED)


@pytest.mark.slow
def test_lists_are_spread_evenly_over_those_that_are_used() -> None:
    collection = me.collect(*me.simulate(systems=25, topics=6, depth=50), depth=50)
    result = me.study(collection, measures=["GAP(g=.5,.5)", "GAP(g=.75,.25)", "AP"], min_retrieved=2)
    explorer = explored(result)
    lists, recommended = explorer["lists"], explorer["recommended"]
    table = result.tables["informativeness"]
    used = table[~table["status"].isin(["too_few", "missing"])].drop_duplicates(["query_id", "run_id"])
    assert len(used) > MOST
    assert 0.9 * MOST <= len(lists) <= MOST
    assert {one["topic"] for one in lists} == set(used["query_id"])
    errors = [np.mean([row[recommended] for row in one["rms"]]) for one in lists]
    assert (np.diff(errors) > -2e-4).all()


@pytest.mark.parametrize("weights", [None, {1: 1.0, 2: 3.0}])
def test_the_explorer_has_the_means_of_the_choice(collection: me.data.Collection, weights: Any) -> None:
    result = me.study(collection, measures=["GAP", "AP", "nDCG(gain=exp2)"], g_steps=3, weights=weights)
    explorer, table = explored(result), result.tables["choice"].dropna(subset="g_1").sort_values(["g_1", "g_2"])
    assert result.simplest is not None
    assert explorer["labels"][explorer["recommended"]] == g_label(result.simplest)
    for t in (1, 2):
        np.testing.assert_allclose(explorer["rms"][t - 1], table[f"rms_t{t}"], atol=6e-5)
    for other in explorer["others"]:
        shares = list(weights.values()) if weights else [1, 1]
        assert other["mean"] == pytest.approx(np.average(other["rms"], weights=shares), abs=1e-4)
    assert {other["label"] for other in explorer["others"]} == {
        "AP",
        "nDCG(gain=exp2)",
        "broken stick (no content)",
    }


def test_a_single_candidate_is_nothing_to_explore(collection: me.data.Collection) -> None:
    result = me.choose_g(collection, candidates=[(0.5, 0.5)], refine=False)
    assert result.explorer is not None
    assert result.explorer() is None
    assert me.study(collection, measures=["AP", "P@10"]).explorer is None


@pytest.mark.parametrize("depth", [1, 3, 10, 50, 1000, 100_000])
def test_curves_are_thinned(depth: int) -> None:
    ranks = spaced(depth)
    assert len(ranks) <= POINTS
    assert (ranks[0], ranks[-1]) == (1, depth)
    few = thinned(np.arange(depth))
    assert len(few) <= POINTS
    assert (few[0], few[-1]) == (0, depth - 1)
