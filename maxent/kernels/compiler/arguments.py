"""Named tuples of numbers and arrays that translated loops take as arguments."""

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
    "a d size offset theta p eliminated K value scaling counts free multipliers running converged fresh "
    "growth used quadratic most tolerance",
)


class ProblemArrays(NamedTuple):
    """Arrays of k problems, from which machine code loads the lanes."""

    topic: IntArray  # (k,): index along the first axis of a, d and K
    a: FloatArray  # (topics, depth, m, c): coefficients of the measures
    d: FloatArray  # (topics, depth, m)
    K: FloatArray  # (topics, m, c, c)
    records: FloatArray  # (k, numbers): fields of the problems; inputs down to the multipliers, in the end all
    offset: FloatArray  # (k, depth, c), or (1, depth, c) for all, or empty where it is 0
    start: FloatArray  # (k, depth, c) probabilities, or (k, 1, c) the same at every rank


class ObservedLists(NamedTuple):
    """Observed lists to compare with k distributions, and the places of the probabilities in the records."""

    begin: IntArray  # (k,): where the relevant documents of the list of each begin, and where they end
    end: IntArray
    ranks: IntArray  # (documents,): their ranks, from 1, and their grades
    grades: IntArray
    bases: FloatArray  # (k, thresholds): R_>=t of the topic
    thresholds: IntArray  # (thresholds,)
    aligns: IntArray  # (alignments,): 0 at equal recall, 1 at equal rank, 2 by expected precision
    shares: FloatArray  # (levels + 1, k): what the probability that stands for a grade is multiplied by
    columns: IntArray  # (levels + 1,): place in the record of the probability that stands for a grade, or -1
    cumulated: FloatArray  # (lanes, levels, depth + 1): expected documents of grade t or higher down to each rank
    scratch: FloatArray  # (2, 1, 1 + most documents of a list)
    errors: FloatArray  # (k, thresholds, alignments, 2): RMS and mean absolute errors of the curves
    logits: FloatArray  # (k,): sums of the logits of the relevant documents
    at: IntArray  # (ranks,): ranks, from 1, whose probabilities are copied
    p: FloatArray  # (k, ranks, levels + 1): to here


class Steps(NamedTuple):
    """Numbers that determine the weights of the steps of lists; machine code gets the addresses of the arrays."""

    ranks: int  # N
    groups: int  # c
    measures: int  # m
    states: int  # S, a multiple of ``LANES``: arrays over the states, in lexicographic order, are padded to it
    last: int  # number of the last state that a list can have
    documents: int  # in that state
    longest: int  # largest number of documents of a group that a state can have, with 0, as a multiple of ``LANES``
    exact: int  # whether the counts must be reached; otherwise they are upper bounds
    sizes: IntArray  # (c,): how many numbers of documents of each group a state can have
    strides: IntArray  # (c,): number of states by which a document of each group moves on
    k: IntArray  # (c, S): documents of each group in each state
    curved: IntArray  # (m,): whether the measure is a cascade, whose exponential is no product
    counted: IntArray  # (m,): number of ranks down to the last at which something can be gained
    windows: IntArray  # (N + 1, 2): first state after each rank that a list may have, and the one behind the last
    odds: FloatArray  # (N, c): logarithms of the reference's odds against group 0
    a: FloatArray  # (m, N, c)
    d: FloatArray  # (m, N)
    K: FloatArray  # (m, c, c): zero for a cascade
    X: FloatArray  # (m, c, S)


# the steps with the arguments of a call. ``some``: whether some steps are ruled out; then bit i of ``allowed``
# (N, S) says whether group i may follow. Multipliers (m,). Memory for powers (c, longest) and for the weights w of
# the steps (c, S + LANES).
Weighed = namedtuple("Weighed", (*Steps._fields, "some", "allowed", "multipliers", "powers", "w"))  # type: ignore[misc]
