"""Values of measures where documents are not judged: means over drawn grades, or bounds over all grades."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels
from maxent.data.inspect_run import FIRST
from maxent.data.values import Empty, values_by_topic
from maxent.errors import MeasureError, ProblemError
from maxent.judgments.draws import OTHER_RUNS, SPARSE, Model, values_of
from maxent.judgments.pools import Pools
from maxent.lists.expected_precision import widened
from maxent.measures import Measure
from maxent.measures.form import Form
from maxent.options import Unjudged
from maxent.stats.topic_weights import means_over_topics
from maxent.types import FloatArray

UNJUDGED = get_args(Unjudged)
BAND = (0.05, 0.95)  # quantiles at the ends of a band
NO_BAND = {"low": np.nan, "high": np.nan}
REPLICATES = 10  # samples of the topics for each draw of grades
DRAWN_GRADES = "values are means over drawn grades; bands of means also resample topics"
NO_BANDS_OF_MEANS = "values are means over drawn grades; no bands of means, because they would be too narrow"
NO_MEANS = "values are means over drawn grades; no means and no bands, because too little is judged"
UNBOUNDED = "the value also depends on R_i, on pairs of documents, or on which are judged"
GRADE_0 = "values count unjudged documents as grade 0"


class Estimates(NamedTuple):
    """Values of lists and means of runs, with the ends of bands or bounds, notes on their meaning, and cautions."""

    values: pd.DataFrame  # run_id, query_id, measure, value, low, high
    means: pd.DataFrame  # run_id, measure, value, low, high
    notes: tuple[str, ...]
    cautions: tuple[str, ...] = ()


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
    means = _with_ends(means_over_topics(values), *mean_bands(draws, rng))
    # 3. without what the judgments do not support
    if model is None:
        return Estimates(values, means, (DRAWN_GRADES,))
    cautions, calibration = cautions_of(model), str(model.left_out)
    if model.withheld:
        values, means = values.assign(**NO_BAND), means.assign(value=np.nan, **NO_BAND)
        return Estimates(values, means, (NO_MEANS, calibration), cautions)
    if pools.sparse:
        return Estimates(values, means.assign(**NO_BAND), (NO_BANDS_OF_MEANS, calibration), cautions)
    return Estimates(values, means, (DRAWN_GRADES, calibration), cautions)


def estimates_of_all_kinds(
    pools: Pools, measures: Sequence[Measure], *, empty: Empty, rng: int, jobs: int, progress: bool
) -> Estimates:
    """Shares of judged documents, values with grade 0, bounds where there are any, and the model's estimates."""
    values, means, notes, cautions = estimates_by_model(
        pools, measures, empty=empty, rng=rng, jobs=jobs, progress=progress
    )
    zero = values_by_topic(pools.collection, measures=measures, empty=empty)
    judged = judged_shares(pools, empty)
    low, high = value_bounds(pools, measures, empty=empty)
    values = values.assign(
        judged_10=np.repeat(judged.T.ravel(), len(measures)),
        zero=zero["value"],
        bounds_low=low.T.ravel(),
        bounds_high=high.T.ravel(),
    )
    means = means.assign(
        judged_10=np.repeat(pd.DataFrame(judged).mean().to_numpy(), len(measures)),
        zero=means_over_topics(zero)["value"],
        bounds_low=low.mean(axis=1).T.ravel(),
        bounds_high=high.mean(axis=1).T.ravel(),
    )
    unbounded = [str(m) for m in measures if sum_over_ranks(m, pools.collection) is None]
    if unbounded:
        notes = (*notes, f"no bounds of {', '.join(unbounded)}: {UNBOUNDED}")
    return Estimates(_model_last(values), _model_last(means), notes, cautions)


def _model_last(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns of the model at its end."""
    of_model = ["value", "low", "high"]
    return table[[*table.columns.drop(of_model), *of_model]]


def judged_shares(pools: Pools, empty: Empty) -> FloatArray:
    """Share of judged documents among the first of each list, (topics, runs); NaN for a list without documents.

    Topics without relevant documents come last, or are left out if ``empty`` is ``skip``.
    """
    topics = pools.topics if empty == "zero" else pools.topics[: len(pools.collection.topics)]
    shares = np.full((len(topics), len(pools.collection.runs)), np.nan)
    for pool, share in zip(topics, shares, strict=True):
        first = pool.lists[:, :FIRST]
        lengths = (first < len(pool.grades)).sum(axis=1)
        number = np.append(pool.judged, False)[first].sum(axis=1)
        np.divide(number, lengths, out=share, where=lengths > 0)
    return shares


def estimates_by_bounds(pools: Pools, measures: Sequence[Measure], *, empty: Empty) -> Estimates:
    """Values with grade 0 for unjudged documents, with the lowest and highest values for any grades."""
    for measure in measures:
        if sum_over_ranks(measure, pools.collection) is None:
            raise MeasureError(
                f"{measure}: bounds are for sums over ranks that are independent of R_i: P, gP, RBP, CG, DCG; "
                f"{UNBOUNDED}"
            )
    low, high = value_bounds(pools, measures, empty=empty)
    values = _with_ends(values_by_topic(pools.collection, measures=measures, empty=empty), low, high)
    means = _with_ends(means_over_topics(values), low.mean(axis=1), high.mean(axis=1))
    return Estimates(values, means, (GRADE_0,))


def _with_ends(table: pd.DataFrame, low: FloatArray, high: FloatArray) -> pd.DataFrame:
    """Table of values or means with ends: (measures, topics, runs) of values, (measures, runs) of means."""
    return table.assign(low=low.T.ravel(), high=high.T.ravel())


def check_unjudged(unjudged: str, labels: Qrels | None, choices: Sequence[str] = UNJUDGED) -> None:
    """Raise ProblemError if a choice is unknown, or if there are labels without the model that uses them."""
    check_choice("unjudged", unjudged, choices, raises=ProblemError)
    if labels is not None and unjudged not in ("model", "all"):
        raise ProblemError('labels are evidence about unjudged documents: they need unjudged="model"')


def model_of(pools: Pools, rng: int) -> Model | None:
    """The model of the unjudged documents; None if there are none."""
    return None if pools.complete else Model.of(pools, rng=rng)


def cautions_of(model: Model | None) -> tuple[str, ...]:
    """Reasons to doubt the means that a model gives."""
    if model is None:
        return ()
    is_sparse = model.pools.sparse and not model.withheld
    return tuple(filter(None, (OTHER_RUNS * model.misses_runs, model.withheld, SPARSE * is_sparse)))


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
    """Lowest and highest values (measures, topics, runs) over all grades of unjudged documents; NaN for others.

    A value is the sum of a_n(i_n) over the ranks n; at an unjudged document, i_n is the grade with the smallest or
    largest a_n.
    """
    collection = pools.collection
    topics = pools.topics if empty == "zero" else pools.topics[: len(collection.topics)]
    low, high = np.full((2, len(measures), len(topics), len(collection.runs)), np.nan)
    for k, measure in enumerate(measures):
        form = sum_over_ranks(measure, collection)
        if form is None:
            continue
        a = form.a  # (depth, levels + 1)
        for t, pool in enumerate(topics):
            # grades and whether they are missing, (runs, depth); after the end of a list the grade is 0
            grades = np.append(pool.grades.clip(0), 0)[pool.lists]
            is_unjudged = np.append(~pool.judged, False)[pool.lists]
            terms = a[np.arange(len(a)), grades]
            low[k, t] = np.where(is_unjudged, a.min(axis=1), terms).sum(axis=-1)
            high[k, t] = np.where(is_unjudged, a.max(axis=1), terms).sum(axis=-1)
    return low, high


def sum_over_ranks(measure: Measure, collection: Collection) -> Form | None:
    """Form of a linear measure that depends neither on R_i nor on which documents are judged; None for others."""
    if not measure.is_form() or getattr(measure, "judged_only", False):
        return None
    levels, depth = collection.levels, collection.depth
    # a probe: weights that depend on R_i differ between one document of each grade, two, and as many as ranks
    forms = [measure.form((count,) * levels, depth) for count in (1, 2, depth)]
    return forms[0] if all(form.linear and np.array_equal(form.a, forms[0].a) for form in forms) else None
