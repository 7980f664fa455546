"""Measures from a measure: what the value of one says about the values of the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from maxent.data.collection import Collection, Runs, collect
from maxent.errors import MeasureError, ProblemError
from maxent.measures import AP, GAP, RBP, Measure, P, Rprec, as_measures, nDCG
from maxent.problem import Count
from maxent.study.topics import SOLVED, Lists, Topic, check_measures, each_topic, solved_lists

COLUMNS: dict[str, type] = {
    **dict.fromkeys(("run_id", "query_id", "measure", "target", "status"), str),
    **dict.fromkeys(("actual", "predicted"), float),
}


@dataclass(frozen=True, kw_only=True)
class Predictions(Lists):
    """What is predicted for every list; see :func:`predict_measures`."""

    targets: tuple[Measure, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.targets:
            raise ProblemError("a prediction needs at least one target")


def default_predictors(levels: int) -> tuple[Measure, ...]:
    """GAP with even g (with several grades), AP, nDCG (exponential gain, log2), P@10, R-precision and RBP."""
    even = (GAP(g=(1 / levels,) * levels),) if levels > 1 else ()
    return (*even, AP(), nDCG(gain="exp2", discount="log2"), P(cutoff=10), Rprec(), RBP())


def predict_measures(
    runs: Runs,
    qrels: pd.DataFrame,
    *,
    measures: Sequence[Measure | str] | None = None,
    targets: Sequence[Measure | str] | None = None,
    count: Count = "retrieved",
    min_retrieved: int = 5,
    depth: int = 1000,
    topics: Sequence[str] | None = None,
    solver: str = "auto",
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
) -> pd.DataFrame:
    """Predict measures from one measure's value: their expectation under the distribution it implies.

    For every list and each of ``measures`` the maximum-entropy distribution with that measure's value is found; the
    prediction of a target is its expected value under this distribution.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.informativeness`.
    measures : sequence of Measure or text, optional
        Measures whose value is known. Default: GAP with even g, AP, ``nDCG(gain=exp2)``, P@10, Rprec and RBP.
    targets : sequence of Measure or text, optional
        Measures to predict; default: ``measures``.
    count : {"retrieved", "total", "at_most"}
    min_retrieved : int
        Lists with fewer retrieved documents in some positive grade of the collection are left out; 0 keeps all.
    depth, topics, solver, jobs, progress, checkpoint
        As for :func:`maxent.informativeness`.

    Returns
    -------
    DataFrame
        One row per run x topic x measure x target: run_id, query_id, measure and target (their text forms), status,
        actual (value of the target), predicted. A list without prediction has NaN and says why in ``status``.

    Raises
    ------
    MeasureError
        Before anything is solved, if a target has no expected value under independent ranks.
    """
    collection = collect(runs, qrels, depth=depth, topics=topics)
    known = default_predictors(collection.levels) if measures is None else as_measures(measures)
    setup = Predictions(
        measures=known,
        targets=known if targets is None else as_measures(targets),
        count=count,
        min_retrieved=min_retrieved,
        solver=solver,
    )
    return predict_collection(collection, setup, jobs=jobs, progress=progress, checkpoint=checkpoint)


def predict_collection(
    collection: Collection,
    setup: Predictions,
    *,
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
) -> pd.DataFrame:
    """As :func:`predict_measures`, on grade arrays."""
    check_measures(setup.measures, collection)
    _check_targets(setup.targets, collection)
    frames = each_topic(
        _predict_topic,
        collection,
        setup,
        columns=COLUMNS,
        rows=len(collection.runs) * len(setup.measures) * len(setup.targets),
        jobs=jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    frames += [_nothing_relevant(topic, collection.runs, setup) for topic in collection.without_relevant]
    return pd.concat(frames, ignore_index=True)


def _check_targets(targets: Sequence[Measure], collection: Collection) -> None:
    even = np.full((collection.depth, collection.levels + 1), 1 / (collection.levels + 1))
    for target in targets:
        try:
            target.expected(even, collection.relevant[0])
        except MeasureError as error:
            raise MeasureError(f"target {target} has no expected value to predict: {error}") from None


def _predict_topic(topic: Topic, setup: Predictions) -> pd.DataFrame:
    rows = list(_predictions(topic, setup))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _predictions(topic: Topic, setup: Predictions) -> Iterator[tuple[str | float, ...]]:
    """Rows of a topic. Predictions are made here, beside the solver: distributions are large, their means small."""
    actual = {target: target.evaluate(topic.grades, topic.relevant) for target in setup.targets}
    for r, measure, _, solution in solved_lists(topic, setup):
        status = solution if isinstance(solution, str) else solution.status
        for target in setup.targets:
            predicted = np.nan
            if not isinstance(solution, str) and status in SOLVED:
                predicted = target.expected(solution.p, topic.relevant)
            names = (topic.runs[r], topic.query_id, str(measure), str(target))
            yield *names, status, float(actual[target][r]), predicted


def _nothing_relevant(query_id: str, runs: Sequence[str], setup: Predictions) -> pd.DataFrame:
    cells = product(runs, map(str, setup.measures), map(str, setup.targets))
    rows = [(run, query_id, measure, target, "no_relevant", 0.0, np.nan) for run, measure, target in cells]
    return pd.DataFrame(rows, columns=list(COLUMNS))
