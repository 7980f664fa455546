"""Measures built on precision: AP, GAP, P@k, R-precision and rank-biased precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.form import FloatArray, Form, linear_form, pairwise_form
from maxent.measures.measure import Counts, Measure, check_level, ranks


def _at_least(rel: int, levels: int) -> FloatArray:
    """1 for the grades 1..levels that count as relevant, else 0."""
    check_level(rel, levels)
    return (np.arange(1, levels + 1) >= rel).astype(np.float64)


def _per(total: float) -> float:
    """1 / total, and 0 where nothing is relevant: such a topic scores 0."""
    return 1.0 / total if total > 0 else 0.0


def _check_rel(rel: int) -> None:
    if rel < 1:
        raise MeasureError(f"rel must be a positive grade, got {rel}")


@dataclass(frozen=True, kw_only=True)
class AP(Measure):
    """Average precision, grades >= ``rel`` relevant."""

    rel: int = 1
    reference: ClassVar[str] = "GAP paper 3.1.1; Kishida eq. 5; xGAP paper eq. 2"

    def __post_init__(self) -> None:
        _check_rel(self.rel)

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = _at_least(self.rel, len(relevant))
        return pairwise_form(1 / ranks(depth), np.outer(hit, hit) * _per(float(hit @ relevant)))


@dataclass(frozen=True, kw_only=True)
class GAP(Measure):
    """Graded average precision; ``g[k - 1]`` is the probability that a user's threshold is at grade k.

    (Elsewhere GAP also abbreviates micro-averaged AP; here it is always graded AP.)
    """

    g: tuple[float, ...]
    reference: ClassVar[str] = "GAP paper 2.2"

    def __post_init__(self) -> None:
        g = (self.g,) if isinstance(self.g, int | float) else tuple(float(x) for x in self.g)
        if not g or not all(0 <= x <= 1 for x in g) or abs(sum(g) - 1) > 1e-6:
            raise MeasureError(f"g must be probabilities that sum to 1, one for each positive grade, got {g}")
        object.__setattr__(self, "g", g)

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        if len(self.g) != len(relevant):
            raise MeasureError(
                f"{self} has {len(self.g)} threshold probabilities, but the topic has {len(relevant)} grades"
            )
        G = np.cumsum(self.g)
        # GAP paper 2.2: delta_{m,n} = G_min(i_m, i_n), normalised by sum_i R_i G_i
        return pairwise_form(1 / ranks(depth), np.minimum.outer(G, G) * _per(float(relevant @ G)))

    def partial_forms(self, relevant: Counts, depth: int) -> tuple[Form, ...]:
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
        at_least = [_at_least(k, len(self.g)) for k in range(1, len(self.g) + 1)]
        # quotient rule: G_min(i,m) changes by 1[min(i,m) >= k], the normaliser sum_i R_i G_i by R_>=k
        return tuple(
            pairwise_form(form.d, (np.outer(hit, hit) - K * float(hit @ counts)) * _per(float(counts @ G)))
            for hit in at_least
        )


@dataclass(frozen=True, kw_only=True)
class P(Measure):
    """Precision at ``cutoff``, grades >= ``rel`` relevant."""

    cutoff: int
    rel: int = 1
    reference: ClassVar[str] = "Kishida eq. 2"

    def __post_init__(self) -> None:
        _check_rel(self.rel)
        check_cutoff(self.cutoff)

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = _at_least(self.rel, len(relevant))
        return linear_form((ranks(depth) <= self.cutoff) / self.cutoff, hit)


@dataclass(frozen=True, kw_only=True)
class Rprec(Measure):
    """Precision at rank R, the number of documents of grades >= ``rel``."""

    rel: int = 1
    reference: ClassVar[str] = "Kishida eq. 6"

    def __post_init__(self) -> None:
        _check_rel(self.rel)

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = _at_least(self.rel, len(relevant))
        total = float(hit @ relevant)
        return linear_form((ranks(depth) <= total) * _per(total), hit)


@dataclass(frozen=True, kw_only=True)
class RBP(Measure):
    """Rank-biased precision with persistence ``p``, grades >= ``rel`` relevant."""

    p: float = 0.8
    rel: int = 1
    reference: ClassVar[str] = "xGAP paper 6.1"

    def __post_init__(self) -> None:
        _check_rel(self.rel)
        if not 0 < self.p < 1:
            raise MeasureError(f"persistence p must be strictly between 0 and 1, got {self.p}")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = _at_least(self.rel, len(relevant))
        return linear_form((1 - self.p) * np.float64(self.p) ** (ranks(depth) - 1), hit)


def check_cutoff(cutoff: int | None) -> None:
    """Raise MeasureError unless ``cutoff`` is None or a rank."""
    if cutoff is not None and (cutoff != int(cutoff) or cutoff < 1):
        raise MeasureError(f"cutoff must be a rank, 1 or more, got {cutoff}")
