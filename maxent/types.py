"""Types of arrays and of the numbers that every part of the package takes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]
BoolArray = npt.NDArray[np.bool_]

GradeCounts = Sequence[float] | npt.NDArray[Any]
"""One number of documents for each positive grade, (levels,): R_i of a topic, for instance."""
