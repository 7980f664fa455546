"""Sizes that are refused before any work."""

import pytest

import maxent as me
from maxent.errors import ProblemError
from maxent.lists.topics import topics_of


def test_the_memory_of_all_topics_is_estimated_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics that could be solved one by one, but take 2.7 gigabytes together."""
    topic = {f"{grade}-{k}": grade for grade in (1, 2, 3, 4) for k in range(28)}
    averages = me.Averages({str(k): topic for k in range(40)}, {"nDCG": 0.5}, depth=100)
    with pytest.raises(
        ProblemError, match=r"all topics, in bytes, is 2715959040, .* MAXENT_LIMITS=no-memory .* Fewer"
    ):
        me.solve(averages)
    monkeypatch.setenv("MAXENT_LIMITS", "no-memory")
    assert len(topics_of(averages)) == 40


@pytest.mark.parametrize("known", [{"AP": 0.3}, {"nDCG": 0.5, "ERR": 0.3}])
def test_the_estimate_is_that_of_the_arrays(known: dict[str, float]) -> None:
    qrels = {"1": {f"{grade}-{k}": grade for grade in (1, 2) for k in range(60)}}
    (topic,) = topics_of(me.Averages(qrels, known, depth=100))
    steps = topic.lists.steps
    assert topic.lists.memory == pytest.approx(topic.lists.states.nbytes + steps.k.nbytes + steps.X.nbytes, rel=0.1)
