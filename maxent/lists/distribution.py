"""Most random distributions over whole lists with a problem's values: probabilities, samples, expectations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from maxent.kernels.observed import Observed, Seen
from maxent.lists.dual import LOST, Dual, evaluate_dual
from maxent.lists.expected_precision import expected_curve_errors
from maxent.lists.extremes import face
from maxent.lists.recursion import EVERY, Recursion
from maxent.lists.steps import Lists
from maxent.measures.cascade import Expectation
from maxent.measures.form import grade_counts
from maxent.problem import Problem
from maxent.problem.certificate import FEASIBLE, Certificate, Multipliers, Status, count_violation
from maxent.problem.independent_ranks import seen_of
from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Paths:
    """Distribution over lists, as paths through states with steps weighted by the multipliers of a dual."""

    lists: Lists
    dual: Dual
    allowed: IntArray  # steps that values at ends leave, (N, S), or none where all are left

    @property
    def _recursion(self) -> Recursion:
        return Recursion(self.lists, self.dual.multipliers, self.dual.logs, self.allowed)

    @property
    def log_z(self) -> float:
        """Logarithm of Z over the lists that values at ends of their intervals allow."""
        return self.dual.log_z + self.lists.log_constant + float(self.dual.multipliers @ self.lists.constants)

    @property
    def entropy(self) -> float:
        """Entropy over lists, in nats: log Z - sum_k lambda_k E[M_k] - E[log odds of the reference]."""
        odds = float(np.sum(self.dual.p[:, : self.lists.group_odds.shape[1]] * self.lists.group_odds))
        return self.log_z - float(self.dual.multipliers @ self.dual.expected) - odds

    @cached_property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n, (depth, levels + 1)."""
        lists = self.lists
        p = np.zeros((lists.depth, len(lists.counts) + 1))
        for column, group in enumerate(lists.groups, start=-1):  # group 0 is the last column
            documents = np.array(
                [1.0] if lists.at_most else [lists.documents_of_grade(grade) for grade in group], dtype=np.float64
            )
            shares = documents / max(documents.sum(), 1.0)  # of the grades in their group
            p[:, group] = self.dual.p[:, column, None] * shares
        return p

    def ranks(self, threshold: int) -> FloatArray:
        """Probability that the k-th document of grade ``threshold`` or higher is at rank n, (documents, depth)."""
        return self._ranks[threshold - 1]

    @cached_property
    def _ranks(self) -> tuple[FloatArray, ...]:
        """:meth:`ranks` for every threshold at once: probabilities of states are too large to keep in memory."""
        states = self._recursion.backward(whole=True).rows
        self._recursion.forward(states)  # overwrites them with the probabilities of the states
        states = states[:, : self.lists.states.shape[1]]
        return tuple(self._ranks_of(states, grade + 1) for grade in range(len(self.lists.counts)))

    def _ranks_of(self, states: FloatArray, threshold: int) -> FloatArray:
        """:meth:`ranks` of a threshold, from the probability (N + 1, S) of each state after each rank.

        A group of several grades is dealt at random: of its first k documents, x are relevant with the probability
        deal(k, x). 1. ``probabilities`` (N + 1, documents dealt, relevant ones, k_1..k_c) loses the axis of one
        group after the other; the documents dealt are counted only if group 0, too, has relevant ones. 2. Group 0
        has the ranks that the others leave. 3. The k-th relevant document is at the rank at which their number
        reaches k:

            P(n_k = n) = P(k or more down to n) - P(k or more down to n - 1)
        """
        lists = self.lists
        deal_of_group_0, *deals = (_deal_probabilities(lists, group, threshold) for group in lists.groups)
        count_dealt = deal_of_group_0.shape[1] > 1
        # 1.
        probabilities = states.reshape(lists.depth + 1, 1, 1, *lists.sizes)
        for deal in deals or [np.ones((1, 1))]:
            relevant = probabilities.shape[2]
            if not count_dealt and relevant == 1 and deal.shape[0] == deal.shape[1]:
                # nothing is relevant so far and all of this group are: its axis becomes that of relevant documents
                probabilities = probabilities[:, 0]
            else:
                probabilities = _deal_group(probabilities, deal, count_dealt=count_dealt)
        # 2.
        number_relevant = (
            _deal_group_0(probabilities, deal_of_group_0) if count_dealt else probabilities[:, 0]
        )  # (N + 1, relevant + 1): probability of each number of relevant documents down to a rank
        # 3.
        reached = np.cumsum(number_relevant[:, :0:-1], axis=1)[:, ::-1]  # (N + 1, relevant): k or more, k = 1, ...
        return np.maximum(np.diff(reached, axis=0), 0.0).T

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random lists, (number, depth) grades."""
        lists, random = self.lists, np.random.default_rng(rng)
        groups = self._recursion.draw(self._recursion.backward().rows, random.random((number, lists.depth)))
        random_lists: IntArray = np.empty_like(groups)
        for column, group in enumerate(lists.groups, start=-1):
            in_group = groups == column % (len(lists.sizes) + 1)  # group 0 is the last, c
            if len(group) == 1:
                random_lists[in_group] = group[0]
            else:  # the grades of its documents, in random order for each list
                grades = np.repeat(group, [lists.documents_of_grade(grade) for grade in group])
                random_lists[in_group] = random.permuted(np.tile(grades, (number, 1)), axis=1).ravel()
        return random_lists


@dataclass(frozen=True, eq=False)
class ListDistribution(Paths):
    """Distribution P(list) = q(list) exp(sum_k lambda_k M_k(list)) / Z of a problem."""

    problem: Problem
    independent: ClassVar[bool] = False
    multipliers: tuple[float, ...]  # lambda_k; infinite for a value at an end
    intervals: tuple[tuple[float, float], ...]  # of each measure, over the lists

    def certificate(self, status: Status, multipliers: Multipliers) -> Certificate:
        """Certificate with residuals of constraints; the form of p is exact, and the dual's minimum is unique."""
        count = count_violation(self.p[:, 1:].sum(axis=0), self.problem.counts, self.lists.at_most).item()
        rows = float(np.abs(self.p.sum(axis=1) - 1).max())
        worst = np.max([self.dual.residual, count, rows])  # NaN if one of them is
        return Certificate(
            value_violation=self.dual.residual,
            count_violation=count,
            row_violation=rows,
            stationarity=self.dual.lost,
            curvature=True,
            accepted=bool(worst <= FEASIBLE and self.dual.lost <= LOST),
        )

    def log_likelihood(self, grades: "npt.ArrayLike") -> float:
        """Logarithm of the probability of an observed list (depth,); -inf if counts or ends rule it out.

        1. The counts. 2. Values at ends of their intervals. 3. log q(list) + sum_k lambda_k M_k(list) - log Z; log
        q(list) is the sum of the log odds of the groups at the ranks.
        """
        # 1.
        lists, array = self.lists, np.asarray(grades)
        number = grade_counts(array, len(lists.counts))
        if (number > lists.counts).any() or (not lists.at_most and (number != lists.counts).any()):
            return -np.inf
        # 2.
        values = np.array([float(form.evaluate(array)) for form in lists.forms])
        for multiplier, value, wanted, (low, high) in zip(
            self.multipliers, values, self.problem.values, self.intervals, strict=True
        ):
            if np.isinf(multiplier) and abs(value - wanted) > FEASIBLE * (high - low):
                return -np.inf
        # 3. group 0, with log odds 0, is the last column
        column_of_grade = np.full(len(lists.counts) + 1, -1)
        for column, group in enumerate(lists.groups, start=-1):
            column_of_grade[list(group)] = column
        odds = np.pad(lists.group_odds, ((0, 0), (0, 1)))[np.arange(lists.depth), column_of_grade[array]]
        return float(odds.sum() + self.dual.multipliers @ values - self.log_z)

    def expected(self, forms: Sequence[Expectation]) -> FloatArray:
        """Expected values of other measures, (measures,)."""
        problem_lists = self.lists
        lists = replace(problem_lists, forms=(*problem_lists.forms, *forms))
        multipliers, allowed = np.concatenate((self.dual.multipliers, np.zeros(len(forms)))), EVERY
        for j, multiplier in enumerate(self.multipliers):
            if np.isinf(multiplier):
                extreme_steps = face(lists, j, above=multiplier > 0)
                allowed = np.asarray(extreme_steps if not len(allowed) else allowed & extreme_steps)
        return evaluate_dual(lists, multipliers, allowed, self.dual.logs).expected[len(problem_lists.forms) :]

    def seen(self, observed: Observed) -> Seen:
        """Comparison with a single observed list; of the alignments, only ``expected`` needs more than p."""
        (grades,) = observed.rows()
        seen = seen_of(self.p[None], observed)
        if "expected" in observed.aligns:
            for errors, threshold in zip(seen.errors[0], observed.thresholds, strict=True):
                ranks = np.flatnonzero(grades >= threshold) + 1
                errors[observed.aligns.index("expected")] = expected_curve_errors(self.ranks(threshold), ranks)
        return seen._replace(
            entropy=np.array([self.entropy]), log_likelihood=np.array([self.log_likelihood(grades)])
        )


def _deal_probabilities(lists: Lists, group: tuple[int, ...], threshold: int) -> FloatArray:
    """Probability of x relevant documents among the first k of a group, (documents + 1, relevant + 1)."""
    # where counts are upper bounds, grade 0 has no number, and is alone in its group
    numbers = {grade: 0 if lists.at_most and not grade else lists.documents_of_grade(grade) for grade in group}
    relevant = sum(number for grade, number in numbers.items() if grade >= threshold)
    return hypergeometric(sum(numbers.values()), relevant, lists.depth)


def _deal_group(probabilities: FloatArray, deal: FloatArray, *, count_dealt: bool) -> FloatArray:
    """Deal the documents of a group, the first axis k_j that is left, among relevant ones and others.

    ``probabilities`` are (N + 1, documents dealt, relevant ones, k_j, k_j+1..k_c), and ``deal`` is (k_j, x):

        P(dealt + k, relevant + x, ...) <- P(dealt + k, relevant + x, ...) + deal(k, x) P(dealt, relevant, k, ...)

    Unless ``count_dealt``, the second axis keeps the length 1.
    """
    dealt, relevant = probabilities.shape[1:3]
    longest = dealt + (len(deal) - 1 if count_dealt else 0), relevant + deal.shape[1] - 1
    after = np.zeros((len(probabilities), *longest, *probabilities.shape[4:]))
    for k, x in zip(*np.nonzero(deal), strict=True):
        first = k if count_dealt else 0
        after[:, first : first + dealt, x : x + relevant] += deal[k, x] * probabilities[:, :, :, k]
    return after


def _deal_group_0(probabilities: FloatArray, deal: FloatArray) -> FloatArray:
    """Probability of each number of relevant documents down to each rank, (N + 1, relevant + 1).

    ``probabilities`` (N + 1, documents dealt, relevant ones) are of the other groups. Where ``dealt`` of the first
    n documents are theirs, the other k = n - dealt are the first of group 0, whose ``deal`` is (k, x).
    """
    number_relevant = np.zeros((len(probabilities), probabilities.shape[2] + deal.shape[1] - 1))
    for dealt, x in zip(*np.nonzero(probabilities.any(axis=0)), strict=True):
        ranks = slice(dealt, dealt + len(deal))
        at_ranks = probabilities[ranks, dealt, x, None]
        number_relevant[ranks, x : x + deal.shape[1]] += at_ranks * deal[: len(at_ranks)]
    return number_relevant


@lru_cache(maxsize=64)
def hypergeometric(number: int, marked: int, most: int) -> FloatArray:
    """Probability of x marked documents among the first k of ``number``, for k and x up to ``most``.

    The next document is marked with the share of marked documents among those that are left. No digits cancel, as
    they would in differences of logarithms of factorials.
    """
    probabilities = np.zeros((min(number, most) + 1, min(marked, most) + 1))
    probabilities[0, 0] = 1.0
    marked_left = marked - np.arange(probabilities.shape[1])
    for k in range(len(probabilities) - 1):
        left = number - k
        probabilities[k + 1] = probabilities[k] * (np.maximum(left - marked_left, 0) / left)
        probabilities[k + 1, 1:] += (probabilities[k] * (marked_left / left))[:-1]
    return probabilities
