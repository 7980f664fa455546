"""Grades of all documents drawn from their distributions, and values of measures for these grades.

A draw has multipliers and grades of all documents: R_i, ideal lists and all runs use the same grades.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from maxent.data.inspect_run import FIRST, LITTLE
from maxent.judgments.features import Features
from maxent.judgments.fit import Step, fitted
from maxent.judgments.left_out import LeftOut, left_out
from maxent.judgments.pools import RELEVANT, Pool, Pools
from maxent.measures import JudgedNonrelevant, Measure
from maxent.measures.cascade import evaluate_all
from maxent.progress import progress_bar
from maxent.types import FloatArray, IntArray
from maxent.workers import each_result

DRAWS = 100
# With fewer relevant documents judged by topic, fewer than RELEVANT in a pool, or a calibration that is OFF there,
# means are withheld: in 24 of 29 samples in which AP or nDCG@10 is off by more than .05, and in 4 of 55 that
# are right within .035. AT_LEAST and RELEVANT were chosen on robust03 and clef2014, OFF on covid-round4, too
# (analyses/unjudged_notes.py).
AT_LEAST = 5
WITHHELD = "means are not estimated"
MOST = 0.98  # of the judged documents are above the last judged rank; a few may come from runs that are not given
# least share of the judged documents that the runs return: .945 to .993 on three collections whose runs made the
# pool; .87 for two of 13 runs of covid-round4, where a run outside the pool seemed better but was worse
RETURNED = 0.9
OTHER_RUNS = (
    "more than a tenth of the judged documents are returned by none of these runs: give all runs of the pool, or "
    "values of runs outside the pool are too high"
)
SPARSE = (
    f"fewer than {RELEVANT} relevant documents of a topic are judged, or less than {LITTLE:.0%} of the first "
    f"{FIRST} documents: means are less certain than the draws suggest"
)


@dataclass(frozen=True, eq=False)
class Model:
    """Distributions of the grades of all documents: drawn multipliers of each step."""

    pools: Pools
    features: Features
    steps: Sequence[Step]
    multipliers: FloatArray  # (topics, steps, draws, features)
    rng: int

    @classmethod
    def of(cls, pools: Pools, *, rng: int, draws: int = DRAWS) -> Self:
        """Fit the model to the judged documents of pools, and draw its multipliers."""
        features = Features.of(pools)
        steps = fitted(features, pools.topics)
        generator = np.random.default_rng(rng)
        drawn = [step.draw(generator.normal(size=(draws, *step.mode.shape))) for step in steps]
        return cls(pools, features, steps, np.stack(drawn, axis=1), rng)

    @property
    def misses_runs(self) -> bool:
        """Whether many judged documents are not returned by any of the runs, so that other runs made the pool."""
        judged = [pool.judged for pool in self.pools.topics]
        returned = [(pool.ranks > 0).any(axis=0) & pool.judged for pool in self.pools.topics]
        return bool(sum(map(np.sum, returned)) < RETURNED * sum(map(np.sum, judged)))

    @cached_property
    def withheld(self) -> str:
        """Reason why means over topics are not estimated; empty if they are."""
        relevant, is_pool = self.pools.relevant, self.share_below > 1 / 2
        if relevant < AT_LEAST or (is_pool and relevant < RELEVANT):
            needed = f"{RELEVANT} in a pool" if is_pool else f"{AT_LEAST}"
            return f"{WITHHELD}: {relevant:.1f} relevant documents of a topic are judged, fewer than {needed}"
        if is_pool and self.left_out.is_off:
            return f"{WITHHELD}: the {self.left_out}"
        return ""

    @cached_property
    def share_below(self) -> float:
        """Share of the expected relevant documents that are below the judged ranks: large in a pool."""
        # 1. the last judged rank, all but for a few judged documents
        pools = self.pools.topics
        best_ranks = [pool.best for pool in pools]  # (documents,) of each topic
        judged = np.concatenate([ranks[pool.judged] for ranks, pool in zip(best_ranks, pools, strict=True)])
        returned = judged[np.isfinite(judged)]
        last = np.quantile(returned, MOST) if len(returned) else 0.0
        # 2. the share of the documents below it, each counted by its probability of being relevant
        relevant = [1 - self.probabilities(place)[:, 0] for place in range(len(pools))]
        below = sum(float(p[ranks > last].sum()) for p, ranks in zip(relevant, best_ranks, strict=True))
        return below / sum(float(p.sum()) for p in relevant)

    @cached_property
    def left_out(self) -> LeftOut:
        """Predictions of judged documents of runs that are left out of the pool in turn."""
        return left_out(self.steps[0], self.pools.topics)

    def probabilities(self, place: int) -> FloatArray:
        """Probabilities of the grades 0, 1, ... of the documents of a topic, (documents, grades)."""
        pool = self.pools.topics[place]
        documents = len(pool.grades)
        # probability of a grade of k or more, the mean over draws of the product of chances up to step k
        chances = _chances(self.features, pool, self.multipliers[place])
        at_least = np.cumprod(chances, axis=0).mean(axis=1)  # (steps, documents)
        # P(k) = P(k or more) - P(k + 1 or more)
        p = -np.diff(np.vstack([np.ones(documents), at_least, np.zeros(documents)]), axis=0).T
        p[pool.judged] = np.eye(p.shape[1])[pool.grades[pool.judged]]
        return p

    def grades(self, place: int) -> IntArray:
        """Drawn grades of the documents of a topic, (draws, documents), the same as in :meth:`values`."""
        pool = self.pools.topics[place]
        return draw_grades(self.features, pool, self.multipliers[place], (self.rng, place))

    def values(self, measures: Sequence[Measure], *, jobs: int, progress: bool) -> FloatArray:
        """Values of measures for all draws, (measures, topics, runs, draws)."""
        levels = self.pools.collection.levels
        pieces = [
            (self.features, pool, multipliers, measures, levels, (self.rng, place))
            for place, (pool, multipliers) in enumerate(zip(self.pools.topics, self.multipliers, strict=True))
        ]
        results = each_result(_values, pieces, total=len(pieces), jobs=jobs, threads=False)
        bar = progress_bar(results, desc="drawing grades", unit="topic", total=len(pieces), shown=progress)
        by_place = dict(bar)
        return np.stack([by_place[place] for place in range(len(pieces))], axis=1)


def _chances(features: Features, pool: Pool, multipliers: FloatArray) -> FloatArray:
    """Probability that each document takes each step, given the steps before, (steps, draws, documents)."""
    from scipy.special import expit  # loaded late: a part of maxent's import time

    return np.asarray(expit(multipliers @ features.table(pool).T))


def _values(
    features: Features,
    pool: Pool,
    multipliers: FloatArray,
    measures: Sequence[Measure],
    levels: int,
    seed: Sequence[int],
) -> FloatArray:
    """Values of measures for the runs of a topic and all draws, (measures, runs, draws).

    ``multipliers`` (steps, draws, features) are of the topic.
    """
    if pool.judged.all():  # all draws are equal
        values = values_of(pool.lists, pool.grades[None], measures, levels)
        return np.repeat(values, multipliers.shape[1], axis=2)
    return values_of(pool.lists, draw_grades(features, pool, multipliers, seed), measures, levels)


def draw_grades(features: Features, pool: Pool, multipliers: FloatArray, seed: Sequence[int]) -> IntArray:
    """Grades of the documents of a topic in every draw, (draws, documents); judged ones keep their grades.

    ``multipliers`` (steps, draws, features) are of the topic. A grade is the number of steps that a document takes
    before the first that it does not take.
    """
    unjudged = ~pool.judged
    chances = _chances(features, pool, multipliers)[:, :, unjudged]
    taken = np.random.default_rng(seed).random(chances.shape) < chances
    grades = np.tile(pool.grades, (chances.shape[1], 1))
    grades[:, unjudged] = np.logical_and.accumulate(taken, axis=0).sum(axis=0)
    return grades


def values_of(lists: IntArray, grades: IntArray, measures: Sequence[Measure], levels: int) -> FloatArray:
    """Values of measures, (measures, runs, draws).

    ``lists`` (runs, depth) has indices of documents, and the number of documents after the end of a list. All
    documents have ``grades`` (draws, documents). With a single draw, values equal those of :func:`maxent.evaluate`
    exactly; with several, up to rounding.
    """
    # 1. forms and cascades are evaluated together where there are several draws, others one by one
    together = [k for k, measure in enumerate(measures) if len(grades) > 1 and _has_expectation(measure)]
    singly = [k for k in range(len(measures)) if k not in together]
    values = np.empty((len(measures), len(lists), len(grades)))
    for draw, of_documents in enumerate(grades):
        # 2. R_i of the draw, and the grades of the lists, (runs, depth): 0 after the end of a list
        counts = np.bincount(of_documents, minlength=levels + 1)
        of_lists = np.append(of_documents, 0)[lists]
        # 3. values
        if together:
            expectations = [measures[k].expectation(counts[1:], lists.shape[1]) for k in together]
            values[together, :, draw] = evaluate_all(expectations, of_lists, levels)
        # all documents have grades: one of grade 0 counts as judged
        judged = JudgedNonrelevant((of_lists == 0) & (lists < len(of_documents)), int(counts[0]))
        for k in singly:
            values[k, :, draw] = measures[k].values(of_lists, counts[1:], judged)
    return values


def _has_expectation(measure: Measure) -> bool:
    """Whether a measure is a form or a cascade of all documents, so that it is evaluated by its coefficients."""
    return (measure.is_form() or measure.is_cascade()) and not getattr(measure, "judged_only", False)
