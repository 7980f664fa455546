"""Names, meanings and checks of the parameters of measures, shared by all measures."""

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from maxent.errors import MeasureError
from maxent.limits import DEPTH, too_large
from maxent.measures.gain import DISCOUNTS, GAINS, LARGEST

NAMED = 10  # missing grades in a message
EVEN = "even"  # as g: equal threshold probabilities for however many grades there are

BY_GRADE = ("g", "gain", "levels")
"""Parameters that can be a table with a number for each positive grade."""


def check_parameters(values: dict[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """Check all parameters of a measure and convert them to int, float, or a tuple of floats by grade.

    Parameters that ``PARAMETERS`` does not have are those of users' measures. If their annotation in ``types`` is
    int, float or bool, they must be of that type.
    """
    checked = {}
    for name, value in values.items():
        if value is not None and name in PARAMETERS:
            value = PARAMETERS[name].check(value)
        elif value is not None and (kind := getattr(types[name], "__name__", types[name])) in OF_TYPE:
            value = OF_TYPE[kind](name)(value)
        checked[name] = value
    if checked.get("b", 2) != 2 and checked.get("discount", "jk") != "jk":
        raise MeasureError(
            f"b={checked['b']:g} is the base of discount=jk, but the discount is {checked['discount']}"
        )
    if checked.get("top") is not None and not isinstance(checked.get("gain", ""), str):
        raise MeasureError(f"top={checked['top']} needs gain={', '.join(GAINS)}, not a table of gains")
    if checked.get("gain") is not None and checked.get("rel", 1) != 1:
        raise MeasureError(f"rel={checked['rel']} is for binary relevance, not for gain={checked['gain']}")
    return checked


def table_of_grades(name: str, table: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Values of the grades 1..c from a mapping, which may also have grades below 1 with the value 0."""
    for grade, value in table.items():
        if not _is_number(grade, Integral):
            raise MeasureError(f"{name}={dict(table)}: the keys must be grades 1, 2, ..., got {grade!r}")
        if grade < 1 and not (_is_number(value, Real) and value == 0):
            raise MeasureError(f"{name}={dict(table)}: grade {grade} is not relevant, its value must be 0")
    grades = sorted(grade for grade in table if grade >= 1)
    first = range(1, min(max(grades, default=0), len(grades) + NAMED + 1))
    missing = [grade for grade in first if grade not in table]
    if missing:
        named = ", ".join(map(str, missing[:NAMED])) + (", ..." if len(missing) > NAMED else "")
        raise MeasureError(f"{name}={dict(table)}: a value is missing for grade {named}")
    return tuple(table[grade] for grade in grades)


def _is_number(value: object, kind: type) -> bool:
    """Whether a value is a number of a kind; Python and NumPy scalars are, truth values are not."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _float(number: Any) -> float:
    """A number as a float; infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _numbers(name: str, value: Any, what: str) -> tuple[float, ...]:
    """One number for each positive grade, as a tuple of floats."""
    if isinstance(value, Mapping):
        value = table_of_grades(name, value)
    elif _is_number(value, Real):
        value = (value,)
    try:
        if isinstance(value, str):
            return tuple(float(x) for x in value.split(","))
        numbers = () if isinstance(value, bytes | set | frozenset) else tuple(value)
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or not all(_is_number(x, Real) for x in numbers):
        raise MeasureError(f"{name} must be {what}, got {value!r}")
    return tuple(map(_float, numbers))


def _whole(name: str, what: str) -> Callable[[Any], int]:
    """Function that checks a whole number, 1 or more; ``what`` describes it in the error."""

    def check(value: Any) -> int:
        if not _is_number(value, Real) or not value >= 1 or value != value // 1:
            raise MeasureError(f"{name} must be {what}, 1 or more, got {value!r}")
        if name == "cutoff" and (reason := too_large(name, value, DEPTH)):
            raise MeasureError(reason)
        return int(value)

    return check


def _real(what: str, fits: Callable[[float], bool]) -> Callable[[Any], float]:
    """Function that checks a number; ``what`` starts the error message."""

    def check(value: Any) -> float:
        if not _is_number(value, Real) or not fits(_float(value)):
            raise MeasureError(f"{what}, got {value!r}")
        return float(value)

    return check


def _integer(name: str) -> Callable[[Any], int]:
    """Function that checks an integer of any sign."""

    def check(value: Any) -> int:
        if not _is_number(value, Real) or value != value // 1:
            raise MeasureError(f"{name} must be an integer, got {value!r}")
        return int(value)

    return check


def _gain(gain: Any) -> str | tuple[float, ...]:
    if isinstance(gain, str) and not gain.lstrip(" +-.").startswith(tuple("0123456789")):
        if gain not in GAINS:
            raise MeasureError(f"unknown gain {gain!r}: {', '.join(GAINS)} or one number for each grade")
        return gain
    table = _numbers("gain", gain, f"{', '.join(GAINS)} or one number for each positive grade")
    if not all(0 <= x < math.inf for x in table):
        raise MeasureError(f"gains must be finite and not negative, one for each positive grade, got {table}")
    return table


def _truth(name: str) -> Callable[[Any], bool]:
    """Function that checks a truth value and converts NumPy's to bool."""

    def check(value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise MeasureError(f"{name} must be True or False, got {value!r}")
        return bool(value)

    return check


OF_TYPE: dict[str, Callable[[str], Callable[[Any], Any]]] = {
    "int": _integer,
    "float": lambda name: _real(f"{name} must be a finite number", math.isfinite),
    "bool": _truth,
}
"""Checks of parameters that only a user's measure has, by the name of their type."""


def _discount(discount: Any) -> str:
    if not isinstance(discount, str) or discount not in DISCOUNTS:
        raise MeasureError(f"unknown discount {discount!r}: {', '.join(DISCOUNTS)}")
    return discount


def _thresholds(value: Any) -> str | tuple[float, ...]:
    if isinstance(value, str) and value == EVEN:
        return EVEN
    what = f"probabilities that sum to 1, one for each positive grade, or {EVEN!r}"
    g = _numbers("g", value, what)
    if not all(0 <= x <= 1 for x in g) or abs(sum(g) - 1) > 1e-6:
        raise MeasureError(f"g must be {what}, got {g}")
    return g


def _levels(value: Any) -> tuple[float, ...]:
    what = "increasing positive ratings, one for each positive grade"
    levels = _numbers("levels", value, what)
    if not all(low < high < math.inf for low, high in zip((0.0, *levels), levels, strict=False)):
        raise MeasureError(f"levels must be {what}, got {levels}")
    return levels


class Parameter(NamedTuple):
    """Type, meaning and check of a parameter in all measures that have it."""

    type: str
    meaning: str
    check: Callable[[Any], Any]  # returns the canonical value
    without: str = ""  # what None means


GAIN = "``linear`` (i), ``exp2`` (2^i - 1), ``exp`` (e^i - 1), or one number for each positive grade"
DISCOUNT = "``log2`` (log2(n + 1)), ``jk`` (log_b n, but 1 before rank b), ``inverse`` (n)"

PARAMETERS = {
    "g": Parameter(
        'tuple of float or "even"',
        "Threshold probabilities, one for each positive grade: ``g[k - 1]`` is the probability that a user's "
        "threshold is at grade k. ``even``: all equal, for any number of grades.",
        _thresholds,
    ),
    "rel": Parameter("int", "Lowest grade that counts as relevant.", _whole("rel", "a positive grade")),
    "gain": Parameter(
        "str or tuple of float",
        f"Gain of a document of grade i: {GAIN}.",
        _gain,
        "binary relevance, by ``rel``",
    ),
    "discount": Parameter("str", f"Divisor of the gain at rank n: {DISCOUNT}.", _discount),
    "b": Parameter(
        "float",
        "Base of the ``jk`` discount.",
        _real("the base b of the logarithm must be above 1", lambda b: 1 < b < math.inf),
    ),
    "beta": Parameter(
        "float",
        "Weight of the gains: 0 gives AP, 1 is Kishida's definition, and large values approach weighted AP.",
        _real(f"beta must be from 0 to {LARGEST:g}", lambda beta: 0 <= beta <= LARGEST),
    ),
    "p": Parameter(
        "float",
        "Probability that the user continues to the next rank.",
        _real("persistence p must be strictly between 0 and 1", lambda p: 0 < p < 1),
    ),
    "levels": Parameter(
        "tuple of float",
        "Increasing rating levels, one for each positive grade.",
        _levels,
        "the grades 1, 2, ...",
    ),
    "size": Parameter(
        "int",
        "Number of documents in the database.",
        _whole("size", "a number of documents"),
        "as many as the list implies",
    ),
    "top": Parameter("int", "Highest grade of the scale.", _whole("top", "a grade"), "that of the collection"),
    "cutoff": Parameter("int", "Last rank that counts.", _whole("cutoff", "a rank"), "the whole list"),
    "judged_only": Parameter(
        "bool",
        "Remove unjudged documents from the list first. ``maxent.evaluate`` finds them in the judgments; the "
        "method ``evaluate`` needs ``judged``, as for Bpref. The measure then depends on more than grades and "
        "cannot be a constraint.",
        _truth("judged_only"),
    ),
}
"""All parameters by name, for docstrings, checks, the command line and the documentation."""
