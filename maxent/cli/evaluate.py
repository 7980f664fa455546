"""Values of measures as a result, for the command; :func:`maxent.evaluate` returns them as a table."""

from collections.abc import Sequence
from typing import Unpack

import pandas as pd

from maxent.data.inputs import Qrels, Runs
from maxent.data.options import CollectOptions
from maxent.data.values import Empty, by_measure, topics_used, unjudged_note
from maxent.judgments.evaluate import Unjudged, estimates
from maxent.measures import Measure, as_measures
from maxent.options import takes
from maxent.results.content import Table
from maxent.results.question import answers, title_of
from maxent.results.result import Result
from maxent.results.words import BOUNDS, DRAWN


@answers
@takes(CollectOptions)
def evaluate(
    runs: Runs,
    qrels: Qrels,
    *,
    measures: Sequence[Measure | str] = ("AP", "nDCG", "P@10", "Rprec"),
    per_topic: bool = False,
    wide: bool = False,
    empty: Empty = "zero",
    unjudged: Unjudged = "zero",
    labels: Qrels | None = None,
    rng: int = 0,
    title: str | None = None,
    **options: Unpack[CollectOptions],
) -> Result:
    """How good are the runs according to these measures?

    Shows the values of measures for every run: means over topics, or with ``per_topic`` also every topic. Ties are
    broken by document id, descending, as in trec_eval. Topics of the judgments that are missing from a run, or that
    have no relevant document, score 0 and count, as in ir_measures and "trec_eval -c". The format jsonl has one
    object per value, with run_id and the keys of ir_measures: query_id, measure, value.

    Parameters
    ----------
    measures : sequence of Measure or text
        Measures to evaluate (default: AP nDCG P@10 Rprec).
    per_topic : bool
        Show the value for every topic, and the means as topic ``all``.
    wide : bool
        Also use one column per measure in the formats tsv, csv and jsonl, unless values have bands or bounds.
    empty : {"zero", "skip"}
        Topics without relevant documents score 0 (``zero``) or are excluded (``skip``).
    unjudged : {"zero", "model", "bounds"}
        Unjudged documents have grade 0 (``zero``), a probability for each grade (``model``, see
        :func:`maxent.unjudged`) or any grade (``bounds``). For ``model``, give all runs of the pool.
    labels : judgments, optional
        Other judgments, such as labels of a language model, as evidence about unjudged documents (``model``).
    rng : int
        Seed of the drawn grades (``model``).

    Returns
    -------
    Result
        ``table``: means, with ``per_topic`` also values by topic. ``tables["values"]``: values of every run and
        topic.

    Notes
    -----
    File: values.csv (every run and topic).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=2, topics=4, depth=100)
    >>> evaluate(runs, qrels, measures=["AP", "P@10"], wide=True, depth=100).table.round(2)
        run_id    AP  P@10
    0  system1  0.36  0.95
    1  system2  0.30  0.80
    """
    chosen = as_measures(measures)
    collection, values, means, notes = estimates(
        runs, qrels, chosen, empty=empty, unjudged=unjudged, labels=labels, rng=rng, options=options
    )
    tidy = _append_means(values, means) if per_topic else means
    keys = ["run_id", "query_id"] if per_topic else ["run_id"]
    kind, interval = ("drawn", DRAWN) if unjudged == "model" else ("bounds", BOUNDS)
    if unjudged == "zero":
        columns = by_measure(tidy, keys)
        tidy = columns if wide else tidy
    else:  # bands would double the columns, so there is a row for each value
        columns = tidy.rename(columns={"low": f"{kind}_low", "high": f"{kind}_high"})
    return Result(
        title=title or title_of(runs, qrels),
        views=(
            Table(
                name="values", frame=values, places=("file",),
                meanings={"measure": "measure of the value", "low": interval.meaning},
            ),
            Table(
                name="means", title="Values", frame=tidy, shown=columns, keys=len(keys),
                places=("text", "page"),
            ),
        ),
        notes=(topics_used(collection, empty), *unjudged_note(collection), *notes),
        collection=collection,
    )  # fmt: skip


def _append_means(values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Values with the means of each run after its topics, as rows with the topic ``all``, as in trec_eval."""
    together = pd.concat([values, means.assign(query_id="all")], ignore_index=True)
    place = {run: k for k, run in enumerate(means["run_id"].unique())}
    return together.sort_values("run_id", key=lambda runs: runs.map(place), kind="stable", ignore_index=True)
