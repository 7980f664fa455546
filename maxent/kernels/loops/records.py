"""Named tuples of numbers and arrays that loops take as arguments; the annotations are their kinds."""

from typing import Annotated, NamedTuple

from maxent.kernels.compiler.kinds import Flat
from maxent.types import FloatArray, IntArray

SAME_RECALL = 1e-9  # recalls this close are equal: the last digits of an inferred recall depend on the solver
FAINT = 1e-14  # probability of the last rank that a document always has, so that one that cannot exist has a rank
ALIGNMENTS = ("recall", "rank", "expected", "every-rank")  # machine code gets the index of one


class Passes(NamedTuple):
    """Addresses of the passes that ``native`` calls."""

    softmax: int
    gradient_down: int
    gradient_up: int
    implied: int
    release: int
    begin: int
    residuals: int
    decide: int
    forward: int
    forward_linear: int
    border: int
    backward: int
    backward_linear: int
    fastest_growth: int
    step_length: int
    move: int
    evidence: int
    negative_eigenvalues: int
    randomness: int


class Places(NamedTuple):
    """Where the fields that loops read and write begin in the records of ``passes.fields``."""

    # in the record of a rank
    a: int
    d: int
    size: int
    offset: int
    theta: int
    p: int
    eliminated: int
    # in that of the problem
    K: int
    value: int
    scaling: int
    counts: int
    free: int
    multipliers: int
    running: int
    converged: int
    fresh: int
    growth: int
    used: int
    quadratic: int
    most: int
    tolerance: int


class ProblemArrays(NamedTuple):
    """Arrays of k problems with m measures and c grades besides the eliminated one, from which lanes are loaded."""

    topic: Annotated[IntArray, "k"]  # index along the first axis of a, d and K
    a: Annotated[FloatArray, "topics, depth, m, c"]  # coefficients of the measures
    d: Annotated[FloatArray, "topics, depth, m"]
    K: Annotated[FloatArray, "topics, m, c, c"]
    records: Annotated[FloatArray, "k, numbers"]  # records of the problems: in front the inputs, in the end all
    offset: Annotated[FloatArray, "k, depth, c"]  # or (1, depth, c) for all problems, or empty where it is 0
    start: Annotated[FloatArray, "k, depth, c"]  # probabilities, or (k, 1, c) the same at every rank


class ObservedLists(NamedTuple):
    """Observed lists to compare with k distributions, and the places of the probabilities in the records."""

    begin: Annotated[IntArray, "k"]  # where the relevant documents of the list of each begin, and where they end
    end: Annotated[IntArray, "k"]
    ranks: Annotated[IntArray, "documents"]  # their ranks, from 1, and their grades
    grades: Annotated[IntArray, "documents"]
    bases: Annotated[FloatArray, "k, thresholds"]  # R_>=t of the topic
    thresholds: Annotated[IntArray, "thresholds"]
    aligns: Annotated[IntArray, "alignments"]  # indices in ``ALIGNMENTS``
    shares: Annotated[FloatArray, "levels + 1, k"]  # factor of the probability that stands for a grade
    columns: Annotated[IntArray, "levels + 1"]  # place of the probability that stands for a grade, or -1
    # expected documents of grade t or higher down to each rank, working memory
    cumulated: Annotated[FloatArray, "lanes, levels, depth + 1"]
    scratch: Annotated[FloatArray, "2, 1, 1 + most documents of a list"]
    # output:
    errors: Annotated[FloatArray, "k, thresholds, alignments, 2"]  # RMS and mean absolute errors of the curves
    logits: Annotated[FloatArray, "k"]  # sums of the logits of the relevant documents
    at: Annotated[IntArray, "ranks"]  # input: ranks, from 1, whose probabilities are copied
    p: Annotated[FloatArray, "k, ranks, levels + 1"]  # to here


class Steps(NamedTuple):
    """Numbers that determine the weights of the steps of lists."""

    ranks: int  # N
    groups: int  # c
    measures: int  # m
    states: int  # S, a multiple of ``LANES``: arrays over the states, in lexicographic order, are padded to it
    last: int  # number of the last state that a list can have
    documents: int  # in that state
    longest: int  # largest number of documents of a group that a state can have, with 0, as a multiple of ``LANES``
    exact: int  # whether the counts must be reached; otherwise they are upper bounds
    sizes: Annotated[IntArray, Flat("c")]  # how many numbers of documents of each group a state can have
    strides: Annotated[IntArray, Flat("c")]  # number of states by which a document of each group moves on
    k: Annotated[IntArray, Flat("c, S")]  # documents of each group in each state
    curved: Annotated[IntArray, Flat("m")]  # whether the measure is a cascade, whose exponential is no product
    counted: Annotated[IntArray, Flat("m")]  # number of ranks down to the last at which something can be gained
    # first state after each rank that a list may have, and the one behind the last
    windows: Annotated[IntArray, Flat("N + 1, 2")]
    odds: Annotated[FloatArray, Flat("N, c")]  # logarithms of the reference's odds against group 0
    a: Annotated[FloatArray, Flat("m, N, c")]
    d: Annotated[FloatArray, Flat("m, N")]
    K: Annotated[FloatArray, Flat("m, c, c")]  # zero for a cascade
    X: Annotated[FloatArray, Flat("m, c, S")]


class Weighing(NamedTuple):
    """How a call weighs the steps: multipliers, steps that are ruled out, and memory for the weights."""

    some: int  # whether some steps are ruled out; then bit i of ``allowed`` says whether group i may follow
    allowed: Annotated[IntArray, Flat("N, S")]
    multipliers: Annotated[FloatArray, Flat("m")]
    powers: Annotated[FloatArray, Flat("c, longest")]  # working memory
    w: Annotated[FloatArray, Flat("c, S + LANES")]  # weights of the steps from each state at the rank
