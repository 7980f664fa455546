"""Values of measures for every run and topic."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, Unpack, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection, collect
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import CollectOptions
from maxent.errors import InputError
from maxent.measures import JudgedNonrelevant, Measure, as_measures
from maxent.options import takes
from maxent.texts import many
from maxent.types import FloatArray, equal_rows

Empty: TypeAlias = Literal["zero", "skip"]
EMPTY = get_args(Empty)


@takes(CollectOptions)
def evaluate(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str],
    empty: Empty = "zero",
    means: bool = False,
    **options: Unpack[CollectOptions],
) -> pd.DataFrame:
    """Values of measures for every run and topic, with lists in trec_eval's order.

    Documents with equal scores are ordered by id, descending. A topic that is missing from a run is evaluated as a
    list without relevant documents, and scores 0 with nearly all measures, as in ir_measures and ``trec_eval -c``
    (without ``-c``, trec_eval leaves it out).

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`.
    measures : sequence of Measure or str
        Measures or their text forms.
    empty : {"zero", "skip"}
        Topics without relevant documents: nearly all measures are 0 there and they count, as in trec_eval and
        ir_measures, or they are left out, as studies of informativeness do.
    means : bool
        Whether to give means over topics, a row for each run and a column for each measure.

    Returns
    -------
    DataFrame
        One row per run x topic x measure: run_id, query_id, measure (its text form), value. Topics without relevant
        documents come last. With ``means`` the columns run_id and the text forms of the measures.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> values = me.evaluate(runs, qrels, measures=["nDCG@10", me.GAP(g=(0.5, 0.5))], depth=100)
    >>> values.head(4).round(3)
        run_id query_id         measure  value
    0  system1        1         nDCG@10  0.828
    1  system1        1  GAP(g=0.5,0.5)  0.362
    2  system1        2         nDCG@10  0.933
    3  system1        2  GAP(g=0.5,0.5)  0.415
    >>> me.evaluate(runs, qrels, measures=["nDCG@10", "AP"], depth=100, means=True).round(3)
        run_id  nDCG@10     AP
    0  system1    0.919  0.360
    1  system2    0.895  0.269
    2  system3    0.952  0.487
    """
    check_choice("empty", empty, EMPTY, raises=InputError)
    chosen = tuple(dict.fromkeys(as_measures(measures)))
    collection = collect(runs, qrels, **options)
    values = _values(collection, chosen, empty=empty)
    return by_measure(values, ["run_id"]) if means else values


def by_measure(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Values, or means of them, in a row for each run, or each run and topic, and a column for each measure."""
    wide = values.pivot_table(index=keys, columns="measure", values="value", sort=False)
    return wide[values["measure"].unique()].rename_axis(columns=None).reset_index()


def _values(collection: Collection, measures: Sequence[Measure], *, empty: Empty) -> pd.DataFrame:
    """Table of the values of measures for every run and topic of a collection."""
    values = np.empty((len(collection.topics), len(measures), len(collection.runs)))
    counts = np.column_stack((collection.judged_nonrelevant, collection.relevant))
    for same in equal_rows(counts):  # few differ where topics have one or two relevant ones
        judged = JudgedNonrelevant(collection.nonrelevant[same], int(collection.judged_nonrelevant[same[0]]))
        for k, measure in enumerate(measures):
            values[same, k] = measure.values(collection.grades[same], collection.relevant[same[0]], judged)
    topics = list(collection.topics)
    if empty == "zero" and collection.without_relevant:
        topics += collection.without_relevant
        rest = np.broadcast_to(_without_relevant(collection, measures)[:, None], (len(measures), values.shape[2]))
        values = np.concatenate((values, np.tile(rest, (len(collection.without_relevant), 1, 1))))
    keys = [list(collection.runs), topics, [str(m) for m in measures]]
    index = pd.MultiIndex.from_product(keys, names=["run_id", "query_id", "measure"])
    return pd.DataFrame({"value": values.transpose(2, 0, 1).ravel()}, index=index).reset_index()


def _without_relevant(collection: Collection, measures: Sequence[Measure]) -> FloatArray:
    """Values of measures for a topic that has no relevant document, (measures,)."""
    grades = np.zeros(collection.depth, dtype=np.int64)
    judged = JudgedNonrelevant(np.zeros(collection.depth, dtype=np.bool_), 0)
    return np.array([float(m.evaluate(grades, [0] * collection.levels, judged=judged)) for m in measures])


def topics_used(collection: Collection, empty: Empty) -> str:
    """How many topics means are over, and what becomes of those without relevant documents."""
    empties = len(collection.without_relevant)
    number = len(collection.topics) + (empties if empty == "zero" else 0)
    used = f"{many(number, 'topic')}, depth {collection.depth}"
    rule = "count 0 (empty=skip leaves them out)" if empty == "zero" else "are left out"
    return f"{used}; those without relevant documents {rule}: {empties}" if empties else used
