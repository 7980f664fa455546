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
    # 1. arrays for what is computed, NaN so far; a joint measure has several values, so none in the table
    value_of = values_of(topic, options.measures)
    no_value = np.full(len(topic.runs), np.nan)
    values = np.array([value_of.get(measure, no_value) for measure in options.measures])  # (measures, runs)
    thresholds, grades = len(options.thresholds), len(topic.relevant) + 1
    status = np.tile(topic.left_out(options)[None, :, None], (len(values), 1, thresholds))  # empty if solvable
    is_solvable = status == ""  # (measures, runs, thresholds)
    errors = np.full((*status.shape, len(topic.aligns), 2), np.nan)  # RMS and MAE
    nats = np.full((2, *values.shape), np.nan)  # entropy and log-likelihood
    p = np.full((len(topic.shown), len(values), len(topic.shown_ranks), grades), np.nan, dtype=np.float32)
    # 2. solutions of all lists
    for measures, runs, solutions in solved_lists(topic, options, value_of):
        seen = solutions.seen
        assert seen
        status[measures, runs] = statuses_of(solutions)[:, None]
        nats[:, measures, runs] = seen.entropy, seen.log_likelihood
        errors[measures, runs] = seen.errors
        for p_of_list, run in zip(p, topic.shown, strict=True):
            p_of_list[measures[runs == run]] = seen.p[runs == run]
    # 3. a row for each threshold and alignment
    aligns = len(topic.aligns)
    status, is_solvable = np.repeat(status, aligns, axis=-1), np.repeat(is_solvable, aligns, axis=-1)
    # 4. documents that reach each threshold: (1, runs, rows) retrieved and (rows,) relevant to the topic
    grade_index = np.repeat(np.array(options.thresholds) - 1, aligns)
    retrieved = topic.retrieved[:, ::-1].cumsum(axis=1)[:, ::-1][None, :, grade_index]
    relevant = topic.relevant[::-1].cumsum()[::-1][grade_index]
    # 5. points of the curves: the retrieved documents, or all ranks; without points or base, there is no curve
    at_every_rank = np.tile([align == EVERY_RANK for align in topic.aligns], thresholds)
    points = np.where(at_every_rank, topic.grades.shape[1], retrieved)
    status[is_solvable & (points == 0)] = "too_few"
    status[is_solvable & (relevant == 0)] = "no_relevant"
    # 6. columns; numbers of lists without a solution are NaN
    is_solved = np.isin(status, SOLVED)
    rms, mae = np.where(is_solved, np.moveaxis(errors.reshape(*status.shape, 2), -1, 0), np.nan)
    entropy, log_likelihood = np.where(is_solved, nats[..., None], np.nan)
    columns = {
        "status": status,
        "value": values[..., None],
        "rms": rms,
        "mae": mae,
        "points": np.where(is_solvable, points, 0),
        "entropy": entropy,
        "log_likelihood": log_likelihood,
        "fewest": topic.fewest(options.min_retrieved_by)[:, None],
    }
    if topic.shown_ranks:
        columns[DISTRIBUTIONS] = p[:, candidates(options.measures)].ravel()
    return columns
