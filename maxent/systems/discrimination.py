"""Discriminative power: the share of pairs of systems that a measure tells apart (GAP paper 4.2, figure 3).

``bootstrap`` is the paired test of Sakai (SIGIR 2006). The per-topic differences z of a pair of systems have the
studentised mean

    t = abs(mean(z)) / (sd(z) / sqrt(n)).

The topics of w = z - mean(z) are resampled with replacement; the achieved significance level (ASL) of the pair is
the share of replicates with t_b >= t. The difference needed by a pair is abs(mean(w_b)) of the replicate at the
critical value of t_b, that of a measure the largest over its pairs.

``hsd`` is the randomised Tukey test (honestly significant difference). The values of the systems are shuffled
within every topic; the level of a pair is the share of replicates in which the largest difference between two means
is at least that of the pair. The difference needed is the critical value of the largest difference. The test
corrects for testing all pairs at once; a level therefore depends on which systems take part.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.errors import InputError, ProblemError
from maxent.progress import progress_bar
from maxent.texts import many
from maxent.types import FloatArray, IntArray

METHODS = ("bootstrap", "hsd")
TIDY = ("run_id", "query_id", "measure", "value")
SAME = 1e-12  # relative difference up to which two numbers count as equal: rounding errors must not split ties
BLOCK = 128  # pairs at a time: their replicates stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Discrimination:
    """How well measures tell systems apart.

    Attributes
    ----------
    pairs : DataFrame
        One row per measure and pair of runs: measure, run_a, run_b, difference (mean of run_a minus mean of run_b),
        asl (achieved significance level).
    power : DataFrame
        One row per measure: measure, power (share of pairs whose asl is below alpha), difference_needed (difference
        of two means that is needed for significance).
    """

    pairs: pd.DataFrame
    power: pd.DataFrame

    def __repr__(self) -> str:
        shares = ", ".join(f"{row['measure']} {row['power']:.0%}" for row in self.power.to_dict("records"))
        pairs = len(self.pairs) // max(len(self.power), 1)
        return f"Discrimination(significant of {many(pairs, 'pair')}: {shares})"

    def _repr_html_(self) -> str:
        return self.power.to_html(index=False, float_format="{:.4f}".format, na_rep="-")  # escapes names


def discriminative_power(
    values: pd.DataFrame,
    *,
    method: str = "bootstrap",
    alpha: float = 0.05,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
    progress: bool = True,
) -> Discrimination:
    """Significance level of every pair of systems by every measure, and the share of pairs that are significant.

    The top of this module describes the two tests. All pairs and measures use the same replicates.

    Parameters
    ----------
    values : DataFrame
        From :func:`maxent.evaluate` (columns run_id, query_id, measure, value), or values of one measure as a table
        with a row for each topic and a column for each system; that measure is called ``value``.
    method : {"bootstrap", "hsd"}
        Paired bootstrap test, or randomised Tukey test.
    alpha : float
        Significance level.
    replicates : int
        Number of samples. If there are no more different shuffles than that, ``hsd`` uses each of them once.
    rng : Generator or int
        Generator or seed of the samples.
    progress : bool
        Show a progress bar on a terminal if the tests take more than two seconds.

    Returns
    -------
    Discrimination
        Two systems with equal values in all topics have level 1. With ``bootstrap``, two that differ by the same
        amount in all topics have level 0, as no replicate reaches their infinite t.

    Raises
    ------
    InputError
        If a value is missing or not finite, a row is there twice, or there are fewer than two runs or topics.
    ProblemError
        If an option makes no sense.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> values = me.evaluate(runs, qrels, measures=["AP", "P@10"], depth=100)
    >>> found = me.discriminative_power(values)
    >>> found.power.round(2)
      measure  power  difference_needed
    0      AP   0.53               0.08
    1    P@10   0.47               0.26
    >>> found.pairs.head(2).round(2)
      measure    run_a    run_b  difference   asl
    0      AP  system1  system2       -0.02  0.38
    1      AP  system1  system3       -0.15  0.03
    """
    if method not in METHODS:
        raise ProblemError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    if not 0 < alpha < 1 or replicates < 1:
        raise ProblemError(f"alpha must be in (0, 1), replicates positive; got {alpha} and {replicates}")
    measures = list(_tables(values))
    generator = np.random.default_rng(rng)
    topics = len(measures[0][1])
    counts = generator.multinomial(topics, np.full(topics, 1 / topics), size=replicates).astype(float)
    seed = int(generator.integers(2**63))
    pairs, power = [], []
    for name, table in progress_bar(measures, desc=method, unit="measure", shown=progress):
        scores = table.to_numpy(dtype=np.float64)
        first, second = np.triu_indices(scores.shape[1], 1)
        if method == "bootstrap":
            asl, _, needed = paired_bootstrap(scores, first, second, counts, alpha)
        else:
            asl, needed = _hsd(scores, replicates, alpha, np.random.default_rng(seed))
        means, runs = scores.mean(axis=0), table.columns.to_numpy()
        found = {
            "run_a": runs[first],
            "run_b": runs[second],
            "difference": means[first] - means[second],
            "asl": asl,
        }
        pairs.append(pd.DataFrame({"measure": name, **found}))
        power.append((name, float((asl < alpha).mean()), needed))
    columns = ["measure", "power", "difference_needed"]
    return Discrimination(pd.concat(pairs, ignore_index=True), pd.DataFrame(power, columns=columns))


def top_pairs(pairs: pd.DataFrame, top: int) -> pd.DataFrame:
    """Pairs of runs that are both among the best of their measure, by mean value.

    Parameters
    ----------
    pairs : DataFrame
        ``Discrimination.pairs``.
    top : int
        Number of best runs.

    Returns
    -------
    DataFrame
        Rows of ``pairs``, measure by measure.
    """

    def keep(rows: pd.DataFrame) -> pd.DataFrame:
        ahead = (
            rows.groupby("run_a")["difference"].sum().sub(rows.groupby("run_b")["difference"].sum(), fill_value=0)
        )
        best = set(ahead.sort_values(ascending=False, kind="stable").index[:top])
        return rows[rows["run_a"].isin(best) & rows["run_b"].isin(best)]

    return pd.concat([keep(rows) for _, rows in pairs.groupby("measure", sort=False)], ignore_index=True)


def _tables(values: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every measure and its table of values, a row for each topic and a column for each run."""
    if not set(TIDY) <= set(values.columns):
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
    for measure in measures:
        yield str(measure), cube[measure]


class PairedBootstrap(NamedTuple):
    """Paired bootstrap test of pairs of systems.

    Attributes
    ----------
    asl : (pairs,) array
        Achieved significance level.
    reach : (pairs,) array
        Half the width of the interval of the difference: critical value of t_b times standard error. The interval
        around the difference leaves 0 out exactly if ``asl`` is below alpha.
    needed : float
        Difference of two means that is needed for significance.
    """

    asl: FloatArray
    reach: FloatArray
    needed: float


def paired_bootstrap(
    scores: FloatArray, first: IntArray, second: IntArray, counts: FloatArray, alpha: float
) -> PairedBootstrap:
    """Bootstrap test of pairs of systems by one measure.

    Parameters
    ----------
    scores : (topics, runs) array
        Values of the measure.
    first, second : (pairs,) arrays
        Positions of the runs of each pair.
    counts : (replicates, topics) array
        How often each topic is in each replicate.
    alpha : float
        Significance level.
    """
    topics, tiny = len(scores), SAME * np.abs(scores).max()
    order = len(counts) - ceil(alpha * len(counts) - SAME)  # index of the critical value in increasing order
    asl, reach, needed = np.empty(len(first)), np.empty(len(first)), 0.0
    for start in range(0, len(first), BLOCK):
        block = slice(start, start + BLOCK)
        z = (scores[:, first[block]] - scores[:, second[block]]).T
        mean = z.mean(axis=1, keepdims=True)
        w = z - mean
        mean[np.abs(mean) <= tiny] = 0.0
        w[np.abs(w).max(axis=1) <= tiny] = 0.0
        variance = (w**2).mean(axis=1, keepdims=True)
        t = _studentised(np.abs(mean), variance, topics)
        means, squares = w @ counts.T / topics, w**2 @ counts.T / topics
        variances = squares - means**2
        variances[variances <= SAME * squares] = 0.0
        means = np.abs(means)
        replicates = _studentised(means, variances, topics)
        asl[block] = (replicates >= t * (1 - SAME)).mean(axis=1)
        critical = np.partition(replicates, order, axis=1)[:, [order]]
        reach[block] = (critical * np.sqrt(variance / (topics - 1)))[:, 0]
        tied = (replicates >= critical * (1 - SAME)) & (replicates <= critical * (1 + SAME))
        needed = max(needed, float(means.max(where=tied, initial=0.0)))
    return PairedBootstrap(asl, reach, needed)


def _studentised(mean: FloatArray, variance: FloatArray, topics: int) -> FloatArray:
    """Mean divided by its standard error; 0 / 0 is 0. ``variance`` has the divisor n, the number of topics."""
    error = np.sqrt(variance / (topics - 1))
    certain = np.where(mean > 0, np.inf, 0.0)
    return np.divide(mean, error, out=certain, where=error > 0)


def _hsd(scores: FloatArray, replicates: int, alpha: float, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Level of every pair by the randomised Tukey test, and the difference needed."""
    from scipy.stats import permutation_test  # loaded late: half of maxent's import time

    test = permutation_test(
        tuple(scores.T), _largest, permutation_type="samples", n_resamples=replicates, batch=100, vectorized=True,
        alternative="greater", rng=rng,
    )  # fmt: skip
    largest = np.sort(test.null_distribution)
    means = scores.mean(axis=0)
    first, second = np.triu_indices(scores.shape[1], 1)
    difference = np.abs(means[first] - means[second])
    reached = len(largest) - np.searchsorted(largest, difference * (1 - SAME) - SAME * np.abs(scores).max())
    return reached / len(largest), float(largest[len(largest) - ceil(alpha * len(largest) - SAME)])


def _largest(*systems: FloatArray, axis: int) -> FloatArray:
    """Largest difference between two systems' means."""
    means = [values.mean(axis=axis) for values in systems]
    return np.asarray(np.max(means, axis=0) - np.min(means, axis=0))
