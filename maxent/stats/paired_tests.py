"""Paired tests of systems by one measure, all two-sided; z are the differences of two runs' values over the topics.

docs/comparing_systems.md describes tests, intervals and degenerate cases. ``bootstrap`` is Sakai's (SIGIR 2006):
the studentised mean of a pair is

    t = abs(mean(z)) / (sd(z) / sqrt(n)).

The topics of w = z - mean(z) are resampled with replacement. The p-value, called achieved significance level
(ASL) there, is (1 + hits) / (1 + replicates), where hits are the replicates with t_b >= t (Davison and Hinkley,
Bootstrap Methods and their Application, 1997, chapter 4). The difference needed by a pair is abs(mean(w_b)) of
the replicate at the critical value of t_b. With ``t`` and ``bootstrap``, an interval excludes 0 exactly if the
uncorrected p-value is below alpha. Differences that are rounding errors count as 0.
"""

from math import ceil
from numbers import Real
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from maxent.checks import whole_number
from maxent.data.value_files import VALUES, value_rows
from maxent.errors import InputError, ProblemError, quoted
from maxent.limits import REPETITIONS
from maxent.options.choices import Test
from maxent.stats.topic_weights import pseudo_values
from maxent.types import FloatArray, IntArray

TESTS: tuple[Test, ...] = get_args(Test)
TIE = 1e-12  # relative difference up to which two numbers count as equal: rounding errors must not split ties
PAIRS = 128  # at a time: their replicates stay in the processor's cache


def check_level(alpha: float, replicates: int, *, name: str = "alpha") -> None:
    """Raise ProblemError unless the level is in (0, 1) and the number of samples is within its limits."""
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise ProblemError(f"{name} must be in (0, 1), got {quoted(alpha)}")
    whole_number("replicates", replicates, raises=ProblemError, limit=REPETITIONS)


def value_tables(values: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Every measure and its table of values: a row for each topic, a column for each run."""
    # 1. the values with a row for each run, topic and measure
    if not isinstance(values, pd.DataFrame):
        raise InputError(f"values: {type(values).__name__}, expected a DataFrame such as {VALUES}")
    values = value_rows(values)
    is_repeated = values.duplicated(["run_id", "query_id", "measure"])
    if is_repeated.any():
        row = values[is_repeated].iloc[0]
        raise InputError(f"two values of {row['measure']}, run {row['run_id']!r}, topic {row['query_id']!r}")
    # 2. a row for each topic, a column for each measure and run, in the order of the values
    cube = values.pivot(index="query_id", columns=["measure", "run_id"], values="value")
    measures, runs = values["measure"].unique(), values["run_id"].unique()
    if len(cube) < 2 or len(runs) < 2:
        raise InputError(f"{len(runs)} runs and {len(cube)} topics: a test needs at least two of each")
    cube = cube.reindex(index=values["query_id"].unique(), columns=pd.MultiIndex.from_product([measures, runs]))
    not_finite = np.argwhere(~np.isfinite(cube.to_numpy(dtype=np.float64)))
    if len(not_finite):
        row_number, column_number = not_finite[0]
        topic, (measure, run) = cube.index[row_number], cube.columns[column_number]
        value = cube.iloc[row_number, column_number]
        of_run = values[(values["measure"] == measure) & (values["run_id"] == run)]
        if of_run.empty:
            raise InputError(f"run {run!r} has no value of {measure}, which another run has")
        if topic not in set(of_run["query_id"]):
            missing = f"{measure}, run {run!r}: no value for topic {topic!r}, which another run has"
            raise InputError(f"{missing}; a missing topic has to be in the values, such as 0 (trec_eval -c)")
        raise InputError(f"{measure}, run {run!r}, topic {topic!r}: value {value}, expected a finite number")
    return [(str(measure), cube[measure]) for measure in measures]


def topic_samples(topics: int, replicates: int, rng: np.random.Generator | int) -> tuple[FloatArray, int]:
    """Counts of each topic in each bootstrap sample, (replicates, topics), and a seed for other samples."""
    generator = np.random.default_rng(rng)
    counts = generator.multinomial(topics, np.full(topics, 1 / topics), size=replicates).astype(float)
    return counts, int(generator.integers(2**63))


def paired_test(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    test: str,
    alpha: float,
    counts: FloatArray,
    seed: int,
    weights: FloatArray | None = None,
) -> pd.DataFrame:
    """A row for each pair: difference, low, high, p_value, effect_size, topics, better, worse, equal.

    The scores have shape (topics, runs); the positions ``first`` and ``second`` of a pair's runs have shape
    (pairs,). z is the second minus the first. Intervals have level 1 - alpha. ``counts`` (replicates, topics) has
    the number of times that each topic occurs in each bootstrap sample. As many permutations are drawn with
    ``seed``. With ``weights`` (topics,), means are weighted; the t-test and the bootstrap then take the scores of
    :func:`maxent.stats.topic_weights.pseudo_values`.
    """
    tiny = TIE * np.abs(scores).max()  # smaller differences are rounding errors
    # 1. differences z (topics, pairs) of the weighted scores, their means and standard deviations (pairs,)
    weighted = scores if weights is None else pseudo_values(scores, weights)
    z = _differences(weighted, first, second, tiny)
    mean = z.mean(axis=0)
    sd = np.where(np.abs(z - mean).max(axis=0) > tiny, z.std(axis=0, ddof=1), 0.0)
    # 2. p-values and ends of intervals, (pairs,) each; ranks and signs have the intervals of the bootstrap
    if test == "t":
        p, low, high = _student(weighted, first, second, mean, sd, alpha)
    else:
        bootstrap = paired_bootstrap(weighted, first, second, counts, alpha)
        low, high = mean - bootstrap.reach, mean + bootstrap.reach
        if test == "bootstrap":
            p = bootstrap.asl
        elif test == "wilcoxon":
            # Differences that are equal but for rounding, as .3 - .2 and .1 - 0 of P@10, are ties. SciPy, given the
            # differences themselves, ranks them apart and, finding no tie, takes the distribution without ties.
            p = _wilcoxon(np.round(z / (tiny or 1.0)))
        else:  # the sum of w_t z_t is the weighted mean, whatever the signs
            shares = 1.0 if weights is None else (weights / weights.mean())[:, None]
            p = _permutation(shares * scores, first, second, replicates=len(counts), seed=seed, tiny=tiny)
    # 3. effect sizes, mean / sd; infinite where all topics have the same difference
    effect = np.divide(mean, sd, out=np.copysign(np.where(mean == 0, 0.0, np.inf), mean), where=sd > 0)
    # 4. signs over the topics, which weights do not change
    unweighted = z if weights is None else _differences(scores, first, second, tiny)
    return pd.DataFrame(
        {"difference": mean, "low": low, "high": high, "p_value": p, "effect_size": effect, "sd": sd}
        | {"topics": len(z), **_counted(unweighted)}
    )


def _student(
    scores: FloatArray, first: IntArray, second: IntArray, mean: FloatArray, sd: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P-values and both ends of intervals (pairs,) of the t-test; shapes as for :func:`paired_test`.

    Without variation, the interval is the mean, and its p-value is 0, or 1 if the mean is 0.
    """
    from scipy.stats import ttest_rel  # loaded late: half of maxent's import time

    p, low, high = np.where(mean == 0, 1.0, 0.0), mean.copy(), mean.copy()
    varied = sd > 0
    outcome = ttest_rel(scores[:, second[varied]], scores[:, first[varied]])
    p[varied] = outcome.pvalue
    low[varied], high[varied] = outcome.confidence_interval(1 - alpha)
    return p, low, high


def _differences(scores: FloatArray, first: IntArray, second: IntArray, tiny: float) -> FloatArray:
    """Differences (topics, pairs) of the scores (topics, runs) of pairs; 0 where only rounding differs."""
    differences = scores[:, second] - scores[:, first]
    differences[np.abs(differences) <= tiny] = 0.0
    return np.asarray(differences)


def _counted(differences: FloatArray) -> dict[str, IntArray]:
    """Numbers (pairs,) of topics in which the second run is better, worse and equal."""
    signs = np.sign(differences)
    return {name: (signs == sign).sum(axis=0) for name, sign in (("better", 1), ("worse", -1), ("equal", 0))}


def imputed_test(draws: FloatArray, first: IntArray, second: IntArray, *, alpha: float) -> pd.DataFrame:
    """Student's test as in :func:`paired_test`, of drawn scores (topics, runs, draws).

    The variance of a mean difference is the sum of its variance over topics within a draw, which includes the
    uncertainty of one draw, and the variance of its means between draws (Rubin, Multiple Imputation for Nonresponse
    in Surveys, 1987, eq. 3.1.5).
    """
    from scipy.special import stdtr, stdtrit  # loaded late: half of maxent's import time

    topics, _, number = draws.shape
    tiny = TIE * np.abs(draws).max()  # smaller differences are rounding errors
    # 1. of each pair: mean difference, variances within and between draws, and signs over the topics
    mean, within, between = np.empty((3, len(first)))
    better, worse, equal = np.empty((3, len(first)), dtype=np.int64)
    for start in range(0, len(first), PAIRS):
        block = slice(start, start + PAIRS)
        z = draws[:, second[block]] - draws[:, first[block]]  # (topics, block, draws)
        within[block] = z.var(axis=0, ddof=1).mean(axis=-1)
        between[block] = z.mean(axis=0).var(axis=-1, ddof=1)
        topic_means = z.mean(axis=-1)
        topic_means[np.abs(topic_means) <= tiny] = 0.0
        mean[block] = topic_means.mean(axis=0)
        signs = _counted(topic_means)
        better[block], worse[block], equal[block] = signs["better"], signs["worse"], signs["equal"]
    # 2. standard errors: error^2 = within / topics + (1 + 1 / draws) between
    error = np.sqrt(within / topics + (1 + 1 / number) * between)
    # 3. p-values of t = mean / error, effect sizes, and intervals
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(error > tiny, 2 * stdtr(topics - 1, -np.abs(mean) / error), np.where(mean == 0, 1.0, 0.0))
        effect = np.where(mean == 0, 0.0, mean / np.sqrt(within))
    reach = stdtrit(topics - 1, 1 - alpha / 2) * error
    return pd.DataFrame(
        {
            "difference": mean,
            "low": mean - reach,
            "high": mean + reach,
            "p_value": p,
            "effect_size": effect,
            "sd": error * np.sqrt(topics),  # as if the variance between draws fell with the number of topics, too
            "topics": topics,
            "better": better,
            "worse": worse,
            "equal": equal,
        }
    )


def _wilcoxon(z: FloatArray) -> FloatArray:
    """P-values (pairs,) of the signed-rank test, of differences (topics, pairs).

    Pairs with ties or zeros are separate, as SciPy treats them differently; of zeros alone, the p-value is 1.
    """
    from scipy.stats import wilcoxon

    sizes = np.sort(np.abs(z), axis=0)
    are_distinct = (sizes[0] > 0) & (np.diff(sizes, axis=0) > 0).all(axis=0)
    are_zero = sizes[-1] == 0
    p = np.ones(z.shape[1])
    for pairs in (are_distinct, ~are_distinct & ~are_zero):
        if pairs.any():
            p[pairs] = wilcoxon(z[:, pairs], axis=0).pvalue
    return p


def _permutation(
    scores: FloatArray, first: IntArray, second: IntArray, *, replicates: int, seed: int, tiny: float
) -> FloatArray:
    """P-values (pairs,) by the randomisation test; shapes as for :func:`paired_test`.

    Exchanging two values changes the sign of their difference, and the mean difference is the difference of the
    means. Random signs of the runs' values, the same for every run, therefore suffice for all pairs.
    """
    from scipy.stats import permutation_test

    # 1. means of the runs with random signs, (signs, runs), and as observed, (runs,)
    signed_means = permutation_test(
        (scores,),
        np.mean,
        permutation_type="samples",
        n_resamples=replicates,
        batch=100,
        vectorized=True,
        axis=0,
        rng=np.random.default_rng(seed),
    ).null_distribution
    means = scores.mean(axis=0)
    # 2. p = 2 min(signs with a difference at least as large, at least as small) / signs
    observed = 0 if 2.0 ** len(scores) <= replicates else 1  # the observed signs, unless all signs are there
    p = np.empty(len(first))
    for start in range(0, len(first), PAIRS):
        block = slice(start, start + PAIRS)
        signed = signed_means[:, second[block]] - signed_means[:, first[block]]
        difference = means[second[block]] - means[first[block]]
        above, below = (signed >= difference - tiny).sum(axis=0), (signed <= difference + tiny).sum(axis=0)
        one_sided = (np.minimum(above, below) + observed) / (len(signed_means) + observed)
        p[block] = np.minimum(2 * one_sided, 1.0)
    return p


class PairedBootstrap(NamedTuple):
    """Paired bootstrap test of pairs of systems."""

    asl: FloatArray  # (pairs,), achieved significance levels
    reach: FloatArray  # (pairs,), half the width of the interval, which excludes 0 exactly if asl is below alpha
    needed: float  # difference of two means that is needed for significance, the largest over the pairs


def paired_bootstrap(
    scores: FloatArray, first: IntArray, second: IntArray, counts: FloatArray, alpha: float
) -> PairedBootstrap:
    """Bootstrap test of pairs of runs; shapes as for :func:`paired_test`, the method at the top of this file."""
    topics, tiny = len(scores), TIE * np.abs(scores).max()
    enough = hits_needed(alpha, len(counts))
    asl, reach, needed = np.empty(len(first)), np.empty(len(first)), 0.0
    for start in range(0, len(first), PAIRS):
        block = slice(start, start + PAIRS)
        # 1. z and w = z - mean(z), (block, topics); t = abs(mean(z)) / (sd(z) / sqrt(n)), (block, 1)
        z = (scores[:, first[block]] - scores[:, second[block]]).T
        mean = z.mean(axis=1, keepdims=True)
        w = z - mean
        mean[np.abs(mean) <= tiny] = 0.0
        w[np.abs(w).max(axis=1) <= tiny] = 0.0
        variance = (w**2).mean(axis=1, keepdims=True)
        t = _studentise(np.abs(mean), variance, topics)
        # 2. of each replicate b, (block, replicates): var(w_b) = mean(w_b^2) - mean(w_b)^2, and t_b
        means, squares = w @ counts.T / topics, w**2 @ counts.T / topics
        variances = squares - means**2
        variances[variances <= TIE * squares] = 0.0
        means = np.abs(means)
        t_b = _studentise(means, variances, topics)
        # 3. asl = (1 + hits) / (1 + replicates)
        hits = (t_b >= t * (1 - TIE)).sum(axis=1)
        asl[block] = (1 + hits) / (1 + len(counts))
        if not enough:  # no difference is significant
            reach[block], needed = np.where(variance[:, 0] > 0, np.inf, 0.0), np.inf
            continue
        # 4. reach = critical (sd(z) / sqrt(n)), and abs(mean(w_b)) of the replicates with the critical t_b
        critical = np.partition(t_b, -enough, axis=1)[:, [-enough]]
        reach[block] = (critical * np.sqrt(variance / (topics - 1)))[:, 0]
        is_critical = (t_b >= critical * (1 - TIE)) & (t_b <= critical * (1 + TIE))
        needed = max(needed, float(means.max(where=is_critical, initial=0.0)))
    return PairedBootstrap(asl, reach, needed)


def hits_needed(alpha: float, replicates: int, observed: int = 1) -> int:
    """Smallest number of hits that is not significant at level alpha; 0 if there are too few replicates."""
    return ceil(alpha * (replicates + observed) - TIE) - observed


def _studentise(mean: FloatArray, variance: FloatArray, topics: int) -> FloatArray:
    """Mean divided by its standard error; 0 / 0 is 0. ``variance`` has the divisor n, the number of topics."""
    error = np.sqrt(variance / (topics - 1))
    certain = np.where(mean > 0, np.inf, 0.0)
    return np.divide(mean, error, out=certain, where=error > 0)


def samples_needed(
    family: int, topics: int, *, test: str, correction: str | None, alpha: float, replicates: int
) -> tuple[str, ...]:
    """Caution with the samples needed if there are too few for any single comparison to be significant.

    ``family`` is the number of comparisons.
    """
    if test not in ("permutation", "bootstrap"):
        return ()
    sides = 2 if test == "permutation" else 1
    level = lone_level(family, correction, alpha)
    possible = 2.0**topics if test == "permutation" else np.inf  # exchanges; where all are made, p is exact
    least_p = sides / min(replicates + 1, possible)
    if least_p <= level:
        return ()
    caution = (
        f"no p-value is below {least_p:.2g} with {replicates:,} replicates, and one comparison of {family:,} is "
        f"significant on its own at {level:.2g}: "
    )
    if sides / possible > level:
        return (f"{caution}{topics} topics are too few for any number of replicates",)
    return (f"{caution}this takes {ceil(sides / level):,} replicates",)


def lone_level(family: int, correction: str | None, alpha: float) -> float:
    """Largest p-value that is significant if all others of its family are 1: alpha, or for Holm alpha / family."""
    if correction is None:
        return alpha
    harmonic = float(np.sum(1 / np.arange(1, family + 1))) if correction == "fdr_by" else 1.0
    return alpha / (family * harmonic)
