"""Measures that the counts alone fix: shown with the error of the counts, and no rivals of others."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.studies import CONSTANT, StudyOptions, compare, study_finding
from tests.collections import Tables

DEPTH = 10
EVERYWHERE = ("P@10", "R@10", "P@10 & R@10")  # fixed in every list of ten
MEASURES = (*EVERYWHERE, "Rprec", "AP & P@10", "nDCG", "counts")
OPTIONS: dict[str, Any] = {"min_retrieved": 1, "progress": False}
READING: dict[str, Any] = {"reading": "papers"}


@pytest.fixture(scope="module")
def short(collection: Tables) -> me.data.Collection:
    """Lists of ten: topics with at least ten relevant documents, and one with those of the first list alone."""
    runs, qrels = collection
    first = runs[(runs["run_id"] == "system1") & (runs["query_id"] == "1")].nlargest(DEPTH, "score")
    out = (qrels["query_id"] == "1") & ~qrels["doc_id"].isin(first["doc_id"])
    return me.collect(runs, qrels.assign(relevance=qrels["relevance"].mask(out, 0)), depth=DEPTH)


@pytest.fixture(scope="module")
def studied(short: me.data.Collection) -> pd.DataFrame:
    return me.informativeness(short, measures=MEASURES, **READING, **OPTIONS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"model": "lists"}, {"solver": "scipy"}, {"reference": "log-uniform"}, {}], ids=str
)
def test_what_the_counts_fix_is_constant_and_says_what_they_say(
    short: me.data.Collection, options: dict[str, Any]
) -> None:
    """R-precision is the number of relevant documents of a list over R, where R is at least the depth."""
    table = me.informativeness(
        short.part(topics=np.array([0, 1])), measures=MEASURES, **(READING | OPTIONS | options)
    )
    table = table[~table["status"].isin(["too_few", "failed"])]
    topics, runs = (
        table[name].map(list(own).index) for name, own in (("query_id", short.topics), ("run_id", short.runs))
    )
    full = (short.grades[topics, runs] > 0).all(axis=1)  # nothing but relevant documents
    many = short.relevant.sum(axis=1)[topics] >= DEPTH
    expected = pd.DataFrame(
        {"Rprec": full | many, "AP & P@10": full, "nDCG": False, "counts": False} | dict.fromkeys(EVERYWHERE, True)
    )
    named = expected.to_numpy()[np.arange(len(table)), table["measure"].map(list(expected).index)]
    np.testing.assert_array_equal(table["status"] == CONSTANT, named)
    assert 0 < many.mean() < 1
    errors = table.set_index(["run_id", "query_id", "threshold"])
    counts, constant = (
        errors.loc[errors[name] == what] for name, what in (("measure", "counts"), ("status", CONSTANT))
    )
    np.testing.assert_allclose(constant["rms"], counts["rms"][constant.index], atol=1e-6)


def test_upper_bounds_fix_nothing(short: me.data.Collection) -> None:
    table = me.informativeness(short, measures=["P@10", "Rprec"], count="at_most", **READING, **OPTIONS)
    assert CONSTANT not in set(table["status"])


def test_what_the_counts_fix_is_shown_and_not_ranked(studied: pd.DataFrame) -> None:
    table = studied[studied["measure"] != "counts"]
    summary = me.summarize(table).query("measure == 'P@10'")
    assert (summary["constant"] == summary["lists"]).all()
    assert summary["rms"].notna().all()
    constant = table[table["status"] == CONSTANT].groupby("measure")["query_id"].size()
    assert 0 < constant["AP & P@10"] < constant["Rprec"] < constant["P@10"]
    ranked = me.league(table).query("threshold == 0")
    assert set(ranked["measure"]) == {"AP & P@10", "nDCG"}
    lists = table[table["measure"] == "AP & P@10"].groupby(["run_id", "query_id"])["status"].first()
    assert set(ranked["lists"]) == {lists.isin(["optimal", "boundary"]).sum()}
    options = StudyOptions(measures=(me.AP(),), thresholds=(1, 2))
    finding = study_finding(table, options, compare(table))
    assert finding.differences is not None
    assert {finding.best, *(row.name for row in finding.differences)} == {"AP & P@10", "nDCG"}
    assert finding.lists is not None
    assert finding.lists.used == ranked["lists"].iloc[0]
    assert finding.lists.reasons["constant"] == (lists == CONSTANT).sum()
    assert compare(table).constant == ["P@10", "P@10 & R@10", "R@10", "Rprec"]
    alone = table[table["measure"] == "P@10"]
    nothing = study_finding(alone, options, compare(alone))
    assert nothing.best is None


@pytest.mark.parametrize("reading", [READING, {"count": "retrieved"}], ids=["papers", "standard"])
def test_a_table_says_where_its_means_are_not_those_of_the_finding(
    reading: dict[str, Any], short: me.data.Collection
) -> None:
    result = me.study(short, measures=["AP", "Rprec"], **reading, min_retrieved=0, progress=False)
    league = result.tables["league"].query("threshold > 0").set_index(["threshold", "measure"])["rms"]
    means = result.table.set_index(["threshold", "measure"])["rms"][league.index]
    assert (means - league).abs().max() > 1e-6
    note = next(view.note for view in result.views if view.name == "summary")
    assert note.endswith("without those in which the counts alone fix a value.")


def test_a_pair_drops_the_lists_in_which_one_of_its_two_measures_is_fixed(short: me.data.Collection) -> None:
    measures = ["AP", "nDCG", "Rprec", "P@10"]
    result = me.compare_measures(
        short, measures=measures, references=[None], models=["ranks"], aligns=["recall"], depths=[DEPTH], **OPTIONS
    )
    table = me.informativeness(short, measures=measures, **READING, **OPTIONS)
    status = table.pivot_table(index=["run_id", "query_id"], columns="measure", values="status", aggfunc="first")
    status = status[status["AP"] != "too_few"]
    rows = result.tables["differences"]
    for row in rows[rows["second"].isin(measures) & rows["first"].isin(measures)].to_dict("records"):
        pair = [row["first"], row["second"]]
        left = (status[pair] != CONSTANT).all(axis=1)
        assert (row["lists"], row["solved"]) == (left.sum(), len(status))
        own = table.set_index(["run_id", "query_id"]).loc[status.index[left]]
        means = own.groupby(["measure", "threshold"])["rms"].mean().unstack("measure").reindex(columns=pair)
        means.loc[0] = means.mean()
        difference = means.loc[row["threshold"], pair[0]] - means.loc[row["threshold"], pair[1]]
        assert row["difference"] == pytest.approx(difference, nan_ok=True)
    verdicts = result.verdicts.set_index(["first", "second"])["verdict"]
    assert {pair for pair, verdict in verdicts.items() if verdict == "counts alone"} == {
        ("AP", "P@10"), ("nDCG", "P@10"), ("Rprec", "P@10"), ("P@10", "BrokenStick"),
    }  # fmt: skip
    assert any(line.startswith("counts alone: ") for line in result.legend)


def test_no_prediction_is_found_that_the_counts_make(short: me.data.Collection) -> None:
    measures, targets = ["P@10", "AP", "nDCG"], ["R@10", "AP", "nDCG"]
    result = me.predict(short, measures=measures, targets=targets, **OPTIONS)
    table = result.tables["predictions"]
    assert table.loc[table["measure"] == "P@10", "status"].isin([CONSTANT, "too_few"]).all()
    assert result.finding is not None
    assert [line.partition(",")[0] for line in result.finding.support] == ["AP from nDCG", "nDCG from AP"]


def test_an_explanation_says_what_a_study_says(collection: Tables) -> None:
    one = me.explain(*collection, run="system1", topic="1", measures=["nDCG", "P@10"], depth=DEPTH)
    assert one.table.groupby("measure")["status"].first().to_dict() == {"nDCG": "optimal", "P@10": CONSTANT}
