"""Selections from tables of pairs of runs: by a baseline, and among the best runs."""

from typing import Literal, get_args

import pandas as pd

from maxent.checks import check_choice
from maxent.errors import ProblemError

BestBy = Literal["each", "both"]
BEST_BY: tuple[BestBy, ...] = get_args(BestBy)
SIGNED = ["difference", "low", "high", "effect_size"]  # columns that change sign with the direction of a pair
COMPARED = ("measure", "baseline", "run_id", "mean_baseline", "mean", *SIGNED, "reject", "better", "worse")


def against(table: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """All comparisons with one run as the baseline: signs change where the table has it as the other run."""
    turned = table[table["run_id"] == baseline]
    pairs = (("baseline", "run_id"), ("mean_baseline", "mean"), ("low", "high"), ("better", "worse"))
    swapped = turned.rename(columns=dict(pairs) | {b: a for a, b in pairs})
    swapped[SIGNED] = -swapped[SIGNED]
    comparisons = pd.concat([table[table["baseline"] == baseline], swapped[table.columns]]).sort_index()
    if comparisons.empty:
        raise ProblemError(f"no comparison with {baseline!r}; baselines: {', '.join(table['baseline'].unique())}")
    return comparisons


def top_pairs(pairs: pd.DataFrame, top: int, *, by: str = "each") -> pd.DataFrame:
    """Pairs of the ``top`` best runs by mean value, of each measure, or those among the best by all of them.

    ``both`` is the "top 15 by both metrics" of the GAP paper (4.2): runs among the best by each measure, which are
    often fewer than ``top``.
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
    """The best runs by one measure, by the sum of their differences to the other runs."""
    ahead = rows.groupby("run_a")["difference"].sum().sub(rows.groupby("run_b")["difference"].sum(), fill_value=0)
    return set(ahead.sort_values(ascending=False, kind="stable").index[:top])
