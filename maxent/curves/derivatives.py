"""Derivatives of a solution, its curve, and the curve's error with respect to values of measures or g.

A solution is a stationary point, log(p_n(i) / p_n(0)) = mu_i + lambda w_n(i), that satisfies the constraints
E[M] = v and sum_n p_n(i) = C_i; with several measures, lambda w denotes a sum. Both hold for every value of a
parameter t of the problem, so they can be differentiated with respect to t (implicit function theorem). With one
grade eliminated, this gives the system of :mod:`maxent.kernels.passes.newton_system`,

    (D - A) dp - w dlambda - dmu = lambda dw/dt,     w' dp = dv/dt - dE/dt,     sum_n dp_n = 0,

where dw/dt and dE/dt are taken at fixed p. The factorisation that certifies a solution also differentiates it.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from maxent.checks import check_choice, check_type
from maxent.curves.actual import Curve, recall_base
from maxent.curves.error import Align, CurveSensitivity, precision_differences
from maxent.curves.inferred import inferred_curve
from maxent.errors import ProblemError
from maxent.kernels.batch import single
from maxent.kernels.observed import rms_and_mae
from maxent.measures import GAP, nDCG
from maxent.measures.list_checks import one_list
from maxent.problem import Solution
from maxent.problem.certificate import reached, relative_multipliers
from maxent.problem.face import independent
from maxent.problem.reduced import single_batch
from maxent.types import FloatArray, IntArray

By = Literal["value", "g"]
BYS: tuple[By, ...] = get_args(By)
SAME_VALUE = 1e-6  # largest difference between the value of the list and the problem's


class ErrorSensitivity(NamedTuple):
    """Derivatives of the error of a curve.

    Attributes
    ----------
    rms, mae : (parameters,) array
        Derivatives of the two errors.
    """

    rms: FloatArray
    mae: FloatArray


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives of a solution with respect to its parameters: the values of its m measures, or g_1..g_c.

    Attributes
    ----------
    solution : Solution
        The differentiated solution.
    p : (parameters, depth, levels + 1) array
        Derivatives of the probability of grade i at rank n; they sum to 0 at each rank.
    multipliers : (parameters, m + levels) array
        Derivatives of ``solution.multipliers``: of ``value`` in the first m columns (nats per unit of the measure),
        of ``counts`` in the others (nats); 0 if a multiplier is fixed (absent grades, bounds that are not reached).
        The derivatives of ``value`` with respect to the values are minus the second derivatives of the entropy.
    """

    solution: Solution
    p: FloatArray
    multipliers: FloatArray

    @property
    def entropy(self) -> FloatArray:
        """Derivatives of the entropy in nats, (parameters,).

        For a uniform reference, the derivative with respect to the value is minus the multiplier.
        """
        p = self.solution.p
        return np.asarray(-np.sum(self.p * np.log(p, out=np.zeros_like(p), where=p > 0), axis=(1, 2)))

    def curve(self, *, threshold: int = 1) -> CurveSensitivity:
        """Derivatives of :func:`maxent.inferred_curve`, which is linear in p.

        Parameters
        ----------
        threshold : int
            Lowest grade that counts as relevant.

        Returns
        -------
        CurveSensitivity

        Examples
        --------
        With a higher AP, precision rises most at the first ranks; at the last rank, the count fixes it.

        >>> import maxent as me
        >>> problem = me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,))
        >>> change = me.curves.sensitivity(me.solve(problem)).curve(threshold=1)
        >>> abs(change.precision[0]).round(2).tolist()
        [2.66, 2.07, 1.52, 1.07, 0.71, 0.42, 0.19, 0.0]
        """
        base = recall_base(self.solution.problem.relevant, threshold)
        documents = np.cumsum(self.p[:, :, threshold:].sum(axis=2), axis=1)
        return CurveSensitivity(documents / base, documents / np.arange(1.0, documents.shape[1] + 1))

    def error(self, actual: Curve, *, threshold: int = 1, align: Align = "recall") -> ErrorSensitivity:
        """Derivatives of :func:`maxent.curve_error` between an actual curve and the inferred curve.

        They are exact wherever the error is differentiable. With alignment by recall, the interpolated precision
        has a kink where an actual recall equals an inferred one, as for P@k of this list at rank k; one of the two
        one-sided derivatives is returned. A difference of 0 adds 0 to the derivative of ``mae``, and the derivative
        of an ``rms`` of 0 is returned as 0.

        Parameters
        ----------
        actual : Curve
            Curve of the observed list.
        threshold : int
            Lowest grade that counts as relevant, for both curves.
        align : {"recall", "rank", "expected", "every-rank"}
            As for :func:`maxent.curve_error`.

        Returns
        -------
        ErrorSensitivity
            NaN if the actual curve has no point.

        Examples
        --------
        A slightly higher value of AP would bring the inferred curve closer to the actual one:

        >>> import maxent as me
        >>> grades, relevant = [1, 0, 1, 0, 0, 1, 0, 0], (4,)
        >>> solution = me.solve(me.Problem.of_list(me.AP(), grades, relevant))
        >>> change = me.curves.sensitivity(solution).error(me.actual_curve(grades, relevant))
        >>> change.rms.round(2).tolist(), change.mae.round(2).tolist()
        ([-1.76], [-1.42])
        """
        inferred = inferred_curve(self.solution, threshold=threshold)
        difference, *change = precision_differences(actual, inferred, align, self.curve(threshold=threshold))
        if not len(difference):
            return ErrorSensitivity(*np.full((2, len(self.p)), np.nan))
        rms, _ = rms_and_mae(difference)
        rms_derivative = np.mean(change * difference, axis=1) / rms if rms > 0 else np.zeros(len(self.p))
        return ErrorSensitivity(rms_derivative, np.mean(change * np.sign(difference), axis=1))


def sensitivity(solution: Solution, *, by: By = "value", grades: "npt.ArrayLike | None" = None) -> Sensitivity:
    """Derivatives of an ``optimal`` solution with respect to the values of its measures, or the g of GAP or nDCG.

    Parameters
    ----------
    solution : Solution
        Solution with status ``optimal``.
    by : {"value", "g"}
        Parameters: the value of each measure; or g_1..g_c of GAP, or of nDCG, whose gains are the sums g_1 + ... +
        g_i. The latter are partial derivatives of the formula extended off the simplex: only combinations whose
        coefficients sum to 0 lead to another GAP, e.g. ``p[0] - p[1]`` moves threshold probability from grade 2 to
        grade 1.
    grades : (depth,) integer array, optional
        With ``by="g"``, the observed list, whose value is the problem's and changes with g. Without ``grades``, the
        value stays the same while g changes.

    Returns
    -------
    Sensitivity
        Derivatives, at a cost of about one Newton iteration for each parameter.

    Raises
    ------
    ProblemError
        If the solution is not ``optimal`` (at an end of the attainable interval it is not differentiable), a value
        of a joint follows from the others, the measure is not GAP or nDCG with ``by="g"``, or ``grades`` do not
        have the problem's value.

    Examples
    --------
    The derivative of the entropy with respect to the measure's value is minus the multiplier:

    >>> import maxent as me
    >>> solution = me.solve(me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,)))
    >>> derivatives = me.curves.sensitivity(solution)
    >>> derivatives.entropy.round(3).tolist(), round(solution.multipliers.value, 3)
    ([-6.211], 6.211)

    Change in the probability of grade 2 at rank 1 when threshold probability moves from grade 2 to grade 1:

    >>> grades = [2, 0, 1, 0, 1, 0, 0, 2, 0, 0]
    >>> solution = me.solve(me.Problem.of_list(me.GAP(g=(0.5, 0.5)), grades, relevant=(3, 2)))
    >>> by_g = me.curves.sensitivity(solution, by="g", grades=grades)
    >>> round(float(by_g.p[0, 0, 2] - by_g.p[1, 0, 2]), 2)
    -0.24
    """
    check_type("a solution", solution, Solution)
    check_choice("parameter", by, BYS, raises=ProblemError)
    if solution.interval_problem:
        raise ProblemError("no sensitivity: derivatives are with respect to values, and the problem has intervals")
    if solution.status != "optimal":
        end = "at an end of the attainable interval it is not differentiable"
        why = end if solution.status == "boundary" else solution.message
        raise ProblemError(f"no sensitivity: the solution is {solution.status}. {why}")
    # r = lambda dw/dt and h = dv/dt - dE/dt, for t = g_k
    if by == "g":
        changes = _changes_by_g(solution, grades)
        return _solve_bordered(solution, solution.multipliers.value * changes.w, changes.missing[:, None])
    # for t = v_k, on which no form depends: r = 0, and h is 1 for this value
    if grades is not None:
        raise ProblemError('grades belong to by="g": the value is the parameter here')
    m = len(solution.problem.forms)
    return _solve_bordered(solution, np.zeros((m, *solution.p.shape)), np.eye(m))


class _Changes(NamedTuple):
    """Derivatives with respect to g_1..g_c, at fixed p."""

    w: FloatArray  # (c, depth, levels + 1): of the derivatives of the expected value by p
    missing: FloatArray  # (c,): of v - E[M]


def _changes_by_g(solution: Solution, grades: npt.ArrayLike | None) -> _Changes:
    """What changes in the conditions of the optimum when g_1..g_c change, and p does not."""
    problem = solution.problem
    if not isinstance(problem.measure, GAP | nDCG):
        raise ProblemError(f"{problem.measure} has no threshold probabilities g: only GAP and nDCG have")
    forms = problem.measure.partial_forms(problem.relevant, problem.depth)
    missing = np.array([-form.expected(solution.p) for form in forms])
    if grades is not None:  # v is the value of this list, which changes, too
        array = _observed_grades(solution, grades)
        missing += [float(form.evaluate(array)) for form in forms]
    return _Changes(np.array([form.gradient(solution.p) for form in forms]), missing)


def _observed_grades(solution: Solution, grades: npt.ArrayLike) -> IntArray:
    """Grades of the observed list as an array; ProblemError if their value differs from the problem's."""
    problem = solution.problem
    array = one_list(grades, problem.levels)
    if array.shape != (problem.depth,):
        raise ProblemError(f"the problem's list has grades of shape ({problem.depth},), got {array.shape}")
    value = float(problem.form.evaluate(array))
    if abs(value - problem.value) > SAME_VALUE:
        raise ProblemError(f"{problem.measure} of these grades is {value:g}, the problem's value {problem.value:g}")
    return array


def _solve_bordered(solution: Solution, r: FloatArray, h: FloatArray) -> Sensitivity:
    """Derivatives of a solution whose conditions change by ``r`` and ``h``.

    These are ``r`` (parameters, depth, levels + 1) for stationarity and ``h`` (parameters, m) for the values. The
    derivatives x of p and delta of the multipliers solve the system of ``newton_system``,

        (D - A) x - B delta = r,     B' x = h.

    Fields of the workspace are those of ``maxent.kernels.passes.fields``; their last axis has one problem.
    """
    # 1. the solution in a workspace, with one grade eliminated
    problem, p, m = solution.problem, solution.p, h.shape[1]
    present = list(problem.present)
    eliminated, others = present[0], present[1:]
    batch = single_batch(problem)
    work = single(batch, np.ones_like(batch.value))
    work["p"][..., 0], work["eliminated"][:, 0] = p[:, others], p[:, eliminated]
    work["multipliers"][:, 0] = relative_multipliers(problem, solution.multipliers)
    work["fresh"][0] = 1.0  # what follows is a new step
    work.run("gradient_down", "gradient_up")
    # 2. the constraints that are active: all values, and the counts that are exact or reached
    is_active_count = reached(batch.counts[0], p[:, others].sum(axis=0)) | ~batch.bounded
    if len(independent(batch, fixed=is_active_count)) < m:
        raise ProblemError(f"no sensitivity: the values of {problem.measure} follow from each other and the counts")
    active = np.flatnonzero([*[True] * m, *is_active_count])
    columns = [*range(m), *(m + grade - 1 for grade in others)]  # of the multipliers of these values and grades
    change, multipliers = np.zeros((len(r), *p.shape)), np.zeros((len(r), m + problem.levels))
    for k, residual in enumerate(r):
        # 3. G = B' (D - A)^-1 [B, r] and delta = G^-1 (h - B' (D - A)^-1 r)
        work["r"][..., 0] = residual[:, others] - residual[:, [eliminated]]
        work.run("forward")
        right_side = -work["G"][active, -1, 0]
        right_side[:m] += h[k]
        work["change"][:, 0] = 0.0
        work["change"][active, 0] = np.linalg.solve(work["G"][np.ix_(active, active)][..., 0], right_side)
        # 4. the step in the logits of the present grades, and the change of p that it is
        work.run("backward")
        step = np.insert(work["step"][..., 0], 0, 0.0, axis=1)
        change[k][:, present] = p[:, present] * (step - np.sum(p[:, present] * step, axis=1, keepdims=True))
        multipliers[k, columns] = work["change"][:, 0]
    return Sensitivity(solution, change, multipliers)
