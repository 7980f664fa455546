"""Comparison of systems: every run against one or more baselines, or all pairs of runs."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection, collect
from maxent.data.evaluate import EMPTY, Empty, evaluate
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import CollectOptions
from maxent.errors import InputError, ProblemError
from maxent.measures import Measure, as_measures
from maxent.options import takes
from maxent.progress import progress_bar
from maxent.stats.corrections import CORRECTIONS, corrected
from maxent.stats.paired_tests import TESTS, check_level, paired_test, topic_samples, value_tables
from maxent.stats.pairs import against
from maxent.types import IntArray

Baseline = str | int | Sequence[str | int]


@takes(CollectOptions)
def compare_systems(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str],
    baseline: Baseline | None = None,
    test: str = "t",
    correction: str | None = "holm",
    alpha: float = 0.05,
    replicates: int = 10_000,
    empty: Empty = "zero",
    rng: np.random.Generator | int = 0,
    **options: Unpack[CollectOptions],
) -> pd.DataFrame:
    """Significance tests of runs against baselines, or of all pairs of runs, by one or more measures.

    docs/comparing_systems.md describes tests, intervals, effect size and degenerate cases.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`, or a `Collection` alone. A topic that is missing from a run is an empty list,
        as in :func:`maxent.evaluate`.
    measures : sequence of Measure or text
        Measures; the p-values of each are corrected on their own.
    baseline : str, int or sequence of these, optional
        Names or positions of the runs that the others are compared with; default: every pair of runs. Of two
        baselines the first one named is the baseline of the other, so that no pair is tested twice.
    test : {"t", "permutation", "wilcoxon", "bootstrap"}
        Paired test.
    correction : str, optional
        Correction for the number of comparisons of a measure: holm or bonferroni (error rate of the family), fdr_bh
        or fdr_by (false discovery rate; Benjamini and Hochberg, Benjamini and Yekutieli). None corrects nothing.
    alpha : float
        Significance level; intervals have level 1 - alpha.
    replicates : int
        Number of random exchanges or bootstrap samples, the same for all pairs and measures.
    empty
        As for :func:`maxent.evaluate`: topics without relevant documents count 0 (``zero``), or are left out
        (``skip``).
    rng : Generator or int
        Generator or seed of the replicates.

    Returns
    -------
    DataFrame
        One row per measure, baseline and other run: measure, baseline, run_id, mean_baseline, mean (of the other
        run), difference (mean minus mean_baseline), low and high (its confidence interval), p_value,
        p_value_corrected, reject (whether the corrected p-value is significant), effect_size, topics (their
        number), better, worse and equal (numbers of topics in which the run is better or worse than the baseline,
        or equal to it), missing (number of topics with relevant documents for which one of the two runs has none).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=4, topics=10, depth=100)
    >>> table = me.compare_systems(runs, qrels, measures=["AP", "P@10"], baseline="system1", depth=100)
    >>> table[["measure", "run_id", "difference", "low", "high", "p_value_corrected", "reject"]].head(3).round(2)
      measure   run_id  difference   low  high  p_value_corrected  reject
    0      AP  system2        0.02 -0.05  0.10               0.69   False
    1      AP  system3       -0.07 -0.14 -0.01               0.10   False
    2      AP  system4       -0.03 -0.08  0.03               0.69   False
    """
    chosen = tuple(dict.fromkeys(as_measures(measures)))
    check_choice("test", test, TESTS, raises=ProblemError)
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS, raises=ProblemError)
    check_level(alpha, replicates)
    check_choice("empty", empty, EMPTY, raises=InputError)
    collection = collect(runs, qrels, **options)
    names = np.array(collection.runs, dtype=object)
    first, second = _pairs(collection.runs, baseline)
    values = value_tables(evaluate(collection, measures=chosen, empty=empty))
    missing = (collection.missing[:, first] | collection.missing[:, second]).sum(axis=0)
    counts, seed = topic_samples(len(values[0][1]), replicates, rng)
    tables = []
    for measure, of_topics in progress_bar(values, desc="comparing", unit="measure", shown=options["progress"]):
        scores = np.asfortranarray(of_topics, dtype=np.float64)  # topics side by side in memory: sums round alike
        keys = {"measure": measure, "baseline": names[first], "run_id": names[second]}
        means = {"mean_baseline": scores.mean(axis=0)[first], "mean": scores.mean(axis=0)[second]}
        found = paired_test(scores, first, second, test=test, alpha=alpha, counts=counts, seed=seed)
        found.insert(4, "p_value_corrected", corrected(found["p_value"], correction))
        found.insert(5, "reject", found["p_value_corrected"] <= alpha)
        tables.append(pd.DataFrame(keys | means).join(found).assign(missing=missing))
    return pd.concat(tables, ignore_index=True)


def run_means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean of each run, a row for each run and a column for each measure."""
    first = table[["measure", "baseline", "mean_baseline"]].set_axis(["measure", "run_id", "mean"], axis=1)
    both = pd.concat([first, table[["measure", "run_id", "mean"]]]).drop_duplicates(["measure", "run_id"])
    return both.pivot(index="run_id", columns="measure", values="mean")[list(table["measure"].unique())]


def won_and_lost(table: pd.DataFrame) -> pd.DataFrame:
    """Runs by each measure, the best first: mean, and how many runs it is significantly better and worse than."""
    parts = {}
    for measure, means in run_means(table).items():
        rows = table[(table["measure"] == measure) & table["reject"]]
        up = rows["difference"] > 0
        sides = rows["run_id"].where(up, rows["baseline"]), rows["baseline"].where(up, rows["run_id"])
        better, worse = (side.value_counts().reindex(means.index, fill_value=0) for side in sides)
        own = pd.DataFrame({"mean": means, "better": better, "worse": worse})
        parts[str(measure)] = own.sort_values("mean", ascending=False, kind="stable")
    return pd.concat(parts, names=["measure", "run_id"]).reset_index()


def by_run(counts: pd.DataFrame) -> pd.DataFrame:
    """A row for each run, by the first measure: its mean by each, and how many runs it is better and worse than."""
    columns = [
        rows.set_index("run_id")[["mean", "better", "worse"]].rename(columns={"mean": measure})
        for measure, rows in counts.groupby("measure", sort=False)
    ]
    return pd.concat(columns, axis=1).loc[columns[0].index].reset_index()


def differences(table: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Runs by their mean by a table's first measure, their differences to a baseline, and what a test says."""
    rows = against(table[table["measure"] == table["measure"].iloc[0]], baseline)
    rows = rows.sort_values("mean", ascending=False, kind="stable")
    return rows[["measure", "baseline", "run_id", "mean", "difference", "low", "high", "p_value_corrected"]]


def _pairs(runs: Sequence[str], baseline: Baseline | None) -> tuple[IntArray, IntArray]:
    """Positions of baselines and other runs; no pair is there twice."""
    if baseline is None:
        return np.triu_indices(len(runs), 1)
    named = [baseline] if isinstance(baseline, str | int | np.integer) else list(baseline)
    chosen = list(dict.fromkeys(_position(runs, name) for name in named))
    if not chosen:
        raise InputError("no baseline in the list; leave baseline out to compare all pairs of runs")
    pairs = [(b, r) for k, b in enumerate(chosen) for r in range(len(runs)) if r not in chosen[: k + 1]]
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second


def _position(runs: Sequence[str], baseline: object) -> int:
    """Position of a run that is given by name or position."""
    if isinstance(baseline, int | np.integer) and not isinstance(baseline, bool) and 0 <= baseline < len(runs):
        return int(baseline)
    if baseline in runs:
        return runs.index(str(baseline))
    near = get_close_matches(str(baseline), runs, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(runs)}"
    raise InputError(f"baseline {baseline!r} is no run; {hint}")
