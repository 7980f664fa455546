"""Rows of a table of results: completed by the most random system that has them, or found to be impossible."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

import maxent.lists as lists
from maxent.data.inputs import Qrels
from maxent.errors import InputError, MeasureError, quoted
from maxent.lists.averages import RETRIEVED, Averages, Known, documents_of_any_grade
from maxent.lists.system import ImpliedSystem
from maxent.measures import Measure, as_measures, parse_measure
from maxent.problem.reference import Reference
from maxent.progress import progress_bar
from maxent.study.finding import Finding, scope
from maxent.study.reading_words import reference_name
from maxent.study.topics import SOLVED
from maxent.texts import many, measure_label

TARGETS = ("AP", "P@10", "P@20", "nDCG@10", "nDCG", "RR", "Rprec", "R@100", "R@1000", "RBP(p=0.8)", "ERR")
ENDS = ("low", "high", "nearest")
UNREACHED, UNDETERMINED = "not reached", "not determined"
MODEL = "the intervals are those of the model: random lists, alike in all topics, and the rounding of the averages"
REAL = (
    "of averages of real runs that are reached, 90 % intervals had 94 to 100 % on three collections (80 % with AP "
    "and nDCG@10 on one), of others 12 to 86 %"
)
ODD = "the odd one is that with the smallest relative change; another may be the wrong one"


def reported(
    table: pd.DataFrame | Known,
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
    table : DataFrame or mapping from Measure or text to float or text
        Averages of one system, ``{"AP": ".31"}``, as for :class:`maxent.Averages`. Or a row for each system, whose
        index has the names. Columns that are named like measures which can be known, or ``num_rel_ret``, have
        averages; others are not used. A text is a printed number: ``".31"`` is anything from .305 to .315.
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
        Rows for each system and measure: run_id (empty for a mapping), measure, value, status, low, high, nearest,
        rounding. ``given``: an average of the table. ``predicted``: what is expected, its interval, and how far
        the ``rounding`` of the table's numbers can move it. ``not reached``: such intervals did not hold for real
        runs, so none is stated (``reaches`` of :class:`maxent.Averages`). ``not determined``: lists only just have
        the averages, which leaves no interval. ``impossible``: an average of a row that no lists have, the ends
        that are possible beside its others (NaN if those contradict each other), and the ``nearest`` averages that
        are possible together, as in :meth:`maxent.lists.ImpliedSystem.possible`. ``failed``: the same of a row
        that lists could have, but whose distribution was not found.

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
    averages: list[tuple[Any, Known]]
    if isinstance(table, Mapping):
        averages = [("", table)]
    elif not isinstance(table, pd.DataFrame) or not len(table):
        raise InputError(f"expected a table of systems, or averages by measure, got {quoted(table)}")
    else:
        columns = measure_columns(list(table.columns))
        averages = [(name, row.dropna().to_dict()) for name, row in table[columns].iterrows()]
    rows = []
    for name, known in progress_bar(averages, unit="row", total=len(averages), shown=progress):
        system = lists.solve_averages(Averages(qrels, known, topics=topics, depth=depth, reference=reference))
        rows.append(completed(system, targets, band))
        rows[-1].insert(0, "run_id", name)
    return pd.concat(rows, ignore_index=True)


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
        found = own.assign(status="given", low=own["value"], high=own["value"], nearest=np.nan, rounding=np.nan)
        if others:
            predicted = system.predict(others, band=band).rename(columns={"expected": "value"})
            reached = predicted.pop("reached")
            predicted["status"] = np.where(predicted["low"].isna(), UNDETERMINED, "predicted")
            predicted.loc[~reached, "status"] = UNREACHED
            predicted.loc[~reached, ["value", "low", "high", "rounding"]] = np.nan
            found = pd.concat([found, predicted], ignore_index=True)
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


def row_finding(system: ImpliedSystem, rows: pd.DataFrame) -> Finding:
    """What averages say of the first that is predicted, or which is the odd one, and the nearest possible row."""
    given = system.averages
    if system.status == "failed":
        return Finding(system.message)
    if system.status == "infeasible":
        first, *others = _odd(rows)
        nearest = ", ".join(f"{row.measure} {row.nearest:.4f}" for row in rows.itertuples())
        sentence = f"no lists of {given.depth:,} documents can have these averages together: {first}"
        return Finding(sentence, (*others, f"nearest possible row: {nearest}"), (ODD,))
    order = rows[rows["status"] == "predicted"].sort_values(
        "measure", key=lambda names: names != "nDCG@10", kind="stable"
    )
    implied = [
        f"{measure_label(str(row.measure))} of {row.value:.3f}, {row.low:.3f} to {row.high:.3f}"
        for row in order.head(4).itertuples()
    ]
    together = f"lists of {given.depth:,} documents can have the averages together"
    reading = {"model": "lists", "reference": reference_name(given.reference), "depth": given.depth}
    known = scope(({} if given.retrieved is None else {"count": "retrieved"}) | reading)
    names = {status: rows.loc[rows["status"] == status, "measure"] for status in (UNREACHED, UNDETERMINED)}
    left = tuple(f"{status}: {', '.join(map(measure_label, own))}" for status, own in names.items() if len(own))
    if implied:
        return Finding(f"these averages imply {implied[0]}", (*implied[1:], *left, together, *known), (MODEL, REAL))
    none = "they imply none of the targets" if left else "every target is one of them"
    return Finding(f"{together}, and {none}", (*left, *known), (MODEL, REAL))


def table_finding(rows: pd.DataFrame) -> Finding:
    """How many rows are possible, and the odd averages of the others."""
    impossible = rows[rows["status"] == "impossible"]
    names, number = impossible["run_id"].unique(), rows["run_id"].nunique()
    support = tuple(f"{name}: {_odd(impossible[impossible['run_id'] == name])[0]}" for name in names)
    failed = rows.loc[rows["status"] == "failed", "run_id"].unique()
    support += tuple(f"{name}: possible, but no distribution was found" for name in failed)
    cautions = (MODEL, REAL, *([ODD] if len(names) else []))
    return Finding(f"{number - len(names)} of {many(number, 'row')} can be averages of lists", support, cautions)


def _odd(rows: pd.DataFrame) -> list[str]:
    """The odd average of an impossible row, the one that changes least alone, and what each could be."""
    able = rows[rows["low"].notna()]
    able = able.assign(changed=able["value"].clip(able["low"], able["high"]))
    change = (able["changed"] - able["value"]).abs() / able["value"].abs()
    order = list(able.assign(change=change).sort_values("change", kind="stable").itertuples())
    if not order:
        return ["no single average is the odd one, the others contradict each other, too"]
    odd = f"the odd one is {order[0].measure}, which would have to be {order[0].changed:.4f}"
    return [odd, *(f"beside the others, {row.measure} can be {row.low:.4f} to {row.high:.4f}" for row in order)]
