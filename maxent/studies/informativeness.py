"""The informativeness study: the error of the curves that are inferred from values of measures (GAP paper 4.1)."""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import studied
from maxent.data.inputs import Qrels, Runs
from maxent.measures import Measure
from maxent.options import Sources, StudyKeywords, takes
from maxent.results.schema import Column, Schema
from maxent.studies.columns import GIVEN, RUN, STATUS, THRESHOLD, TOPIC
from maxent.studies.options import EVERY_RANK, StudyOptions, expanded, usual_measures
from maxent.studies.shown_lists import ShownLists, candidates
from maxent.studies.topic_groups import DISTRIBUTIONS, Topic
from maxent.studies.topics import (
    SOLVED,
    Results,
    results_table,
    solved_lists,
    statuses_of,
    topic_results,
    values_of,
)

STUDY_RESULTS = ("status", "value", "rms", "mae", "points", "entropy")
STUDY_COLUMNS = ("run_id", "query_id", "measure", "threshold", *STUDY_RESULTS)
ERRORS = Schema(
    RUN,
    TOPIC,
    GIVEN,
    THRESHOLD,
    STATUS,
    Column("value", "value of the measure for the list"),
    Column(
        "rms",
        "root mean square error of the inferred precision where the curves are compared",
        "RMS",
        explained=True,
    ),
    Column("mae", "mean absolute error of the inferred precision there", "MAE"),
    Column("points", "precisions compared: at retrieved documents of grade t or higher, or at every rank"),
    Column("entropy", "entropy of the inferred distribution, in nats", explained=True),
)
"""Columns of the errors of lists."""


@takes(Sources, StudyKeywords)
def informativeness(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    **options: Unpack[StudyKeywords],
) -> pd.DataFrame:
    """Errors of the precision-recall curves inferred from each measure's value, for every list (GAP paper 4.1).

    Parameters
    ----------
    measures : sequence of Measure or text, optional
        Measures to study. To give the model several values at once, use a :class:`maxent.Joint`, such as
        ``AP & P@10``; ``counts`` gives it the counts alone. Default: GAP over :func:`maxent.g_grid`, AP and
        ``nDCG(gain=exp2)``; up to depth 20 nDCG@10, AP@10, RR@10, P@5, P@10, RBP with p = .8 and .5, and Success@5.

    Returns
    -------
    DataFrame
        One row per run x topic x measure x threshold: run_id, query_id, measure (its text form), threshold, status,
        value (NaN for a joint), rms, mae, points (number of points compared), entropy (in nats). Errors are numbers
        where ``status`` is ``optimal``, ``boundary`` or ``constant`` (the counts alone fix the value, for example
        of P@k in a list of at most k ranks). Elsewhere errors are NaN, and ``status`` is the reason: ``too_few``,
        ``missing``, ``no_relevant``, ``too_large``, ``infeasible`` or ``failed`` (:func:`maxent.left_out` explains
        them).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP", "P@10"], min_retrieved=1, depth=100)
    >>> table[["run_id", "query_id", "measure", "threshold", "value", "rms"]].head(4).round(2)
        run_id query_id measure  threshold  value   rms
    0  system1        1      AP          1   0.31  0.10
    1  system1        1      AP          2   0.31  0.28
    2  system1        1    P@10          1   0.80  0.09
    3  system1        1    P@10          2   0.80  0.27
    """
    collection = studied(runs, qrels, options)
    chosen = usual_measures(collection.depth, options["reading"]) if measures is None else measures
    parsed = expanded(chosen, collection.levels)
    return study_table(collection, StudyOptions.of(collection, options, measures=parsed))


def study_table(collection: Collection, options: StudyOptions) -> pd.DataFrame:
    """As :func:`informativeness`, for checked options."""
    return table_and_lists(collection, options)[0]


def table_and_lists(
    collection: Collection, options: StudyOptions, shown: ShownLists | None = None
) -> tuple[pd.DataFrame, ShownLists]:
    """Table of a study, and the lists that the explorer shows; ``shown`` has the lists of an earlier study."""
    lists = shown or ShownLists.of(collection, options)
    ranks = tuple(lists.ranks.tolist()) if lists.places.any() else ()
    results = topic_results(_study_topic, collection, options, (options.align,), lists.places, ranks)
    table = results_table(collection, options, {"threshold": options.thresholds}, results)
    return table, lists.solved(options.measures, results[DISTRIBUTIONS]) if ranks else lists


def _study_topic(topic: Topic, options: StudyOptions) -> Results:
    """Columns of a study for one topic, and distributions of the lists that the explorer shows."""
    columns = reading_topic(topic, options)
    wanted = (*STUDY_RESULTS, *([DISTRIBUTIONS] if topic.shown_ranks else []))
    return {name: columns[name] for name in wanted}


def reading_topic(topic: Topic, options: StudyOptions) -> Results:
    """Solve all lists of a topic, and compare curves by each of its alignments; ``options.align`` is not used.

    Rows of a list and measure are thresholds x alignments. Results are NaN where there is no solution.
    """
    value_of = values_of(topic, options.measures)
    several = np.full(len(topic.runs), np.nan)
    values = np.array([value_of.get(measure, several) for measure in options.measures])
    shape = (*values.shape, len(options.thresholds))
    status = np.tile(topic.left_out(options)[None, :, None], (shape[0], 1, shape[2]))
    used, reached = status == "", topic.retrieved[:, ::-1].cumsum(axis=1)[:, ::-1]
    errors, nats = np.full((*shape, len(topic.aligns), 2), np.nan), np.full((2, *values.shape), np.nan)
    grades = len(topic.relevant) + 1
    p = np.full((len(topic.shown), len(values), len(topic.shown_ranks), grades), np.nan, dtype=np.float32)
    for measures, runs, solutions in solved_lists(topic, options, value_of):
        seen = solutions.seen
        assert seen
        status[measures, runs] = statuses_of(solutions)[:, None]
        nats[:, measures, runs] = seen.entropy, seen.log_likelihood
        errors[measures, runs] = seen.errors
        for shown, run in zip(p, topic.shown, strict=True):
            shown[measures[runs == run]] = seen.p[runs == run]
    chosen = np.array(options.thresholds) - 1
    points, bases = reached[None, :, chosen], topic.relevant[::-1].cumsum()[::-1][chosen]
    status, used, points, bases = (
        np.repeat(array, len(topic.aligns), axis=-1) for array in (status, used, points, bases)
    )
    at_every_rank = np.tile([align == EVERY_RANK for align in topic.aligns], len(chosen))
    points = np.where(at_every_rank, topic.grades.shape[1], points)
    status[used & (points == 0)] = "too_few"
    status[used & (bases == 0)] = "no_relevant"
    points = np.where(used, points, 0)
    solved = np.isin(status, SOLVED)
    rms, mae = np.where(solved, np.moveaxis(errors.reshape(*status.shape, 2), -1, 0), np.nan)
    entropy, log_likelihood = np.where(solved, nats[..., None], np.nan)
    fewest = topic.fewest(options.min_retrieved_by)[:, None]
    return {
        "status": status,
        "value": values[..., None],
        "rms": rms,
        "mae": mae,
        "points": points,
        "entropy": entropy,
        "log_likelihood": log_likelihood,
        "fewest": fewest,
    } | ({DISTRIBUTIONS: p[:, candidates(options.measures)].ravel()} if topic.shown_ranks else {})
