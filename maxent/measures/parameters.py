"""Checks of the parameters of measures: one for each name, the same for all measures."""

import math
from collections.abc import Callable
from typing import Any

from maxent.errors import MeasureError
from maxent.measures.gain import DISCOUNTS, GAINS


def check_parameters(values: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a measure, checked; sequences of numbers become tuples of floats.

    Parameters
    ----------
    values : dict
        Names of all parameters of the measure, and their values.

    Raises
    ------
    MeasureError
        If a value makes no sense, or two do not go together.
    """
    found = {name: _CHECKS.get(name, _anything)(value) for name, value in values.items()}
    if found.get("b", 2) != 2 and found["discount"] != "jk":
        raise MeasureError(f"b={found['b']:g} is the base of discount=jk, but the discount is {found['discount']}")
    if found.get("top") is not None and not isinstance(found["gain"], str):
        raise MeasureError(f"top={found['top']} goes with gain={', '.join(GAINS)}, not with a table of gains")
    return found


def _anything(value: object) -> object:
    return value


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in ((value,) if isinstance(value, int | float) else value))


def _rel(rel: int) -> int:
    if rel < 1:
        raise MeasureError(f"rel must be a positive grade, got {rel}")
    return rel


def _whole(name: str, what: str) -> Callable[[int | None], int | None]:
    def check(value: int | None) -> int | None:
        if value is not None and (value != int(value) or value < 1):
            raise MeasureError(f"{name} must be {what}, 1 or more, got {value}")
        return value

    return check


def _gain(gain: Any) -> str | tuple[float, ...]:
    if isinstance(gain, str):
        if gain not in GAINS:
            raise MeasureError(f"unknown gain {gain!r}: {', '.join(GAINS)} or one number for each grade")
        return gain
    table = _numbers(gain)
    if not all(0 <= x < math.inf for x in table):
        raise MeasureError(f"gains must be finite and not negative, got {table}")
    return table


def _discount(discount: str) -> str:
    if discount not in DISCOUNTS:
        raise MeasureError(f"unknown discount {discount!r}: {', '.join(DISCOUNTS)}")
    return discount


def _base(b: float) -> float:
    if not 1 < b < math.inf:
        raise MeasureError(f"the base b of the logarithm must be above 1, got {b}")
    return b


def _beta(beta: float) -> float:
    if not 0 <= beta < math.inf:
        raise MeasureError(f"beta must be finite and not negative, got {beta}")
    return beta


def _persistence(p: float) -> float:
    if not 0 < p < 1:
        raise MeasureError(f"persistence p must be strictly between 0 and 1, got {p}")
    return p


def _thresholds(value: Any) -> tuple[float, ...]:
    g = _numbers(value)
    if not g or not all(0 <= x <= 1 for x in g) or abs(sum(g) - 1) > 1e-6:
        raise MeasureError(f"g must be probabilities that sum to 1, one for each positive grade, got {g}")
    return g


def _levels(value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    levels = _numbers(value)
    if not levels or not all(low < high < math.inf for low, high in zip((0.0, *levels), levels, strict=False)):
        raise MeasureError(f"levels must be increasing positive ratings, one for each positive grade, got {levels}")
    return levels


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "rel": _rel,
    "cutoff": _whole("cutoff", "a rank"),
    "gain": _gain,
    "discount": _discount,
    "b": _base,
    "beta": _beta,
    "p": _persistence,
    "g": _thresholds,
    "levels": _levels,
    "size": _whole("size", "a number of documents"),
    "top": _whole("top", "a grade"),
}
