"""A weight and a category of each topic: every form, and what is refused."""

from pathlib import Path

import pandas as pd
import pytest

import maxent as me
from maxent.data import topic_categories, topic_weights
from tests.golden.messages import refused, warned

TOPICS = ["q1", "q2"]


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.csv"
    path.write_text("qid,visits,kind,words\nq1,10,brand,2\nq2,0.5,other,3\n")
    return path


def test_weights_have_every_form(queries: Path) -> None:
    frame = pd.read_csv(queries)
    forms = [
        {"q1": 10, "q2": 0.5},
        pd.Series([0.5, 10], index=["q2", "q1"]),
        frame[["qid", "visits"]],
        f"{queries}:visits",
    ]
    for form in forms:
        assert topic_weights(form, TOPICS).tolist() == [10, 0.5]
    assert topic_weights("visits", TOPICS, frame).tolist() == [10, 0.5]
    assert topic_weights("visits", TOPICS, str(queries)).tolist() == [10, 0.5]


def test_categories_have_every_form(queries: Path) -> None:
    for form in ({"q1": "brand", "q2": "other"}, f"{queries}:kind"):
        assert topic_categories(form, TOPICS) == ["brand", "other"]
    assert topic_categories("kind", TOPICS, pd.read_csv(queries)) == ["brand", "other"]
    assert topic_categories({1: 2, 2: 3}, ["1", "2"]) == ["2", "3"], "ids and categories may be numbers"


def test_judgments_repeat_the_category_of_a_topic(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    path.write_text("query_id,doc_id,relevance,kind\nq1,a,1,x\nq1,b,0,x\nq2,a,1,y\n")
    assert topic_categories("kind", TOPICS, str(path)) == ["x", "y"]
    path.write_text("query_id,doc_id,relevance,kind\nq1,a,1,x\nq1,b,0,z\nq2,a,1,y\n")
    with refused(me.errors.InputError):
        topic_categories("kind", TOPICS, str(path))


def test_topics_that_are_not_judged_are_noted(queries: Path) -> None:
    with warned(me.errors.InputWarning):
        assert topic_weights(f"{queries}:visits", ["q1"]).tolist() == [10]


@pytest.mark.parametrize(
    "weights",
    [
        {"q1": 1},
        {"q1": -1, "q2": 1},
        {"q1": float("nan"), "q2": 1},
        {"q1": "x", "q2": 1},
        {"q1": 0, "q2": 0},
        "visits",
        3,
    ],
    ids=["missing", "negative", "nan", "word", "zeros", "name", "number"],
)
def test_weights_that_are_none_are_refused(weights: object) -> None:
    with refused(me.errors.InputError):
        topic_weights(weights, TOPICS)


def test_a_file_of_several_columns_needs_the_name_of_one(queries: Path) -> None:
    for source in (queries, f"{queries}:x"):
        with refused(me.errors.InputError):
            topic_weights(source, TOPICS)
    queries.write_text("qid,visits\nq1,10\nq2,many\n")
    with refused(me.errors.InputError):
        topic_weights(queries, TOPICS)
