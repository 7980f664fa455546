"""Grades that a measure does not tell apart are solved as one, and their documents dealt out afterwards.

For given probabilities q_n of a class of such grades, sum_n H(p_n) is largest where every rank deals its documents
out alike, p_n(i) = q_n C_i / sum_j C_j: the entropy of the deal is concave in it, and its mean over the documents
fixed. So counts that are known make this exact. Upper bounds do only where all of them are reached, which the
multipliers' signs tell.
"""

import numpy as np

from maxent.measures.form import FloatArray
from maxent.statement import Classes


def deal_out(
    classes: Classes, counts: FloatArray, p: FloatArray, multipliers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Distributions and multipliers of all grades present.

    Parameters
    ----------
    classes : tuple of tuples of int
        Grades present, alike ones together.
    counts : (k, levels) array
        Expected number of documents of each positive grade.
    p : (k, depth, levels + 1) array
        Probabilities of the classes, at the lowest grade of each.
    multipliers : (k, len(classes)) array
        Of the value and of all classes but the first.

    Returns
    -------
    p : (k, depth, levels + 1) array
    multipliers : (k, c + 1) array
        Of the value and of the grades present but the lowest, in ascending order.
    """
    size = p.shape[2]
    share, mu, deal = np.zeros((len(p), size)), np.zeros((len(p), size)), np.zeros((len(p), size, size))
    for number, members in enumerate(classes):
        at = np.array(members)
        own = np.where(at > 0, counts[:, at - 1], 0.0)
        whole = np.maximum(own.sum(axis=1), 1e-300)
        if at[0] == 0:
            whole = np.maximum(whole, p[:, :, 0].sum(axis=1))  # bounds may be above what there is
        share[:, at] = own / whole[:, None]
        if at[0] == 0:
            share[:, 0] = np.maximum(1 - share[:, at].sum(axis=1), 0.0)  # lists may be full but for rounding
        deal[:, at[0], at] = share[:, at]
        mu[:, at] = np.log(np.maximum(share[:, at], 1e-300)) + (multipliers[:, number, None] if number else 0.0)
    lowest, *others = sorted(grade for members in classes for grade in members)
    of_grades = mu[:, others] - mu[:, lowest, None]
    return p @ deal, np.column_stack((multipliers[:, :1], of_grades))
