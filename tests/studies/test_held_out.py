"""Choices judged on topics that had no part in them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.studies import SOLVED
from tests.golden.messages import refused


def test_held_out_by_plain_loops(table: pd.DataFrame) -> None:
    found = me.studies.held_out(table, references=["AP", "nDCG(gain=exp2)"], weights={1: 1, 2: 3}, splits=20, rng=7)
    solved = table[table["status"].isin(SOLVED)]
    topics, rng = sorted(solved["query_id"].unique()), np.random.default_rng(7)
    rows = []
    for _ in range(20):
        half = rng.permutation(len(topics)) < len(topics) // 2
        means = []
        for kept in (half, ~half):
            own = solved[solved["query_id"].isin([t for t, k in zip(topics, kept, strict=True) if k])]
            wide = own.groupby(["measure", "threshold"])["rms"].mean().unstack()
            means.append(wide[1] / 4 + wide[2] * 3 / 4)
        reached = means[1][str(means[0].idxmin())]
        rows.append((reached - means[1].min(), reached - means[1]["AP"], reached - means[1]["nDCG(gain=exp2)"]))
    assert found["difference"].to_numpy() == pytest.approx(np.mean(rows, axis=0))
    assert found["low"].to_numpy() == pytest.approx(np.quantile(rows, 0.025, axis=0))
    assert found["reference"].tolist() == ["best", "AP", "nDCG(gain=exp2)"]
    assert found["difference"][0] >= 0  # regret
    assert found["in_sample"][0] == 0


def test_a_choice_among_one_is_that_one(table: pd.DataFrame) -> None:
    found = me.studies.held_out(table, candidates=["AP"], references=["AP"], splits=5)
    assert (found[["difference", "low", "high", "share_better", "in_sample"]] == 0).all().all()
    assert (found["share"] == 1).all()


def test_what_cannot_be_held_out_is_an_error(table: pd.DataFrame) -> None:
    with refused(me.errors.ProblemError):
        me.studies.held_out(table, references=["P@10"])
    one = table[table["query_id"] == table["query_id"].iloc[0]]
    with refused(me.errors.ProblemError):
        me.studies.held_out(one)


@pytest.mark.parametrize("splits", [0, 2.5, "x", 10**30])
def test_splits_that_make_no_sense(table: pd.DataFrame, splits: Any) -> None:
    with refused(me.errors.ProblemError):
        me.studies.held_out(table, splits=splits)
