"""The solution of a problem: the most random distribution, with a status and a certificate."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from maxent.errors import ProblemError
from maxent.measures.gain import check_level
from maxent.problem.certificate import Certificate, Multipliers, Status
from maxent.problem.checks import one_list, sample_size
from maxent.problem.distribution import Distribution
from maxent.problem.interval import locate
from maxent.problem.problem import Problem
from maxent.texts import html_facts, many
from maxent.types import FloatArray, IntArray

Model = Literal["ranks", "lists"]
MODELS: tuple[Model, ...] = get_args(Model)


@dataclass(frozen=True, eq=False)
class Solution:
    """Most random distribution of a problem.

    Attributes
    ----------
    distribution : Distribution
        What the other attributes and the methods ask: independent ranks, or whole lists.
    status : {"optimal", "boundary", "infeasible", "failed"}
        ``boundary``: the value is at an end of the attainable interval and p the limiting distribution;
        ``failed``: no distribution that the certificate confirms was found.
    multipliers : Multipliers
        Lagrange multipliers; those of the counts are NaN unless the solution is ``optimal``.
    solver : str
        Name of the back end, or ``none`` where no solver was needed.
    iterations : int
        Iterations of the back end.
    message : str
        What a user should know: the attainable interval, or why the back end failed.

    Examples
    --------
    The certificate of a solution, and that of a wrong claim: the same rows in reverse order have the counts, but
    another value.

    >>> from dataclasses import replace
    >>> import maxent as me
    >>> problem = me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,))
    >>> solution = me.solve(problem)
    >>> solution.p[:, 1].round(2).tolist()
    [0.66, 0.5, 0.41, 0.35, 0.31, 0.28, 0.26, 0.24]
    >>> found = solution.certificate
    >>> found.accepted, found.curvature, found.value_violation < 1e-9, found.stationarity < 1e-9
    (True, True, True, True)
    >>> wrong = replace(solution, distribution=replace(solution.distribution, p=solution.p[::-1])).certificate
    >>> wrong.accepted, round(wrong.count_violation, 9), round(wrong.value_violation, 2)
    (False, 0.0, 0.24)
    """

    distribution: Distribution
    status: Status
    multipliers: Multipliers
    solver: str
    iterations: int = 0
    message: str = ""

    def __repr__(self) -> str:
        found = f", entropy {self.entropy:.6g} nats" if np.isfinite(self.entropy) else ""
        return f"Solution({self._known()}: {self.status}{found})"

    def _known(self) -> str:
        """The values that are known, in words."""
        pairs = zip(self.problem.measure.parts, self.problem.values, strict=True)
        return " & ".join(f"{measure} = {value:.6g}" for measure, value in pairs) or "counts"

    def _repr_html_(self) -> str:
        counts = ", ".join(f"{n:g}" for n in self.problem.counts)
        rows = {
            "status": self.status,
            "entropy": f"{self.entropy:.6g} nats",
            "multipliers of the values": ", ".join(f"{own:.6g}" for own in self.multipliers.values) or "-",
            f"documents of each grade ({self.problem.count})": counts,
            "depth": self.problem.depth,
            "solver": f"{self.solver}, {many(self.iterations, 'iteration')}",
        }
        return html_facts(self._known(), rows | {"message": self.message or "-"})

    @property
    def problem(self) -> Problem:
        """The problem solved."""
        return self.distribution.problem

    @property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n, (depth, levels + 1); NaN where the problem is infeasible."""
        return self.distribution.p

    @cached_property
    def entropy(self) -> float:
        """Entropy in nats of p, or over lists where they have probabilities."""
        return self.distribution.entropy

    @property
    def constant(self) -> bool:
        """Whether the counts alone fix the values, so that every list with these counts has them."""
        if self.status in ("infeasible", "failed"):
            return False
        pairs = zip(self.problem.values, self.distribution.intervals, strict=True)
        places = [locate(value, *ends) for value, ends in pairs]
        return bool(places) and set(places) == {"constant"}

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate, recomputed from the problem, p and the multipliers; it does not depend on the back end.

        With ``model="lists"``, the ends of intervals are exact and the dual is convex, and its residual is the
        certificate.
        """
        return self.distribution.certificate(self.status, self.multipliers)

    def ranks(self, *, threshold: int = 1) -> FloatArray:
        """Distribution of the rank of each relevant document.

        Parameters
        ----------
        threshold : int
            Lowest grade that counts as relevant.

        Returns
        -------
        (documents, depth) array
            Probability that the k-th relevant document is at rank n. A row sums to less than 1 where a list may
            have fewer documents. There are no more rows than ranks.

        Raises
        ------
        MeasureError
            If the threshold is not in 1..levels.
        ProblemError
            If the problem has no solution.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem(me.AP(), value=0.6, relevant=(2,), retrieved=(2,), depth=4)
        >>> me.solve(problem, model="lists").ranks().round(2)
        array([[0.32, 0.41, 0.27, 0.  ],
               [0.  , 0.08, 0.3 , 0.63]])
        """
        check_level(threshold, self.problem.levels)
        return self._solved.ranks(threshold)[: self.problem.depth]

    def log_likelihood(self, grades: npt.ArrayLike) -> float:
        """Logarithm of the probability of a list, in nats.

        Parameters
        ----------
        grades : (depth,) integer array
            Grades in rank order.

        Returns
        -------
        float
            -inf for a list that the counts or an end of an interval rule out.

        Raises
        ------
        MeasureError
            If the grades are not integers within 0..levels.
        ProblemError
            If the problem has no solution, or its lists another length.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem(me.AP(), value=0.6, relevant=(2,), retrieved=(2,), depth=4)
        >>> round(me.solve(problem, model="lists").log_likelihood([1, 0, 0, 1]), 2)
        -2.03
        """
        array = one_list(grades, self.problem.levels)
        if len(array) != self.problem.depth:
            raise ProblemError(f"lists of the problem have {self.problem.depth} ranks, this one {len(array)}")
        return self._solved.log_likelihood(array)

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Random lists with this distribution.

        Parameters
        ----------
        number : int
            How many.
        rng : Generator or int, optional
            What draws them, or its seed.

        Returns
        -------
        (number, depth) integer array
            Grades in rank order.

        Raises
        ------
        ProblemError
            If the problem has no solution, or the number makes no sense.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem(me.AP(), value=0.6, relevant=(2,), retrieved=(2,), depth=4)
        >>> me.solve(problem, model="lists").sample(2, rng=0).tolist()
        [[0, 1, 1, 0], [0, 0, 1, 1]]
        """
        return self._solved.sample(sample_size(number, self.problem.depth), rng=rng)

    @property
    def _solved(self) -> Distribution:
        if self.status not in ("optimal", "boundary"):
            raise ProblemError(f"no distribution: the problem is {self.status}. {self.message}")
        return self.distribution


def at_ends(problem: Problem, multipliers: Multipliers) -> str:
    """Which values of a joint problem are at ends of their intervals, in words: those with infinite multipliers."""
    known = zip(problem.measure.parts, problem.values, multipliers.values, strict=True)
    ends = [
        f"{measure} = {value:.10g} is at an end of its interval" for measure, value, own in known if np.isinf(own)
    ]
    return "; ".join(ends)
