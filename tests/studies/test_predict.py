"""Measures predicted from a measure: against steps done by hand, rankings of systems, errors before the work."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import maxent as me
from maxent.measures import Form
from maxent.studies import DRAWN, SOLVED, drawn_band
from tests.golden.messages import refused
from tests.studies.conftest import solution_of

MEASURES = ["GAP(g=0.5,0.5)", "AP", "nDCG(gain=exp2)", "P@10", "RBP"]
TARGETS = [*MEASURES, "Rprec", "DCG", "RR", "nERR@20"]


@pytest.fixture(scope="module")
def table(arrays: me.data.Collection) -> pd.DataFrame:
    options: dict[str, Any] = {"measures": MEASURES, "targets": TARGETS, "reading": "papers", "progress": False}
    return me.predict(arrays, **options).tables["predictions"]


def expected(form: Form, p: np.ndarray) -> float:
    """Rank by rank: each document gains from the expected grades before it."""
    total, before = 0.0, np.zeros(p.shape[1])
    for n, here in enumerate(p):
        total += form.a[n] @ here + form.d[n] * (here @ form.K @ before)
        before += here
    return total


def test_rows_equal_the_steps_done_by_hand(arrays: me.data.Collection, table: pd.DataFrame) -> None:
    for row in table[table["status"].isin(SOLVED)].iloc[::29].to_dict("records"):
        t, r = arrays.topics.index(row["query_id"]), arrays.runs.index(row["run_id"])
        grades, relevant = arrays.grades[t, r], arrays.relevant[t]
        target, p = me.parse_measure(row["target"]), solution_of(arrays, row).p
        assert row["actual"] == pytest.approx(float(target.evaluate(grades, relevant)))
        by_hand = expected(target.form(relevant, 200), p) if target.is_form() else target.expected(p, relevant)
        assert row["predicted"] == pytest.approx(by_hand, rel=1e-7)


def test_a_measure_predicts_itself(table: pd.DataFrame) -> None:
    own = table[(table["measure"] == table["target"]) & table["status"].isin(SOLVED)]
    assert set(own["measure"]) == set(MEASURES)
    np.testing.assert_allclose(own["predicted"], own["actual"], atol=1e-7)
    summary = me.studies.summarize_predictions(table).query("measure == target")
    assert (summary["rms"] < 1e-7).all()
    np.testing.assert_allclose(summary[["tau", "tau_systems"]], 1)  # ties of P@10 included


@pytest.mark.slow
def test_the_summary_by_plain_loops(table: pd.DataFrame) -> None:
    summary = me.studies.summarize_predictions(table, rng=1)
    assert list(summary.columns) == [
        "measure", "target", "lists", "topics", "constant", "rms", "mae",
        "rms_low", "rms_high", "mae_low", "mae_high", "tau", "tau_systems",
    ]  # fmt: skip
    for _, row in summary.iterrows():
        own = table[(table["measure"] == row["measure"]) & (table["target"] == row["target"])]
        own = own[own["status"].isin(SOLVED)].round(6)
        error = own["predicted"] - own["actual"]
        assert row["lists"] == len(own)
        assert (row["rms"], row["mae"]) == pytest.approx((np.sqrt((error**2).mean()), error.abs().mean()), abs=1e-6)
        assert row["rms_low"] <= row["rms"] <= row["rms_high"]
        taus = [kendalltau(t["actual"], t["predicted"])[0] for _, t in own.groupby("query_id") if len(t) > 1]
        assert row["tau"] == pytest.approx(np.nanmean(taus))
        means = own.groupby("run_id")[["actual", "predicted"]].mean().round(6)
        assert row["tau_systems"] == pytest.approx(kendalltau(means["actual"], means["predicted"])[0])


def test_coverage_is_the_share_of_lists_within_their_bands(arrays: me.data.Collection) -> None:
    options: dict[str, Any] = {"measures": ["AP"], "targets": ["P@10", "RR"], "progress": False}
    result = me.predict(arrays, band=0.5, **options)
    table = result.tables["predictions"]
    for row in result.table.to_dict("records"):
        own = table[(table["target"] == row["target"]) & table["status"].isin(SOLVED)]
        inside = [low - 1e-6 <= x <= high + 1e-6 for low, x, high in own[["low", "actual", "high"]].to_numpy()]
        assert row["within"] == pytest.approx(np.mean(inside))
        assert row["within"] > 0.2
    lines = result.finding.support if result.finding else ()
    shares = [f"50 % bands contain {share:.1%} of the values" for share in result.table["within"]]
    assert [line.split("; ")[1] for line in lines] == shares
    plain = me.predict(arrays, **options)
    assert "within" not in plain.table
    assert "band" not in str(plain.finding)


@pytest.mark.parametrize("ties", [1, 7])
def test_each_of_lists_that_are_alike_is_within_a_band_as_often_as_it_says(ties: int) -> None:
    """Each of 200 values in turn is the observed one: 180 are in the band of 90 %."""
    values, within = np.random.default_rng(0).permutation(np.arange(DRAWN + 1) // ties) / 10.0, 0
    for k, own in enumerate(values):
        low, high = drawn_band(np.sort(np.delete(values, k))[None], 0.9)[:, 0]
        within += low <= own <= high
    assert within == 180 if ties == 1 else within >= 180


@pytest.mark.parametrize(("plain", "column"), [("measures", "measure"), ("targets", "target")])
def test_the_steps_of_the_grid_are_those_of_known_and_predicted_measures(plain: str, column: str) -> None:
    runs, qrels = me.simulate(systems=2, topics=3, depth=50)
    options: dict[str, Any] = {"min_retrieved": 1, "depth": 50, "g_steps": 2, "progress": False}
    texts = {"measures": ["AP"], "targets": ["AP"], plain: ["GAP"]}
    table = me.predict(runs, qrels, **texts, **options).table  # type: ignore[arg-type]
    assert table[column].tolist() == ["GAP(g=0,1)", "GAP(g=1,0)"]
    with refused(me.errors.ProblemError):
        me.predict(runs, qrels, measures=["AP"], **options)


def test_nothing_to_summarize(table: pd.DataFrame) -> None:
    one_run = me.studies.summarize_predictions(table[table["run_id"] == table["run_id"].iloc[0]])
    assert one_run["rms"].notna().all()
    assert one_run[["tau", "tau_systems"]].isna().all().all()
    none = me.studies.summarize_predictions(table.assign(status="too_few"))
    assert (none["lists"] == 0).all()
    assert none.drop(columns=["measure", "target", "lists", "topics", "constant"]).isna().all().all()


def test_a_band_contains_its_prediction(arrays: me.data.Collection) -> None:
    """Also where nearly all lists of a distribution have the same value, and the mean is beside it."""
    options: dict[str, Any] = {"measures": ["AP"], "targets": ["RR", "Success@5", "P@5"], "progress": False}
    table = me.predict(arrays, band=0.9, **options).tables["predictions"]
    table = table[table["status"].isin(SOLVED)]
    assert ((table["low"] <= table["predicted"]) & (table["predicted"] <= table["high"])).all()


@pytest.mark.slow
def test_all_lists_on_request_and_finished_topics_are_kept(
    arrays: me.data.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"measures": ["AP"], "min_retrieved": 0, "checkpoint": tmp_path / "a.partial"}
    table = me.predict(arrays, **options).tables["predictions"]
    assert set(table["status"]) <= set(SOLVED)
    monkeypatch.setattr("maxent.studies.topics.solve_arrays", lambda *_, **__: pytest.fail("solved"))
    pd.testing.assert_frame_equal(me.predict(arrays, **options).tables["predictions"], table)
