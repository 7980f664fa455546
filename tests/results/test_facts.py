"""Facts of a report: the options that determine the numbers, with what they mean."""

from typing import Any

import pytest

import maxent as me
from maxent.results import Result
from tests.golden.messages import as_golden

FILTER: dict[str, Any] = {
    "min_retrieved_by": "threshold",
    "min_retrieved_total": 1,
    "min_retrieved": 0,
    "measures": ["AP", "P@10"],
}


def facts(result: Result) -> list[tuple[str, str]]:
    """Names and values of the facts that have a meaning in words."""
    assert all(fact.meaning for fact in result.facts)
    return [(fact.name, fact.value) for fact in result.facts]


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        (
            "study",
            FILTER | {"weights": {1: 1, 2: 0.5}, "count": "at_most"},
            [
                *(
                    ("reading", "standard"),
                    ("count", "at_most"),
                    ("reference", "log-uniform"),
                    ("align", "expected"),
                ),
                *(("min-retrieved", "0"), ("min-retrieved-total", "1"), ("weights", "1: 1, 2: 0.5")),
            ],
        ),
        (
            "compare_systems",
            {"alpha": 0.1},
            [("test", "t"), ("correction", "holm"), ("alpha", "0.1"), ("empty", "zero"), ("unjudged", "zero")],
        ),
        ("compare_systems", {"correction": None}, [("correction", "None")]),
        ("compare_discriminative", {"measures": ["AP"]}, [("method", "bootstrap"), ("alpha", "0.05")]),
        ("compare_agreement", {"g": [(0.5, 0.5)], "quantile": 0}, [("quantile", "0"), ("few", "10")]),
        (
            "compare_pools",
            {"repetitions": 1, "shares": [0.5], "quantile": 0},
            [("quantile", "0"), ("few", "10"), ("repetitions", "1")],
        ),
    ],
)
def test_facts_are_the_options(name: str, options: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=50)
    result = getattr(me, name)(runs, qrels, depth=50, progress=False, **options)
    assert set(expected) <= set(facts(result))
    if len(expected) > 1:
        assert facts(result) == expected


def test_facts_say_what_options_mean() -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=50)
    study = me.study(runs, qrels, depth=50, progress=False, **FILTER)
    meanings = {fact.name: fact.meaning for fact in study.facts}
    for name in ("min-retrieved", "min-retrieved-total", "align"):
        as_golden(meanings[name])
    graded = me.study(runs, qrels, depth=50, measures=["AP"], progress=False)
    as_golden("\n".join(fact.meaning for fact in graded.facts))
    compared = me.compare_systems(runs, qrels, depth=50, progress=False)
    as_golden(compared.facts[0].meaning)


def test_facts_of_averages() -> None:
    _, qrels = me.simulate(systems=1, topics=4, depth=50)
    result = me.reported({"AP": ".3"}, qrels, depth=50)
    assert facts(result)[1:] == [("depth", "50"), ("band", "0.9")]
    as_golden(result.facts[2].meaning)
