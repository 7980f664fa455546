"""Paired tests of systems by one measure; z are the differences of two runs' values over the topics.

The tests, all two-sided:

``t``
    Student's paired t-test (:func:`scipy.stats.ttest_rel`).
``permutation``
    Randomisation test of the mean of z: the two values of each topic change places at random
    (:func:`scipy.stats.permutation_test`, paired samples). No p-value is below 2 / (replicates + 1). With few
    topics all exchanges are made, and the p-value is exact.
``wilcoxon``
    Wilcoxon's signed-rank test (:func:`scipy.stats.wilcoxon`); topics without difference are left out.
``bootstrap``
    Sakai's paired studentised bootstrap, as in ``discrimination``. No p-value is below 1 / (replicates + 1).

The interval of the mean of z is Student's for ``t``, and the symmetric studentised bootstrap interval otherwise.
With ``t`` and ``bootstrap`` it leaves 0 out exactly where the p-value before correction is below alpha. Intervals
are not corrected for the number of comparisons.

The effect size is the standardised mean difference of the pairs, mean(z) / sd(z), where sd has the divisor n - 1.

Differences that are rounding errors count as 0. Two runs with the same values in all topics have p-value 1,
interval [0, 0] and effect size 0. Two that differ by the same amount d in all topics have interval [d, d], an
infinite effect size and the smallest p-value of the test: 0 by ``t``.
"""

from math import ceil

import numpy as np
import pandas as pd

from maxent.systems.discrimination import BLOCK, SAME, paired_bootstrap
from maxent.types import FloatArray, IntArray

TESTS = ("t", "permutation", "wilcoxon", "bootstrap")
CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by")


def paired_test(
    scores: FloatArray, first: IntArray, second: IntArray, *, test: str, alpha: float, counts: FloatArray, seed: int
) -> pd.DataFrame:
    """Test of pairs of runs by one measure.

    Parameters
    ----------
    scores : (topics, runs) array
        Values of the measure.
    first, second : (pairs,) arrays
        Positions of the runs of each pair; z is the second minus the first.
    test : str
        One of TESTS.
    alpha : float
        Intervals have level 1 - alpha.
    counts : (replicates, topics) array
        How often each topic is in each bootstrap sample.
    seed : int
        Seed of the permutations, which are as many.

    Returns
    -------
    DataFrame
        A row for each pair: difference, low, high, p_value, effect_size, topics, better, worse, equal.
    """
    tiny = SAME * np.abs(scores).max()
    z = scores[:, second] - scores[:, first]
    z[np.abs(z) <= tiny] = 0.0
    mean = z.mean(axis=0)
    sd = np.where(np.abs(z - mean).max(axis=0) > tiny, z.std(axis=0, ddof=1), 0.0)
    p, low, high = np.where(mean == 0, 1.0, 0.0), mean.copy(), mean.copy()
    if test == "t":
        varied = sd > 0
        p[varied], low[varied], high[varied] = _student(scores, first[varied], second[varied], alpha)
    else:
        asl, reach, _ = paired_bootstrap(scores, first, second, counts, alpha)
        low, high = mean - reach, mean + reach
        if test == "bootstrap":
            p = asl
        elif test == "wilcoxon":
            # Differences that are equal but for rounding, as .3 - .2 and .1 - 0 of P@10, are ties. SciPy, given the
            # differences themselves, ranks them apart and, finding no tie, takes the distribution without ties.
            p = _wilcoxon(np.round(z / (tiny or 1.0)))
        else:
            p = _permutation(scores, first, second, replicates=len(counts), seed=seed, tiny=tiny)
    effect = np.divide(mean, sd, out=np.copysign(np.where(mean == 0, 0.0, np.inf), mean), where=sd > 0)
    return pd.DataFrame(
        {"difference": mean, "low": low, "high": high, "p_value": p, "effect_size": effect, "topics": len(z)}
        | {"better": (z > 0).sum(axis=0), "worse": (z < 0).sum(axis=0), "equal": (z == 0).sum(axis=0)}
    )


def _student(
    scores: FloatArray, first: IntArray, second: IntArray, alpha: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P-values and ends of the intervals by the t-test."""
    from scipy.stats import ttest_rel  # loaded late: half of maxent's import time

    if not len(first):
        return (np.empty(0),) * 3
    found = ttest_rel(scores[:, second], scores[:, first])
    interval = found.confidence_interval(1 - alpha)
    return found.pvalue, interval.low, interval.high


def _wilcoxon(z: FloatArray) -> FloatArray:
    """P-values by the signed-rank test, of pairs without and with ties or zeros: SciPy treats them differently."""
    from scipy.stats import wilcoxon

    size = np.sort(np.abs(z), axis=0)
    clear = (size[0] > 0) & (np.diff(size, axis=0) > 0).all(axis=0)
    p = np.ones(z.shape[1])
    for own in (clear, ~clear & (size[-1] > 0)):
        if own.any():
            p[own] = wilcoxon(z[:, own], axis=0).pvalue
    return p


def _permutation(
    scores: FloatArray, first: IntArray, second: IntArray, *, replicates: int, seed: int, tiny: float
) -> FloatArray:
    """P-values by the randomisation test.

    To exchange two values is to change the sign of their difference, and the mean difference is the difference of
    the means: random signs of the runs' values, the same for every run, serve all pairs.
    """
    from scipy.stats import permutation_test

    null = permutation_test(
        (scores,), np.mean, permutation_type="samples", n_resamples=replicates, batch=100, vectorized=True, axis=0,
        rng=np.random.default_rng(seed),
    ).null_distribution  # (signs, runs) # fmt: skip
    observed = scores.mean(axis=0)
    more = 0 if 2.0 ** len(scores) <= replicates else 1  # the observed signs, unless all signs are there
    p = np.empty(len(first))
    for start in range(0, len(first), BLOCK):
        a, b = first[start : start + BLOCK], second[start : start + BLOCK]
        sampled, mean = null[:, b] - null[:, a], observed[b] - observed[a]
        fewest = np.minimum((sampled >= mean - tiny).sum(axis=0), (sampled <= mean + tiny).sum(axis=0))
        p[start : start + BLOCK] = np.minimum(2 * (fewest + more) / (len(null) + more), 1.0)
    return p


def correct(p: pd.Series, correction: str, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Whether the hypotheses of a family are rejected, and corrected p-values."""
    from statsmodels.stats.multitest import multipletests

    with np.errstate(divide="ignore"):  # the Šidák corrections take log(1 - p) of p = 1
        reject, corrected, _, _ = multipletests(p, alpha=alpha, method=correction)
    return reject, corrected


def samples_needed(
    family: int, topics: int, *, test: str, correction: str | None, alpha: float, replicates: int
) -> str | None:
    """A line if one comparison alone of its family cannot be significant with so few samples: how many it takes."""
    if test not in ("permutation", "bootstrap"):
        return None
    sides = 2 if test == "permutation" else 1
    level = _lone_level(family, correction, alpha)
    possible = 2.0**topics if test == "permutation" else np.inf  # exchanges; where all are made, p is exact
    least = sides / min(replicates + 1, possible)
    if least <= level:
        return None
    line = (
        f"no p-value is below {least:.2g} with {replicates:,} replicates, and one comparison of {family:,} is "
        f"significant on its own at {level:.2g}: "
    )
    if sides / possible > level:
        return f"{line}{topics} topics are too few for any number of replicates"
    return f"{line}this takes {ceil(sides / level):,} replicates"


def _lone_level(family: int, correction: str | None, alpha: float) -> float:
    """Largest p-value that is significant if all others of its family are 1."""
    if correction is None:
        return alpha
    if correction in ("sidak", "holm-sidak"):
        return float(-np.expm1(np.log1p(-alpha) / family))
    harmonic = float(np.sum(1 / np.arange(1, family + 1))) if correction == "fdr_by" else 1.0
    return alpha / (family * harmonic)
