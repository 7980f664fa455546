"""Parameters of measures: what declares one, how it is checked, and those that several families share.

A parameter is declared beside the field of a measure, by its annotation:

    beta: Annotated[float, Parameter("float", "Weight of the gains.", real("{name} must be ...", ...))] = 1.0

A name that a measure of this package declares means the same everywhere: in measures of users, a field of this name
without a declaration is the same parameter. Fields of other names are checked by their type alone.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from numbers import Integral
from typing import Annotated, Any, NamedTuple, get_args

import numpy as np

from maxent.checks import is_number, is_whole
from maxent.errors import MeasureError
from maxent.limits import DEPTH, Limit, too_large
from maxent.measures.gain import GAINS

NAMED = 10  # missing grades in a message
Check = Callable[[str, Any], Any]  # canonical value of a parameter, from its name and what users write


class Parameter(NamedTuple):
    """Type, meaning and check of a parameter, in the annotation of its field."""

    type: str
    meaning: str
    check: Check  # MeasureError if the value makes no sense
    without: str = ""  # what None means
    by_grade: bool = False  # whether it can be a table with a number for each positive grade


PARAMETERS: dict[str, Parameter] = {}
"""All parameters of this package's measures by name (:func:`maxent.measures.register_measure` fills it)."""


def declared_parameter(annotation: Any) -> Parameter | None:
    """Parameter that the annotation of a field declares: ``Annotated[int, Parameter(...)]``, perhaps ``| None``."""
    for part in (annotation, *get_args(annotation)):
        for metadata in getattr(part, "__metadata__", ()):
            if isinstance(metadata, Parameter):
                return metadata
    return None


def parameters_of(cls: type[Any]) -> dict[str, Parameter]:
    """Parameters of a measure by name: as the field declares them, else by their name, else by their type."""
    return {
        field.name: declared_parameter(field.type) or PARAMETERS.get(field.name) or _of_type(field.type)
        for field in fields(cls)
    }


def check_parameters(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """Check all parameters of a measure and convert them to int, float, or a tuple of floats by grade."""
    # 1. each alone
    checked = {
        name: None if value is None else parameters[name].check(name, value) for name, value in values.items()
    }
    # 2. those that exclude each other
    if checked.get("b", 2) != 2 and checked.get("discount", "jk") != "jk":
        raise MeasureError(
            f"b={checked['b']:g} is the base of discount=jk, but the discount is {checked['discount']}"
        )
    if checked.get("top") is not None and not isinstance(checked.get("gain", ""), str):
        raise MeasureError(f"top={checked['top']} needs gain={', '.join(GAINS)}, not a table of gains")
    if checked.get("gain") is not None and checked.get("rel", 1) != 1:
        raise MeasureError(f"rel={checked['rel']} is for binary relevance, not for gain={checked['gain']}")
    return checked


def whole(says: str, *, least: float = -math.inf, limit: Limit | None = None) -> Check:
    """Check of a whole number; ``says`` starts the error message, with the field ``name``."""

    def check(name: str, value: Any) -> int:
        if not is_whole(value, least):
            raise MeasureError(f"{says.format(name=name)}, got {value!r}")
        if limit is not None and (reason := too_large(name, value, limit)):
            raise MeasureError(reason)
        return int(value)

    return check


def real(says: str, fits: Callable[[float], bool]) -> Check:
    """Check of a number; ``says`` starts the error message, with the field ``name``."""

    def check(name: str, value: Any) -> float:
        if not is_number(value) or not fits(_float(value)):
            raise MeasureError(f"{says.format(name=name)}, got {value!r}")
        return float(value)

    return check


def truth(name: str, value: Any) -> bool:
    """Check a truth value and convert NumPy's to bool."""
    if not isinstance(value, bool | np.bool_):
        raise MeasureError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def numbers_by_grade(name: str, value: Any, what: str) -> tuple[float, ...]:
    """One number for each positive grade, as a tuple of floats; ``what`` describes them in the error."""
    if isinstance(value, Mapping):
        value = _table_of_grades(name, value)
    elif is_number(value):
        value = (value,)
    try:
        if isinstance(value, str):
            return tuple(float(x) for x in value.split(","))
        has_order = not isinstance(value, bytes | set | frozenset)
        numbers = tuple(value) if has_order else ()
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or not all(is_number(x) for x in numbers):
        raise MeasureError(f"{name} must be {what}, got {value!r}")
    return tuple(map(_float, numbers))


def _table_of_grades(name: str, table: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Values of the grades 1..c from a mapping, which may also have grades below 1 with the value 0."""
    for grade, value in table.items():
        if not is_number(grade, Integral):
            raise MeasureError(f"{name}={dict(table)}: the keys must be grades 1, 2, ..., got {grade!r}")
        if grade < 1 and not (is_number(value) and value == 0):
            raise MeasureError(f"{name}={dict(table)}: grade {grade} is not relevant, its value must be 0")
    grades = sorted(grade for grade in table if grade >= 1)
    highest = max(grades, default=0)
    end = min(highest, len(grades) + NAMED + 1)  # grades enough to name; the highest may be absurd
    missing = [grade for grade in range(1, end) if grade not in table]
    if missing:
        named = ", ".join(map(str, missing[:NAMED])) + (", ..." if len(missing) > NAMED else "")
        raise MeasureError(f"{name}={dict(table)}: a value is missing for grade {named}")
    return tuple(table[grade] for grade in grades)


def _float(number: Any) -> float:
    """A number as a float; infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _check_gain(name: str, gain: Any) -> str | tuple[float, ...]:
    """Checked name of a function in ``GAINS``, or table of gains."""
    if isinstance(gain, str) and not gain.lstrip(" +-.").startswith(tuple("0123456789")):  # a name, not numbers
        if gain not in GAINS:
            raise MeasureError(f"unknown gain {gain!r}: {', '.join(GAINS)} or one number for each grade")
        return gain
    table = numbers_by_grade(name, gain, f"{', '.join(GAINS)} or one number for each positive grade")
    if not all(0 <= x < math.inf for x in table):
        raise MeasureError(f"gains must be finite and not negative, one for each positive grade, got {table}")
    return table


Rel = Annotated[
    int,
    Parameter(
        "int", "Lowest grade that counts as relevant.", whole("{name} must be a positive grade, 1 or more", least=1)
    ),
]
Gain = Annotated[
    str | tuple[float, ...],
    Parameter(
        "str or tuple of float",
        "Gain of a document of grade i: ``linear`` (i), ``exp2`` (2^i - 1), ``exp`` (e^i - 1), or one number for "
        "each positive grade.",
        _check_gain,
        without="binary relevance, by ``rel``",
        by_grade=True,
    ),
]
Cutoff = Annotated[
    int,
    Parameter(
        "int",
        "Last rank that counts.",
        whole("{name} must be a rank, 1 or more", least=1, limit=DEPTH),
        without="the whole list",
    ),
]
Size = Annotated[
    int,
    Parameter(
        "int",
        "Number of documents in the database.",
        whole("{name} must be a number of documents, 1 or more", least=1),
        without="as many as the list implies",
    ),
]
JudgedOnly = Annotated[
    bool,
    Parameter(
        "bool",
        "Remove unjudged documents from the list first. ``maxent.evaluate`` finds them in the judgments; the "
        "method ``evaluate`` needs ``judged``, as for Bpref. The measure then depends on more than grades and "
        "cannot be a constraint.",
        truth,
    ),
]

CHECKS: dict[str, Check] = {
    "int": whole("{name} must be an integer"),
    "float": real("{name} must be a finite number", math.isfinite),
    "bool": truth,
}
"""Checks of parameters that no measure declares, by the name of their type."""


def _of_type(annotation: Any) -> Parameter:
    """Parameter without a meaning, from the annotation of its field, which may be a text."""
    kind = getattr(annotation, "__name__", annotation)
    return Parameter(str(kind), "", CHECKS.get(kind, lambda _, value: value))
