"""Comparison of systems: every run against one or more baselines, or all pairs of runs."""

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.evaluate import Empty, evaluate
from maxent.errors import InputError
from maxent.measures import Measure
from maxent.progress import progress_bar
from maxent.stats.corrections import corrected
from maxent.stats.paired_tests import Test, paired_test, topic_samples, value_tables
from maxent.stats.pairs import against
from maxent.types import IntArray

Baseline = str | int | Sequence[str | int]


def systems_table(
    collection: Collection,
    *,
    measures: Sequence[Measure],
    baseline: Baseline | None = None,
    test: Test = "t",
    correction: str | None = "holm",
    alpha: float = 0.05,
    replicates: int = 10_000,
    empty: Empty = "zero",
    rng: np.random.Generator | int = 0,
    progress: bool = True,
) -> pd.DataFrame:
    """The main table of :func:`maxent.compare_systems`, for a collection."""
    names = np.array(collection.runs, dtype=object)
    first, second = _pairs(collection.runs, baseline)
    values = value_tables(evaluate(collection, measures=measures, empty=empty))
    missing = (collection.missing[:, first] | collection.missing[:, second]).sum(axis=0)
    counts, seed = topic_samples(len(values[0][1]), replicates, rng)
    tables = []
    for measure, of_topics in progress_bar(values, desc="comparing", unit="measure", shown=progress):
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
