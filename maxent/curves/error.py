"""Error between two curves of a list: differences in precision where recall changes."""

from typing import NamedTuple, get_args

import numpy as np

from maxent.checks import check_choice, check_type
from maxent.curves.actual import Curve
from maxent.errors import ProblemError
from maxent.kernels.loops.records import SAME_RECALL
from maxent.kernels.observed import expected_precision, rms_and_mae
from maxent.lists.expected_precision import precision_at_documents
from maxent.options.choices import Align as Align
from maxent.types import FloatArray

ALIGNS: tuple[Align, ...] = get_args(Align)


class CurveSensitivity(NamedTuple):
    """Derivatives of an inferred curve with respect to each parameter, at every rank.

    Attributes
    ----------
    recall, precision : (parameters, depth) array
        Derivatives of recall and of precision at each rank.
    """

    recall: FloatArray
    precision: FloatArray


class CurveError(NamedTuple):
    """Distance of an inferred curve from the actual one, over the points where recall changes.

    Attributes
    ----------
    rms, mae : float
        Root mean square and mean absolute difference of precision; NaN if there is no point.
    points : int
        Number of precisions compared: points of the actual curve, or all ranks.
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
        ``recall``: compare precision at equal recall; the inferred curve is interpolated linearly, and extended to
        recall 0 with its first precision. ``rank``: at equal rank. ``expected``: compare with the expected
        precision E[k / n_k] at the k-th relevant document, whose rank n_k is random, over lists that have k
        relevant documents. ``every-rank``, for short lists: compare precision at all ranks, so that lists without a
        relevant document also count.

    Returns
    -------
    CurveError
        Errors; NaN if the actual curve has no point, except with ``every-rank``.

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
    differences = precision_differences(actual, inferred, align)[0]
    return CurveError(*rms_and_mae(differences), len(differences))


def precision_differences(
    actual: Curve, inferred: Curve, align: Align, changes: CurveSensitivity | None = None
) -> FloatArray:
    """Inferred minus actual precision at the compared points, (1 + parameters, points).

    The first row has the differences, the others their derivatives, which follow from the ``changes`` of the
    inferred curve; without these, there are no parameters.
    """
    check_choice("alignment", align, ALIGNS, raises=ProblemError)
    recall, precision = inferred.recall[None], inferred.precision[None]  # (1 + parameters, ranks)
    if changes:
        recall, precision = np.vstack((recall, changes.recall)), np.vstack((precision, changes.precision))
    if align == "every-rank":
        documents = np.searchsorted(actual.rank, inferred.rank, side="right")  # relevant ones up to each rank
        return _subtract(precision, documents / inferred.rank)
    return _subtract(_matched_precision(actual, inferred, align, recall, precision), actual.precision)


def _subtract(precision: FloatArray, actual: FloatArray) -> FloatArray:
    """Subtract the actual precision (points,) from the first row of ``precision`` (1 + parameters, points).

    The rows below, derivatives, stay as they are.
    """
    return np.vstack((precision[:1] - actual, precision[1:]))


def _matched_precision(
    actual: Curve, inferred: Curve, align: Align, recall: FloatArray, precision: FloatArray
) -> FloatArray:
    """Inferred precision at the points of the actual curve, (1 + parameters, points).

    ``recall`` and ``precision`` (1 + parameters, ranks) are those of the inferred curve, with their derivatives.
    """
    points = len(actual.rank)  # the relevant documents of the list
    if align == "rank":  # at the rank of each relevant document
        return precision[:, actual.rank.astype(int) - 1]
    if align == "expected" and inferred.positions is not None:  # over whole lists, which have no derivatives
        return precision_at_documents(inferred.positions)[None, :points]
    if align == "expected":  # at each relevant document, wherever it is
        relevant_so_far = precision * inferred.rank
        return expected_precision(relevant_so_far, points)
    return _precision_at_recall(actual.recall, recall, precision)


def _precision_at_recall(wanted: FloatArray, recall: FloatArray, precision: FloatArray) -> FloatArray:
    """Precision, (1 + parameters, points), of a curve at ``wanted`` recalls (points,), and its derivatives.

    ``recall`` and ``precision`` (1 + parameters, ranks) are those of the curve, with their derivatives. Between the
    points (r_0, p_0) and (r_1, p_1), which themselves change,

        p(r) = p_0 + s (p_1 - p_0),    s = (r - r_0) / (r_1 - r_0),
        p'(r) = p_0' + s (p_1' - p_0') - (p_1 - p_0) / (r_1 - r_0) (r_0' + s (r_1' - r_0')).
    """
    # The right point is the first that reaches the wanted recall, up to rounding: where recall stays the same, the
    # points after it have lower precision. Beyond an end of the curve, the precision is that of the end.
    right = np.minimum(np.searchsorted(recall[0], wanted - SAME_RECALL), recall.shape[1] - 1)
    left = np.maximum(right - 1, 0)
    step = recall[0, right] - recall[0, left]  # r_1 - r_0
    rises = step > 0
    divisor = np.where(rises, step, 1.0)
    share = np.where(rises, np.clip((wanted - recall[0, left]) / divisor, 0.0, 1.0), 1.0)  # s
    # p_0 + s (p_1 - p_0), and in the rows below p_0' + s (p_1' - p_0')
    interpolated = precision[:, left] + share * (precision[:, right] - precision[:, left])
    slope = np.where(rises, (precision[0, right] - precision[0, left]) / divisor, 0.0)
    # - (p_1 - p_0) / (r_1 - r_0) (r_0' + s (r_1' - r_0'))
    interpolated[1:] -= slope * (recall[1:, left] + share * (recall[1:, right] - recall[1:, left]))
    return np.asarray(interpolated)
