"""Lists on which measures are compared: those that all have, and on which no value is fixed."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from maxent.errors import ProblemError
from maxent.measures import Measure, as_measures
from maxent.stats.bootstrap import sampled_means
from maxent.stats.comparison import Comparison
from maxent.studies.topics import CONSTANT, RANKED, SOLVED
from maxent.texts import is_without_content
from maxent.types import BoolArray, IntArray

LIST = ["run_id", "query_id"]
STUDY = (*LIST, "measure", "threshold", "status", "rms")  # columns of a study that comparisons use
MOSTLY = 0.5  # share of the lists of a measure; if the counts fix more of its values, it is not ranked
ERRORS = (0.0, 1.0)  # range of errors of curves


def measures_in(table: pd.DataFrame, measures: Sequence[Measure | str]) -> list[str]:
    """Text forms of measures; ProblemError unless all are in the table."""
    available, texts = set(table["measure"]), list(map(str, as_measures(measures)))
    if missing := [text for text in texts if text not in available]:
        raise ProblemError(f"{missing[0]} is not among the measures of the table")
    return texts


def common_lists(table: pd.DataFrame, within: Sequence[str] = LIST, among: Sequence[str] = SOLVED) -> pd.DataFrame:
    """Rows of lists whose status is one of ``among`` for every measure; the columns ``within`` identify a list."""
    # 1. numbers of the list and of the measure of each row
    lists, measures = numbered(table, within), numbered(table, ["measure"])
    # 2. is_solved (lists, measures): whether all rows of a list and measure, if there are any, have such a status
    is_excluded = ~table["status"].isin(among).to_numpy()
    is_solved = np.zeros((lists.max(initial=-1) + 1, measures.max(initial=-1) + 1), dtype=np.bool_)
    is_solved[lists, measures] = True
    is_solved[lists[is_excluded], measures[is_excluded]] = False
    return table.loc[np.asarray(is_solved.all(axis=1))[lists]]


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the ranked measures, without those whose value the counts alone fix in most lists.

    Measures without content are ranked only where there is no other measure.
    """
    null = without_content(table)
    table = table if null.all() else table[~null]
    solved = table[table["status"].isin(SOLVED)]
    share = (solved["status"] == CONSTANT).groupby(solved["measure"]).mean()
    return table[~table["measure"].isin(share.index[share > MOSTLY])]


def ranked_lists(table: pd.DataFrame, within: Sequence[str] = (*LIST, "threshold")) -> pd.DataFrame:
    """Rows of the ranked measures on the lists solved for all of them, none with a value fixed by the counts."""
    return common_lists(ranked(table), within, RANKED)


def without_content(table: pd.DataFrame) -> BoolArray:
    """Which rows of a table are of a measure without content, which studies solve beside the others."""
    names = table["measure"].unique()
    return table["measure"].isin([name for name in names if is_without_content(name)]).to_numpy()


def numbered(table: pd.DataFrame, within: Sequence[str] = LIST) -> IntArray:
    """Number of the list of each row, or of its group by the columns ``within``; some numbers may not occur."""
    codes = [table[name].factorize()[0] for name in within]
    return np.asarray(np.ravel_multi_index(codes, [code.max(initial=0) + 1 for code in codes]))


def required_lists(table: pd.DataFrame, within: Sequence[str] = LIST) -> pd.DataFrame:
    """As :func:`common_lists`; ProblemError where there are none."""
    common = common_lists(table, within)
    if common.empty:
        raise ProblemError(no_common_list(table, SOLVED))
    return common


def no_common_list(table: pd.DataFrame, among: Sequence[str] = RANKED) -> str:
    """Message for the case that no list has one of the statuses ``among`` for every measure."""
    if ranked(table).empty:
        return "the counts alone fix most values of every measure"
    lists = table[table["status"].isin(among)].drop_duplicates([*LIST, "measure"]).value_counts("measure")
    lists = lists.reindex(table["measure"].unique(), fill_value=0)
    return f"no list is solved for every measure: {lists.idxmin()} has {lists.min()}"


def compare_means(rows: pd.DataFrame, shares: pd.Series | None = None, **options: Any) -> Comparison:
    """Comparison of the mean errors of measures on lists that all of them have, weighted over the thresholds.

    Its ``parts`` are the comparisons at each threshold.
    """
    return Comparison.of(rows, ["threshold", "measure"], within=ERRORS, **options).average(shares)


def reading_comparisons(
    rows: pd.DataFrame, reading: Sequence[str], **bootstrap: Any
) -> Iterator[tuple[dict[str, Any], Comparison]]:
    """Comparisons in each reading, over the thresholds (0) and at each, all on the same lists and samples.

    Each comes with the parts of its reading and its threshold, by name.
    """
    samples = sampled_means(rows, [*reading, "threshold", "measure"], **bootstrap)
    for values, reading_rows in rows.groupby(list(reading), sort=False):
        over = compare_means(reading_rows, samples=samples.under(values))
        for threshold, comparison in {0: over, **over.parts}.items():
            yield dict(zip(reading, values, strict=True)) | {"threshold": threshold}, comparison


def threshold_shares(weights: Mapping[int, float] | None, thresholds: Sequence[int]) -> pd.Series:
    """Positive weights by threshold, scaled to sum to 1; equal if ``weights`` is None."""
    if not isinstance(weights, Mapping | None):
        raise ProblemError(f"weights must be a mapping from thresholds to numbers, got {weights!r}")
    if weights is None:
        weights = dict.fromkeys(thresholds, 1.0)
    unknown = sorted(set(weights) - set(thresholds), key=str)
    if unknown:
        raise ProblemError(f"weights for thresholds {unknown}, but the study has {list(thresholds)}")
    are_weights = all(isinstance(weight, Real) and weight >= 0 for weight in weights.values())
    if not (are_weights and 0 < sum(map(float, weights.values())) < inf):
        expected = "not be negative, one must be positive, and their sum finite"
        raise ProblemError(f"weights must {expected}, got {dict(weights)}")
    positive = pd.Series({t: weight for t, weight in sorted(weights.items()) if weight > 0}, dtype=float)
    return positive / positive.sum()
