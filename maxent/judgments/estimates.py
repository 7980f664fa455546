"""Values of measures where documents are not judged: means over drawn grades, or bounds over all grades."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.inputs import Qrels
from maxent.data.values import Empty, run_means, values_by_topic
from maxent.errors import MeasureError, ProblemError, warn_of_input
from maxent.judgments.draws import OTHER_RUNS, SPARSE, Model, values_of
from maxent.judgments.pools import Pools
from maxent.lists.expected_precision import widened
from maxent.measures import Measure
from maxent.measures.form import Form
from maxent.options import Unjudged
from maxent.types import FloatArray

UNJUDGED = get_args(Unjudged)
BAND = (0.05, 0.95)  # quantiles at the ends of a band
NO_BAND = {"low": np.nan, "high": np.nan}
REPLICATES = 10  # samples of the topics for each draw of grades
DRAWN_GRADES = "values are means over drawn grades; bands of means also resample topics"
NO_BANDS_OF_MEANS = "values are means over drawn grades; no bands of means, because they would be too narrow"
NO_MEANS = "values are means over drawn grades; no means and no bands, because too little is judged"
GRADE_0 = "values count unjudged documents as grade 0"


class Estimates(NamedTuple):
    """Values of lists and means of runs, with the ends of bands or bounds, and notes on their meaning."""

    values: pd.DataFrame  # run_id, query_id, measure, value, low, high
    means: pd.DataFrame  # run_id, measure, value, low, high
    notes: tuple[str, ...]


def estimates_by_model(
    pools: Pools, measures: Sequence[Measure], *, empty: Empty, rng: int, jobs: int, progress: bool
) -> Estimates:
    """Means of values over drawn grades, with bands; those that too few judgments support are missing."""
    # 1. values of all draws, (measures, topics, runs, draws), and bands that contain their means
    model = model_of(pools, rng)
    draws = drawn_values(pools, model, measures, empty=empty, jobs=jobs, progress=progress)
    low, high = widened(np.quantile(draws, BAND, axis=-1), draws.mean(axis=-1))
    # 2. values with grade 0 for unjudged documents, plus the mean difference: exactly 0 if all documents are judged
    values = _with_ends(values_by_topic(pools.collection, measures=measures, empty=empty), low, high)
    with_grade_0 = values["value"].to_numpy().reshape(low.T.shape).T
    values["value"] += (draws - with_grade_0[..., None]).mean(axis=-1).T.ravel()
    means = _with_ends(run_means(values), *mean_bands(draws, rng))
    # 3. without what the judgments do not support
    if model is None:
        return Estimates(values, means, (DRAWN_GRADES,))
    calibration = str(model.left_out)
    if model.withheld:
        values, means = values.assign(**NO_BAND), means.assign(value=np.nan, **NO_BAND)
        return Estimates(values, means, (NO_MEANS, calibration))
    if pools.sparse:
        return Estimates(values, means.assign(**NO_BAND), (NO_BANDS_OF_MEANS, calibration))
    return Estimates(values, means, (DRAWN_GRADES, calibration))


def estimates_by_bounds(pools: Pools, measures: Sequence[Measure], *, empty: Empty) -> Estimates:
    """Values with grade 0 for unjudged documents, with the lowest and highest values for any grades."""
    low, high = value_bounds(pools, measures, empty=empty)
    values = _with_ends(values_by_topic(pools.collection, measures=measures, empty=empty), low, high)
    means = _with_ends(run_means(values), low.mean(axis=1), high.mean(axis=1))
    return Estimates(values, means, (GRADE_0,))


def _with_ends(table: pd.DataFrame, low: FloatArray, high: FloatArray) -> pd.DataFrame:
    """Table of values or means with ends: (measures, topics, runs) of values, (measures, runs) of means."""
    return table.assign(low=low.T.ravel(), high=high.T.ravel())


def check_unjudged(unjudged: str, labels: Qrels | None, choices: Sequence[str] = UNJUDGED) -> None:
    """Raise ProblemError if a choice is unknown, or if there are labels without the model that uses them."""
    check_choice("unjudged", unjudged, choices, raises=ProblemError)
    if labels is not None and unjudged != "model":
        raise ProblemError('labels are evidence about unjudged documents: they need unjudged="model"')


def model_of(pools: Pools, rng: int) -> Model | None:
    """The model of the unjudged documents, with a warning for each reason to doubt it; None if all are judged."""
    if pools.complete:
        return None
    model = Model.of(pools, rng=rng)
    if model.misses_runs:
        warn_of_input(OTHER_RUNS)
    if model.withheld:
        warn_of_input(model.withheld)
    elif pools.sparse:
        warn_of_input(SPARSE)
    return model


def drawn_values(
    pools: Pools,
    model: Model | None,
    measures: Sequence[Measure],
    *,
    empty: Empty,
    jobs: int,
    progress: bool,
) -> FloatArray:
    """Values for drawn grades, (measures, topics, runs, draws); all equal without a model: everything is judged."""
    if model is None:
        levels = pools.collection.levels
        values = np.stack(
            [values_of(pool.lists, pool.grades[None], measures, levels) for pool in pools.topics], axis=1
        )
    else:
        values = model.values(measures, jobs=jobs, progress=progress)
    return values if empty == "zero" else values[:, : len(pools.collection.topics)]


def mean_bands(draws: FloatArray, rng: int) -> tuple[FloatArray, FloatArray]:
    """Ends of the bands of means (measures, runs), over samples of the topics with one draw of all grades each.

    ``draws`` has the values (measures, topics, runs, draws). Over one topic, the ends are NaN.
    """
    _, topics, _, number = draws.shape
    share = np.full(topics, 1 / topics)
    counts = np.random.default_rng(rng).multinomial(topics, share, size=(REPLICATES, number))
    # mean_krbd = sum_t counts_bdt values_ktrd / topics, for measures k, runs r, replicates b and draws d
    means = np.einsum("bdt,ktrd->krbd", counts, draws, optimize=True) / topics
    low, high = np.quantile(means.reshape(*means.shape[:2], -1), BAND, axis=-1)
    return (low, high) if topics > 1 else (np.full_like(low, np.nan), np.full_like(high, np.nan))


def value_bounds(pools: Pools, measures: Sequence[Measure], *, empty: Empty) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest values (measures, topics, runs) over all grades of unjudged documents.

    A value is the sum of a_n(i_n) over the ranks n; at an unjudged document, i_n is the grade with the smallest or
    largest a_n.
    """
    collection = pools.collection
    topics = pools.topics if empty == "zero" else pools.topics[: len(collection.topics)]
    low, high = np.empty((2, len(measures), len(topics), len(collection.runs)))
    for k, measure in enumerate(measures):
        a = form_without_counts(measure, collection.levels, collection.depth).a  # (depth, levels + 1)
        for t, pool in enumerate(topics):
            # grades and whether they are missing, (runs, depth); after the end of a list the grade is 0
            grades = np.append(pool.grades.clip(0), 0)[pool.lists]
            is_unjudged = np.append(~pool.judged, False)[pool.lists]
            terms = a[np.arange(len(a)), grades]
            low[k, t] = np.where(is_unjudged, a.min(axis=1), terms).sum(axis=-1)
            high[k, t] = np.where(is_unjudged, a.max(axis=1), terms).sum(axis=-1)
    return low, high


def form_without_counts(measure: Measure, levels: int, depth: int) -> Form:
    """Form of a linear measure that does not depend on R_i; MeasureError for any other."""
    forms = [measure.form((count,) * levels, depth) for count in (1, 2, depth)] if measure.is_form() else []
    if not forms or not all(form.linear and np.array_equal(form.a, forms[0].a) for form in forms):
        raise MeasureError(
            f"{measure}: bounds are for sums over ranks that are independent of R_i: P, gP, RBP, CG, DCG; the "
            "value of this one also depends on R_i or on pairs of documents"
        )
    return forms[0]
