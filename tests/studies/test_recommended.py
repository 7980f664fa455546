"""One g is recommended, by the study, the choice, the figure and the explorer; refinement does not move it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.options import BootstrapKeywords
from maxent.results import Result
from maxent.studies import with_refined
from maxent.texts import g_label
from tests.collections import six_topics
from tests.studies.test_finding import centred

GRID = ["GAP(g=0,1)", "GAP(g=0.5,0.5)", "GAP(g=0.75,0.25)", "GAP(g=1,0)"]
REFINED, SAMPLES = "GAP(g=0.7,0.3)", BootstrapKeywords(replicates=1000, rng=0)
ROW = ["measure", "role", "objective", "low", "high", "excess_low", "excess_high", "share_best"]


def steady(refined: float) -> pd.DataFrame:
    """A study whose grid cannot tell AP from its best, and a refined g that differs from AP in every topic."""
    table = centred({"GAP(g=0,1)": 0.3, "GAP(g=0.5,0.5)": 0.2, "GAP(g=0.75,0.25)": 0.1, "GAP(g=1,0)": 0.101})
    ap = table[table["measure"] == "GAP(g=1,0)"]
    return pd.concat([table, ap.assign(measure=REFINED, rms=ap["rms"] - (0.101 - refined))], ignore_index=True)


def test_refinement_moves_neither_the_recommended_g_nor_the_differences() -> None:
    table = steady(0.09)
    plain = me.studies.choose_from(table[table["measure"] != REFINED])
    choice = with_refined(plain, table, REFINED, **SAMPLES)
    assert plain.simplest == choice.simplest == (1, 0)
    assert (plain.g, choice.g) == ((0.75, 0.25), (0.7, 0.3))
    pd.testing.assert_frame_equal(choice.table[ROW].iloc[:-1], plain.table[ROW])
    assert choice.table["role"].tolist() == ["", "", "best", "recommended", "refined"]
    last = choice.table.iloc[-1]
    assert last["objective"] == pytest.approx(0.09)
    assert last["excess_low"] < -0.01 < last["excess_high"]
    assert np.isnan(last["share_best"])
    for field in ("sentence", "best", "recommended", "set", "differences"):
        assert getattr(choice.finding, field) == getattr(plain.finding, field), field
    assert choice.finding.best == "GAP(g=0.75,0.25)"
    assert set(plain.finding.support) < set(choice.finding.support)


def test_a_refined_g_that_is_not_better_or_has_fewer_lists_is_none() -> None:
    worse = steady(0.11)
    plain = me.studies.choose_from(worse[worse["measure"] != REFINED])
    assert with_refined(plain, worse, REFINED, **SAMPLES) is plain
    better = steady(0.09)
    lost = (better["measure"] == REFINED) & (better["query_id"] == "0")
    fewer = better.assign(status=better["status"].mask(lost, "failed"))
    assert with_refined(plain, fewer, REFINED, **SAMPLES) is plain
    assert with_refined(plain, better, REFINED, **SAMPLES) is not plain


@pytest.fixture(scope="module")
def collection() -> me.data.Collection:
    return six_topics()


@pytest.fixture(scope="module")
def results(collection: me.data.Collection) -> dict[str, Result]:
    """A study, and choices with and without refinement."""
    options: dict[str, Any] = {"g_steps": 3, "reading": "papers", "min_retrieved": 1, "progress": False}
    return {
        "study": me.study(collection, **options),
        "plain": me.choose_g(collection, refine=False, **options),
        "choice": me.choose_g(collection, **options),
    }


def test_one_g_is_recommended_everywhere(results: dict[str, Result], tmp_path: Path) -> None:
    assert len(results["choice"].table) == len(results["plain"].table) + 1, "this collection has a refined g"
    assert len({result.simplest for result in results.values()}) == 1
    simplest = results["study"].simplest
    assert simplest is not None
    assert results["plain"].g != simplest, "this collection is here because the best g is not the simplest"
    for name, result in results.items():
        numbers = result.explorer() if result.explorer is not None else None
        assert numbers is not None
        assert numbers["g"][numbers["recommended"]] == simplest
        assert result.finding is not None
        assert result.finding.recommended == str(me.GAP(g=simplest))
        assert result.parts is not None
        assert (result.parts.name, result.parts.value) == ("recommended g", g_label(simplest))
        table = result.tables["choice" if name == "study" else "choose-g"].set_index("role")
        assert tuple(table.loc["recommended", ["g_1", "g_2"]]) == simplest
        figure = result.plot()
        legends = [legend for ax in figure.axes if (legend := ax.get_legend()) is not None]
        labels = [text.get_text() for legend in legends for text in legend.get_texts()]
        assert f"recommended: {g_label(simplest)}" in labels
        assert not [label for label in labels if label.startswith("best: ")]
        page = result.report(tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert "recommended g =" in page


def test_the_recommended_and_the_refined_g_are_in_the_printed_table(results: dict[str, Result]) -> None:
    lines = str(results["choice"]).splitlines()
    rows = [line for line in lines if line.startswith(("AP ", "GAP(g="))]
    assert next(line for line in rows if "recommended" in line).startswith("AP ")
    assert next(line for line in rows if "refined" in line).startswith(str(results["choice"].measure))
