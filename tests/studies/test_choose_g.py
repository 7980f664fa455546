"""The choice of g from a study: the smallest weighted mean, on common lists, and how stable it is."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.studies import SOLVED, candidates_table
from tests.golden.messages import refused


def test_the_choice_minimises_the_weighted_mean(table: pd.DataFrame) -> None:
    solved = table[table["status"].isin(SOLVED)]
    means = solved.groupby(["measure", "threshold"])["rms"].mean().unstack()
    for weights in (None, {1: 1.0}, {2: 3.0}, {1: 1.0, 2: 3.0}):
        w = weights or {1: 1.0, 2: 1.0}
        objective = pd.DataFrame({t: means[t] * x for t, x in w.items()}).sum(axis=1) / sum(w.values())
        choice = me.studies.choose_from(table, weights=weights)
        candidates = objective[objective.index.str.startswith("GAP")]
        assert str(choice.measure) == candidates.sort_values().index[0]
        ours = choice.table.set_index("measure")["objective"]
        np.testing.assert_allclose(ours, candidates[ours.index])
        assert choice.table["share_best"].sum() == pytest.approx(1)
        assert (choice.table["excess_low"] <= choice.table["excess_high"]).all()
        best = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
        assert best["excess_low"] == best["excess_high"] == 0


def test_candidates_that_tie_share_the_samples(table: pd.DataFrame) -> None:
    rms = table.set_index(["measure", "run_id", "query_id", "threshold"])["rms"]
    best = str(me.studies.choose_from(table).measure)
    other = next(str(name) for name in table["measure"].unique() if name.startswith("GAP") and name != best)
    rms[other] = rms[best].to_numpy()
    shares = me.studies.choose_from(table.assign(rms=rms.to_numpy())).table.set_index("measure")["share_best"]
    assert shares[best] == shares[other] > 0
    assert shares.sum() == pytest.approx(1)


def test_the_choice_compares_on_common_lists(table: pd.DataFrame) -> None:
    lost = table.copy()
    victim = lost[lost["status"].isin(SOLVED)].iloc[0]
    same = (lost["run_id"] == victim["run_id"]) & (lost["query_id"] == victim["query_id"])
    lost.loc[same & (lost["measure"] == "GAP(g=0,1)"), ["status", "rms"]] = "infeasible", np.nan
    assert (
        me.studies.choose_from(lost).table["lists"].max() == me.studies.choose_from(table).table["lists"].max() - 1
    )


def test_choose_g_does_the_study_itself(arrays: me.data.Collection, table: pd.DataFrame) -> None:
    choice = me.choose_g(arrays, g_steps=3, reading="papers", refine=False, progress=False)
    assert choice.g == me.studies.choose_from(table).g
    candidates = choice.table[choice.table["role"] != "no content"]
    pd.testing.assert_frame_equal(candidates, me.studies.choose_from(table).table)


def test_gap_with_even_g_is_no_candidate(arrays: me.data.Collection, table: pd.DataFrame) -> None:
    """Nor is GAP with a cutoff: the choice is among numbers for g of one measure."""
    half = table[table["measure"] == "GAP(g=0.5,0.5)"].assign(rms=0.0)
    others = [half.assign(measure=text) for text in ("GAP(g=even)", "GAP(g=0,1)@10")]
    more = pd.concat([table, *others])
    pd.testing.assert_frame_equal(me.studies.choose_from(more).table, me.studies.choose_from(table).table)
    with refused(me.errors.ProblemError):
        me.studies.choose_from(others[0])
    found = me.choose_g(arrays, candidates=["even", (1, 0)], refine=False, progress=False)  # type: ignore[list-item]
    assert found.table["measure"].tolist() == ["GAP(g=0.5,0.5)", "GAP(g=1,0)", "BrokenStick(gain=linear)"]


def test_the_recommended_candidate_is_marked(table: pd.DataFrame) -> None:
    choice = me.studies.choose_from(table)
    marked = candidates_table("choice", choice)
    assert marked.people["measure"].iloc[list(marked.marked)].tolist() == [choice.finding.recommended]


def test_gains_of_ndcg_are_chosen_like_g(arrays: me.data.Collection) -> None:
    """By hand: the candidate of the study with the smallest mean error; steps of gains are g."""
    gains = [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0)]
    studied = me.informativeness(arrays, measures=[me.nDCG(gain=gain) for gain in gains], progress=False)
    means = studied[studied["status"].isin(SOLVED)].groupby("measure", sort=False)["rms"].mean()
    choice = me.choose_g(arrays, measure="nDCG", g_steps=3, refine=False, progress=False)
    candidates = choice.table[choice.table["role"] != "no content"]
    assert candidates["measure"].tolist() == list(means.index)
    np.testing.assert_allclose(candidates["objective"], means)
    assert str(choice.measure) == means.idxmin()
    assert candidates["g_1"].tolist() == [0, 0.5, 1]
    assert choice.finding is not None
    assert choice.finding.best == str(choice.measure)
    scaled = studied.replace(
        {"measure": {"nDCG(gain=0.5,1)": "nDCG(gain=7,14)", "nDCG(gain=0,1)": "nDCG(gain=2,1)"}}
    )
    found = me.studies.choose_from(scaled, measure="nDCG").table
    assert dict(zip(found["measure"], found["g_1"], strict=True)) == {"nDCG(gain=7,14)": 0.5, "nDCG(gain=1,1)": 1}
    with refused(me.errors.ProblemError):
        me.studies.choose_from(studied)


@pytest.mark.parametrize(
    "weights",
    [
        {3: 1.0},
        {1: -1.0},
        {1: 1e308, 2: 1e308},
        {"1": 1.0},
        [1.0, 2.0],
    ],
)
def test_wrong_weights(weights: Any, table: pd.DataFrame) -> None:
    with refused(me.errors.ProblemError):
        me.studies.choose_from(table, weights=weights)


def test_bad_choices_say_what_is_wrong(table: pd.DataFrame) -> None:
    with refused(me.errors.ProblemError):
        me.studies.choose_from(table, replicates=0)
    with refused(me.errors.ProblemError):
        me.studies.choose_from(table.assign(status="too_few"))
