"""Lists that repeat are solved once: every table is the one without that."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.data import Collection
from maxent.studies import StudyOptions, table_and_lists, topic_groups
from maxent.types import FloatArray

SHORT = ["AP", "nDCG@10", "P@5"]


@pytest.fixture(scope="module")
def collection() -> Collection:
    """Forty topics of one or two relevant documents, two grades, and three runs of six ranks, some missing."""
    rng = np.random.default_rng(5)
    qrels = [(str(t), f"{t}-{d}", 1 + int(rng.random() < 0.3)) for t in range(40) for d in range(1 + t % 2)]
    rows = [
        (str(t), f"{t}-{d}", f"run{r}", float(6 - n))
        for t in range(40)
        for r in range(3)
        if rng.random() < 0.9
        for n, d in enumerate(rng.permutation(9)[:6])
    ]
    runs = pd.DataFrame(rows, columns=["query_id", "doc_id", "run_id", "score"])
    return me.collect(runs, pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]))


STUDIES: dict[str, Callable[[Collection], pd.DataFrame]] = {
    "ranks": lambda own: me.informativeness(own, measures=SHORT, min_retrieved=0, min_retrieved_total=1),
    "topics": lambda own: me.informativeness(
        own, measures=SHORT, min_retrieved=0, min_retrieved_total=1, reference="topics", jobs=2
    ),
    "lists": lambda own: me.informativeness(
        own, measures=[*SHORT, "RR"], model="lists", align="expected", min_retrieved=0, min_retrieved_total=1
    ),
    "predictions": lambda own: me.predict(own, measures=["AP"], targets=["RR", "P@5"], min_retrieved=0).tables[
        "predictions"
    ],
    "shown": lambda own: pd.DataFrame(shown_distributions(own).reshape(-1, 3)),
}


def shown_distributions(collection: Collection) -> FloatArray:
    """Distributions of the lists that an explorer shows."""
    measures = [me.GAP(g=g) for g in ((1, 0), (0.5, 0.5), (0, 1))]
    options = {"min_retrieved": 0, "min_retrieved_total": 1, "thresholds": None}
    return table_and_lists(collection, StudyOptions.of(collection, options, measures=tuple(measures)))[1].p


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
@pytest.mark.parametrize("name", STUDIES)
def test_equal_lists_give_what_each_list_gives_by_itself(
    name: str, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = STUDIES[name](collection)
    monkeypatch.setattr(topic_groups, "REPEATED", np.inf)
    pd.testing.assert_frame_equal(table, STUDIES[name](collection), rtol=1e-9)


def test_values_of_topics_with_equal_counts_are_those_of_each_list(collection: Collection) -> None:
    names = ["nDCG@5", "Bpref", "AP"]
    values = me.evaluate(collection, measures=names).tables["values"]
    table = values.set_index(["run_id", "query_id", "measure"])["value"]
    for k, topic in enumerate(collection.topics):
        for r, run in enumerate(collection.runs):
            judged = me.measures.JudgedNonrelevant(
                collection.nonrelevant[k, r], int(collection.judged_nonrelevant[k])
            )
            for name in names:
                value = me.parse_measure(name).evaluate(
                    collection.grades[k, r], collection.relevant[k], judged=judged
                )
                assert table[run, topic, name] == pytest.approx(float(value), abs=1e-12)


def test_lists_that_differ_are_solved_once(collection: Collection) -> None:
    groups = topic_groups.TopicGroups.of(collection, None)
    lists = {
        (tuple(relevant.tolist()), bool(missing), tuple(row.tolist()))
        for relevant, of_topic, absent in zip(
            collection.relevant, collection.grades, collection.missing, strict=True
        )
        for row, missing in zip(of_topic, absent, strict=True)
    }
    assert sum(len(topic.runs) for topic in groups.topics) == len(lists) < collection.missing.size / 2
    assert groups.sizes.sum() == len(collection.topics)
