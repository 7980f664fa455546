"""Changes in the value of a list with the grade or the gain of one document.

Kishida derives them for each measure (eqs. 10, 16, 28, 33, 36, 37, 43, 44); here they follow from the pairwise
form.
"""

from dataclasses import replace
from itertools import product
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.measures.cumulated import NDCNG
from maxent.measures.gain import gain_values
from maxent.measures.list_checks import check_grades
from maxent.measures.measure import Measure
from maxent.measures.parse import parse_measure
from maxent.types import FloatArray, GradeCounts, IntArray

RecallBase = Literal["fixed", "updated"]


def value_changes(
    measure: Measure | str, grades: "npt.ArrayLike", relevant: GradeCounts, *, recall_base: RecallBase = "fixed"
) -> FloatArray:
    """Change in value when the document at a rank is given another grade, for all ranks and grades.

    Parameters
    ----------
    measure : Measure or text
        Any measure that does not depend on which documents are judged, as Bpref, Judged and ``judged_only`` do. For
        pairwise forms, all changes are computed at once; for other measures, every changed list is evaluated, at a
        cost quadratic in the depth.
    grades : (..., depth) integer array
        Observed lists of one topic.
    relevant : (levels,) sequence
        R_i of the topic, before the change.
    recall_base : {"fixed", "updated"}
        ``fixed``: R_i and all normalisers stay the same, as if another document were at this rank (Kishida eqs. 10,
        37, 44). ``updated``: the document is judged again, so that R_i rises by one for its new grade and falls by
        one for its old grade (eq. 16: an undiscovered relevant document is found).

    Returns
    -------
    (..., depth, levels + 1) array
        Entry [..., n - 1, i] is the value with grade i at rank n minus the value of the list; 0 for the observed
        grade.

    Raises
    ------
    MeasureError
        If the measure is Bpref, ``recall_base`` is unknown, or, with ``updated``, the list has a document of a
        grade for which ``relevant`` counts none.

    Examples
    --------
    Change in AP if the document at each rank (row) had grade 0 or 1 (column):

    >>> import maxent as me
    >>> print(me.measures.value_changes(me.AP(), [1, 0, 0, 1], (3,)).round(3))
    [[-0.417  0.   ]
     [ 0.     0.417]
     [ 0.     0.306]
     [-0.167  0.   ]]

    If the document at rank 2 or 3 turns out to be relevant, the topic has four relevant documents:

    >>> print(me.measures.value_changes(me.AP(), [1, 0, 0, 1], (3,), recall_base="updated")[:, 1].round(3))
    [0.    0.188 0.104 0.   ]
    """
    measure = parse_measure(measure)
    if recall_base not in get_args(RecallBase):
        raise MeasureError(f"unknown recall_base {recall_base!r}: {', '.join(get_args(RecallBase))}")
    observed = check_grades(grades, len(relevant))
    before = measure.values(observed, relevant)[..., None, None]
    if recall_base == "fixed":
        after = _changed_values(measure, observed, relevant)
    else:
        after = _values_with_new_counts(measure, observed, np.asarray(relevant, dtype=np.float64))
    # where both are infinite (ranked half-life without gain) the change is 0, not NaN
    return np.subtract(after, before, out=np.zeros(after.shape), where=after != before)


def gain_derivatives(measure: Measure | str, grades: "npt.ArrayLike", relevant: GradeCounts) -> FloatArray:
    """Derivative of the value with respect to the gain x_n of the document at each rank, for a fixed ideal list.

    Parameters
    ----------
    measure : Measure or text
        A pairwise form that is affine in the gain of each document: any with the parameter ``gain``, except NDCNG.
    grades : (..., depth) integer array
        Observed lists of one topic.
    relevant : (levels,) sequence
        R_i of the topic.

    Returns
    -------
    (..., depth) array
        Derivatives as in Kishida's eqs. 28, 33, 36 and 43. For a document without gain, the derivative is NaN
        unless the measure is linear: the value jumps when the document becomes relevant (:func:`value_changes`
        gives the jump).

    Raises
    ------
    MeasureError
        If the measure has no gains or is not affine in them.

    Examples
    --------
    >>> import maxent as me
    >>> grades, relevant = [2, 0, 1, 0], (2, 1)
    >>> me.measures.gain_derivatives(me.nDCG(), grades, relevant).round(3).tolist()
    [0.319, 0.202, 0.16, 0.138]
    >>> me.measures.gain_derivatives(me.gAP(), grades, relevant).round(3).tolist()
    [0.276, nan, 0.069, nan]
    """
    measure = parse_measure(measure)
    gain = getattr(measure, "gain", None)
    if gain is None or not measure.is_form() or isinstance(measure, NDCNG):
        raise MeasureError(
            f"{measure} has no derivative with respect to gains: it must be a pairwise form that is affine in "
            f"them, such as nDCG, gAP or Q; value_changes() gives its change from grade to grade"
        )
    observed, levels = check_grades(grades, len(relevant)), len(relevant)
    x = np.concatenate(([0.0], gain_values(gain, levels)))  # (levels + 1,)
    # Every grade i gets a twin, levels + 1 + i, with half its gain that no judged document has. The measure is
    # affine in the gain, so the difference quotient is exact. Half, not double: the largest gain, by which gP is
    # normalised, stays.
    twin_gains = np.where(x > 0, x, x.max() or 1.0) / 2
    extended = replace(measure, gain=(*x[1:].tolist(), *twin_gains.tolist()))  # type: ignore[call-arg]
    form = extended.form((*relevant, *[0] * (levels + 1)), observed.shape[-1])
    twins = observed[..., None] + levels + 1
    change = np.take_along_axis(form.changes(observed), twins, axis=-1)[..., 0]
    slope = change / (twin_gains - x)[observed]
    return np.asarray(slope if form.linear else np.where(x[observed] > 0, slope, np.nan))


def _changed_values(measure: Measure, grades: IntArray, relevant: GradeCounts) -> FloatArray:
    """Values of lists with one grade replaced, by rank and new grade (..., depth, levels + 1); R_i as given."""
    depth, levels = grades.shape[-1], len(relevant)
    if measure.is_form():
        form = measure.form(relevant, depth)
        return np.asarray(form.evaluate(grades)[..., None, None] + form.changes(grades))
    after = np.empty((*grades.shape, levels + 1))
    changed = np.repeat(grades[..., None, :], levels + 1, axis=-2)  # (..., levels + 1, depth), a list per new grade
    for n in range(depth):
        changed[..., n] = np.arange(levels + 1)
        after[..., n, :] = measure.values(changed, relevant)
        changed[..., n] = grades[..., None, n]  # as it was
    return after


def _values_with_new_counts(measure: Measure, grades: IntArray, relevant: FloatArray) -> FloatArray:
    """Values as in :func:`_changed_values`, with R_i that count the new grade in place of the old one."""
    levels = len(relevant)
    one_of = np.eye(levels + 1)[:, 1:]  # row i counts one document of grade i among the positive grades
    after = np.empty((*grades.shape, levels + 1))
    for old, new in product(np.unique(grades), range(levels + 1)):
        counts = relevant + (one_of[new] - one_of[old])
        if counts.min() < 0:
            raise MeasureError(f"a list has a document of grade {old}, but relevant counts {relevant[old - 1]:g}")
        has_old = grades == old
        after[has_old, new] = _changed_values(measure, grades, counts)[has_old, new]
    return after
