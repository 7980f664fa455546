"""XGBoost gets the gradients that LightGBM gets, and trains with them."""

import numpy as np
import pandas as pd
import pytest
import xgboost

import maxent as me
from maxent.ltr import lightgbm
from maxent.ltr.xgboost import Evaluation, LambdaObjective, dataset
from tests.conftest import import_error

PARAMETERS = {"max_depth": 3, "min_child_weight": 1e-3, "nthread": 1, "disable_default_eval_metric": 1}


@pytest.mark.parametrize("measure", [me.GAP(g=(0.5, 0.5)), me.nDCG(gain="exp2"), me.Q()], ids=str)
def test_gradients_are_those_of_lightgbm(letor: pd.DataFrame, measure: me.measures.Measure) -> None:
    scores = np.random.default_rng(0).normal(size=len(letor))
    weights = np.random.default_rng(1).random(letor["query_id"].nunique()).astype(np.float32)
    sizes = letor.groupby("query_id", sort=False).size()
    for own, theirs in ((None, None), (weights, np.repeat(weights, sizes))):
        objective = LambdaObjective(measure)
        found = objective(scores, dataset(letor, weight=own))
        other = lightgbm.LambdaObjective(measure)
        expected = other(scores, lightgbm.dataset(letor, weight=theirs).construct())
        np.testing.assert_array_equal(found, expected)
        assert np.any(found[0])
        assert objective.skipped == other.skipped == 2


@pytest.mark.parametrize("measure", [me.GAP(g=(0.5, 0.5)), me.AP(), me.Q()], ids=str)
def test_training_improves_the_measure(letor: pd.DataFrame, measure: me.measures.Measure) -> None:
    train, metric, objective = dataset(letor), Evaluation(measure), LambdaObjective(measure)
    record: dict[str, dict[str, list[float]]] = {}
    booster = xgboost.train(
        PARAMETERS,
        train,
        20,
        evals=[(train, "train")],
        obj=objective,
        custom_metric=metric,
        maximize=True,
        evals_result=record,
        verbose_eval=False,
    )
    values = record["train"][str(measure)]
    assert values[-1] > values[0] + 0.02
    assert (metric.skipped, objective.skipped) == (1, 2)
    scores = booster.predict(train, output_margin=True)
    _, expected, _ = lightgbm.Evaluation(measure)(scores, lightgbm.dataset(letor).construct())
    assert metric(scores, train) == (str(measure), expected)
    assert values[-1] == pytest.approx(expected, abs=1e-5)  # XGBoost prints and parses it


@pytest.mark.slow
def test_xgboost_is_optional() -> None:
    assert (
        import_error("xgboost", "from maxent.ltr.xgboost import dataset; dataset(None)")
        == "XGBoost is not installed: pip install xgboost"
    )
