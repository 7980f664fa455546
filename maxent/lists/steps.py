"""The steps of a problem's lists: merged grades, the reference, and the gain of a document after others."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, prod

import numpy as np

from maxent.errors import ProblemError
from maxent.kernels.compiler.layout import LANES
from maxent.kernels.loops.records import Steps
from maxent.limits import STATES, Limit, too_large
from maxent.measures.cascade import Cascade, Expectation
from maxent.measures.form import merge_grades
from maxent.problem import Problem
from maxent.problem.reference import kinds_of_odds, log_odds
from maxent.types import FloatArray, IntArray

Groups = tuple[tuple[int, ...], ...]
DIGITS = 12  # decimals to which the logarithms of odds are compared


def blocks(number: int) -> int:
    """Round up to a multiple of ``LANES``."""
    return -(-number // LANES) * LANES


def documents_that_fit(counts: Iterable[float], depth: int, *, at_most: bool) -> tuple[int, ...]:
    """Counts of lists: an upper bound above the depth rules out no list, so that the depth takes its place."""
    return tuple(min(int(count), depth) if at_most else int(count) for count in counts)


@dataclass(frozen=True, eq=False)
class Lists:
    """All lists of a problem: those with exactly the counts or, for ``at_most``, with no more documents.

    Grades that neither a measure nor the reference distinguishes are one group. Where the counts are fixed, all
    ways to assign the grades of a group to its documents are equally likely.
    """

    depth: int
    counts: tuple[int, ...]  # (levels,), from :func:`documents_that_fit`
    at_most: bool
    forms: tuple[Expectation, ...]
    log_odds: FloatArray  # (depth, levels)

    @classmethod
    def of(cls, problem: Problem) -> "Lists":
        """Lists of a problem; ProblemError if counts are not whole."""
        if any(count % 1 for count in problem.counts):
            raise ProblemError(f"lists have whole numbers of documents, got {problem.counts}")
        at_most = problem.count == "at_most"
        counts = documents_that_fit(problem.counts, problem.depth, at_most=at_most)
        odds = log_odds(problem.reference, problem.depth, problem.levels)
        return cls(problem.depth, counts, at_most, problem.expectations, odds)

    def too_large(self, limit: Limit = STATES) -> str:
        """Reason why there are too many states, and what would fit; empty if there are not."""
        number = prod(self.sizes)
        reason = too_large("the number of ranks times that of states", self.depth * number, limit)
        fits = f"{limit.most // number} ranks would fit, or grades merged into fewer, or independent ranks"
        return f"{reason}. {fits}" if reason else ""

    @property
    def memory(self) -> int:
        """Bytes of the arrays over all states: the documents, twice, and the gains of measures."""
        return 8 * prod(self.sizes) * len(self.sizes) * (2 + len(self.forms))

    @property
    def present(self) -> tuple[int, ...]:
        """Grades that can occur: those with a positive count, and 0."""
        return (0, *(1 + np.flatnonzero(self.counts)).tolist())

    @cached_property
    def groups(self) -> Groups:
        """Groups of grades; grade 0 is in the first, the others shrink, so that windows of states are short."""
        present = self.present
        if self.at_most:
            return tuple((grade,) for grade in present)
        odds = kinds_of_odds((self.log_odds - self.log_odds[0]).round(DIGITS))
        with_grade_0, *positive = merge_grades(present, [*(form.kinds for form in self.forms), *odds])
        return with_grade_0, *sorted(positive, key=lambda group: (-self.documents(group), group))

    def documents(self, group: tuple[int, ...]) -> int:
        """Number of documents of a group of positive grades."""
        return sum(self.counts[grade - 1] for grade in group)

    @property
    def sizes(self) -> tuple[int, ...]:
        """For each group but the first: its number of documents plus 1, so that their product counts the states."""
        return tuple(self.documents(group) + 1 for group in self.groups[1:]) or (1,)

    @cached_property
    def states(self) -> IntArray:
        """Number of documents of each group but the first in every state, (c, S)."""
        return np.indices(self.sizes).reshape(len(self.sizes), -1)

    @cached_property
    def steps(self) -> Steps:
        """The lists' sizes, odds and gains as arrays for the kernels of the recursion.

        A document of group i at rank n, after the state s = (k_1..k_c), adds a_vn(i) + d_vn X_vi(s) to measure v:

            X_vi(s) = sum_j K_v(i, j) k_j                   for a pairwise form,
            X_vi(s) = stop_vi prod_j (1 - stop_vj)^k_j      for a cascade, where d_vn is the weight of the rank.

        Group 0 is eliminated: its documents add nothing.
        """
        c, m = len(self.sizes), len(self.forms)
        k = self.states  # (c, states)
        number_of_states = k.shape[1]
        S = blocks(number_of_states)  # arrays over the states are padded to whole blocks
        # 1. a document of group j moves on by as many states as the numbers of the later groups have combinations
        strides = np.array([prod(self.sizes[j + 1 :]) for j in range(c)])
        # 2. coefficients of the measures in the lowest grade of each group, which stands for all of its grades
        first, representatives = self.groups[0][0], [group[0] for group in self.groups[1:]]
        a, d = np.zeros((m, self.depth, c)), np.zeros((m, self.depth))
        K, X = np.zeros((m, c, c)), np.zeros((m, c, S))
        for v, form in enumerate(self.forms if representatives else ()):
            X_v = X[v, :, :number_of_states]
            if isinstance(form, Cascade):
                stops = form.stops[representatives]
                still_reading = np.prod((1 - stops)[:, None] ** k, axis=0)  # (states,)
                d[v], X_v[:] = form.weights, np.outer(stops, still_reading)
            else:
                reduced_form = form.eliminate((first, *representatives)).form
                a[v], d[v], K[v], X_v[:] = reduced_form.a, reduced_form.d, reduced_form.K, reduced_form.K @ k
        curved = np.array([isinstance(form, Cascade) for form in self.forms], dtype=np.int64)
        # 3. number of ranks of each measure down to the last at which something can be gained
        can_gain = (a != 0).any(axis=2) | (d != 0)  # (m, depth)
        counted = np.array([ranks.nonzero()[0].max(initial=-1) + 1 for ranks in can_gain], dtype=np.int64)
        return Steps(
            ranks=self.depth,
            groups=c,
            measures=m,
            states=S,
            last=number_of_states - 1,
            documents=int(k[:, -1].sum()),
            longest=blocks(max(self.sizes)),
            exact=int(not self.at_most),
            sizes=np.array(self.sizes),
            strides=strides,
            k=np.pad(k, ((0, 0), (0, S - number_of_states))),
            curved=curved,
            counted=counted,
            windows=self._windows(int(strides[0])),
            odds=np.ascontiguousarray(self.group_odds + self.tilt),
            a=a,
            d=d,
            K=K,
            X=X,
        )

    def _windows(self, stride: int) -> IntArray:
        """Window of reachable states after each rank, (N + 1, 2): the first and the last, in whole blocks.

        A reachable state has at most one document for each rank, and the ranks below can hold the missing
        documents. States are ordered by the documents of the largest group, ``stride`` for each number of them.
        """
        n = np.arange(self.depth + 1)
        size = self.sizes[0]
        first, behind_last = np.zeros_like(n), np.minimum(n + 1, size) * stride
        if not self.at_most:
            first = np.maximum(size - 1 - (self.depth - n), 0) * stride
        first_blocks, behind_blocks = first // LANES, -(-behind_last // LANES)  # rounded down, and up
        return np.stack((first_blocks * LANES, behind_blocks * LANES), axis=1)

    @cached_property
    def group_odds(self) -> FloatArray:
        """Logarithms of the reference's odds of each group but the first, (depth, c)."""
        representatives = [group[0] for group in self.groups[1:]]
        return self.log_odds[:, np.array(representatives) - 1] if representatives else np.zeros((self.depth, 1))

    @cached_property
    def tilt(self) -> FloatArray:
        """Constants (c,) added to the log odds of groups, so that sums stay in the range of doubles.

        With fixed counts a factor for each group changes no probability. The constants make the mean odds of each
        group, over the ranks, those of its documents against the documents of group 0:

            exp(tilt_i) mean_n odds_n(i) = documents_i / documents_0
        """
        if self.at_most or not self.groups[1:]:
            return np.zeros(len(self.sizes))
        documents = np.array([self.documents(group) for group in self.groups[1:]], dtype=np.float64)
        documents_of_group_0 = max(self.depth - documents.sum(), 0.5)  # half a document where there is none
        highest = self.group_odds.max(axis=0)  # without it the exponential may overflow
        log_mean_odds = np.log(np.exp(self.group_odds - highest).mean(axis=0))
        return np.asarray(np.log(documents / documents_of_group_0) - highest - log_mean_odds)

    @cached_property
    def constants(self) -> FloatArray:
        """Values of the list with group 0 at every rank, (m,), which are added to the gains of the recursion."""
        representatives = tuple(group[0] for group in self.groups)
        return np.array(
            [0.0 if isinstance(form, Cascade) else form.eliminate(representatives).constant for form in self.forms],
            dtype=np.float64,
        )

    @cached_property
    def log_constant(self) -> float:
        """Term added to the recursion's log Z, which undoes ``tilt`` and counts how groups split into grades.

        A group of N documents, N_i of them of grade i, splits in N! / prod_i N_i! ways.
        """
        if self.at_most:
            return 0.0
        constant = -float(np.sum(self.tilt * (np.array(self.sizes) - 1)))
        for group in self.groups:
            numbers = [self.documents_of_grade(grade) for grade in group]
            constant += lgamma(sum(numbers) + 1) - sum(lgamma(number + 1) for number in numbers)
        return constant

    def documents_of_grade(self, grade: int) -> int:
        """Number of documents of a grade 0..levels in a list with fixed counts."""
        return self.counts[grade - 1] if grade else self.depth - sum(self.counts)
