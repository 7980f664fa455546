"""Corrections of p-values for multiple comparisons; comparisons made together form a family."""

import numpy as np
import numpy.typing as npt

from maxent.types import FloatArray

CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "fdr_by")
"""Holm and Bonferroni control the family-wise error rate, Benjamini and Hochberg, and Benjamini and Yekutieli, the
false discovery rate."""


def corrected(p: npt.ArrayLike, correction: str | None) -> FloatArray:
    """Corrected p-values of a family, to be compared with the level; None leaves them uncorrected."""
    p = np.asarray(p, dtype=np.float64)
    if correction is None:
        return p
    if correction == "bonferroni":
        return np.asarray(np.minimum(p * len(p), 1.0))
    if correction == "holm":
        # the k-th smallest of n p-values becomes the maximum over j <= k of (n - j + 1) p_j, at most 1
        order = np.argsort(p, kind="stable")
        stepwise = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
        back = np.argsort(order)  # places in the given order
        return np.asarray(np.minimum(stepwise, 1.0)[back])
    from scipy.stats import false_discovery_control  # loaded late: half of maxent's import time

    return np.asarray(false_discovery_control(p, method=correction.removeprefix("fdr_")))
