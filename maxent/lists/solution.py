"""Maximum entropy over lists: the distribution of whole lists with a problem's values, and what it says."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from maxent.errors import ProblemError
from maxent.lists.dual import Dual, minimise
from maxent.lists.extremes import EVERY, face, interval
from maxent.lists.recursion import backward, draw
from maxent.lists.steps import Lists
from maxent.measures.checks import check_grades
from maxent.measures.gain import check_level
from maxent.problem import Problem
from maxent.problem.certificate import FEASIBLE, Status
from maxent.problem.interval import locate
from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ListSolution:
    """The distribution P(list) = q(list) exp(sum_k lambda_k M_k(list)) / Z of a problem."""

    problem: Problem
    status: Status
    multipliers: tuple[float, ...]  # lambda_k; infinite for a value at an end
    intervals: tuple[tuple[float, float], ...]  # of each measure, over the lists
    lists: Lists
    dual: Dual
    allowed: IntArray  # steps that values at ends leave, (N, S), or none where all are left
    message: str = ""

    @property
    def residual(self) -> float:
        """Largest deviation of an expected value, relative to the interval: the certificate."""
        return self.dual.residual

    @property
    def lost(self) -> float:
        """Bound on the probability of the states that the recursion left out."""
        return self.dual.lost

    @property
    def log_z(self) -> float:
        """Logarithm of Z, over the lists that the values at ends leave."""
        return self.dual.log_z + self.lists.log_constant + float(self.dual.multipliers @ self.lists.constants)

    @cached_property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n, (depth, levels + 1); NaN where the problem is infeasible."""
        lists = self.lists
        found = np.zeros((lists.depth, len(lists.counts) + 1))
        for column, group in enumerate(lists.groups, start=-1):  # group 0 is the last column
            own = np.array([1.0] if lists.at_most else [lists.number(grade) for grade in group], dtype=np.float64)
            found[:, group] = self.dual.p[:, column, None] * (own / max(own.sum(), 1.0))
        return found

    def log_likelihood(self, grades: npt.ArrayLike) -> float:
        """Logarithm of the probability of an observed list (depth,); -inf if counts or ends rule it out."""
        lists, array = self._solved, check_grades(grades, self.problem.levels)
        if array.shape != (lists.depth,):
            raise ProblemError(f"a list of the problem has shape ({lists.depth},), got {array.shape}")
        number = np.bincount(array, minlength=len(lists.counts) + 1)[1:]
        if (number > lists.counts).any() or (not lists.at_most and (number != lists.counts).any()):
            return -np.inf
        values = np.array([float(form.evaluate(array)) for form in lists.forms])
        for multiplier, value, wanted, (low, high) in zip(
            self.multipliers, values, self.problem.values, self.intervals, strict=True
        ):
            if np.isinf(multiplier) and abs(value - wanted) > FEASIBLE * (high - low):
                return -np.inf
        group_of = {grade: column for column, group in enumerate(lists.groups, start=-1) for grade in group}
        columns = np.array([group_of.get(grade, -1) for grade in range(len(lists.counts) + 1)])[array]
        odds = np.pad(lists.group_odds, ((0, 0), (0, 1)))[np.arange(lists.depth), columns]
        return float(odds.sum() + self.dual.multipliers @ values - self.log_z)

    def ranks(self, threshold: int = 1) -> FloatArray:
        """Probability that the k-th document of grade ``threshold`` or higher is at rank n, (documents, depth)."""
        lists = self._solved
        check_level(threshold, len(lists.counts))
        rest, *deals = (_dealt(lists, group, threshold) for group in lists.groups)
        # after n ranks: documents of the groups dealt so far, where group 0 needs that, and relevant ones
        carry = int(rest.shape[1] > 1)
        found = self.dual.posterior.reshape(lists.depth + 1, 1, 1, *lists.sizes)
        for deal in deals or [np.ones((1, 1))]:
            total, relevant = found.shape[1:3]
            if not carry and deal.shape[1] == 1:
                found = found.sum(axis=3)
                continue
            if not carry and relevant == 1 and deal.shape[0] == deal.shape[1]:  # all of the group are relevant
                found = found[:, 0]
                continue
            size = total + carry * (len(deal) - 1), relevant + deal.shape[1] - 1
            moved = np.zeros((len(found), *size, *found.shape[4:]))
            for k, x in zip(*np.nonzero(deal), strict=True):
                moved[:, carry * k : carry * k + total, x : x + relevant] += deal[k, x] * found[:, :, :, k]
            found = moved
        relevant = found[:, 0]
        if carry:
            relevant = np.zeros((len(found), found.shape[2] + rest.shape[1] - 1))
            for n, own in enumerate(found):
                for x in range(rest.shape[1]):
                    left = n - np.arange(len(own))
                    fits = (left >= 0) & (left < len(rest))
                    share = np.where(fits, rest[np.where(fits, left, 0), x], 0.0)
                    relevant[n, x : x + own.shape[1]] += share @ own
        reached = np.cumsum(relevant[:, :0:-1], axis=1)[:, ::-1]  # (N + 1, documents)
        return np.maximum(np.diff(reached, axis=0), 0.0).T

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random lists, (number, depth) grades."""
        lists, random = self._solved, np.random.default_rng(rng)
        behind = np.empty_like(self.dual.posterior)
        backward(lists.steps, self.dual.multipliers, self.dual.logs, False, self.allowed, False, behind)
        if not self.dual.logs:
            with np.errstate(divide="ignore"):
                np.log(behind, out=behind)
        uniform = random.random((number, lists.depth))
        groups = draw(lists.steps, self.dual.multipliers, self.allowed, behind, uniform)
        found: IntArray = np.empty_like(groups)
        for column, group in enumerate(lists.groups, start=-1):
            at = groups == column % (len(lists.sizes) + 1)
            if len(group) == 1:
                found[at] = group[0]
            else:
                grades = np.repeat(group, [lists.number(grade) for grade in group])
                found[at] = random.permuted(np.tile(grades, (number, 1)), axis=1).ravel()
        return found

    @property
    def _solved(self) -> Lists:
        if self.status in ("infeasible", "failed"):
            raise ProblemError(f"no distribution over lists: the problem is {self.status}. {self.message}")
        return self.lists


def solve_lists(problem: Problem, *, start: Sequence[float] | None = None) -> ListSolution:
    """The distribution over lists of largest entropy relative to the problem's reference.

    ``start``: multipliers where the search begins, those of independent ranks for example.
    """
    lists, m = Lists.of(problem), len(problem.expectations)
    if problem.overfull:
        return _infeasible(problem, lists, (), problem.overfull)
    intervals = tuple(interval(part, lists, j) for j, part in enumerate(problem.parts))
    where = [locate(value, *own) for value, own in zip(problem.values, intervals, strict=True)]
    for part, (low, high), location in zip(problem.parts, intervals, where, strict=True):
        if location in ("below", "above"):
            reason = (
                f"{part.measure} = {part.value:.10g} is {location} the lists' interval [{low:.10g}, {high:.10g}]"
            )
            return _infeasible(problem, lists, intervals, reason)
    allowed: IntArray = EVERY
    multipliers = np.zeros(m)
    for j, location in enumerate(where):
        if location in ("low", "high"):
            own = face(lists, j, above=location == "high")
            allowed = own if not len(allowed) else allowed & own
            multipliers[j] = np.inf if location == "high" else -np.inf
    free = np.array([j for j, location in enumerate(where) if location == "inside"], dtype=np.int64)
    first = np.zeros(m)
    if start is not None:
        first[free] = np.asarray(start, dtype=np.float64)[free]
    dual = minimise(lists, np.array(problem.values), np.array(intervals).reshape(m, 2).T, free, first, allowed)
    if dual.unbounded or not np.isfinite(dual.log_z):
        return _infeasible(problem, lists, intervals, "no list, and no mixture of lists, has these values together")
    multipliers[free] = dual.multipliers[free]
    status: Status = "boundary" if len(allowed) else "optimal"
    message = ""
    if not dual.residual <= FEASIBLE:
        status, message = "failed", f"the expected values are {dual.residual:.2g} of their intervals off"
    return ListSolution(problem, status, tuple(multipliers.tolist()), intervals, lists, dual, allowed, message)


def _infeasible(
    problem: Problem, lists: Lists, intervals: tuple[tuple[float, float], ...], message: str
) -> ListSolution:
    """A solution without a distribution."""
    m, c, S = len(problem.expectations), len(lists.sizes), lists.states.shape[1]
    nothing = np.full((lists.depth, c + 1), np.nan)
    dual = Dual(
        np.full(m, np.nan), np.nan, nothing, np.full((lists.depth + 1, S), np.nan), np.nan, 0.0, 0, False, True
    )
    return ListSolution(problem, "infeasible", (np.nan,) * m, intervals, lists, dual, EVERY, message)


def _dealt(lists: Lists, group: tuple[int, ...], threshold: int) -> FloatArray:
    """Probability of x relevant ones among the first k documents of a group, (documents + 1, relevant + 1)."""
    number = [0 if lists.at_most and not grade else lists.number(grade) for grade in group]
    relevant = sum(own for grade, own in zip(group, number, strict=True) if grade >= threshold)
    return _hypergeometric(sum(number), relevant)


@lru_cache(maxsize=64)
def _hypergeometric(number: int, marked: int) -> FloatArray:
    """Probability of x marked ones among the first k of a number of documents, (number + 1, marked + 1)."""
    ways = [
        [
            comb(k, x) * comb(number - k, marked - x) / comb(number, marked) if x <= k else 0.0
            for x in range(marked + 1)
        ]
        for k in range(number + 1)
    ]
    return np.array(ways)
