"""Threshold probabilities from clicks: users click what reaches their threshold (GAP paper 2.2, remark).

There are two estimates. ``rates``: a user whose threshold is k clicks an examined document of grade i if i >= k.
The click rate of grade i is

    rate_i = e (b + (1 - b) G_i),        G_i = g_1 + ... + g_i,

where e is the probability that a document is examined and b that of an accidental click. As G_0 = 0 and G_c = 1,
both cancel in

    G_i = (rate_i - rate_0) / (rate_c - rate_0).

The rates are first fitted so that they do not decrease with the grade: isotonic regression, weighted by
impressions, is their maximum-likelihood estimate under this constraint.

``shares``: the remark taken literally, the probability of a grade among the relevant documents that are clicked,

    g_i = clicks_i / (clicks_1 + ... + clicks_c).

It needs no impressions and no monotone rates, but changes with how many documents of each grade there are to click.
"""

from typing import Literal

import numpy as np
import pandas as pd

from maxent.checks import GRADE, too_large
from maxent.data.lines import EXACT
from maxent.errors import InputError, ProblemError, require_columns
from maxent.types import FloatArray

Method = Literal["rates", "shares"]
CLICK_COLUMNS = ("grade", "impressions", "clicks")


def g_from_clicks(
    clicks: pd.DataFrame,
    *,
    method: Method = "rates",
    confidence: float = 0.95,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Threshold probabilities g with intervals, from how often documents of each grade are clicked.

    Both estimates are described at the top of this module.

    Parameters
    ----------
    clicks : DataFrame
        Columns grade, impressions, clicks: a row for each grade 1..c, and for grade 0 if its clicks are known;
        several rows of a grade are added up. Without grade 0, no click counts as accidental (rate_0 = 0).
    method : {"rates", "shares"}
        From clicks per impression, as users with thresholds produce them; or the shares of the clicks on relevant
        documents, as the GAP paper has it, in which grade 0 has no part.
    confidence : float
        Confidence level of the intervals.
    replicates, rng
        Number of samples of a parametric bootstrap, which draws clicks with the fitted rates or shares, and its
        generator or seed.

    Returns
    -------
    DataFrame
        One row per positive grade: grade, impressions, clicks, rate (observed), g, low, high (interval of g). The
        intervals assume independent clicks; they are too narrow if users or queries contribute several clicks.

    Raises
    ------
    InputError
        If a column or a grade is missing, a count is no whole number, or there are more clicks than impressions.
    ProblemError
        If no grade is clicked more often than grade 0, none at all with ``shares``, or an option makes no sense.

    Examples
    --------
    The click rate rises as much from grade 0 to 1 as from 1 to 2: both thresholds are equally likely.

    >>> import maxent as me
    >>> import pandas as pd
    >>> clicks = pd.DataFrame({"grade": [0, 1, 2], "impressions": [1000, 500, 200], "clicks": [50, 100, 70]})
    >>> me.g_from_clicks(clicks)[["grade", "rate", "g", "low", "high"]].round(2)
       grade  rate    g   low  high
    0      1  0.20  0.5  0.36  0.69
    1      2  0.35  0.5  0.31  0.64

    Of the 170 clicks on relevant documents, 100 are on grade 1.

    >>> me.g_from_clicks(clicks, method="shares")["g"].round(3).tolist()
    [0.588, 0.412]
    """
    if not 0 < confidence < 1 or replicates < 1:
        raise ProblemError(f"confidence must be in (0, 1), replicates positive; got {confidence} and {replicates}")
    if method not in METHODS:
        raise ProblemError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    counts = _checked(clicks)
    g, samples = METHODS[method](counts, replicates, np.random.default_rng(rng))
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(samples[~np.isnan(samples).any(axis=1)], [tail, 1 - tail], axis=0)
    table = counts.reset_index()
    table = table[table["grade"] > 0]
    rates = (table["clicks"] / table["impressions"]).to_numpy()
    return table.assign(rate=rates, g=g, low=low, high=high).reset_index(drop=True)


def _from_rates(counts: pd.DataFrame, replicates: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return g and samples of it (replicates, c), from click rates."""
    shown, clicked = (counts[name].to_numpy(dtype=np.float64) for name in CLICK_COLUMNS[1:])
    base = bool(counts.index[0] == 0)
    fitted = _fit(clicked / shown, shown)
    g = _steps(fitted, base=base)
    if np.isnan(g).any():
        raise ProblemError(
            "no grade is clicked more often than the lowest level of clicks: nothing to learn about g"
        )
    drawn = rng.binomial(shown.astype(np.int64), fitted, size=(replicates, len(fitted)))
    return g, np.array([_steps(_fit(row / shown, shown), base=base) for row in drawn])


def _from_shares(counts: pd.DataFrame, replicates: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return g and samples of it (replicates, c), from the clicks on relevant documents."""
    clicked = counts.loc[counts.index > 0, "clicks"].to_numpy()
    total = int(clicked.sum())
    if total == 0:
        raise ProblemError("no relevant document is clicked: nothing to learn about g")
    g = clicked / total
    return g, rng.multinomial(total, g, size=replicates) / total


METHODS = {"rates": _from_rates, "shares": _from_shares}


def _checked(clicks: pd.DataFrame) -> pd.DataFrame:
    """Impressions and clicks summed by grade, after checks."""
    require_columns(clicks, CLICK_COLUMNS, "clicks")
    for name in CLICK_COLUMNS:
        if not (pd.api.types.is_integer_dtype(clicks[name]) and (clicks[name] >= 0).all()):
            raise InputError(f"clicks: {name} must be whole numbers from 0")
    totals = clicks.astype(dict.fromkeys(CLICK_COLUMNS, np.float64)).groupby("grade")[list(CLICK_COLUMNS[1:])].sum()
    if (totals > EXACT).any(axis=None):
        raise InputError(f"clicks: more than 2^53 impressions or clicks of a grade, expected at most {EXACT}")
    counts = clicks.groupby("grade")[list(CLICK_COLUMNS[1:])].sum().astype(np.int64)
    levels = int(counts.index.max()) if len(counts) else 0
    if reason := too_large("the highest grade", levels, GRADE):
        raise InputError(f"clicks: {reason}")
    if levels < 1 or list(counts.index) != list(range(levels + 1))[-len(counts) :] or counts.index[0] > 1:
        raise InputError(f"clicks: grades {list(counts.index)}, expected 1 (or 0) up to the highest without a gap")
    wrong = counts[(counts["clicks"] > counts["impressions"]) | (counts["impressions"] == 0)]
    if len(wrong):
        grade, row = wrong.index[0], wrong.iloc[0]
        raise InputError(f"clicks: grade {grade} has {row['clicks']} clicks of {row['impressions']} impressions")
    return counts


def _fit(rates: FloatArray, impressions: FloatArray) -> FloatArray:
    """Rates that do not decrease with the grade."""
    from scipy.optimize import isotonic_regression  # loaded late: a quarter of maxent's import time

    return np.asarray(isotonic_regression(rates, weights=impressions).x).clip(0, 1)


def _steps(rates: FloatArray, *, base: bool) -> FloatArray:
    """Threshold probabilities g_1..g_c; NaN if all rates are equal. ``base``: the first rate is that of grade 0."""
    steps = np.diff(rates, prepend=() if base else 0.0)
    total = steps.sum()
    return steps / total if total > 0 else np.full(len(steps), np.nan)
