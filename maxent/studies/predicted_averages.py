"""Predictions of the mean curve and other averages of systems from their averages over topics."""

import re
from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

import maxent.lists as lists
from maxent.data.collection import Collection
from maxent.data.embedded import collected
from maxent.data.inputs import Qrels, Runs
from maxent.lists.averages import Averages
from maxent.lists.expected_precision import LEVELS, interpolated
from maxent.lists.system import ImpliedSystem
from maxent.measures import Measure, as_measures, parse_measure
from maxent.measures.form import grade_counts
from maxent.options import CollectOptions, Sources, takes
from maxent.problem.reference import Reference
from maxent.progress import progress_bar
from maxent.studies.topics import SOLVED
from maxent.types import FloatArray

MODEL = "maximum entropy"  # method
CURVE = "curve"  # target: mean interpolated precision at eleven levels of recall
NEAREST, RIDGE = 3, 1e-2  # other runs; penalty, for standardised averages


@takes(Sources, CollectOptions)
def predict_averages(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str],
    targets: Sequence[Measure | str],
    only: Sequence[str] | None = None,
    counts: bool = False,
    reference: Reference = "log-uniform",
    band: float = 0.9,
    **options: Unpack[CollectOptions],
) -> pd.DataFrame:
    """Predict the mean curve and other averages of every run from some of its averages over topics.

    This is the question of :func:`maxent.informativeness` for whole systems: which columns of a table of results
    are the most informative? For comparison, the averages are also predicted from other runs on the same topics: by
    their mean, by the three nearest runs, and by ridge regression. Runs whose names are equal up to the first digit
    or separator may come from one team; they are not used as other runs unless fewer than three remain.

    Parameters
    ----------
    measures : sequence of Measure or text
        Measures whose averages are given to the model, each on its own. For several averages at once, use a
        :class:`maxent.Joint`, such as ``AP & P@10``.
    targets : sequence of Measure or text
        Measures whose averages are predicted: pairwise forms and cascades.
    only : sequence of str, optional
        Names of the runs to predict; default: all. All runs still serve as other runs.
    counts : bool
        Also give the model the number of retrieved documents of each grade in each topic.
    reference, band
        As for :class:`maxent.Averages` and :meth:`maxent.lists.ImpliedSystem.predict`.

    Returns
    -------
    DataFrame
        One row per run x measure x method x target: run_id, measure, method, status, target, value (the actual
        average), predicted, low and high (for maximum entropy), error (predicted minus actual). The target
        ``curve`` is the mean interpolated precision of all relevant documents at eleven levels of recall. Its error
        is the root mean square over these levels, and its other numbers are NaN.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=2, topics=4, depth=100)
    >>> options = dict(measures=["AP", "AP & P@10 & R@100"], targets=["nDCG"], depth=100)
    >>> table = me.studies.predict_averages(runs, qrels, **options)
    >>> table[["run_id", "measure", "target", "error"]].round(2).head(4)
        run_id            measure target  error
    0  system1                 AP  curve   0.22
    1  system1                 AP   nDCG  -0.13
    2  system1  AP & P@10 & R@100  curve   0.17
    3  system1  AP & P@10 & R@100   nDCG  -0.08
    """
    collection = collected(runs, qrels, options)
    predictors, all_targets = [parse_measure(measure) for measure in measures], as_measures(list(targets))
    parts = [part for measure in predictors for part in measure.parts]
    averages, curves = _averages_and_curves(collection, (*all_targets, *parts))
    pairs = [(run, measure) for run in only or collection.runs for measure in predictors]
    tables = []
    for run, measure in progress_bar(pairs, unit="row", total=len(pairs), shown=options["progress"]):
        # 1. the distribution over lists with the averages of the run
        given_averages = averages.loc[run, list(measure.parts)].to_dict()
        grades = collection.grades[:, collection.runs.index(run)]  # (topics, depth)
        retrieved = grade_counts(grades, collection.levels) if counts else None
        system = lists.solve_averages(
            Averages(
                given_averages,
                collection.relevant,
                retrieved=retrieved,
                depth=collection.depth,
                reference=reference,
            )
        )
        # 2. estimates by each method: of the levels of the curve, and then of the targets
        run_targets = [target for target in all_targets if target not in measure.parts]
        actual = pd.concat((curves, averages[run_targets]), axis=1)
        model, ends = _by_model(system, run_targets, band)
        estimates = {MODEL: model} | from_other_runs(averages[list(measure.parts)], actual, run)
        # 3. their errors, a row for the curve and for each target
        for method, values in estimates.items():
            table = _errors(values, actual.loc[run].to_numpy(), run_targets)
            table[["low", "high"]] = ends if method == MODEL else np.nan
            tables.append(table.assign(run_id=run, measure=str(measure), method=method, status=system.status))
    columns = ["run_id", "measure", "method", "status", "target", "value", "predicted", "low", "high", "error"]
    return pd.concat(tables, ignore_index=True)[columns]


def _by_model(system: ImpliedSystem, targets: Sequence[Measure], band: float) -> tuple[FloatArray, FloatArray]:
    """Estimates (levels + targets,) by the model, and ends (1 + targets, 2) of bands; those of the curve are NaN.

    All are NaN without a solution.
    """
    ends = np.full((1 + len(targets), 2), np.nan)
    if system.status not in SOLVED:
        return np.full(len(LEVELS) + len(targets), np.nan), ends
    predicted = system.predict(targets, band=band)
    ends[1:] = predicted[["low", "high"]]
    return np.concatenate((system.levels(band=band)["precision"], predicted["expected"])), ends


def _averages_and_curves(collection: Collection, measures: Sequence[Measure]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Averages of every run, (runs, measures), and its mean interpolated precision, (runs, levels of recall)."""
    topics = list(zip(collection.grades, collection.relevant, strict=True))
    distinct = list(dict.fromkeys(measures))
    values = np.mean([[m.values(grades, relevant) for m in distinct] for grades, relevant in topics], axis=0)
    curves = np.mean([interpolated(grades > 0, relevant.sum()) for grades, relevant in topics], axis=0)
    index = pd.Index(collection.runs)
    return pd.DataFrame(values.T, index=index, columns=pd.Index(distinct)), pd.DataFrame(curves, index=index)


def _errors(estimated: FloatArray, actual: FloatArray, targets: Sequence[Measure]) -> pd.DataFrame:
    """Errors of the curve and of each target, one row each.

    Both arrays, (levels + targets,), have the levels of the curve first. A curve has an error only: the root mean
    square over its levels.
    """
    levels = len(estimated) - len(targets)
    errors = estimated - actual
    curve_error = np.sqrt(np.mean(errors[:levels] ** 2))
    return pd.DataFrame(
        {
            "target": [CURVE, *map(str, targets)],
            "value": np.append(np.nan, actual[levels:]),
            "predicted": np.append(np.nan, estimated[levels:]),
            "error": np.append(curve_error, errors[levels:]),
        }
    )


def from_other_runs(predictors: pd.DataFrame, wanted: pd.DataFrame, run: str) -> dict[str, FloatArray]:
    """Estimates (k,) of the ``wanted`` columns of a run by method, from its ``predictors`` and from other runs.

    Rows are runs. Runs that may be from the same team are excluded, unless too few others remain.
    """
    # 1. the other runs
    other_runs = [other for other in predictors.index if team(other) != team(run)]
    if len(other_runs) < NEAREST:  # the names do not reveal teams
        other_runs = [other for other in predictors.index if other != run]
    if len(other_runs) < NEAREST:
        return {}
    # 2. their predictors z, standardised, and those of the run alike
    x, y = predictors.loc[other_runs], wanted.loc[other_runs]
    z = np.asarray((x - x.mean()) / x.std())
    point = np.asarray((predictors.loc[run] - x.mean()) / x.std())
    nearest = ((z - point) ** 2).sum(axis=1).argsort(kind="stable")[:NEAREST]
    # 3. ridge regression: (z' z + RIDGE n I) slopes = z' (y - mean of y)
    means = y.mean().to_numpy()
    slopes = np.linalg.solve(z.T @ z + RIDGE * len(z) * np.eye(z.shape[1]), z.T @ (y - y.mean()).to_numpy())
    return {
        "mean of other runs": means,
        "nearest runs": y.iloc[nearest].mean().to_numpy(),
        "ridge regression": np.asarray(means + point @ slopes),
    }


def team(run: str) -> str:
    """Team of a run: the beginning of its name, up to a digit or a separator."""
    return re.split(r"[._\-\d]", run.lower().removeprefix("input."))[0]
