"""The error between two curves of a list: the differences of their precision where recall changes."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from maxent.checks import check_choice
from maxent.curves.actual import Curve
from maxent.errors import ProblemError
from maxent.kernels.curves import SAME_RECALL, expected_precision
from maxent.lists.curves import precision_at_documents
from maxent.problem.checks import check_type
from maxent.types import FloatArray, IntArray

Align = Literal["recall", "rank", "expected", "every-rank"]
ALIGNS: tuple[Align, ...] = get_args(Align)


class CurveError(NamedTuple):
    """Distance of an inferred curve from the actual one, over the points where recall changes.

    Attributes
    ----------
    rms, mae : float
        Root mean square and mean absolute difference of precision; NaN if there is no point.
    points : int
        Number of precisions that are compared: points of the actual curve, or all ranks.
    """

    rms: float
    mae: float
    points: int


def curve_error(actual: Curve, inferred: Curve, *, align: Align = "recall") -> CurveError:
    """RMS and mean absolute difference of precision at the actual curve's points.

    Parameters
    ----------
    actual, inferred : Curve
        Curves of one list and threshold.
    align : {"recall", "rank", "expected", "every-rank"}
        Compare at equal recall (the inferred curve is interpolated linearly, and extended to recall 0 with its
        first precision), at the same rank, or the expected precision E[k / n_k] at the k-th relevant document,
        whose rank n_k is random, over lists that have k relevant documents. With ``every-rank``, precision is
        compared at all ranks, so that lists without a relevant document count as well: for short lists.

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
    difference = precision_differences(actual, inferred, align)
    if not len(difference):
        return CurveError(float("nan"), float("nan"), 0)
    return CurveError(float(np.sqrt(np.mean(difference**2))), float(np.mean(np.abs(difference))), len(difference))


def precision_differences(actual: Curve, inferred: Curve, align: Align) -> FloatArray:
    """Inferred minus actual precision where the two are compared, (points,); see :func:`curve_error`."""
    check_choice("alignment", align, ALIGNS, raises=ProblemError)
    if align == "every-rank":
        found = np.searchsorted(actual.rank, inferred.rank, side="right")
        return np.asarray(inferred.precision - found / inferred.rank)
    return _matched_precision(actual, inferred, align) - actual.precision


def _matched_precision(actual: Curve, inferred: Curve, align: Align) -> FloatArray:
    """Inferred precision at the points of the actual curve, (points,)."""
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
