"""Measures and their parameters, as listed by a command."""

import inspect
import re

import pandas as pd

from maxent.measures import MEASURES, Measure
from maxent.measures.names import load_entry_points, measure_class
from maxent.measures.other_tools import translate_name
from maxent.options import NameInput, takes
from maxent.results.content import Table
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema

CONSTRAINT = {
    "yes": "yes",
    "target": "no, but predict takes it as a target",
    "no": "no, it can only be evaluated",
}
LISTED = Schema(
    Column("measure", "text form with all defaults", format="measure"),
    Column("constraint", "whether its expected value can be a maximum-entropy constraint"),
    Column("what it is", "the first line of its description"),
    Column("defined in", "where its formula is from"),
)
"""Columns of the measures."""


@answers
@takes(NameInput)
def measures(name: str | None = None) -> Result:
    """Which measures are available, and what are their parameters?

    Lists the text form of every measure with all parameters and their defaults ("..." must be filled in or left
    out), whether its expected value can be a maximum-entropy constraint (study, explain), what it is and where it
    is defined. In the column constraint, "target" means that the measure can only be a target of predict, and "no"
    that it can only be evaluated. With NAME, shows the whole description of that measure.

    Returns
    -------
    Result
        ``table``: one row per measure.

    Raises
    ------
    MeasureError
        If there is no such measure.

    Examples
    --------
    >>> measures("rprec").table["measure"].item()
    'Rprec(rel=1,judged_only=False)'
    """
    load_entry_points()
    if name is None:
        rows, text = [_row(measure) for measure in MEASURES.values()], ""
    else:
        measure = _find_measure(name)
        row = _row(measure)
        rows = [row]
        text = f"{row['measure']}\n\n{inspect.getdoc(measure)}\n\nDefined in: {row['defined in']}\n"
        text += f"Maximum-entropy constraint: {CONSTRAINT[row['constraint']]}"
    table = Table(name="measures", frame=pd.DataFrame(rows), schema=LISTED)
    return Result(title="Measures", explanation=text, views=(table,))


def _find_measure(text: str) -> type[Measure]:
    """Measure class from a name in any case or a text form: ``P``, ``ndcg``, ``P@10``, ``GAP(g=1)``."""
    name = re.split(r"[(@]", translate_name(text.strip()) or text)[0].strip()
    same = [measure for spelling, measure in MEASURES.items() if spelling.lower() == name.lower()]
    return same[0] if len(same) == 1 else measure_class(name)


def _row(measure: type[Measure]) -> dict[str, str]:
    """Row of a measure in the table of all."""
    summary = (inspect.getdoc(measure) or "").splitlines()[0]
    constraint = "target" if measure.is_cascade() else "no"
    return {
        "measure": measure.usage(),
        "constraint": "yes" if measure.is_form() else constraint,
        "what it is": summary.replace("``", "").removesuffix("."),
        "defined in": measure.reference,
    }
