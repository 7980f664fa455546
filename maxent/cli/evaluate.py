"""Values of measures as a result, for the command; :func:`maxent.evaluate` returns them as a table."""

from typing import Unpack

import pandas as pd

from maxent.data.evaluate import by_measure, topics_used, unjudged_note
from maxent.data.inputs import Qrels, Runs
from maxent.judgments.evaluate import estimates
from maxent.measures import as_measures
from maxent.options import CollectOptions, EvaluateQuestion, RequiredSources, part_of, takes
from maxent.results.content import Table
from maxent.results.question import answers, title_of
from maxent.results.result import Result
from maxent.results.words import BOUNDS, DRAWN


@answers
@takes(RequiredSources, EvaluateQuestion)
def evaluate(
    runs: Runs,
    qrels: Qrels,
    **options: Unpack[EvaluateQuestion],
) -> Result:
    """How good are the runs according to these measures?

    Shows the values of measures for every run: means over topics, or with ``per_topic`` also every topic. Ties are
    broken by document id, descending, as in trec_eval. Topics of the judgments that are missing from a run, or that
    have no relevant document, score 0 and count, as in ir_measures and "trec_eval -c". The format jsonl has one
    object per value, with run_id and the keys of ir_measures: query_id, measure, value.

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
    per_topic, empty, unjudged = options["per_topic"], options["empty"], options["unjudged"]
    chosen = as_measures(options["measures"])
    collection, values, means, notes = estimates(
        runs,
        qrels,
        chosen,
        empty=empty,
        unjudged=unjudged,
        labels=options["labels"],
        rng=options["rng"],
        options=part_of(CollectOptions, options),
    )
    tidy = _append_means(values, means) if per_topic else means
    keys = ["run_id", "query_id"] if per_topic else ["run_id"]
    kind, interval = ("drawn", DRAWN) if unjudged == "model" else ("bounds", BOUNDS)
    if unjudged == "zero":
        columns = by_measure(tidy, keys)
        tidy = columns if options["wide"] else tidy
    else:  # bands would double the columns, so there is a row for each value
        columns = tidy.rename(columns={"low": f"{kind}_low", "high": f"{kind}_high"})
    return Result(
        title=options["title"] or title_of(runs, qrels),
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
