"""What averages over topics say about the systems behind them: their mean curves and other averages."""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import ListOptions, TopicOptions
from maxent.lists import Averages, solve_averages
from maxent.lists.curves import interpolated
from maxent.measures import Measure, as_measures, parse_measure
from maxent.options import complete, takes
from maxent.problem.reference import Reference
from maxent.progress import progress_bar
from maxent.study.options import collected
from maxent.study.topics import SOLVED
from maxent.types import FloatArray

CURVE = "curve"  # target: mean interpolated precision at eleven levels of recall


class AveragesKeywords(TopicOptions, ListOptions, total=False):
    """Options of :func:`maxent.predict_averages`."""


@takes(AveragesKeywords)
def predict_averages(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str],
    targets: Sequence[Measure | str],
    counts: bool = False,
    reference: Reference = "log-uniform",
    band: float = 0.9,
    **options: Unpack[AveragesKeywords],
) -> pd.DataFrame:
    """What averages of a run over topics say about its mean curve and its other averages, for every run.

    The same question as that of :func:`maxent.informativeness`, of whole systems in place of lists: which columns
    of a table of results say the most?

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`: tables, paths, dictionaries, objects of other tools, or a `Collection`.
    measures : sequence of Measure or text
        Measures whose averages are known; those known together are a :class:`maxent.Joint`, ``AP & P@10``.
    targets : sequence of Measure or text
        Measures whose averages are predicted; pairwise forms and cascades.
    counts : bool
        Whether the number of documents of each grade in each topic is known as well.
    reference, band
        As for :class:`maxent.Averages` and :meth:`maxent.ImpliedSystem.predict`.

    Returns
    -------
    DataFrame
        One row per run x measure x target: run_id, measure, status, target, value (the actual average), predicted,
        low, high, error (predicted minus actual). The target ``curve`` is mean interpolated precision of all
        relevant documents at eleven levels of recall: its error is the root mean square, the others are NaN.

    Raises
    ------
    InputError
        If a table cannot be used.
    MeasureError
        If a measure does not fit the grades, or cannot be known or predicted.
    ProblemError
        If an option makes no sense.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=2, topics=4, depth=100)
    >>> options = dict(measures=["AP", "AP & P@10 & R@100"], targets=["nDCG"], depth=100)
    >>> table = me.predict_averages(runs, qrels, **options)
    >>> table[["run_id", "measure", "target", "error"]].round(2).head(4)
        run_id            measure target  error
    0  system1                 AP  curve   0.22
    1  system1                 AP   nDCG  -0.13
    2  system1  AP & P@10 & R@100  curve   0.17
    3  system1  AP & P@10 & R@100   nDCG  -0.08
    """
    options = complete(predict_averages, options)
    collection = collected(runs, qrels, options)
    known, wanted = [parse_measure(measure) for measure in measures], as_measures(list(targets))
    lists = list(zip(collection.grades, collection.relevant, strict=True))
    every = tuple(dict.fromkeys((*wanted, *(part for measure in known for part in measure.parts))))
    values = np.mean([[m.values(grades, relevant) for m in every] for grades, relevant in lists], axis=0)
    curves = np.mean([interpolated(grades > 0, relevant.sum()) for grades, relevant in lists], axis=0)
    rows = []
    pairs = [(run, measure) for run in range(len(collection.runs)) for measure in known]
    for run, measure in progress_bar(pairs, unit="row", total=len(pairs), shown=options["progress"]):
        actual = dict(zip(every, values[:, run].tolist(), strict=True))
        name = collection.runs[run]
        row = Averages.of_run(collection, name, measure.parts, counts=counts, reference=reference)
        system = solve_averages(row)
        others = [target for target in wanted if target not in measure.parts]
        table = pd.DataFrame(
            {"target": [CURVE, *map(str, others)], "value": [np.nan, *(actual[m] for m in others)]}
        )
        table[["predicted", "low", "high", "error"]] = np.nan
        if system.status in SOLVED:
            found = system.predict(others, band=band)
            table.loc[1:, ["predicted", "low", "high"]] = found[["expected", "low", "high"]].to_numpy()
            table.loc[1:, "error"] = table["predicted"] - table["value"]
            table.loc[0, "error"] = _rms(system.levels(band=band)["precision"].to_numpy() - curves[run])
        rows.append(table.assign(run_id=name, measure=str(measure), status=system.status))
    columns = ["run_id", "measure", "status", "target", "value", "predicted", "low", "high", "error"]
    return pd.concat(rows, ignore_index=True)[columns]


def _rms(off: FloatArray) -> float:
    return float(np.sqrt(np.mean(off**2)))
