"""The broken stick beside the measures of studies, and the sets of best measures."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.stats import ENOUGH, set_p_values
from maxent.stats.confidence_set import confidence_set
from maxent.studies import compare, compare_means, with_better_gains, with_broken_stick
from tests.golden.messages import refused
from tests.studies.test_finding import centred, finding

FLAT, LINEAR = "BrokenStick", "BrokenStick(gain=linear)"
OPTIONS: dict[str, Any] = {"replicates": 1000, "rng": 0}


def test_one_grade_has_one_broken_stick() -> None:
    """With one grade flat and linear gains are the same."""
    assert with_broken_stick([me.AP()], 1) == (me.AP(), me.BrokenStick())
    assert with_broken_stick([me.BrokenStick(), me.AP()], 2) == (
        me.BrokenStick(), me.AP(), me.BrokenStick(gain="linear"),
    )  # fmt: skip


@pytest.mark.parametrize(("weights", "better"), [(None, FLAT), ({1: 1.0}, LINEAR), ({2: 1.0}, FLAT)])
def test_the_gains_with_the_smaller_error_count(weights: dict[int, float] | None, better: str) -> None:
    table = centred({"AP": 0.1, FLAT: 0.2, LINEAR: 0.3})
    swapped = (table["measure"] == LINEAR) & (table["threshold"] == 1)
    table["rms"] = table["rms"].mask(swapped, table["rms"] - 0.15)
    names = with_better_gains(table, weights)["measure"].unique().tolist()
    assert names == ["AP", better]
    assert with_better_gains(table[table["measure"] != "AP"]).equals(table[table["measure"] != "AP"])


def test_the_broken_stick_is_not_ranked_but_where_there_is_nothing_else() -> None:
    table = centred({"AP": 0.2, "nDCG": 0.3, FLAT: 0.1})
    assert set(me.league(table)["measure"]) == {"AP", "nDCG"}
    assert set(me.league(table[table["measure"] == FLAT])["measure"]) == {FLAT}
    unsolved = table.assign(status=table["status"].mask(table["measure"] == FLAT, "failed"))
    assert me.league(unsolved)["lists"].unique().tolist() == [40], "it excludes no list"
    assert compare(unsolved, rng=0).level is None


@pytest.mark.parametrize(
    ("errors", "passed", "behind"),
    [((0.1, 0.3), True, False), ((0.1, 0.1001), False, False), ((0.3, 0.1), False, True)],
)
def test_the_finding_has_how_far_the_best_is_ahead(errors: tuple[float, float], passed: bool, behind: bool) -> None:
    null = finding(centred({"AP": errors[0], "nDCG": 0.5, FLAT: errors[1]})).null
    assert null is not None
    assert null.name == FLAT
    assert (null.rms, null.difference) == pytest.approx((errors[1], errors[0] - errors[1]))
    assert null.low < null.difference < null.high
    assert (null.is_passed, null.low > 0) == (passed, behind)


def test_another_reading_names_the_standard_one() -> None:
    runs, qrels = me.simulate(systems=4, topics=16, depth=100)
    options: dict[str, Any] = {"measures": ["AP", "P@10"], "min_retrieved": 1, "depth": 100, "progress": False}
    sentences = {}
    for reading in ("standard", "papers"):
        result = me.study(runs, qrels, **options, reading=reading)
        assert result.finding is not None
        sentences[reading] = result.finding.sentence
        summary = result.table.set_index(["measure", "threshold"])
        (name,) = {name for name, _ in summary.index if name.startswith(FLAT)}
        alone = me.informativeness(runs, qrels, **(options | {"measures": [name], "reading": reading}))
        means = me.summarize(alone).set_index("threshold")["rms"]
        np.testing.assert_allclose(summary["rms"][name], means)
        shown = next(view.people for view in result.views if view.name == "summary")
        assert shown.loc[shown["measure"] == name, "may_be_best"].isna().all()
    assert all("a measure without content, the broken stick, does" in text for text in sentences.values())
    assert "see the standard reading" in sentences["papers"]
    assert "see the standard reading" not in sentences["standard"]


def test_the_set_is_that_of_the_sums_over_topics() -> None:
    """By hand: each topic's part of the deviation of the means over thresholds."""
    table = centred({"AP": 0.1, "nDCG": 0.105, "P@10": 0.2}, noise=0.03)
    comparison = compare_means(table, **OPTIONS)
    wide = table.pivot_table(index="query_id", columns="measure", values="rms", sort=False)  # as many lists each
    wide = wide[comparison.means.index]
    weights = np.random.default_rng(0).multinomial(20, np.full(20, 1 / 20), size=1000)
    samples = weights @ wide.to_numpy() / 20
    np.testing.assert_allclose(comparison.samples, samples)
    means = wide.mean().to_numpy()
    p_values = set_p_values(means, wide.to_numpy() - means, samples, weights)
    expected = wide.columns[confidence_set(p_values)]
    assert set(comparison.best_set or ()) == set(expected)
    assert 1 < len(expected) < 3
    places = me.league(table, rng=0).query("threshold == 0").set_index("measure")["may_be_best"]
    assert places.to_dict() == {name: name in expected for name in wide.columns}


@pytest.mark.parametrize("topics", [ENOUGH - 1, ENOUGH])
def test_few_topics_have_no_set(topics: int) -> None:
    table = centred({"AP": 0.1, "nDCG": 0.2}, topics=topics)
    assert (compare_means(table, **OPTIONS).best_set is None) == (topics < ENOUGH)
    assert me.league(table)["may_be_best"].isna().all() == (topics < ENOUGH)
    assert me.league(table, resample="both")["may_be_best"].isna().all(), "sets are over topics alone"


def test_every_reading_has_its_set(tmp_path: Any) -> None:
    collection = me.collect(*me.simulate(systems=4, topics=16, depth=100), depth=100)
    result = me.compare_measures(collection, measures=["AP", "nDCG", "P@10"], depths=[100], progress=False)
    sets = result.tables["sets"]
    assert len(sets) == 4
    for row in sets.to_dict("records"):
        assert row["best"] in row["may_be_best"].split("; ")
    pairs = result.verdicts[["first", "second"]].to_numpy().ravel().tolist()
    assert pairs.count(FLAT) == 3, "each measure is compared with the broken stick"
    result.save(tmp_path)
    assert pd.read_csv(tmp_path / "sets.csv")["best"].tolist() == sets["best"].tolist()


def test_each_step_of_a_choice_names_the_candidates_that_may_be_the_best() -> None:
    collection = me.collect(*me.simulate(systems=3, topics=2 * ENOUGH, depth=60), depth=60)
    steps = me.choose_measures(collection, candidates=["AP", "nDCG", "P@10"], size=2, progress=False).table
    assert steps["may_be_best"][0] == ""
    for added, names in zip(steps["added"][1:], steps["may_be_best"][1:], strict=True):
        assert added in names.split("; ")


def test_the_broken_stick_alone_is_nothing_to_study() -> None:
    runs, qrels = me.simulate(systems=2, topics=2, depth=50)
    for question in (me.study, me.compare_measures):
        with refused(me.errors.ProblemError):
            question(runs, qrels, measures=["BrokenStick"], depth=50, progress=False)


def test_a_recommended_g_is_compared_with_the_broken_stick_as_well() -> None:
    collection = me.collect(*me.simulate(systems=8, topics=20, depth=200), depth=200)
    result = me.choose_g(collection, g_steps=5, refine=False, progress=False)
    assert result.finding is not None
    lines = [line for line in result.finding.support if line.startswith("broken stick")]
    best = str(result.finding.best)
    assert result.finding.recommended != best, "this collection is here for both"
    assert len(lines) == 1
    assert "; the recommended one is " in lines[0]
    stick, rows = result.table.set_index("role").loc["no content"], result.table.set_index("measure")
    level = result.finding.null
    assert level is not None
    assert level[:3] == (
        stick["measure"],
        stick["objective"],
        rows["objective"][best] - stick["objective"],
    )
