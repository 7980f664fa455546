"""Checks of sizes, and those beyond which input is taken for a mistake rather than for work to be done.

Memory and time grow with these numbers. Where they are meant, the environment variable ``MAXENT_LIMITS`` lifts
limits by name, as in ``no-depth,no-grade``, or all with ``off``.
"""

import os
from numbers import Real
from typing import Any, NamedTuple

from maxent.errors import MaxentError


class Limit(NamedTuple):
    """A limit by its name, and the largest size that it allows."""

    name: str
    most: int

    @property
    def lifted(self) -> bool:
        """Whether the user has lifted it."""
        named = os.environ.get("MAXENT_LIMITS", "").replace(" ", "").split(",")
        return "off" in named or f"no-{self.name}" in named


DEPTH = Limit("depth", 1_000_000)  # ranks of a list; a problem with as many takes a gigabyte
GRADE = Limit("grade", 100)  # the highest: many arrays have a column for each grade up to it
EXPANDED = Limit("size", 1 << 32)  # bytes of a decompressed file
EXPANSION, SMALL = 200, 1 << 26  # times as large as the compressed one, beyond so many bytes; the limit "ratio"
ROWS = Limit("rows", 20_000_000)  # of a Parquet file


def too_large(what: str, size: float, limit: Limit) -> str:
    """Why a size is refused; empty if it is not.

    Parameters
    ----------
    what : str
        What has this size, for the message.
    size : float
        The size.
    limit : Limit
        The limit that applies.

    Returns
    -------
    str
        A message that names the limit and how to lift it.
    """
    if size <= limit.most or limit.lifted:
        return ""
    lift = f"set MAXENT_LIMITS=no-{limit.name} in the environment"
    return f"{what} is {size}, more than {limit.most}; if it is meant, {lift}"


def whole_number(
    what: str, value: Any, *, raises: type[MaxentError], least: int = 1, limit: Limit | None = None
) -> int:
    """A whole number of any type, such as a scalar of numpy, as int.

    Parameters
    ----------
    what : str
        What has this value, for the message.
    value : any object
        The value.
    raises : type of MaxentError
        Raised if it is not a whole number, below ``least``, or beyond ``limit``.
    least : int
        Smallest number allowed.
    limit : Limit, optional
        The limit that applies to it.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and value == value // 1 and value >= least):
        raise raises(f"{what} must be a whole number, {least} or more, got {value!r}")
    if limit is not None and (reason := too_large(what, value, limit)):
        raise raises(reason)
    return int(value)
