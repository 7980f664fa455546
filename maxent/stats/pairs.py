"""Tables of pairs of runs: selected by a baseline or among the best runs, and summarised for each run."""

from typing import get_args

import pandas as pd

from maxent.checks import check_choice
from maxent.errors import ProblemError
from maxent.options.choices import BestBy

BEST_BY: tuple[BestBy, ...] = get_args(BestBy)
SIGNED = ["difference", "low", "high", "effect_size"]  # columns that change sign with the direction of a pair
COMPARED = ("measure", "baseline", "run_id", "mean_baseline", "mean", *SIGNED, "reject", "better", "worse")


def against(table: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """All comparisons with one run as the baseline; signs change if the table has it as the other run."""
    turned = table[table["run_id"] == baseline]
    exchanged = (("baseline", "run_id"), ("mean_baseline", "mean"), ("low", "high"), ("better", "worse"))
    turned = turned.rename(columns=dict(exchanged) | {second: first for first, second in exchanged})
    turned[SIGNED] = -turned[SIGNED]
    comparisons = pd.concat([table[table["baseline"] == baseline], turned[table.columns]]).sort_index()
    if comparisons.empty:
        raise ProblemError(f"no comparison with {baseline!r}; baselines: {', '.join(table['baseline'].unique())}")
    return comparisons


def top_pairs(pairs: pd.DataFrame, top: int, *, by: str = "each") -> pd.DataFrame:
    """Pairs of the ``top`` best runs by mean of each measure, or of the runs among the best by all measures.

    ``both`` is the "top 15 by both metrics" of the GAP paper (4.2): runs among the best by every measure, often
    fewer than ``top``.
    """
    check_choice("by", by, BEST_BY, raises=ProblemError)
    best = {name: _best_runs(rows, top) for name, rows in pairs.groupby("measure", sort=False)}
    if by == "both":
        best = dict.fromkeys(best, set.intersection(*best.values()))
    best_runs = pairs["measure"].map(best)
    among_best = [
        a in runs and b in runs for a, b, runs in zip(pairs["run_a"], pairs["run_b"], best_runs, strict=True)
    ]
    return pairs[among_best].reset_index(drop=True)


def _best_runs(rows: pd.DataFrame, top: int) -> set[str]:
    """The best runs by one measure, by the sum of their differences from the other runs."""
    ahead = rows.groupby("run_a")["difference"].sum().sub(rows.groupby("run_b")["difference"].sum(), fill_value=0)
    return set(ahead.sort_values(ascending=False, kind="stable").index[:top])


def run_means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean of each run, a row for each run and a column for each measure."""
    columns = ["measure", "run_id", "mean"]
    baselines = table[["measure", "baseline", "mean_baseline"]].set_axis(columns, axis=1)
    runs = pd.concat([baselines, table[columns]]).drop_duplicates(["measure", "run_id"])
    return runs.pivot(index="run_id", columns="measure", values="mean")[list(table["measure"].unique())]


def won_and_lost(table: pd.DataFrame) -> pd.DataFrame:
    """Runs by each measure, the best first: mean, and numbers of significantly worse and better runs."""
    rankings = {}
    for measure, means in run_means(table).items():
        significant = table[(table["measure"] == measure) & table["reject"]]
        run, baseline = significant["run_id"], significant["baseline"]
        is_ahead = significant["difference"] > 0  # the run, of its baseline
        winners, losers = run.where(is_ahead, baseline), baseline.where(is_ahead, run)
        won, lost = (runs.value_counts().reindex(means.index, fill_value=0) for runs in (winners, losers))
        ranking = pd.DataFrame({"mean": means, "better": won, "worse": lost})
        rankings[str(measure)] = ranking.sort_values("mean", ascending=False, kind="stable")
    return pd.concat(rankings, names=["measure", "run_id"]).reset_index()


def by_run(counts: pd.DataFrame) -> pd.DataFrame:
    """A row for each run, by the first measure: means, and numbers of significantly worse and better runs."""
    columns = [
        rows.set_index("run_id")[["mean", "better", "worse"]].rename(columns={"mean": measure})
        for measure, rows in counts.groupby("measure", sort=False)
    ]
    return pd.concat(columns, axis=1).loc[columns[0].index].reset_index()


def differences(table: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Runs sorted by their mean of the first measure, with differences from a baseline and test results."""
    rows = against(table[table["measure"] == table["measure"].iloc[0]], baseline)
    rows = rows.sort_values("mean", ascending=False, kind="stable")
    return rows[["measure", "baseline", "run_id", "mean", "difference", "low", "high", "p_value_corrected"]]
