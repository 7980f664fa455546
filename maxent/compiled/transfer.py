"""What goes into the lanes of a workspace and out of them; sources, see :mod:`maxent.compiled.fields`.

All of the first ``used`` lanes at once, rank by rank: a record of a rank holds the numbers of all lanes. Arguments
that are not fields have the lane as first axis, but for what coarse problems hand on, which have it last.
"""

import math

import numpy as np
import numpy.typing as npt

from maxent.compiled.fields import Array
from maxent.compiled.newton import CONVERGED

Indices = npt.NDArray[np.intp]

c = 2  # number of grades besides the reference; filled in by the compiler
lanes = 1  # number of problems side by side; likewise


def load_problems(
    a: Array,
    d: Array,
    size: Array,
    K: Array,
    value: Array,
    counts: Array,
    bounded: Array,
    which: Indices,
    own: Array,
    weight: Array,
    kernel: Array,
    wanted: Array,
    constant: Array,
    given: Array,
    at_most: Array,
    scale: Array,
) -> None:
    """Put problems into lanes, see ``Statement``; the measure is divided by ``scale`` (lanes,)."""
    share = np.empty(lanes)
    for lane in range(len(which)):
        share[lane] = 1.0 / scale[lane]
        value[lane] = (wanted[lane] - constant[lane]) / scale[lane]
        bounded[lane] = 1.0 if at_most[lane] else 0.0
        for i in range(c):
            counts[i, lane] = given[lane, i]
            for j in range(c):
                K[i, j, lane] = kernel[which[lane], i, j] / scale[lane]
    for n in range(len(d)):
        for lane in range(len(which)):
            f = which[lane]
            d[n, lane] = weight[f, n]
            size[n, lane] = 1.0
            for i in range(c):
                a[n, i, lane] = own[f, n, i] * share[lane]


def start_even(theta: Array, multipliers: Array, even: Array, free: Array) -> None:
    """Start from probabilities ``even`` (lanes, c) at every rank: at the counts, or ``free``, below all bounds."""
    logit = np.zeros((lanes, c + 1))
    for lane in range(len(even)):
        rest = 1.0
        for i in range(c):
            rest -= even[lane, i]
        multipliers[0, lane] = 0.0
        for i in range(c):
            logit[lane, i] = math.log(even[lane, i] / rest)
            multipliers[1 + i, lane] = 0.0 if free[lane] else logit[lane, i]
    for n in range(len(theta)):
        for i in range(c):
            for lane in range(len(even)):
                theta[n, i, lane] = logit[lane, i]


def summarize_rows(a: Array, d: Array, first: Indices, own: Array, weight: Array, within: Array) -> None:
    """Sums over the ranks of each row of a coarse problem: of a, of d, and of j d_j for the j-th of its ranks.

    ``first`` (rows + 1,) are the rows' first ranks and, last, the depth.
    """
    for b in range(len(first) - 1):
        for lane in range(lanes):
            weight[b, lane] = 0.0
            within[b, lane] = 0.0
            for i in range(c):
                own[b, i, lane] = 0.0
        for n in range(first[b], first[b + 1]):
            for lane in range(lanes):
                weight[b, lane] += d[n, lane]
                within[b, lane] += (n - first[b]) * d[n, lane]
                for i in range(c):
                    own[b, i, lane] += a[n, i, lane]


def load_coarse(
    a: Array,
    d: Array,
    size: Array,
    K: Array,
    value: Array,
    first: Indices,
    own: Array,
    weight: Array,
    within: Array,
    even: Array,
) -> None:
    """Put problems whose rows stand for several ranks into lanes that have K and the value of the originals.

    What the ranks of a row do for each other, sum_j j d_j p' K p, is linearised at the even distribution
    (lanes, c), so that the coarse problem is a form as well.
    """
    mutual = np.zeros((lanes, c + 1))
    for lane in range(len(even)):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += (K[i, j, lane] + K[j, i, lane]) * even[lane, j]
            mutual[lane, i] = t
            mutual[lane, c] += 0.5 * t * even[lane, i]
    for b in range(len(d)):
        ranks = first[b + 1] - first[b]
        for lane in range(len(even)):
            size[b, lane] = ranks
            d[b, lane] = weight[b, lane] / ranks
            value[lane] += within[b, lane] * mutual[lane, c]
            for i in range(c):
                a[b, i, lane] = (own[b, i, lane] + within[b, lane] * mutual[lane, i]) / ranks


def hand_over(
    p: Array, multipliers: Array, outcome: Array, even: Array, free: Array, rows: Array, found: Array
) -> None:
    """Write probabilities (rows, c, lanes) and multipliers (c + 1, lanes) of coarse problems; even ones if lost."""
    for lane in range(len(even)):
        lost = outcome[lane] != CONVERGED
        rest = 1.0
        for i in range(c):
            rest -= even[lane, i]
        found[0, lane] = 0.0 if lost else multipliers[0, lane]
        for i in range(c):
            logit = 0.0 if free[lane] else math.log(even[lane, i] / rest)
            found[1 + i, lane] = logit if lost else multipliers[1 + i, lane]
            for b in range(len(p)):
                rows[b, i, lane] = even[lane, i] if lost else p[b, i, lane]


def spread_rows(p: Array, multipliers: Array, first: Indices, rows: Array, found: Array) -> None:
    """Give every rank the probabilities (rows, c, lanes) of its row, and the problems their multipliers."""
    for b in range(len(first) - 1):
        for n in range(first[b], first[b + 1]):
            for i in range(c):
                for lane in range(lanes):
                    p[n, i, lane] = rows[b, i, lane]
    for lane in range(lanes):
        for i in range(c + 1):
            multipliers[i, lane] = found[i, lane]


def write_solutions(
    p: Array,
    reference: Array,
    multipliers: Array,
    iterations: Array,
    outcome: Array,
    grades: Indices,
    out: Array,
    found: Array,
    steps: Array,
    converged: Array,
) -> None:
    """Write probabilities (lanes, depth, levels + 1), 0 for absent grades, multipliers and how it went."""
    for lane in range(len(out)):
        steps[lane] = iterations[lane]
        converged[lane] = outcome[lane] == CONVERGED
        for i in range(c + 1):
            found[lane, i] = multipliers[i, lane]
    for n in range(len(p)):
        for lane in range(len(out)):
            for i in range(out.shape[2]):
                out[lane, n, i] = 0.0
            out[lane, n, grades[lane, 0]] = reference[n, lane]
            for i in range(c):
                out[lane, n, grades[lane, 1 + i]] = p[n, i, lane]


def read_claims(
    p: Array,
    reference: Array,
    multipliers: Array,
    active: Array,
    counts: Array,
    bounded: Array,
    grades: Indices,
    given: Array,
    claimed: Array,
    feasible: float,
    total: Array,
    violation: Array,
) -> None:
    """Put distributions (lanes, depth, levels + 1) and multipliers (lanes, c + 1) into lanes.

    ``total`` (lanes, c) gets the expected number of documents of each grade but the first, ``violation`` (lanes,)
    how far the rows are from distributions of the grades present.
    """
    everything = np.zeros(lanes)
    total[:] = 0.0
    violation[:] = 0.0
    for n in range(len(p)):
        for lane in range(len(given)):
            for j in range(given.shape[2]):
                everything[lane] += given[lane, n, j]
                violation[lane] = max(violation[lane], -given[lane, n, j])
            row = given[lane, n, grades[lane, 0]]
            reference[n, lane] = row
            for i in range(c):
                t = given[lane, n, grades[lane, 1 + i]]
                p[n, i, lane] = t
                total[lane, i] += t
                row += t
            everything[lane] -= row
            violation[lane] = max(violation[lane], abs(row - 1.0))
    for lane in range(len(given)):
        violation[lane] = max(violation[lane], abs(everything[lane]))  # documents of absent grades
        multipliers[0, lane] = claimed[lane, 0]
        active[0, lane] = 1.0
        for i in range(c):
            multipliers[1 + i, lane] = claimed[lane, 1 + i]
            reached = counts[i, lane] - total[lane, i] <= feasible * max(1.0, counts[i, lane])
            active[1 + i, lane] = 1.0 if reached or not bounded[lane] > 0.0 else 0.0


def write_evidence(
    G: Array,
    active: Array,
    expected: Array,
    error: Array,
    negative: Array,
    constant: Array,
    whole_value: Array,
    deviation: Array,
    border: Array,
    counted: Array,
    pivots: Array,
) -> None:
    """Write the value, the deviation, and what decides on the curvature, lane first."""
    for lane in range(len(constant)):
        whole_value[lane] = expected[lane] + constant[lane]
        deviation[lane] = error[lane]
        pivots[lane] = negative[lane]
        for i in range(c + 1):
            counted[lane, i] = active[i, lane]
            for j in range(c + 1):
                border[lane, i, j] = G[i, j, lane]


TRANSFER = (
    load_problems,
    start_even,
    summarize_rows,
    load_coarse,
    hand_over,
    spread_rows,
    write_solutions,
    read_claims,
    write_evidence,
)
