"""Slow twins of the fast code, written as loops straight from the papers."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Lists = Sequence[int]


def ap(grades: Lists, relevant: Sequence[float], rel: int = 1) -> float:
    """GAP paper 3.1.1 and Kishida eq. 5."""
    total = sum(relevant[rel - 1 :])
    if total == 0:
        return 0.0
    value = 0.0
    for n in range(1, len(grades) + 1):
        if grades[n - 1] >= rel:
            value += sum(g >= rel for g in grades[:n]) / n
    return value / total


def gap(grades: Lists, relevant: Sequence[float], g: Sequence[float]) -> float:
    """GAP paper 2.2, with the contribution function delta spelled out."""
    norm = sum(relevant[i] * sum(g[: i + 1]) for i in range(len(relevant)))
    if norm == 0:
        return 0.0
    value = 0.0
    for n in range(1, len(grades) + 1):
        inner = 0.0
        for m in range(1, n + 1):
            inner += sum(g[j - 1] for j in range(1, min(grades[m - 1], grades[n - 1]) + 1))
        value += inner / n
    return value / norm


def _gain(gain: str | tuple[float, ...], grade: int) -> float:
    if grade == 0:
        return 0.0
    if isinstance(gain, tuple):
        return gain[grade - 1]
    return {"linear": float(grade), "exp2": 2.0**grade - 1, "exp": math.exp(grade) - 1}[gain]


def _discount(discount: str, b: float, n: int) -> float:
    if discount == "log2":
        return 1 / math.log2(n + 1)
    if discount == "inverse":
        return 1 / n
    return 1.0 if n < b else 1 / math.log(n, b)


def dcg(
    grades: Lists,
    relevant: Sequence[float],
    gain: str | tuple[float, ...],
    discount: str,
    b: float,
    cutoff: int | None,
) -> float:
    """Kishida eq. 30 and GAP paper figure 1."""
    value = 0.0
    for n, grade in enumerate(grades[:cutoff], start=1):
        value += _gain(gain, grade) * _discount(discount, b, n)
    return value


def ndcg(
    grades: Lists,
    relevant: Sequence[int],
    gain: str | tuple[float, ...],
    discount: str,
    b: float,
    cutoff: int | None,
) -> float:
    """DCG over that of all judged documents in the best order."""
    everything = [grade for grade, count in enumerate(relevant, start=1) for _ in range(int(count))]
    everything.sort(key=lambda grade: -_gain(gain, grade))
    ideal = dcg(everything, relevant, gain, discount, b, cutoff)
    return dcg(grades, relevant, gain, discount, b, cutoff) / ideal if ideal > 0 else 0.0


def precision_at(grades: Lists, relevant: Sequence[float], cutoff: int, rel: int = 1) -> float:
    """Kishida eq. 2."""
    return sum(g >= rel for g in grades[:cutoff]) / cutoff


def r_precision(grades: Lists, relevant: Sequence[float], rel: int = 1) -> float:
    """Kishida eq. 6."""
    total = int(sum(relevant[rel - 1 :]))
    return sum(g >= rel for g in grades[:total]) / total if total else 0.0


def rbp(grades: Lists, relevant: Sequence[float], p: float, rel: int = 1) -> float:
    """Rank-biased precision as a running product."""
    value, patience = 0.0, 1.0
    for grade in grades:
        value += (1 - p) * patience * (grade >= rel)
        patience *= p
    return value


def all_lists(depth: int, levels: int) -> NDArray[np.int64]:
    """Every list of grades, shape ((levels + 1) ** depth, depth)."""
    return np.array(list(itertools.product(range(levels + 1), repeat=depth)), dtype=np.int64)


def probabilities(lists: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of each list under independent ranks."""
    found = np.ones(len(lists))
    for k, grades in enumerate(lists):
        for n, grade in enumerate(grades):
            found[k] *= p[n, grade]
    return found
