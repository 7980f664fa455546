"""Precision-recall curves: actual, inferred from a solution, graded, and the error between two of them."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.errors import MeasureError, ProblemError
from maxent.measures import GAP
from maxent.measures.form import check_grades
from maxent.measures.gain import check_level
from maxent.problem import Solution
from maxent.types import FloatArray, GradeCounts, IntArray

Align = Literal["recall", "rank"]
ALIGNS: tuple[Align, ...] = get_args(Align)

ROUNDING = 1e-9  # of a recall: sums of probabilities that solvers of different accuracy give


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a precision-recall curve by increasing rank: three arrays of one length."""

    rank: FloatArray
    recall: FloatArray
    precision: FloatArray

    def to_frame(self) -> pd.DataFrame:
        """Columns rank, recall, precision."""
        return pd.DataFrame({"rank": self.rank, "recall": self.recall, "precision": self.precision})

    @property
    def area(self) -> float:
        """Sum of precision times recall step: AP for an actual curve, GAP for a graded one."""
        return float(self.precision @ np.diff(self.recall, prepend=0.0))


class CurveError(NamedTuple):
    """Distance of an inferred curve from the actual one, over the points where recall changes."""

    rms: float
    mae: float
    points: int


def actual_curve(grades: npt.ArrayLike, relevant: GradeCounts, *, threshold: int = 1) -> Curve:
    """Curve of an observed list at its relevant documents.

    Parameters
    ----------
    grades : (depth,) integer array
    relevant : (levels,) sequence
        R_i of the topic: recall is relative to all of them, retrieved or not.
    threshold : int
        Lowest grade that counts as relevant.

    Returns
    -------
    Curve
        One point for each relevant document of the list; none where it has none.
    """
    array, base = check_grades(grades, len(relevant)), recall_base(relevant, threshold)
    rank = np.flatnonzero(array >= threshold) + 1.0
    found = np.arange(1, len(rank) + 1)
    return Curve(rank, found / base, found / rank)


def inferred_curve(solution: Solution, *, threshold: int = 1) -> Curve:
    """Curve of expected documents under a maximum-entropy distribution, at every rank.

    Raises
    ------
    ProblemError
        If the solution has no distribution (infeasible or failed).
    """
    if solution.status not in ("optimal", "boundary"):
        raise ProblemError(f"no curve: the problem is {solution.status}. {solution.message}")
    base = recall_base(solution.problem.relevant, threshold)
    found = np.cumsum(solution.p[:, threshold:].sum(axis=1))
    rank = np.arange(1.0, len(found) + 1)
    return Curve(rank, found / base, found / rank)


def graded_curve(grades: npt.ArrayLike, relevant: GradeCounts, *, g: tuple[float, ...]) -> Curve:
    """Graded precision and recall at the documents that some user finds relevant (GAP paper 3.2).

    Graded recall at another rank is that of the last point before; graded precision is defined at these ranks only.

    Parameters
    ----------
    grades : (depth,) integer array
    relevant : (levels,) sequence
    g : (levels,) tuple
        Threshold probabilities.

    Returns
    -------
    Curve
        Its ``area`` is GAP(g).
    """
    array = check_grades(grades, len(relevant))
    if len(g) != len(relevant):
        raise MeasureError(f"{len(g)} threshold probabilities, but the topic has {len(relevant)} grades")
    G = np.concatenate(([0.0], np.cumsum(GAP(g=g).g)))
    base = float(np.asarray(relevant) @ G[1:])
    gained = G[array]
    rank = np.flatnonzero(gained > 0) + 1.0
    if base == 0:
        return Curve(rank, np.zeros(len(rank)), np.zeros(len(rank)))
    seen = np.cumsum(array[:, None] == np.arange(len(G)), axis=0)  # documents of each grade so far
    pivot = gained > 0
    shared = np.minimum.outer(gained[pivot], G)  # G_min(i_n, i_m) for every grade i_m
    precision = np.sum(seen[pivot] * shared, axis=1) / (rank * gained[pivot])
    return Curve(rank, np.cumsum(gained)[pivot] / base, precision)


def curve_error(actual: Curve, inferred: Curve, *, align: Align = "recall") -> CurveError:
    """RMS and mean absolute difference of precision at the actual curve's points.

    Parameters
    ----------
    actual, inferred : Curve
    align : {"recall", "rank"}
        Compare at equal recall (the inferred curve interpolated linearly and extended to recall 0 with its first
        precision) or at the same rank.

    Returns
    -------
    CurveError
        NaN errors where the actual curve has no point.
    """
    precision = matched_precision(actual, inferred, align)
    if not len(actual.rank):
        return CurveError(float("nan"), float("nan"), 0)
    difference = precision - actual.precision
    return CurveError(float(np.sqrt(np.mean(difference**2))), float(np.mean(np.abs(difference))), len(difference))


def matched_precision(actual: Curve, inferred: Curve, align: Align) -> FloatArray:
    """Inferred precision where the actual curve has its points, (points,); see :func:`curve_error`."""
    if align not in ALIGNS:
        raise ProblemError(f"unknown alignment {align!r}; known: {', '.join(ALIGNS)}")
    if align == "rank":
        return np.asarray(inferred.precision[actual.rank.astype(int) - 1])
    left, right, share = neighbours(actual.recall, inferred.recall)
    return np.asarray(inferred.precision[left] + share * (inferred.precision[right] - inferred.precision[left]))


def neighbours(wanted: FloatArray, recall: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Points of a curve between which its precision at some recall is interpolated, and the share of the later one.

    The later one is the first that reaches the recall but for rounding: where a curve is flat, later points have
    the same recall and less and less precision. Beyond an end of the curve both points are that end.

    Parameters
    ----------
    wanted : (points,) array
        Increasing.
    recall : (depth,) array
        Recall of the curve, which does not decrease.
    """
    right = np.minimum(np.searchsorted(recall, wanted - ROUNDING), len(recall) - 1)
    left = np.maximum(right - 1, 0)
    step = recall[right] - recall[left]
    share = np.clip((wanted - recall[left]) / np.where(step > 0, step, 1.0), 0.0, 1.0)
    return left, right, np.where(step > 0, share, 1.0)


def profile(solution: Solution) -> pd.DataFrame:
    """Probability of every grade at every rank: columns measure, rank, grade, p."""
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
    """R_>=t: documents of grade ``threshold`` or higher in the topic, retrieved or not."""
    check_level(threshold, len(relevant))
    base = float(sum(relevant[threshold - 1 :]))
    if base <= 0:
        raise ProblemError(f"the topic has no document of grade {threshold} or higher: recall is undefined")
    return base
