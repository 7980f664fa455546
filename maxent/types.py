"""Array types, and the equal rows of an array."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]
BoolArray = npt.NDArray[np.bool_]

GradeCounts = Sequence[float] | npt.NDArray[Any]
"""Number of documents of each positive grade, (levels,), such as R_i of a topic."""


def equal_rows(table: npt.NDArray[Any]) -> list[IntArray]:
    """Indices of equal rows of a table: an array for each distinct row, in the order of first occurrence."""
    if not len(table):
        return []
    _, first_of_kind, kinds = np.unique(table, axis=0, return_index=True, return_inverse=True)
    first_equal = first_of_kind[kinds.ravel()]  # (rows,): the first row that is equal to each
    order = np.argsort(first_equal, kind="stable")
    starts = np.flatnonzero(np.diff(first_equal[order])) + 1
    return np.split(order, starts)
