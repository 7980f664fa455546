"""LambdaRank: gradients against plain loops, trees against LightGBM's own objective."""

import copy
import math
import pickle
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from typing import Any

import joblib
import lightgbm
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.ltr import Evaluation, LambdaObjective, Queries, as_queries, dataset
from tests.conftest import import_error
from tests.golden.messages import as_golden, refused
from tests.measures.test_measures import Naive, measured

PARAMETERS = {"num_leaves": 7, "min_data_in_leaf": 5, "verbosity": -1, "num_threads": 1}


def test_tables_that_are_no_data_set(letor: pd.DataFrame) -> None:
    for name in ("query_id", "relevance"):
        with refused(me.errors.InputError):
            dataset(letor.drop(columns=name))
    with refused(me.errors.InputError):
        dataset(letor.iloc[:0])
    wrongs: tuple[Any, ...] = (None, 3, [1], letor["relevance"])
    for wrong in wrongs:
        with refused(me.errors.InputError):
            dataset(wrong)


def loops(
    measure: me.measures.Measure,
    scores: np.ndarray,
    grades: np.ndarray,
    *,
    levels: int,
    sigmoid: float,
    truncation: int | None,
    norm: bool,
) -> np.ndarray:
    """Gradient and hessian of one query, from the definition: a pair after the other, the measure anew for each."""
    order = sorted(range(len(scores)), key=lambda n: -scores[n])
    relevant = np.bincount(grades, minlength=levels + 1)[1:]
    result = np.zeros((2, len(scores)))
    total: Any = 0.0
    for first in range(min(len(scores), truncation or len(scores))):
        for second in range(first + 1, len(scores)):
            swapped = order.copy()
            swapped[first], swapped[second] = order[second], order[first]
            high, low = sorted((order[first], order[second]), key=lambda n: -grades[n])
            if grades[high] == grades[low]:
                continue
            delta = abs(measure.evaluate(grades[swapped], relevant) - measure.evaluate(grades[order], relevant))
            if norm and scores.max() > scores.min():
                delta /= 0.01 + abs(scores[high] - scores[low])
            wrong = 1 / (1 + math.exp(sigmoid * (scores[high] - scores[low])))
            result[0, [high, low]] += np.array([-1, 1]) * sigmoid * delta * wrong
            result[1, [high, low]] += sigmoid**2 * delta * wrong * (1 - wrong)
            total += 2 * sigmoid * delta * wrong
    return result * math.log2(1 + total) / total if norm and total > 0 else result


class _Stub:
    """What an objective asks of a data set."""

    def __init__(self, labels: object, group: object, weight: object = None) -> None:
        self.get_label = lambda: labels
        self.get_group = lambda: group
        self.get_weight = lambda: weight


def data_set(*fields: object) -> Any:
    """A stand-in for ``lightgbm.Dataset``."""
    return _Stub(*fields)


@pytest.mark.slow
@given(
    st.integers(1, 3).flatmap(lambda levels: st.tuples(st.just(levels), measured(levels, methodcaller("is_form")))),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.none() | st.integers(1, 6),
    st.booleans(),
    st.integers(0, 99),
)
def test_gradients_are_those_of_the_definition(
    pair: tuple[int, tuple[me.measures.Measure, Naive]],
    sigmoid: float,
    truncation: int | None,
    norm: bool,
    seed: int,
) -> None:
    levels, (measure, _) = pair
    rng = np.random.default_rng(seed)
    sizes = np.array([7, 1, 9])
    grades, scores = rng.integers(0, levels + 1, 17), rng.integers(-3, 4, 17) / 2
    weight = rng.random(17)
    objective = LambdaObjective(
        measure,
        levels=levels,
        sigmoid=sigmoid,
        lambdarank_truncation_level=truncation,
        lambdarank_norm=norm,
    )
    found = np.array(objective(scores, data_set(grades.astype(np.float32), sizes, weight)))
    for low, high in ((0, 7), (7, 8), (8, 17)):
        own = slice(low, high)
        expected = loops(
            measure, scores[own], grades[own], levels=levels, sigmoid=sigmoid, truncation=truncation, norm=norm
        )
        np.testing.assert_allclose(found[:, own], expected * weight[own], rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("norm", [True, False])
def test_ndcg_trains_the_trees_of_lightgbm(letor: pd.DataFrame, norm: bool) -> None:
    own = PARAMETERS | {"lambdarank_norm": norm, "lambdarank_truncation_level": 30}
    objective = LambdaObjective(me.nDCG(gain="exp2"), lambdarank_norm=norm)
    features = letor.filter(like="f").to_numpy()
    theirs = lightgbm.train(own | {"objective": "lambdarank"}, dataset(letor), 10).predict(features)
    ours = lightgbm.train(PARAMETERS | {"objective": objective}, dataset(letor), 10).predict(features)
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=1e-4)  # they keep logistics in a table
    assert objective.skipped == 2  # q0 and q2


def test_evaluation_is_the_mean_over_queries() -> None:
    data = data_set([0, 2, 1, 0, 0, 1], [3, 2, 1])
    scores = [3, 2, 1, 0, 0, 0]
    for measure in (me.GAP(g=(0.5, 0.5)), me.ERR()):
        values = [measure.evaluate([0, 2, 1], (1, 1)), measure.evaluate([1], (1, 0))]
        metric = Evaluation(measure)
        name, mean, higher_is_better = metric(scores, data)
        assert (name, higher_is_better) == (str(measure), True)
        assert mean == pytest.approx(np.mean(values))
        assert metric.skipped == 1
    nothing = Evaluation(me.AP())([1, 2], data_set([0, 0], [2]))
    assert math.isnan(nothing[1])


@pytest.mark.skipif(
    lightgbm.__version__.startswith(("4.4.", "4.5.")), reason="its models do not work with newer scikit-learn"
)
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")  # what takes its place came with 4.7
def test_the_models_of_scikit_learn_train_the_same_trees(letor: pd.DataFrame, tmp_path: Path) -> None:
    """They pass labels, scores, weights and groups in place of scores and a data set."""
    features, labels = letor.filter(like="f").to_numpy(), letor["relevance"].to_numpy()
    group = letor.groupby("query_id", sort=False).size().to_numpy()
    weight, measure = np.random.default_rng(0).random(len(letor)), me.GAP(g=(0.5, 0.5))
    trees: dict[str, Any] = PARAMETERS | {"min_child_samples": 5, "n_estimators": 5, "n_jobs": 1}
    model = lightgbm.LGBMRanker(objective=LambdaObjective(measure), **trees)
    validation: dict[str, Any] = {"eval_set": [(features, labels)], "eval_group": [group]}
    model.fit(features, labels, sample_weight=weight, group=group, **validation, eval_metric=Evaluation(measure))

    data = dataset(letor, weight=weight)
    record: dict[str, Any] = {}
    options: dict[str, Any] = PARAMETERS | {"objective": LambdaObjective(measure), "metric": "None"}
    recorder, metric = lightgbm.record_evaluation(record), Evaluation(measure)
    booster = lightgbm.train(options, data, 5, [data], feval=metric, callbacks=[recorder])
    expected = np.asarray(booster.predict(features))
    np.testing.assert_array_equal(model.booster_.predict(features), expected)
    assert model.evals_result_["training"][str(measure)] == record["training"][str(measure)]

    joblib.dump((model, booster), tmp_path / "fitted")
    fitted, booster = joblib.load(tmp_path / "fitted")
    again = joblib.load(tmp_path / "fitted")[0].fit(features, labels, sample_weight=weight, group=group)
    for trained in (fitted.booster_, booster, again.booster_):
        np.testing.assert_array_equal(trained.predict(features), expected)


def test_objectives_and_evaluations_come_back_from_a_pickle(letor: pd.DataFrame) -> None:
    scores, data = np.random.default_rng(0).normal(size=len(letor)), dataset(letor).construct()
    calls: tuple[Any, ...] = (LambdaObjective(me.Q(), levels=3, sigmoid=2.0), Evaluation(me.ERR(), levels=3))
    for call in calls:
        before = call(scores, data)
        pickled = pickle.dumps(call)
        assert len(pickled) < 1000  # parameters only
        back = pickle.loads(pickled)
        assert back.skipped == call.skipped > 0
        np.testing.assert_equal(back(scores, data), before)


def test_what_is_made_of_a_data_set_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*data: Any, levels: int | None) -> Queries:
        made.append(data)
        return as_queries(*data, levels=levels)

    monkeypatch.setattr("maxent.ltr.objective.as_queries", counted)
    metric, labels = Evaluation(me.AP()), np.array([1, 0, 0])
    for _ in range(3):
        for group in ([3], [1, 2]):
            metric(labels, [0.0, 1, 2], None, group)
    assert len(made) == 2
    labels[:] = [0, 0, 1]
    assert metric(labels, [0.0, 1, 2], None, [3])[1] == 1
    assert len(made) == 3


def test_new_labels_are_noticed() -> None:
    data, objective = data_set([1, 0, 0], [3]), LambdaObjective(me.AP())
    before = objective([0.0, 1, 2], data)[0]
    labels = [0, 0, 1]
    data.get_label = lambda: labels
    after = objective([0.0, 1, 2], data)[0]
    assert before[0] < 0 < after[0]
    assert copy.deepcopy(objective) is objective


@pytest.mark.parametrize(
    ("labels", "group"),
    [
        ([0, math.nan], [2]),
        ([0, -1], [2]),
        ([0, 1e38], [2]),
        ([0, 101], [2]),
        ([], []),
        ([], [0]),
        ([0, 1], [3, -1]),
        ([0, 1], [0.5, 1.5]),
        ([0, 1], [math.nan]),
        ([0, 1], [3]),
        ([0, 1], None),
    ],
)
def test_bad_data(labels: list[float], group: list[int] | None) -> None:
    calls: tuple[Callable[..., object], ...] = (LambdaObjective(me.AP()), Evaluation(me.AP()))
    for call in calls:
        with refused(me.errors.InputError):
            call([1.0, 2.0], data_set(labels, group))


def test_the_limit_of_grades_is_lifted_by_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    grades = data_set([101, 0, 1], [3])
    with refused(me.errors.InputError):
        Evaluation(me.AP(), levels=101)([0.0, 1, 2], data_set([1, 0, 0], [3]))
    monkeypatch.setenv("MAXENT_LIMITS", "no-grade")
    for levels in (None, 101, 200):
        assert Evaluation(me.AP(), levels=levels)([2.0, 0, 1], grades)[1] == 1
        assert LambdaObjective(me.AP(), levels=levels)([0.0, 1, 2], grades)[0][0] < 0
    with refused(me.errors.InputError):
        Evaluation(me.AP())([0.0, 1], data_set([1e38, 0], [2]))


def test_bad_parameters(letor: pd.DataFrame) -> None:
    with refused(me.MaxentError):
        LambdaObjective(me.AP(), sigmoid=math.nan)
    with refused(me.MaxentError):
        LambdaObjective(me.AP(), lambdarank_truncation_level=0)
    for make in (LambdaObjective, Evaluation):
        with refused(me.errors.MeasureError):
            make("Nothing")
    assert Evaluation("nDCG@10").name == "nDCG@10"
    data = data_set([2, 0, 1], [3])
    np.testing.assert_array_equal(
        LambdaObjective("AP")([0.0, 1, 2], data), LambdaObjective(me.AP())([0.0, 1, 2], data)
    )
    every, most = (LambdaObjective(me.AP(), lambdarank_truncation_level=n) for n in (None, 10**30))
    data = data_set([2, 0, 1], [3])
    np.testing.assert_array_equal(most([0.0, 1, 2], data), every([0.0, 1, 2], data))
    for call in (Evaluation(me.AP()).mean, every):
        for scores in (0.5, [1.0, 2], [[1.0, 2, 3]]):
            with refused(me.errors.InputError):
                call(scores, data)
    with refused(me.errors.InputError):
        LambdaObjective(me.AP(), levels=1)([0.0, 1], data_set([2, 0], [2]))
    with refused(me.errors.InputError):
        dataset(letor.sample(frac=1, random_state=0))
    with refused(me.errors.InputError):  # LightGBM itself would make it 0
        dataset(letor.assign(relevance=math.nan))


@pytest.mark.slow
def test_lightgbm_is_optional() -> None:
    as_golden(import_error("lightgbm", "from maxent.ltr.lightgbm import dataset; dataset(None)"))


def test_validation_columns_in_another_order(letor: pd.DataFrame) -> None:
    """LightGBM itself goes by position and says nothing."""
    names = [name for name in letor.columns if name.startswith("f")]
    others = [name for name in letor.columns if name not in names]
    turned = dataset(letor[[*others, *reversed(names)]])
    options: dict[str, Any] = {"objective": LambdaObjective(me.AP()), "metric": "None", "verbosity": -1}
    with refused(me.errors.InputError):
        lightgbm.train(options, dataset(letor), 2, valid_sets=[turned], feval=Evaluation(me.AP()))
