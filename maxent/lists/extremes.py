"""Extreme values over all lists: the recursion with the largest in place of the sum of what follows.

The interval of a problem is that of distributions of independent ranks, whose ends are bounds for some measures.
Over lists every end is attained, and the lists that attain it are the paths through steps without loss.
"""

import numpy as np

from maxent.lists.recursion import backward
from maxent.lists.steps import Lists
from maxent.measures.form import Form
from maxent.problem.interval import own_ends
from maxent.types import FloatArray, IntArray

EVERY = np.zeros((0, 0), dtype=np.uint8)  # no step is ruled out
EQUAL = 1e-12  # values this close, relative to the interval, are equal


def interval(lists: Lists, measure: int) -> tuple[float, float]:
    """Smallest and largest value of a measure over the lists."""
    form = lists.forms[measure]
    exact: tuple[float | None, ...] = (None, None)
    if isinstance(form, Form):
        counts = np.array(lists.counts, dtype=np.float64)
        known = own_ends(form, counts, present=lists.present, at_most=lists.at_most)
        exact = tuple(end.value if end.exact else None for end in known)
    low, high = (
        sign * _best(lists, measure, sign, np.zeros((0, 0))) if end is None else end
        for sign, end in zip((-1.0, 1.0), exact, strict=True)
    )
    return low, high


def _best(lists: Lists, measure: int, sign: float, kept: FloatArray) -> float:
    """Largest ``sign`` times the value of a measure; ``kept`` (N + 1, S) gets the best behind each state."""
    steps = lists.steps._replace(odds=np.zeros_like(lists.steps.odds))
    multipliers = np.zeros(len(lists.forms))
    multipliers[measure] = sign
    return float(backward(steps, multipliers, True, True, EVERY, False, kept)[0] + sign * lists.constants[measure])


def face(lists: Lists, measure: int, *, above: bool) -> IntArray:
    """Steps of the lists with the largest (or smallest) value, (N, S): bit i is set if group i may follow."""
    steps, N, S = lists.steps, lists.depth, lists.states.shape[1]
    best, sign = np.empty((N + 1, S)), 1.0 if above else -1.0
    size = abs(_best(lists, measure, sign, best)) + abs(_best(lists, measure, -sign, np.zeros((0, 0))))
    found = np.zeros((N, S), dtype=np.uint8)
    for i in range(len(lists.sizes) + 1):
        after = best[1:]
        if i < len(lists.sizes):
            gains = steps.a[measure, :, i, None] + steps.d[measure, :, None] * steps.X[measure, i]
            moved = np.pad(after, ((0, 0), (0, steps.strides[i])), constant_values=-np.inf)[:, steps.strides[i] :]
            after = np.where(steps.fits[i], moved, -np.inf) + sign * gains
        found |= (after >= best[:-1] - EQUAL * size).astype(np.uint8) << i
    return found
