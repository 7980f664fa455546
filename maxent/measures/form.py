"""The one algebra: a measure of a topic is a pairwise form of the grades in the list.

    M(i_1..i_N) = sum_n [ a_n(i_n) + d_n sum_{m<n} K(i_n, i_m) ]

Ranks are independent under a probability-at-rank distribution, so the expected value is the same
expression with one-hot rows replaced by probability rows. Everything here is O(depth * levels^2).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.types import FloatArray, IntArray

FULL = 1e-13  # counts that sum to the depth but for this share of it leave no room


@dataclass(frozen=True, eq=False)
class Form:
    """A measure for one topic, as data.

    Attributes
    ----------
    a : (depth, levels + 1) array
        What grade i at rank n adds by itself; column 0 belongs to non-relevant documents.
    d : (depth,) array
        Weight of rank n in the pairwise part.
    K : (levels + 1, levels + 1) array
        What a document of grade i gains from an earlier one of grade m; row and column 0 are zero.
    """

    a: FloatArray
    d: FloatArray
    K: FloatArray

    @property
    def depth(self) -> int:
        """Length of the ranked list, N."""
        return len(self.d)

    @property
    def levels(self) -> int:
        """Highest grade, c."""
        return len(self.a[0]) - 1

    @cached_property
    def linear(self) -> bool:
        """Whether there is no pairwise part."""
        return not (self.K.any() and self.d.any())

    @cached_property
    def strongest(self) -> float:
        """Largest weight that a pair of documents may have, max |d| max |K|."""
        return float(np.abs(self.d).max() * np.abs(self.K).max())

    def evaluate(self, grades: IntArray) -> FloatArray:
        """Value of observed lists.

        Parameters
        ----------
        grades : (..., depth) integer array
            Grades 0..levels in rank order.

        Returns
        -------
        (...) array
        """
        value = self.a[np.arange(self.depth), grades].sum(axis=-1)
        if self.linear:
            return np.asarray(value)
        for level in range(1, self.levels + 1):
            hit = grades == level
            before = np.cumsum(hit, axis=-1) - hit
            value = value + (self.d * self.K[grades, level] * before).sum(axis=-1)
        return np.asarray(value)

    def expected(self, p: FloatArray) -> float:
        """E[M] under the probability-at-rank distribution ``p`` of shape (depth, levels + 1)."""
        before = np.cumsum(p, axis=0) - p  # S_n
        return float(np.sum(p * (self.a + self.d[:, None] * (before @ self.K.T))))

    def gradient(self, p: FloatArray) -> FloatArray:
        """Derivative of E[M] by p_n(i): ``w = a + d K S + K' T``, (..., depth, levels + 1) as ``p``."""
        return self.a + self.hessian_action(p)

    def hessian_action(self, x: FloatArray) -> FloatArray:
        """Product of the (constant) Hessian of E[M] with ``x`` of shape (..., depth, levels + 1)."""
        before = np.cumsum(x, axis=-2) - x
        weighted = self.d[:, None] * x
        after = weighted.sum(axis=-2, keepdims=True) - np.cumsum(weighted, axis=-2)  # T_n
        return np.asarray(self.d[:, None] * (before @ self.K.T) + after @ self.K)

    def changes(self, grades: IntArray) -> FloatArray:
        """What a document of another grade would do to the value, at every rank of observed lists.

        Parameters
        ----------
        grades : (..., depth) integer array

        Returns
        -------
        (..., depth, levels + 1) array
            Value after the grade at rank n is replaced by i, minus the value as it is: exact, because the form is
            linear in each row of a distribution, and the gradient by a row does not contain that row.
        """
        w = self.gradient(np.eye(self.levels + 1)[grades])
        return np.asarray(w - np.take_along_axis(w, grades[..., None], axis=-1))

    def indistinguishable(self, present: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """The grades of ``present``, those together that no list tells apart."""
        found = self._indistinguishable.get(present)
        if found is None:
            alike: dict[bytes, list[int]] = {}
            for i in present:
                column = np.concatenate((self.a[:, i], self.K[:, i], self.K[i])) + 0.0  # not -0.0
                alike.setdefault(column.tobytes(), []).append(i)
            found = self._indistinguishable[present] = tuple(map(tuple, alike.values()))
        return found

    @cached_property
    def _indistinguishable(self) -> dict[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        return {}

    def eliminate(self, present: tuple[int, ...]) -> tuple["Form", float]:
        """Coefficients in the probabilities of ``present[1:]`` alone; the rows' sum eliminates ``present[0]``.

        Returns
        -------
        form : Form
            Arrays a (depth, c), d (depth,), K (c, c) with c = len(present) - 1.
        constant : float
            What the elimination takes from the value: that of a list of nothing but grade ``present[0]``.
        """
        found = self._eliminated.get(present)
        if found is None:
            found = self._eliminated[present] = self._eliminate(present[0], list(present[1:]))
        return found

    @cached_property
    def _eliminated(self) -> dict[tuple[int, ...], tuple["Form", float]]:
        return {}

    def _eliminate(self, r: int, rest: list[int]) -> tuple["Form", float]:
        K, d = self.K, self.d
        a, constant = self.a[:, rest] - self.a[:, r, None], float(self.a[:, r].sum())
        if not (K[r].any() or K[:, r].any()):  # grade 0, nearly always
            return Form(a=a, d=d, K=np.ascontiguousarray(K[np.ix_(rest, rest)])), constant
        before = d * np.arange(self.depth)
        after = d.sum() - np.cumsum(d)
        a += np.outer(before, K[rest, r] - K[r, r]) + np.outer(after, K[r, rest] - K[r, r])
        kernel = K[np.ix_(rest, rest)] - K[r, rest] - K[rest, r][:, None] + K[r, r]
        return Form(a=a, d=d, K=np.ascontiguousarray(kernel)), constant + float(K[r, r] * before.sum())


def linear_form(weights: FloatArray, gains: FloatArray) -> Form:
    """Form of a measure without pairwise part: grade i at rank n adds ``weights[n] * gains[i - 1]``."""
    levels = len(gains)
    a = np.outer(weights, np.concatenate(([0.0], gains)))
    return Form(a=a, d=np.zeros(len(weights)), K=np.zeros((levels + 1, levels + 1)))


def pairwise_form(d: FloatArray, kernel: FloatArray) -> Form:
    """Form with pairwise kernel of shape (levels, levels) and the self term ``a_n(i) = d_n K(i, i)``."""
    K = np.pad(kernel, ((1, 0), (1, 0)))
    return Form(a=np.outer(d, np.diag(K)), d=d, K=K)


def check_grades(grades: npt.ArrayLike, levels: int) -> IntArray:
    """Grades as an integer array.

    Raises
    ------
    MeasureError
        If they are not integers within 0..levels.
    """
    array = np.asarray(grades)
    if array.dtype.kind not in "iu":
        raise MeasureError(f"grades must be integers 0..{levels}, got an array of {array.dtype}")
    if array.ndim == 0:
        raise MeasureError("grades must have a rank axis: shape (..., depth)")
    if array.size and (array.min() < 0 or array.max() > levels):
        bad = array[(array < 0) | (array > levels)].flat[0]
        raise MeasureError(f"grade {bad} is outside 0..{levels}, the grades that `relevant` counts")
    return array
