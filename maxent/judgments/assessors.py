"""Effect of the choice of assessors on values: parts of their variance (Kishida 3.3, equations 18 to 25)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.evaluate import evaluate, tidy
from maxent.measures import Measure
from maxent.types import FloatArray


class VarianceParts(NamedTuple):
    """Unbiased estimates of the parts of the variance of values v_ha (assessors, topics, ...)."""

    means: FloatArray  # (topics, ...): mu_h, the mean over assessors
    variances: FloatArray  # (topics, ...): sigma_h^2, the variance over assessors
    topics: FloatArray  # (...): sigma_mu^2, the variance of the true values over topics; may be below 0 by chance
    assessors: FloatArray  # (...): sigma_d^2, the mean of sigma_h^2 (eq. 25)
    error: (
        FloatArray  # (...): standard error of the mean over topics and assessors (eq. 24 with M assessors a topic)
    )


def variance_parts(values: FloatArray) -> VarianceParts:
    """Parts of the variance of values (assessors, topics, ...) for at least two assessors and two topics."""
    assessors, topics = values.shape[:2]
    means, variances = values.mean(axis=0), values.var(axis=0, ddof=1)
    of_assessors, of_means = variances.mean(axis=0), means.var(axis=0, ddof=1)
    return VarianceParts(
        means, variances, of_means - of_assessors / assessors, of_assessors, np.sqrt(of_means / topics)
    )


def assessor_tables(
    collections: Sequence[Collection], topics: Sequence[str], measures: Sequence[Measure]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Parts of the variance of each measure and run, and values by topic, from a collection for each assessor."""
    runs = collections[0].runs
    index = pd.MultiIndex.from_product([runs, topics, map(str, measures)])
    tables = [
        evaluate(collection, measures=measures).set_index(["run_id", "query_id", "measure"])["value"]
        for collection in collections
    ]
    values = np.stack([table.loc[index].to_numpy() for table in tables])
    parts = variance_parts(values.reshape(len(tables), len(runs), len(topics), len(measures)).transpose(0, 2, 3, 1))
    by_topic = tidy(runs, topics, measures, mean=parts.means, variance=parts.variances)
    keys = pd.MultiIndex.from_product([map(str, measures), runs], names=["measure", "run_id"])
    columns = {
        "mean": parts.means.mean(axis=0),
        "variance_topics": parts.topics,
        "variance_assessors": parts.assessors,
        "error": parts.error,
    }
    table = pd.DataFrame({name: numbers.ravel() for name, numbers in columns.items()}, index=keys)
    table["topics_needed"] = 4 * len(topics)
    table["assessors_needed"] = assessors_needed(table, len(topics), len(tables))
    return table.reset_index(), by_topic


def assessors_needed(table: pd.DataFrame, topics: int, assessors: int) -> pd.Series:
    """Number of assessors that would halve the standard errors; missing where no number is enough."""
    left = topics * table["error"] ** 2 / 4 - table["variance_topics"]
    number = np.ceil(table["variance_assessors"] / left.where(left > 0) - 1e-9).clip(lower=assessors)
    return pd.Series(number).astype("Int64")
