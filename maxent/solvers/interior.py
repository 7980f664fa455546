"""What every back end gets: a problem whose solution is known to lie strictly inside, in scaled numbers."""

from dataclasses import dataclass

import numpy as np

from maxent.certificate import Multipliers, present_grades
from maxent.measures.form import FloatArray, Form
from maxent.problem import Problem


@dataclass(frozen=True, eq=False)
class Interior:
    """A problem without absent grades and with the lowest present grade eliminated.

    Attributes
    ----------
    form : Form
        a (depth, c), d (depth,), K (c, c): the measure divided by its attainable range, in the probabilities of
        the grades ``present[1:]``.
    value : float
        Value wanted of that form.
    low, high : float
        Its attainable interval (high - low = 1).
    ends : pair of (depth, c + 1) arrays
        The present grades' distributions at the ends.
    counts : (c,) array
        Expected number of documents of each of these grades, or its upper bound.
    bounded : bool
        Whether the counts are upper bounds.
    present : list of int
    scale : float
        Attainable range of the measure.
    """

    form: Form
    value: float
    low: float
    high: float
    ends: tuple[FloatArray, FloatArray]
    counts: FloatArray
    bounded: bool
    present: list[int]
    scale: float

    @property
    def even(self) -> FloatArray:
        """Row of the even distribution that respects the counts, (c,): where every back end starts."""
        share = self.counts / len(self.form.d)
        return share if share.sum() < 1 else share * (1 - 1 / (1 + len(share))) / share.sum()

    @property
    def even_with_reference(self) -> FloatArray:
        """The same row with the eliminated grade in front, (c + 1,)."""
        return np.concatenate(([1 - self.even.sum()], self.even))


@dataclass(frozen=True, eq=False)
class Candidate:
    """What a back end returns: p (depth, c + 1) of the present grades, and what it has to say.

    ``multipliers`` (c + 1,) are lambda and mu of the interior problem, or None where the back end has none.
    """

    p: FloatArray
    multipliers: FloatArray | None
    iterations: int
    message: str = ""
    failed: bool = False


def interior(problem: Problem) -> Interior:
    """Reduce and scale a problem whose value is strictly inside its attainable interval."""
    low, high = problem.ends
    scale = high.value - low.value
    present = present_grades(problem)
    reduced = problem.form.eliminate(present)
    form = Form(a=np.ascontiguousarray(reduced.a / scale), d=reduced.d, K=reduced.K / scale)
    # the constant that elimination dropped, from the end that has less rounding
    constant = low.value / scale - form.expected(low.p[:, present[1:]])
    return Interior(
        form=form,
        value=problem.value / scale - constant,
        low=low.value / scale - constant,
        high=high.value / scale - constant,
        ends=(low.p[:, present], high.p[:, present]),
        counts=problem.counts[[i - 1 for i in present[1:]]],
        bounded=problem.count == "at_most",
        present=present,
        scale=scale,
    )


def expand(inner: Interior, candidate: Candidate, levels: int) -> tuple[FloatArray, Multipliers]:
    """P (depth, levels + 1) and multipliers of the original problem."""
    p = np.zeros((len(inner.form.d), levels + 1))
    p[:, inner.present] = candidate.p
    fitted = candidate.multipliers
    if fitted is None:
        fitted = fit_multipliers(inner, candidate.p)
    mu = np.full(levels + 1, -np.inf)
    mu[inner.present] = np.concatenate(([0.0], fitted[1:]))
    return p, Multipliers(float(fitted[0]) / inner.scale, tuple(float(m) for m in mu[1:]))


def fit_multipliers(inner: Interior, p: FloatArray) -> FloatArray:
    """Multipliers that explain the logits of p best, weighted by the probabilities (least squares)."""
    safe = np.maximum(p, 1e-300)
    theta = np.log(safe[:, 1:]) - np.log(safe[:, :1])
    w = inner.form.gradient(p[:, 1:])
    depth, c = w.shape
    reached = p[:, 1:].sum(axis=0) >= inner.counts * (1 - 1e-6)
    columns = np.zeros((depth, c, 1 + c))
    columns[:, :, 0] = w
    columns[:, np.arange(c), 1 + np.arange(c)] = reached if inner.bounded else 1.0
    weight = np.sqrt(safe[:, 1:] * safe[:, :1])
    fitted, *_ = np.linalg.lstsq((columns * weight[..., None]).reshape(-1, 1 + c), (theta * weight).ravel())
    return np.asarray(fitted)
