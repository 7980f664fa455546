"""Weighted means over topics, Student's intervals of means, and the number of topics that a test needs."""

import numpy as np
import pandas as pd

from maxent.errors import InputError
from maxent.types import FloatArray

MOST = 10_000_000  # topics; more are not counted


def pseudo_values(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Scores (topics, k) whose plain means are the weighted means, and whose variances are those of these means.

    With weights w_t of the topics t, of mean w, and the weighted mean m = sum_t w_t x_t / sum_t w_t, a score x_t
    becomes

        m + (w_t / w) (x_t - m).

    The mean of these numbers is m. The variance of their mean is that of the ratio m, linearised (Cochran, Sampling
    Techniques, 1977, eq. 6.13): sum_t w_t^2 (x_t - m)^2 / (sum_t w_t)^2, times n / (n - 1).
    """
    share = (weights / weights.mean())[:, None]
    mean = (share * scores).mean(axis=0)
    return np.asarray(mean + share * (scores - mean))


def weights_note(weights: FloatArray) -> str:
    """Note on the number of topics of equal weight that weights are worth: (sum w)^2 / sum w^2.

    Kish, Survey Sampling, 1965, section 8.2.
    """
    worth = weights.sum() ** 2 / (weights**2).sum()
    return f"means are weighted; the weights of {len(weights)} topics are worth {worth:.1f} topics of equal weight"


def means_over_topics(
    values: pd.DataFrame, *, weights: "pd.Series[float] | None" = None, level: float | None = None
) -> pd.DataFrame:
    """Means over topics, a row for each run and measure: run_id, measure, value, and low and high with a level.

    ``values`` has a row for each run, topic and measure; ``weights`` are by topic.
    """
    scores = values.pivot_table(index="query_id", columns=["run_id", "measure"], values="value", sort=False)
    weighted = scores.to_numpy()
    if weights is not None:
        shares = weights[scores.index].to_numpy()
        if not shares.any():
            raise InputError(f"weights: 0 for every topic of {', '.join(map(str, scores.index[:3]))}, ...")
        weighted = pseudo_values(weighted, shares)
    means = scores.columns.to_frame(index=False).assign(value=weighted.mean(axis=0))
    if level is not None:
        means["low"], means["high"] = student_interval(weighted, level)
    return means


def student_interval(scores: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Ends (k,) of Student's interval of the mean of each column of scores (topics, k); NaN over one topic."""
    from scipy.special import stdtrit  # loaded late: a part of maxent's import time

    topics = len(scores)
    if topics < 2:
        return np.full(scores.shape[1], np.nan), np.full(scores.shape[1], np.nan)
    mean = scores.mean(axis=0)
    reach = stdtrit(topics - 1, (1 + level) / 2) * scores.std(axis=0, ddof=1) / np.sqrt(topics)
    return mean - reach, mean + reach


def topics_for_power(effect: FloatArray, *, power: float, alpha: float) -> FloatArray:
    """Smallest number of topics with which Student's paired test has a power; effect sizes and numbers are (k,).

    The test is two-sided with level ``alpha``. An effect size d is the mean difference divided by the standard
    deviation of the differences. Over n topics the statistic has a noncentral t distribution with n - 1 degrees of
    freedom and noncentrality sqrt(n) d (Sakai, Topic set size design, Information Retrieval Journal 19, 2016,
    section 3.1). No number is enough for an effect of 0: infinity.
    """
    from scipy.special import ndtri  # loaded late: a part of maxent's import time

    size = np.abs(np.asarray(effect, dtype=np.float64))
    number = np.full(size.shape, np.inf)
    # 1. the number by the normal distribution, n = (z_(1 - alpha / 2) + z_power)^2 / d^2 + z_(1 - alpha / 2)^2 / 2
    z = -ndtri(alpha / 2)
    with np.errstate(divide="ignore"):
        normal = np.ceil((z + ndtri(power)) ** 2 / size**2 + z**2 / 2)
    is_counted = normal <= MOST
    sizes, topics = size[is_counted], np.maximum(normal[is_counted], 2.0)
    # 2. one topic more, or fewer, until the number is enough and the one before is not
    while (is_short := power_of_test(sizes, topics, alpha) < power).any():
        topics += is_short
    while (one_too_many := (topics > 2) & (power_of_test(sizes, np.maximum(topics - 1, 2), alpha) >= power)).any():
        topics -= one_too_many
    number[is_counted] = topics
    return np.where(np.isnan(size), np.nan, number)


def power_of_test(effect: FloatArray, topics: FloatArray, alpha: float) -> FloatArray:
    """Probability (k,) that Student's two-sided paired test over ``topics`` (k,) is significant at level alpha."""
    from scipy.special import nctdtr, stdtrit  # loaded late: a part of maxent's import time

    freedom, noncentrality = topics - 1, np.sqrt(topics) * np.minimum(effect, 1e3)  # beyond it the power is 1
    critical = stdtrit(freedom, 1 - alpha / 2)
    # SciPy has NaN where the distribution function is nearly 0
    to_critical, below = (np.nan_to_num(nctdtr(freedom, noncentrality, end)) for end in (critical, -critical))
    return np.asarray(1 - to_critical + below)
