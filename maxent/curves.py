"""Precision-recall curves: actual, inferred from a solution, graded, and the error between two of them.

For a threshold t, recall is relative to R_>=t, all documents of grade t or higher in the topic, retrieved or not.

- The actual curve has a point at each relevant document of the list: the k-th, at rank n_k, has recall k / R_>=t
  and precision k / n_k.
- The inferred curve of a distribution p has a point at every rank n: recall f_n / R_>=t and precision f_n / n, with
  f_n = sum_{m<=n} sum_{i>=t} p_m(i) the expected number of relevant documents up to that rank.
- The error compares their precision at the points of the actual curve, "where recall changes" (GAP paper 4.1).
- Or it compares E[k / n_k], the expected precision at the k-th relevant document, with that of the list; the
  expectation is over lists that have so many.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import check_choice, whole_number
from maxent.errors import MeasureError, ProblemError
from maxent.kernels.curves import SAME_RECALL, expected_precision
from maxent.lists.curves import precision_at_documents, precision_band
from maxent.measures.checks import check_topic
from maxent.measures.gain import check_level
from maxent.problem import Solution
from maxent.problem.checks import check_band, check_type, one_list
from maxent.types import FloatArray, GradeCounts, IntArray

Align = Literal["recall", "rank", "expected"]
ALIGNS: tuple[Align, ...] = get_args(Align)


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a precision-recall curve.

    Attributes
    ----------
    rank : (points,) array
        Ranks of the points, increasing; the top of the list is rank 1.
    recall, precision : (points,) array
        Recall and precision at these ranks; of an expected curve, the rank that gives the expected precision.
    low, high : (points,) array, optional
        Band of the precision at these recalls; see :func:`maxent.inferred_curve`.
    positions : (documents, depth) array, optional
        Of inferred curves that need it: probability that the k-th relevant document is at rank n.
    """

    rank: FloatArray
    recall: FloatArray
    precision: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    positions: FloatArray | None = None

    def to_frame(self) -> pd.DataFrame:
        """Table of the points: columns rank, recall, precision, and low and high where there is a band."""
        columns = {"rank": self.rank, "recall": self.recall, "precision": self.precision}
        return pd.DataFrame(columns | ({} if self.low is None else {"low": self.low, "high": self.high}))

    @property
    def area(self) -> float:
        """Sum of precision times recall step, AP(rel=threshold) for an actual curve and GAP for a graded one."""
        return float(self.precision @ np.diff(self.recall, prepend=0.0))


class CurveError(NamedTuple):
    """Distance of an inferred curve from the actual one, over the points where recall changes.

    Attributes
    ----------
    rms, mae : float
        Root mean square and mean absolute difference of precision; NaN if there is no point.
    points : int
        Number of points of the actual curve.
    """

    rms: float
    mae: float
    points: int


def actual_curve(grades: npt.ArrayLike, relevant: GradeCounts, *, threshold: int = 1) -> Curve:
    """Precision-recall curve of an observed list, at its relevant documents.

    Parameters
    ----------
    grades : (depth,) integer array
        Grades in rank order.
    relevant : (levels,) sequence
        R_i of the topic: recall is relative to all of them, retrieved or not.
    threshold : int
        Lowest grade that counts as relevant.

    Returns
    -------
    Curve
        One point for each relevant document in the list.

    Raises
    ------
    MeasureError
        If a grade is not an integer in 0..levels, or the threshold is not in 1..levels.
    ProblemError
        If the topic has no document of grade ``threshold`` or higher.

    Examples
    --------
    >>> import maxent as me
    >>> me.actual_curve([2, 0, 1, 0], (2, 1)).to_frame().round(3)
       rank  recall  precision
    0   1.0   0.333      1.000
    1   3.0   0.667      0.667
    """
    base = recall_base(relevant, threshold)
    array = one_list(grades, len(relevant))
    rank = np.flatnonzero(array >= threshold) + 1.0
    found = np.arange(1, len(rank) + 1)
    return Curve(rank, found / base, found / rank)


def inferred_curve(
    solution: Solution, *, threshold: int = 1, expected: bool = False, band: float | None = None
) -> Curve:
    """Precision-recall curve that a maximum-entropy distribution implies, at every rank.

    Parameters
    ----------
    solution : Solution
        Solution with status ``optimal`` or ``boundary``.
    threshold : int
        Lowest grade that counts as relevant.
    expected : bool
        Give the expected precision E[k / n_k] at the random rank n_k of each relevant document, in place of the
        ratio of expectations at every rank. It is the mean over lists that have k relevant documents.
    band : float, optional
        Probability of the band around the curve, such as 0.9: k / n_k is below it as often as above, in lists that
        have k relevant documents. Between two documents its ends are interpolated.

    Returns
    -------
    Curve
        One point for each rank, or with ``expected`` for each relevant document.

    Raises
    ------
    MeasureError
        If the threshold is not in 1..levels.
    ProblemError
        If the solution has no distribution (infeasible or failed), the topic has no document of grade
        ``threshold`` or higher, or the band is not between 0 and 1.

    Examples
    --------
    >>> import maxent as me
    >>> problem = me.Problem(me.AP(), value=0.6, relevant=(3,), retrieved=(2,), depth=4)
    >>> me.inferred_curve(me.solve(problem)).to_frame().round(3)
       rank  recall  precision
    0   1.0   0.275      0.824
    1   2.0   0.463      0.695
    2   3.0   0.585      0.585
    3   4.0   0.667      0.500
    """
    check_type("a solution", solution, Solution)
    if solution.status not in ("optimal", "boundary"):
        raise ProblemError(f"no curve: the problem is {solution.status}. {solution.message}")
    base = recall_base(solution.problem.relevant, threshold)
    found = np.cumsum(solution.p[:, threshold:].sum(axis=1))
    rank = np.arange(1.0, len(found) + 1)
    if band is None and not expected and solution.model == "ranks":
        return Curve(rank, found / base, found / rank)
    positions = solution.ranks(threshold=threshold)
    documents = np.arange(1.0, len(positions) + 1)
    curve = Curve(rank, found / base, found / rank, positions=positions)
    if expected:
        found, precision = documents, precision_at_documents(positions)
        curve = Curve(documents / precision, documents / base, precision, positions=positions)
    if band is None:
        return curve
    check_band(band)
    ends = precision_band(positions, band) if len(positions) else np.full((2, 1), np.nan)
    low, high = (np.interp(found, documents if len(positions) else [1.0], end) for end in ends)
    return replace(curve, low=low, high=high)


def curve_error(actual: Curve, inferred: Curve, *, align: Align = "recall") -> CurveError:
    """RMS and mean absolute difference of precision at the actual curve's points.

    Parameters
    ----------
    actual, inferred : Curve
        Curves of one list and threshold.
    align : {"recall", "rank", "expected"}
        Compare at equal recall (the inferred curve is interpolated linearly, and extended to recall 0 with its
        first precision), at the same rank, or the expected precision E[k / n_k] at the k-th relevant document,
        whose rank n_k is random, over lists that have k relevant documents.

    Returns
    -------
    CurveError
        The errors are NaN where the actual curve has no point.

    Raises
    ------
    ProblemError
        If the alignment is unknown.

    Examples
    --------
    >>> import maxent as me
    >>> grades, relevant = [1, 1, 0, 0, 1, 0, 0, 0], (4,)
    >>> solution = me.solve(me.Problem.of_list(me.AP(), grades, relevant))
    >>> error = me.curve_error(me.actual_curve(grades, relevant), me.inferred_curve(solution))
    >>> round(error.rms, 3), round(error.mae, 3), error.points
    (0.216, 0.202, 3)
    """
    for curve in (actual, inferred):
        check_type("a curve", curve, Curve)
    precision = matched_precision(actual, inferred, align)
    if not len(actual.rank):
        return CurveError(float("nan"), float("nan"), 0)
    difference = precision - actual.precision
    return CurveError(float(np.sqrt(np.mean(difference**2))), float(np.mean(np.abs(difference))), len(difference))


def matched_precision(actual: Curve, inferred: Curve, align: Align) -> FloatArray:
    """Inferred precision at the points of the actual curve, (points,); see :func:`curve_error`."""
    check_choice("alignment", align, ALIGNS, raises=ProblemError)
    if align == "rank":
        return np.asarray(inferred.precision[actual.rank.astype(int) - 1])
    if align == "expected" and inferred.positions is not None:
        return precision_at_documents(inferred.positions)[: len(actual.rank)]
    if align == "expected":
        return np.asarray(expected_precision((inferred.precision * inferred.rank)[None], len(actual.rank))[0])
    left, right, share = neighbours(actual.recall, inferred.recall)
    return np.asarray(inferred.precision[left] + share * (inferred.precision[right] - inferred.precision[left]))


def neighbours(wanted: FloatArray, recall: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Positions (points,) of the left and the right neighbour of each wanted recall, and the right one's weight.

    The right point is the first that reaches the wanted recall, up to rounding: where recall stays the same, the
    points after it have lower precision. Beyond an end of the curve, the precision is that of the end.
    """
    right = np.minimum(np.searchsorted(recall, wanted - SAME_RECALL), len(recall) - 1)
    left = np.maximum(right - 1, 0)
    step = recall[right] - recall[left]
    share = np.clip((wanted - recall[left]) / np.where(step > 0, step, 1.0), 0.0, 1.0)
    return left, right, np.where(step > 0, share, 1.0)


def profile(solution: Solution) -> pd.DataFrame:
    """Probability of every grade at every rank, as a table.

    Parameters
    ----------
    solution : Solution
        Its ``p`` is shown.

    Returns
    -------
    DataFrame
        One row per rank x grade: measure (its text form), rank, grade, p.

    Examples
    --------
    >>> import maxent as me
    >>> solution = me.solve(me.Problem(me.AP(), value=0.48, relevant=(2,), retrieved=(1,), depth=2))
    >>> me.curves.profile(solution).round(3)
      measure  rank  grade      p
    0      AP     1      0  0.283
    1      AP     1      1  0.717
    2      AP     2      0  0.717
    3      AP     2      1  0.283
    """
    check_type("a solution", solution, Solution)
    depth, grades = solution.p.shape
    return pd.DataFrame(
        {
            "measure": str(solution.problem.measure),
            "rank": np.repeat(np.arange(1, depth + 1), grades),
            "grade": np.tile(np.arange(grades), depth),
            "p": solution.p.ravel(),
        }
    )


def recall_base(relevant: GradeCounts, threshold: int) -> float:
    """R_>=t: documents of grade ``threshold`` or higher in the topic; errors as for :func:`actual_curve`."""
    threshold = whole_number("threshold", threshold, raises=MeasureError)
    check_level(threshold, len(check_topic(relevant)))
    base = float(sum(relevant[threshold - 1 :]))
    if base <= 0:
        raise ProblemError(f"the topic has no document of grade {threshold} or higher: recall is undefined")
    return base
