"""Incomplete judgments: how rankings of systems change when fewer documents are judged.

The judgments of every topic and grade are reduced by stratified random sampling (xGAP paper 6, figures 1 and 2).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import REPETITIONS, whole_number
from maxent.data.collection import Collection, collect
from maxent.data.inputs import Qrels, Runs, as_qrels
from maxent.data.judgments import Judgments
from maxent.data.options import CollectOptions
from maxent.errors import InputError, ProblemError, require_columns
from maxent.measures import Measure, as_measures
from maxent.options import takes
from maxent.progress import progress_bar
from maxent.systems.rankings import better_runs, tau, tau_ap, topic_sets, topic_values
from maxent.types import IntArray

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
FEWEST_NONRELEVANT, FEWEST_RELEVANT = 10, 1  # smallest sample of a grade, if it has as many documents


@dataclass(frozen=True, eq=False)
class Pools:
    """A collection whose judgments can be reduced; the judged documents of a topic have numbers from 1."""

    full: Collection  # with all judgments
    numbers: IntArray  # (topics, runs, depth): of the document at each rank among the judged ones, 0 if it is none
    judged: IntArray  # (topics, most + 1): grade of each judged document by its number, -1 where there is none

    @classmethod
    def of(cls, runs: Runs, qrels: Qrels, **options: Unpack[CollectOptions]) -> "Pools":
        """Pools of runs and judgments; the options are those of :func:`maxent.collect`."""
        table = as_qrels(qrels, duplicates=options.get("duplicates", "error"))
        if isinstance(runs, Iterator):
            runs = list(runs)  # it is collected twice: with grades, and with numbers in place of grades
        full = collect(runs, table, **options)
        known = table[table["relevance"] >= 0]
        known = known[known["query_id"].isin(full.topics)]
        number = known.groupby("query_id").cumcount() + 1
        numbered = Judgments.of(known.assign(relevance=number), limit=None)  # these numbers are no grades
        again = CollectOptions(topics=None, levels=None, depth=full.depth, allow_unjudged=True)
        coded = collect(runs, numbered, **(options | again))  # what is refused was refused before
        places = [coded.topics.index(topic) for topic in full.topics]
        judged = np.full((len(full.topics), int(number.max()) + 1), -1)
        judged[pd.Index(full.topics).get_indexer(pd.Index(known["query_id"])), number] = known["relevance"]
        return cls(full, coded.grades[places], judged)

    def better(self, quantile: float) -> "Pools":
        """Pools of the runs that :func:`better_runs` keeps with all judgments."""
        full = better_runs(self.full, quantile)
        return Pools(full, self.numbers[:, np.isin(self.full.runs, full.runs)], self.judged)

    def shuffle(self, rng: np.random.Generator) -> IntArray:
        """Place from 0 of each judged document, (topics, most + 1), in a random order of those of its grade."""
        keys = rng.random(self.judged.shape)
        places = np.zeros(self.judged.shape, dtype=np.int64)
        for grade in range(self.full.levels + 1):
            own = self.judged == grade
            order = np.where(own, keys, np.inf).argsort(axis=1).argsort(axis=1)
            places[own] = order[own]
        return places

    def reduce(self, share: float, places: IntArray) -> Collection:
        """Collection in which only a share of the documents of each topic and grade is judged.

        Of n documents the first max(minimum, round(share * n)) stay judged, in the order of ``places`` (from
        :meth:`shuffle`), so that of two samples with the same places the smaller is part of the larger. The minimum
        is 1 for a relevant grade and 10 for grade 0.
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


@takes(CollectOptions)
def pool_reduction(
    runs: Runs,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str],
    shares: Sequence[float] = SHARES,
    repetitions: int = 10,
    few: float = 10.0,
    quantile: float = 0.25,
    rng: np.random.Generator | int = 0,
    **options: Unpack[CollectOptions],
) -> pd.DataFrame:
    """Agreement between the rankings of systems with all judgments and with a random share of them.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`. A `Collection` alone does not do: it no longer knows the documents.
    measures : sequence of Measure or text
        Measures that rank the systems.
    shares : sequence of float
        Shares of the judgments of each topic and grade, in (0, 1]; at least one relevant document of each grade and
        ten non-relevant ones stay judged.
    repetitions : int
        Number of random orders of the documents; of two samples from one order, the smaller is part of the larger.
    few, quantile
        As for :func:`maxent.agreement`; all judgments decide which runs and topics take part.
    rng : Generator or int
        Generator or seed of the random orders.

    Returns
    -------
    DataFrame
        One row per set of topics, share, repetition and measure: topics, share, repetition, measure, tau (Kendall's
        tau-b between the systems' means with all and with the share), tau_ap (:func:`maxent.systems.tau_ap`, the
        ranking with all judgments being the truth).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> table = me.systems.pool_reduction(runs, qrels, measures=["AP"], shares=(1, 0.5, 0.1), quantile=0, depth=100)
    >>> me.systems.summarize_pools(table)[["measure", "share", "tau", "tau_low", "tau_high"]].round(2)
      measure  share   tau  tau_low  tau_high
    0      AP    1.0  1.00     1.00      1.00
    1      AP    0.5  0.96     0.87      1.00
    2      AP    0.1  0.56     0.23      0.84
    """
    chosen = tuple(dict.fromkeys(as_measures(measures)))
    if isinstance(runs, Collection):
        raise InputError("a Collection does not know its documents: to reduce judgments, give runs and qrels")
    pools = runs if isinstance(runs, Pools) else Pools.of(runs, qrels, **options)
    kept = pools.better(quantile)
    sets = topic_sets(kept.full, few)
    full = topic_values(kept.full, chosen)
    rows = []
    for repetition, share, collection in reductions(kept, shares, repetitions, rng, progress=options["progress"]):
        values = topic_values(collection, chosen)
        for name, part in sets.items():
            means = zip(full[:, part].mean(axis=1), values[:, part].mean(axis=1), strict=True)
            for measure, (truth, estimate) in zip(chosen, means, strict=True):
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
    """Collections with reduced judgments, in all repetitions and shares: (repetition, share, collection)."""
    if not shares or not all(0 < share <= 1 for share in shares):
        raise ProblemError(f"shares must be in (0, 1], got {tuple(shares)}")
    repetitions = whole_number("repetitions", repetitions, raises=ProblemError, limit=REPETITIONS)
    generator = np.random.default_rng(rng)
    with progress_bar(total=repetitions * len(shares), desc="pools", unit="pool", shown=progress) as bar:
        for repetition in range(repetitions):
            places = pools.shuffle(generator)
            for share in shares:
                yield repetition, share, pools.reduce(share, places)
                bar.update()


def summarize_pools(table: pd.DataFrame) -> pd.DataFrame:
    """Mean agreement over the repetitions of a pool reduction, and the interval with 95 % of them.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.systems.pool_reduction`.

    Returns
    -------
    DataFrame
        Columns topics, measure, share, tau, tau_low, tau_high (2.5 and 97.5 % quantiles of tau), tau_ap.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.systems.pool_reduction(runs, qrels, measures=["AP"], repetitions=2, quantile=0, progress=False)
    >>> me.systems.summarize_pools(table).columns.tolist()
    ['topics', 'measure', 'share', 'tau', 'tau_low', 'tau_high', 'tau_ap']
    """
    require_columns(table, ("topics", "measure", "share", "tau", "tau_ap"), "table of pool_reduction")
    groups = table.groupby(["topics", "measure", "share"], sort=False)
    means = groups[["tau", "tau_ap"]].mean()
    means.insert(1, "tau_low", groups["tau"].quantile(0.025))
    means.insert(2, "tau_high", groups["tau"].quantile(0.975))
    return means.reset_index()


def pools_matrix(summary: pd.DataFrame) -> pd.DataFrame:
    """A row for each set of topics and measure, a column for each share of the judgments: mean tau."""
    keys = ["topics", "measure"]
    wide = summary.set_index([*keys, "share"])["tau"].unstack("share")
    wide = wide.loc[pd.MultiIndex.from_frame(summary[keys].drop_duplicates()), summary["share"].unique()]
    return wide.set_axis([f"{share:.0%}" for share in wide.columns], axis=1).reset_index()
