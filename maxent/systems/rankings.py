"""Rankings of systems: which systems and topics take part, mean values, agreement between two rankings."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from maxent.data.collection import Collection
from maxent.data.evaluate import evaluate_collection
from maxent.errors import InputError
from maxent.measures import AP, Measure
from maxent.types import BoolArray, FloatArray

TIES = 10  # decimals of a mean value that count: rounding must not split ties


def tau(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Kendall's tau-b between two sets of scores that agree to ten decimals in a tie; NaN where one is constant.

    Parameters
    ----------
    a, b : (n,) arrays
    """
    a, b = (np.round(np.asarray(x, dtype=np.float64), TIES) for x in (a, b))
    from scipy.stats import kendalltau  # takes half of the time of importing maxent

    return float(kendalltau(a, b).statistic)


def tau_ap(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """AP correlation of two rankings by descending score: disagreement at the top costs more.

    tau_AP = 2 / (n - 1) sum_{i=2}^n C(i) / (i - 1) - 1, where C(i) of the i - 1 items above rank i in the estimate
    are above its item in the truth, too (Yilmaz, Aslam and Robertson, SIGIR 2008). An item's items above are those
    with a larger score, so that tied items are judged by the same items; a pair tied in the truth alone counts
    half. Items at the top of the estimate have nothing above and are left out. Scores that agree to ten decimals
    are ties.

    Parameters
    ----------
    estimate, truth : (n,) arrays

    Returns
    -------
    float
        1 for the same ranking, -1 for the reverse; it changes when the arguments are exchanged. NaN where either is
        constant.
    """
    a, b = (np.round(np.asarray(x, dtype=np.float64), TIES) for x in (estimate, truth))
    above = a[:, None] > a  # [j, i]: item j is above item i
    number = above.sum(axis=0)
    if not above.any() or np.ptp(b) == 0:
        return float("nan")
    agreed = (above * np.sign(b[:, None] - b)).sum(axis=0)
    return float((agreed[number > 0] / number[number > 0]).mean())


def tau_ap_both(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Mean of the two directions of :func:`tau_ap`, where neither ranking is the truth."""
    return (tau_ap(a, b) + tau_ap(b, a)) / 2


def better_runs(collection: Collection, quantile: float) -> Collection:
    """Only the runs whose mean AP is above a quantile: poor systems blur a comparison (xGAP paper, section 6).

    Raises
    ------
    InputError
        If fewer than two runs remain.
    """
    if not 0 <= quantile < 1:
        raise InputError(f"the quantile of mean AP must be in [0, 1), got {quantile}")
    mean = topic_values(collection, [AP()])[0].mean(axis=0)
    kept = mean > np.quantile(mean, quantile) if quantile else np.full(len(mean), True)
    if kept.sum() < 2:
        raise InputError(
            f"{kept.sum()} of {len(mean)} runs have a mean AP above quantile {quantile:g}: nothing to rank"
        )
    return replace(
        collection,
        runs=tuple(np.array(collection.runs, dtype=object)[kept]),
        grades=collection.grades[:, kept],
        nonrelevant=collection.nonrelevant[:, kept],
        missing=collection.missing[:, kept],
    )


def topic_sets(collection: Collection, few: float) -> dict[str, BoolArray]:
    """All topics, and by grade k > 1 those with few of it: R_1 >= few * R_k, R_k > 0. Empty sets are left out."""
    if not few > 0:
        raise InputError(f"few must be positive, got {few}")
    first, *higher = collection.relevant.T
    sets = {"all": np.full(len(first), True)}
    for k, count in enumerate(higher, 2):
        sets[f"few of grade {k}"] = (count > 0) & (first >= few * count)
    return {name: chosen for name, chosen in sets.items() if chosen.any()}


def topic_values(collection: Collection, measures: Sequence[Measure]) -> FloatArray:
    """Values of measures, (measures, topics, runs)."""
    values = evaluate_collection(collection, measures)["value"].to_numpy()
    return values.reshape(len(collection.runs), len(collection.topics), len(measures)).T
