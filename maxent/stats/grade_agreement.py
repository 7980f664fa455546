"""Agreement of grades: Cohen's kappa of two sets of judgments, and Krippendorff's alpha of two sets or more.

Kappa is unweighted (Educational and Psychological Measurement 20, 1960), or weighted by the distance of the grades
or its square (Psychological Bulletin 70, 1968).

Alpha (Krippendorff, Content Analysis: An Introduction to Its Methodology, chapter on reliability; "Computing
Krippendorff's Alpha-Reliability", 2011) compares the observed disagreement with the one expected by chance,

    alpha = 1 - D_o / D_e = 1 - (n - 1) sum_ck o_ck delta_ck / sum_ck n_c n_k delta_ck.

A document that m >= 2 sets judge adds 1 / (m - 1) to the coincidence o_ck of grades c and k for each ordered pair
of its judgments. n_c = sum_k o_ck is the number of judgments of grade c, and n that of all. Documents that one set
alone judges do not count, so judgments may be missing. The squared distance delta_ck of two grades is 1 (nominal),
(c - k)^2 (interval), or the square of the number of judgments from c to k, those of c and k by half (ordinal).
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from maxent.types import FloatArray


def equal_share(table: FloatArray) -> float:
    """Share of documents with the same grade in both sets; NaN without documents."""
    return float(np.trace(table) / table.sum()) if table.any() else np.nan


def kappa(table: FloatArray, power: int) -> float:
    """Kappa of a square table of documents by two grades; NaN if all have the same grade.

    Disagreement is weighted by a power of the distance of the grades.
    """
    grades = np.arange(len(table))
    apart = grades[:, None] != grades
    weights = apart * np.abs(grades[:, None] - grades) ** power
    expected = (weights * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()  # by chance, times the total
    return float(1 - table.sum() * (weights * table).sum() / expected) if expected else np.nan


def coincidences(counts: FloatArray) -> FloatArray:
    """Coincidences of grades (grades, grades), from the number of judgments of each grade (documents, grades)."""
    judgments = counts.sum(axis=1)
    paired, others = counts[judgments > 1], judgments[judgments > 1, None] - 1
    return np.asarray(paired.T @ (paired / others) - np.diag((paired / others).sum(axis=0)))


def alpha(table: FloatArray, delta: Callable[[FloatArray], FloatArray]) -> float:
    """Krippendorff's alpha of a table of coincidences; NaN if all judgments have the same grade.

    ``delta`` gives the squared distances of grades (grades, grades) from the number of judgments of each (grades,).
    """
    numbers = table.sum(axis=1)
    distances = delta(numbers)
    expected = numbers @ distances @ numbers
    return float(1 - (numbers.sum() - 1) * (table * distances).sum() / expected) if expected else np.nan


def _nominal(numbers: FloatArray) -> FloatArray:
    return 1 - np.eye(len(numbers))


def _ordinal(numbers: FloatArray) -> FloatArray:
    middles = np.cumsum(numbers) - numbers / 2
    return np.asarray((middles[:, None] - middles) ** 2)


def _interval(numbers: FloatArray) -> FloatArray:
    grades = np.arange(float(len(numbers)))
    return np.asarray((grades[:, None] - grades) ** 2)


OF_PAIRS: dict[str, Callable[[FloatArray], float]] = {
    "agreement": equal_share,
    "kappa": partial(kappa, power=0),
    "linear_kappa": partial(kappa, power=1),
    "quadratic_kappa": partial(kappa, power=2),
}
"""Statistics of the documents by their grades in two sets."""
ALPHAS: dict[str, Callable[[FloatArray], float]] = {
    "nominal_alpha": partial(alpha, delta=_nominal),
    "ordinal_alpha": partial(alpha, delta=_ordinal),
    "interval_alpha": partial(alpha, delta=_interval),
}
"""Statistics of the coincidences of grades in two sets or more."""
