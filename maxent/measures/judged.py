"""Which documents of grade 0 are judged: needed by Bpref, Judged and ``judged_only``, but not visible in grades."""

from numbers import Integral
from typing import NamedTuple

import numpy as np

from maxent.errors import MeasureError
from maxent.types import BoolArray, IntArray


class JudgedNonrelevant(NamedTuple):
    """Documents of grade 0 that are judged (the others are unjudged), needed by Bpref, Judged and ``judged_only``.

    Attributes
    ----------
    nonrelevant : (..., depth) boolean array
        Whether the document at each rank is judged to have grade 0; the shape is that of the grades.
    total : int
        Number of documents of the topic judged to have grade 0, retrieved or not.
    """

    nonrelevant: BoolArray
    total: int


def check_judged(judged: object, shape: tuple[int, ...]) -> JudgedNonrelevant:
    """Check that ``judged`` fits lists with grades of this shape, and convert its flags to an array."""
    if not isinstance(judged, JudgedNonrelevant):
        raise MeasureError(f"judged must be a JudgedNonrelevant, got {judged!r}")
    nonrelevant = np.asarray(judged.nonrelevant)
    if nonrelevant.dtype != bool or nonrelevant.shape != shape:
        raise MeasureError(
            f"judged.nonrelevant must be truth values, one for each document of the lists {shape}, got an array "
            f"{nonrelevant.shape} of {nonrelevant.dtype}"
        )
    if not isinstance(judged.total, Integral) or judged.total < 0:
        raise MeasureError(f"judged.total must be a number of documents, got {judged.total!r}")
    return JudgedNonrelevant(nonrelevant, int(judged.total))


def is_judged(measure: object, grades: IntArray, judged: JudgedNonrelevant | None) -> BoolArray:
    """Whether the document at each rank is judged, (..., depth); MeasureError if ``judged`` is None."""
    if judged is None:
        raise MeasureError(f"{measure} needs to know which documents are judged: evaluate(judged=...)")
    return np.asarray((grades > 0) | judged.nonrelevant)
