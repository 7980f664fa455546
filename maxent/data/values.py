"""Values of measures for every run and topic."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection
from maxent.data.inspect_run import FIRST
from maxent.errors import InputError, warn_of_input
from maxent.measures import JudgedNonrelevant, Measure, as_measures
from maxent.options.choices import Empty as Empty
from maxent.texts import many
from maxent.types import FloatArray, equal_rows

EMPTY = get_args(Empty)


def values_by_topic(
    collection: Collection, *, measures: Sequence[Measure | str], empty: Empty = "zero"
) -> pd.DataFrame:
    """Values of measures for every run and topic of a collection: run_id, query_id, measure, value."""
    check_choice("empty", empty, EMPTY, raises=InputError)
    parsed = tuple(dict.fromkeys(as_measures(measures)))
    warn_of_grades(parsed, collection.levels)
    return _values(collection, parsed, empty=empty)


def warn_of_grades(measures: Iterable[Measure], levels: int) -> None:
    """Note the measures whose parameters have more grades than the judgments."""
    for measure in chain.from_iterable(joined.parts for joined in measures):
        if measure.grades > levels:
            numbers = f"{measure} has numbers for {measure.grades} grades"
            warn_of_input(f"{numbers}, but the judgments have {levels}: no document has the others")


def by_measure(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Values or means as a table with a row for each run, or each run and topic, and a column for each measure."""
    wide = values.pivot_table(index=keys, columns="measure", values="value", sort=False)
    return wide[values["measure"].unique()].rename_axis(columns=None).reset_index()


def _values(collection: Collection, measures: Sequence[Measure], *, empty: Empty) -> pd.DataFrame:
    """Table of the values of measures for every run and topic of a collection."""
    # 1. topics with the same counts together: few differ where topics have one or two relevant documents
    values = np.empty((len(collection.topics), len(measures), len(collection.runs)))
    counts = np.column_stack((collection.judged_nonrelevant, collection.relevant))
    for topics in equal_rows(counts):
        relevant = collection.relevant[topics[0]]
        judged = JudgedNonrelevant(collection.nonrelevant[topics], int(collection.judged_nonrelevant[topics[0]]))
        for k, measure in enumerate(measures):
            values[topics, k] = measure.values(collection.grades[topics], relevant, judged)
    # 2. topics without relevant documents, where every run has the same value
    names = list(collection.topics)
    if empty == "zero" and collection.without_relevant:
        names += collection.without_relevant
        shape = (len(collection.without_relevant), len(measures), len(collection.runs))
        of_empty = np.broadcast_to(_without_relevant(collection, measures)[:, None], shape)
        values = np.concatenate((values, of_empty))
    return tidy(collection.runs, names, measures, value=values)


def tidy(
    runs: Sequence[str], topics: Sequence[str], measures: Sequence[Measure], **values: FloatArray
) -> pd.DataFrame:
    """Table with a row for each run, topic and measure, from arrays (topics, measures, runs)."""
    keys = [list(runs), list(topics), [str(m) for m in measures]]
    index = pd.MultiIndex.from_product(keys, names=["run_id", "query_id", "measure"])
    columns = {name: numbers.transpose(2, 0, 1).ravel() for name, numbers in values.items()}
    return pd.DataFrame(columns, index=index).reset_index()


def _without_relevant(collection: Collection, measures: Sequence[Measure]) -> FloatArray:
    """Values of measures for a topic that has no relevant document, (measures,)."""
    grades = np.zeros(collection.depth, dtype=np.int64)
    judged = JudgedNonrelevant(np.zeros(collection.depth, dtype=np.bool_), 0)
    return np.array([float(m.evaluate(grades, [0] * collection.levels, judged=judged)) for m in measures])


def topics_used(collection: Collection, empty: Empty) -> str:
    """Note on the topics behind the means and the treatment of those without relevant documents."""
    empties = len(collection.without_relevant)
    number = len(collection.topics) + (empties if empty == "zero" else 0)
    used = f"{many(number, 'topic')}, depth {collection.depth}"
    rule = "count 0 (empty=skip excludes them)" if empty == "zero" else "are excluded"
    return f"{used}; those without relevant documents {rule}: {empties}" if empties else used


def empty_note(collection: Collection, empty: Empty) -> tuple[str, ...]:
    """Note of :func:`topics_used` if there are topics without relevant documents."""
    return (topics_used(collection, empty),) if collection.without_relevant else ()


def unjudged_note(collection: Collection) -> tuple[str, ...]:
    """Note on the number of unjudged documents among the first of each list; empty if all are judged."""
    seen = np.minimum(collection.lengths, FIRST)
    number, total = int(np.round((1 - collection.judged_10) * seen).sum()), int(seen.sum())
    return (f"unjudged among the first {FIRST} documents of the lists: {number} of {total}",) if number else ()
