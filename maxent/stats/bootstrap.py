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
    # 1. share of each row in the deviation of its mean, (x - mean) / n; over all thresholds, the means are averaged
    groups = rows.groupby(keys)[value]
    rows = rows.assign(share=(rows[value] - groups.transform("mean")) / groups.transform("size"))
    over_all = rows.assign(threshold=0, share=rows["share"] / rows["threshold"].nunique())
    all_rows = pd.concat((over_all, rows))

    # 2. variance by cluster: the sum over clusters of (sum of shares)^2
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
        has_names = np.ones(len(self.topics), dtype=np.bool_)
        for level, name in enumerate(names):
            has_names &= self.topics.index.get_level_values(level) == name
        further_levels = self.topics[has_names].droplevel(list(range(len(names)))).index
        return self.at(np.flatnonzero(has_names), further_levels)


def weighted_samples(parts: Sequence[tuple[float, TopicSamples]]) -> TopicSamples:
    """Samples of weighted means, from pairs of a weight and the samples of one part; all have the same names.

    A sample without lists of some part has no mean. The part with the fewest topics limits what is certain.
    """
    _, first_part = parts[0]
    means = [weight * part.means for weight, part in parts]
    influences = [weight * part.influences for weight, part in parts if part.influences is not None]
    have_all_influences = len(influences) == len(parts)
    return TopicSamples(
        means=sum(means[1:], means[0]),
        influences=sum(influences[1:], influences[0]) if have_all_influences else None,
        weights=first_part.weights,  # all parts resample the same topics
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
    # 1. sums and numbers of lists of each topic, (topics, k), and how often each replicate draws each topic
    by_topic = solved.groupby(["query_id", *keys], sort=False)[value].agg(["sum", "size"]).unstack(keys)
    sums, sizes = (pd.DataFrame(by_topic[name]).fillna(0.0) for name in ("sum", "size"))
    observed = len(by_topic)
    generator = np.random.default_rng(rng)
    if isinstance(rng, int) and resample == "topics" and observed * replicates <= KEPT:
        weights = _seeded_weights(observed, topics or observed, replicates, rng)
    else:
        weights = _weights(observed, topics or observed, replicates, generator)
    # 2. means of the replicates; those of a single topic say nothing
    topics_of = (sizes > 0).sum()
    if resample == "topics":
        means = _topic_means(sums.to_numpy(), sizes.to_numpy(), weights)
        influences = _influences(sums, sizes)
    else:
        means = _two_way_means(solved, keys, value, sums, weights, generator)
        influences = None
    means[:, topics_of < 2] = np.nan
    # 3. the number that limits what is certain
    if resample == "both":
        runs_of = solved.groupby(keys)["run_id"].nunique().reindex(sizes.columns)
        topics_of = topics_of.clip(upper=runs_of)
    return TopicSamples(pd.DataFrame(means, columns=sums.columns), influences, weights, topics_of)


def _topic_means(sums: FloatArray, sizes: FloatArray, weights: IntArray) -> FloatArray:
    """Means (replicates, k) over lists of resampled topics, from sums and sizes (topics, k); NaN without lists."""
    blocks = np.array_split(weights, -(-weights.size // CELLS))
    floats = (block.astype(np.float64) for block in blocks)  # of one block at a time
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate([(drawn @ sums) / (drawn @ sizes) for drawn in floats])


def _influences(sums: pd.DataFrame, sizes: pd.DataFrame) -> pd.DataFrame:
    """What each topic adds to the deviations of the means, (topics, k), from its sums and sizes (topics, k).

    It is (sum - size * mean) / (lists / topics), to first order in the weights of the topics.
    """
    lists = sizes.sum()
    return (sums - sizes * (sums.sum() / lists)) / (lists / len(sums))


def _weights(topics: int, drawn: int, replicates: int, generator: np.random.Generator) -> IntArray:
    """How often each topic is drawn in each replicate, (replicates, topics), in the smallest type of integers."""
    step = max(1, CELLS // topics)  # replicates at a time
    share = np.full(topics, 1 / topics)
    sizes = [min(step, replicates - start) for start in range(0, replicates, step)]
    blocks = (generator.multinomial(drawn, share, size=size) for size in sizes)
    return np.concatenate([block.astype(np.min_scalar_type(block.max())) for block in blocks])


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
    """Means over resampled topics and systems, (replicates, k), with ``weights`` (replicates, topics).

    ``sums`` (topics, k) names the topics and the means.
    """
    # 1. sums of values and numbers of lists, (topics, runs, k) each
    topics = sums.index.get_indexer(pd.Index(solved["query_id"]))
    runs, names = pd.factorize(solved["run_id"])
    groups = pd.MultiIndex.from_frame(solved[keys]) if len(keys) > 1 else pd.Index(solved[keys[0]])
    columns = sums.columns.get_indexer(groups)
    cell_sums, cell_sizes = np.zeros((2, len(sums), len(names), sums.shape[1]))
    np.add.at(cell_sums, (topics, runs, columns), solved[value].to_numpy())
    np.add.at(cell_sizes, (topics, runs, columns), 1.0)
    # 2. how often each replicate draws each system, (replicates, runs)
    run_weights = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=len(weights))
    # 3. mean_bk = sum_tr w_bt v_br sum_trk / sum_tr w_bt v_br size_trk, for replicates b, topics t and runs r
    means = np.empty((len(weights), sums.shape[1]))
    step = max(1, CELLS // (len(names) * sums.shape[1]))
    for first in range(0, len(weights), step):
        block = slice(first, first + step)
        by_run = [
            np.tensordot(weights[block], cells, axes=1) for cells in (cell_sums, cell_sizes)
        ]  # (block, runs, k)
        total, lists = (np.einsum("br,brk->bk", run_weights[block], cells) for cells in by_run)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[block] = total / lists
    return means
