"""Extreme values over all lists: the recursion with the largest in place of the sum of what follows.

The interval of a problem is that of distributions of independent ranks, whose ends are bounds for some measures.
Over lists every end is attained, and the lists that attain it are the paths through steps without loss.
"""

import numpy as np

from maxent.lists.recursion import EVERY, backward, memory
from maxent.lists.steps import Lists
from maxent.measures.cascade import Cascade, stopping_value
from maxent.measures.form import Form
from maxent.problem.interval import ends
from maxent.types import FloatArray, IntArray

EQUAL = 1e-12  # values this close, relative to the interval, are equal


def interval(lists: Lists, measure: int) -> tuple[float, float]:
    """Smallest and largest value of a measure over the lists."""
    form = lists.forms[measure]
    exact: tuple[float | None, ...] = (None, None)
    if isinstance(form, Form):
        counts = np.array(lists.counts, dtype=np.float64)
        known = ends(form, counts, present=lists.present, at_most=lists.at_most)
        exact = tuple(end.value if end.exact else None for end in known)
    elif (np.diff(form.weights, append=0.0) <= 0).all():
        exact = _of_sorted(form, lists)
    low, high = (
        sign * _best(lists, measure, sign, np.zeros((0, 0))) if end is None else end
        for sign, end in zip((-1.0, 1.0), exact, strict=True)
    )
    return low, high


def _of_sorted(form: Cascade, lists: Lists) -> tuple[float, float]:
    """Ends of a cascade whose weights do not rise with the rank.

    To exchange documents that stop a user with probabilities p and q at ranks n and n + 1, where P read on, changes
    the value by P (u_n - u_n+1) (p - q). So the extreme lists are sorted by how likely a document stops the user.
    """
    stops = np.sort(np.repeat(form.stops[1:], lists.counts))[::-1][: lists.depth]
    best = np.pad(stops, (0, lists.depth - len(stops)))
    low = 0.0 if lists.at_most else float(stopping_value(best[::-1], form.weights))
    return low, float(stopping_value(best, form.weights))


def _best(lists: Lists, measure: int, sign: float, kept: FloatArray) -> float:
    """Largest ``sign`` times the value of a measure; ``kept`` (N + 1, S) gets the best behind each state."""
    multipliers = np.zeros(len(lists.forms))
    multipliers[measure] = sign
    best = backward(lists.steps, multipliers, True, True, EVERY, False, kept)[0]
    return float(best + sign * lists.constants[measure])


def face(lists: Lists, measure: int, *, above: bool) -> IntArray:
    """Steps of the lists with the largest (or smallest) value, (N, S): bit i is set if group i may follow."""
    steps = lists.steps
    best, sign = memory(steps, every=1), 1.0 if above else -1.0
    size = abs(_best(lists, measure, sign, best)) + abs(_best(lists, measure, -sign, np.zeros((0, 0))))
    found, states = np.zeros((lists.depth, steps.shape[1]), dtype=np.uint8), steps.k.shape[1]
    best = best[:, :states]
    for i in range(len(lists.sizes) + 1):
        after = best[1:]
        if i < len(lists.sizes):
            stride = steps.strides[i]
            gains = steps.a[measure, :, i, None] + steps.d[measure, :, None] * steps.X[measure, i]
            moved = np.pad(after, ((0, 0), (0, stride)), constant_values=-np.inf)[:, stride:]
            after = np.where(steps.k[i] + 1 < lists.sizes[i], moved, -np.inf) + sign * gains
        found[:, :states] |= (after >= best[:-1] - EQUAL * size).astype(np.uint8) << i
    return found
