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
from maxent.errors import InputError, ProblemError, quoted, require_columns
from maxent.limits import REPETITIONS
from maxent.options.choices import Test
from maxent.stats.topic_weights import pseudo_values
from maxent.types import FloatArray, IntArray

TESTS: tuple[Test, ...] = get_args(Test)
VALUE_COLUMNS = ("run_id", "query_id", "measure", "value")
VALUES = 'me.evaluate(...).tables["values"]'
TIE = 1e-12  # relative difference up to which two numbers count as equal: rounding errors must not split ties
PAIRS = 128  # at a time: their replicates stay in the processor's cache


def check_level(alpha: float, replicates: int, *, name: str = "alpha") -> None:
    """Raise ProblemError unless the level is in (0, 1) and the number of samples is within its limits."""
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise ProblemError(f"{name} must be in (0, 1), got {quoted(alpha)}")
    whole_number("replicates", replicates, raises=ProblemError, limit=REPETITIONS)


def value_tables(values: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Every measure and its table of values: a row for each topic, a column for each run."""
    if not isinstance(values, pd.DataFrame):
        raise InputError(f"values: {type(values).__name__}, expected a DataFrame such as {VALUES}")
    if "run_id" in values.columns:
        require_columns(values, VALUE_COLUMNS, f"values, such as {VALUES}")
    else:
        wide = values.rename_axis(index="query_id", columns="run_id").reset_index()
        values = wide.melt(id_vars="query_id", value_name="value").assign(measure="value")
    twice = values.duplicated(["run_id", "query_id", "measure"])
    if twice.any():
        row = values[twice].iloc[0]
        raise InputError(f"two values of {row['measure']}, run {row['run_id']!r}, topic {row['query_id']!r}")
    cube = values.pivot(index="query_id", columns=["measure", "run_id"], values="value")
    measures, runs = values["measure"].unique(), values["run_id"].unique()
    if len(cube) < 2 or len(runs) < 2:
        raise InputError(f"{len(runs)} runs and {len(cube)} topics: a test needs at least two of each")
    cube = cube.reindex(index=values["query_id"].unique(), columns=pd.MultiIndex.from_product([measures, runs]))
    wrong = np.argwhere(~np.isfinite(cube.to_numpy(dtype=np.float64)))
    if len(wrong):
        topic, (measure, run) = cube.index[wrong[0, 0]], cube.columns[wrong[0, 1]]
        value = cube.iloc[wrong[0, 0], wrong[0, 1]]
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
    tiny = TIE * np.abs(scores).max()
    signs = _differences(scores, first, second, tiny)
    # 1. mean and standard deviation of the differences
    weighted = scores if weights is None else pseudo_values(scores, weights)
    z = signs if weights is None else _differences(weighted, first, second, tiny)
    mean = z.mean(axis=0)
    sd = np.where(np.abs(z - mean).max(axis=0) > tiny, z.std(axis=0, ddof=1), 0.0)
    # 2. p-values and intervals
    p, low, high = np.where(mean == 0, 1.0, 0.0), mean.copy(), mean.copy()
    if test == "t":
        from scipy.stats import ttest_rel  # loaded late: half of maxent's import time

        varied = sd > 0
        outcome = ttest_rel(weighted[:, second[varied]], weighted[:, first[varied]])
        p[varied], (low[varied], high[varied]) = outcome.pvalue, outcome.confidence_interval(1 - alpha)
    else:
        asl, reach, _ = paired_bootstrap(weighted, first, second, counts, alpha)
        low, high = mean - reach, mean + reach
        if test == "bootstrap":
            p = asl
        elif test == "wilcoxon":
            # Differences that are equal but for rounding, as .3 - .2 and .1 - 0 of P@10, are ties. SciPy, given the
            # differences themselves, ranks them apart and, finding no tie, takes the distribution without ties.
            p = _wilcoxon(np.round(z / (tiny or 1.0)))
        else:  # the sum of w_t z_t is the weighted mean, whatever the signs
            shares = 1.0 if weights is None else (weights / weights.mean())[:, None]
            p = _permutation(shares * scores, first, second, replicates=len(counts), seed=seed, tiny=tiny)
    # 3. the size of the differences, and their signs over the topics
    effect = np.divide(mean, sd, out=np.copysign(np.where(mean == 0, 0.0, np.inf), mean), where=sd > 0)
    return pd.DataFrame(
        {"difference": mean, "low": low, "high": high, "p_value": p, "effect_size": effect, "sd": sd}
        | {"topics": len(z), **_counted(signs)}
    )


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
    tiny, parts = TIE * np.abs(draws).max(), []
    for start in range(0, len(first), PAIRS):
        z = draws[:, second[start : start + PAIRS]] - draws[:, first[start : start + PAIRS]]
        within, between = z.var(axis=0, ddof=1).mean(axis=-1), z.mean(axis=0).var(axis=-1, ddof=1)
        topic_means = z.mean(axis=-1)
        topic_means[np.abs(topic_means) <= tiny] = 0.0
        signs = [(sign == np.sign(topic_means)).sum(axis=0) for sign in (1, -1, 0)]
        parts.append(
            np.vstack([topic_means.mean(axis=0), within, within / topics + (1 + 1 / number) * between, *signs])
        )
    mean, within, variance, better, worse, equal = np.hstack(parts)
    error = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(error > tiny, 2 * stdtr(topics - 1, -np.abs(mean) / error), np.where(mean == 0, 1.0, 0.0))
        effect = np.where(mean == 0, 0.0, mean / np.sqrt(within))
    reach = stdtrit(topics - 1, 1 - alpha / 2) * error
    ends = {"difference": mean, "low": mean - reach, "high": mean + reach, "p_value": p, "effect_size": effect}
    ends["sd"] = error * np.sqrt(topics)  # as if the variance between draws fell with the number of topics, too
    numbers = {"topics": np.full(len(mean), topics), "better": better, "worse": worse, "equal": equal}
    return pd.DataFrame(ends | {name: number.astype(int) for name, number in numbers.items()})


def _wilcoxon(z: FloatArray) -> FloatArray:
    """P-values of the signed-rank test; pairs with ties or zeros are separate, as SciPy treats them differently."""
    from scipy.stats import wilcoxon

    size = np.sort(np.abs(z), axis=0)
    clear = (size[0] > 0) & (np.diff(size, axis=0) > 0).all(axis=0)
    p = np.ones(z.shape[1])
    for pairs in (clear, ~clear & (size[-1] > 0)):
        if pairs.any():
            p[pairs] = wilcoxon(z[:, pairs], axis=0).pvalue
    return p


def _permutation(
    scores: FloatArray, first: IntArray, second: IntArray, *, replicates: int, seed: int, tiny: float
) -> FloatArray:
    """P-values by the randomisation test.

    Exchanging two values changes the sign of their difference, and the mean difference is the difference of the
    means. Random signs of the runs' values, the same for every run, therefore suffice for all pairs.
    """
    from scipy.stats import permutation_test

    null = permutation_test(
        (scores,),
        np.mean,
        permutation_type="samples",
        n_resamples=replicates,
        batch=100,
        vectorized=True,
        axis=0,
        rng=np.random.default_rng(seed),
    ).null_distribution  # (signs, runs)
    observed = scores.mean(axis=0)
    more = 0 if 2.0 ** len(scores) <= replicates else 1  # the observed signs, unless all signs are there
    p = np.empty(len(first))
    for start in range(0, len(first), PAIRS):
        a, b = first[start : start + PAIRS], second[start : start + PAIRS]
        sampled, mean = null[:, b] - null[:, a], observed[b] - observed[a]
        fewest = np.minimum((sampled >= mean - tiny).sum(axis=0), (sampled <= mean + tiny).sum(axis=0))
        p[start : start + PAIRS] = np.minimum(2 * (fewest + more) / (len(null) + more), 1.0)
    return p


class PairedBootstrap(NamedTuple):
    """Paired bootstrap test of pairs of systems."""

    asl: FloatArray  # (pairs,), achieved significance levels
    reach: FloatArray  # (pairs,), half the width of the interval, which excludes 0 exactly if asl is below alpha
    needed: float  # difference of two means that is needed for significance, the largest over the pairs


def paired_bootstrap(
    scores: FloatArray, first: IntArray, second: IntArray, counts: FloatArray, alpha: float
) -> PairedBootstrap:
    """Bootstrap test of pairs of runs; shapes as for :func:`paired_test`."""
    topics, tiny = len(scores), TIE * np.abs(scores).max()
    enough = hits_needed(alpha, len(counts))
    asl, reach, needed = np.empty(len(first)), np.empty(len(first)), 0.0
    for start in range(0, len(first), PAIRS):
        block = slice(start, start + PAIRS)
        z = (scores[:, first[block]] - scores[:, second[block]]).T
        mean = z.mean(axis=1, keepdims=True)
        w = z - mean
        mean[np.abs(mean) <= tiny] = 0.0
        w[np.abs(w).max(axis=1) <= tiny] = 0.0
        variance = (w**2).mean(axis=1, keepdims=True)
        t = _studentise(np.abs(mean), variance, topics)
        means, squares = w @ counts.T / topics, w**2 @ counts.T / topics
        variances = squares - means**2
        variances[variances <= TIE * squares] = 0.0
        means = np.abs(means)
        replicates = _studentise(means, variances, topics)
        asl[block] = (1 + (replicates >= t * (1 - TIE)).sum(axis=1)) / (1 + len(counts))
        if not enough:
            reach[block], needed = np.where(variance[:, 0] > 0, np.inf, 0.0), np.inf
            continue
        critical = np.partition(replicates, -enough, axis=1)[:, [-enough]]
        reach[block] = (critical * np.sqrt(variance / (topics - 1)))[:, 0]
        tied = (replicates >= critical * (1 - TIE)) & (replicates <= critical * (1 + TIE))
        needed = max(needed, float(means.max(where=tied, initial=0.0)))
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
    """Caution with the samples needed if there are too few for any single comparison to be significant."""
    if test not in ("permutation", "bootstrap"):
        return ()
    sides = 2 if test == "permutation" else 1
    level = lone_level(family, correction, alpha)
    possible = 2.0**topics if test == "permutation" else np.inf  # exchanges; where all are made, p is exact
    least = sides / min(replicates + 1, possible)
    if least <= level:
        return ()
    line = (
        f"no p-value is below {least:.2g} with {replicates:,} replicates, and one comparison of {family:,} is "
        f"significant on its own at {level:.2g}: "
    )
    if sides / possible > level:
        return (f"{line}{topics} topics are too few for any number of replicates",)
    return (f"{line}this takes {ceil(sides / level):,} replicates",)


def lone_level(family: int, correction: str | None, alpha: float) -> float:
    """Largest p-value that is significant if all others of its family are 1: alpha, or for Holm alpha / family."""
    if correction is None:
        return alpha
    harmonic = float(np.sum(1 / np.arange(1, family + 1))) if correction == "fdr_by" else 1.0
    return alpha / (family * harmonic)
