"""What goes into the lanes of a workspace and out of them; sources, see :mod:`maxent.compiled.fields`."""

import math

import numpy as np

from maxent.compiled.fields import Array

c = 2  # number of grades besides the reference; filled in by the compiler


def load_problem(
    a: Array,
    d: Array,
    size: Array,
    K: Array,
    value: Array,
    counts: Array,
    bounded: Array,
    lane: int,
    own: Array,
    weight: Array,
    kernel: Array,
    grades: Array,
    scale: float,
    wanted: float,
    given: Array,
    at_most: bool,
) -> float:
    """Put a problem into a lane: its form, its grades present, the value wanted and the counts given.

    The probabilities of the first grade present are eliminated by the rows' sum, as in ``Form.eliminate``, and the
    measure is divided by ``scale``. Returns the constant that the elimination takes from the value.
    """
    ref = grades[0]
    after = weight.sum()
    constant = 0.0
    for n in range(len(d)):
        after -= weight[n]
        constant += own[n, ref] + weight[n] * n * kernel[ref, ref]
        d[n, lane] = weight[n]
        size[n, lane] = 1.0
        for i in range(c):
            t = own[n, grades[1 + i]] - own[n, ref]
            t += weight[n] * n * (kernel[grades[1 + i], ref] - kernel[ref, ref])
            a[n, i, lane] = (t + after * (kernel[ref, grades[1 + i]] - kernel[ref, ref])) / scale
    for i in range(c):
        counts[i, lane] = given[grades[1 + i] - 1]
        for j in range(c):
            t = kernel[grades[1 + i], grades[1 + j]] - kernel[ref, grades[1 + j]]
            K[i, j, lane] = (t - kernel[grades[1 + i], ref] + kernel[ref, ref]) / scale
    value[lane] = (wanted - constant) / scale
    bounded[lane] = 1.0 if at_most else 0.0
    return constant


def start_even(theta: Array, multipliers: Array, lane: int, even: Array, free: bool) -> None:
    """The same probabilities ``even`` (c,) at every rank, at the counts or ``free``: below all of their bounds."""
    rest = 1.0
    for i in range(c):
        rest -= even[i]
    multipliers[0, lane] = 0.0
    for i in range(c):
        logit = math.log(even[i] / rest)
        multipliers[1 + i, lane] = 0.0 if free else logit
        for n in range(len(theta)):
            theta[n, i, lane] = logit


def summarize_rows(a: Array, d: Array, lane: int, first: Array, own: Array, weight: Array, within: Array) -> None:
    """Sums over the ranks of each row of a coarse problem: of a, of d, and of j d_j for the j-th of its ranks.

    ``first`` (rows + 1,) are the rows' first ranks and, last, the depth.
    """
    for b in range(len(first) - 1):
        weight[b] = 0.0
        within[b] = 0.0
        for i in range(c):
            own[b, i] = 0.0
        for n in range(first[b], first[b + 1]):
            weight[b] += d[n, lane]
            within[b] += (n - first[b]) * d[n, lane]
            for i in range(c):
                own[b, i] += a[n, i, lane]


def load_coarse(
    a: Array,
    d: Array,
    size: Array,
    K: Array,
    value: Array,
    lane: int,
    first: Array,
    own: Array,
    weight: Array,
    within: Array,
    even: Array,
) -> None:
    """Put a problem whose rows stand for several ranks into a lane that has K and the value of the original.

    What the ranks of a row do for each other, sum_j j d_j p' K p, is linearised at the even distribution, so that
    the coarse problem is a form as well.
    """
    mutual = np.zeros(c)
    own_value = 0.0
    for i in range(c):
        t = 0.0
        for j in range(c):
            t += (K[i, j, lane] + K[j, i, lane]) * even[j]
        mutual[i] = t
        own_value += 0.5 * t * even[i]
    for b in range(len(d)):
        ranks = first[b + 1] - first[b]
        size[b, lane] = ranks
        d[b, lane] = weight[b] / ranks
        value[lane] += within[b] * own_value
        for i in range(c):
            a[b, i, lane] = (own[b, i] + within[b] * mutual[i]) / ranks


def spread_rows(p: Array, lane: int, first: Array, rows: Array) -> None:
    """Give every rank the probabilities (rows, c) of its row."""
    for b in range(len(first) - 1):
        for n in range(first[b], first[b + 1]):
            for i in range(c):
                p[n, i, lane] = rows[b, i]


def write_probabilities(p: Array, reference: Array, lane: int, out: Array, grades: Array) -> None:
    """Write a lane's probabilities into the columns of the grades present."""
    for n in range(len(p)):
        out[n, grades[0]] = reference[n, lane]
        for i in range(c):
            out[n, grades[1 + i]] = p[n, i, lane]


def read_probabilities(p: Array, reference: Array, lane: int, given: Array, grades: Array, total: Array) -> float:
    """Put a distribution (depth, levels + 1) into a lane; returns how far its rows are from distributions.

    ``total`` gets the expected number of documents of each grade.
    """
    worst = 0.0
    for j in range(len(total)):
        total[j] = 0.0
    for n in range(len(p)):
        row = -1.0
        for j in range(len(total)):
            row += given[n, j]
            total[j] += given[n, j]
            worst = max(worst, -given[n, j])
        worst = max(worst, abs(row))
        reference[n, lane] = given[n, grades[0]]
        for i in range(c):
            p[n, i, lane] = given[n, grades[1 + i]]
    return worst


TRANSFER = (
    load_problem,
    start_even,
    summarize_rows,
    load_coarse,
    spread_rows,
    read_probabilities,
    write_probabilities,
)
