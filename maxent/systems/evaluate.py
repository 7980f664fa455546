"""Values of measures for runs, as in trec_eval, or estimated where documents are not judged."""

from typing import Unpack

import pandas as pd

from maxent.checks import check_choice
from maxent.data.collect import collect_documents
from maxent.data.collection import Collection
from maxent.data.embedded import collected, collection_name
from maxent.data.inputs import Qrels, Runs
from maxent.data.values import (
    EMPTY,
    Empty,
    by_measure,
    run_means,
    topics_used,
    unjudged_note,
    values_by_topic,
)
from maxent.errors import InputError
from maxent.judgments.estimates import (
    Estimates,
    check_unjudged,
    estimates_by_bounds,
    estimates_by_model,
)
from maxent.judgments.pools import pools_of
from maxent.measures import as_measures
from maxent.options import CollectOptions, EvaluateQuestion, Sources, Unjudged, part_of, takes
from maxent.results.content import Table
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.columns import RUN, TOPIC
from maxent.studies.holdings import of_collection

DRAWN = Column(
    "drawn_{end}",
    "interval of 90 % of the values, over drawn grades (of means also over topics)",
    "90 %",
    explained=True,
)
BOUNDS = Column(
    "bounds_{end}",
    "lowest and highest value, over all grades of the unjudged documents",
    "bounds",
    explained=True,
)
MEASURE = Column("measure", "measure of the value", format="measure")
VALUES = (RUN, TOPIC, MEASURE, Column("value", "value of the measure for the list"))
"""Columns of the values of lists."""
MEANS = (
    RUN,
    TOPIC,
    MEASURE,
    Column("value", "mean of the measure over topics; in the row of a topic, its value"),
    DRAWN,
    BOUNDS,
    Column("{measure}", "mean of this measure over topics; in the row of a topic, its value"),
)
"""Columns of the means over topics, with a column for each measure if there are no intervals."""


@answers
@takes(Sources, EvaluateQuestion)
def evaluate(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
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
        ``table``: the mean over topics for each run and measure (run_id, measure in text form, value). With
        ``per_topic`` it has a row for each run, topic (query_id) and measure, and after the topics of a run its
        means; with ``wide`` a column for each measure. ``tables["values"]``: the value for each run, topic and
        measure, whatever the options; topics without relevant documents come last.

        With ``unjudged="model"`` or ``"bounds"`` both tables also have the columns low and high: the ends of the
        central 90 % of the values with drawn grades, or the lowest and highest value for any grades. The band of a
        mean is over resampled topics, each sample with one draw of all grades. It is NaN with one topic, and where
        it would be too narrow: if fewer than 10 relevant documents are judged (mean over topics), or fewer than
        half of the first 10 documents, as in a random sample. Means and all bands are NaN if fewer than 5 relevant
        documents are judged; and if most relevant documents are expected below the judged ranks, also if fewer than
        10 are judged, or if documents of runs left out are predicted badly (by more than .05).

    Raises
    ------
    InputError
        If a table cannot be used, ``empty`` has an invalid value, or no topic is left without those that
        ``empty="skip"`` excludes.
    MeasureError
        If a measure is unknown. With ``unjudged="bounds"``, if it is no sum over ranks that is independent of R_i,
        as P, gP, RBP, CG and DCG are.
    ProblemError
        If ``unjudged`` has an invalid value, or there are labels without ``unjudged="model"``.

    Notes
    -----
    File: values.csv (every run and topic).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=2, topics=4, depth=100)
    >>> result = me.evaluate(runs, qrels, measures=["AP", me.P(cutoff=10)], depth=100)
    >>> result.table.round(2)
        run_id measure  value
    0  system1      AP   0.36
    1  system1    P@10   0.95
    2  system2      AP   0.30
    3  system2    P@10   0.80
    >>> result.tables["values"].head(2).round(2)
        run_id query_id measure  value
    0  system1        1      AP   0.35
    1  system1        1    P@10   0.90
    >>> me.evaluate(runs, qrels, measures=["AP", "P@10"], wide=True, depth=100).table.round(2)
        run_id    AP  P@10
    0  system1  0.36  0.95
    1  system2  0.30  0.80
    """
    reading = part_of(CollectOptions, options)
    empty, unjudged, labels = options["empty"], options["unjudged"], options["labels"]
    chosen = tuple(dict.fromkeys(as_measures(options["measures"])))
    check_unjudged(unjudged, labels)
    check_choice("empty", empty, EMPTY, raises=InputError)
    if unjudged == "zero":
        collection = _collected(runs, qrels, reading, empty)
        values = values_by_topic(collection, measures=chosen, empty=empty)
        estimates = Estimates(values, run_means(values), ())
    else:
        pools = pools_of(runs, qrels, reading, labels=labels, none_relevant=empty == "zero")
        collection = pools.collection
        if unjudged == "model":
            rng, jobs, progress = options["rng"], options["jobs"], options["progress"]
            estimates = estimates_by_model(pools, chosen, empty=empty, rng=rng, jobs=jobs, progress=progress)
        else:
            estimates = estimates_by_bounds(pools, chosen, empty=empty)
    return Result(
        title=options["title"] or collection_name(runs, qrels),
        views=_views(estimates, unjudged, per_topic=options["per_topic"], wide=options["wide"]),
        notes=(topics_used(collection, empty), *unjudged_note(collection), *estimates.notes),
        **of_collection(collection),
    )


def _collected(runs: Runs | Collection, qrels: Qrels | None, options: CollectOptions, empty: Empty) -> Collection:
    """The collection; it may have no topic with a relevant document if topics without one count 0."""
    if isinstance(runs, Collection):
        return collected(runs, qrels, options)
    return collect_documents(runs, qrels, {**options}, with_documents=False, none_relevant=empty == "zero")[0]


def _views(estimates: Estimates, unjudged: Unjudged, *, per_topic: bool, wide: bool) -> tuple[Table, ...]:
    """The values of every run and topic, and the means, with ``per_topic`` after the values of the run."""
    values, means, _ = estimates
    tidy = _append_means(values, means) if per_topic else means
    keys = ["run_id", "query_id"] if per_topic else ["run_id"]
    kind, interval = ("drawn", DRAWN) if unjudged == "model" else ("bounds", BOUNDS)
    ends = interval._replace(name="{end}")
    if unjudged == "zero":
        columns = by_measure(tidy, keys)
        tidy = columns if wide else tidy
    else:  # bands would double the columns, so there is a row for each value
        columns = tidy.rename(columns={"low": f"{kind}_low", "high": f"{kind}_high"})
    return (
        Table(
            name="values",
            frame=values,
            schema=Schema(ends, *VALUES),
            places=("file",),
        ),
        Table(
            name="means",
            title="Values",
            frame=tidy,
            shown=columns,
            schema=Schema(ends, *MEANS),
            keys=len(keys),
            places=("text", "page"),
        ),
    )


def _append_means(values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Values with the means of each run after its topics, as rows with the topic ``all``, as in trec_eval."""
    together = pd.concat([values, means.assign(query_id="all")], ignore_index=True)
    place = {run: k for k, run in enumerate(means["run_id"].unique())}
    return together.sort_values("run_id", key=lambda runs: runs.map(place), kind="stable", ignore_index=True)
