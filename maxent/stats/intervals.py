"""Intervals from bootstrap samples, and differences that are only rounding errors."""

from math import inf

import numpy as np
import pandas as pd

TIES = 6  # decimals that rankings use: solutions reproduce a value to about 1e-8, and ties must stay ties
ROUNDING = 10.0**-TIES  # a difference up to this is none
FEW = 20  # topics; over fewer, percentile intervals cover less than the nominal 95 %: ten 88 %, five 83 %


def few_topics(topics: int) -> str:
    """Caution that intervals over fewer than ``FEW`` topics may be too narrow; empty for enough topics, or one."""
    return f"with {topics} topics, 95 % intervals may cover only 90 %" if 1 < topics < FEW else ""


def interval(
    samples: pd.DataFrame,  # (replicates, k)
    name: str,
    topics: int | pd.Series,  # or (k,)
    *,
    within: tuple[float, float] = (-inf, inf),
) -> pd.DataFrame:
    """The 95 % interval of each column of bootstrap samples: a row with ``name_low`` and ``name_high``.

    With fewer than ``FEW`` topics, percentiles are too narrow. The interval is then a Student interval with the
    standard error of the samples, clipped to ``within``, the range of possible values.
    """
    ends = percentiles(samples, name)
    number = pd.Series(topics, index=samples.columns).astype(float)
    few = number.between(2, FEW - 1)
    if few.any():
        from scipy.special import stdtrit  # loaded late: a part of maxent's import time

        reach = stdtrit(number - 1, 0.975) * standard_error(samples, number)
        for end, sign in zip(ends, (-1, 1), strict=True):
            ends[end] = ends[end].mask(few, (samples.mean() + sign * reach).clip(*within))
    return ends.where(number > 1)


def percentiles(samples: pd.DataFrame, name: str) -> pd.DataFrame:
    """Central 95 % of each column of samples (replicates, k): a row with ``name_low`` and ``name_high``."""
    ends = samples.quantile([0.025, 0.975]).T.set_axis([f"{name}_low", f"{name}_high"], axis=1)
    return ends.set_axis(samples.columns, axis=0)  # without samples, pandas 2.2 loses the names of the columns


def standard_error(samples: pd.DataFrame, topics: int | pd.Series) -> pd.Series:
    """Standard error of each column of samples, corrected for a variance too small by (topics - 1) / topics."""
    number = pd.Series(topics, index=samples.columns).astype(float)
    return samples.std(ddof=0) * np.sqrt(number / (number - 1))
