"""The interval of values of a cascade (:mod:`maxent.measures.cascade`) whose weights u_n do not rise.

- *Largest*: the list sorted by falling r_n, the probability of stopping. A better document before a worse one is
  worth more, and where r_n falls so is every exchange of a share of them, as dE[M]/dr_n times (1 - r_n) falls.
  Exchanges in the other direction lead from the sorted list to any other distribution with these counts.
- *Smallest*: not the ascending list, since relevance that is spread over ranks may be found later. A bound takes
  its place. Ranks 1..n hold at least what the ascending list has there, F_n = sum_{m<=n} r_m, and a product is
  largest where its factors are equal:

      E[M] >= sum_n (u_n - u_n+1) [1 - (1 - F_n / n)^n].

  It is 0, and attained, if everything that stops a user fits behind the last weight.
"""

import numpy as np

from maxent.measures.cascade import Cascade, stopping_value
from maxent.measures.gain import ideal_shares, ranks
from maxent.problem.bounded_lists import Interchangeable, most_random_list
from maxent.problem.interval import End, with_nonrelevant
from maxent.types import FloatArray


def cascade_ends(cascade: Cascade, counts: FloatArray, *, at_most: bool) -> tuple[End, End]:
    """Lower and upper end of the attainable interval; arguments as for :func:`maxent.problem.interval.ends`."""
    best = ideal_shares(cascade.stops[1:], counts, cascade.depth)
    worst = np.zeros_like(best) if at_most else best[::-1]
    high, low = best @ cascade.stops[1:], worst @ cascade.stops[1:]
    certain = np.flatnonzero(high >= 1)
    deciding = min([cascade.last, *(certain[:1] + 1).tolist()])  # ranks behind these have no influence
    listed = float(stopping_value(low, cascade.weights))
    n = ranks(cascade.depth)
    passed = np.clip(1 - np.cumsum(low) / n, 0.0, 1.0) ** n
    bound = min(float(-np.diff(cascade.weights, append=0.0) @ (1 - passed)), listed)
    needed = best[:deciding].sum(axis=0) * (cascade.stops[1:] > 0)

    def sorted_list(stops: FloatArray, last: int, needed: FloatArray) -> FloatArray:
        classes = _classes(stops, last, cascade.depth)
        if at_most:
            return most_random_list(classes, with_nonrelevant(needed, cascade.depth), counts)
        return _filled(classes, with_nonrelevant(counts, cascade.depth))

    largest = float(stopping_value(high, cascade.weights))
    return (
        End(bound, listed, bound == listed, lambda: sorted_list(cascade.stops, cascade.last, 0 * counts)),
        End(largest, largest, True, lambda: sorted_list(-cascade.stops, deciding, needed)),
    )


def _classes(keys: FloatArray, last: int, depth: int) -> Interchangeable:
    """Grades with equal keys are interchangeable, and so are the ranks behind ``last``."""
    grade_keys, grade_class = np.unique(keys, return_inverse=True)
    rank_class = np.minimum(np.arange(depth), last)
    number = int(rank_class[-1]) + 1
    first = np.append(np.arange(float(number)), depth)
    return Interchangeable(
        np.arange(number) - float(last), rank_class, first, grade_keys, grade_class.astype(np.int64), 0 * keys
    )


def _filled(classes: Interchangeable, mass: FloatArray) -> FloatArray:
    """The most random sorted list with these documents of each grade (levels + 1,), even within classes."""
    whole = np.bincount(classes.grade_class, mass)
    edges = np.concatenate(([0.0], np.cumsum(whole)))
    edges *= classes.first[-1] / edges[-1]
    upper = np.minimum(classes.first[1:, None], edges[1:])
    block = np.clip(upper - np.maximum(classes.first[:-1, None], edges[:-1]), 0.0, None)
    rows = (block / block.sum(axis=1, keepdims=True))[classes.rank_class]
    share = mass / np.maximum(whole, 1e-300)[classes.grade_class]
    return np.asarray(rows[:, classes.grade_class] * share)
