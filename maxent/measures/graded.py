"""AP, graded average precision and related measures, for users who differ in the lowest grade relevant to them.

A user's threshold is at grade k with probability g_k. Let G_i = sum_{k<=i} g_k, the probability that grade i is
relevant to a user, and A_i = sum_{k<=i} g_k / R_>=k, over thresholds with R_>=k > 0. The kernels of the pairwise
forms (d_n = 1/n) are

    GAP     G_min(i,m) / sum_j R_j G_j      GAP paper 2.2
    xGAP    (A_i / G_i) G_min(i,m)          xGAP paper eq. 5
    eGAP    A_min(i,m)                      xGAP paper eq. 6
    muAP    A_min(i,m)                      muAP paper eq. 4; g_k in proportion to the distances of rating levels
"""

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb, inf
from typing import Annotated, Any, ClassVar

import numpy as np

from maxent.errors import MeasureError, ProblemError
from maxent.limits import CANDIDATES, too_large
from maxent.measures.describe import Example
from maxent.measures.form import Form, pairwise_form
from maxent.measures.gain import binary_gains, ranks, reciprocal, reciprocal_ranks
from maxent.measures.measure import Measure
from maxent.measures.names import register_measure
from maxent.measures.parameters import Cutoff, JudgedOnly, Parameter, Rel, numbers_by_grade
from maxent.types import FloatArray, GradeCounts

EVEN = "even"  # as g: equal threshold probabilities for however many grades there are


def _check_thresholds(name: str, value: Any) -> str | tuple[float, ...]:
    """Checked threshold probabilities, or ``EVEN``."""
    if isinstance(value, str) and value == EVEN:
        return EVEN
    what = f"probabilities that sum to 1, one for each positive grade, or {EVEN!r}"
    g = numbers_by_grade(name, value, what)
    if not all(0 <= x <= 1 for x in g) or abs(sum(g) - 1) > 1e-6:
        raise MeasureError(f"{name} must be {what}, got {g}")
    return g


def _check_levels(name: str, value: Any) -> tuple[float, ...]:
    what = "increasing positive ratings, one for each positive grade"
    levels = numbers_by_grade(name, value, what)
    if not all(low < high < inf for low, high in zip((0.0, *levels), levels, strict=False)):
        raise MeasureError(f"{name} must be {what}, got {levels}")
    return levels


ThresholdProbabilities = Annotated[
    str | tuple[float, ...],
    Parameter(
        'tuple of float or "even"',
        "Threshold probabilities, one for each positive grade: ``g[k - 1]`` is the probability that a user's "
        "threshold is at grade k. ``even``: all equal, for any number of grades.",
        _check_thresholds,
        by_grade=True,
    ),
]


@register_measure
@dataclass(frozen=True, kw_only=True)
class AP(Measure):
    """Average precision, where grades >= ``rel`` are relevant.

    Notes
    -----
    Even with a cutoff, the sum is divided by the number of all relevant documents, as in trec_eval (``map_cut``)
    and ir_measures. NTCIREVAL divides AP@k by min(k, R); its AP@k is ``Q(beta=0)@k``.
    """

    rel: Rel = 1
    cutoff: Cutoff | None = None
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "GAP paper 3.1.1; Kishida eq. 5; xGAP paper eq. 2"
    example: ClassVar = Example(0.5556, "(1/1 + 2/3) / 3")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = binary_gains(self.rel, len(relevant))
        kernel = np.outer(hit, hit) * reciprocal(float(hit @ relevant))
        return pairwise_form(reciprocal_ranks(self.cutoff, depth), kernel)


@register_measure
@dataclass(frozen=True, kw_only=True)
class GAP(Measure):
    """Graded average precision: AP for users with different relevance thresholds.

    A cutoff does not change the normaliser, as for ``AP``. (Elsewhere, GAP also abbreviates micro-averaged AP.)
    """

    g: ThresholdProbabilities
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "GAP paper 2.2; xGAP paper eq. 4"
    example: ClassVar = Example(0.6667, "(1 + (1/3) (.5 + .5)) / (2 × .5 + 1), with G = (.5, 1)", "g=(0.5, 0.5)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        G = np.cumsum(threshold_probabilities(self, len(relevant)))
        # GAP paper 2.2: delta_{m,n} = G_min(i_m, i_n), normalised by sum_i R_i G_i
        kernel = np.minimum.outer(G, G) * reciprocal(float(relevant @ G))
        return pairwise_form(reciprocal_ranks(self.cutoff, depth), kernel)

    def partial_forms(self, relevant: GradeCounts, depth: int) -> tuple[Form, ...]:
        """Derivatives of the form with respect to g_1..g_c, as forms whose values are the derivatives of the value.

        The formula is extended to any g >= 0. It depends only on the proportions of g, because numerator and
        normaliser are both linear in g; hence the sum of g_k times the k-th derivative is 0. Only directions that
        sum to 0 lead to other threshold probabilities.
        """
        form, counts = self.form(relevant, depth), np.asarray(relevant, dtype=np.float64)
        G, K = np.cumsum(threshold_probabilities(self, len(counts))), form.K[1:, 1:]
        per_norm = reciprocal(float(counts @ G))
        forms = []
        for k in range(1, len(G) + 1):
            hit = binary_gains(k, len(G))
            # quotient rule: G_min(i,m) changes by 1[min(i,m) >= k], the normaliser sum_i R_i G_i by R_>=k
            forms.append(pairwise_form(form.d, (np.outer(hit, hit) - K * float(hit @ counts)) * per_norm))
        return tuple(forms)


@register_measure
@dataclass(frozen=True, kw_only=True)
class xGAP(Measure):
    """Extended graded average precision: a user is drawn first, then a document relevant to this user.

    GAP draws the document from the relevant documents of all users together, so that a few highly relevant
    documents have little weight even if most users want only these. Here they keep the weight that ``g`` gives
    them. A cutoff does not change the normaliser, as for ``AP``.
    """

    g: ThresholdProbabilities
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "xGAP paper eq. 5"
    example: ClassVar = Example(
        0.7778,
        "each document of grade 1 is drawn with probability .5/3, that of grade 2 with .5/3 + .5, "
        "so 2/3 + (1/3) (1/6 + 1/6)",
        "g=(0.5, 0.5)",
    )

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        g = threshold_probabilities(self, len(relevant))
        G, A = np.cumsum(g), _pivot_probabilities(g, relevant)
        # xGAP paper eq. 5: a document of grade i is drawn with probability A_i; the expected precision at its
        # rank n is (1/n) sum_m G_min(i, m) / G_i
        weight = np.divide(A, G, out=np.zeros_like(A), where=G > 0)
        return pairwise_form(reciprocal_ranks(self.cutoff, depth), weight[:, None] * np.minimum.outer(G, G))


@register_measure
@dataclass(frozen=True, kw_only=True)
class eGAP(Measure):
    """Expected graded average precision: the mean of AP over users.

    AP is 0 for a threshold above all grades in the topic: g is not renormalised over the grades that occur. A
    cutoff does not change the normaliser, as for ``AP``.
    """

    g: ThresholdProbabilities
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "xGAP paper eq. 6"
    example: ClassVar = Example(0.7778, "the mean of AP, 5/9, and AP of grade 2 alone, 1", "g=(0.5, 0.5)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        g = threshold_probabilities(self, len(relevant))
        return _mean_ap(g, relevant, reciprocal_ranks(self.cutoff, depth))


@register_measure
@dataclass(frozen=True, kw_only=True)
class muAP(Measure):
    """Mean of AP over the rating levels, weighted by their distances.

    ``levels, grades = np.unique(ratings, return_inverse=True)`` converts real-valued ratings, some of them 0, to
    grades; the measure is then ``muAP(levels=tuple(levels[1:]))``. A cutoff does not change the normaliser, as for
    ``AP``.

    Notes
    -----
    Only levels with documents in the topic count. The weight of a level is its distance from the next lower level
    that counts, or from 0.
    """

    levels: Annotated[
        tuple[float, ...] | None,
        Parameter(
            "tuple of float",
            "Increasing rating levels, one for each positive grade.",
            _check_levels,
            without="the grades 1, 2, ...",
            by_grade=True,
        ),
    ] = None
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "muAP paper eq. 4"
    example: ClassVar = Example(
        0.8519,
        "the levels 0, 1 and 3 are 1 and 2 apart, so AP at threshold 1, which is 5/9, has weight 1/3, "
        "and AP at threshold 2, which is 1, has weight 2/3",
        "levels=(1, 3)",
    )

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        levels = ranks(len(relevant)) if self.levels is None else np.array(self.levels)
        if len(levels) != len(relevant):
            raise MeasureError(
                f"{self} has {len(levels)} levels, but the topic has {len(relevant)} positive grades"
            )
        has_documents = relevant > 0
        distances = np.zeros(len(levels))
        distances[has_documents] = np.diff(levels[has_documents], prepend=0.0)
        g = distances * reciprocal(float(distances.sum()))
        return _mean_ap(g, relevant, reciprocal_ranks(self.cutoff, depth))


def g_grid(*, levels: int = 2, steps: int = 9) -> list[tuple[float, ...]]:
    """Threshold probabilities on an even grid over the simplex.

    Parameters
    ----------
    levels : int
        Number of positive grades, c.
    steps : int
        Number of points along an edge: g_k is a multiple of 1 / (steps - 1).

    Returns
    -------
    list of (levels,) tuples
        Ordered by increasing g_1; for two grades, from (0, 1) to (1, 0).

    Raises
    ------
    ProblemError
        If ``levels`` or ``steps`` is too small, or the grid has too many points.

    Examples
    --------
    >>> import maxent as me
    >>> me.g_grid(levels=2, steps=5)
    [(0.0, 1.0), (0.25, 0.75), (0.5, 0.5), (0.75, 0.25), (1.0, 0.0)]
    >>> [str(me.GAP(g=g)) for g in me.g_grid(levels=2, steps=3)]
    ['GAP(g=0,1)', 'GAP(g=0.5,0.5)', 'GAP(g=1,0)']
    """
    if levels < 1 or steps < 2:
        raise ProblemError(f"a grid needs levels >= 1 and steps >= 2, got {levels} and {steps}")
    size = comb(steps + levels - 2, levels - 1)
    if reason := too_large(f"the number of candidates with {steps} steps over {levels} grades", size, CANDIDATES):
        raise ProblemError(f"{reason}. Or take fewer steps, or name measures")
    # steps - 1 stars in a row, parted by levels - 1 bars: g_k is the share of the stars between bars k - 1 and k
    places = steps + levels - 2
    grid = []
    for bars in combinations(range(places), levels - 1):
        ends = pairwise((-1, *bars, places))
        grid.append(tuple((right - left - 1) / (steps - 1) for left, right in ends))
    return grid


def threshold_probabilities(measure: GAP | xGAP | eGAP, levels: int) -> FloatArray:
    """Threshold probabilities g_1..g_c of a measure, (levels,); MeasureError if their number is not ``levels``."""
    if isinstance(measure.g, str):  # even
        return np.full(levels, 1 / levels)
    if len(measure.g) != levels:
        raise MeasureError(
            f"{measure} has {len(measure.g)} threshold probabilities, but the topic has {levels} grades"
        )
    return np.array(measure.g)


def _pivot_probabilities(g: FloatArray, relevant: FloatArray) -> FloatArray:
    """A_i = sum_{k<=i} g_k / R_>=k over the thresholds k with R_>=k > 0 (xGAP paper 4)."""
    relevant_from = np.cumsum(relevant[::-1])[::-1]  # R_>=k
    return np.cumsum(np.divide(g, relevant_from, out=np.zeros(len(g)), where=relevant_from > 0))


def _mean_ap(g: FloatArray, relevant: FloatArray, weights: FloatArray) -> Form:
    """Form of sum_k g_k AP(k), xGAP paper eq. 6: grades i and m are both relevant if the threshold <= min(i, m)."""
    A = _pivot_probabilities(g, relevant)
    return pairwise_form(weights, np.minimum.outer(A, A))
