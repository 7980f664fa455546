"""Calibration: whether observed lists are within the bands of their distributions, and how probable they are.

The rank n_k of the k-th relevant document, and the values of measures that are not known, have a distribution. Of
one that is right, a share ``band`` of what is observed is within the central ``band``; and with F its cumulative
distribution function, F(x) of what is observed is uniform on 0..1: the probability integral transform (PIT). Where
x is discrete, any point between F(x - 1) and F(x) is as good. Each observation is spread evenly over this interval,
which is the mean of all random choices of a point (Czado, Gneiting and Held 2009, Predictive model assessment for
count data).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.errors import require_columns
from maxent.lists.curves import cumulative, within_band
from maxent.measures import Joint, Measure
from maxent.options import takes
from maxent.problem.reference import Reference
from maxent.stats.bootstrap import topic_bootstrap
from maxent.studies.compare import interval
from maxent.studies.options import CalibrationKeywords, ResampleKeywords, StudyOptions, study_of
from maxent.studies.predict import SAME_VALUE, default_predictors, drawn_band, drawn_place, drawn_values
from maxent.studies.topics import SOLVED, Results, Topic, each_topic, solved_lists, values_of
from maxent.types import FloatArray, IntArray

BANDS = (0.5, 0.8, 0.9)
WITHIN = tuple(f"within_{100 * band:g}" for band in BANDS)
PIT_EDGES = np.linspace(0.0, 1.0, 11)
SHORTEST = 1e-12  # interval of the PIT of what is observed, which may have no probability but for rounding
PITS = tuple(f"pit_{100 * edge:g}" for edge in PIT_EDGES[1:])
INFORMATION = ("information", "information_counts")
SHARES = (*WITHIN, *PITS)
CALIBRATION_COLUMNS = ("run_id", "query_id", "measure", "target", "status", "points", *SHARES, *INFORMATION)


@takes(CalibrationKeywords)
def calibration(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    targets: Sequence[Measure | str] | None = None,
    **options: Unpack[CalibrationKeywords],
) -> pd.DataFrame:
    """Whether what is observed is within the bands of distributions that know a value, for every list.

    Parameters
    ----------
    measures : sequence of Measure or text, optional
        Known measures, as for :func:`maxent.predict_measures`.
    targets : sequence of Measure or text, optional
        Measures whose values are looked at; default: ``measures``, those of a joint one by one. The empty sequence
        leaves the ranks alone, which need no random lists.

    Returns
    -------
    DataFrame
        One row per run x topic x measure x target. ``target`` is ``ranks t=1``, the ranks of the documents of grade
        1 or higher, so for each threshold; or a measure that is not known, by its text form. Columns run_id,
        query_id, measure, target, status, points (how many ranks or values are observed), within_50, within_80,
        within_90 (share of them within the central bands), pit_10 to pit_100 (share of their probability integral
        transforms in each tenth), information (nats that the value gives: log-likelihood of the list minus that
        with the counts and the reference alone), information_counts (minus that with the counts alone). Shares are
        NaN where there is no distribution, or nothing to observe; information also where it rules the list out.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.studies.calibration(runs, qrels, measures=["AP"], targets=["P@10"], min_retrieved=1, depth=100)
    >>> table[["run_id", "query_id", "target", "points", "within_50", "within_90"]].head(3).round(2)
        run_id query_id     target  points  within_50  within_90
    0  system1        1  ranks t=1      26       0.77       1.00
    1  system1        1  ranks t=2      17       0.29       0.88
    2  system1        1       P@10       1       1.00       1.00
    """
    collection, study = study_of(runs, qrels, options, measures, default_predictors, targets)
    return calibration_table(collection, replace(study, asked="calibration"))


def calibration_table(collection: Collection, options: StudyOptions) -> pd.DataFrame:
    """As :func:`calibration`, for checked options."""
    observed = [*map(ranks_name, options.thresholds), *map(str, options.targets)]
    table = each_topic(_calibration_topic, collection, options, {"target": observed})
    given = {(str(measure), str(part)) for measure in options.measures for part in measure.parts}
    new = [pair not in given for pair in zip(table["measure"], table["target"], strict=True)]
    return table[new].reset_index(drop=True)


def ranks_name(threshold: int) -> str:
    """The ranks of documents of a grade or higher, as a target."""
    return f"ranks t={threshold}"


def _calibration_topic(topic: Topic, options: StudyOptions) -> Results:
    """Results of a topic; rows of a list and measure are thresholds and targets."""
    known, number = values_of(topic, options.targets), len(options.thresholds)
    observed = np.array([known[target] for target in options.targets]).reshape(-1, len(topic.runs))
    forms = [target.expectation(topic.relevant, topic.grades.shape[1]) for target in options.targets]
    shape = len(options.measures), len(topic.runs), number + len(forms)
    status = np.tile(topic.left_out(options)[None, :, None], (shape[0], 1, shape[2]))
    used, points = status == "", np.ones(shape[1:], dtype=np.int64)
    points[:, :number] = np.transpose([(topic.grades >= threshold).sum(axis=1) for threshold in options.thresholds])
    shares, nats = np.full((*shape, len(SHARES)), np.nan), np.full((2, *shape[:2]), np.nan)
    alone = np.array([_without_values(topic, options, reference) for reference in (topic.reference, None)])
    for measures, runs, solutions in solved_lists(topic, options, values_of(topic, options.measures)):
        status[measures, runs] = solutions.statuses[:, None]
        with np.errstate(invalid="ignore"):  # a list that the counts rule out
            nats[:, measures, runs] = solutions.log_likelihoods(topic.grades[runs]) - alone[:, runs]
        for measure, run, solution in zip(measures, runs, solutions, strict=True):
            if solution.status not in SOLVED:
                continue
            for t, threshold in enumerate(options.thresholds):
                ranks = np.flatnonzero(topic.grades[run] >= threshold) + 1
                shares[measure, run, t] = _of_ranks(solution.ranks(threshold=threshold), ranks)
            if forms:
                names = topic.query_id, topic.runs[run], str(options.measures[measure])
                shares[measure, run, number:] = _of_values(drawn_values(solution, forms, *names), observed[:, run])
    status[used & (points == 0)] = "too_few"
    for t, threshold in enumerate(options.thresholds):
        if not topic.relevant[threshold - 1 :].any():
            status[..., t][used[..., t]] = "no_relevant"
    nats[~np.isfinite(nats)] = np.nan
    results = zip((*SHARES, *INFORMATION), (*np.moveaxis(shares, -1, 0), *nats[..., None]), strict=True)
    return {"status": status, "points": np.where(used, points, 0), **dict(results)}


def _without_values(topic: Topic, options: StudyOptions, reference: Reference) -> FloatArray:
    """Log-likelihood of each list that is not left out with the counts and a reference alone, (runs,)."""
    found = np.full(len(topic.runs), np.nan)
    alone = replace(topic, reference=reference, solved=())
    for _, runs, solutions in solved_lists(alone, replace(options, measures=(Joint(),)), {}):
        found[runs] = solutions.log_likelihoods(topic.grades[runs])
    return found


def _of_ranks(ranks: FloatArray, observed: IntArray) -> FloatArray:
    """Shares of a list's ranks (points,) within the bands, and of their PITs in each bin."""
    if not len(observed):
        return np.full(len(SHARES), np.nan)
    upper, lower = cumulative(ranks, observed)
    pits = binned(lower, upper).mean(axis=0)
    return np.array([*(within_band(ranks, observed, band).mean() for band in BANDS), *pits])


def _of_values(drawn: FloatArray, observed: FloatArray) -> FloatArray:
    """Whether values (targets,) are within the bands, and shares of their PITs in each bin, (targets, shares)."""
    bands = [drawn_band(drawn, band) for band in BANDS]
    within = [(low - SAME_VALUE <= observed) & (observed <= high + SAME_VALUE) for low, high in bands]
    return np.concatenate((np.transpose(within), binned(*drawn_place(drawn, observed))), axis=1)


def binned(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Share of intervals (points,) of the PIT in each bin, (points, bins)."""
    lower = np.clip(lower, 0.0, 1 - SHORTEST)
    upper = np.clip(upper, lower + SHORTEST, 1.0)
    reached = np.clip(PIT_EDGES, lower[:, None], upper[:, None])
    return np.asarray(np.diff(reached, axis=1) / (upper - lower)[:, None])


@takes(ResampleKeywords)
def summarize_calibration(table: pd.DataFrame, **options: Unpack[ResampleKeywords]) -> pd.DataFrame:
    """Shares within the bands and information per known measure and target, means over lists with 95 % intervals.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.studies.calibration`.

    Returns
    -------
    DataFrame
        Columns measure, target, lists (solved), topics (of these lists), then within_50, within_80, within_90,
        information and information_counts, each with the ends of its bootstrap interval (_low, _high), and pit_10
        to pit_100. Every list counts once, however many relevant documents it has.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.studies.calibration(runs, qrels, measures=["AP"], targets=[], min_retrieved=1, depth=100)
    >>> me.studies.summarize_calibration(table)[["measure", "target", "lists", "within_90", "information"]].round(2)
      measure     target  lists  within_90  information
    0      AP  ranks t=1     12       0.99        11.68
    1      AP  ranks t=2     12       0.89        11.68
    """
    require_columns(table, CALIBRATION_COLUMNS, "table of calibration")
    solved, keys = table[table["status"].isin(SOLVED)], ["measure", "target"]
    groups = solved.groupby(keys, sort=False)
    found = groups.agg(lists=("points", "size"), topics=("query_id", "nunique"))
    for name in (*WITHIN, *INFORMATION):
        own = solved[solved[name].notna()]
        samples = topic_bootstrap(own, keys, value=name, **options)
        possible = (0.0, 1.0) if name in WITHIN else (-np.inf, np.inf)
        ends = interval(samples.reindex(columns=found.index), name, found["topics"], within=possible)
        found = found.join(groups[name].mean()).join(ends)
    return found.join(groups[list(PITS)].mean()).reset_index()
