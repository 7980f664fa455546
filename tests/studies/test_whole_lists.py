"""Studies over whole lists, and references that are learned or given as a table."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.studies import FOLDS, PRIOR, WIDTH, study_key, topic_references
from tests.golden.messages import refused

MEASURES = ["AP", "nDCG(gain=exp2)", "ERR", "AP & P@10"]
GIVEN: dict[str, Any] = {"min_retrieved": 1, "progress": False}


@pytest.fixture(scope="module")
def collection() -> me.data.Collection:
    return me.collect(*me.simulate(systems=2, topics=6, depth=40), depth=40)


def naive_profile(collection: me.data.Collection, topics: list[int]) -> np.ndarray[Any, Any]:
    """Shares (depth, levels + 1) by loops."""
    depth, grades = collection.depth, collection.levels + 1
    shares = np.zeros((depth, grades))
    for n in range(depth):
        own = [collection.grades[t, r, n] for t in topics for r in range(len(collection.runs))]
        shares[n] = [(own.count(g) + PRIOR) / (len(own) + PRIOR * grades) for g in range(grades)]
    found = np.zeros((depth, grades))
    for n in range(depth):
        weights = [np.exp(-(np.log((n + 1) / (m + 1)) ** 2) / (2 * WIDTH**2)) for m in range(depth)]
        found[n] = sum(w * share for w, share in zip(weights, shares, strict=True)) / sum(weights)
    return found


def test_each_row_is_the_list_by_itself(collection: me.data.Collection) -> None:
    table = me.informativeness(
        collection, measures=MEASURES, model="lists", reference="topics", align="expected", **GIVEN
    )
    rows = table[table["status"] == "optimal"]
    assert set(rows["measure"]) == set(map(str, map(me.parse_measure, MEASURES)))
    for row in rows.iloc[::5].itertuples():
        topic, run = collection.topics.index(row.query_id), collection.runs.index(row.run_id)
        others = [k for k in range(6) if k % FOLDS != topic % FOLDS]
        grades, relevant = collection.grades[topic, run], tuple(collection.relevant[topic].tolist())
        profile, threshold = naive_profile(collection, others), int(str(row.threshold))
        problem = me.Problem.of_list(me.parse_measure(str(row.measure)), grades, relevant, reference=profile)
        solution = me.solve(problem, model="lists")
        expected = solution.ranks(threshold=threshold) @ (1 / np.arange(1, 41))
        ranks = np.flatnonzero(grades >= threshold) + 1
        k = np.arange(1, len(ranks) + 1)
        error = np.sqrt(np.mean((k * expected[: len(k)] - k / ranks) ** 2))
        assert row.rms == pytest.approx(error, abs=1e-9)
        assert row.entropy == pytest.approx(solution.entropy, abs=1e-9)
        inferred = me.inferred_curve(solution, threshold=threshold)
        actual = me.actual_curve(grades, relevant, threshold=threshold)
        assert me.curve_error(actual, inferred, align="expected").rms == pytest.approx(error, abs=1e-9)


def test_a_profile_is_a_reference(collection: me.data.Collection) -> None:
    profile = me.studies.rank_profile(collection)
    np.testing.assert_allclose(profile, naive_profile(collection, list(range(6))), rtol=1e-12)
    tables = [
        me.informativeness(collection, measures=["AP"], model=model, reference=profile, **GIVEN)
        for model in ("ranks", "lists")
    ]
    for table in tables:
        assert (table["status"] == "optimal").any()
    with refused(me.errors.ProblemError):
        me.informativeness(collection, measures=["AP"], reference=profile[[1]], **GIVEN)


def test_one_topic_has_no_other_topics() -> None:
    alone = me.collect(*me.simulate(systems=2, topics=1, depth=40), depth=40)
    with refused(me.errors.ProblemError):
        topic_references(alone, "topics")


def test_predictions_are_expected_values_over_lists(collection: me.data.Collection) -> None:
    result = me.predict(collection, measures=["AP"], targets=["P@10", "RR"], model="lists", **GIVEN)
    table = result.tables["predictions"]
    row = next(table[(table["target"] == "RR") & (table["status"] == "optimal")].itertuples())
    topic, run = collection.topics.index(row.query_id), collection.runs.index(row.run_id)
    relevant = tuple(collection.relevant[topic].tolist())
    problem = me.Problem.of_list(me.AP(), collection.grades[topic, run], relevant)
    drawn = me.solve(problem, model="lists").sample(4000, rng=0)
    values = me.RR().evaluate(drawn, relevant)
    assert row.predicted == pytest.approx(values.mean(), abs=4 * values.std() / np.sqrt(len(drawn)))


@pytest.mark.parametrize("model", ["ranks", "lists"])
def test_bands_of_predictions_hold_their_share_of_all_lists(model: Any) -> None:
    """Counted list by list; a band from 199 random lists is off by some hundredths, and its lists by chance."""
    texts = [("1", f"d{n}", float(9 - n)) for n in range(9)]
    run = pd.DataFrame(texts, columns=["query_id", "doc_id", "score"])
    grades = [1, 0, 2, 0, 0, 1, 0, 0, 2]
    qrels = run.assign(relevance=grades)[["query_id", "doc_id", "relevance"]]
    targets, band = ["AP(rel=2)", "nDCG", "RR"], 0.8
    options: dict[str, Any] = {"depth": 9, "min_retrieved": 1, "model": model, "progress": False}
    result = me.predict(run, qrels, measures=["AP"], targets=targets, band=band, **options)
    problem = me.Problem.of_list(me.AP(), grades, (2, 2))
    solution = me.solve(problem, model=model)
    lists = np.array(list(product(range(3), repeat=9)))
    if model == "lists":  # no others exist
        lists = lists[((lists == 1).sum(axis=1) == 2) & ((lists == 2).sum(axis=1) == 2)]
    weights = np.exp([solution.log_likelihood(each) for each in lists])
    assert weights.sum() == pytest.approx(1)
    for row in result.tables["predictions"].to_dict("records"):
        values = me.parse_measure(row["target"]).values(lists, (2, 2))
        below, above = (weights[values < row["low"] - 1e-9].sum(), weights[values > row["high"] + 1e-9].sum())
        assert max(below, above) < (1 - band) / 2 + 0.08
        reaching = weights[values <= row["low"] + 1e-9].sum(), weights[values >= row["high"] - 1e-9].sum()
        assert min(reaching) > (1 - band) / 2 - 0.06, "no narrower band would do"
    assert me.predict(run, qrels, measures=["AP"], targets=targets, jobs=2, band=band, **options) == result
    with refused(me.errors.ProblemError):
        me.predict(run, qrels, measures=["AP"], band=90, **options)


def test_the_solver_of_lists_is_its_own(collection: me.data.Collection) -> None:
    with refused(me.errors.ProblemError):
        me.informativeness(collection, measures=["AP"], model="lists", solver="cvxpy", **GIVEN)
    with refused(me.errors.ProblemError):
        me.informativeness(collection, measures=["AP"], **GIVEN | {"model": "whole"})


TOO_MANY: dict[str, Any] = {
    "measures": ["AP", "nDCG"], "model": "lists", "count": "at_most", "align": "rank", "depth": 100, **GIVEN,
}  # fmt: skip


@pytest.fixture(scope="module")
def one_large_topic() -> tuple[Any, Any]:
    """Two runs for two small topics, and for one with a hundred documents of each of three grades."""
    numbers = {"first": (20, 2, 2, 2), "second": (20, 2, 2, 2), "large": (20, 100, 100, 100)}
    qrels = {
        topic: {f"{grade}-{k}": grade for grade, most in enumerate(documents) for k in range(most)}
        for topic, documents in numbers.items()
    }
    random = np.random.default_rng(0)
    runs = {
        name: {
            topic: {str(doc): k for k, doc in enumerate(random.permutation([*docs]))}
            for topic, docs in qrels.items()
        }
        for name in ("a", "b")
    }
    return runs, qrels


def test_a_topic_with_too_many_states_is_excluded_and_named(one_large_topic: tuple[Any, Any]) -> None:
    runs, qrels = one_large_topic
    study = me.study(runs, qrels, **TOO_MANY)
    rows = study.tables["informativeness"]
    large = rows["query_id"] == "large"
    assert set(rows.loc[large, "status"]) == {"too_large"}
    assert rows.loc[large, "rms"].isna().all()
    assert set(rows.loc[~large, "status"]) <= {"optimal", "boundary"}
    named = "lists with too many states are excluded, too_large: 1 topic: large"
    assert named in str(study)
    assert "excluded: 2 (too_large: " in str(study)
    readings: dict[str, Any] = {"models": ["lists"], "counts": ["at_most"], "depths": [100]}
    compared = me.compare_measures(runs, qrels, measures=["AP", "nDCG"], **readings, **GIVEN)
    assert named in str(compared)


def test_a_study_of_lists_with_too_many_states_alone_says_so(one_large_topic: tuple[Any, Any]) -> None:
    with refused(me.errors.ProblemError):
        me.study(*one_large_topic, topics=["large"], **TOO_MANY)


def test_finished_topics_do_not_outlive_the_limit_of_states(
    collection: me.data.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = me.studies.options.StudyOptions(measures=(me.AP(),), thresholds=(1,))
    key = study_key(collection, options)
    monkeypatch.setenv("MAXENT_LIMITS", "no-states")
    assert study_key(collection, options) != key


def test_grades_with_more_documents_than_ranks_can_be_studied() -> None:
    """Ten ranks have few states, even if 500 documents of each of three grades are relevant."""
    qrels = {
        "a": {f"{grade}-{k}": grade for grade in (1, 2, 3) for k in range(500)},
        "b": {"1-1": 1, "2-1": 2, "3-1": 3},
    }
    runs = {"run": {topic: {f"{k % 3 + 1}-{k}": -k for k in range(1, 11)} for topic in qrels}}
    rows = me.informativeness(runs, qrels, measures=["nDCG@10"], model="lists", count="at_most", **GIVEN)
    assert set(rows.loc[rows["query_id"] == "a", "status"]) == {"optimal"}


def test_recall_is_precision_in_other_units() -> None:
    """Given the number of relevant documents, each value fixes the number found: their errors are the same."""
    runs, qrels = me.simulate(systems=2, topics=6, model="ten-documents")
    study = me.study(runs, qrels, measures=["R@10", "P@10"], progress=False).table
    recall, precision = (study.loc[study["measure"] == name, "rms"].to_numpy() for name in ("R@10", "P@10"))
    np.testing.assert_allclose(recall, precision)
