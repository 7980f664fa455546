"""Discriminative power: the share of pairs of systems that a measure tells apart (GAP paper 4.2, figure 3).

``bootstrap`` is the paired test of Sakai, see ``paired_tests``; the difference needed by a measure is the largest
over its pairs. ``hsd`` is the randomised Tukey test (honestly significant difference), in which the values of the
systems are shuffled within every topic. The level of a pair is (1 + hits) / (1 + replicates), where hits are the
replicates in which the largest difference between two means is at least that of the pair; where all shuffles are
used, their share is the exact level. The difference needed is the critical value of the largest difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection
from maxent.data.evaluate import Empty, evaluate
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import CollectOptions
from maxent.errors import ProblemError
from maxent.measures import Measure
from maxent.options import takes
from maxent.progress import progress_bar
from maxent.stats.paired_tests import TIE, check_level, hits_needed, paired_bootstrap, topic_samples, value_tables
from maxent.stats.pairs import top_pairs
from maxent.texts import many
from maxent.types import FloatArray

METHODS = ("bootstrap", "hsd")


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


@takes(CollectOptions)
def discriminative_power(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    method: str = "bootstrap",
    alpha: float = 0.05,
    replicates: int = 1000,
    empty: Empty = "zero",
    rng: np.random.Generator | int = 0,
    **options: Unpack[CollectOptions],
) -> Discrimination:
    """Significance level of every pair of systems by every measure, and the share of pairs that are significant.

    The two tests are described at the top of this module. All pairs and measures use the same replicates.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`, or a `Collection` alone. In their place a table of values: that of
        :func:`maxent.evaluate`, or values of one measure with a row for each topic and a column for each system,
        which is called ``value``.
    measures : sequence of Measure or text, optional
        Measures; a table of values has its own.
    method : {"bootstrap", "hsd"}
        Paired bootstrap test, or randomised Tukey test.
    alpha : float
        Significance level.
    replicates : int
        Number of samples. If there are no more different shuffles than that, ``hsd`` uses each of them once.
    empty
        As for :func:`maxent.evaluate`: topics without relevant documents count 0 (``zero``), or are left out
        (``skip``).
    rng : Generator or int
        Generator or seed of the samples.

    Returns
    -------
    Discrimination
        Two systems with equal values in all topics have level 1. No level is below 1 / (replicates + 1). Where
        alpha is not above that, no pair is significant, and the difference needed is infinite.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> found = me.discriminative_power(runs, qrels, measures=["AP", "P@10"], depth=100)
    >>> found.power.round(2)
      measure  power  difference_needed
    0      AP   0.53               0.08
    1    P@10   0.47               0.26
    """
    check_choice("method", method, METHODS, raises=ProblemError)
    check_level(alpha, replicates)
    if isinstance(runs, pd.DataFrame) and qrels is None:
        values = runs
    elif measures is None:
        raise ProblemError("measures: none given; only a table of values has its own")
    else:
        values = evaluate(runs, qrels, measures=measures, empty=empty, **options)
    tables = value_tables(values)
    counts, seed = topic_samples(len(tables[0][1]), replicates, rng)
    pairs, power = [], []
    for name, table in progress_bar(tables, desc=method, unit="measure", shown=options["progress"]):
        scores = table.to_numpy(dtype=np.float64)
        first, second = np.triu_indices(scores.shape[1], 1)
        if method == "bootstrap":
            asl, _, needed = paired_bootstrap(scores, first, second, counts, alpha)
        else:
            asl, needed = _hsd(scores, replicates, alpha, np.random.default_rng(seed))
        means, names = scores.mean(axis=0), table.columns.to_numpy()
        runs_of = {"measure": name, "run_a": names[first], "run_b": names[second]}
        pairs.append(pd.DataFrame({**runs_of, "difference": means[first] - means[second], "asl": asl}))
        power.append((name, float((asl < alpha).mean()), needed))
    columns = ["measure", "power", "difference_needed"]
    return Discrimination(pd.concat(pairs, ignore_index=True), pd.DataFrame(power, columns=columns))


def top_power(pairs: pd.DataFrame, top: int, *, alpha: float = 0.05, by: str = "each") -> pd.DataFrame:
    """Share of the significant pairs of :func:`top_pairs`: measure, runs, pairs, power (NaN without pairs)."""
    kept = top_pairs(pairs, top, by=by)
    rows = []
    for measure in pairs["measure"].unique():
        own = kept[kept["measure"] == measure]
        runs = len({*own["run_a"], *own["run_b"]})
        rows.append((measure, runs, len(own), (own["asl"] < alpha).mean()))
    return pd.DataFrame(rows, columns=["measure", "runs", "pairs", "power"])


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
    hits = len(largest) - np.searchsorted(largest, difference * (1 - TIE) - TIE * np.abs(scores).max())
    observed = 0 if factorial(scores.shape[1]) ** len(scores) <= replicates else 1  # it is among all shuffles
    enough = hits_needed(alpha, len(largest), observed)
    return (hits + observed) / (len(largest) + observed), float(largest[-enough]) if enough else np.inf


def _largest(*systems: FloatArray, axis: int) -> FloatArray:
    """Largest difference between two systems' means."""
    means = [values.mean(axis=axis) for values in systems]
    return np.asarray(np.max(means, axis=0) - np.min(means, axis=0))
