"""How the value of a list changes with one document: another grade, or a little more gain.

Kishida derives this measure by measure (eqs. 10, 16, 28, 33, 36, 37, 43, 44); all of it follows from one algebra.
"""

from dataclasses import replace
from itertools import product
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.measures.cumulated import NDCNG
from maxent.measures.form import check_grades
from maxent.measures.gain import gain_values
from maxent.measures.measure import Measure
from maxent.types import FloatArray, GradeCounts, IntArray

RecallBase = Literal["fixed", "updated"]


def value_changes(
    measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts, *, recall_base: RecallBase = "fixed"
) -> FloatArray:
    """Change of the value when the document at a rank gets another grade, for all ranks and grades.

    Parameters
    ----------
    measure : Measure
        Pairwise forms take one pass over the list. For the others every changed list is evaluated, quadratic in
        depth; Bpref cannot be asked, since a changed document may be judged or unjudged.
    grades : (..., depth) integer array
        Observed lists of one topic.
    relevant : (levels,) sequence
        R_i of the topic, before the change.
    recall_base : {"fixed", "updated"}
        ``fixed``: R_i stay as they are, and with them every normaliser: as if another document stood there
        (Kishida eqs. 10, 37, 44). ``updated``: the document is judged anew, so that R_i of its new grade grows by
        one and that of its old grade falls (eq. 16: an undiscovered relevant document is found).

    Returns
    -------
    (..., depth, levels + 1) array
        Entry [n, i]: value with grade i at rank n + 1, minus the value of the list; 0 at its own grade.

    Raises
    ------
    MeasureError
        If the measure is Bpref, or ``updated`` would take away a document that ``relevant`` does not count.
    """
    if recall_base not in get_args(RecallBase):
        raise MeasureError(f"unknown recall_base {recall_base!r}: {', '.join(get_args(RecallBase))}")
    observed = check_grades(grades, len(relevant))
    before = measure.evaluate(observed, relevant)[..., None, None]
    if recall_base == "fixed":
        after = _values_after(measure, observed, relevant)
    else:
        after = _values_updated(measure, observed, np.asarray(relevant, dtype=np.float64))
    # what stays infinite (ranked half-life of a list without gain) does not change
    return np.subtract(after, before, out=np.zeros(after.shape), where=after != before)


def gain_derivatives(measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts) -> FloatArray:
    """Derivative of the value by the gain x_n of the document at each rank; the ideal list is held fixed.

    Parameters
    ----------
    measure : Measure
        A pairwise form with gains that is affine in the gain of each document: all of them but NDCNG.
    grades : (..., depth) integer array
    relevant : (levels,) sequence

    Returns
    -------
    (..., depth) array
        Kishida's eqs. 28, 33, 36, 43. For a document without gain the derivative where the measure is linear, and
        nan where it jumps as soon as the document counts as relevant (:func:`value_changes` gives the jump).

    Raises
    ------
    MeasureError
        If the measure has no gains or is not affine in them.
    """
    if not hasattr(measure, "gain") or not measure.is_form() or isinstance(measure, NDCNG):
        raise MeasureError(
            f"{measure} has no derivative by gains here: it must be a pairwise form that is affine in them, as "
            f"nDCG, gAP or Q are; value_changes() gives its change from grade to grade"
        )
    observed, levels = check_grades(grades, len(relevant)), len(relevant)
    x = np.concatenate(([0.0], gain_values(measure.gain, levels)))
    # For every grade a twin that no judged document has, of half its gain: affine, so the quotient is exact;
    # half rather than double, so that no normaliser by the largest gain notices.
    twins = np.where(x > 0, x, x.max() or 1.0) / 2
    extended = replace(measure, gain=(*x[1:].tolist(), *twins.tolist()))  # type: ignore[call-arg]
    form = extended.form((*relevant, *[0] * (levels + 1)), observed.shape[-1])
    change = np.take_along_axis(form.changes(observed), observed[..., None] + levels + 1, axis=-1)[..., 0]
    slope = change / (twins - x)[observed]
    return np.asarray(slope if form.linear else np.where(x[observed] > 0, slope, np.nan))


def _values_after(measure: Measure, grades: IntArray, relevant: GradeCounts) -> FloatArray:
    """Value after the change, (..., depth, levels + 1), for the given R_i."""
    depth, levels = grades.shape[-1], len(relevant)
    if measure.is_form():
        form = measure.form(relevant, depth)
        return np.asarray(form.evaluate(grades)[..., None, None] + form.changes(grades))
    after = np.empty((*grades.shape, levels + 1))
    changed = np.repeat(grades[..., None, :], levels + 1, axis=-2)
    for n in range(depth):
        changed[..., n] = np.arange(levels + 1)
        after[..., n, :] = measure.evaluate(changed, relevant)
        changed[..., n] = grades[..., None, n]
    return after


def _values_updated(measure: Measure, grades: IntArray, relevant: FloatArray) -> FloatArray:
    """Value after the change where R_i follow it: a topic of its own for every pair of grades."""
    levels = len(relevant)
    after = np.empty((*grades.shape, levels + 1))
    for old, new in product(np.unique(grades), range(levels + 1)):
        counts = relevant + (np.eye(levels + 1)[new] - np.eye(levels + 1)[old])[1:]
        if counts.min() < 0:
            raise MeasureError(f"a list has a document of grade {old}, but relevant counts {relevant[old - 1]:g}")
        at = grades == old
        after[at, new] = _values_after(measure, grades, counts)[at, new]
    return after
