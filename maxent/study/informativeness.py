"""The informativeness study: the error of the curves that are inferred from values of measures (GAP paper 4.1)."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.kernels.curves import Seen
from maxent.lists.curves import expected_curve_errors
from maxent.measures import AP, GAP, Measure, g_grid, nDCG
from maxent.options import takes
from maxent.problem.solutions import Solutions
from maxent.study.options import StudyKeywords, StudyOptions, study_of
from maxent.study.topics import SOLVED, Results, Rows, Topic, each_topic, results_of, solved_lists, values_of
from maxent.types import FloatArray, IntArray

STUDY_COLUMNS = ("run_id", "query_id", "measure", "threshold", "status", "value", "rms", "mae", "points", "entropy")


def default_measures(levels: int, *, g_steps: int = 9) -> tuple[Measure, ...]:
    """Measures of a study by default, after the GAP paper's figure 2: GAP over a grid, AP, and nDCG (exp2)."""
    grid = [GAP(g=g) for g in g_grid(levels=levels, steps=g_steps)]
    return (*grid, AP(), nDCG(gain="exp2", discount="log2"))


@takes(StudyKeywords)
def informativeness(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    **options: Unpack[StudyKeywords],
) -> pd.DataFrame:
    """Error of the precision-recall curve inferred from each measure's value, for every list (GAP paper 4.1).

    Parameters
    ----------
    measures : sequence of Measure or text, optional
        Default: GAP over :func:`g_grid`, AP and ``nDCG(gain=exp2)``. Measures known together are a
        :class:`maxent.Joint`, as text ``AP & P@10``; ``counts`` is what the counts alone say.

    Returns
    -------
    DataFrame
        One row per run x topic x measure x threshold: run_id, query_id, measure (its text form), threshold, status,
        value (NaN for a joint), rms, mae, points (of the actual curve), entropy (nats). The errors are numbers
        where ``status`` is ``optimal`` or ``boundary``. Elsewhere they are NaN, and ``status`` is the reason, as
        :func:`maxent.left_out` explains: ``too_few``, ``missing``, ``no_relevant``, ``infeasible`` or ``failed``.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP", "P@10"], min_retrieved=1, depth=100)
    >>> table[["run_id", "query_id", "measure", "threshold", "value", "rms"]].head(4).round(2)
        run_id query_id measure  threshold  value   rms
    0  system1        1      AP          1   0.31  0.08
    1  system1        1      AP          2   0.31  0.32
    2  system1        1    P@10          1   0.80  0.18
    3  system1        1    P@10          2   0.80  0.40
    """
    return study_table(*study_of(runs, qrels, options, measures, default_measures))


def study_table(collection: Collection, options: StudyOptions) -> pd.DataFrame:
    """As :func:`informativeness`, for checked options."""
    cells = list(product(map(str, options.measures), options.thresholds))
    rows = Rows(STUDY_COLUMNS, cells, (0.0, np.nan, np.nan, 0, np.nan))
    return each_topic(_study_topic, collection, options, rows, (options.align,))


def _study_topic(topic: Topic, options: StudyOptions) -> Results:
    """Rows of a topic, from arrays (measures, runs, thresholds)."""
    found = study_arrays(topic, options)
    entropy = np.where(np.isin(found.status, SOLVED), found.entropy[..., None], np.nan)
    results = (*np.moveaxis(found.errors[..., 0, :], -1, 0), found.points, entropy)
    return results_of(STUDY_COLUMNS, found.status, found.values[..., None], *results)


class StudyArrays(NamedTuple):
    """Results of all lists of a topic; NaN where there is no solution."""

    status: npt.NDArray[np.object_]  # (measures, runs, thresholds), texts
    values: FloatArray  # (measures, runs)
    entropy: FloatArray  # (measures, runs)
    log_likelihood: FloatArray  # (measures, runs), of the list under p: sum_n log p_n(i_n), in nats
    errors: FloatArray  # (measures, runs, thresholds, alignments, 2): RMS and mean absolute error
    points: IntArray  # (measures, runs, thresholds), of the actual curves


def study_arrays(topic: Topic, options: StudyOptions) -> StudyArrays:
    """Solve all lists of a topic, and compare curves by each of its alignments; ``options.align`` is not used."""
    known = values_of(topic, options.measures)
    several = np.full(len(topic.runs), np.nan)
    values = np.array([known.get(measure, several) for measure in options.measures])
    shape = (*values.shape, len(options.thresholds))
    status = np.tile(topic.left_out(options)[None, :, None], (shape[0], 1, shape[2]))
    used, found = status == "", topic.retrieved[:, ::-1].cumsum(axis=1)[:, ::-1]
    errors, entropy = np.full((*shape, len(topic.aligns), 2), np.nan), np.full((2, *values.shape), np.nan)
    for measures, runs, solutions in solved_lists(topic, options, known):
        seen = _over_lists(solutions, topic, runs, options)
        status[measures, runs] = solutions.statuses[:, None]
        entropy[:, measures, runs] = seen.entropy, seen.log_likelihood
        errors[measures, runs] = seen.errors
    chosen = np.array(options.thresholds) - 1
    points, bases = found[None, :, chosen], topic.relevant[::-1].cumsum()[::-1][chosen]
    status[used & (points == 0)] = "too_few"
    status[used & (bases == 0)] = "no_relevant"
    solved = np.isin(status, SOLVED)
    errors[~solved] = np.nan
    entropy[:, ~solved.any(axis=-1)] = np.nan
    return StudyArrays(status, values, entropy[0], entropy[1], errors, np.where(used, points, 0))


def _over_lists(solutions: Solutions, topic: Topic, runs: IntArray, options: StudyOptions) -> Seen:
    """What solutions say of their lists; those over whole lists have other entropies and expected curves."""
    assert solutions.seen
    for k, solution in solutions.over_lists:
        grades = topic.grades[runs[k]]
        solutions.seen.entropy[k] = solution.entropy
        solutions.seen.log_likelihood[k] = solution.log_likelihood(grades)
        for t, threshold in enumerate(options.thresholds):
            observed = np.flatnonzero(grades >= threshold) + 1
            if "expected" in topic.aligns and solution.status in SOLVED and len(observed):
                own = expected_curve_errors(solution.ranks(threshold=threshold), observed)
                solutions.seen.errors[k, t, topic.aligns.index("expected")] = own
    return solutions.seen
