import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.lists import interpolated
from maxent.studies import from_other_runs

DEPTH = 60


@pytest.mark.parametrize("counts", [False, True])
def test_every_run_from_its_averages(counts: bool) -> None:
    runs, qrels = me.simulate(systems=2, topics=4, depth=DEPTH, rng=1)
    collection = me.collect(runs, qrels, depth=DEPTH)
    known, targets = ["AP", "AP & P@10"], ["AP", "ERR"]
    table = me.studies.predict_averages(collection, measures=known, targets=targets, counts=counts)
    assert table.groupby(["run_id", "measure"], sort=False)["target"].agg(list).tolist() == [["curve", "ERR"]] * 4
    assert (table["status"] == "optimal").all()
    averages = me.evaluate(collection, measures=["AP", "P@10"], wide=True).table
    means = averages.set_index("run_id").loc["system2"]
    retrieved = [np.bincount(grades, minlength=collection.levels + 1)[1:] for grades in collection.grades[:, 1]]
    row = me.Averages(means.to_dict(), collection.relevant, retrieved=retrieved if counts else None, depth=DEPTH)
    system = me.lists.solve_averages(row)
    own = table[(table["run_id"] == "system2") & (table["measure"] == "AP & P@10")].set_index("target")
    expected, low, high = system.predict(["ERR"]).iloc[0, 1:4]
    assert own[["predicted", "low", "high"]].to_numpy()[1].tolist() == pytest.approx([expected, low, high])
    lists = zip(collection.grades, collection.relevant, strict=True)
    value = np.mean([me.ERR().values(grades[1], relevant) for grades, relevant in lists])
    assert own["value"]["ERR"] == pytest.approx(value)
    assert own["error"]["ERR"] == pytest.approx(expected - value)
    pairs = zip(collection.grades, collection.relevant, strict=True)
    actual = np.mean([interpolated(grades[1] > 0, relevant.sum()) for grades, relevant in pairs], axis=0)
    off = system.levels()["precision"] - actual
    assert own["error"]["curve"] == pytest.approx(np.sqrt(np.mean(off**2)))


def test_other_runs_say_what_they_have() -> None:
    """Where two averages are a plane over a third, regression finds it; runs of the same team are not asked."""
    rng = np.random.default_rng(1)
    names = ["a1", "A-2", *(f"{letter}9" for letter in "bcdefgh")]
    known = pd.DataFrame(rng.random((9, 2)), index=names, columns=["AP", "P@10"])
    wanted = pd.DataFrame({"plane": 0.1 + known["AP"] - 0.5 * known["P@10"], "AP": known["AP"]})
    wanted.loc["A-2"] = 1e6
    found = from_other_runs(known, wanted, "a1")
    np.testing.assert_allclose(found["ridge regression"], wanted.loc["a1"], atol=0.02)
    others = names[2:]
    np.testing.assert_allclose(found["mean of other runs"], wanted.loc[others].mean())
    off = {run: sum(((known.loc[run] - known.loc["a1"]) / known.loc[others].std()) ** 2) for run in others}
    np.testing.assert_allclose(found["nearest runs"], wanted.loc[sorted(off, key=lambda run: off[run])[:3]].mean())


def test_a_row_at_an_end_is_known_altogether() -> None:
    """All lists have the largest P@2, and so has every other average."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1, "c": 1}}
    run = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 3.0, "b": 2.0}}
    table = me.studies.predict_averages(run, qrels, measures=["P@2"], targets=["R@2"], depth=2)
    assert table["status"].tolist() == ["boundary"] * 2
    np.testing.assert_allclose(table["error"], 0, atol=1e-12)
