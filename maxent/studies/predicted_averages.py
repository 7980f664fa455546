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
from maxent.lists.expected_precision import interpolated
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
    predictors, wanted = [parse_measure(measure) for measure in measures], as_measures(list(targets))
    parts = [part for measure in predictors for part in measure.parts]
    averages, curves = _averages_and_curves(collection, (*wanted, *parts))
    pairs = [(run, measure) for run in only or collection.runs for measure in predictors]
    rows = []
    for run, measure in progress_bar(pairs, unit="row", total=len(pairs), shown=options["progress"]):
        row = averages.loc[run, list(measure.parts)].to_dict()
        number = collection.runs.index(run)
        retrieved = grade_counts(collection.grades[:, number], collection.levels) if counts else None
        system = lists.solve_averages(
            Averages(row, collection.relevant, retrieved=retrieved, depth=collection.depth, reference=reference)
        )
        to_predict = [target for target in wanted if target not in measure.parts]
        actual = pd.concat((curves, averages[to_predict]), axis=1)
        estimates, ends = {MODEL: np.full(actual.shape[1], np.nan)}, np.full((1 + len(to_predict), 2), np.nan)
        if system.status in SOLVED:
            predicted = system.predict(to_predict, band=band)
            ends[1:] = predicted[["low", "high"]]
            estimates[MODEL] = np.concatenate((system.levels(band=band)["precision"], predicted["expected"]))
        estimates |= from_other_runs(averages[list(measure.parts)], actual, run)
        for method, values in estimates.items():
            table = _errors(values, actual.loc[run].to_numpy(), to_predict)
            table[["low", "high"]] = ends if method == MODEL else np.nan
            rows.append(table.assign(run_id=run, measure=str(measure), method=method, status=system.status))
    columns = ["run_id", "measure", "method", "status", "target", "value", "predicted", "low", "high", "error"]
    return pd.concat(rows, ignore_index=True)[columns]


def _averages_and_curves(collection: Collection, measures: Sequence[Measure]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Averages of every run, and its mean interpolated precision at eleven levels of recall."""
    observed = list(zip(collection.grades, collection.relevant, strict=True))
    all_measures = list(dict.fromkeys(measures))
    values = np.mean([[m.values(grades, relevant) for m in all_measures] for grades, relevant in observed], axis=0)
    curves = np.mean([interpolated(grades > 0, relevant.sum()) for grades, relevant in observed], axis=0)
    index = pd.Index(collection.runs)
    return pd.DataFrame(values.T, index=index, columns=pd.Index(all_measures)), pd.DataFrame(curves, index=index)


def _errors(estimated: FloatArray, actual: FloatArray, targets: Sequence[Measure]) -> pd.DataFrame:
    """Errors of the curve and of each target, one row each; levels of the curve come first in the arrays."""
    off, levels = estimated - actual, len(estimated) - len(targets)
    error = np.append(np.sqrt(np.mean(off[:levels] ** 2)), off[levels:])
    names = [CURVE, *map(str, targets)]
    value, predicted = (np.append(np.nan, numbers[levels:]) for numbers in (actual, estimated))
    return pd.DataFrame({"target": names, "value": value, "predicted": predicted, "error": error})


def from_other_runs(predictors: pd.DataFrame, wanted: pd.DataFrame, run: str) -> dict[str, FloatArray]:
    """Estimates of the ``wanted`` columns of a run by method, from its ``predictors`` and from other runs.

    Rows are runs. Runs that may be from the same team are excluded, unless too few others remain.
    """
    other_runs = [other for other in predictors.index if team(other) != team(run)]
    if len(other_runs) < NEAREST:  # the names do not reveal teams
        other_runs = [other for other in predictors.index if other != run]
    if len(other_runs) < NEAREST:
        return {}
    x, y = predictors.loc[other_runs], wanted.loc[other_runs]
    z, point = (np.asarray((values - x.mean()) / x.std()) for values in (x, predictors.loc[run]))
    nearest = ((z - point) ** 2).sum(axis=1).argsort(kind="stable")[:NEAREST]
    slopes = np.linalg.solve(z.T @ z + RIDGE * len(z) * np.eye(z.shape[1]), z.T @ (y - y.mean()).to_numpy())
    return {
        "mean of other runs": y.mean().to_numpy(),
        "nearest runs": y.iloc[nearest].mean().to_numpy(),
        "ridge regression": np.asarray(y.mean().to_numpy() + point @ slopes),
    }


def team(run: str) -> str:
    """Team of a run: the beginning of its name, up to a digit or a separator."""
    return re.split(r"[._\-\d]", run.lower().removeprefix("input."))[0]
