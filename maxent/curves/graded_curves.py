"""Graded precision and recall of an observed list; the area under the curve is GAP."""

import numpy as np
import numpy.typing as npt

from maxent.curves.actual import Curve
from maxent.measures import GAP
from maxent.measures.graded import threshold_probabilities
from maxent.measures.list_checks import check_topic, one_list
from maxent.types import GradeCounts


def graded_curve(grades: "npt.ArrayLike", relevant: GradeCounts, *, g: str | tuple[float, ...]) -> Curve:
    """Graded precision and recall at the documents that some user finds relevant (GAP paper 3.2).

    At other ranks, graded recall keeps the value of the previous point, and graded precision is not defined.

    Parameters
    ----------
    grades : (depth,) integer array
        Grades in rank order.
    relevant : (levels,) sequence
        R_i of the topic.
    g : (levels,) tuple or "even"
        Threshold probabilities.

    Returns
    -------
    Curve
        Curve whose ``area`` is GAP(g).

    Raises
    ------
    MeasureError
        If a grade is not an integer in 0..levels, or ``g`` is not one probability for each grade.

    Examples
    --------
    >>> import maxent as me
    >>> grades, relevant, g = [2, 0, 1, 0], (2, 1), (0.5, 0.5)
    >>> curve = me.graded_curve(grades, relevant, g=g)
    >>> curve.recall.round(3).tolist(), curve.precision.round(3).tolist()
    ([0.5, 0.75], [1.0, 0.667])
    >>> round(curve.area, 3), round(float(me.GAP(g=g).evaluate(grades, relevant)), 3)
    (0.667, 0.667)
    """
    array = one_list(grades, len(check_topic(relevant)))
    G = np.concatenate(([0.0], np.cumsum(threshold_probabilities(GAP(g=g), len(relevant)))))
    base = float(np.asarray(relevant) @ G[1:])  # sum_i R_i G_i
    relevance = G[array]  # (depth,): probability that a document is relevant to a user
    is_point = relevance > 0
    rank = np.flatnonzero(is_point) + 1.0
    if base == 0:
        return Curve(rank, np.zeros(len(rank)), np.zeros(len(rank)))
    # recall: sum_{m<=n} G_i_m / sum_i R_i G_i
    recall = np.cumsum(relevance)[is_point] / base
    # precision: sum_{m<=n} G_min(i_n, i_m) / (n G_i_n), where documents of a grade count together
    documents = np.cumsum(array[:, None] == np.arange(len(G)), axis=0)  # (depth, levels + 1) up to each rank
    shared = np.minimum.outer(relevance[is_point], G)  # G_min(i_n, i) for every grade i
    precision = np.sum(documents[is_point] * shared, axis=1) / (rank * relevance[is_point])
    return Curve(rank, recall, precision)
