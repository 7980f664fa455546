"""Probabilities, and the measure at them; sources, see :mod:`maxent.compiled.fields`."""

import numpy as np

from maxent.compiled.exponential import exp
from maxent.compiled.fields import Array

c = 2  # number of grades besides the reference; filled in by the compiler


def softmax(theta: Array, p: Array, reference: Array) -> None:
    """Row-wise probabilities of the logits; the reference has logit 0."""
    e = np.zeros(c)
    for n in range(len(reference)):
        top = 0.0
        for i in range(c):
            top = max(top, theta[n, i])
        e_ref = exp(-top)
        total = e_ref
        for i in range(c):
            e[i] = exp(theta[n, i] - top)
            total += e[i]
        total = 1.0 / total
        for i in range(c):
            p[n, i] = e[i] * total
        reference[n] = e_ref * total


def gradient(a: Array, d: Array, size: Array, K: Array, p: Array, w: Array, expected: Array) -> None:
    """Expected value of the measure and its derivative by p."""
    k = np.zeros((c, c))
    before = np.zeros(c)
    after = np.zeros(c)
    value = 0.0
    for i in range(c):
        for j in range(c):
            k[i, j] = K[i, j]
    for n in range(len(d)):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[i, j] * before[j]
            t = a[n, i] + d[n] * t
            w[n, i] = t
            value += size[n] * p[n, i] * t
        for i in range(c):
            before[i] += size[n] * p[n, i]
    for n in range(len(d) - 1, -1, -1):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[j, i] * after[j]
            w[n, i] += t
        for i in range(c):
            after[i] += d[n] * size[n] * p[n, i]
    expected[()] = value


def implied(multipliers: Array, w: Array, theta: Array) -> None:
    """Logits that the gradient and the multipliers imply."""
    for n in range(len(theta)):
        for i in range(c):
            theta[n, i] = multipliers[1 + i] + multipliers[0] * w[n, i]


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


STATE = (softmax, gradient, implied, deviation)
