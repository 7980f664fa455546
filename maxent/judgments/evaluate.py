"""Values of measures for every run and topic, with several treatments of unjudged documents."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, Unpack, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collect import collect_documents
from maxent.data.collection import Collection
from maxent.data.evaluate import EMPTY, Empty, by_measure, run_means, tidy
from maxent.data.evaluate import evaluate as values_table
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import CollectOptions
from maxent.errors import InputError, MeasureError, ProblemError, warn_of_input
from maxent.judgments.draws import OTHER_RUNS, SPARSE, Model, values_of
from maxent.judgments.pools import Pools, pools_of
from maxent.lists.curves import widened
from maxent.measures import Measure, as_measures
from maxent.measures.form import Form
from maxent.options import takes
from maxent.types import FloatArray

Unjudged: TypeAlias = Literal["zero", "model", "bounds"]
UNJUDGED = get_args(Unjudged)
BAND = (0.05, 0.95)  # quantiles at the ends of a band
NO_BAND = {"low": np.nan, "high": np.nan}
REPLICATES = 10  # samples of the topics for each draw of grades
NOTES = {
    "model": "values are means over drawn grades; bands of means also resample topics",
    "sparse": "values are means over drawn grades; no bands of means, because they would be too narrow",
    "unknown": "values are means over drawn grades; no means and no bands, because too little is judged",
    "bounds": "values count unjudged documents as grade 0",
}


@takes(CollectOptions)
def evaluate(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str],
    empty: Empty = "zero",
    means: bool = False,
    unjudged: Unjudged = "zero",
    labels: Qrels | None = None,
    rng: int = 0,
    **options: Unpack[CollectOptions],
) -> pd.DataFrame:
    """Evaluate measures for every run and topic, with lists in trec_eval's order.

    Documents with equal scores are ordered by id, descending. A topic that is missing from a run is evaluated as a
    list without relevant documents, which scores 0 with nearly all measures, as in ir_measures and ``trec_eval -c``
    (without ``-c``, trec_eval excludes it).

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`.
    measures : sequence of Measure or str
        Measures to evaluate, or their text forms.
    empty : {"zero", "skip"}
        Treatment of topics without relevant documents: they count, and score 0 with nearly all measures, as in
        trec_eval and ir_measures; or they are excluded, as in studies of informativeness. If no topic has a
        relevant document, all count, or it is an error.
    means : bool
        Return means over topics, with a row for each run and a column for each measure.
    unjudged : {"zero", "model", "bounds"}
        Treatment of unjudged documents. With ``zero`` they have grade 0, as in trec_eval. With ``model`` every
        grade has a probability, learned from the judged documents and all runs of the pool (see
        :func:`maxent.unjudged`). With ``bounds`` they may have any grade; this needs measures that are sums over
        ranks and independent of R_i: P, gP, RBP, CG, DCG.
    labels : judgments, optional
        With ``unjudged="model"``: labels of another kind, such as a language model's, as evidence about grades.
    rng : int
        Seed of the drawn grades and of the resampled topics.

    Returns
    -------
    DataFrame
        One row per run x topic x measure: run_id, query_id, measure (its text form), value. Topics without relevant
        documents come last. With ``means``: one row per run, with the column run_id and a column for each measure.

        With ``unjudged="model"`` or ``"bounds"`` there are also the columns low and high, and with ``means`` one
        row per run and measure: low and high are the ends of the central 90 % of the values with drawn grades, or
        the lowest and highest value for any grades. The band of a mean is over resampled topics, each sample with
        one draw of all grades. It is NaN with one topic, and where it would be too narrow: if fewer than 10
        relevant documents are judged (mean over topics), or fewer than half of the first 10 documents, as in a
        random sample. Means and all bands are NaN if fewer than 5 relevant documents are judged; and if most
        relevant documents are expected below the judged ranks, also if fewer than 10 are judged, or if documents of
        runs left out are predicted badly (by more than .05).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> values = me.evaluate(runs, qrels, measures=["nDCG@10", me.GAP(g=(0.5, 0.5))], depth=100)
    >>> values.head(4).round(3)
        run_id query_id         measure  value
    0  system1        1         nDCG@10  0.828
    1  system1        1  GAP(g=0.5,0.5)  0.362
    2  system1        2         nDCG@10  0.933
    3  system1        2  GAP(g=0.5,0.5)  0.415
    >>> me.evaluate(runs, qrels, measures=["nDCG@10", "AP"], depth=100, means=True).round(3)
        run_id  nDCG@10     AP
    0  system1    0.919  0.360
    1  system2    0.895  0.269
    2  system3    0.952  0.487
    """
    chosen = as_measures(measures)
    estimated = estimates(
        runs, qrels, chosen, empty=empty, unjudged=unjudged, labels=labels, rng=rng, options=options
    )
    if means:
        return estimated.means if unjudged != "zero" else by_measure(estimated.values, ["run_id"])
    return estimated.values


class Estimates(NamedTuple):
    """Values of lists and means of runs, with bands or bounds unless unjudged documents have grade 0."""

    collection: Collection
    values: pd.DataFrame
    means: pd.DataFrame
    notes: tuple[str, ...] = ()  # on their meaning


def estimates(
    runs: Runs | Collection,
    qrels: Qrels | None,
    measures: Sequence[Measure],
    *,
    empty: Empty,
    unjudged: Unjudged,
    labels: Qrels | None,
    rng: int,
    options: CollectOptions,
) -> Estimates:
    """Values of measures for every run and topic, and their means."""
    check_unjudged(unjudged, labels)
    check_choice("empty", empty, EMPTY, raises=InputError)
    measures = tuple(dict.fromkeys(measures))
    if unjudged == "zero":
        collection, _ = collect_documents(runs, qrels, {**options}, kept=False, none_relevant=empty == "zero")
        values = values_table(collection, measures=measures, empty=empty)
        return Estimates(collection, values, run_means(values))
    pools = pools_of(runs, qrels, options, labels=labels, none_relevant=empty == "zero")
    if unjudged == "bounds":
        low, high = value_bounds(pools, measures, empty=empty)
        values = _table(pools, measures, empty, low=low, high=high)
        means = _with_ends(run_means(values), low.mean(axis=1), high.mean(axis=1))
        return Estimates(pools.collection, values, means, (NOTES["bounds"],))
    model = model_of(pools, rng)
    draws = drawn_values(pools, model, measures, empty=empty, jobs=options["jobs"], progress=options["progress"])
    low, high = widened(np.quantile(draws, BAND, axis=-1), draws.mean(axis=-1))
    values = _table(pools, measures, empty, draws=draws, low=low, high=high)
    means = _with_ends(run_means(values), *mean_bands(draws, rng))
    if model is None:
        return Estimates(pools.collection, values, means, (NOTES["model"],))
    if model.withheld:
        note, means, values = NOTES["unknown"], means.assign(value=np.nan, **NO_BAND), values.assign(**NO_BAND)
    elif pools.sparse:
        note, means = NOTES["sparse"], means.assign(**NO_BAND)
    else:
        note = NOTES["model"]
    return Estimates(pools.collection, values, means, (note, str(model.left_out)))


def _with_ends(means: pd.DataFrame, low: FloatArray, high: FloatArray) -> pd.DataFrame:
    """Means of runs with the ends (measures, runs) of bands or bounds."""
    return means.assign(low=low.T.ravel(), high=high.T.ravel())


def check_unjudged(unjudged: str, labels: Qrels | None, choices: Sequence[str] = UNJUDGED) -> None:
    """Raise ProblemError if a choice is unknown, or if there are labels without the model that uses them."""
    check_choice("unjudged", unjudged, choices, raises=ProblemError)
    if labels is not None and unjudged != "model":
        raise ProblemError('labels are evidence about unjudged documents: they need unjudged="model"')


def _table(
    pools: Pools,
    measures: Sequence[Measure],
    empty: Empty,
    *,
    low: FloatArray,
    high: FloatArray,
    draws: FloatArray | None = None,
) -> pd.DataFrame:
    """Values with ends (measures, topics, runs): values with grade 0, or means of draws."""
    values = values_table(pools.collection, measures=measures, empty=empty)
    ends = {"low": low.transpose(1, 0, 2), "high": high.transpose(1, 0, 2)}
    topics = [pool.topic for pool in pools.topics][: low.shape[1]]
    table = tidy(pools.collection.runs, topics, measures, **ends)
    table.insert(3, "value", values["value"])
    if draws is not None:  # if all documents are judged, this adds exactly 0
        zero = values["value"].to_numpy().reshape(low.T.shape).T
        table["value"] += (draws - zero[..., None]).mean(axis=-1).T.ravel()
    return table


def model_of(pools: Pools, rng: int) -> Model | None:
    """The model of the unjudged documents, with a note for each reason to doubt it; None if there are none."""
    if pools.complete:
        return None
    model = Model.of(pools, rng=rng)
    sparse = pools.sparse and not model.withheld
    for caution in (OTHER_RUNS * model.misses_runs, model.withheld, SPARSE * sparse):
        if caution:
            warn_of_input(caution)
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
    """Ends of the bands of means (measures, runs), over samples of the topics with one draw of all grades each."""
    _, topics, _, number = draws.shape
    counts = np.random.default_rng(rng).multinomial(topics, np.full(topics, 1 / topics), size=(REPLICATES, number))
    means = np.einsum("bdt,ktrd->krbd", counts, draws, optimize=True) / topics
    low, high = np.quantile(means.reshape(*means.shape[:2], -1), BAND, axis=-1)
    return (low, high) if topics > 1 else (np.full_like(low, np.nan), np.full_like(high, np.nan))


def value_bounds(pools: Pools, measures: Sequence[Measure], *, empty: Empty) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest values (measures, topics, runs) over all grades of unjudged documents."""
    collection = pools.collection
    topics = pools.topics if empty == "zero" else pools.topics[: len(collection.topics)]
    bounds = np.empty((2, len(measures), len(topics), len(collection.runs)))
    for k, measure in enumerate(measures):
        a = form_without_counts(measure, collection.levels, collection.depth).a
        for t, pool in enumerate(topics):
            grades = np.append(pool.grades.clip(0), 0)[pool.lists]
            unjudged = np.append(~pool.judged, False)[pool.lists]
            terms = a[np.arange(len(a)), grades]
            for end, extreme in enumerate((a.min(axis=1), a.max(axis=1))):
                bounds[end, k, t] = np.where(unjudged, extreme, terms).sum(axis=-1)
    return bounds[0], bounds[1]


def form_without_counts(measure: Measure, levels: int, depth: int) -> Form:
    """Form of a linear measure that does not depend on R_i; MeasureError for any other."""
    forms = [measure.form((count,) * levels, depth) for count in (1, 2, depth)] if measure.is_form() else []
    if not forms or not all(form.linear and np.array_equal(form.a, forms[0].a) for form in forms):
        raise MeasureError(
            f"{measure}: bounds are for sums over ranks that are independent of R_i: P, gP, RBP, CG, DCG; the "
            "value of this one also depends on R_i or on pairs of documents"
        )
    return forms[0]
