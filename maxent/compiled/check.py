"""What a certificate needs of a distribution; sources for :mod:`maxent.compiled.machine`."""

import numpy as np

from maxent.compiled.exponential import exp
from maxent.compiled.kernels import Array

c = 2  # number of grades besides the reference; filled in by the compiler


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


def deviation(p: Array, reference: Array, w: Array, multipliers: Array, error: Array) -> None:
    """Largest difference between p and what its own gradient and the multipliers imply."""
    e = np.zeros(c)
    worst = 0.0
    for n in range(len(p)):
        top = 0.0
        for i in range(c):
            e[i] = multipliers[1 + i] + multipliers[0] * w[n, i]
            top = max(top, e[i])
        e_ref = exp(-top)
        total = e_ref
        for i in range(c):
            e[i] = exp(e[i] - top)
            total += e[i]
        worst = max(worst, abs(reference[n] - e_ref / total))
        for i in range(c):
            worst = max(worst, abs(p[n, i] - e[i] / total))
    error[()] = worst


CHECK = (read_probabilities, deviation)
