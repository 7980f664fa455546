"""Lists for the g explorer: chosen before a study, which stores their distributions at some ranks.

Between these ranks the logarithms of probabilities are smooth: for GAP and nDCG they are sums of smooth weights and
the reference. So a few numbers determine each distribution, and nothing is solved again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from maxent.data.collection import Collection
from maxent.measures import Measure
from maxent.measures.candidates import g_of
from maxent.measures.form import grade_counts
from maxent.studies.options import StudyOptions
from maxent.studies.topic_groups import left_out
from maxent.types import BoolArray, FloatArray, IntArray

MOST, FEWEST = 100, 6  # lists: at most, and at least if there are many candidates
POINTS = 50  # of a curve at most
NUMBERS = 150_000  # of all curves, about five characters each; beyond this there are fewer lists


@dataclass(frozen=True, eq=False)
class ShownLists:
    """Some lists, and their distributions at some ranks for each candidate for g."""

    places: BoolArray  # (topics, runs): which lists
    measures: tuple[str, ...]  # the candidates
    ranks: IntArray  # from 1
    p: npt.NDArray[np.float32]  # (lists, measures, ranks, levels + 1); NaN where there is none

    @classmethod
    def of(cls, collection: Collection, options: StudyOptions) -> Self:
        """Lists, evenly spread over those that a study uses, in the order of topics and runs; not yet solved.

        Empty with fewer than two candidates.
        """
        ranks, is_shown = spaced(collection.depth), np.zeros(collection.missing.shape, dtype=np.bool_)
        g_measures = len(candidates(options.measures))
        if g_measures > 1:
            numbers_per_list = g_measures * len(options.thresholds) * len(ranks)
            number = min(MOST, max(FEWEST, NUMBERS // numbers_per_list))
            retrieved = grade_counts(collection.grades, collection.levels)
            is_used = left_out(retrieved, collection.missing, collection.used, options) == ""
            used = np.argwhere(is_used)  # (lists, 2): topic and run
            topic, run = used[thinned(np.arange(len(used)), number)].T
            is_shown[topic, run] = True
        return cls(
            is_shown, (), ranks, np.empty((is_shown.sum(), 0, len(ranks), collection.levels + 1), np.float32)
        )

    def solved(self, measures: Sequence[Measure], numbers: npt.NDArray[np.float32]) -> Self:
        """These lists with more candidates; ``numbers`` has their probabilities as one flat array."""
        names = tuple(str(measures[k]) for k in candidates(measures))
        lists, _, *shape = self.p.shape
        p = numbers.reshape(lists, len(names), *shape)
        return replace(self, measures=(*self.measures, *names), p=np.concatenate((self.p, p), axis=1))


def candidates(measures: Sequence[Measure]) -> list[int]:
    """Indices of the measures that are candidates for g or for gains."""
    return [k for k, measure in enumerate(measures) if g_of(measure) is not None]


def spaced(depth: int) -> IntArray:
    """At most ``POINTS`` ranks down to ``depth``: the first ten, then ranks in equal ratios."""
    first = min(10, depth)
    return np.unique(np.r_[1 : first + 1, np.geomspace(first, depth, POINTS - 10).round().astype(int)])


def thinned(values: IntArray, number: int = POINTS) -> IntArray:
    """At most ``number`` of the values, evenly spaced and with both ends."""
    if len(values) <= number:
        return values
    return np.asarray(values[np.unique(np.linspace(0, len(values) - 1, number).round().astype(int))])


def distribution(p: FloatArray, ranks: IntArray, log_odds: FloatArray | None) -> FloatArray:
    """Distributions (k, depth, levels + 1), interpolated from some ranks, 1 and the depth included.

    ``p`` has shape (k, ranks, levels + 1). Logarithms of probabilities, minus the log-odds of the reference (depth,
    levels), are interpolated by cubic splines over the logarithm of the rank. The precision of a curve is off by
    less than 0.00001, or by up to 0.0005 for GAP with a reference that is not smooth.
    """
    from scipy.interpolate import CubicSpline  # loaded at its first use

    depth = int(ranks[-1])
    if len(ranks) == depth:
        return p
    reference = np.zeros((depth, p.shape[-1]))  # logarithms; grade 0 has odds 1
    if log_odds is not None:
        reference[:, 1:] = log_odds
    # log p - reference at some ranks, its spline at all ranks, and p again
    logs = np.log(np.maximum(p, np.finfo(np.float32).tiny)) - reference[ranks - 1]
    spline = CubicSpline(np.log(ranks), logs, axis=1)
    weights = np.exp(spline(np.log(np.arange(1, depth + 1))) + reference)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
