"""Predictions: what the value of one measure says about the values of others."""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.measures import AP, GAP, RBP, Measure, P, Rprec, nDCG
from maxent.measures.cascade import Expectation, evaluate_all
from maxent.options import takes
from maxent.problem import Solution
from maxent.study.options import PredictionKeywords, StudyOptions, study_of
from maxent.study.topics import SOLVED, Results, Topic, each_topic, solved_lists, statuses_of, values_of
from maxent.types import FloatArray

PREDICTION_COLUMNS = ("run_id", "query_id", "measure", "target", "status", "actual", "predicted")
DRAWN = 199  # lists of each distribution
DRAWN_PLACES = DRAWN + 1  # each as likely for a list like them: a band of 90 % leaves out 10 on a side
SAME_VALUE = 1e-9  # values this close are equal
NARROWER = 1e-9  # share of a place by which rounding may shift an end


def default_predictors(levels: int) -> tuple[Measure, ...]:
    """GAP with equal g_k (for several grades), AP, nDCG (exponential gain, log2), P@10, R-precision and RBP."""
    even = (GAP(g=(1 / levels,) * levels),) if levels > 1 else ()
    return (*even, AP(), nDCG(gain="exp2", discount="log2"), P(cutoff=10), Rprec(), RBP())


@takes(PredictionKeywords)
def predict_measures(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    targets: Sequence[Measure | str] | None = None,
    **options: Unpack[PredictionKeywords],
) -> pd.DataFrame:
    """Values of measures predicted from the value of one other measure, for every list.

    The prediction of a target is its expected value under the maximum-entropy distribution that has the list's
    value of the known measure.

    Parameters
    ----------
    measures : sequence of Measure or text, optional
        Known measures, each by itself; measures known together are a :class:`maxent.Joint`, as text ``AP & P@10``,
        and ``counts`` knows the counts alone. Default: GAP with equal g_k (for several grades), AP,
        ``nDCG(gain=exp2)``, P@10, Rprec and RBP.
    targets : sequence of Measure or text, optional
        Measures to predict; default: ``measures``, those of a joint one by one.

    Returns
    -------
    DataFrame
        One row per run x topic x measure x target: run_id, query_id, measure and target (their text forms), status,
        actual (value of the target), predicted, and low and high if there is a ``band``. With the status
        ``constant``, as for informativeness, the counts alone predict. Predictions are NaN where ``status`` is none
        of ``optimal``, ``boundary`` and ``constant``; :func:`maxent.left_out` explains the others.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.predict_measures(
    ...     runs, qrels, measures=["AP"], targets=["P@10", "Rprec"], min_retrieved=1, depth=100
    ... )
    >>> table[["run_id", "query_id", "measure", "target", "actual", "predicted"]].head(2).round(2)
        run_id query_id measure target  actual  predicted
    0  system1        1      AP   P@10    0.80       0.79
    1  system1        1      AP  Rprec    0.36       0.37
    """
    return prediction_table(*study_of(runs, qrels, options, measures, default_predictors, targets))


def prediction_table(collection: Collection, options: StudyOptions) -> pd.DataFrame:
    """As :func:`predict_measures`, for checked options."""
    return each_topic(_predict_topic, collection, options, {"target": map(str, options.targets)})


def _predict_topic(topic: Topic, options: StudyOptions) -> Results:
    """Results of a topic; rows of a list and measure are targets."""
    known = values_of(topic, options.targets)
    actual = np.array([known[target] for target in options.targets])
    forms = [target.expectation(topic.relevant, topic.grades.shape[1]) for target in options.targets]
    status = np.tile(topic.left_out(options)[None, :, None], (len(options.measures), 1, 1))
    predicted = np.full((len(options.measures), len(topic.runs), len(forms)), np.nan)
    ends = np.full((2, *predicted.shape), np.nan)
    for measures, runs, solutions in solved_lists(topic, options, values_of(topic, options.measures)):
        status[measures, runs, 0] = statuses_of(solutions)
        predicted[measures, runs] = np.stack([form.expected_values(solutions.p) for form in forms], axis=-1)
        for k, solution in solutions.over_lists:
            assert solution.whole_lists
            predicted[measures[k], runs[k]] = solution.whole_lists.expected(options.targets)
        if options.band is None:
            continue
        for measure, run, solution in zip(measures, runs, solutions, strict=True):
            if solution.status in SOLVED:
                names = topic.query_id, topic.runs[run], str(options.measures[measure])
                ends[:, measure, run] = drawn_band(drawn_values(solution, forms, *names), options.band)
    predicted[~np.isin(status[..., 0], SOLVED)] = np.nan
    found = {"status": status, "actual": actual.T[None], "predicted": predicted}
    return found if options.band is None else found | {"low": ends[0], "high": ends[1]}


def drawn_values(solution: Solution, forms: list[Expectation], *names: str) -> FloatArray:
    """Values of measures for random lists, (measures, DRAWN), sorted; the same whatever is solved beside them."""
    seed = list("\0".join(names).encode("utf-8", "surrogateescape"))
    lists = solution.sample(DRAWN, rng=np.random.default_rng(seed))
    values = evaluate_all(forms, lists, solution.problem.levels)
    return np.sort(np.array(values).reshape(len(forms), DRAWN))


def drawn_band(values: FloatArray, band: float) -> FloatArray:
    """Ends of the central ``band`` of sorted values (measures, DRAWN), (2, measures)."""
    left = max(1, int((1 - band) / 2 * DRAWN_PLACES + NARROWER))
    return np.stack((values[:, left - 1], values[:, -left]))


def drawn_place(values: FloatArray, observed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Ends (measures,) of the probability integral transforms of observed values among sorted ones; ties share."""
    below = (values < observed[:, None] - SAME_VALUE).sum(axis=1)
    upto = (values <= observed[:, None] + SAME_VALUE).sum(axis=1)
    return below / DRAWN_PLACES, (upto + 1) / DRAWN_PLACES
