"""What the functions of :mod:`maxent.kernels.native` take besides numbers and arrays: named tuples of them."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from maxent.types import FloatArray, IntArray

# addresses of the passes that ``native`` calls
Passes = namedtuple(
    "Passes",
    "softmax gradient_down gradient_up implied release begin residuals decide forward forward_linear border "
    "backward backward_linear fastest_growth step_length move evidence negative_eigenvalues randomness",
)
# where fields begin in the records of a rank, and of the problem
Places = namedtuple("Places", "a d offset theta p eliminated running fresh growth used")
NO_FACTORS, NO_NUMBERS = np.empty((0, 0)), np.empty(0, dtype=np.int64)


class Source(NamedTuple):
    """Where the numbers of a field of the ranks come from."""

    array: FloatArray  # (entries, rows, numbers)
    entry: IntArray = (
        NO_NUMBERS  # (k,): index of each problem along the first axis; by default problem k has entry k
    )
    row: IntArray = NO_NUMBERS  # (depth,): index of the row of each rank; by default rank n has row n
    factor: FloatArray = NO_FACTORS  # (k, numbers): what the numbers are multiplied by; 1 by default


class Lists(NamedTuple):
    """Observed lists with which k distributions are compared, and where these stand in the records."""

    begin: IntArray  # (k,): where the relevant documents of the list of each begin, and where they end
    end: IntArray
    ranks: IntArray  # (documents,): their ranks, from 1, and their grades
    grades: IntArray
    bases: FloatArray  # (k, thresholds): R_>=t of the topic
    thresholds: IntArray  # (thresholds,)
    aligns: IntArray  # (alignments,): 0 at equal recall, 1 at equal rank, 2 by expected precision
    rounding: FloatArray  # (1,): how far a recall may be below a wanted one and still reach it
    shares: FloatArray  # (levels + 1, k): what the probability that stands for a grade is multiplied by
    columns: IntArray  # (levels + 1,): place in the record of the probability that stands for a grade, or -1
    scratch: FloatArray  # (2, most documents of a list)
