"""Effect of the choice of assessors on values: parts of their variance.

Two models differ in what assessors have in common between topics. In the crossed one, every assessor judges all
topics (two-way random effects without replication; Searle, Casella and McCulloch, Variance Components, 1992):

    v_ha = mu + t_h + a_a + e_ha,     var(mean) = sigma_t^2 / L + sigma_a^2 / M + sigma_e^2 / (L M)

for L topics and M assessors. The leniency a_a is the same in all topics, so more topics do not reduce its part. In
Kishida's model (3.3, equations 18 to 25), the deviations of an assessor are independent between topics, as where
every topic has assessors of its own: sigma_a^2 is part of sigma_e^2, and divided by L, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.values import tidy, values_by_topic
from maxent.measures import Measure
from maxent.types import FloatArray

ROUNDING = 1e-12  # of variances of values within 0..1, and relative, of numbers that should be whole


class CrossedParts(NamedTuple):
    """Unbiased estimates of the parts of the variance, (...), where every assessor judges all topics.

    Parts may be below 0 by chance.
    """

    topics: FloatArray  # sigma_t^2
    assessors: FloatArray  # sigma_a^2, the main effect: leniency in all topics
    rest: FloatArray  # sigma_e^2: deviations of an assessor in a topic
    error: FloatArray  # standard error of the mean over topics and assessors; NaN where its square is below 0


def crossed_parts(values: FloatArray) -> CrossedParts:
    """Parts of the variance of values (assessors, topics, ...) for at least two assessors and two topics."""
    assessors, topics = values.shape[:2]
    # 1. sigma_e^2, the mean square of what the means of topics and of assessors leave
    by_topic, by_assessor = values.mean(axis=0), values.mean(axis=1, keepdims=True)
    deviations = values - by_topic - by_assessor + by_topic.mean(axis=0)
    rest = (deviations**2).sum(axis=(0, 1)) / ((assessors - 1) * (topics - 1))
    # 2. sigma_t^2 and sigma_a^2: variances of the means, less the part of sigma_e^2 in them
    of_topics = by_topic.var(axis=0, ddof=1) - rest / assessors
    of_assessors = by_assessor[:, 0].var(axis=0, ddof=1) - rest / topics
    # 3. var(mean) = sigma_t^2 / L + sigma_a^2 / M + sigma_e^2 / (L M)
    variance = of_topics / topics + of_assessors / assessors + rest / (topics * assessors)
    error = np.sqrt(np.where(variance < -ROUNDING, np.nan, np.maximum(variance, 0.0)))
    return CrossedParts(topics=of_topics, assessors=of_assessors, rest=rest, error=error)


class VarianceParts(NamedTuple):
    """Unbiased estimates of the parts of the variance of values (assessors, topics, ...) by Kishida's model."""

    means: FloatArray  # (topics, ...): mu_h, the mean over assessors
    variances: FloatArray  # (topics, ...): sigma_h^2, the variance over assessors
    topics: FloatArray  # (...): sigma_mu^2, the variance of the true values over topics; may be below 0 by chance
    assessors: FloatArray  # (...): sigma_d^2, the mean of sigma_h^2 (eq. 25)
    error: FloatArray  # (...): standard error of the mean over topics and assessors (eq. 24, M assessors a topic)


def variance_parts(values: FloatArray) -> VarianceParts:
    """Parts of the variance as :func:`crossed_parts` takes them, by Kishida's model."""
    assessors, topics = values.shape[:2]
    means, variances = values.mean(axis=0), values.var(axis=0, ddof=1)
    of_assessors, of_means = variances.mean(axis=0), means.var(axis=0, ddof=1)
    return VarianceParts(
        means=means,
        variances=variances,
        topics=of_means - of_assessors / assessors,
        assessors=of_assessors,
        error=np.sqrt(of_means / topics),
    )


def assessor_tables(
    collections: Sequence[Collection], topics: Sequence[str], measures: Sequence[Measure]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Parts of the variance of each measure and run, and values by topic, from a collection for each assessor."""
    # 1. values (assessors, topics, measures, runs)
    runs = collections[0].runs
    index = pd.MultiIndex.from_product([runs, topics, map(str, measures)])
    by_assessor = [
        values_by_topic(collection, measures=measures).set_index(["run_id", "query_id", "measure"])["value"]
        for collection in collections
    ]
    values = np.stack([of_assessor.loc[index].to_numpy() for of_assessor in by_assessor])
    values = values.reshape(len(collections), len(runs), len(topics), len(measures)).transpose(0, 2, 3, 1)
    # 2. values by topic, and parts (measures, runs) by both models
    crossed, kishida = crossed_parts(values), variance_parts(values)
    by_topic = tidy(runs, topics, measures, mean=kishida.means, variance=kishida.variances)
    columns = {
        "mean": kishida.means.mean(axis=0),
        "variance_topics": crossed.topics,
        "variance_assessors": crossed.assessors,
        "variance_rest": crossed.rest,
        "error": crossed.error,
        "kishida_topics": kishida.topics,
        "kishida_assessors": kishida.assessors,
        "kishida_error": kishida.error,
    }
    rows = pd.MultiIndex.from_product([map(str, measures), runs], names=["measure", "run_id"])
    table = pd.DataFrame({name: numbers.ravel() for name, numbers in columns.items()}, index=rows)
    # 3. numbers of topics and assessors that would halve the errors
    table["topics_needed"], table["assessors_needed"] = numbers_needed(
        table["variance_topics"],
        table["variance_assessors"],
        table["variance_rest"],
        topics=len(topics),
        assessors=len(collections),
    )
    return table.reset_index(), by_topic


def numbers_needed(
    of_topics: pd.Series, of_assessors: pd.Series, rest: pd.Series, topics: int, assessors: int
) -> tuple[pd.Series, pd.Series]:
    """Numbers of topics, and of assessors, that would halve the standard error by the parts of the variance.

    Parts below 0 count as 0. A number is missing where no number is enough.
    """
    of_topics, of_assessors = of_topics.clip(lower=0), of_assessors.clip(lower=0)
    # half the error is a quarter of the variance; the parts that stay must leave some of it
    quarter = (of_topics / topics + of_assessors / assessors + rest / (topics * assessors)) / 4
    left_for_topics, left_for_assessors = quarter - of_assessors / assessors, quarter - of_topics / topics
    return (
        _at_least((of_topics + rest / assessors) / left_for_topics.where(left_for_topics > 0)),
        _at_least((of_assessors + rest / topics) / left_for_assessors.where(left_for_assessors > 0)),
    )


def _at_least(numbers: pd.Series) -> pd.Series:
    """Whole numbers that are not below these, up to rounding."""
    return pd.Series(np.ceil(numbers * (1 - ROUNDING))).astype("Int64")
