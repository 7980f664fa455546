import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.lists.system import interpolated

DEPTH = 60


@pytest.mark.parametrize("counts", [False, True])
def test_every_run_from_its_averages(counts: bool) -> None:
    runs, qrels = me.simulate(systems=2, topics=4, depth=DEPTH, rng=1)
    collection = me.collect(runs, qrels, depth=DEPTH)
    options = {"targets": ["AP", "ERR"], "counts": counts}
    table = me.predict_averages(collection, measures=["AP", "AP & P@10"], **options)
    assert table.groupby(["run_id", "measure"], sort=False)["target"].agg(list).tolist() == [["curve", "ERR"]] * 4
    assert (table["status"] == "optimal").all()
    row = me.Averages.of_run(collection, "system2", ["AP", "P@10"], counts=counts)
    system = me.solve(row)
    own = table[(table["run_id"] == "system2") & (table["measure"] == "AP & P@10")].set_index("target")
    predicted = system.predict(["ERR"]).iloc[0]
    assert own.loc["ERR", ["predicted", "low", "high"]].tolist() == predicted[["expected", "low", "high"]].tolist()
    values = [
        me.ERR().values(grades[1], R) for grades, R in zip(collection.grades, collection.relevant, strict=True)
    ]
    assert own["value"]["ERR"] == pytest.approx(np.mean(values))
    assert own["error"]["ERR"] == pytest.approx(predicted["expected"] - np.mean(values))
    pairs = zip(collection.grades, collection.relevant, strict=True)
    actual = np.mean([interpolated(grades[1] > 0, relevant.sum()) for grades, relevant in pairs], axis=0)
    off = system.levels()["precision"] - actual
    assert own["error"]["curve"] == pytest.approx(np.sqrt(np.mean(off**2)))


def test_a_row_that_is_not_solved_has_no_errors() -> None:
    """All lists have the largest P@2, and the AP of one topic alone is less than its largest."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1, "c": 1}}
    run = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 3.0, "b": 2.0}}
    table = me.predict_averages(run, qrels, measures=["AP & P@2"], targets=["R@2"], depth=2)
    assert table["status"].unique().tolist() == ["boundary"]
    pd.testing.assert_series_equal(table["error"], pd.Series([0.0, 0.0], name="error"), atol=1e-12)
