"""Comparison of means on the same lists: paired differences, intervals, and the set that has the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, Self

import numpy as np
import pandas as pd

from maxent.stats.bootstrap import TopicSamples, places_of, sampled_means, weighted_samples
from maxent.stats.confidence_set import ENOUGH, confidence_set, set_p_values
from maxent.stats.intervals import TIES, interval, percentiles, standard_error

Name = str | tuple[str, ...]  # of a mean: several texts where the index has several levels


@dataclass(frozen=True, eq=False)
class Comparison:
    """Means of a value over lists, and samples of the means, all over the same resampled topics.

    Means whose lists are the same are compared: their differences are paired. Smaller means are better.

    Attributes
    ----------
    means : (k,) Series
        The means. Its index names them, and may have several levels.
    drawn : TopicSamples
        Samples of the means, over resampled topics or over resampled topics and runs.
    value : str
        Name of the value.
    within : tuple of float
        Smallest and largest possible value.
    parts : mapping
        If the means are averages: the comparisons that they average, by number, such as a threshold.
    """

    means: pd.Series
    drawn: TopicSamples
    value: str = "rms"
    within: tuple[float, float] = (-inf, inf)
    parts: Mapping[int, "Comparison"] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        by: Sequence[str],
        *,
        value: str = "rms",
        within: tuple[float, float] = (-inf, inf),
        samples: TopicSamples | None = None,
        **bootstrap: Any,
    ) -> Self:
        """Compare the means of each group of rows.

        Parameters
        ----------
        table : DataFrame
            A row for each list and group: run_id, query_id, the columns ``by``, and the value.
        by : sequence of str
            Columns that name the means.
        value, within
            Column of the values, and their range, to which intervals are clipped.
        samples : TopicSamples, optional
            Samples of these means that were drawn for several comparisons.
        **bootstrap
            ``resample``, ``replicates`` and ``rng``, as for :func:`maxent.stats.bootstrap.sampled_means`, which
            draws samples else.

        Examples
        --------
        >>> import pandas as pd
        >>> errors = {"AP": [0.1, 0.3, 0.2], "P@10": [0.2, 0.3, 0.4]}
        >>> rows = [("run", str(topic), name, x) for name, xs in errors.items() for topic, x in enumerate(xs)]
        >>> table = pd.DataFrame(rows, columns=["run_id", "query_id", "measure", "rms"])
        >>> comparison = Comparison.of(table, ["measure"], replicates=1000, rng=0)
        >>> comparison.best
        'AP'
        >>> comparison.to("AP").round(2).reset_index()
          measure  difference  difference_low  difference_high
        0      AP         0.0            0.00             0.00
        1    P@10         0.1           -0.15             0.35
        """
        means = table.groupby(list(by), sort=False)[value].mean()
        drawn = sampled_means(table, list(by), value=value, **bootstrap) if samples is None else samples
        places = places_of(means.index, drawn.topics.index)
        return cls(means, drawn.at(places, means.index), value, within)

    def among(self, names: Sequence[Name]) -> Self:
        """The comparison of some of the means."""
        places = places_of(names, self.means.index)
        chosen = self.means.iloc[places]
        return replace(self, means=chosen, drawn=self.drawn.at(places, chosen.index), parts={})

    def average(self, weights: pd.Series | None = None) -> Self:
        """Means over the first level of the index, of numbers; ``weights`` are as for :meth:`weighted`."""
        names = self.means.index.get_level_values(0)
        parts = {
            int(name): replace(self, means=self.means[names == name].droplevel(0), drawn=self.drawn.under([name]))
            for name in sorted(names.unique())
        }
        return replace(self, parts=parts).weighted(weights)

    def weighted(self, weights: pd.Series | None = None) -> Self:
        """The weighted means of the ``parts``; weights, by number, sum to 1. They are equal if None.

        A sample without lists of some part has no mean. The part with the fewest topics limits what is certain.
        """
        if weights is None:
            weights = pd.Series(1 / len(self.parts), index=list(self.parts))
        shares = [(share, self.parts[int(number)]) for number, share in zip(weights.index, weights, strict=True)]
        drawn = weighted_samples([(share, part.drawn) for share, part in shares])
        return replace(self, means=sum(share * part.means for share, part in shares), drawn=drawn)

    @property
    def samples(self) -> pd.DataFrame:
        """Samples (replicates, k) of the means."""
        return self.drawn.means

    @property
    def topics(self) -> pd.Series:
        """Number of topics (k,) of the lists of each mean; of runs, if these are resampled and are fewer."""
        return self.drawn.topics

    @property
    def best(self) -> str:
        """Name of the smallest mean."""
        return str(self.means.idxmin())

    @property
    def table(self) -> pd.DataFrame:
        """The means with intervals: a row for each mean, with the columns ``rms``, ``rms_low``, ``rms_high``."""
        ends = interval(self.samples, self.value, self.topics, within=self.within)
        return pd.DataFrame({self.value: self.means}).join(ends)

    def differences(self, first: Sequence[Name], second: Sequence[Name]) -> pd.DataFrame:
        """Paired differences, each of a mean from another, with intervals: a row for each name in ``first``."""
        rows, bases = (places_of(names, self.means.index) for names in (first, second))
        means, samples, topics = self.means.to_numpy(), self.samples.to_numpy(), self.topics.to_numpy()
        fewer_topics = pd.Series(np.minimum(topics[rows], topics[bases]))
        table = interval(pd.DataFrame(samples[:, rows] - samples[:, bases]), "difference", fewer_topics)
        table.insert(0, "difference", means[rows] - means[bases])
        return table.set_axis(self.means.index[rows])

    def to(self, base: Name) -> pd.DataFrame:
        """Paired differences of all means from that of ``base``, with intervals."""
        names = list(self.means.index)
        return self.differences(names, [base] * len(names))

    def between(self, first: Name, second: Name, *, pairs: int) -> dict[str, float]:
        """Difference of two means with a Student interval, Bonferroni-corrected for the number of pairs."""
        from scipy.special import stdtrit  # loaded late: a part of maxent's import time

        topics = int(min(self.topics[first], self.topics[second]))
        difference = self.means[first] - self.means[second]
        error = standard_error((self.samples[first] - self.samples[second]).to_frame(), topics).item()
        reach = stdtrit(topics - 1, 1 - 0.025 / pairs) * error
        ends = {"difference_low": difference - reach, "difference_high": difference + reach}
        return {"difference": difference, **ends}

    @cached_property
    def best_set(self) -> tuple[str, ...] | None:
        """Names among which the best is with 95 % confidence, by increasing means; None over few topics."""
        samples, influences, weights, topics = self.drawn
        if influences is None or topics.min() < ENOUGH:
            return None
        is_complete = samples.notna().all(axis=1).to_numpy()  # (replicates,): a sample may lack lists of a part
        p_values = set_p_values(
            self.means.to_numpy(), influences.to_numpy(), samples.to_numpy()[is_complete], weights[is_complete]
        )
        in_set = self.means[confidence_set(p_values)]
        return tuple(map(str, in_set.sort_values(kind="stable").index))

    def may_be_best(self) -> pd.Series:
        """Whether each mean is in the set that has the best (nullable); missing over few topics."""
        best_set = self.best_set
        is_in_set = [pd.NA if best_set is None else name in best_set for name in self.means.index]
        return pd.Series(pd.array(is_in_set, dtype="boolean"), index=self.means.index, name="may_be_best")

    def ranks(self) -> pd.DataFrame:
        """Place of each mean among all, with central 95 % of its places in the samples."""
        places = self.means.rank(method="first").astype(int).rename("rank")
        return pd.DataFrame(places).join(percentiles(self.samples.rank(axis=1), "rank"))

    def share_best(self) -> pd.Series:
        """Share of the samples in which each mean is the smallest; ties are split equally."""
        rounded = self.samples.round(TIES)
        is_best = rounded.eq(rounded.min(axis=1), axis=0)  # (replicates, k)
        return is_best.div(is_best.sum(axis=1), axis=0).mean()
