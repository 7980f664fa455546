"""What every back end gets: a problem whose solution is known to lie strictly inside, in scaled numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from maxent.certificate import Multipliers
from maxent.measures.form import FULL, FloatArray, Form
from maxent.problem import Problem
from maxent.solvers.alike import deal_out
from maxent.statement import Classes, Lot, Statement


@dataclass(frozen=True, eq=False)
class Interior:
    """A problem without absent grades and with the lowest present grade eliminated.

    The measure is divided by its attainable range; c is the number of present grades but one. If ``merged``, grades
    that the measure does not tell apart stand as one, the lowest of them.
    """

    problem: Problem
    merged: bool = False

    @cached_property
    def classes(self) -> Classes:
        """Grades that can occur at all, those that stand as one together."""
        problem = self.problem
        return problem.classes if self.merged else tuple((grade,) for grade in problem.present)

    @property
    def together(self) -> bool:
        """Whether any grades stand as one."""
        return len(self.classes) < len(self.problem.present)

    @cached_property
    def present(self) -> list[int]:
        """Lowest grade of each class; the first is the one eliminated."""
        return [grades[0] for grades in self.classes]

    @cached_property
    def scale(self) -> float:
        """Attainable range of the measure, as far as it is known."""
        low, high = self.problem.interval
        return high - low

    @cached_property
    def centred(self) -> tuple[Statement, FloatArray]:
        """The unscaled problem as arrays, and what was taken from its weights."""
        return Statement.of([Lot.of([self.problem])], self.classes).centred()

    @cached_property
    def form(self) -> Form:
        """A (depth, c), d (depth,), K (c, c): the scaled measure in the probabilities of ``present[1:]``."""
        statement, _ = self.centred
        return Form(a=statement.a[0] / self.scale, d=statement.d[0], K=statement.K[0] / self.scale)

    @property
    def constant(self) -> float:
        """What elimination and centring take from the measure's value."""
        return float(self.centred[0].constant[0])

    @property
    def value(self) -> float:
        """Value wanted of the form."""
        return (self.problem.value - self.constant) / self.scale

    @property
    def low(self) -> float:
        """Smallest value that the form can attain."""
        return (self.problem.interval[0] - self.constant) / self.scale

    @property
    def high(self) -> float:
        """Largest value that the form can attain, ``low + 1``."""
        return (self.problem.interval[1] - self.constant) / self.scale

    def end(self, above: bool) -> FloatArray:
        """Distribution (depth, c + 1) of the present grades at the upper or the lower end."""
        p = self.problem.ends[int(above)].p
        return np.column_stack([p[:, list(grades)].sum(axis=1) for grades in self.classes])

    @cached_property
    def counts(self) -> FloatArray:
        """Expected number of documents of each of the grades ``present[1:]``, or its upper bound, (c,)."""
        return np.asarray(self.centred[0].counts[0])

    @property
    def bounded(self) -> bool:
        """Whether the counts are upper bounds."""
        return self.problem.count == "at_most"

    @cached_property
    def even(self) -> FloatArray:
        """Row of the even distribution that respects the counts, (c,): where every back end starts."""
        return even_rows(self.counts, self.problem.depth)

    @cached_property
    def even_value(self) -> float:
        """Value of the form for the even distribution."""
        return self.form.expected(np.tile(self.even, (self.problem.depth, 1)))

    @cached_property
    def start(self) -> tuple[FloatArray, bool]:
        """Row (c,) of an even distribution to start from and whether it is below all bounds, see :func:`starts`."""
        even, free = starts(self.centred[0], np.array(self.problem.interval[:1]))
        return even[0], bool(free[0])

    @property
    def even_with_reference(self) -> FloatArray:
        """The same row with the eliminated grade in front, (c + 1,)."""
        return np.concatenate(([1 - self.even.sum()], self.even))


def even_rows(counts: FloatArray, depth: int) -> FloatArray:
    """Rows (..., c) of the even distributions with these counts; inside the simplex even if they fill the list."""
    share = counts / depth
    whole = share.sum(axis=-1, keepdims=True)
    return np.where(whole < 1 - FULL / 2, share, share * (1 - 1 / (1 + counts.shape[-1])) / whole)


def starts(statement: Statement, low: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Rows (k, c) of even distributions to start from, and whether they are below all bounds, (k,).

    Where the counts are bounds and the even distribution's value is too large, fewer documents have the right one:
    Newton's method then starts where the value is the only constraint.

    Parameters
    ----------
    statement : Statement
    low : (k,) array
        Smallest attainable values.
    """
    even, bounded = even_rows(statement.counts, statement.depth), statement.bounded
    if not bounded.any():
        return even, bounded
    which, value = statement.which, statement.value - statement.constant
    linear = (statement.a.sum(axis=1)[which] * even).sum(axis=1)
    pairs = (statement.d @ np.arange(statement.depth))[which]
    quadratic = pairs * np.einsum("ki,kij,kj->k", even, statement.K[which], even)
    room = statement.counts.sum(axis=1) < statement.depth * (1 - FULL)
    # else documents may lower the value, or must be few
    rising = (low >= statement.constant) & (value > 0) & (value < linear + quadratic)
    fewer = bounded & room & rising
    linear, quadratic, wanted = linear[fewer], quadratic[fewer], value[fewer]
    even[fewer] *= (2 * wanted / (linear + np.sqrt(linear * linear + 4 * quadratic * wanted)))[:, None]
    return even, bounded & (rising | ~room)


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


def expand(inner: Interior, candidate: Candidate) -> tuple[FloatArray, Multipliers]:
    """P (depth, levels + 1) and multipliers of the original problem."""
    problem = inner.problem
    merged = np.zeros((1, problem.depth, problem.levels + 1))
    merged[0, :, inner.present] = candidate.p.T
    fitted = candidate.multipliers
    if fitted is None:
        fitted = fit_multipliers(inner, candidate.p)
    own = np.concatenate((fitted[:1], fitted[1:] - fitted[0] / inner.scale * inner.centred[1][0]))
    p, found = deal_out(inner.classes, problem.counts[None], merged, own[None])
    mu = np.full(problem.levels + 1, -np.inf)
    mu[list(problem.present)] = np.concatenate(([0.0], found[0, 1:]))
    return p[0], Multipliers(float(found[0, 0]) / inner.scale, tuple(float(m) for m in mu[1:]))


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
