"""Change of a measure when two documents of a list are swapped: one formula for every pairwise form.

A pairwise form (:mod:`maxent.measures.form`) is M = sum_n [ a_n(i_n) + d_n sum_{m<n} K(i_n, i_m) ]. With e_n the
one-hot row of the grade at rank n this is

    M = sum_n [ a_n . e_n + d_n e_n' K sum_{m<n} e_m ].

Swapping the grades x at rank n and y at a later rank m adds u = e_y - e_x to row n and -u to row m. M is linear in
each row: the first change alone adds v_n(y) = w_n(y) - w_n(x) to M, where w is the gradient of M
(:meth:`maxent.measures.form.Form.changes`), and the second alone adds v_m(x). The only term with both rows is
d_m e_m' K e_n, so that both changes together add another d_m (-u)' K u:

    delta_nm = v_n(y) + v_m(x) - d_max(n,m) B(x, y),        B(x, y) = u' K u = K(x,x) + K(y,y) - K(x,y) - K(y,x)

All v require two cumulative sums, and every pair then three look-ups. For linear measures K = 0; for nDCG, the
difference of the gains times the difference of the discounts remains. K need not be symmetric.
"""

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.measures.list_checks import check_grades
from maxent.measures.measure import Measure, names_of_forms
from maxent.measures.parse import parse_measure
from maxent.types import FloatArray, GradeCounts


def swap_deltas(measure: Measure | str, grades: "npt.ArrayLike", relevant: GradeCounts) -> FloatArray:
    """Compute the change of the value when two documents are swapped, for all pairs of ranks.

    Parameters
    ----------
    measure : Measure or text
        Measure that is a pairwise form.
    grades : (..., depth) integer array
        Grades of observed lists of one topic.
    relevant : (levels,) sequence
        R_i of the topic.

    Returns
    -------
    (..., depth, depth) array
        Entry [i, j]: value after the documents at ranks i + 1 and j + 1 are swapped, minus the value of the list.
        Symmetric; 0 where the grades are equal.

    Raises
    ------
    MeasureError
        If the measure is not a pairwise form, or does not fit the grades.

    Examples
    --------
    >>> import maxent as me
    >>> from maxent.ltr import swap_deltas
    >>> swap_deltas(me.AP(), grades=[0, 1, 1, 0], relevant=(2,)).round(2)
    array([[ 0.  ,  0.25,  0.42,  0.  ],
           [ 0.25,  0.  ,  0.  , -0.17],
           [ 0.42,  0.  ,  0.  , -0.08],
           [ 0.  , -0.17, -0.08,  0.  ]])
    """
    measure = parse_form(measure)
    observed = check_grades(grades, len(relevant))
    depth = observed.shape[-1]
    form = measure.form(relevant, depth)
    # delta_nm = v_n(y) + v_m(x) - d_max(n,m) B(x, y)
    x, y = observed[..., :, None], observed[..., None, :]  # grades at the ranks n and m
    v = np.take_along_axis(form.changes(observed), y, axis=-1)  # (..., n, m): v_n(y)
    ranks = np.arange(depth)
    d_of_later = form.d[np.maximum(ranks[:, None], ranks)]
    return np.asarray(v + np.swapaxes(v, -1, -2) - d_of_later * exchange_kernel(form.K)[x, y])


def exchange_kernel(K: FloatArray) -> FloatArray:
    """B(x, y) of the module's formula for all pairs of grades, from K of shape (..., levels + 1, levels + 1)."""
    diagonal = np.diagonal(K, axis1=-2, axis2=-1)
    return np.asarray((diagonal[..., :, None] + diagonal[..., None, :]) - (K + np.swapaxes(K, -1, -2)))


def parse_form(measure: Measure | str) -> Measure:
    """The measure; MeasureError if it is not a pairwise form: its change under a swap has no closed form."""
    measure = parse_measure(measure)
    if not measure.is_form():
        raise MeasureError(
            f"{measure} is not a pairwise form of the grades, swaps have no closed form. "
            f"These do: {names_of_forms()}"
        )
    return measure
