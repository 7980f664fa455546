"""Cascades: measures of a user who reads down the list and stops, such as ERR and reciprocal rank.

A user who reads a document of grade i stops with probability s_i, and stopping at rank n is worth u_n:

    M(i_1..i_N) = sum_n u_n s(i_n) prod_{m<n} (1 - s(i_m))        (Chapelle et al. 2009, eqs. 3-4, with u_n = 1/n).

The value is linear in the grade of each rank (multilinear). Under a distribution p with independent ranks, the
expected value is therefore the same expression with r_n = sum_i s_i p_n(i) in place of s(i_n). Let P_n =
prod_{m<=n} (1 - r_m), the probability of continuing after rank n. Summation by parts gives the expected value and
its derivative, for falling weights as sums of non-negative terms:

    E[M] = sum_n (u_n - u_n+1) (1 - P_n),     dE[M]/dr_n = sum_{m>=n} (u_m - u_m+1) P_m / (1 - r_n),     u_N+1 = 0.

Only the first rank with r_n = 1 needs more than a division: there, P_m is computed without its factor. Products and
sums are cumulative, so the cost is O(depth * levels) operations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maxent.measures.form import Documents, Form, kinds
from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Cascade:
    """Coefficients of a cascade for one topic."""

    weights: FloatArray  # (depth,): u_n, what it is worth to stop at rank n
    stops: FloatArray  # (levels + 1,): s_i, probability that a document of grade i stops the user, 0 for grade 0

    @property
    def depth(self) -> int:
        """Length of the ranked list, N."""
        return len(self.weights)

    @property
    def kinds(self) -> tuple[int, ...]:
        """See :attr:`Form.kinds`."""
        return kinds(self.stops[None])

    @property
    def last(self) -> int:
        """Last rank with non-zero weight; 0 if there is none."""
        return int(self.weights.nonzero()[0].max(initial=-1)) + 1

    def evaluate(self, grades: IntArray) -> FloatArray:
        """Values (...) of observed lists, whose grades (..., depth) are in rank order."""
        last = self.last
        return stopping_value(self.stops[grades[..., :last]], self.weights[:last])

    def expected(self, p: FloatArray) -> float:
        """Expected value E[M] under the probability-at-rank distribution ``p`` of shape (depth, levels + 1)."""
        return float(self.expected_values(p))

    def expected_values(self, p: FloatArray) -> FloatArray:
        """Expected values E[M], (...), under distributions (..., depth, levels + 1)."""
        return stopping_value(p @ self.stops, self.weights)

    def gradient(self, p: FloatArray) -> FloatArray:
        """Derivative of E[M] with respect to p_n(i), of the same shape (..., depth, levels + 1) as ``p``."""
        passed = 1 - p @ self.stops  # 1 - r_n
        is_certain = passed == 0
        # dE[M]/dr_n = sum_{m>=n} (u_m - u_m+1) P_m / (1 - r_n)
        by_rank = np.divide(self._later_sums(passed), passed, out=np.zeros_like(passed), where=~is_certain)
        if is_certain.any():
            # the user never reads beyond the first such rank: there P_m lacks its factor, below it all P_m are 0
            is_first = is_certain & (np.cumsum(is_certain, axis=-1) == 1)
            without_factor = np.where(is_first, 1.0, passed)
            by_rank = np.where(is_first, self._later_sums(without_factor), by_rank)
        return np.asarray(by_rank[..., None] * self.stops)

    def _later_sums(self, passed: FloatArray) -> FloatArray:
        """Sums over m >= n of (u_m - u_m+1) P_m, where P is the cumulative product of ``passed``, (..., depth)."""
        terms = -np.diff(self.weights, append=0.0) * np.cumprod(passed, axis=-1)
        return np.asarray(np.cumsum(terms[..., ::-1], axis=-1)[..., ::-1])


Expectation = Form | Cascade
"""A source of expected values."""


def cascade(weights: FloatArray, stops: FloatArray) -> Cascade:
    """Cascade in which a document of grade 1..levels stops the user with the probabilities ``stops`` (levels,)."""
    return Cascade(weights, np.concatenate(([0.0], stops)))


def stopping_value(stops: FloatArray, weights: FloatArray) -> FloatArray:
    """Value (...) of a cascade, from the probability (..., depth) that the user stops at a rank on reading it."""
    passed = np.cumprod(1 - stops, axis=-1)
    reached = np.concatenate((np.ones_like(stops[..., :1]), passed[..., :-1]), axis=-1)
    return np.asarray((stops * reached * weights).sum(axis=-1))  # unlike @, this gives equal lists the same value


def evaluate_all(expectations: Sequence[Expectation], grades: IntArray, levels: int) -> list[FloatArray]:
    """Values (lists,) of several measures for the same lists, whose grades (lists, depth) are read once."""
    documents = Documents.of(grades)
    return [
        expectation.evaluate_documents(documents) if isinstance(expectation, Form) else expectation.evaluate(grades)
        for expectation in expectations
    ]
