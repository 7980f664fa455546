"""Types of arrays, and of numbers of documents, used throughout the package."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]
BoolArray = npt.NDArray[np.bool_]

GradeCounts = Sequence[float] | npt.NDArray[Any]
"""A number of documents for each positive grade, (levels,): for example R_i of a topic."""
