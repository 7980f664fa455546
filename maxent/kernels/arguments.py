"""What loops that are translated take besides numbers and arrays: named tuples of them."""

from collections import namedtuple
from typing import NamedTuple

from maxent.types import FloatArray, IntArray

LANES = 8  # numbers that a processor computes with at once

# addresses of the passes that ``native`` calls
Passes = namedtuple(
    "Passes",
    "softmax gradient_down gradient_up implied release begin residuals decide forward forward_linear border "
    "backward backward_linear fastest_growth step_length move evidence negative_eigenvalues randomness",
)
# where fields begin in the records of a rank, and of the problem
Places = namedtuple(
    "Places",
    "a d size offset theta p eliminated K value scaling counts bounded free multipliers running converged fresh "
    "growth used quadratic most tolerance",
)


class Given(NamedTuple):
    """Problems that are loaded into lanes."""

    topic: IntArray  # (k,): index along the first axis of a, d and K
    a: FloatArray  # (topics, depth, m, c): coefficients of the measures
    d: FloatArray  # (topics, depth, m)
    K: FloatArray  # (topics, m, c, c)
    bounded: int  # whether the counts are upper bounds
    records: FloatArray  # (k, numbers): fields of the problems, given down to the multipliers; in the end all
    offset: FloatArray  # (k, depth, c), or (1, depth, c) for all, or empty where it is 0
    start: FloatArray  # (k, depth, c) probabilities, or (k, 1, c) the same at every rank


class Lists(NamedTuple):
    """Observed lists with which k distributions are compared, and where these stand in the records."""

    begin: IntArray  # (k,): where the relevant documents of the list of each begin, and where they end
    end: IntArray
    ranks: IntArray  # (documents,): their ranks, from 1, and their grades
    grades: IntArray
    bases: FloatArray  # (k, thresholds): R_>=t of the topic
    thresholds: IntArray  # (thresholds,)
    aligns: IntArray  # (alignments,): 0 at equal recall, 1 at equal rank, 2 by expected precision
    shares: FloatArray  # (levels + 1, k): what the probability that stands for a grade is multiplied by
    columns: IntArray  # (levels + 1,): place in the record of the probability that stands for a grade, or -1
    found: FloatArray  # (lanes, levels, depth + 1): expected documents that reach a threshold, down to each rank
    scratch: FloatArray  # (2, 1, 1 + most documents of a list)
    errors: FloatArray  # (k, thresholds, alignments, 2): RMS and mean absolute errors of the curves
    logits: FloatArray  # (k,): sums of the logits of the relevant documents


class Steps(NamedTuple):
    """Steps of lists, see :mod:`maxent.lists.steps`: numbers, then addresses of arrays."""

    ranks: int
    groups: int
    measures: int
    states: int  # S, a multiple of ``LANES``: arrays are filled up
    last: int  # number of the last state that a list can have
    documents: int  # in that state
    longest: int
    exact: int
    sizes: int  # (c,)
    strides: int  # (c,)
    k: int  # (c, S)
    curved: int  # (m,)
    counted: int  # (m,)
    windows: int  # (N + 1, 2)
    odds: int  # (N, c)
    a: int  # (m, N, c)
    d: int  # (m, N)
    K: int  # (m, c, c)
    X: int  # (m, c, S)
    some: int  # 1 if bit i of ``allowed`` (N, S) says whether group i may follow
    allowed: int
    multipliers: int  # (m,)
    powers: int  # (c, longest): of the factors of the weights of a rank
    w: int  # (c, S + LANES): these weights
