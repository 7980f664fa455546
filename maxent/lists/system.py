"""The most random system with given averages over topics, and what it says."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from maxent.errors import ProblemError
from maxent.lists.averages import Averages
from maxent.lists.distribution import Paths
from maxent.lists.dual import Moments, descend, least_entropy
from maxent.lists.extremes import interval
from maxent.lists.topics import Topic, topics_of
from maxent.measures import Measure, as_measures
from maxent.problem.certificate import FEASIBLE, Status
from maxent.problem.interval import locate
from maxent.types import FloatArray, IntArray
from maxent.workers import workers


@dataclass(frozen=True, eq=False)
class ImpliedSystem:
    """The distribution over the lists of all topics that has given averages and the largest entropy.

    The lists of different topics are independent, and the multipliers are the same for all topics:
    P(list of topic t) = q(list) exp(sum_k lambda_k M_k(list)) / Z_t.

    Attributes
    ----------
    averages : Averages
        The problem solved.
    status : {"optimal", "boundary", "infeasible", "failed"}
        ``boundary``: an average is at an end of its interval, and so is each topic's value. ``infeasible``: no
        lists have these averages together.
    multipliers : tuple of float
        Of the averages; infinite for one at an end.
    intervals : tuple of (float, float)
        Smallest and largest average of each measure, whatever the others are.
    residual : float
        Largest deviation of an average from the given one, relative to its interval.
    message : str
        Why there is no distribution.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> system = me.solve(me.Averages(qrels, {"AP": 0.45, "P@10": 0.7, "R@100": 0.8}, depth=100))
    >>> system.status, system.expected(["nDCG", "P@20", "ERR"]).round(3).tolist()
    ('optimal', [0.69, 0.68, 0.35])
    """

    averages: Averages
    status: Status
    multipliers: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    residual: float = np.nan
    message: str = ""
    passes: int = 0
    _topics: tuple[Topic, ...] = ()
    _paths: tuple[Paths, ...] = ()

    def __repr__(self) -> str:
        return f"ImpliedSystem({repr(self.averages)[9:-1]}: {self.status})"

    def _each(self, what: Callable[[Topic, Paths], Any]) -> list[Any]:
        """Something of every topic, in threads."""
        if not self._paths:
            raise ProblemError(f"no distribution: the averages are {self.status}. {self.message}")
        return in_threads(lambda pair: what(*pair), list(zip(self._topics, self._paths, strict=True)))

    @cached_property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n of each topic, (topics, depth, levels + 1)."""
        return np.array(self._each(lambda topic, paths: paths.p @ topic.shares))

    @property
    def entropy(self) -> float:
        """Sum of the entropies over the lists of groups of all topics, in nats."""
        return float(sum(self._each(lambda _, paths: paths.entropy)))

    def values(self, measures: Iterable[Measure | str]) -> FloatArray:
        """Expected value of measures in each topic, (topics, measures)."""
        known = as_measures(list(measures))
        return np.array(self._each(lambda topic, paths: topic.expected(paths.dual, known)))

    def expected(self, measures: Iterable[Measure | str]) -> FloatArray:
        """Expected averages of measures over the topics, (measures,).

        Parameters
        ----------
        measures : iterable of Measure or text
            Pairwise forms and cascades.

        Raises
        ------
        ProblemError
            If there is no distribution.
        """
        return np.asarray(self.values(measures).mean(axis=0))

    def by_topic(self, measures: Iterable[Measure | str]) -> pd.DataFrame:
        """Expected values of measures: a row for each topic, which is the index, and a column for each measure."""
        known = as_measures(list(measures))
        index = pd.Index(self.averages.topics, name="query_id")
        return pd.DataFrame(self.values(known), index=index, columns=[str(measure) for measure in known])

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random systems, (number, topics, depth) grades."""
        seeds = iter(np.random.default_rng(rng).spawn(len(self._topics)))
        randoms = {id(topic): next(seeds) for topic in self._topics}
        return np.stack(self._each(lambda topic, paths: topic.grades(paths, number, randoms[id(topic)])), axis=1)


def solve_averages(averages: Averages) -> ImpliedSystem:
    """The distribution over the lists of all topics of largest entropy relative to the reference."""
    topics, m = topics_of(averages), len(averages.measures)
    own = in_threads(lambda topic: [interval(topic.lists, j) for j in range(m)], topics)
    ends = np.mean(own, axis=0).T  # (2, m)
    intervals = tuple((float(low), float(high)) for low, high in ends.T)
    multipliers, where = np.zeros(m), [locate(v, *pair) for v, pair in zip(averages.values, intervals, strict=True)]
    for measure, value, pair, location in zip(averages.measures, averages.values, intervals, where, strict=True):
        if location in ("below", "above"):
            message = f"{measure} = {value:.10g} is {location} the interval [{pair[0]:.10g}, {pair[1]:.10g}]"
            return ImpliedSystem(averages, "infeasible", (np.nan,) * m, intervals, message=message)
    for j, location in enumerate(where):
        if location in ("low", "high"):
            topics = [topic.at_end(j, above=location == "high") for topic in topics]
            multipliers[j] = np.inf if location == "high" else -np.inf
    free = np.array([j for j, location in enumerate(where) if location == "inside"], dtype=np.int64)
    least = float(np.mean([least_entropy(topic.lists) for topic in topics]))
    values = np.array(averages.values)

    def evaluate(at: FloatArray) -> Moments:
        parts = in_threads(lambda topic: topic.moments(at), topics)
        log_z, expected, cov = (np.mean(part, axis=0) for part in zip(*parts, strict=True))
        return Moments(float(log_z), expected, cov)

    shared, passes, unbounded = descend(evaluate, values, ends, free, np.zeros(m), least)
    if unbounded:
        message = "no lists, and no mixture of lists, have these averages together"
        return ImpliedSystem(averages, "infeasible", (np.nan,) * m, intervals, np.nan, message, passes)
    paths = in_threads(lambda topic: topic.paths(shared), topics)
    expected = np.mean([own.dual.expected for own in paths], axis=0)
    residual = float((np.abs(expected - values)[free] / (ends[1] - ends[0])[free]).max(initial=0.0))
    if not residual <= FEASIBLE:
        message = f"the averages are {residual:.2g} of their intervals off"
        return ImpliedSystem(averages, "failed", (np.nan,) * m, intervals, residual, message, passes)
    multipliers[free] = shared[free]
    status: Status = "boundary" if np.isinf(multipliers).any() else "optimal"
    found = tuple(multipliers.tolist())
    return ImpliedSystem(averages, status, found, intervals, residual, "", passes, tuple(topics), tuple(paths))


def in_threads(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Results of a function that runs outside the interpreter, in the order of the items."""
    jobs = workers(-1, len(items))
    if jobs == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))
