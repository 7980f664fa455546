"""Values of measures for every run and topic."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from maxent.data.collection import Collection, Runs, collect
from maxent.measures import Judged, Measure, as_measures


def evaluate(
    runs: Runs,
    qrels: pd.DataFrame,
    *,
    measures: Sequence[Measure | str],
    depth: int = 1000,
    topics: Sequence[str] | None = None,
    float32: bool = False,
) -> pd.DataFrame:
    """Evaluate runs as trec_eval does: ties by document id, a topic missing from a run scores 0.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.informativeness`.
    measures : sequence of Measure or text
    depth : int
    topics : sequence of str, optional
    float32 : bool
        Compare scores in single precision, as trec_eval up to version 9 does.

    Returns
    -------
    DataFrame
        One row per run x topic x measure: run_id, query_id, measure (its text form), value. Topics without relevant
        documents are left out.
    """
    return evaluate_collection(
        collect(runs, qrels, depth=depth, topics=topics, float32=float32), as_measures(measures)
    )


def evaluate_collection(collection: Collection, measures: Sequence[Measure]) -> pd.DataFrame:
    """As :func:`evaluate`, on grade arrays."""
    judged = map(Judged, collection.nonrelevant, collection.judged_nonrelevant)
    values = np.array(
        [
            [m.evaluate(grades, relevant, judged=known) for m in measures]
            for grades, relevant, known in zip(collection.grades, collection.relevant, judged, strict=True)
        ]
    )  # (topics, measures, runs)
    keys = [list(collection.runs), list(collection.topics), [str(m) for m in measures]]
    index = pd.MultiIndex.from_product(keys, names=["run_id", "query_id", "measure"])
    return pd.DataFrame({"value": values.transpose(2, 0, 1).ravel()}, index=index).reset_index()
