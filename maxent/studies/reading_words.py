"""Readings in words: the given counts, the model, the reference, and how curves are compared."""

from collections.abc import Iterable, Mapping

from maxent.measures import Measure, nDCG
from maxent.problem.reference import UNIFORM, Reference

TOPICS = "topics"  # a reference that each study computes from its lists
READINGS = {
    "standard": "the usual model, reference, alignment and filter, but for options that are given",
    "papers": "the model, reference, alignment and filter of the GAP paper, but for options that are given",
    "retrieved": "the model is given the number of retrieved documents of each grade",
    "total": "the model assumes that the list holds all relevant documents of the topic",
    "at_most": "the model is given the numbers of relevant documents of the topic as upper limits",
    "lists": "the distribution is over whole lists, and ranks are not independent",
    UNIFORM: "before the values are given, all lists are equally likely",
    "log-uniform": "before the values are given, the odds of relevance at rank n are 1/n",
    TOPICS: "before the values are given, each grade is as frequent at a rank as in lists of topics of other folds",
    "table": "before the values are given, the odds of grades at each rank are those of a table",
    "recall": "curves are compared at equal recall",
    "rank": "curves are compared at equal rank",
    "expected": "expected precision is compared at each relevant document",
    "every-rank": "precision is compared at every rank, also in lists without a relevant document",
}
"""What each ``count``, ``model``, ``reference`` and ``align`` means, in words."""


def reference_name(reference: Reference) -> str:
    """Name of a reference in tables and sentences."""
    if reference is None:
        return UNIFORM
    return reference if isinstance(reference, str) else "table"


def worded(scope: Mapping[str, str]) -> dict[str, str]:
    """Parts of a scope that ``READINGS`` explains: all but independent ranks, the depth and gains."""
    return {name: value for name, value in scope.items() if value in READINGS}


def legend_of(reading: Mapping[str, str]) -> tuple[str, ...]:
    """A reading in words."""
    return tuple(f"{name}={value}: {READINGS[value]}" for name, value in reading.items())


def gains_of(measures: Iterable[Measure]) -> str:
    """The gains of all nDCG among measures, as in their text forms."""
    gains = [part.gain for measure in measures for part in measure.parts if isinstance(part, nDCG)]
    return " or ".join(dict.fromkeys(g if isinstance(g, str) else ",".join(f"{x:g}" for x in g) for g in gains))
