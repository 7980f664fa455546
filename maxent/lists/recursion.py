"""The recursion over the ranks: all lists at once, as paths through the numbers of documents retrieved so far.

A state is (k_1..k_c), the documents of each group of grades among the first n; group 0, with grade 0, is the rest.
A list is a path from (0..0) to the counts, and a step from state s at rank n - 1 to a document of group i has the
weight

    odds_n(i) exp(sum_v lambda_v (a_vn(i) + d_vn X_vi(s))),

where X_vi(s) = sum_j K_v(i, j) k_j for a pairwise form, so that the exponential is a product of tables, and for a
cascade the probability that the user is still reading. Group 0 has the weight 1. ``backward`` sums the weights of
all continuations of lists after each state, with the mean and covariance of the measures' gains there; ``forward``
then computes the probability of every state. Numbers are scaled rank by rank. If their range exceeds that of
doubles, both compute with logarithms instead, which takes two to nine times as long. The loops are in
``kernels.loops``; ``list_logs`` says why they are two.
"""

from typing import NamedTuple

import numpy as np

from maxent.kernels.calls import call
from maxent.kernels.compiler.layout import LANES
from maxent.kernels.loops.records import Weighing
from maxent.lists.steps import Lists
from maxent.types import FloatArray, IntArray

EVERY = np.zeros((0, 0), dtype=np.int64)  # no step is ruled out
SPACING = 32  # ranks between sums that are stored: computing those between again is quicker than reading all


class Moments(NamedTuple):
    """log Z at given multipliers, and its first two derivatives: expected values and covariances."""

    log_z: float
    expected: FloatArray  # (m,) values
    cov: FloatArray  # (m, m) of the values


class Sums(NamedTuple):
    """Sums of the weights of all continuations of lists after each state."""

    log_z: float
    rows: FloatArray  # (rows, S), after some ranks and the last; as logarithms with ``logs``


class Flow(NamedTuple):
    """Distribution over the groups at each rank."""

    p: FloatArray  # (N, c + 1): probability of each group at each rank, group 0 last
    expected: FloatArray  # (m,) values
    lost: float  # bound on the probability that was lost


class Recursion(NamedTuple):
    """Recursion for given lists, with steps weighted by multipliers."""

    lists: Lists
    multipliers: FloatArray  # (m,)
    logs: bool = False  # whether logarithms take the place of numbers
    allowed: IntArray = EVERY  # steps that are left, (N, S), which only logarithms look at

    def moments(self) -> Moments:
        """Logarithm of Z, and means (m,) and covariances (m, m) of the measures' gains; no sums are stored."""
        return self._sums(np.zeros((0, 0)), 0, len(self.lists.forms))

    def backward(self, *, whole: bool = False) -> Sums:
        """Sums after the states.

        Rows are ``SPACING`` ranks apart to save memory; with ``logs`` or ``whole``, every rank has a row.
        """
        every = 1 if whole or self.logs else SPACING
        rows = self._rows(1 + -(-self.lists.depth // every))
        return Sums(self._sums(rows, every, 0).log_z, rows)

    def forward(self, sums: FloatArray) -> Flow:
        """Distribution over the groups at each rank.

        ``sums`` are the rows that ``backward`` returned. If there is a row for every rank, they are overwritten
        with the probability (N + 1, S) of every state.

        The first and last states after each rank are pruned, and their probability lost, if it is below
        ``kernels.lists.LEAST``. A state that underflows has less than 2 S tiny / sum_s F_n(s) B_n(s) of the
        probability, with the weights of both directions scaled so that the largest is 1.
        """
        lists = self.lists
        p = np.zeros((lists.depth, len(lists.sizes) + 1))
        expected_and_lost = np.zeros(len(lists.forms) + 1)
        if self.logs:
            self._call("log_flow", rank_sums=sums, work=self._work(2), p=p, expected=expected_and_lost)
        else:
            every = 1 if len(sums) == lists.depth + 1 else SPACING
            self._call(
                "flow",
                every=every,
                rank_sums=sums,
                block=self._rows(SPACING + 1 if every > 1 else 0),
                work=self._work(2),
                p=p,
                expected=expected_and_lost,
            )
        return Flow(p, expected_and_lost[:-1], expected_and_lost[-1].item())

    def draw(self, sums: FloatArray, uniform: FloatArray) -> IntArray:
        """Groups (lists, N) of documents of random lists, from the rows of ``backward`` and uniform numbers.

        ``sums`` has the shape (rows, S), and ``uniform`` (lists, N).
        """
        groups, number = np.empty(uniform.shape, dtype=np.int64), len(uniform)
        if self.logs:
            self._call("draw", rank_sums=sums, number=number, uniform=uniform, e=self._work(0), groups=groups)
        else:
            self._call(
                "draws",
                every=SPACING,
                rank_sums=sums,
                block=self._rows(SPACING + 1),
                work=self._work(0),
                number=number,
                uniform=uniform,
                places=np.zeros(number, dtype=np.int64),
                groups=groups,
            )
        return groups

    def best(self) -> FloatArray:
        """Values (m,) of the measures for the list that maximises the sum of multipliers times values."""
        values = np.zeros(len(self.lists.forms))
        self._call("best", work=self._work(1 + len(values) + len(self.lists.sizes)), out=values)
        return values

    def _sums(self, rows: FloatArray, every: int, m: int) -> Moments:
        """Log Z, means and covariances of the first m measures.

        The sums after each ``every``-th rank are written to ``rows``, unless ``every`` is 0.
        """
        log_z_and_moments = np.zeros(1 + m * (m + 1))
        self._call(
            "log_sums" if self.logs else "sums",
            m=m,
            every=every,
            rank_sums=rows,
            work=self._work(1 + m + m * m),
            out=log_z_and_moments,
        )
        log_z, means, cov = np.split(log_z_and_moments, (1, 1 + m))
        return Moments(log_z.item(), means, cov.reshape(m, m))

    def _call(self, name: str, **arguments: int | np.ndarray) -> None:
        """Call machine code with the steps, integers and arrays."""
        steps, multipliers = self.lists.steps, np.ascontiguousarray(self.multipliers, dtype=np.float64)
        weighing = Weighing(
            some=len(self.allowed) > 0,
            allowed=self.allowed,
            multipliers=multipliers,
            powers=np.zeros((steps.groups, steps.longest)),
            w=np.zeros((steps.groups, steps.states + LANES)),
        )
        module = "list_logs" if self.logs or name == "best" else "lists"
        call(name, module=module, t=steps, weighing=weighing, **arguments)

    def _rows(self, number: int) -> FloatArray:
        """Zeros (number, states), followed by spare memory, because kernels read whole blocks past the end."""
        states = self.lists.steps.states
        return np.zeros((number + 1) * states + LANES)[: number * states].reshape(number, states)

    def _work(self, sums: int) -> FloatArray:
        """Working memory of a kernel, flat: a few numbers, a row of states, and two rows for each of ``sums``."""
        steps = self.lists.steps
        few = steps.groups + 1 + steps.measures * LANES
        row = steps.states + LANES
        return np.zeros(few + (1 + 2 * sums) * row)
