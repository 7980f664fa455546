"""The interface of a solution's distribution, and its implementation for independent ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from maxent.kernels.observed import Observed, Seen, curve_errors
from maxent.measures.cascade import Expectation
from maxent.problem.certificate import Certificate, Multipliers, Status, certify
from maxent.problem.problem import Problem
from maxent.types import FloatArray, IntArray


class Distribution(Protocol):
    """A distribution over the lists of a problem, of independent ranks or of whole lists."""

    independent: ClassVar[bool]  # whether ranks are independent, so that p determines the distribution

    @property
    def problem(self) -> Problem:
        """The problem that the distribution solves."""

    @property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n, (depth, levels + 1)."""

    @property
    def entropy(self) -> float:
        """Entropy in nats."""

    @property
    def intervals(self) -> Sequence[tuple[float, float]]:
        """Smallest and largest value of each measure."""

    def certificate(self, status: Status, multipliers: Multipliers) -> Certificate:
        """Certificate with residuals that show whether the distribution solves the problem."""

    def ranks(self, threshold: int) -> FloatArray:
        """Probability that the k-th document of grade ``threshold`` or higher is at rank n, (documents, depth)."""

    def log_likelihood(self, grades: npt.ArrayLike) -> float:
        """Logarithm of the probability of a list (depth,)."""

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random lists, (number, depth) grades."""

    def expected(self, forms: Sequence[Expectation]) -> FloatArray:
        """Expected values of measures, (measures,)."""

    def seen(self, observed: Observed) -> Seen:
        """Comparison of the distribution with a single observed list."""


@dataclass(frozen=True, eq=False)
class IndependentRanks:
    """Distribution of lists in which rank n has grade i with probability p_n(i), independently of other ranks."""

    problem: Problem
    p: FloatArray  # (depth, levels + 1); NaN where there is no distribution
    independent: ClassVar[bool] = True

    @property
    def entropy(self) -> float:
        """Entropy of p, in nats."""
        return float(entropies(self.p))

    @property
    def intervals(self) -> Sequence[tuple[float, float]]:
        """Smallest and largest value of each measure, or outer bounds if the extremes are unknown."""
        return [part.interval for part in self.problem.parts]

    def certificate(self, status: Status, multipliers: Multipliers) -> Certificate:
        """Residuals of p, see :func:`maxent.problem.certificate.certify`."""
        return certify(self.problem, self.p, status, multipliers)

    def ranks(self, threshold: int) -> FloatArray:
        """Probability that the k-th document of grade ``threshold`` or higher is at rank n, (documents, depth)."""
        documents = min(round(sum(self.problem.counts[threshold - 1 :])), self.problem.depth)
        return document_ranks(self.p[:, threshold:].sum(axis=1), documents)

    def log_likelihood(self, grades: npt.ArrayLike) -> float:
        """Logarithm of the probability of a list (depth,)."""
        return float(log_likelihoods(self.p, np.asarray(grades)))

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random lists, (number, depth) grades."""
        uniform = np.random.default_rng(rng).random((number, len(self.p), 1))
        return np.asarray((uniform > np.cumsum(self.p, axis=1)[:, :-1]).sum(axis=2))

    def expected(self, forms: Sequence[Expectation]) -> FloatArray:
        """Expected values of measures, (measures,)."""
        return np.array([form.expected(self.p) for form in forms])

    def seen(self, observed: Observed) -> Seen:
        """Comparison of p with a single observed list."""
        return seen_of(self.p[None], observed)


def entropies(p: FloatArray) -> FloatArray:
    """Entropies (...) in nats of distributions (..., depth, levels + 1); NaN for a missing distribution."""
    return np.asarray(0.0 - np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=(-2, -1)))


def log_likelihoods(p: FloatArray, grades: IntArray) -> FloatArray:
    """Log probabilities (...) of lists (..., depth) under distributions (..., depth, levels + 1)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.take_along_axis(p, grades[..., None], axis=-1)).sum(axis=(-2, -1)))


def seen_of(p: FloatArray, observed: Observed) -> Seen:
    """Comparison of distributions p (k, depth, levels + 1) of independent ranks with one observed list each."""
    likely = log_likelihoods(p, observed.rows())
    return Seen(entropies(p), likely, curve_errors(p, observed), p[:, observed.at - 1])


def document_ranks(relevant: FloatArray, documents: int) -> FloatArray:
    """Probability (documents, depth) that the k-th relevant document is at rank n.

    ``relevant`` (depth,) is the probability that a rank holds a relevant document.
    """
    above, probabilities = np.zeros(documents), np.empty((documents, len(relevant)))
    above[:1] = 1.0
    for n, probability in enumerate(relevant):  # the number above a rank is Poisson-binomial
        here = probabilities[:, n] = probability * above
        above -= here
        above[1:] += here[:-1]
    return probabilities
