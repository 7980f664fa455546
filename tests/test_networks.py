"""Networks that rank: gradients against plain loops, training that learns, bad tables."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch")
import torch
from networks import Loss, Trained, lambda_loss, normalize, predict, soft_loss, train

import maxent as me
from maxent.ltr import feature_names, soft_objective
from tests.ltr.test_objective import loops

torch.set_num_threads(1)
GAP = me.GAP(g=(0.5, 0.5))
MEASURES = [GAP, me.AP(), me.nDCG(gain="exp2"), me.P(cutoff=3), me.xGAP(g=(0.2, 0.8)), me.Q()]
LOSSES = [pytest.param(lambda_loss, id="lambda"), pytest.param(partial(soft_loss, deviation=0.3), id="soft")]


def documents(*, queries: int = 12, rng: int = 0, noise: float = 0.5) -> pd.DataFrame:
    """A table whose first feature is the grade with noise, in a range of its own for each query."""
    generator = np.random.default_rng(rng)
    sizes = generator.integers(10, 20, queries)
    grades = np.concatenate([np.append(generator.integers(0, 3, n - 3), [0, 1, 2]) for n in sizes])
    features = generator.normal(size=(len(grades), 4))
    query = np.repeat(np.arange(queries), sizes)
    features[:, 0] = (grades + noise * features[:, 0]) * 10.0 ** (query % 3) + 5 * query
    table = pd.DataFrame(features, columns=["f1", "f2", "f3", "f4"])
    table.insert(0, "relevance", grades)
    table.insert(0, "doc_id", [f"d{k}" for k in range(len(grades))])
    table.insert(0, "query_id", [f"q{k}" for k in query])
    return table


@pytest.fixture(scope="module")
def training() -> pd.DataFrame:
    return documents(rng=1)


@pytest.fixture(scope="module")
def validation() -> pd.DataFrame:
    return documents(rng=2)


def mean(measure: me.measures.Measure, table: pd.DataFrame, scores: np.ndarray) -> float:
    """Mean over queries with a relevant document, query by query."""
    values = []
    for _, own in table.assign(score=scores).groupby("query_id"):
        grades = own.sort_values("score", ascending=False)["relevance"].to_numpy()
        relevant = [int((grades == i).sum()) for i in (1, 2)]
        values += [float(measure.evaluate(grades, relevant))] if any(relevant) else []
    return float(np.mean(values))


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_lambdas_are_those_of_the_definition(measure: me.measures.Measure) -> None:
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 3, 9)
    relevant = np.bincount(grades, minlength=3)[1:]
    for values in (rng.normal(size=9), rng.integers(0, 4, 9) / 2):
        scores = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        (found,) = torch.autograd.grad(lambda_loss(measure, grades, relevant)(scores), scores)
        expected = loops(measure, values, grades, levels=2, sigmoid=1.0, truncation=None, norm=False)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_soft_loss_is_minus_the_soft_value() -> None:
    grades, relevant = np.array([0, 2, 1, 0]), np.array([1, 1])
    scores = torch.tensor([0.1, 0.4, -0.2, 0.0], dtype=torch.float64)
    for deviation in (0.2, 1.0):
        found = soft_loss(GAP, grades, relevant, deviation=deviation)(scores)
        assert float(found) == -float(soft_objective(GAP, grades, relevant, deviation=deviation)(scores))


def test_features_are_scaled_within_queries() -> None:
    table = documents().assign(constant=3.0)
    scaled = normalize(table)
    assert feature_names(scaled) == ["f1", "f2", "f3", "f4", "constant"]
    for _, rows in table.groupby("query_id"):
        for feature in feature_names(table):
            own = rows[feature].tolist()
            low, high = min(own), max(own)
            expected = [(x - low) / (high - low) if high > low else 0.0 for x in own]
            np.testing.assert_allclose(scaled.loc[rows.index, feature], expected, atol=1e-12)
    pd.testing.assert_frame_equal(scaled.iloc[:, :3], table.iloc[:, :3])
    pd.testing.assert_frame_equal(normalize(scaled), scaled)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("measure", MEASURES[:4], ids=str)
def test_training_learns(
    measure: me.measures.Measure, loss: Loss, training: pd.DataFrame, validation: pd.DataFrame
) -> None:
    test = documents(rng=3)
    rng = np.random.default_rng(0)
    chance = np.mean([mean(measure, test, rng.random(len(test))) for _ in range(20)])
    trained = train(training, validation, measure, loss=loss, epochs=15)
    assert mean(measure, test, predict(trained, test)) > chance + 0.2
    best = mean(measure, test, test["f1"].groupby(test["query_id"]).rank().to_numpy())
    assert mean(measure, test, predict(trained, test)) > best - 0.05


def noisy(training: pd.DataFrame, validation: pd.DataFrame, **options: Any) -> Trained:
    """Training that soon stops to improve."""
    return train(training, validation, GAP, learning_rate=0.1, **options)


@pytest.mark.slow
def test_the_best_epoch_is_kept(training: pd.DataFrame, validation: pd.DataFrame) -> None:
    ndcg = me.nDCG(cutoff=2)
    trained = noisy(training, validation, patience=4, criteria=(ndcg,), epochs=60, rng=3)
    history = trained.history.pivot(index="epoch", columns="criterion", values="value")
    after = history.iloc[1:]
    assert list(history.columns) == sorted([str(GAP), str(ndcg)])
    assert 5 <= history.index[-1] < 60
    assert after.idxmax()[str(ndcg)] < after.idxmax()[str(GAP)] == history.index[-1] - 4
    for criterion in (GAP, ndcg):
        scores = predict(trained, validation, criterion=criterion)
        assert mean(criterion, validation, scores) == pytest.approx(after[str(criterion)].max(), abs=1e-12)
    assert (predict(trained, validation) == predict(trained, validation, criterion=GAP)).all()
    assert history.loc[history.index[-1], str(GAP)] < after[str(GAP)].max()


@pytest.mark.slow
def test_criteria_do_not_prolong_each_other(training: pd.DataFrame, validation: pd.DataFrame) -> None:
    """What is best by one criterion is what it would be without the others."""
    ndcg = me.nDCG(cutoff=2)
    options: dict[str, Any] = {"learning_rate": 0.1, "patience": 2, "epochs": 40, "rng": 3}
    both = train(training, validation, ndcg, criteria=(GAP,), **options)
    alone = train(training, validation, ndcg, **options)
    assert both.history["epoch"].max() > alone.history["epoch"].max()
    assert (predict(both, validation) == predict(alone, validation)).all()
    own = both.history[both.history["criterion"] == str(ndcg)]
    pd.testing.assert_frame_equal(own.reset_index(drop=True), alone.history)


@pytest.mark.slow
def test_queries_without_a_gradient_are_counted(training: pd.DataFrame, validation: pd.DataFrame) -> None:
    alone = training.iloc[[-1]].assign(query_id="alone", relevance=1)
    nothing = validation.iloc[:5].assign(query_id="nothing", relevance=0)
    trained = train(pd.concat([training, alone, nothing]), pd.concat([validation, alone, nothing]), GAP, epochs=2)
    assert (trained.skipped_training, trained.skipped_validation) == (2, 1)
    plain = train(training, validation, GAP, epochs=2)
    np.testing.assert_array_equal(predict(trained, validation), predict(plain, validation))
    assert len(predict(trained, nothing)) == 5
