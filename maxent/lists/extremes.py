"""Extreme values over all lists: the recursion with maxima in place of sums.

A problem's interval is for distributions of independent ranks, and for some measures its ends are only bounds. Over
lists, every end is attained by the paths on which each step attains the maximum.
"""

import numpy as np

from maxent.lists.recursion import Recursion
from maxent.lists.steps import Lists
from maxent.measures.cascade import Cascade, stopping_value
from maxent.measures.form import Form
from maxent.problem.interval import ends
from maxent.types import IntArray

EQUAL = 1e-12  # values this close, relative to the interval, are equal


def interval(lists: Lists, measure: int) -> tuple[float, float]:
    """Smallest and largest value over the lists of the measure with this index."""
    form = lists.forms[measure]
    exact: tuple[float | None, ...] = (None, None)  # ends that need no recursion
    if isinstance(form, Form):
        counts = np.array(lists.counts, dtype=np.float64)
        list_ends = ends(form, counts, present=lists.present, at_most=lists.at_most)
        exact = tuple(end.value if end.exact else None for end in list_ends)
    elif (np.diff(form.weights, append=0.0) <= 0).all():
        exact = _sorted_ends(form, lists)
    low, high = (
        _furthest(lists, measure, sign) if end is None else end
        for sign, end in zip((-1.0, 1.0), exact, strict=True)
    )
    return low, high


def _sorted_ends(form: Cascade, lists: Lists) -> tuple[float, float]:
    """Ends of a cascade whose weights do not rise with the rank.

    Exchanging documents with stopping probabilities p and q at ranks n and n + 1, which the user reaches with
    probability P, changes the value by P (u_n - u_n+1) (p - q). So extreme lists are sorted by stopping
    probability.
    """
    falling = np.sort(np.repeat(form.stops[1:], lists.counts))[::-1][: lists.depth]
    best_list = np.pad(falling, (0, lists.depth - len(falling)))  # stopping probability at each rank
    # where counts are upper bounds, the list may be empty
    low = 0.0 if lists.at_most else float(stopping_value(best_list[::-1], form.weights))
    return low, float(stopping_value(best_list, form.weights))


def _furthest(lists: Lists, measure: int, sign: float) -> float:
    """Largest (``sign`` 1) or smallest (-1) value of a measure, by the recursion."""
    multipliers = np.zeros(len(lists.forms))
    multipliers[measure] = sign
    return float(Recursion(lists, multipliers).best()[measure] + lists.constants[measure])


def face(lists: Lists, measure: int, *, above: bool) -> IntArray:
    """Steps (N, S) of the lists with the largest or smallest value: bit i is set if group i may follow a state.

    From the last rank up, each state s gets the largest sum of gains with which a list can go on from there, and
    the steps that attain it. With the ``sign`` -1 for the smallest value, and the gain 0 of group 0,

        ahead_i(s) = best_n+1(s + a document of i) + sign (a_n(i) + d_n X_i(s)),    best_n(s) = max_i ahead_i(s)
    """
    steps = lists.steps
    sign = 1.0 if above else -1.0
    size = sum(map(abs, interval(lists, measure)))
    c, states = len(lists.sizes), steps.last + 1
    allowed = np.zeros((lists.depth, steps.states), dtype=np.int64)
    ahead = np.full((c + 1, states), -np.inf)  # group 0 last; -inf where a document does not fit
    best = np.full(states, -np.inf if steps.exact else 0.0)  # lists with fixed counts end in the last state alone
    best[-1] = 0.0
    for n in range(lists.depth - 1, -1, -1):
        ahead[c] = best
        for i, stride in enumerate(steps.strides):
            origins = slice(states - stride)  # states from which a document of group i leads to a state
            gain = steps.a[measure, n, i] + steps.d[measure, n] * steps.X[measure, i, origins]
            fits = steps.k[i, origins] + 1 < lists.sizes[i]
            ahead[i, origins] = np.where(fits, best[stride:] + sign * gain, -np.inf)
        best = ahead.max(axis=0)
        for i in range(c + 1):
            attains = ahead[i] >= best - EQUAL * size
            allowed[n, :states] |= attains.astype(np.int64) << i
    return allowed
