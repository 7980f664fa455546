"""Bootstrap means over the lists of resampled topics, or of resampled topics and systems."""

from functools import lru_cache
from typing import Any, NamedTuple, Self, get_args

import numpy as np
import pandas as pd

from maxent.checks import REPETITIONS, check_choice, whole_number
from maxent.errors import ProblemError
from maxent.options.choices import Resample as Resample
from maxent.types import FloatArray, IntArray

RESAMPLES: tuple[Resample, ...] = get_args(Resample)
CELLS = 4_000_000  # numbers held at once where systems are resampled, too
KEPT = 32_000_000  # weights that stay in memory for the next mean of the same topics
FEW = 20  # topics; over fewer, percentile intervals cover less than the nominal 95 %: ten 88 %, five 83 %


def few_topics(topics: int) -> str:
    """Caution that intervals over fewer than ``FEW`` topics may be too narrow; empty for enough topics, or one."""
    return f"with {topics} topics, 95 % intervals may cover only 90 %" if 1 < topics < FEW else ""


def resampled(rows: pd.DataFrame, resample: Resample) -> int:
    """Number of topics; if runs are resampled as well, the number of topics or of runs, whichever is smaller."""
    names = ("query_id", "run_id") if resample == "both" else ("query_id",)
    return min(rows[name].nunique() for name in names)


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


class TopicSamples(NamedTuple):
    """Bootstrap means over the lists of resampled topics, and what each topic adds to the means."""

    means: pd.DataFrame  # (replicates, columns)
    influences: pd.DataFrame  # (topics, columns), contributions to the deviations of the means; columns sum to 0
    weights: IntArray  # (replicates, topics), how often each replicate has each topic

    def of(self, names: Any) -> Self:
        """Samples of the columns under ``names``, in the first levels of the columns."""
        means, influences = pd.DataFrame(self.means[names]), pd.DataFrame(self.influences[names])
        return self._replace(means=means, influences=influences)


def topic_bootstrap(solved: pd.DataFrame, keys: list[str], **options: Any) -> pd.DataFrame:
    """Means of :func:`topic_samples`: a row for each replicate, a column for each of ``keys``."""
    return topic_samples(solved, keys, **options).means


def topic_samples(
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
        return TopicSamples(nothing, nothing, np.zeros((0, 0), dtype=np.int64))
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
    means[:, (sizes.to_numpy() > 0).sum(axis=0) < 2] = np.nan
    total = sizes.sum()
    influences = (sums - sizes * (sums.sum() / total)) / (total / observed)
    return TopicSamples(pd.DataFrame(means, columns=sums.columns), influences, weights)


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
