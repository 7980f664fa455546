"""Precision-recall curves that a solution implies."""

from dataclasses import replace

import numpy as np
import pandas as pd

from maxent.checks import check_band, check_type
from maxent.curves.actual import Curve, recall_base
from maxent.errors import ProblemError
from maxent.lists.expected_precision import precision_at_documents, precision_band, widened
from maxent.problem import Solution
from maxent.shown import NOTHING


def inferred_curve(
    solution: Solution, *, threshold: int = 1, expected: bool = False, band: float | None = None
) -> Curve:
    """Precision-recall curve at every rank that a maximum-entropy distribution implies.

    Parameters
    ----------
    solution : Solution
        Solution with a distribution, of any status except ``infeasible`` and ``failed``.
    threshold : int
        Lowest grade that counts as relevant.
    expected : bool
        Return the expected precision E[k / n_k] at the random rank n_k of each relevant document, in place of the
        ratio of expectations at every rank. It is the mean over lists that have k relevant documents.
    band : float, optional
        Probability of the band around the curve, such as 0.9: in lists that have k relevant documents, k / n_k is
        below the band as often as above it. Between two documents, the ends are interpolated. Where the curve, a
        mean, would be outside, the band is wider.

    Returns
    -------
    Curve
        Curve with a point for each rank or, with ``expected``, for each relevant document.

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
    if solution.status in NOTHING:
        raise ProblemError(f"no curve: the problem is {solution.status}. {solution.message}")
    base, name = recall_base(solution.problem.relevant, threshold), str(solution.problem.measure)
    # 1. the ratio of expectations at every rank
    retrieved = np.cumsum(solution.p[:, threshold:].sum(axis=1))  # expected relevant documents up to each rank
    rank = np.arange(1.0, len(retrieved) + 1)
    if band is None and not expected and solution.distribution.independent:
        return Curve(rank, retrieved / base, retrieved / rank, name=name)
    positions = solution.ranks(threshold=threshold)  # (documents, depth)
    documents = np.arange(1.0, len(positions) + 1)
    curve = Curve(rank, retrieved / base, retrieved / rank, positions=positions, name=name)
    # 2. or the expected precision at every document
    if expected:
        retrieved, precision = documents, precision_at_documents(positions)
        curve = Curve(documents / precision, documents / base, precision, positions=positions, name=name)
    if band is None:
        return curve
    # 3. the band at every document, interpolated at the points; NaN where no list has a document
    check_band(band)
    if len(positions):
        ends = [np.interp(retrieved, documents, end) for end in precision_band(positions, band)]
    else:
        ends = [np.full(len(retrieved), np.nan)] * 2
    low, high = widened(np.array(ends), curve.precision)
    return replace(curve, low=low, high=high)


def profile(solution: Solution) -> pd.DataFrame:
    """Table of the probability of every grade at every rank.

    Parameters
    ----------
    solution : Solution
        Solution whose ``p`` is tabulated.

    Returns
    -------
    DataFrame
        A row for each rank and grade: measure (its text form), rank, grade, p.

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
