"""The distribution of lists whose ranks are independent."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class IndependentRanks:
    """Lists with grade i at rank n with probability p_n(i), whatever stands at other ranks."""

    p: FloatArray  # (depth, levels + 1)
    counts: FloatArray  # (levels,): documents of each grade

    def ranks(self, threshold: int) -> FloatArray:
        """Probability that the k-th document of grade ``threshold`` or higher is at rank n, (documents, depth)."""
        return document_ranks(self.p[:, threshold:].sum(axis=1), round(sum(self.counts[threshold - 1 :])))

    def log_likelihood(self, grades: npt.ArrayLike) -> float:
        """Logarithm of the probability of a list (depth,)."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.p[np.arange(len(self.p)), np.asarray(grades)]).sum())

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random lists, (number, depth) grades."""
        uniform = np.random.default_rng(rng).random((number, len(self.p), 1))
        return np.asarray((uniform > np.cumsum(self.p, axis=1)[:, :-1]).sum(axis=2))


def document_ranks(relevant: FloatArray, documents: int) -> FloatArray:
    """Probability (documents, depth) that the k-th relevant document is at rank n."""
    above, found = np.zeros(documents), np.empty((documents, len(relevant)))
    above[:1] = 1.0
    for n, own in enumerate(relevant):  # the number above a rank is Poisson-binomial
        here = found[:, n] = own * above
        above -= here
        above[1:] += here[:-1]
    return found
