"""Summaries of studies: means with bootstrap intervals over topics, league tables, excluded lists."""

from collections.abc import Mapping
from math import inf
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from maxent.errors import ProblemError, require_columns
from maxent.options import ResampleKeywords, takes
from maxent.results.finding import Level
from maxent.results.formats import PLACES
from maxent.stats.comparison import Comparison
from maxent.stats.intervals import ROUNDING, TIES
from maxent.studies.broken_stick import beside_broken_stick, level_of, with_better_gains
from maxent.studies.same_lists import (
    ERRORS,
    LIST,
    STUDY,
    compare_means,
    no_common_list,
    numbered,
    ranked,
    ranked_lists,
    threshold_shares,
    without_content,
)
from maxent.studies.topics import CONSTANT, LEFT_OUT, SOLVED
from maxent.studies.used import ListCounts

PREDICTION_COLUMNS = ("run_id", "query_id", "measure", "target", "status", "actual", "predicted")


@takes(ResampleKeywords)
def summarize(table: pd.DataFrame, **options: Unpack[ResampleKeywords]) -> pd.DataFrame:
    """Compute mean errors per measure and threshold, with 95 % bootstrap intervals.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.

    Returns
    -------
    DataFrame
        Columns measure, threshold, lists (solved), topics (of these lists), constant (lists in which the counts
        alone fix the value), rms and mae (means over the lists), rms_low, rms_high, mae_low, mae_high. Measures are
        in the order of the table. Intervals are NaN where fewer than two topics have a solved list.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP", "P@10"], min_retrieved=1, depth=100)
    >>> me.summarize(table).drop(columns=["mae_low", "mae_high"]).round(2)
      measure  threshold  lists  topics  constant   rms   mae  rms_low  rms_high
    0      AP          1     12       4         0  0.05  0.04     0.01      0.10
    1      AP          2     12       4         0  0.16  0.14     0.02      0.31
    2    P@10          1     12       4         0  0.06  0.05     0.05      0.08
    3    P@10          2     12       4         0  0.17  0.15     0.04      0.30
    """
    require_columns(table, (*STUDY, "mae"), "table of a study")
    solved = table[table["status"].isin(SOLVED)]
    return _means(table, solved, ["measure", "threshold"], ERRORS, **options).reset_index()


def _means(
    table: pd.DataFrame,
    solved: pd.DataFrame,
    keys: list[str],
    within: tuple[float, float],
    **options: Unpack[ResampleKeywords],
) -> pd.DataFrame:
    """Numbers of solved lists and of their topics, and means of rms and mae with intervals, by ``keys``.

    ``solved`` has the solved rows of the table; ``within`` is the range of the errors.
    """
    means = (
        solved.assign(constant=solved["status"] == CONSTANT)
        .groupby(keys, sort=False)
        .agg(lists=("mae", "size"), topics=("query_id", "nunique"), constant=("constant", "sum"))
    )
    # measures without a solved list have a row, too
    means = means.reindex(pd.MultiIndex.from_frame(table[keys].drop_duplicates()))
    numbers = ["lists", "topics", "constant"]
    means[numbers] = means[numbers].fillna(0).astype(int)
    for error in ("rms", "mae"):
        means = means.join(Comparison.of(solved, keys, value=error, within=within, **options).table)
    ends = [f"{error}_{end}" for error in ("rms", "mae") for end in ("low", "high")]
    return means[[*numbers, "rms", "mae", *ends]]


@takes(ResampleKeywords)
def league(table: pd.DataFrame, **options: Unpack[ResampleKeywords]) -> pd.DataFrame:
    """League table: mean errors of the measures, the most informative first, and their differences to the best.

    All measures are compared on the same lists: lists that are solved for every measure, and in which the counts
    alone do not fix the value of any. A measure whose value they fix in most of its lists is not ranked and has no
    row. Measures with the same error on every list, such as AP and GAP(1, 0), share a row under the shortest name.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.

    Returns
    -------
    DataFrame
        The measures by increasing error, first for the mean over all thresholds (threshold 0), then for each
        threshold. Columns threshold, measure, lists, topics, rms, rms_low, rms_high (95 % bootstrap interval),
        difference (of rms to the best measure), difference_low, difference_high (its interval, paired: both errors
        are from the same replicate; not adjusted for the number of measures), may_be_best (whether the measure is
        in the model confidence set, which has the best measure with 95 % confidence; missing over fewer than 15
        topics), share_best (share of the replicates in which the measure is the best; ties are split equally),
        rank, rank_low, rank_high (place among the measures, and its interval), same (other names of the measure in
        the table, separated by semicolons). Intervals are NaN where fewer than two topics have a list at the
        threshold or, over all thresholds, at one of them. A broken stick is not ranked and has no row.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP", "nDCG", "P@10"], min_retrieved=1, depth=100)
    >>> places = me.league(table).query("threshold == 0")
    >>> places[["measure", "lists", "rms", "difference", "share_best"]].round(2)
      measure  lists   rms  difference  share_best
    0    nDCG     12  0.07        0.00         1.0
    1      AP     12  0.11        0.04         0.0
    2    P@10     12  0.12        0.05         0.0
    """
    compared = compare(table, **options)
    if compared.over is None:
        raise ProblemError(no_common_list(table))
    return places(compared, compared.over)


class Compared(NamedTuple):
    """The ranked measures of a study, compared on the lists that are solved for all of them at a threshold."""

    lists: ListCounts
    names: dict[str, str]  # distinct measures, with other names of each
    over: Comparison | None  # of these measures over the thresholds, with ``weights``; None without lists
    constant: list[str]  # measures that are not ranked, as the counts alone fix most of their values
    beside_null: Comparison | None  # as ``over``, with the broken stick, on the lists solved for it as well
    weights: Mapping[int, float] | None = None  # of the thresholds; None: all equal

    @property
    def level(self) -> Level | None:
        """The error of the measure without content, and the difference of the best measure from it."""
        if self.over is None or self.beside_null is None:
            return None
        return level_of(self.beside_null, self.over.best)

    def may_be_best(self) -> dict[str, bool]:
        """Whether each measure, under all its names, is in the set of best measures; empty over few topics."""
        if self.over is None:
            return {}
        in_set = self.over.may_be_best().dropna()
        return {text: bool(in_set[name]) for name in map(str, in_set.index) for text in self._texts_of(name)}

    def best(self) -> set[str]:
        """All names of the measures with the smallest error, to the printed digits."""
        if self.over is None:
            return set()
        means = self.over.means.round(PLACES)
        smallest = means.index[means == means.min()]
        return {text for name in map(str, smallest) for text in self._texts_of(name)}

    def _texts_of(self, name: str) -> list[str]:
        """A measure of ``names`` and its other names."""
        return [name, *self.names[name].split("; ")] if self.names[name] else [name]


@takes(ResampleKeywords)
def compare(
    table: pd.DataFrame, *, weights: Mapping[int, float] | None = None, **options: Unpack[ResampleKeywords]
) -> Compared:
    """Comparison of all measures of a study on the same lists, with weights of the thresholds."""
    require_columns(table, STUDY, "table of a study")
    table = with_better_gains(table)
    used = ranked_lists(table)
    names = _other_names(used)
    rows = used[used["measure"].isin(names)]
    null = table[without_content(table)]
    constant = sorted(set(table["measure"]) - set(ranked(table)["measure"]) - set(null["measure"]))
    over = weighted(compare_means(rows, **options), weights) if names else None
    beside_null = weighted(beside_broken_stick(rows, null, **options), weights)
    return Compared(ListCounts.of(table, used), names, over, constant, beside_null, weights)


def weighted(over: Comparison | None, weights: Mapping[int, float] | None) -> Comparison | None:
    """A comparison over the thresholds, with other weights of these."""
    if over is None or weights is None:
        return over
    return over.weighted(threshold_shares(weights, list(over.parts)))


def places(compared: Compared, over: Comparison) -> pd.DataFrame:
    """League table, as from :func:`league`, of the comparison ``over`` the thresholds."""
    over_all = over.weighted() if compared.weights else over  # a league has equal weights
    frames: dict[int, pd.DataFrame] = {}
    for threshold, comparison in {0: over_all, **over.parts}.items():
        rows = comparison.table.sort_values("rms", kind="stable")
        best = rows.index[0]
        rows = rows.join(comparison.to(best))
        rows = rows.assign(may_be_best=comparison.may_be_best(), share_best=comparison.share_best())
        frames[threshold] = rows.join(comparison.ranks()).assign(same=rows.index.map(compared.names))
    table = pd.concat(frames, names=["threshold", "measure"]).reset_index()
    table.insert(2, "lists", compared.lists.lists.used)
    table.insert(3, "topics", compared.lists.topics)
    return table


def _other_names(used: pd.DataFrame) -> dict[str, str]:
    """Distinct measures, each with the names of the other measures that have equal errors on all lists.

    Of equal measures, the one with the shortest name is kept. ``used`` has a row for each list, threshold and
    measure.
    """
    # 1. the errors of each measure, (lists x thresholds,); numbers of lists that do not occur have error 0
    lists, (measures, names) = numbered(used, [*LIST, "threshold"]), used["measure"].factorize()
    errors = np.zeros((len(names), lists.max(initial=-1) + 1))
    errors[measures, lists] = used["rms"]
    errors_of = dict(zip(map(str, names), errors, strict=True))
    # 2. each measure, the shortest name first, joins the first measure that is equal, or stands for itself
    synonyms_of: dict[str, list[str]] = {}
    for name in sorted(errors_of, key=lambda name: (len(name), name)):
        equal = (other for other in synonyms_of if np.abs(errors_of[name] - errors_of[other]).max() <= ROUNDING)
        first_equal = next(equal, None)
        if first_equal is None:
            synonyms_of[name] = []
        else:
            synonyms_of[first_equal].append(name)
    return {name: "; ".join(synonyms) for name, synonyms in synonyms_of.items()}


@takes(ResampleKeywords)
def summarize_predictions(table: pd.DataFrame, **options: Unpack[ResampleKeywords]) -> pd.DataFrame:
    """Compute errors of predictions per measure and target, and how well predictions rank the systems.

    Parameters
    ----------
    table : DataFrame
        ``tables["predictions"]`` of :func:`maxent.predict`.

    Returns
    -------
    DataFrame
        Columns measure, target, lists (solved), topics (of these lists), constant (lists in which the counts alone
        fix the value of the measure), rms and mae (of predicted minus actual, over the lists), rms_low, rms_high,
        mae_low, mae_high (95 % bootstrap intervals), within (share of the lists whose actual value is within the
        band of its prediction, if there are bands), and Kendall's tau-b between predicted and actual values:
        ``tau`` ranks the systems for each topic and is the mean over topics, ``tau_systems`` ranks the systems by
        their means over solved lists. Values equal to six decimals are ties. A tau is NaN where there is nothing to
        rank.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> result = me.predict(
    ...     runs, qrels, measures=["AP", "nDCG"], targets=["P@10", "Rprec"], min_retrieved=1, depth=100
    ... )
    >>> summary = me.studies.summarize_predictions(result.tables["predictions"])
    >>> summary[["measure", "target", "lists", "rms", "tau", "tau_systems"]].round(2)
      measure target  lists   rms   tau  tau_systems
    0      AP   P@10     12  0.07  0.66          1.0
    1      AP  Rprec     12  0.02  0.95          1.0
    2    nDCG   P@10     12  0.04  0.66          1.0
    3    nDCG  Rprec     12  0.03  0.95          1.0
    """
    require_columns(table, PREDICTION_COLUMNS, "table of predictions")
    keys = ["measure", "target"]
    solved = table[table["status"].isin(SOLVED)]
    # 1. numbers of lists, and errors: RMS is the root of a mean of squares
    error = solved["predicted"] - solved["actual"]
    solved = solved.assign(rms=error**2, mae=error.abs())
    means = _means(table, solved, keys, (0, inf), **options)
    squares = ["rms", "rms_low", "rms_high"]
    means[squares] = np.sqrt(means[squares])
    # 2. bands
    if "low" in table:
        below, above = solved["low"] - solved["actual"], solved["actual"] - solved["high"]
        is_within = (below <= ROUNDING) & (above <= ROUNDING)
        means["within"] = solved.assign(within=is_within).groupby(keys)["within"].mean()
    # 3. rankings of the systems, by topic and by means
    means["tau"] = _tau(solved, [*keys, "query_id"]).groupby(keys).mean()
    systems = solved.groupby([*keys, "run_id"], sort=False)[["actual", "predicted"]].mean().reset_index()
    means["tau_systems"] = _tau(systems, keys)
    return means.reset_index()


def _tau(values: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Kendall's tau-b of the columns actual and predicted within each group; NaN where one of them is constant.

    A group of a single row has no tau.
    """
    numbers = values[[*keys, "actual", "predicted"]].round({"actual": TIES, "predicted": TIES})
    numbers = numbers[numbers.groupby(keys)["actual"].transform("size") > 1]
    if numbers.empty:
        return pd.Series(index=pd.MultiIndex.from_arrays([[]] * len(keys), names=keys), dtype=float)
    matrices = numbers.groupby(keys).corr(method="kendall")  # rows and columns actual and predicted, by group
    return matrices.xs("actual", level=-1)["predicted"]


def left_out(table: pd.DataFrame) -> pd.DataFrame:
    """Count lists by measure and status, with the reason why lists are excluded.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`, or ``tables["predictions"]`` of :func:`maxent.predict`.

    Returns
    -------
    DataFrame
        Columns measure, status, lists, reason (empty for the statuses ``optimal`` and ``boundary``).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP"], min_retrieved=5, depth=100)
    >>> print(me.left_out(table).query("reason != ''").to_string(index=False))
    measure  status  lists                                                                             reason
         AP too_few      1 fewer retrieved documents than required; see min_retrieved and min_retrieved_total
    """
    require_columns(table, (*LIST, "measure", "status"), "table of a study")
    lists = table[[*LIST, "measure", "status"]].drop_duplicates([*LIST, "measure"])
    counts = lists.groupby(["measure", "status"], sort=False).size().rename("lists").reset_index()
    return counts.assign(reason=counts["status"].map(LEFT_OUT).fillna(""))
