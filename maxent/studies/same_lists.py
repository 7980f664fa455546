"""Comparisons of measures on their common lists, with intervals from the same bootstrap samples."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from maxent.errors import ProblemError
from maxent.measures import Measure, as_measures
from maxent.stats.bootstrap import FEW, Resample, TopicSamples, resampled, topic_samples
from maxent.stats.confidence_set import ENOUGH, confidence_set, set_p_values
from maxent.stats.intervals import ROUNDING, TIES
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
    lists, measures = numbered(table, within), numbered(table, ["measure"])
    left = ~table["status"].isin(among).to_numpy()
    solved = np.zeros((lists.max(initial=-1) + 1, measures.max(initial=-1) + 1), dtype=np.bool_)
    solved[lists, measures] = True
    solved[lists[left], measures[left]] = False
    return table.loc[np.asarray(solved.all(axis=1))[lists]]


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


def interval(
    samples: pd.DataFrame, name: str, topics: int | pd.Series, *, within: tuple[float, float] = (-inf, inf)
) -> pd.DataFrame:
    """The 95 % interval of each column of bootstrap samples: a row with ``name_low`` and ``name_high``.

    With fewer than ``FEW`` topics, percentiles are too narrow. The interval is then a Student interval with the
    standard error of the samples, clipped to ``within``, the range of possible values.
    """
    ends = percentiles(samples, name)
    number = pd.Series(topics, index=samples.columns).astype(float)
    few = number.between(2, FEW - 1)
    if few.any():
        from scipy.special import stdtrit  # loaded late: a part of maxent's import time

        reach = stdtrit(number - 1, 0.975) * standard_error(samples, number)
        for end, sign in zip(ends, (-1, 1), strict=True):
            ends[end] = ends[end].mask(few, (samples.mean() + sign * reach).clip(*within))
    return ends.where(number > 1)


def percentiles(samples: pd.DataFrame, name: str) -> pd.DataFrame:
    """Central 95 % of each column of samples: a row with ``name_low`` and ``name_high``."""
    ends = samples.quantile([0.025, 0.975]).T
    return ends.set_axis([f"{name}_low", f"{name}_high"], axis=1)


def standard_error(samples: pd.DataFrame, topics: int | pd.Series) -> pd.Series:
    """Standard error of each column of samples, corrected for a variance too small by (topics - 1) / topics."""
    number = pd.Series(topics, index=samples.columns).astype(float)
    return samples.std(ddof=0) * np.sqrt(number / (number - 1))


class Comparison(NamedTuple):
    """Mean errors of measures on the same lists, (measures,), and samples of them, (replicates, measures)."""

    means: pd.Series
    samples: pd.DataFrame
    topics: int  # fewest of the lists at a threshold; or runs, if these are resampled as well and are fewer
    influences: pd.DataFrame | None = None  # (topics, measures), as of TopicSamples; None if runs are resampled
    weights: IntArray | None = None  # (replicates, topics)

    def among(self, measures: Sequence[str]) -> Self:
        """The comparison of some of the measures."""
        influences = None if self.influences is None else self.influences[list(measures)]
        means, samples = self.means[list(measures)], self.samples[list(measures)]
        return self._replace(means=means, samples=samples, influences=influences)

    @property
    def best(self) -> str:
        """The measure with the smallest mean error."""
        return str(self.means.idxmin())

    @property
    def table(self) -> pd.DataFrame:
        """Mean errors with intervals, a row for each measure."""
        return pd.DataFrame({"rms": self.means}).join(interval(self.samples, "rms", self.topics, within=ERRORS))

    def to(self, base: str) -> pd.DataFrame:
        """Paired differences of all means from the mean of ``base``, with intervals."""
        ends = interval(self.samples.sub(self.samples[base], axis=0), "difference", self.topics)
        return pd.DataFrame({"difference": self.means - self.means[base]}).join(ends)

    def between(self, first: str, second: str, *, pairs: int) -> dict[str, float]:
        """Difference of two measures with a Student interval, Bonferroni-corrected for the number of pairs."""
        from scipy.special import stdtrit  # loaded late: a part of maxent's import time

        difference, samples = self.means[first] - self.means[second], self.samples[first] - self.samples[second]
        error = standard_error(samples.to_frame(), self.topics).item()
        reach = stdtrit(self.topics - 1, 1 - 0.025 / pairs) * error
        ends = {"difference_low": difference - reach, "difference_high": difference + reach}
        return {"difference": difference, **ends}

    def best_set(self) -> list[str] | None:
        """Measures among which the best is with 95 % confidence, by increasing error; None over few topics."""
        if self.influences is None or self.weights is None or self.topics < ENOUGH:
            return None
        complete = self.samples.notna().all(axis=1).to_numpy()  # a sample may lack lists of a threshold
        samples, weights = self.samples.to_numpy()[complete], self.weights[complete]
        p_values = set_p_values(self.means.to_numpy(), self.influences.to_numpy(), samples, weights)
        return list(self.means[confidence_set(p_values)].sort_values(kind="stable").index)

    def may_be_best(self) -> pd.Series:
        """Whether each measure is in the set of best measures (nullable); missing over few topics."""
        best_set = self.best_set()
        inside = [pd.NA if best_set is None else name in best_set for name in self.means.index]
        return pd.Series(pd.array(inside, dtype="boolean"), index=self.means.index, name="may_be_best")

    def rivals(self) -> list[str]:
        """Others that may be the best: of the set of best measures or, over few topics, by unadjusted intervals."""
        if (best_set := self.best_set()) is not None:
            return [name for name in best_set if name != self.best]
        excess = self.to(self.best).loc[self.means.sort_values(kind="stable").index].drop(self.best)
        return list(excess.index[excess["difference_low"] <= ROUNDING])

    def share_best(self) -> pd.Series:
        """Share of the bootstrap samples in which each measure is the best; ties are split equally."""
        rounded = self.samples.round(TIES)
        best = rounded.eq(rounded.min(axis=1), axis=0)
        return best.div(best.sum(axis=1), axis=0).mean()


def bootstrapped(
    rows: pd.DataFrame, shares: pd.Series | None = None, *, resample: Resample = "topics", **bootstrap: Any
) -> dict[int, Comparison]:
    """As :func:`comparisons`, with newly drawn bootstrap samples."""
    samples = topic_samples(rows, ["threshold", "measure"], resample=resample, **bootstrap)
    return comparisons(rows, samples, shares, resample=resample)


def comparisons(
    rows: pd.DataFrame, samples: TopicSamples, shares: pd.Series | None = None, *, resample: Resample = "topics"
) -> dict[int, Comparison]:
    """Comparisons on the same lists: the mean over the thresholds (0), weighted by shares, and each threshold."""
    means = rows.groupby(["threshold", "measure"], sort=False)["rms"].mean().unstack("threshold")
    topics = {t: resampled(part, resample) for t, part in rows.groupby("threshold")}
    by_threshold = {}
    for t in means.columns:
        drawn = samples.of(t)
        by_topic = (drawn.influences[means.index], drawn.weights) if resample == "topics" else ()
        by_threshold[int(t)] = Comparison(means[t], drawn.means[means.index], topics[t], *by_topic)
    if shares is None:
        shares = threshold_shares(None, list(by_threshold))
    return {0: weighted(by_threshold, shares)} | by_threshold


def weighted(by_threshold: Mapping[int, Comparison], shares: pd.Series) -> Comparison:
    """Comparison of means over the thresholds, weighted by shares, from the comparison at each threshold.

    A sample without lists of some threshold has no mean. The threshold with the fewest topics limits what is
    certain.
    """
    parts = [(share, by_threshold[int(t)]) for t, share in zip(shares.index, shares, strict=True)]
    means = sum(share * part.means for share, part in parts)
    samples = sum(share * part.samples for share, part in parts)
    topics = min(part.topics for _, part in parts)
    if any(part.influences is None for _, part in parts):
        return Comparison(means, samples, topics)
    influences = sum(share * part.influences for share, part in parts)
    return Comparison(means, samples, topics, influences, parts[0][1].weights)


def over_thresholds(over: Mapping[int, Comparison], weights: Mapping[int, float] | None) -> Comparison:
    """Of comparisons by threshold, that of the means over the thresholds (0), or of means with ``weights``."""
    if weights is None:
        return over[0]
    return weighted(over, threshold_shares(weights, [t for t in over if t]))


def reading_comparisons(
    rows: pd.DataFrame, reading: Sequence[str], *, resample: Resample = "topics", **bootstrap: Any
) -> Iterator[tuple[dict[str, Any], Comparison]]:
    """Comparisons in each reading, over the thresholds (0) and at each, all on the same lists and samples."""
    keys = [*reading, "threshold", "measure"]
    samples = topic_samples(rows, keys, resample=resample, **bootstrap)
    samples = samples._replace(
        means=samples.means.sort_index(axis=1), influences=samples.influences.sort_index(axis=1)
    )
    for names, part in rows.groupby(list(reading), sort=False):
        for threshold, compared in sorted(comparisons(part, samples.of(names), resample=resample).items()):
            yield dict(zip(reading, names, strict=True)) | {"threshold": threshold}, compared


def threshold_shares(weights: Mapping[int, float] | None, thresholds: Sequence[int]) -> pd.Series:
    """Positive weights by threshold, scaled to sum to 1; equal if ``weights`` is None."""
    if not isinstance(weights, Mapping | None):
        raise ProblemError(f"weights must be a mapping from thresholds to numbers, got {weights!r}")
    if weights is None:
        weights = dict.fromkeys(thresholds, 1.0)
    unknown = sorted(set(weights) - set(thresholds), key=str)
    if unknown:
        raise ProblemError(f"weights for thresholds {unknown}, but the study has {list(thresholds)}")
    right = all(isinstance(w, Real) and w >= 0 for w in weights.values())
    if not (right and 0 < sum(map(float, weights.values())) < inf):
        expected = "not be negative, one must be positive, and their sum finite"
        raise ProblemError(f"weights must {expected}, got {dict(weights)}")
    used = pd.Series({t: w for t, w in sorted(weights.items()) if w > 0}, dtype=float)
    return used / used.sum()
