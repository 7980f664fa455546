"""Probabilities of the grades of unjudged documents."""

from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.embedded import embedded_or
from maxent.data.inputs import Qrels, Runs
from maxent.data.values import unjudged_note
from maxent.judgments.draws import DRAWS, OTHER_RUNS, Model
from maxent.judgments.estimates import BAND
from maxent.judgments.pools import pools_of
from maxent.options import CollectOptions, Sources, UnjudgedQuestion, part_of, takes
from maxent.results.content import Fact, Table
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.columns import TOPIC
from maxent.studies.holdings import heading
from maxent.texts import many
from maxent.types import FloatArray

SHOWN = 10  # rows for people
TOPICS = Schema(
    TOPIC,
    Column("judged", "judged documents"),
    Column("unjudged", "documents of the runs without a judgment"),
    Column("relevant", "documents judged relevant"),
    Column("expected", "expected number of relevant documents if all were judged"),
    Column("{end}", "interval of 90 % of the drawn numbers of relevant documents", "90 %", explained=True),
)
"""Columns of the numbers of documents of each topic."""
UNJUDGED = Schema(TOPIC, Column("doc_id", "document"), Column("p_{k}", "probability of grade {k}"))
"""Columns of the unjudged documents."""
LEARNED = Schema(
    Column("step", "k or more: whether a document of grade k - 1 or higher has grade k or higher"),
    Column("feature", "feature of a document, standardised over the judged documents"),
    Column("multiplier", "change of the log-odds per unit of the feature, in all topics"),
    Column("error", "standard deviation of the multiplier"),
)
"""Columns of the multipliers."""


@answers
@takes(Sources, UnjudgedQuestion)
def unjudged(
    runs: Runs | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[UnjudgedQuestion],
) -> Result:
    """What is the probability of each grade of the unjudged documents?

    Of all distributions over grades whose moments agree with the judged documents, up to a penalty, the model is
    the one of largest entropy. It uses moments of the rank in each run, of the agreement of the runs, and of
    labels, over all topics and in each topic. A document that no run returns has grade 0. Far below the judged
    ranks, the probabilities are extrapolated.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`, except a `Collection`, which has no document ids. Give all runs of the pool:
        otherwise, relevance outside the pool is overestimated. Documents with a negative grade count as unjudged.

    Returns
    -------
    Result
        ``table``: one row per unjudged document, with the probabilities p_0, p_1, ... of its grades.
        ``tables["topics"]``: one row per topic, with the expected number of relevant documents and the interval of
        90 % of the draws, both NaN where too few relevant documents are judged (see :func:`maxent.evaluate`).
        ``tables["learned"]``: one row per step of the grade and feature, with the increase of the log-odds of
        reaching the step when the feature increases by one standard deviation.

    Raises
    ------
    InputError
        If no document is judged 0: relevant documents alone do not show how others differ from them. If the labels
        have no document in common with the judgments.

    Notes
    -----
    Files: unjudged.csv, topics.csv, learned.csv.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=4, topics=5, depth=50)
    >>> result = me.unjudged(runs, qrels.sample(frac=0.5, random_state=0), depth=50, progress=False)
    >>> result.table.columns.tolist()
    ['query_id', 'doc_id', 'p_0', 'p_1', 'p_2']
    """
    reading = part_of(CollectOptions, options)
    pools = pools_of(*embedded_or(runs, qrels, options), reading, labels=options["labels"])
    collection = pools.collection
    head = heading(collection, runs, qrels, "all documents of the runs", title=options["title"])
    model = Model.of(pools, rng=options["rng"])
    parts, rows, drawn = [], [], np.zeros(DRAWS)
    for place, pool in enumerate(pools.topics):
        p = model.probabilities(place)
        open_ = ~pool.judged
        probabilities = {f"p_{grade}": p[open_, grade] for grade in range(p.shape[1])}
        parts.append(pd.DataFrame({"query_id": pool.topic, "doc_id": pool.ids[open_]} | probabilities))
        relevant = (model.grades(place) > 0).sum(axis=1)
        judged_relevant = int((pool.grades > 0).sum())
        drawn += relevant
        low, high = np.quantile(relevant, BAND)
        counts = (int(pool.judged.sum()), int(open_.sum()), judged_relevant, p[:, 1:].sum(), low, high)
        rows.append((pool.topic, *counts))
    table = pd.concat(parts, ignore_index=True)
    columns = ["query_id", "judged", "unjudged", "relevant", "expected", "low", "high"]
    topics = pd.DataFrame(rows, columns=columns)
    finding = _finding(topics, drawn, model)
    if model.withheld:
        topics[["expected", "low", "high"]] = np.nan
    likely = table.assign(relevant=1 - table["p_0"]).sort_values("relevant", ascending=False, kind="stable")
    return Result(
        finding=finding,
        views=(
            Table(
                name="topics",
                title="Topics",
                frame=topics,
                schema=TOPICS,
            ),
            Table(
                name="unjudged",
                title="Unjudged documents that are the most likely relevant",
                frame=table,
                shown=likely.drop(columns="relevant").head(SHOWN),
                schema=UNJUDGED,
                keys=2,
            ),
            Table(
                name="learned",
                title="What was learned",
                frame=_learned(model),
                keys=2,
                schema=LEARNED,
                places=("file", "page"),
                closed=True,
            ),
        ),
        facts=(Fact("penalty", f"{model.steps[0].penalties[1, -1]:g}", "of what each topic learns, by evidence"),),
        notes=unjudged_note(collection),
        main="unjudged",
        **head,
    )


def _finding(topics: pd.DataFrame, drawn: FloatArray, model: Model) -> Finding:
    """Finding: numbers of documents judged relevant, relevant in the draws (draws,), and not judged."""
    cautions = tuple(filter(None, (OTHER_RUNS * model.misses_runs, model.withheld)))
    low, high = np.quantile(drawn, BAND)
    number = f"if all were judged, {topics['expected'].sum():.0f} would be (90 %: {low:.0f} to {high:.0f})"
    if model.withheld:
        number = "how many would be, if all were judged, cannot be estimated"
    sentence = f"{topics['relevant'].sum()} documents are judged relevant; {number}"
    support = (
        f"{many(int(topics['unjudged'].sum()), 'unjudged document')} in the runs, {topics['judged'].sum()} judged"
    )
    return Finding(sentence, (support,), cautions)


def _learned(model: Model) -> pd.DataFrame:
    """Table of the multipliers that all topics share, with their standard deviations."""
    names = model.features.names
    tables = [
        pd.DataFrame({"step": f"{k} or more", "feature": names, "multiplier": step.mode[0], "error": step.error})
        for k, step in enumerate(model.steps, 1)
    ]
    return pd.concat(tables, ignore_index=True)
