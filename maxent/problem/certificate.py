"""Certificates: residuals of a solution, recomputed from the problem.

An ``optimal`` solution must satisfy the constraints, be stationary, log(p_n(i) / p_n(0)) = mu_i + lambda w_n(i),
and have a negative definite Hessian on the null space of the active constraints. A ``boundary`` solution must
satisfy the constraints, and no first-order exchange of documents may move the value beyond the end. For a joint
problem, a ``boundary`` solution must be ``optimal`` on the ranks and grades that values at ends allow.
"""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd

from maxent.kernels.batch import Batch, Evidence, examine, strict_maxima
from maxent.measures.form import Form
from maxent.problem.face import UNUSED, Face, face_at_end, strict_face
from maxent.problem.linear_program import value_range
from maxent.problem.problem import Problem
from maxent.problem.reduced import single_batch
from maxent.shown import shown
from maxent.types import BoolArray, FloatArray

Status = Literal["optimal", "boundary", "infeasible", "failed", "given", "too_large"]

FEASIBLE = 1e-7  # largest violation: of the value relative to its range, of a count relative to max(1, count)
STATIONARY = 1e-6  # largest stationarity residual, in units of probability


class Multipliers(NamedTuple):
    """Lagrange multipliers: log(p_n(i) / p_n(0)) = counts[i - 1] + value * w_n(i) + log odds of the reference.

    If every rank holds a relevant document, the lowest grade present takes the place of grade 0.
    """

    # minus the derivative of what is maximised by the measure's value, in nats per unit of the measure; for a joint
    # one for each of its measures
    value: Any
    counts: tuple[float, ...]  # one for each grade 1..levels, in nats; -inf for absent grades

    @property
    def values(self) -> tuple[float, ...]:
        """Multipliers of the values, also a tuple for a single measure."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def to_frame(self) -> pd.DataFrame:
        """Table with a row for each value, in the order of the measures, and each grade: constraint, multiplier."""
        several = len(self.values) > 1
        names = [f"value {k}" if several else "value" for k in range(1, len(self.values) + 1)]
        names += [f"grade {k}" for k in range(1, len(self.counts) + 1)]
        return pd.DataFrame({"constraint": names, "multiplier": [*self.values, *self.counts]})

    def _repr_html_(self) -> str:
        return shown(self)


class Certificate(NamedTuple):
    """Residuals of a solution, recomputed from the problem.

    Residuals of values are relative to the length of the attainable interval, or to the larger absolute value of
    its ends if that is larger.
    """

    value_violation: float  # abs(E[M] - value) relative to the range
    count_violation: float  # largest violation of a count, relative to max(1, count)
    row_violation: float  # largest deviation of a row of p from a distribution
    # ``optimal``: largest difference between p and the distribution that its derivatives and multipliers imply.
    # ``boundary``: what first-order exchanges could still gain, relative to the range
    stationarity: float
    curvature: bool  # whether the reduced Hessian is negative definite: a strict local maximum
    accepted: bool  # whether all of these confirm that p solves the problem; never of an infeasible one
    # of problems with intervals, else None
    sign: bool | None = None  # whether multipliers are at least 0 at lower bounds, at most 0 at upper ones
    # largest distance of a value from the bound to which its multiplier belongs, relative to the range
    slack: float | None = None
    tolerance: float | None = None  # largest residual accepted; by default 1e-7, and 1e-6 for the stationarity

    @property
    def violations(self) -> str:
        """Violated conditions of the claim, in words; empty if there are none."""
        feasible, stationary = FEASIBLE, STATIONARY
        if self.tolerance is not None:
            feasible = stationary = self.tolerance
        residuals = [
            ("value violation", self.value_violation, feasible),
            ("count violation", self.count_violation, feasible),
            ("row violation", self.row_violation, feasible),
            ("slack", self.slack or 0.0, feasible),
            ("stationarity", self.stationarity, stationary),
        ]
        words = [f"{name} {x:.2g} (accepted up to {most:g})" for name, x, most in residuals if not x <= most]
        words += ["not a strict maximum"] * (not self.curvature)
        words += ["a multiplier has the wrong sign"] * (self.sign is False)
        return "; ".join(words)

    def at_tolerance(self, tolerance: float) -> Self:
        """Certificate that accepts all residuals up to ``tolerance``, and each of two bounds that are so close."""
        sign = None if self.sign is None else self.sign or (self.slack or 0.0) <= tolerance
        certificate = self._replace(tolerance=tolerance, sign=sign)
        return certificate._replace(accepted=not certificate.violations)

    def __repr__(self) -> str:
        return f"Certificate({'accepted' if self.accepted else f'not accepted: {self.violations}'})"

    def to_frame(self) -> pd.DataFrame:
        """Table with a row for each residual: quantity, is. Residuals of bounds are only for intervals."""
        rows = [(name, quantity) for name, quantity in self._asdict().items() if quantity is not None]
        return pd.DataFrame(rows, columns=["quantity", "is"])

    def _repr_html_(self) -> str:
        return shown(self)


REFUSED = Certificate(np.inf, np.inf, np.inf, np.inf, False, False)


class Certificates(NamedTuple):
    """Certificates of k solutions as arrays; each is a row."""

    value_violation: FloatArray  # (k,), as all of these; meaning as in :class:`Certificate`
    count_violation: FloatArray
    row_violation: FloatArray
    stationarity: FloatArray
    curvature: BoolArray

    @property
    def accepted(self) -> BoolArray:
        """Whether each is accepted, (k,)."""
        violation = np.maximum(np.maximum(self.value_violation, self.count_violation), self.row_violation)
        return np.asarray((violation <= FEASIBLE) & (self.stationarity <= STATIONARY) & self.curvature)

    def row(self, k: int) -> Certificate:
        """Certificate of solution k."""
        return Certificate(*(column[k].item() for column in (*self, self.accepted)))


def certify(problem: Problem, p: FloatArray, status: Status, multipliers: Multipliers) -> Certificate:
    """Certificate of a claimed solution p (depth, levels + 1); one without a distribution is not accepted."""
    if status == "infeasible" or problem.overfull or not np.isfinite(p).all():
        return REFUSED
    if status == "boundary":
        return _certify_boundary(problem, p, multipliers)
    batch = single_batch(problem)
    present = np.take(p[None], problem.present, axis=2)
    relative = relative_multipliers(problem, multipliers)[None]
    evidence = examine(batch, present, relative)
    absent = abs(p.sum() - present.sum())  # mass of absent grades
    evidence = evidence._replace(rows=np.maximum(evidence.rows, [absent]))
    ranges = np.array([list(map(value_range, problem.parts))])
    certificate = certify_many(batch, relative, evidence, ranges).row(0)
    return certificate._replace(accepted=certificate.accepted and status == "optimal")


def certify_bounds(
    certificate: Certificate, problem: Problem, expected: FloatArray, multipliers: Multipliers
) -> Certificate:
    """Certificate of a problem with intervals, from the certificate with active bounds as values.

    ``expected`` (m,) are the expected values of its measures.
    """
    # 1. for each measure with two bounds and a multiplier, the distances from the active bound and the other one
    numbers, missed = np.array(multipliers.values), bounds_missed(problem, expected)
    wide = (numbers != 0) & (problem.bounds[:, 0] < problem.bounds[:, 1])
    from_lower, from_upper = np.abs(missed[wide]).T
    # a positive multiplier belongs to the lower bound
    active, other = np.where(numbers[wide] > 0, (from_lower, from_upper), (from_upper, from_lower))
    # 2. violated bounds, complementary slackness, and signs
    value, slack = max(0.0, float(missed.max())), float(active.max(initial=0.0))
    sign = not ((active > FEASIBLE) & (other <= FEASIBLE)).any()
    # 3. a value that misses an active bound may be within the bounds nevertheless
    value_alone = (
        certificate.value_violation > FEASIBLE and not certificate._replace(value_violation=0.0).violations
    )
    certificate = certificate._replace(value_violation=value, sign=sign, slack=slack)
    return certificate._replace(accepted=(certificate.accepted or value_alone) and not certificate.violations)


def bounds_missed(problem: Problem, expected: FloatArray) -> FloatArray:
    """Violations (m, 2) of lower and upper bounds by ``expected`` values (m,), relative to the measures' ranges.

    The range of a cascade is taken to be 1.
    """
    pairs = zip(problem.parts, problem.expectations, strict=True)
    ranges = np.array([value_range(part) if isinstance(expectation, Form) else 1.0 for part, expectation in pairs])
    return np.asarray((problem.bounds - expected[:, None]) * (1.0, -1.0) / ranges[:, None])


def relative_multipliers(problem: Problem, multipliers: Multipliers) -> FloatArray:
    """Multipliers (m + c,) of the values, and of the grades present relative to the first of them."""
    mu = (0.0, *multipliers.counts)
    first, *others = problem.present
    return np.array([*multipliers.values, *(mu[i] - mu[first] for i in others)])


def make_multipliers(problem: Problem, numbers: FloatArray) -> Multipliers:
    """Multipliers from an array (m + levels,), values first."""
    m = len(problem.measure.parts)
    values, counts = tuple(numbers[:m].tolist()), tuple(numbers[m:].tolist())
    return Multipliers(values if problem.is_joint else values[0], counts)


def certify_many(batch: Batch, multipliers: FloatArray, evidence: Evidence, ranges: FloatArray) -> Certificates:
    """Certificates of the claim ``optimal`` about k problems.

    The kernels computed ``evidence`` from the claimed p and the multipliers (k, m + c). Violations of the values
    are relative to ``ranges`` (k, m).
    """
    total, counts, m = evidence.total, batch.counts, batch.value.shape[1]
    # 1. constraints: max_j abs(E[M_j] - v_j) / range_j, and sum_n p_n(i) = C_i, or at most C_i
    value = (np.abs(evidence.expected - batch.value) / ranges).max(axis=1, initial=0.0)
    count = count_violation(total, counts, batch.bounded)
    # 2. stationarity: log(p_n(i) / p_n(0)) = mu_i + lambda w_n(i), and mu_i = 0 or sum_n p_n(i) = C_i at bounds
    stationarity = evidence.deviation
    if (bounded := batch.bounded).any():
        gap = slackness(counts[:, bounded], total[:, bounded], multipliers[:, m:][:, bounded])
        stationarity = np.maximum(stationarity, gap)
    # 3. curvature: negative definite everywhere, or on the null space of the active constraints, or lambda = 0
    curvature = np.asarray(evidence.negative == 0)
    if not curvature.all():
        active = np.ones_like(multipliers)
        active[:, m:] = reached(counts, total) | ~bounded
        curvature |= strict_maxima(evidence.border, active, evidence.negative)
        curvature |= (multipliers[:, :m] == 0).all(axis=1)
    return Certificates(value, count, evidence.rows, stationarity, curvature)


def reached(counts: FloatArray, total: FloatArray) -> BoolArray:
    """Whether the expected count of each grade, ``total`` (..., c), is at its upper bound, up to ``FEASIBLE``."""
    return np.asarray(counts - total <= FEASIBLE * np.maximum(1.0, counts))


def slackness(counts: FloatArray, total: FloatArray, multipliers: FloatArray) -> FloatArray:
    """Largest violation (k,) of complementary slackness: multipliers (k, c) <= 0, and 0 below the bound."""
    slack = np.maximum(counts - total, 0.0) / np.maximum(1.0, counts)
    return np.asarray(np.abs(np.minimum(-multipliers, slack)).max(axis=1, initial=0.0))


def _certify_boundary(problem: Problem, p: FloatArray, multipliers: Multipliers) -> Certificate:
    """Certificate of values at ends of their intervals, see :mod:`maxent.problem.face`.

    At the end of a single measure no exchange of documents may move the value beyond the end; a reference chooses
    among the lists there.
    """
    face = strict_face(problem) if problem.is_joint else face_at_end(problem)
    if face is not None and face.empty:
        return REFUSED
    # 1. stationarity and curvature on the ranks and grades that the ends leave
    stationarity, curvature = (0.0, True) if face is None else _residuals_on(face, p, multipliers)
    if problem.is_joint:
        return _with_constraints(problem, p, stationarity, curvature)
    # 2. exchanges of documents between ranks; if the value is constant, every distribution has it
    if problem.location != "constant":
        stationarity = max(stationarity, _duality_gap(problem, p, problem.form.gradient(p)))
    certificate = _with_constraints(problem, p, stationarity, curvature)
    if face is None:
        return certificate
    # 3. the face has the value of the sorted list, from which the wanted one may differ by rounding
    listed = _with_constraints(face.problem, p, stationarity, curvature)
    return certificate._replace(accepted=certificate.accepted and listed.accepted)


def _residuals_on(face: Face, p: FloatArray, multipliers: Multipliers) -> tuple[float, bool]:
    """Stationarity of p (depth, levels + 1) on a face, and whether it is a strict maximum there."""
    outside = float(p[~face.support].max(initial=0.0))  # probability of a cell that the face rules out
    if not len(face.free):
        return outside, True
    # multipliers (1, m + c) of the constraining values, and of the grades present relative to the first of them
    first, *others = face.present
    mu = (0.0, *multipliers.counts)
    values = [multipliers.values[j] for j in face.constraining]
    numbers = np.array([[*values, *(mu[i] - mu[first] for i in others)]])
    free_p = p[np.ix_(face.free, np.array(face.present))][None].copy()  # (1, free ranks, c + 1)
    evidence = examine(face.batch, free_p, numbers)
    certificates = certify_many(face.batch, numbers, evidence, face.reduced.scale)
    return max(outside, certificates.stationarity.item()), certificates.curvature.item()


def _with_constraints(problem: Problem, p: FloatArray, stationarity: float, curvature: bool) -> Certificate:
    """Certificate with the residuals of the constraints that p (depth, levels + 1) leaves."""
    wanted = zip(problem.forms, problem.parts, strict=True)
    value = max((abs(form.expected(p) - part.value) / value_range(part) for form, part in wanted), default=0.0)
    count = float(count_violation(p[:, 1:].sum(axis=0), problem.counts, problem.count == "at_most"))
    rows = max(float(np.abs(p.sum(axis=1) - 1).max()), -float(p.min()), 0.0)
    residuals = value, count, rows, stationarity, curvature  # in the order of ``Certificates``
    return Certificates(*(np.array([residual]) for residual in residuals)).row(0)


def count_violation(total: FloatArray, counts: FloatArray, bounded: BoolArray | bool) -> FloatArray:
    """Largest violation of counts or upper bounds (..., c), relative to max(1, count)."""
    off = np.where(bounded, np.maximum(total - counts, 0.0), np.abs(total - counts))
    return np.asarray((off / np.maximum(1.0, counts)).max(axis=-1, initial=0.0))


def _duality_gap(problem: Problem, p: FloatArray, w: FloatArray) -> float:
    """Distance by which a first-order exchange of documents between ranks could move the value beyond the end.

    p and the derivatives w of the value are (depth, levels + 1).

    At the upper end, multipliers mu of the counts must satisfy mu_i - mu_j <= w_n(i) - w_n(j) wherever p_n(i) > 0,
    and at the lower end the same with -w. These difference constraints have a solution unless a cycle of exchanges
    has a negative sum (Floyd-Warshall).
    """
    # 1. bound_ij = min_n w_n(i) - w_n(j) over the ranks that hold grade i
    towards = 1.0 if problem.nearer_end else -1.0
    grades = problem.levels + 1
    bound = np.full((grades, grades), np.inf)
    for i in range(grades):
        used = p[:, i] > UNUSED
        if used.any():
            bound[i] = (towards * (w[used, i, None] - w[used])).min(axis=0)
    # 2. mu_i <= 0 of upper bounds, and 0 of those that are not reached
    if problem.count == "at_most":
        slack = ~reached(problem.counts, p[:, 1:].sum(axis=0))
        bound[0, 1:] = np.minimum(bound[0, 1:], 0.0)
        bound[1:, 0] = np.where(slack, np.minimum(bound[1:, 0], 0.0), bound[1:, 0])
    # 3. shortest cycles
    for k in range(grades):
        bound = np.minimum(bound, bound[:, k, None] + bound[None, k])
    return max(0.0, -float(np.diag(bound).min())) / value_range(problem)
