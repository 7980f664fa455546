"""The measures that may be the best: a model confidence set (Hansen, Lunde and Nason, Econometrica 79, 2011)."""

from typing import NamedTuple

import numpy as np

from maxent.stats.intervals import ROUNDING
from maxent.types import BoolArray, FloatArray, IntArray

ENOUGH = 15  # topics; over fewer, a set says nearly nothing
LEVEL = 0.95


def confidence_set(p_values: FloatArray, level: float = LEVEL) -> BoolArray:
    """Which measures (m,) may have the smallest expected error, from :func:`set_p_values`."""
    return np.asarray(p_values >= 1 - level)


def set_p_values(
    means: FloatArray,  # (m,), mean errors
    influences: FloatArray,  # (topics, m), contributions of topics to the deviations of the means; columns sum to 0
    samples: FloatArray,  # (replicates, m), mean errors over resampled topics
    weights: IntArray,  # (replicates, topics), how often each replicate has each topic
) -> FloatArray:
    """P-value (m,) of each measure: with confidence 1 - alpha, it may be the best if its p-value is at least alpha.

    The measures leave the set one by one, the worst first. All that are still in the set are equally good by
    hypothesis. The test statistic is the largest studentised difference of any two of them. Each replicate is
    studentised by its own standard error (bootstrap-t). With one standard error for all, sets of 15 measures that
    are equally good lose one in .12 to .36 of the studies.
    """
    order, statistics = _order_of_leaving(means, influences)
    # 1. each set is the next smaller one and its worst measure, so that sets grow from the end of the order;
    #    largest (replicates,): the largest studentised deviation of any two measures of the set
    largest, p_values = np.zeros(len(samples)), np.ones(len(means))
    for step in reversed(range(len(means) - 1)):
        worst, better = order[step], order[step + 1 :]
        deviations = (samples[:, [worst]] - samples[:, better]) - (means[worst] - means[better])
        errors = _standard_errors(influences[:, [worst]] - influences[:, better], weights)
        largest = np.maximum(largest, _studentised(deviations, errors).max(axis=1))
        p_values[worst] = np.mean(largest >= statistics[step])
    # 2. a measure is not rejected before one that left the set earlier
    p_values[order] = np.maximum.accumulate(p_values[order])
    return p_values


class _Leaving(NamedTuple):
    """How measures leave the set."""

    order: IntArray  # (m,): the measures, the first to leave first
    statistics: FloatArray  # (m - 1,): test statistic of the set that each but the last leaves


def _order_of_leaving(means: FloatArray, influences: FloatArray) -> _Leaving:
    """The measures in the order in which they leave; means and influences are as for :func:`set_p_values`."""
    # 1. studentised differences (m, m) of each measure from each other one
    differences = means[:, None] - means
    once = np.ones((1, len(influences)), dtype=np.int64)  # the weights of the observed topics
    errors = np.stack([_standard_errors(influences[:, [k]] - influences, once)[0] for k in range(len(means))])
    studentised = np.copysign(_studentised(differences, errors), differences)
    # 2. the measure with the largest difference leaves, until one is left
    in_set, order, statistics = list(range(len(means))), [], []
    while len(in_set) > 1:
        of_set = studentised[np.ix_(in_set, in_set)]
        statistics.append(of_set.max())
        order.append(in_set.pop(int(of_set.max(axis=1).argmax())))
    return _Leaving(np.array([*order, *in_set]), np.array(statistics))


def _standard_errors(influences: FloatArray, weights: IntArray) -> FloatArray:
    """Standard errors (replicates, k) of means over drawn topics, from influences (topics, k).

    They are sqrt((mean of x^2 - (mean of x)^2) / (topics - 1)), of the influences x that a replicate draws.
    """
    topics = len(influences)
    means, squares = weights @ influences / topics, weights @ influences**2 / topics
    return np.sqrt(np.maximum(squares - means**2, 0.0) / (topics - 1))


def _studentised(differences: FloatArray, errors: FloatArray) -> FloatArray:
    """Absolute differences in standard errors; 0 for a difference that is only rounding."""
    sizes = np.where(np.abs(differences) > ROUNDING, np.abs(differences), 0.0)
    ratios = np.divide(sizes, errors, out=np.full_like(sizes, np.inf), where=errors > 0)
    return np.where(sizes > 0, ratios, 0.0)
