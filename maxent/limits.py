"""Checks of sizes, and those beyond which input is taken for a mistake rather than for work to be done.

Memory and time grow with these numbers. Where they are meant, set the environment variable ``MAXENT_LIMITS=off``.
"""

import os
from numbers import Real
from typing import Any

from maxent.errors import MaxentError

DEPTH = 1_000_000  # ranks of a list; a problem with as many takes a gigabyte
GRADE = 100  # highest relevance grade: many arrays have a column for each grade up to it
EXPANDED = 1 << 32  # bytes of a decompressed file
EXPANSION, SMALL = 200, 1 << 26  # times as large as the compressed one, beyond so many bytes
ROWS = 20_000_000  # of a Parquet file


def limited() -> bool:
    """Whether the limits apply."""
    return os.environ.get("MAXENT_LIMITS") != "off"


def too_large(what: str, size: float, limit: float) -> str:
    """Why a size is refused; empty if it is not.

    Parameters
    ----------
    what : str
        What has this size, for the message.
    size, limit : float
        The size, and the largest that is allowed.

    Returns
    -------
    str
        A message that names the limit and how to lift it.
    """
    if size <= limit or not limited():
        return ""
    return f"{what} is {size}, more than {limit}; if it is meant, set MAXENT_LIMITS=off in the environment"


def whole_number(
    what: str, value: Any, *, raises: type[MaxentError], least: int = 1, limit: float | None = None
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
    limit : float, optional
        Largest number allowed, unless limits are lifted.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and value == value // 1 and value >= least):
        raise raises(f"{what} must be a whole number, {least} or more, got {value!r}")
    if limit is not None and (reason := too_large(what, value, limit)):
        raise raises(reason)
    return int(value)
