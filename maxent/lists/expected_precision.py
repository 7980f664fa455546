"""Expected precision at the relevant documents of a list, and bands.

All functions take the distribution of the rank n_k of the k-th relevant document, ``ranks`` (documents, depth). A
row sums to less than 1 if a list can have fewer documents. Expected values and quantiles for a document are
conditional on its presence in the list.
"""

import numpy as np
import numpy.typing as npt

from maxent.kernels.loops.records import FAINT
from maxent.kernels.observed import rms_and_mae
from maxent.types import BoolArray, FloatArray, IntArray

LEVELS = np.linspace(0, 1, 11)  # of recall
ROUNDED = 1e-9  # documents
EQUAL = 1e-12  # by which a cumulative probability may miss a quantile


def condition_on_presence(ranks: FloatArray) -> FloatArray:
    """Distributions of the ranks, given that the documents are in the list; impossible ones get the last rank."""
    faint = np.zeros(ranks.shape)  # in C order, so that sums add in this order however ``ranks`` stands in memory
    faint[:, -1] = FAINT
    possible = ranks + faint
    return np.asarray(possible / possible.sum(axis=1, keepdims=True))


def precision_at_documents(ranks: FloatArray) -> FloatArray:
    """Expected precision E[k / n_k] at the k-th relevant document, (documents,)."""
    documents, depth = ranks.shape
    return np.asarray(
        np.arange(1, documents + 1) * (condition_on_presence(ranks) / np.arange(1, depth + 1)).sum(axis=1)
    )


def rank_quantiles(ranks: FloatArray, share: float) -> FloatArray:
    """Quantile ``share`` of the rank of each k-th relevant document, (documents,)."""
    reached = np.cumsum(condition_on_presence(ranks), axis=1) >= share - EQUAL
    return np.asarray(reached.argmax(axis=1) + 1.0)


def precision_band(ranks: FloatArray, band: float) -> FloatArray:
    """Ends of the central ``band`` of precision at the k-th relevant document, (2, documents)."""
    late, early = rank_quantiles(ranks, (1 + band) / 2), rank_quantiles(ranks, (1 - band) / 2)
    return np.asarray(np.arange(1, len(ranks) + 1) / np.stack((late, early)))


def widened(ends: FloatArray, mean: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Ends (2, ...) of bands, moved where needed so that a band contains the mean (...) that it stands beside.

    A few outliers can move a mean beyond quantiles: 97 of 100 lists with value 1 have the band 1 to 1.
    """
    low, high = ends
    return np.minimum(low, mean), np.maximum(high, mean)


def expected_curve_errors(ranks: FloatArray, observed: IntArray) -> tuple[float, float]:
    """RMS and mean absolute error of expected precision at the relevant documents, ``observed`` at these ranks."""
    actual = np.arange(1, len(observed) + 1) / observed
    return rms_and_mae(precision_at_documents(ranks)[: len(observed)] - actual)


def interpolated(hits: BoolArray, base: float) -> FloatArray:
    """Interpolated precision at eleven levels of recall, (..., levels); ``base`` is R, ``hits`` (..., depth).

    It is the largest precision at a rank that reaches the level or at a later one, and 0 if no rank reaches it.
    """
    relevant_counts = np.cumsum(hits, axis=-1)
    precision = relevant_counts / np.arange(1, hits.shape[-1] + 1)
    best_from = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]  # at each rank or a later one
    best_from = np.concatenate((best_from, np.zeros_like(best_from[..., :1])), axis=-1)  # behind the last rank
    needed = np.ceil(LEVELS * base - ROUNDED)  # documents that reach a level
    ranks_before = (relevant_counts[..., None, :] < needed[:, None]).sum(axis=-1)  # that do not reach it
    return np.asarray(np.take_along_axis(best_from, ranks_before, axis=-1))
