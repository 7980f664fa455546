"""Rows of a table of results: completed by the most random system that has them, or found to be impossible."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

import maxent.lists as lists
from maxent.data.inputs import Qrels
from maxent.errors import InputError, MeasureError
from maxent.lists.averages import RETRIEVED, Averages, documents_of_any_grade
from maxent.lists.system import ImpliedSystem
from maxent.measures import Measure, as_measures, parse_measure
from maxent.problem.reference import Reference
from maxent.progress import progress_bar
from maxent.study.topics import SOLVED

TARGETS = ("AP", "P@10", "P@20", "nDCG@10", "nDCG", "RR", "Rprec", "R@100", "R@1000", "RBP(p=0.8)", "ERR")
ENDS = ("low", "high", "nearest")


def reported(
    table: pd.DataFrame,
    qrels: Qrels,
    *,
    targets: Sequence[Measure | str] = TARGETS,
    topics: Iterable[str] | None = None,
    depth: int = 1000,
    reference: Reference = "log-uniform",
    band: float = 0.9,
    progress: bool = True,
) -> pd.DataFrame:
    """Complete and check a table of results that gives averages over topics.

    Parameters
    ----------
    table : DataFrame
        A row for each system, whose index has the names. Columns that are named like measures which can be known,
        or ``num_rel_ret``, have averages; others are not used. A text is a printed number: ``".31"`` is anything
        from .305 to .315.
    qrels, topics, depth, reference
        As for :class:`maxent.Averages`.
    targets : sequence of Measure or text
        Averages that are expected for each system.
    band : float
        Probability of their intervals, as for :meth:`maxent.lists.ImpliedSystem.predict`.
    progress : bool
        Show a progress bar on a terminal if it takes more than two seconds.

    Returns
    -------
    DataFrame
        Rows for each system and measure: run_id, measure, value, status, low, high, nearest, rounding. ``given``:
        an average of the table. ``predicted``: what is expected, its interval, and how far the ``rounding`` of
        the table's numbers can move it. ``impossible``: an average of a row that no lists have, the ends that are
        possible beside its others (NaN if those contradict each other), and the ``nearest`` averages that are
        possible together, as in :meth:`maxent.lists.ImpliedSystem.possible`. ``failed``: the same of a row that
        lists could have, but whose distribution was not found.

    Raises
    ------
    InputError
        If no column is a measure.
    ProblemError, MeasureError
        As for :class:`maxent.Averages`.

    Examples
    --------
    >>> import maxent as me
    >>> import pandas as pd
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> table = pd.DataFrame({"AP": [".45", ".61"], "P@10": [".70", ".05"]}, index=["ours", "theirs"])
    >>> me.reported(table, qrels, targets=["nDCG@10"], depth=100).round(2)
       run_id  measure  value      status   low  high  nearest  rounding
    0    ours       AP   0.45       given  0.45  0.45      NaN       NaN
    1    ours     P@10   0.70       given  0.70  0.70      NaN       NaN
    2    ours  nDCG@10   0.56   predicted  0.42  0.80      NaN      0.01
    3  theirs       AP   0.61  impossible  0.00  0.57     0.57       NaN
    4  theirs     P@10   0.05  impossible  0.15  1.00     0.06       NaN
    """
    columns = measure_columns(list(table.columns))
    rows = []
    for name, row in progress_bar(table[columns].iterrows(), unit="row", total=len(table), shown=progress):
        known = row.dropna().to_dict()
        system = lists.solve_averages(Averages(qrels, known, topics=topics, depth=depth, reference=reference))
        rows.append(completed(system, targets, band).assign(run_id=name))
    found = pd.concat(rows, ignore_index=True)
    return found[["run_id", *found.columns.drop("run_id")]]


def completed(system: ImpliedSystem, targets: Sequence[Measure | str], band: float) -> pd.DataFrame:
    """Averages of a system, given and expected, or the given ones with what is possible beside the others."""
    given = system.averages
    own = pd.DataFrame({"measure": [str(measure) for measure in given.measures], "value": given.values})
    if system.status not in SOLVED:
        status = "impossible" if system.status == "infeasible" else system.status
        possible = system.possible()
        found = own.assign(status=status, **{name: possible[name] for name in ENDS}, rounding=np.nan)
    else:
        others = [measure for measure in as_measures(list(targets)) if measure not in given.measures]
        predicted = system.predict(others, band=band).rename(columns={"expected": "value"})
        known = own.assign(status="given", low=own["value"], high=own["value"], nearest=np.nan)
        found = pd.concat([known, predicted.assign(status="predicted")], ignore_index=True)
    total = found["measure"] == str(documents_of_any_grade(given.levels))
    found.loc[total, "measure"] = RETRIEVED
    found.loc[total, ["value", *ENDS]] *= len(given.topics)
    return found


def measure_columns(names: Iterable[Any]) -> list[Any]:
    """The names of a table's columns that are averages which can be known."""
    found = [name for name in names if name == RETRIEVED or _known(name)]
    if not found:
        raise InputError(f"no column is a measure that can be known, got {', '.join(map(str, names)) or 'none'}")
    return found


def _known(name: Any) -> bool:
    """Whether this is the name of a measure that can be known."""
    try:
        measure = parse_measure(str(name))
    except MeasureError:
        return False
    return len(measure.parts) == 1 and (measure.is_form() or measure.is_cascade())


def odd_ones(rows: pd.DataFrame) -> pd.DataFrame:
    """Averages of an impossible row that could be changed alone, and to what; the smallest change first."""
    able = rows[rows["low"].notna()]
    able = able.assign(changed=able["value"].clip(able["low"], able["high"]))
    change = (able["changed"] - able["value"]).abs() / able["value"].abs()
    return able.assign(change=change).sort_values("change", kind="stable")
