"""Precision-recall curves as objects, and the curve of an observed list."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import whole_number
from maxent.errors import MeasureError, ProblemError
from maxent.measures.gain import check_level
from maxent.measures.list_checks import check_topic, one_list
from maxent.shown import Shown, public
from maxent.texts import many
from maxent.types import FloatArray, GradeCounts


@dataclass(frozen=True, eq=False)
class Curve(Shown):
    """Points of a precision-recall curve.

    Attributes
    ----------
    rank : (points,) array
        Ranks of the points, increasing; the top of the list is rank 1.
    recall, precision : (points,) array
        Recall and precision at these ranks. For an expected curve, the ranks are those that give its precision.
    low, high : (points,) array, optional
        Band of the precision at these recalls; see :func:`maxent.inferred_curve`.
    positions : (documents, depth) array, optional
        Probability that the k-th relevant document is at rank n, for inferred curves that need it.
    name : str
        ``actual``, or the measure whose value implies the curve.
    """

    rank: FloatArray
    recall: FloatArray
    precision: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    positions: FloatArray | None = None
    name: str = field(default="actual", kw_only=True)

    def __repr__(self) -> str:
        return f"Curve({self.name}: {many(len(self.rank), 'point')})"

    def to_frame(self) -> pd.DataFrame:
        """Table with a row for each point: rank, recall, precision and, with a band, low and high."""
        columns = {"rank": self.rank, "recall": self.recall, "precision": self.precision}
        return pd.DataFrame(columns | ({} if self.low is None else {"low": self.low, "high": self.high}))

    def plot(self, ax: Any = None) -> Any:
        """Plot the curve, with its band if there is one, on ``ax``, by default new axes."""
        return public("plot.plot_curves")(self.to_frame().assign(curve=self.name), ax=ax)

    @property
    def area(self) -> float:
        """Area under the steps of the curve, which is AP(rel=threshold) or, for a graded curve, GAP."""
        return float(self.precision @ np.diff(self.recall, prepend=0.0))


def actual_curve(grades: "npt.ArrayLike", relevant: GradeCounts, *, threshold: int = 1) -> Curve:
    """Precision-recall curve of an observed list, at its relevant documents.

    Parameters
    ----------
    grades : (depth,) integer array
        Grades in rank order.
    relevant : (levels,) sequence
        R_i of the topic; recall is relative to all of these documents, retrieved or not.
    threshold : int
        Lowest grade that counts as relevant.

    Returns
    -------
    Curve
        Curve with a point for each relevant document in the list.

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
    documents = np.arange(1, len(rank) + 1)
    return Curve(rank, documents / base, documents / rank)


def recall_base(relevant: GradeCounts, threshold: int) -> float:
    """R_>=t, the documents of grade ``threshold`` or higher in the topic; errors as for :func:`actual_curve`."""
    threshold = whole_number("threshold", threshold, raises=MeasureError)
    check_level(threshold, len(check_topic(relevant)))
    base = float(sum(relevant[threshold - 1 :]))
    if base <= 0:
        raise ProblemError(f"the topic has no document of grade {threshold} or higher: recall is undefined")
    return base
