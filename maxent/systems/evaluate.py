"""Values of measures for runs, as in trec_eval, or estimated where documents are not judged."""

from typing import Unpack

import pandas as pd

from maxent.checks import check_choice
from maxent.data.collect import collect_documents
from maxent.data.collection import Collection
from maxent.data.embedded import collected, collection_name
from maxent.data.inputs import Qrels, Runs
from maxent.data.inspect_run import FIRST
from maxent.data.topic_columns import WHOLE, topic_categories, topic_weights
from maxent.data.values import (
    EMPTY,
    Empty,
    by_measure,
    topics_used,
    unjudged_note,
    values_by_topic,
)
from maxent.errors import InputError, ProblemError
from maxent.judgments.estimates import (
    Estimates,
    check_unjudged,
    estimates_by_bounds,
    estimates_by_model,
    estimates_of_all_kinds,
)
from maxent.judgments.pools import pools_of
from maxent.measures import as_measures
from maxent.options import CollectOptions, EvaluateQuestion, Sources, part_of, takes
from maxent.results.content import Table
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.stats.paired_tests import check_level
from maxent.stats.topic_weights import means_over_topics, weights_note
from maxent.studies.columns import RUN, TOPIC
from maxent.studies.holdings import of_collection

ALL_JUDGED = f"the first {FIRST} documents of the lists are all judged"
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
KINDS = (
    Column(
        "judged_10",
        "share of judged documents among the first 10, mean over lists",
        "judged 10",
        format="share",
        explained=True,
    ),
    Column("zero", "value if unjudged documents have grade 0", explained=True),
    Column("model", "value that the model expects", explained=True),
)
"""Columns of values of all kinds."""
STUDENT = Column("{end}", "Student's interval of the mean over topics", "interval", explained=True)
CATEGORY = Column("category", "category of the topics")
MEASURE = Column("measure", "measure of the value", format="measure")
VALUES = (
    RUN,
    TOPIC,
    CATEGORY,
    MEASURE,
    *KINDS,
    BOUNDS,
    Column("value", "value of the measure for the list"),
)
"""Columns of the values of lists."""
MEANS = (
    RUN,
    TOPIC,
    CATEGORY,
    Column("topics", "number of topics"),
    MEASURE,
    Column("value", "mean of the measure over topics; in the row of a topic, its value"),
    *KINDS,
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
        means; with ``wide`` a column for each measure; with ``by`` a row for each category, and its number of
        topics; with ``interval`` the columns low and high. ``tables["values"]``: the value for each run, topic and
        measure, whatever the options; topics without relevant documents come last.

        With ``unjudged="model"`` or ``"bounds"`` both tables also have the columns low and high: the ends of the
        central 90 % of the values with drawn grades, or the lowest and highest value for any grades. With
        ``unjudged="all"``, those of the model come after judged_10 (share of judged documents among the first 10),
        zero (value with grade 0), bounds_low and bounds_high (NaN for measures without bounds). The band of a
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
        If ``unjudged`` has an invalid value, there are labels without ``unjudged="model"``, or an interval, weights
        or categories with ``unjudged``.

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
    >>> visits = {"1": 100, "2": 10, "3": 10, "4": 1}
    >>> me.evaluate(runs, qrels, measures=["AP"], weights=visits, interval=0.95, depth=100).table.round(2)
        run_id measure  value   low  high
    0  system1      AP   0.35  0.31  0.38
    1  system2      AP   0.14 -0.02  0.31
    """
    reading = part_of(CollectOptions, options)
    empty, unjudged, labels = options["empty"], options["unjudged"], options["labels"]
    chosen = tuple(dict.fromkeys(as_measures(options["measures"])))
    check_unjudged(unjudged, labels)
    check_choice("empty", empty, EMPTY, raises=InputError)
    _check_means(options)
    if unjudged == "zero":
        collection = _collected(runs, qrels, reading, empty)
        values = values_by_topic(collection, measures=chosen, empty=empty)
        estimates = _weighted(values, qrels, options)
    else:
        pools = pools_of(runs, qrels, reading, labels=labels, none_relevant=empty == "zero")
        collection = pools.collection
        if unjudged == "bounds":
            estimates = estimates_by_bounds(pools, chosen, empty=empty)
        else:
            rng, jobs, progress = options["rng"], options["jobs"], options["progress"]
            estimated = estimates_by_model if unjudged == "model" else estimates_of_all_kinds
            estimates = estimated(pools, chosen, empty=empty, rng=rng, jobs=jobs, progress=progress)
    is_estimated = unjudged != "zero"
    return Result(
        title=options["title"] or collection_name(runs, qrels),
        finding=_finding(collection, estimates) if is_estimated else None,
        views=_views(estimates, options),
        notes=(
            topics_used(collection, empty),
            *(() if is_estimated else unjudged_note(collection)),
            *estimates.notes,
        ),
        **of_collection(collection),
    )


def _finding(collection: Collection, estimates: Estimates) -> Finding:
    """Finding where unjudged documents have no grade 0: how many are above, and reasons to doubt the values."""
    (unjudged,) = unjudged_note(collection) or (ALL_JUDGED,)
    return Finding(unjudged, (), estimates.cautions)


def _collected(runs: Runs | Collection, qrels: Qrels | None, options: CollectOptions, empty: Empty) -> Collection:
    """The collection; it may have no topic with a relevant document if topics without one count 0."""
    if isinstance(runs, Collection):
        return collected(runs, qrels, options)
    return collect_documents(runs, qrels, {**options}, with_documents=False, none_relevant=empty == "zero")[0]


def _check_means(options: EvaluateQuestion) -> None:
    """Raise an error if options on means are invalid, or do not go with bands or bounds."""
    if options["interval"] is not None:
        check_level(options["interval"], 1, name="interval")
    given = [name for name, value in options.items() if name in ("interval", "weights", "by") and value is not None]
    if given and options["unjudged"] != "zero":
        raise ProblemError(
            f'{given[0]}: with unjudged="{options["unjudged"]}" means have bands or bounds of their own'
        )


def _weighted(values: pd.DataFrame, qrels: Qrels | None, options: EvaluateQuestion) -> Estimates:
    """Values with the category of each topic, if any, and their means, over all topics and over each category."""
    topics = list(map(str, values["query_id"].unique()))
    weights = None if options["weights"] is None else topic_weights(options["weights"], topics, qrels)
    notes = () if weights is None else (weights_note(weights),)
    shares = None if weights is None else pd.Series(weights, index=topics)
    if options["by"] is None:
        return Estimates(values, means_over_topics(values, weights=shares, level=options["interval"]), notes)
    categories = pd.Series(topic_categories(options["by"], topics, qrels), index=topics)
    values.insert(2, "category", values["query_id"].map(categories))
    groups = {**dict(iter(values.groupby("category", sort=True))), WHOLE: values}
    means = [
        means_over_topics(rows, weights=shares, level=options["interval"]).assign(
            category=name, topics=rows["query_id"].nunique()
        )
        for name, rows in groups.items()
    ]
    columns = [
        "run_id",
        "category",
        "topics",
        "measure",
        "value",
        *(["low", "high"] if options["interval"] else []),
    ]
    return Estimates(values, _run_by_run(pd.concat(means), means[0])[columns], notes)


def _views(estimates: Estimates, options: EvaluateQuestion) -> tuple[Table, ...]:
    """The values of every run and topic, and the means, with ``per_topic`` after the values of the run."""
    values, means = estimates.values, estimates.means
    unjudged, per_topic = options["unjudged"], options["per_topic"]
    tidy = _append_means(values, means) if per_topic else means
    keys = [
        "run_id",
        *(["category", "topics"] if "category" in means else []),
        *(["query_id"] if per_topic else []),
    ]
    level = options["interval"]
    student = STUDENT._replace(heading=f"{100 * level:g} %") if level is not None else STUDENT
    ends = {"model": DRAWN, "bounds": BOUNDS, "all": DRAWN}.get(unjudged, student)
    if unjudged == "zero" and options["interval"] is None:
        columns = by_measure(tidy, keys)
        tidy = columns if options["wide"] else tidy
    else:  # intervals would double the columns, so there is a row for each value
        kind = ends.name.partition("{")[0]
        columns = tidy.rename(columns={"low": f"{kind}low", "high": f"{kind}high"})
        columns = columns.rename(columns={"value": "model"}) if unjudged == "all" else columns
    plain = ends._replace(name="{end}")  # the interval in tables for programs
    of_values, of_means = ([plain] if "low" in table else [] for table in (values, means))
    return (
        Table(
            name="values",
            frame=values,
            schema=Schema(*of_values, *VALUES),
            places=("file",),
        ),
        Table(
            name="means",
            title="Values",
            frame=tidy,
            shown=columns,
            schema=Schema(*of_means, *MEANS),
            keys=len(keys),
            places=("text", "page"),
        ),
    )


def _append_means(values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Values with the means of each run after its topics, as rows with the topic ``all``, as in trec_eval."""
    together = pd.concat([values, means.assign(query_id="all")], ignore_index=True)
    if "topics" in together:
        together["topics"] = together["topics"].astype("Int64")  # the row of a topic has none
    return _run_by_run(together, means)


def _run_by_run(table: pd.DataFrame, ordered: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table run by run, in the order in which another table has the runs."""
    place = {run: k for k, run in enumerate(ordered["run_id"].unique())}
    return table.sort_values("run_id", key=lambda runs: runs.map(place), kind="stable", ignore_index=True)
