"""Values of measures for every run and topic."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from maxent.data.collection import Collection, Runs, Table, collect
from maxent.measures import JudgedNonrelevant, Measure, as_measures


def evaluate(
    runs: Runs,
    qrels: Table,
    *,
    measures: Sequence[Measure | str],
    depth: int = 1000,
    topics: Sequence[str] | None = None,
    float32: bool = False,
) -> pd.DataFrame:
    """Values of measures for every run and topic, with lists in trec_eval's order.

    Documents with equal scores are ordered by id, descending. A topic that is missing from a run is evaluated as a
    list without relevant documents, and scores 0 with nearly all measures.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`.
    measures : sequence of Measure or str
        Measures or their text forms.
    depth, topics, float32
        As for :func:`maxent.collect`.

    Returns
    -------
    DataFrame
        One row per run x topic x measure: run_id, query_id, measure (its text form), value. Topics without relevant
        documents are left out.

    Raises
    ------
    InputError
        As for :func:`maxent.collect`.
    MeasureError
        If a measure is unknown or does not fit the grades.

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
    >>> mean = values[values["measure"] == "nDCG@10"].groupby("run_id")["value"].mean()
    >>> mean.round(3).to_dict()
    {'system1': 0.919, 'system2': 0.895, 'system3': 0.952}
    """
    return evaluate_collection(
        collect(runs, qrels, depth=depth, topics=topics, float32=float32), as_measures(measures)
    )


def evaluate_collection(collection: Collection, measures: Sequence[Measure]) -> pd.DataFrame:
    """Values of measures for every run and topic of a collection; a table as from :func:`evaluate`."""
    judged = map(JudgedNonrelevant, collection.nonrelevant, collection.judged_nonrelevant)
    values = np.array(
        [
            [m.values(grades, relevant, known) for m in measures]
            for grades, relevant, known in zip(collection.grades, collection.relevant, judged, strict=True)
        ]
    )  # (topics, measures, runs)
    keys = [list(collection.runs), list(collection.topics), [str(m) for m in measures]]
    index = pd.MultiIndex.from_product(keys, names=["run_id", "query_id", "measure"])
    return pd.DataFrame({"value": values.transpose(2, 0, 1).ravel()}, index=index).reset_index()
