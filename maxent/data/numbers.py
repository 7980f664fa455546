"""Numbers in texts: which notations count, and what is expected where one does not. Imports nothing heavy."""

import math
import re

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")  # fits int64; int() would also take `1_000`
_LONG = re.compile(r"[+-]?[0-9]{16,400}")
EXACT = 2**53  # whole numbers up to it differ as 64-bit floating-point numbers
SCORE = "a whole number that 64-bit floating point has (all up to 2^53)"  # expected of a large score
WHOLE = "an integer of at most 18 digits"  # expected of a number
GRADE = f"{WHOLE} (--bins, or bins=, makes grades of other ratings)"


def finite_number(text: str) -> float:
    """Finite number in plain notation; ValueError for `1_000`, digits beyond ASCII, infinity and NaN."""
    value = float(text)  # correctly rounded, unlike pandas' parsers
    if not math.isfinite(value) or "_" in text or not text.isascii():
        raise ValueError(text)
    return value


def is_number(text: str) -> bool:
    """Whether Python reads a text as a number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def integer(text: str) -> int:
    """Whole number of at most 18 digits in plain notation, such as ``2`` and ``2.0``; ValueError for others."""
    if _INTEGER.fullmatch(text):
        return int(text)
    value = finite_number(text)
    if not value.is_integer() or abs(value) >= EXACT:
        raise ValueError(text)
    return int(value)


def ties(text: str) -> bool:
    """Whether a whole number has no exact 64-bit floating-point value, so that it would tie with a neighbour."""
    return bool(_LONG.fullmatch(text)) and int(text) != float(text)
