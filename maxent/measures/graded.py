"""Graded average precision and its relatives: users who differ in the grade from which a document is relevant."""

from dataclasses import dataclass
from itertools import product
from math import comb
from typing import ClassVar

import numpy as np

from maxent.errors import MeasureError, ProblemError
from maxent.measures.form import Form, pairwise_form
from maxent.measures.gain import at_least, per, ranks
from maxent.measures.measure import Measure
from maxent.types import FloatArray, GradeCounts

MOST_CANDIDATES = 20_000  # of a grid of g


@dataclass(frozen=True, kw_only=True)
class GAP(Measure):
    """Graded average precision.

    ``g[k - 1]`` is the probability that a user's threshold is at grade k.
    (Elsewhere GAP also abbreviates micro-averaged AP; here it is always graded AP.)
    """

    g: tuple[float, ...]
    reference: ClassVar[str] = "GAP paper 2.2; xGAP paper eq. 4"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        G = np.cumsum(_fitting(self, relevant))
        # GAP paper 2.2: delta_{m,n} = G_min(i_m, i_n), normalised by sum_i R_i G_i
        return pairwise_form(1 / ranks(depth), np.minimum.outer(G, G) * per(float(relevant @ G)))

    def partial_forms(self, relevant: GradeCounts, depth: int) -> tuple[Form, ...]:
        """Derivatives of the form by g_1..g_c, each a form of its own: of the value, its expectation and gradient.

        The formula is extended off the simplex, where it depends on the proportions of g alone (numerator and
        normaliser are both linear in g): ``sum_k g_k`` times the k-th derivative is 0. Only directions that sum
        to 0 lead to another GAP.

        Parameters
        ----------
        relevant : (levels,) sequence
        depth : int
        """
        form, counts = self.form(relevant, depth), np.asarray(relevant, dtype=np.float64)
        G, K = np.cumsum(self.g), form.K[1:, 1:]
        hits = [at_least(k, len(self.g)) for k in range(1, len(self.g) + 1)]
        # quotient rule: G_min(i,m) changes by 1[min(i,m) >= k], the normaliser sum_i R_i G_i by R_>=k
        return tuple(
            pairwise_form(form.d, (np.outer(hit, hit) - K * float(hit @ counts)) * per(float(counts @ G)))
            for hit in hits
        )


@dataclass(frozen=True, kw_only=True)
class xGAP(Measure):
    """Extended graded average precision: a user is drawn, then the pivot.

    In GAP all grades' documents are drawn together; here few highly relevant ones keep the weight that ``g``, the
    probabilities of the thresholds, gives them.
    """

    g: tuple[float, ...]
    reference: ClassVar[str] = "xGAP paper eq. 5"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        g = _fitting(self, relevant)
        G, A = np.cumsum(g), _pivot_probabilities(g, relevant)
        # xGAP paper eq. 5: the pivot of grade i weighs A_i, and G_min(i, m) / G_i is its precision's part
        weight = np.divide(A, G, out=np.zeros_like(A), where=G > 0)
        return pairwise_form(1 / ranks(depth), weight[:, None] * np.minimum.outer(G, G))


@dataclass(frozen=True, kw_only=True)
class eGAP(Measure):
    """Expected graded average precision: the mean of AP over users.

    ``g[k - 1]`` is the probability that a user's threshold is at grade k.
    Thresholds without documents count as AP = 0: g is not normalised over the grades in use.
    """

    g: tuple[float, ...]
    reference: ClassVar[str] = "xGAP paper eq. 6"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return _mean_ap(_fitting(self, relevant), relevant, depth)


@dataclass(frozen=True, kw_only=True)
class muAP(Measure):
    """Mean of AP over the rating levels, weighted by their distances.

    Parameters
    ----------
    levels
        Rating that each positive grade stands for, increasing; default 1, 2, 3, ... Real-valued ratings become
        grades by ``levels, grades = np.unique(ratings, return_inverse=True)`` if some rating is 0; then
        ``muAP(levels=tuple(levels[1:]))``.

    Notes
    -----
    Only levels that the topic uses count; the distance of one is to the next lower level in use.
    """

    levels: tuple[float, ...] | None = None
    reference: ClassVar[str] = "muAP paper eq. 4"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        levels = ranks(len(relevant)) if self.levels is None else np.array(self.levels)
        if len(levels) != len(relevant):
            raise MeasureError(
                f"{self} has {len(levels)} levels, but the topic has {len(relevant)} positive grades"
            )
        used = relevant > 0
        distances = np.zeros(len(levels))
        distances[used] = np.diff(levels[used], prepend=0.0)
        return _mean_ap(distances * per(float(distances.sum())), relevant, depth)


def g_grid(*, levels: int = 2, steps: int = 9) -> list[tuple[float, ...]]:
    """Threshold probabilities on an even grid of the simplex.

    Parameters
    ----------
    levels : int
        Number of positive grades, c.
    steps : int
        Points along one edge: g_k is a multiple of 1 / (steps - 1).

    Returns
    -------
    list of (levels,) tuples
        By increasing g_1; for two grades from (0, 1) to (1, 0).
    """
    if levels < 1 or steps < 2:
        raise ProblemError(f"a grid needs levels >= 1 and steps >= 2, got {levels} and {steps}")
    size = comb(steps + levels - 2, levels - 1)
    if size > MOST_CANDIDATES:
        raise ProblemError(
            f"a grid of {steps} steps over {levels} grades has {size} candidates: take fewer steps or name measures"
        )
    last = steps - 1
    heads = product(range(steps), repeat=levels - 1)
    return [tuple(k / last for k in (*head, last - sum(head))) for head in heads if sum(head) <= last]


def _fitting(measure: GAP | xGAP | eGAP, relevant: FloatArray) -> FloatArray:
    """Threshold probabilities, checked to be one for each grade."""
    if len(measure.g) != len(relevant):
        raise MeasureError(
            f"{measure} has {len(measure.g)} threshold probabilities, but the topic has {len(relevant)} grades"
        )
    return np.array(measure.g)


def _pivot_probabilities(g: FloatArray, relevant: FloatArray) -> FloatArray:
    """A_i = sum_{k<=i} g_k / R_>=k over the grades that are in use or below one that is (xGAP paper 4)."""
    base = np.cumsum(relevant[::-1])[::-1]
    return np.cumsum(np.divide(g, base, out=np.zeros(len(g)), where=base > 0))


def _mean_ap(g: FloatArray, relevant: FloatArray, depth: int) -> Form:
    """sum_k g_k AP(k), xGAP paper eq. 6: the pair of grades i, m is relevant for all thresholds up to min(i, m)."""
    A = _pivot_probabilities(g, relevant)
    return pairwise_form(1 / ranks(depth), np.minimum.outer(A, A))
