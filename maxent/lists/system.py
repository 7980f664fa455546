"""Most random systems with given averages over topics, and their predictions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from maxent.checks import check_band, sample_size
from maxent.errors import ProblemError
from maxent.lists.averages import Averages
from maxent.lists.distribution import Paths
from maxent.lists.dual import PASSES, descend, least_entropy, newton_step
from maxent.lists.expected_precision import LEVELS, interpolated, widened
from maxent.lists.merged_topics import MergedTopic
from maxent.lists.recursion import Moments
from maxent.lists.region import Region
from maxent.measures import Measure, as_measures
from maxent.measures.cascade import evaluate_all
from maxent.measures.gain import check_level
from maxent.problem.certificate import FEASIBLE, Status
from maxent.problem.interval import locate
from maxent.shown import Shown, public
from maxent.types import FloatArray, IntArray
from maxent.workers import in_threads

EDGE = "lists have these averages together, but only just: no distribution was found"
SYSTEMS = 100  # random systems behind bands


@dataclass(frozen=True, eq=False)
class ImpliedSystem(Shown):
    """Distribution over the lists of all topics with given averages and the largest entropy.

    The lists of different topics are independent, and the multipliers are the same for all topics:
    P(list of topic t) = q(list) exp(sum_k lambda_k M_k(list)) / Z_t.

    Attributes
    ----------
    averages : Averages
        The problem solved.
    status : {"optimal", "boundary", "infeasible", "failed"}
        ``boundary``: an average is at an end of its interval, and so is each topic's value. ``infeasible``: no
        lists have all these averages.
    multipliers : tuple of float
        Multipliers of the averages; infinite for an average at an end. If the system failed, the last ones reached.
    intervals : tuple of (float, float)
        Smallest and largest average of each measure, regardless of the others.
    solved_for : (measures,) array
        The averages; printed averages at an end are moved inside within their rounding.
    residual : float
        Largest deviation of an average from the given one, relative to its interval.
    message : str
        Reason why there is no distribution.

    Examples
    --------
    >>> import maxent as me
    >>> collection = me.collect(*me.simulate(systems=3, topics=6, depth=100), depth=100)
    >>> known = {"AP": 0.34, "P@10": 0.9, "R@100": 0.5}
    >>> system = me.lists.solve_averages(me.Averages(known, collection.relevant, depth=100))
    >>> system.status, system.expected(["nDCG", "P@20", "ERR"]).round(3).tolist()
    ('optimal', [0.515, 0.736, 0.702])
    """

    averages: Averages
    status: Status
    multipliers: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    solved_for: FloatArray
    residual: float = np.nan
    message: str = ""
    passes: int = 0
    topics: tuple[MergedTopic, ...] = ()
    paths: tuple[Paths, ...] = ()

    def __repr__(self) -> str:
        return f"ImpliedSystem({repr(self.averages)[9:-1]}: {self.status})"

    def to_frame(self) -> pd.DataFrame:
        """Table with a row for each average: measure, value, low and high (of its interval), multiplier."""
        low, high = np.array(self.intervals).T
        columns = {"value": self.averages.values, "low": low, "high": high, "multiplier": self.multipliers}
        return pd.DataFrame({"measure": list(map(str, self.averages.measures)), **columns})

    def plot(self, ax: Any = None) -> Any:
        """Plot mean precision over mean recall, with its band, on ``ax``, by default new axes."""
        return public("plot.plot_curves")(self.curve().assign(curve="averages"), ax=ax)

    def _map_topics(self, function: Callable[[MergedTopic, Paths], Any]) -> list[Any]:
        """Apply a function to each topic and its paths in threads; return results in the order of the topics."""
        if not self.paths:
            raise ProblemError(f"no distribution: the averages are {self.status}. {self.message}")
        return in_threads(lambda pair: function(*pair), list(zip(self.topics, self.paths, strict=True)))

    @cached_property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n of each topic, (topics, depth, levels + 1)."""
        return np.array(self._map_topics(lambda topic, paths: paths.p @ topic.shares))

    @property
    def entropy(self) -> float:
        """Sum of the entropies over the lists of groups of all topics, in nats."""
        return float(sum(self._map_topics(lambda _, paths: paths.entropy)))

    def at(self, values: FloatArray, *, passes: int = PASSES) -> "ImpliedSystem":
        """System with other averages (measures,).

        Newton's method starts from the present multipliers and takes at most ``passes`` passes of the recursion.
        1. Averages beyond their intervals have no system. 2. Averages at ends restrict the lists of each topic, and
        have infinite multipliers. 3. Newton's method for the others, on the mean of the topics' duals. 4. The
        distributions at its multipliers, whose averages decide the status.
        """
        # 1.
        topics = list(self.topics)
        ends = np.array(self.intervals)  # (measures, 2)
        measures = self.averages.measures
        locations = [locate(value, low, high) for value, (low, high) in zip(values, ends, strict=True)]
        for measure, value, (low, high), location in zip(measures, values, ends, locations, strict=True):
            if location in ("below", "above"):
                message = f"{measure} = {value:.10g} is {location} the interval [{low:.10g}, {high:.10g}]"
                return self.without("infeasible", message)
        # 2.
        start = np.array(self.multipliers)
        multipliers = np.zeros(len(values))
        for j, location in enumerate(locations):
            if location in ("low", "high"):
                topics = [topic.at_end(j, above=location == "high") for topic in topics]
                multipliers[j] = np.inf if location == "high" else -np.inf
        free = np.array([j for j, location in enumerate(locations) if location == "inside"], dtype=np.int64)
        # 3. log Z, expected values and covariances are means over the topics
        start = np.where(np.isfinite(start) & (multipliers == 0), start, 0.0)
        smallest_dual = float(np.mean([least_entropy(topic.lists) for topic in topics]))
        largest_first = sorted(topics, key=lambda topic: -topic.lists.steps.states)  # no thread ends late

        def evaluate(trial: FloatArray) -> Moments:
            moments_of_topics = in_threads(lambda topic: topic.moments(trial), largest_first)
            log_z, expected, cov = (np.mean(column, axis=0) for column in zip(*moments_of_topics, strict=True))
            return Moments(float(log_z), expected, cov)

        descent = descend(evaluate, values, ends.T, free, start, smallest_dual, most=passes)
        shared = descent.multipliers  # by all topics
        if descent.unbounded:
            return self.without("failed", EDGE)
        # 4.
        paths = in_threads(lambda topic: topic.paths(shared), topics)
        expected = np.mean([topic_paths.dual.expected for topic_paths in paths], axis=0)
        lengths = np.where(ends[:, 1] > ends[:, 0], ends[:, 1] - ends[:, 0], 1.0)
        residual = float((np.abs(expected - values) / lengths).max())
        if np.isnan(residual):  # no list is at all the ends
            return self.without("failed", EDGE)
        if not residual <= FEASIBLE:
            message = f"{EDGE}, it is {residual:.2g} of the intervals off"
            return replace(self.without("failed", message), multipliers=tuple(shared.tolist()))
        multipliers[free] = shared[free]
        status: Status = "boundary" if np.isinf(multipliers).any() else "optimal"
        return replace(
            self,
            status=status,
            multipliers=tuple(multipliers.tolist()),
            solved_for=values,
            residual=residual,
            passes=descent.passes,
            topics=tuple(topics),
            paths=tuple(paths),
        )

    def without(self, status: Status, message: str) -> "ImpliedSystem":
        """Same system without a distribution."""
        undefined = (np.nan,) * len(self.multipliers)
        return replace(self, status=status, multipliers=undefined, message=message, paths=())

    def values(self, measures: Iterable[Measure | str]) -> FloatArray:
        """Expected value of measures in each topic, (topics, measures)."""
        parsed_measures = as_measures(list(measures))
        return np.array(self._map_topics(lambda topic, paths: topic.expected(paths.dual, parsed_measures)))

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
        """Table of expected values, with a row for each topic, the index, and a column for each measure."""
        parsed_measures = as_measures(list(measures))
        index = pd.Index(self.averages.topics, name="query_id")
        return pd.DataFrame(
            self.values(parsed_measures), index=index, columns=[str(measure) for measure in parsed_measures]
        )

    def possible(self, tolerance: float = 1e-4) -> pd.DataFrame:
        """Averages that are possible for any distribution of the lists.

        Parameters
        ----------
        tolerance : float
            Accuracy of the ends, as a share of the measure's interval.

        Returns
        -------
        DataFrame
            A row for each given average: measure, value, low and high (ends given the other averages, within their
            rounding; NaN if the others contradict each other), nearest (possible averages nearest to the given
            ones, by the sum of deviations as shares of the intervals).
        """
        ends = np.array(self.intervals).T
        region = Region([topic.lists for topic in self.topics], ends)
        low, high = self.averages.ranges
        extents = region.extents(low, high, tolerance)
        nearest = region.nearest(low, high)
        columns = {"value": self.averages.values, "low": extents[:, 0], "high": extents[:, 1], "nearest": nearest}
        return pd.DataFrame({"measure": [str(measure) for measure in self.averages.measures], **columns})

    def predict(self, measures: Iterable[Measure | str], *, band: float = 0.9) -> pd.DataFrame:
        """Predict averages of other measures.

        Parameters
        ----------
        measures : iterable of Measure or text
            Pairwise forms and cascades.
        band : float
            Probability of the interval if lists are equally good or bad in all topics: the mean over topics of the
            central interval of random systems. The uncertainty from the rounding of printed averages is added.

        Returns
        -------
        DataFrame
            A row for each measure: measure, expected, low, high, rounding (change that the rounding of printed
            averages can cause, to first order), reached (whether such intervals held for real runs, see
            :meth:`maxent.Averages.reaches`). Interval and rounding are NaN if they are not determined: averages
            that are barely attainable leave no room to first order.
        """
        parsed_measures = as_measures(list(measures))
        expected, averages = self.expected(parsed_measures), self.averages
        values = self._values_of_random_lists(parsed_measures)
        rounding = self._rounding(parsed_measures, expected)
        low, high = _bands(values, band, systems_axis=2)
        # no further than the best and worst of the random lists: no average leaves the range of its measure
        worst, best = values.min(axis=2).mean(axis=0), values.max(axis=2).mean(axis=0)
        low = np.maximum(low - rounding, np.minimum(low, worst))
        high = np.minimum(high + rounding, np.maximum(high, best))
        low, high = widened(np.array((low, high)), expected)
        reached = [averages.reaches(measure) for measure in parsed_measures]
        columns = {"expected": expected, "low": low, "high": high, "rounding": rounding, "reached": reached}
        return pd.DataFrame({"measure": [str(measure) for measure in parsed_measures], **columns})

    def curve(self, *, threshold: int = 1, band: float = 0.9) -> pd.DataFrame:
        """Mean precision and recall at every rank.

        Parameters
        ----------
        threshold : int
            Lowest grade that counts as relevant.
        band : float
            Probability of the band around precision, as for :meth:`predict`.

        Returns
        -------
        DataFrame
            A row for each rank: rank, recall and precision (exact means over topics), low and high (of precision).
        """
        ranks = np.arange(1.0, self.averages.depth + 1)
        # E[relevant documents down to rank n], (topics, depth)
        expected_counts = np.cumsum(self.p[:, :, threshold:].sum(axis=2), axis=1)
        precision = expected_counts.mean(axis=0) / ranks
        random_precisions = np.cumsum(self.lists >= threshold, axis=2) / ranks  # (systems, topics, depth)
        bands = _bands(random_precisions.swapaxes(0, 1), band, systems_axis=1)
        low, high = widened(bands, precision)
        relevant = self._relevant_documents(threshold)
        has_relevant = relevant > 0  # recall is not defined for other topics
        recall = (expected_counts[has_relevant] / relevant[has_relevant, None]).mean(axis=0)
        columns = {"recall": recall, "precision": precision, "low": low, "high": high}
        return pd.DataFrame({"rank": ranks.astype(int), **columns})

    def levels(self, *, threshold: int = 1, band: float = 0.9) -> pd.DataFrame:
        """Mean interpolated precision of random systems at eleven levels of recall, as in trec_eval.

        Parameters
        ----------
        threshold, band
            As for :meth:`curve`.

        Returns
        -------
        DataFrame
            A row for each level: recall, precision, low, high.
        """
        lists_of_topics = self.lists.swapaxes(0, 1)  # (topics, systems, depth)
        pairs = zip(lists_of_topics, self._relevant_documents(threshold), strict=True)
        # (topics with relevant documents, systems, levels of recall)
        precisions = np.array([interpolated(topic_lists >= threshold, R) for topic_lists, R in pairs if R])
        precision = precisions.mean(axis=(0, 1))
        low, high = widened(_bands(precisions, band, systems_axis=1), precision)
        columns = {"precision": precision, "low": low, "high": high}
        return pd.DataFrame({"recall": LEVELS, **columns})

    @cached_property
    def lists(self) -> IntArray:
        """Grades (SYSTEMS, topics, depth) of the random systems from which bands are computed."""
        return self.sample(SYSTEMS, rng=0)

    def _values_of_random_lists(self, measures: tuple[Measure, ...]) -> FloatArray:
        """Values of measures for the lists of the random systems, (topics, measures, systems)."""
        values = []
        for t, relevant in enumerate(self.averages.relevant):
            expectations = [measure.expectation(relevant, self.averages.depth) for measure in measures]
            values.append(evaluate_all(expectations, self.lists[:, t], self.averages.levels))
        return np.array(values)

    def _relevant_documents(self, threshold: int) -> IntArray:
        """R_>=t, the number of documents of grade ``threshold`` or higher in each topic, (topics,)."""
        check_level(threshold, self.averages.levels)
        return np.asarray(np.array(self.averages.relevant)[:, threshold - 1 :].sum(axis=1))

    def _rounding(self, measures: tuple[Measure, ...], expected: FloatArray) -> FloatArray:
        """Uncertainty (measures,) of expected averages that the rounding of the given averages causes.

        One after the other, each given average changes by its rounding error. A Newton step leads to the
        multipliers of the changed averages, and the changes of the ``expected`` averages (measures,) add up.
        """
        deviations = np.zeros(len(measures))
        changes = np.diag(self.averages.rounding)  # a row for each given average
        if not changes.any():
            return deviations
        multipliers = self.paths[0].dual.multipliers  # the same for all topics
        cov = np.mean(in_threads(lambda topic: topic.moments(multipliers).cov, self.topics), axis=0)
        for change in changes[changes.any(axis=1)]:
            moved = multipliers + newton_step(change, self.solved_for, np.array(self.intervals).T, cov)
            duals = [paths.dual._replace(multipliers=moved) for paths in self.paths]
            values = in_threads(
                lambda pair: pair[0].expected(pair[1], measures), [*zip(self.topics, duals, strict=True)]
            )
            deviations += np.abs(np.mean(values, axis=0) - expected)
        return deviations

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Draw random systems, (number, topics, depth) grades."""
        number = sample_size(number, len(self.topics) * self.averages.depth)
        # a generator for each topic, so that the order in which threads run changes no list
        generators = np.random.default_rng(rng).spawn(len(self.topics))
        generator_of = {id(topic): generator for topic, generator in zip(self.topics, generators, strict=True)}
        return np.stack(
            self._map_topics(lambda topic, paths: topic.grades(paths, number, generator_of[id(topic)])), axis=1
        )


def _bands(values: FloatArray, band: float, systems_axis: int) -> FloatArray:
    """Low and high ends of a band around means over topics (first axis), for lists equally good in all topics.

    The band of each topic is that of its values over the systems; the ends (2, ...) are means over the topics.
    """
    check_band(band)
    shares = (1 - band) / 2, (1 + band) / 2
    return np.asarray(np.quantile(values, shares, axis=systems_axis).mean(axis=1))
