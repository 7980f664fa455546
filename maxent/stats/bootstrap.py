"""Bootstrap means over the lists of resampled topics, or of resampled topics and systems."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice, whole_number
from maxent.errors import ProblemError
from maxent.limits import REPETITIONS
from maxent.options.choices import Resample as Resample
from maxent.types import FloatArray, IntArray

RESAMPLES: tuple[Resample, ...] = get_args(Resample)
CELLS = 4_000_000  # numbers held at once where systems are resampled, too
KEPT = 32_000_000  # weights that stay in memory for the next mean of the same topics


def error_ratios(rows: pd.DataFrame, keys: list[str], value: str) -> pd.Series:
    """Ratios of standard errors of means clustered by topic and run to standard errors clustered by topic.

    There is a ratio for each of ``keys``. The last key is the threshold; 0 is the mean over all. The variance
    follows Cameron, Gelbach and Miller 2011: by topic, plus by run, minus by list.
    """
    groups = rows.groupby(keys)[value]
    rows = rows.assign(share=(rows[value] - groups.transform("mean")) / groups.transform("size"))
    over = rows.assign(threshold=0, share=rows["share"] / rows["threshold"].nunique())
    all_rows = pd.concat((over, rows))

    def variance(*clusters: str) -> pd.Series:
        return all_rows.groupby([*keys, *clusters])["share"].sum().pow(2).groupby(keys).sum()

    by_topic, by_run, by_list = variance("query_id"), variance("run_id"), variance("run_id", "query_id")
    return ((by_topic + by_run - by_list).clip(lower=0) / by_topic) ** 0.5


def places_of(names: Sequence[Hashable] | pd.Index, index: pd.Index) -> IntArray:
    """Where names are in an index; KeyError unless all are in it."""
    places = index.get_indexer(pd.Index(names))
    if (places < 0).any():
        raise KeyError(list(np.array(names, dtype=object)[places < 0]))
    return np.asarray(places, dtype=np.int64)


class TopicSamples(NamedTuple):
    """Bootstrap means over the lists of resampled topics, and what each topic adds to the means."""

    means: pd.DataFrame  # (replicates, k)
    influences: pd.DataFrame | None  # (topics, k), contributions to the deviations of the means; columns sum to 0
    weights: IntArray  # (replicates, topics), how often each replicate has each topic
    topics: pd.Series  # (k,), number of topics of the lists; of runs, if these are resampled and are fewer

    def at(self, places: IntArray, names: pd.Index) -> Self:
        """The samples at some places among the k, under other names."""
        influences = None
        if self.influences is not None:
            influences = self.influences.iloc[:, places].set_axis(names, axis=1)
        means, topics = self.means.iloc[:, places].set_axis(names, axis=1), self.topics.iloc[places].set_axis(names)
        return self._replace(means=means, influences=influences, topics=topics)

    def under(self, names: Sequence[Hashable]) -> Self:
        """The samples of the means that have these names in the first levels of the columns."""
        here = np.ones(len(self.topics), dtype=np.bool_)
        for level, name in enumerate(names):
            here &= self.topics.index.get_level_values(level) == name
        return self.at(np.flatnonzero(here), self.topics[here].droplevel(list(range(len(names)))).index)


def weighted_samples(parts: Sequence[tuple[float, TopicSamples]]) -> TopicSamples:
    """Samples of weighted means, from pairs of a weight and the samples of one part; all have the same names.

    A sample without lists of some part has no mean. The part with the fewest topics limits what is certain.
    """
    means = [weight * part.means for weight, part in parts]
    influences = [weight * part.influences for weight, part in parts if part.influences is not None]
    return TopicSamples(
        means=sum(means[1:], means[0]),
        influences=sum(influences[1:], influences[0]) if len(influences) == len(parts) else None,
        weights=parts[0][1].weights,
        topics=pd.concat([part.topics for _, part in parts], axis=1).min(axis=1),
    )


def topic_bootstrap(solved: pd.DataFrame, keys: list[str], **options: Any) -> pd.DataFrame:
    """Means of :func:`sampled_means`: a row for each replicate, a column for each of ``keys``."""
    return sampled_means(solved, keys, **options).means


def sampled_means(
    solved: pd.DataFrame,
    keys: list[str],
    *,
    value: str = "rms",
    topics: int | None = None,
    resample: Resample = "topics",
    replicates: int,
    rng: np.random.Generator | int,
) -> TopicSamples:
    """Bootstrap means over the lists of resampled topics, with a column for each of ``keys``.

    All columns use the same topics, so that differences are paired. With ``resample="both"``, each list counts as
    often as its topic times its system: the pigeonhole bootstrap of Owen 2007, whose intervals are rather too wide.
    """
    replicates = whole_number("replicates", replicates, raises=ProblemError, limit=REPETITIONS)
    check_choice("resample", resample, RESAMPLES, raises=ProblemError)
    if solved.empty:
        nothing = pd.DataFrame(columns=pd.MultiIndex.from_arrays([[], []], names=keys), dtype=float)
        return TopicSamples(nothing, nothing, np.zeros((0, 0), dtype=np.int64), nothing.count())
    by_topic = solved.groupby(["query_id", *keys], sort=False)[value].agg(["sum", "size"]).unstack(keys)
    sums, sizes = (pd.DataFrame(by_topic[name]).fillna(0.0) for name in ("sum", "size"))
    observed = len(by_topic)
    generator = np.random.default_rng(rng)
    if isinstance(rng, int) and resample == "topics" and observed * replicates <= KEPT:
        weights = _seeded_weights(observed, topics or observed, replicates, rng)
    else:
        weights = _weights(observed, topics or observed, replicates, generator)
    with np.errstate(invalid="ignore", divide="ignore"):
        if resample == "topics":
            parts = np.array_split(weights, -(-weights.size // CELLS))
            numbers = (part.astype(np.float64) for part in parts)
            means = np.concatenate([(n @ sums.to_numpy()) / (n @ sizes.to_numpy()) for n in numbers])
        else:
            means = _two_way_means(solved, keys, value, sums, weights, generator)
    drawn_from = (sizes > 0).sum()
    means[:, drawn_from < 2] = np.nan
    if resample == "both":
        drawn_from = drawn_from.clip(upper=solved.groupby(keys)["run_id"].nunique().reindex(sizes.columns))
    total = sizes.sum()
    influences = (sums - sizes * (sums.sum() / total)) / (total / observed)
    without_runs = influences if resample == "topics" else None
    return TopicSamples(pd.DataFrame(means, columns=sums.columns), without_runs, weights, drawn_from)


def _weights(topics: int, drawn: int, replicates: int, generator: np.random.Generator) -> IntArray:
    """How often each topic is drawn in each replicate, (replicates, topics), in the smallest type of integers."""
    step, share = max(1, CELLS // topics), np.full(topics, 1 / topics)
    sizes = [min(step, replicates - start) for start in range(0, replicates, step)]
    parts = (generator.multinomial(drawn, share, size=size) for size in sizes)
    return np.concatenate([part.astype(np.min_scalar_type(part.max())) for part in parts])


@lru_cache(maxsize=1)
def _seeded_weights(topics: int, drawn: int, replicates: int, seed: int) -> IntArray:
    """Cached :func:`_weights`: all means of a study use the same sampled topics."""
    return _weights(topics, drawn, replicates, np.random.default_rng(seed))


def _two_way_means(
    solved: pd.DataFrame,
    keys: list[str],
    value: str,
    sums: pd.DataFrame,
    weights: IntArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Means over resampled topics and systems, (replicates, columns of ``sums``), with ``weights`` of topics."""
    topics = sums.index.get_indexer(pd.Index(solved["query_id"]))
    runs, names = pd.factorize(solved["run_id"])
    groups = pd.MultiIndex.from_frame(solved[keys]) if len(keys) > 1 else pd.Index(solved[keys[0]])
    columns = sums.columns.get_indexer(groups)
    cells = np.zeros((2, len(sums), len(names), sums.shape[1]))
    np.add.at(cells[0], (topics, runs, columns), solved[value].to_numpy())
    np.add.at(cells[1], (topics, runs, columns), 1.0)
    drawn = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=len(weights))
    means = np.empty((len(weights), sums.shape[1]))
    step = max(1, CELLS // (len(names) * sums.shape[1]))
    for first in range(0, len(weights), step):
        part = slice(first, first + step)
        run_sums = [np.tensordot(weights[part], cell, axes=1) for cell in cells]  # (part, runs, columns) each
        total, number = (np.einsum("br,brk->bk", drawn[part], by_run) for by_run in run_sums)
        means[part] = total / number
    return means
