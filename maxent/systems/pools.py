"""Incomplete judgments: what measures say when only a share of the pool is judged (xGAP paper, figures 1 and 2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from tqdm import tqdm

from maxent.data.collection import Collection, Runs, collect
from maxent.errors import ProblemError
from maxent.measures import Measure, as_measures
from maxent.systems.rankings import better_runs, tau, tau_ap, topic_sets, topic_values
from maxent.types import IntArray

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
FEWEST_NONRELEVANT, FEWEST_RELEVANT = 10, 1  # documents of a grade that every sample keeps, if there are so many


@dataclass(frozen=True, eq=False)
class Pools:
    """A collection whose judgments can be thinned out, each grade for itself.

    Attributes
    ----------
    full : Collection
        With all judgments.
    numbers : (topics, runs, depth) array
        Which judged document of the topic is at each rank, from 1; 0 for an unjudged one.
    judged : (topics, most + 1) array
        Grade of each judged document by its number; -1 where there is none, and at 0.
    """

    full: Collection
    numbers: IntArray
    judged: IntArray

    @classmethod
    def of(
        cls, runs: Runs, qrels: pd.DataFrame, *, depth: int = 1000, topics: Sequence[str] | None = None
    ) -> "Pools":
        """Look up grades and, in a second pass with numbers in place of grades, which document each rank holds."""
        if not isinstance(runs, pd.DataFrame | Mapping):
            runs = list(runs)  # two passes
        full = collect(runs, qrels, depth=depth, topics=topics)
        known = qrels[qrels["relevance"] >= 0].astype({"query_id": str})
        known = known[known["query_id"].isin(full.topics)]
        number = known.groupby("query_id").cumcount() + 1
        coded = collect(runs, known.assign(relevance=number), depth=depth)
        places = [coded.topics.index(topic) for topic in full.topics]
        judged = np.full((len(full.topics), int(number.max()) + 1), -1)
        judged[pd.Index(full.topics).get_indexer(pd.Index(known["query_id"])), number] = known["relevance"]
        return cls(full, coded.grades[places], judged)

    def better(self, quantile: float) -> "Pools":
        """With :func:`maxent.systems.rankings.better_runs` of the full judgments only."""
        full = better_runs(self.full, quantile)
        return Pools(full, self.numbers[:, np.isin(self.full.runs, full.runs)], self.judged)

    def shuffle(self, rng: np.random.Generator) -> IntArray:
        """A random order of the documents of each topic and grade: place of each document in its own, from 0."""
        keys = rng.random(self.judged.shape)
        places = np.zeros(self.judged.shape, dtype=np.int64)
        for grade in range(self.full.levels + 1):
            own = self.judged == grade
            order = np.where(own, keys, np.inf).argsort(axis=1).argsort(axis=1)
            places[own] = order[own]
        return places

    def reduce(self, share: float, places: IntArray) -> Collection:
        """Keep the first max(minimum, round(share * n)) of the n documents of each grade and topic.

        The minimum is 1 for a relevant grade and 10 for grade 0. Samples of one shuffle are nested.
        """
        counts = np.column_stack((self.full.judged_nonrelevant, self.full.relevant))
        fewest = np.array([FEWEST_NONRELEVANT, *[FEWEST_RELEVANT] * self.full.levels])
        limits = np.minimum(counts, np.maximum(fewest, np.round(share * counts).astype(np.int64)))
        allowed = np.take_along_axis(limits, self.judged.clip(min=0), axis=1)
        kept = np.where(places < allowed, self.judged, -1).astype(np.int16)
        flat = self.numbers.reshape(len(kept), -1)
        grades = np.take_along_axis(kept, flat, axis=1).reshape(self.numbers.shape)
        return replace(
            self.full,
            grades=grades.clip(min=0),
            nonrelevant=grades == 0,
            relevant=limits[:, 1:],
            judged_nonrelevant=limits[:, 0],
        )


def pool_reduction(
    runs: Runs,
    qrels: pd.DataFrame,
    *,
    measures: Sequence[Measure | str],
    shares: Sequence[float] = SHARES,
    repetitions: int = 10,
    few: float = 10.0,
    quantile: float = 0.25,
    depth: int = 1000,
    topics: Sequence[str] | None = None,
    rng: np.random.Generator | int = 0,
    progress: bool = True,
) -> pd.DataFrame:
    """Agreement between the ranking of systems with all judgments and that with a random share of them.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.informativeness`.
    measures : sequence of Measure or text
    shares : sequence of float
        Shares of the judgments of each topic and grade, in (0, 1]; at least one relevant document of each grade and
        ten non-relevant ones stay.
    repetitions : int
        Random orders of the documents; within one, smaller samples are parts of larger ones.
    few, quantile, depth, topics
        As for :func:`maxent.agreement`; runs and sets of topics are those of the full judgments.
    rng : Generator or int
    progress : bool
        Show a progress bar on a terminal where it takes more than two seconds.

    Returns
    -------
    DataFrame
        One row per set of topics, share, repetition and measure: topics, share, repetition, measure, tau (tau-b of
        the systems' means), tau_ap (the full judgments being the truth).
    """
    pools = Pools.of(runs, qrels, depth=depth, topics=topics)
    return reduce_pools(
        pools, measures=as_measures(measures), shares=shares, repetitions=repetitions, few=few, quantile=quantile,
        rng=rng, progress=progress,
    )  # fmt: skip


def reduce_pools(
    pools: Pools,
    *,
    measures: Sequence[Measure],
    shares: Sequence[float] = SHARES,
    repetitions: int = 10,
    few: float = 10.0,
    quantile: float = 0.25,
    rng: np.random.Generator | int = 0,
    progress: bool = True,
) -> pd.DataFrame:
    """As :func:`pool_reduction`, on grade arrays."""
    kept = pools.better(quantile)
    sets = topic_sets(kept.full, few)
    full = topic_values(kept.full, measures)
    rows = []
    for repetition, share, collection in reductions(kept, shares, repetitions, rng, progress=progress):
        values = topic_values(collection, measures)
        for name, chosen in sets.items():
            means = zip(full[:, chosen].mean(axis=1), values[:, chosen].mean(axis=1), strict=True)
            for measure, (truth, estimate) in zip(measures, means, strict=True):
                rows.append((name, share, repetition, str(measure), tau(truth, estimate), tau_ap(estimate, truth)))
    return pd.DataFrame(rows, columns=["topics", "share", "repetition", "measure", "tau", "tau_ap"])


def reductions(
    pools: Pools,
    shares: Sequence[float],
    repetitions: int,
    rng: np.random.Generator | int,
    *,
    progress: bool = True,
) -> Iterator[tuple[int, float, Collection]]:
    """Repetition, share and the collection with that share of the judgments."""
    if not shares or not all(0 < share <= 1 for share in shares) or repetitions < 1:
        raise ProblemError(f"shares must be in (0, 1], repetitions positive; got {tuple(shares)} and {repetitions}")
    generator = np.random.default_rng(rng)
    with tqdm(
        total=repetitions * len(shares), desc="pools", unit="pool", delay=2, disable=None if progress else True
    ) as bar:
        for repetition in range(repetitions):
            places = pools.shuffle(generator)
            for share in shares:
                yield repetition, share, pools.reduce(share, places)
                bar.update()


def summarize_pools(table: pd.DataFrame) -> pd.DataFrame:
    """Means over the repetitions of :func:`pool_reduction`, and the interval that 95 % of them lie in.

    Parameters
    ----------
    table : DataFrame
        From :func:`pool_reduction`.

    Returns
    -------
    DataFrame
        Columns topics, measure, share, tau, tau_low, tau_high, tau_ap.
    """
    groups = table.groupby(["topics", "measure", "share"], sort=False)
    means = groups[["tau", "tau_ap"]].mean()
    means.insert(1, "tau_low", groups["tau"].quantile(0.025))
    means.insert(2, "tau_high", groups["tau"].quantile(0.975))
    return means.reset_index()
