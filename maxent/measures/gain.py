"""Gains of grades, weights of ranks, and the ideal list."""

import numpy as np

from maxent.errors import MeasureError
from maxent.limits import DEPTH, too_large
from maxent.types import FloatArray

GAINS = {
    "linear": lambda i: i,
    "exp2": lambda i: np.exp2(i) - 1,
    "exp": lambda i: np.expm1(i),
}
LARGEST = 1e100  # gain: sums of products of gains and counts stay far from overflow
DISCOUNTS = ("log2", "jk", "inverse")


def ranks(depth: int) -> FloatArray:
    """Ranks 1, 2, ..., depth as floats, (depth,)."""
    return np.arange(1, depth + 1, dtype=np.float64)


def cut_weights(cutoff: int | None, weights: FloatArray) -> FloatArray:
    """Copy of weights of the ranks, (depth,), with 0 beyond the cutoff."""
    return weights * (ranks(len(weights)) <= (cutoff or len(weights)))


def reciprocal_ranks(cutoff: int | None, depth: int) -> FloatArray:
    """Weights 1/n of the ranks 1..depth, (depth,), 0 beyond the cutoff."""
    return cut_weights(cutoff, 1 / ranks(depth))


def reciprocal(total: float) -> float:
    """1 / total, but 0 if the total is 0: a topic without relevant documents scores 0."""
    return 1.0 / total if total > 0 else 0.0


def check_level(rel: int, levels: int) -> None:
    """Raise MeasureError unless the threshold ``rel`` is one of the grades 1..levels."""
    if not 1 <= rel <= levels:
        raise MeasureError(f"rel={rel} is outside 1..{levels}, the positive grades of the topic")


def binary_gains(rel: int, levels: int) -> FloatArray:
    """Array (levels,) that is 1 for each of the grades 1..levels that is ``rel`` or higher, else 0."""
    check_level(rel, levels)
    return (np.arange(1, levels + 1) >= rel).astype(np.float64)


def gain_values(gain: str | tuple[float, ...], levels: int) -> FloatArray:
    """Gains (levels,) of the grades 1..levels, from a function in ``GAINS`` or one number for each."""
    if isinstance(gain, str):
        with np.errstate(over="ignore"):
            table = np.asarray(GAINS[gain](ranks(levels)), dtype=np.float64)
    elif len(gain) != levels:
        raise MeasureError(f"{len(gain)} gains given, but the topic has {levels} positive grades")
    else:
        table = np.array(gain)
    if not table.max() <= LARGEST:  # infinite ones, too
        grade = int(np.argmax(~(table <= LARGEST))) + 1
        name = f"gain={gain}: the gain" if isinstance(gain, str) else "the gain"
        raise MeasureError(f"{name} of grade {grade} is too large to add up: gains may be {LARGEST:g} at most")
    return table


def discount_values(discount: str, b: float, depth: int) -> FloatArray:
    """Weights (depth,) of the ranks 1..depth: the reciprocals of a discount in ``DISCOUNTS``."""
    n = ranks(depth)
    if discount == "log2":
        return np.asarray(1 / np.log2(n + 1))
    if discount == "inverse":
        return np.asarray(1 / n)
    # Kishida eq. 30 (Jarvelin and Kekalainen): no discount before rank b
    return np.asarray(1 / np.log(np.maximum(n, b)) * np.log(b))


def ideal_shares(gains: FloatArray, relevant: FloatArray, length: int) -> FloatArray:
    """Share (length, levels) of each rank of the ideal list that documents of each grade fill.

    The ideal list ranks all R_i relevant documents of the topic by decreasing gain, so that ``shares @ gains`` is
    Kishida's y_n. Documents with fractional counts share a rank. ``gains`` and ``relevant`` are (levels,).
    """
    order = np.argsort(-gains, kind="stable")
    edges = np.concatenate(([0.0], np.cumsum(relevant[order])))
    n = ranks(length)[:, None]
    # rank n is the interval from n - 1 to n; each grade, by decreasing gain, fills the interval between two edges
    overlap = np.minimum(n, edges[1:]) - np.maximum(n - 1, edges[:-1])
    shares = np.empty((length, len(gains)))
    shares[:, order] = np.clip(overlap, 0, None)
    return shares


def ideal_length(gains: FloatArray, relevant: FloatArray, cutoff: int | None = None) -> int:
    """Length of the ideal list of all relevant documents, up to the cutoff; MeasureError if it is too long.

    ``gains`` and ``relevant`` are (levels,). Fractional counts are summed in the order of :func:`ideal_shares`.
    """
    total = np.cumsum(relevant[np.argsort(-gains, kind="stable")])[-1]
    length = int(min(np.ceil(total), cutoff or np.inf))
    if reason := too_large("the length of the ideal list", length, DEPTH):
        raise MeasureError(reason)
    return length
