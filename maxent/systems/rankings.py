"""Rankings of systems: agreement between two rankings, and the choice of runs and topics.

The AP correlation of an estimated ranking of n items with the true one (Yilmaz, Aslam and Robertson, SIGIR 2008) is

    tau_AP = 2 / (n - 1) sum_{i=2}^n C(i) / (i - 1) - 1,

where C(i) counts the items above rank i in the estimate that are also above the item at rank i in the truth. Here
an item is above another if its score is larger, so that tied items are compared with the same items; a pair that is
tied only in the truth counts half. The mean excludes the items at the top of the estimate, which have none above.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from maxent.data.collection import Collection
from maxent.data.values import values_by_topic
from maxent.errors import InputError
from maxent.measures import AP, GAP, Measure, eGAP, xGAP
from maxent.results.schema import Column
from maxent.types import BoolArray, FloatArray

WHOLE = 2.0**52  # doubles from here on are whole numbers
DECIMALS = 10  # of scores that are compared: rounding errors must not split ties
COMPARED_BY = Column("measure", "measure by which the systems are compared", format="measure")
TOPIC_SET = Column("topics", "set of topics")
TAU_AP = Column(
    "tau_ap", "AP correlation: like tau, but the top of the ranking counts more", "tau AP", explained=True
)


def tau(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Kendall's tau-b between two rankings by score; NaN if either is constant or has a NaN."""
    a, b = _rounded(a), _rounded(b)
    if len(a) < 2:
        return float("nan")
    from scipy.stats import kendalltau  # loaded late: half of maxent's import time

    return float(kendalltau(a, b).statistic)


def tau_ap(estimate: "npt.ArrayLike", truth: "npt.ArrayLike") -> float:
    """AP correlation of two rankings by descending score: disagreement at the top costs more.

    The formula and the treatment of ties are at the top of this module.

    Parameters
    ----------
    estimate, truth : (n,) arrays
        Scores of the same items; scores equal to ten decimals are ties.

    Returns
    -------
    float
        1 for equal rankings, -1 for reversed ones; not symmetric in its arguments. NaN if either is constant or
        has a NaN.

    Raises
    ------
    InputError
        If the arguments are not two one-dimensional arrays of equal length.

    Examples
    --------
    >>> import maxent as me
    >>> truth = [0.4, 0.3, 0.2, 0.1]
    >>> round(me.systems.tau_ap([0.4, 0.3, 0.1, 0.2], truth), 2)  # the last two systems change places
    0.78
    >>> round(me.systems.tau_ap([0.3, 0.4, 0.2, 0.1], truth), 2)  # the first two
    0.33
    """
    a, b = _rounded(estimate), _rounded(truth)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(
            f"two rankings of the same items are two arrays of one length; got {a.shape} and {b.shape}"
        )
    above = a[:, None] > a  # [j, i]: item j is above item i
    number = above.sum(axis=0)
    right, wrong = above & (b[:, None] > b), above & (b[:, None] < b)
    if not above.any() or (b[:1] == b).all() or np.isnan(a).any() or np.isnan(b).any():
        return float("nan")
    agreed = right.sum(axis=0) - wrong.sum(axis=0)
    return float((agreed[number > 0] / number[number > 0]).mean())


def _rounded(scores: npt.ArrayLike) -> FloatArray:
    """Scores rounded to ``DECIMALS``, which large and infinite ones do not have."""
    array = np.asarray(scores, dtype=np.float64)
    has_decimals = np.abs(array) < WHOLE
    return np.where(has_decimals, np.round(np.where(has_decimals, array, 0.0), DECIMALS), array)


def better_runs(collection: Collection, quantile: float) -> Collection:
    """Runs whose mean AP is above a quantile: poor systems would blur a comparison (xGAP paper 6)."""
    if not 0 <= quantile < 1:
        raise InputError(f"the quantile of mean AP must be in [0, 1), got {quantile}")
    mean = topic_values(collection, [AP()])[0].mean(axis=0)
    is_better = mean > np.quantile(mean, quantile) if quantile else np.full(len(mean), True)
    if is_better.sum() < 2:
        raise InputError(
            f"{is_better.sum()} of {len(mean)} runs have a mean AP above quantile {quantile:g}: nothing to rank"
        )
    return collection.part(runs=is_better)


def topic_sets(collection: Collection, few: float) -> dict[str, BoolArray]:
    """All topics, and for each k > 1 those with R_1 >= few * R_k > 0 (xGAP paper 6); (topics,) each, by name."""
    if not few > 0:
        raise InputError(f"few must be positive, got {few}")
    first, *higher = collection.relevant.T
    sets = {"all": np.full(len(first), True)}
    for k, count in enumerate(higher, 2):
        sets[f"few of grade {k}"] = (count > 0) & (first >= few * count)
    return {name: chosen for name, chosen in sets.items() if chosen.any()}


def topic_values(collection: Collection, measures: Sequence[Measure]) -> FloatArray:
    """Values of measures as an array, (measures, topics, runs)."""
    values = values_by_topic(collection, measures=measures, empty="skip")["value"].to_numpy()
    return values.reshape(len(collection.runs), len(collection.topics), len(measures)).T


def graded_measures(levels: int, *others: Measure) -> tuple[Measure, ...]:
    """GAP, xGAP and eGAP with equal g_k, AP, and ``others``."""
    even = (1 / levels,) * levels
    return (GAP(g=even), xGAP(g=even), eGAP(g=even), AP(), *others)


def ranked_runs(few: float, quantile: float) -> str:
    """Runs and topics that enter rankings, in words."""
    return f"runs above quantile {quantile:g} of mean AP, few={few:g}"
