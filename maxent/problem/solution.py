"""Solutions of problems: the most random distribution, with a status and a certificate."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import finite_number, sample_size
from maxent.errors import ProblemError, quoted
from maxent.measures.gain import check_level
from maxent.measures.list_checks import one_list
from maxent.options.choices import Model as Model
from maxent.problem.certificate import (
    REFUSED,
    Certificate,
    Multipliers,
    Status,
    bounds_missed,
    certify_bounds,
    make_multipliers,
)
from maxent.problem.independent_ranks import Distribution, IndependentRanks
from maxent.problem.interval import locate
from maxent.problem.problem import Problem
from maxent.problem.reduced import fit_multipliers, single_batch, spread_multipliers
from maxent.shown import NOTHING, Shown, public
from maxent.types import FloatArray, IntArray

MODELS: tuple[Model, ...] = get_args(Model)
SLIGHTLY = 1e-6  # by which solvers of others miss bounds


@dataclass(frozen=True, eq=False)
class Solution(Shown):
    """Most random distribution of a problem.

    Attributes
    ----------
    distribution : Distribution
        Distribution over independent ranks or over whole lists, from which other attributes and methods are
        computed.
    status : {"optimal", "boundary", "infeasible", "failed", "given"}
        ``boundary``: the value is at an end of the attainable interval, and p is the limiting distribution;
        ``failed``: the solver did not find a distribution that the certificate confirms; ``given``: a distribution
        from another source that the certificate does not confirm (:meth:`of`).
    multipliers : Multipliers
        Lagrange multipliers; multipliers of counts are NaN unless the solution is ``optimal``.
    solver : str
        Name of the back end, or ``none`` if no solver was needed.
    iterations : int
        Iterations of the back end.
    message : str
        Message to the user: the attainable interval, or the reason why the back end failed.
    interval_problem : Problem, optional
        The problem with intervals; in the problem of ``distribution``, active bounds are values, and other bounds
        are dropped.
    tolerance : float, optional
        Largest residual that the certificate accepts, where :meth:`of` was given one.

    Examples
    --------
    The certificates of a solution and of a wrong claim, the same rows in reverse order, which have the right counts
    but another value:

    >>> from dataclasses import replace
    >>> import maxent as me
    >>> problem = me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,))
    >>> solution = me.solve(problem)
    >>> solution.p[:, 1].round(2).tolist()
    [0.66, 0.5, 0.41, 0.35, 0.31, 0.28, 0.26, 0.24]
    >>> certificate = solution.certificate
    >>> certificate.accepted, certificate.curvature
    (True, True)
    >>> max(certificate.value_violation, certificate.stationarity) < 1e-9
    True
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
    interval_problem: Problem | None = None
    tolerance: float | None = None

    def __repr__(self) -> str:
        entropy = f", entropy {self.entropy:.6g} nats" if np.isfinite(self.entropy) else ""
        active = f", active bounds: {self.active_bounds}" if self.active_bounds else ""
        return f"Solution({self.problem.known}: {self.status}{entropy}{active})"

    @property
    def active_bounds(self) -> str:
        """Bounds that hold with equality, such as ``AP >= 0.45``, or ``none``; empty without intervals."""
        if self.interval_problem is None or self.status in NOTHING:
            return ""
        active_problem = self.distribution.problem
        bounds = dict(zip(self.problem.measure.parts, self.problem.bounds.tolist(), strict=True))
        texts = []
        for measure, value in zip(active_problem.measure.parts, active_problem.bounds[:, 0], strict=True):
            low, high = bounds[measure]
            if low < high:  # else the value itself is given
                texts.append(f"{measure} {'<=' if value == high else '>='} {value:g}")
        return ", ".join(texts) or "none"

    def to_frame(self) -> pd.DataFrame:
        """Summary of the solution as a table of strings: quantity, is."""
        rows = [
            ("status", f"{self.status}{f': {self.message}' if self.message else ''}"),
            ("solver", f"{self.solver}, {self.iterations} iterations"),
        ]
        if self.status not in NOTHING:
            pairs = zip(self.multipliers.values, self.problem.measure.parts, strict=True)
            rows.append(("entropy", f"{self.entropy:.10f} nats"))
            rows += [("multiplier", f"{multiplier:.10g} nats per unit of {part}") for multiplier, part in pairs]
            rows += [("active bounds", self.active_bounds)] if self.active_bounds else []
            rows += [(name, str(number)) for name, number in self.certificate.to_frame().itertuples(index=False)]
        return pd.DataFrame(rows, columns=["quantity", "is"])

    def profile(self) -> pd.DataFrame:
        """Probability of every grade at every rank; see :func:`maxent.curves.profile`."""
        return public("curves.profile")(self)  # type: ignore[no-any-return]

    def curve(self, threshold: int = 1, **options: Any) -> Any:
        """Implied precision-recall curve; see :func:`maxent.inferred_curve` for options."""
        return public("inferred_curve")(self, threshold=threshold, **options)

    def plot(self, ax: Any = None) -> Any:
        """Plot the probability of every grade at every rank on ``ax``, by default new axes."""
        return public("plot.plot_profile")(self.profile(), ax=ax)

    @classmethod
    def of(cls, problem: Problem, p: "npt.ArrayLike", *, tolerance: float | None = None) -> Self:
        """Make a solution of a distribution from any source, with fitted multipliers and a certificate.

        Parameters
        ----------
        problem : Problem
            The problem that the distribution should solve.
        p : (depth, levels + 1) array
            Probability of grade i at rank n, such as the value of the variable of :meth:`Problem.to_cvxpy`.
        tolerance : float, optional
            Largest residual that the certificate accepts: 1e-4 for solvers with their default settings. By default
            1e-7, and 1e-6 for the stationarity.

        Returns
        -------
        Solution
            Its status is ``optimal`` if the certificate confirms it, else ``given`` with the violations, and what
            is accepted, in the message. At an end of the attainable interval, where multipliers are infinite, a
            distribution with probabilities of exactly 0 is ``given``.

        Raises
        ------
        ProblemError
            If p has another shape or is not a table of probabilities, no distribution has the counts, or the
            tolerance is not a positive number.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem({me.P(cutoff=2): 0.75}, relevant=(3,), retrieved=(2,), depth=4)
        >>> solution = me.Solution.of(problem, [[0.1, 0.9], [0.4, 0.6], [0.75, 0.25], [0.75, 0.25]])
        >>> solution.status, solution.message
        ('given', 'stationarity 0.19 (accepted up to 1e-06)')

        CVXPY stops earlier than this package:

        >>> program, p = problem.to_cvxpy()
        >>> _ = program.solve()
        >>> me.Solution.of(problem, p.value, tolerance=1e-4).status
        'optimal'
        """
        if tolerance is not None and not finite_number("the tolerance", tolerance) > 0:
            raise ProblemError(f"the tolerance must be a positive number, got {tolerance!r}")
        # 1. a table of probabilities, which may miss 0 and 1 slightly
        slightly = max(SLIGHTLY, tolerance or 0.0)
        shape = problem.depth, problem.levels + 1
        try:
            array = np.array(p, dtype=np.float64)
        except (TypeError, ValueError):
            raise ProblemError(f"p: expected probabilities of shape {shape}, got {quoted(p)}") from None
        if array.shape != shape or not (np.abs(array - 0.5) <= 0.5 + slightly).all():
            raise ProblemError(f"p: expected probabilities of shape {shape}, got {quoted(p)}")
        if problem.overfull:
            raise ProblemError(problem.overfull)
        # 2. of intervals, the bounds that the distribution reaches are active
        active_problem, bounds = problem, problem.bounds
        if problem.has_intervals:
            missed = bounds_missed(problem, np.array([form.expected(array) for form in problem.forms]))
            near = np.flatnonzero((missed.max(axis=1) > -slightly) & (bounds[:, 0] < bounds[:, 1])).tolist()
            active_problem = problem.with_active({k: float(bounds[k, missed[k].argmax()]) for k in near})
        # 3. multipliers that fit its logits, and the certificate
        present, m = list(active_problem.present), len(active_problem.forms)
        fitted = fit_multipliers(single_batch(active_problem), array[:, present], slightly=slightly)
        multipliers = make_multipliers(
            active_problem, spread_multipliers(fitted[None], present, active_problem.levels, range(m), m)[0]
        )
        distribution = IndependentRanks(active_problem, array)
        solution = cls(distribution, "optimal", multipliers, "none", tolerance=tolerance).widened(problem)
        if solution.certificate.accepted:
            return solution
        return replace(solution, status="given", message=solution.certificate.violations)

    def widened(self, problem: Problem) -> Self:
        """Solution of a problem with intervals, from the solution in which its active bounds are values."""
        if not problem.has_intervals:
            return self
        numbers = dict(zip(self.problem.measure.parts, self.multipliers.values, strict=True))
        value_multipliers = [numbers.get(part, 0.0) for part in problem.measure.parts]
        multipliers = make_multipliers(problem, np.array([*value_multipliers, *self.multipliers.counts]))
        return replace(self, multipliers=multipliers, interval_problem=problem)

    @property
    def problem(self) -> Problem:
        """The problem solved."""
        return self.interval_problem or self.distribution.problem

    @property
    def p(self) -> FloatArray:
        """Probability of grade i at rank n, (depth, levels + 1); NaN if the problem is infeasible."""
        return self.distribution.p

    @cached_property
    def entropy(self) -> float:
        """Entropy in nats, of p or, with ``model="lists"``, of the distribution over lists."""
        return self.distribution.entropy

    @property
    def constant(self) -> bool:
        """Whether the counts alone fix the values, so that every list with these counts has the same values."""
        if self.status not in ("optimal", "boundary"):
            return False
        pairs = zip(self.distribution.problem.values, self.distribution.intervals, strict=True)
        places = [locate(value, *ends) for value, ends in pairs]
        return bool(places) and set(places) == {"constant"}

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate, recomputed from the problem, p and the multipliers, independently of the back end.

        With ``model="lists"``, the ends of intervals are exact and the dual is convex, so that its residual is the
        certificate. With intervals, the certificate also has the signs of the multipliers and the slack of bounds.
        """
        certificate = self._strict_certificate
        if self.tolerance is None or certificate == REFUSED:
            return certificate
        return certificate.at_tolerance(self.tolerance)

    @property
    def _strict_certificate(self) -> Certificate:
        """Certificate with the tolerances of the package."""
        if self.interval_problem is None:
            return self.distribution.certificate(self.status, self.multipliers)
        active_problem, wide = self.distribution.problem, self.interval_problem
        numbers = dict(zip(wide.measure.parts, self.multipliers.values, strict=True))
        active = np.array([*map(numbers.__getitem__, active_problem.measure.parts), *self.multipliers.counts])
        certificate = self.distribution.certificate(self.status, make_multipliers(active_problem, active))
        if certificate == REFUSED:
            return certificate
        return certify_bounds(certificate, wide, self.distribution.expected(wide.expectations), self.multipliers)

    def ranks(self, *, threshold: int = 1) -> FloatArray:
        """Distribution of the rank of each relevant document.

        Parameters
        ----------
        threshold : int
            Lowest grade that counts as relevant.

        Returns
        -------
        (documents, depth) array
            Probability that the k-th relevant document is at rank n. A row sums to less than 1 if lists can have
            fewer relevant documents. There are no more rows than ranks.

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
        return self._solved_distribution.ranks(threshold)[: self.problem.depth]

    def log_likelihood(self, grades: "npt.ArrayLike") -> float:
        """Logarithm of the probability of a list, in nats.

        Parameters
        ----------
        grades : (depth,) integer array
            Grades in rank order.

        Returns
        -------
        float
            Log probability; -inf for a list that the counts or an end of an interval rule out.

        Raises
        ------
        MeasureError
            If the grades are not integers within 0..levels.
        ProblemError
            If the problem has no solution, or its lists have another length.

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
        return self._solved_distribution.log_likelihood(array)

    def sample(self, number: int, *, rng: int | np.random.Generator | None = None) -> IntArray:
        """Draw random lists from this distribution.

        Parameters
        ----------
        number : int
            Number of lists.
        rng : Generator or int, optional
            Random generator, or its seed.

        Returns
        -------
        (number, depth) integer array
            Grades in rank order.

        Raises
        ------
        ProblemError
            If the problem has no solution, or the number is invalid.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem(me.AP(), value=0.6, relevant=(2,), retrieved=(2,), depth=4)
        >>> me.solve(problem, model="lists").sample(2, rng=0).tolist()
        [[0, 1, 1, 0], [0, 0, 1, 1]]
        """
        return self._solved_distribution.sample(sample_size(number, self.problem.depth), rng=rng)

    @property
    def _solved_distribution(self) -> Distribution:
        if self.status in NOTHING:
            raise ProblemError(f"no distribution: the problem is {self.status}. {self.message}")
        return self.distribution


def describe_ends(problem: Problem, multipliers: Multipliers) -> str:
    """Sentence on the values of a joint problem at ends of their intervals, where multipliers are infinite."""
    triples = zip(problem.measure.parts, problem.values, multipliers.values, strict=True)
    words = "{} = {:.10g} is at an end of its interval"
    return "; ".join(words.format(measure, value) for measure, value, multiplier in triples if np.isinf(multiplier))
