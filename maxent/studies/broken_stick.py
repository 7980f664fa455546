"""The broken stick in studies: the error that a measure without content gets, beside those of the measures.

A measure that is not ahead of it is not shown to say more about curves than that earlier ranks count more.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from maxent.errors import ProblemError
from maxent.measures import BrokenStick, Measure
from maxent.results.finding import Level
from maxent.stats.comparison import Comparison
from maxent.studies.same_lists import (
    LIST,
    common_lists,
    compare_means,
    ranked_lists,
    threshold_shares,
    without_content,
)
from maxent.studies.topics import SOLVED
from maxent.texts import is_without_content


def level_of(comparison: Comparison, measure: str) -> Level:
    """The level in a comparison that has the broken stick, and the difference of a measure from it."""
    name = next(name for name in map(str, comparison.means.index) if is_without_content(name))
    ends = ["difference_low", "difference_high"]
    difference, low, high = map(float, comparison.to(name).loc[measure, ["difference", *ends]])
    return Level(name, rms=float(comparison.means[name]), difference=difference, low=low, high=high)


def with_broken_stick(measures: Sequence[Measure], levels: int) -> tuple[Measure, ...]:
    """Measures of a study and, last, the broken stick with flat gains and, for several grades, linear ones.

    ProblemError if there is no other measure.
    """
    if all(isinstance(measure, BrokenStick) for measure in measures):
        raise ProblemError("the broken stick is the level that measures are compared with: name another measure")
    sticks = (BrokenStick(), BrokenStick(gain="linear"))[: min(levels, 2)]
    return tuple(dict.fromkeys((*measures, *sticks)))


def with_better_gains(table: pd.DataFrame, weights: Mapping[int, float] | None = None) -> pd.DataFrame:
    """Table of a study with one broken stick: that whose mean error on the compared lists is the smaller one.

    Where no list is compared, the error is the mean over all lists that are solved for the stick.
    """
    of_stick = without_content(table)
    sticks = table.loc[of_stick, "measure"].unique()
    if len(sticks) < 2 or of_stick.all():
        return table
    # 1. lists of the sticks
    list_columns = [*LIST, "threshold"]
    solved = table[of_stick & table["status"].isin(SOLVED)]
    compared_lists = ranked_lists(table)[list_columns].drop_duplicates()
    on_compared = solved.merge(compared_lists, on=list_columns)
    rows = solved if on_compared.empty else on_compared
    # 2. their mean errors: (sticks, thresholds), and weighted over the thresholds, (sticks,)
    errors = rows.groupby(["measure", "threshold"])["rms"].mean().unstack("threshold").reindex(sticks)
    shares = threshold_shares(weights, sorted(map(int, table["threshold"].unique())))
    means = errors.reindex(columns=shares.index).mul(shares).sum(axis=1, min_count=1)
    # 3. rows of the better stick and of all other measures
    better = sticks[0] if means.isna().all() else means.idxmin()
    return table[~of_stick | (table["measure"] == better)].reset_index(drop=True)


def beside_broken_stick(rows: pd.DataFrame, null_rows: pd.DataFrame, **options: Any) -> Comparison | None:
    """Comparison of compared rows with the broken stick, on the lists solved for it as well; None without any."""
    is_compared = null_rows["measure"].isin(rows["measure"].unique())  # where there is no other measure
    stick_rows = null_rows[null_rows["status"].isin(SOLVED) & ~is_compared]
    if rows.empty or stick_rows.empty:
        return None
    common = common_lists(pd.concat([rows, stick_rows]), [*LIST, "threshold"])
    return None if common.empty else compare_means(common, **options)
