"""Solver for averages: the most random system with given averages over topics."""

import numpy as np

from maxent.checks import check_type
from maxent.lists.averages import Averages
from maxent.lists.extremes import interval
from maxent.lists.merged_topics import make_topics
from maxent.lists.region import Region
from maxent.lists.system import ImpliedSystem
from maxent.workers import in_threads

TOGETHER = "no lists, and no mixture of lists, have these averages together"
FEW = 20  # passes before it is asked whether lists can have the averages; nearly all rows take 4 to 8
INSIDE = 0.5  # of the rounding: how far inside an end a printed number is taken to be


def solve_averages(averages: Averages) -> ImpliedSystem:
    """Find the distribution over the lists of all topics with the largest entropy relative to the reference.

    Parameters
    ----------
    averages : Averages
        Averages over topics, and numbers of relevant documents.

    Returns
    -------
    ImpliedSystem
        System of any status.

    Examples
    --------
    >>> import maxent as me
    >>> me.lists.solve_averages(me.Averages({"AP": ".4", "P@2": ".6"}, [[3], [2]], depth=10))
    ImpliedSystem(AP = 0.4 & P@2 = 0.6 over 2 topics: optimal)
    """
    check_type("the averages", averages, Averages)
    # 1. attainable intervals: the mean of the topics' lowest values, and of their highest
    topics, m = make_topics(averages), len(averages.measures)
    intervals = in_threads(lambda topic: [interval(topic.lists, j) for j in range(m)], topics)
    ends = np.mean(intervals, axis=0)  # (m, 2)
    # 2. printed averages that are nearly at an end, or beyond it, move inside if their rounding allows
    values, rounding = np.array(averages.values), np.array(averages.rounding)
    room = np.minimum(INSIDE * rounding, (ends[:, 1] - ends[:, 0]) / 2)
    inside = np.clip(values, ends[:, 0] + room, ends[:, 1] - room)
    values = np.where(np.abs(inside - values) <= rounding, inside, values)
    # 3. few passes of Newton's method suffice for nearly all averages
    unsolved = ImpliedSystem(
        averages=averages,
        status="failed",
        multipliers=(0.0,) * m,
        intervals=tuple((float(low), float(high)) for low, high in ends),
        solved_for=values,
        topics=tuple(topics),
    )
    system = unsolved.at(values, passes=FEW)
    if system.status != "failed":
        return system
    # 4. otherwise: whether lists can have them, and the middle of those that are printed so
    attainable = Region([topic.lists for topic in topics], ends.T).ends(*averages.ranges)  # (m, 2, m)
    if np.isnan(attainable).any():
        return unsolved.without("infeasible", TOGETHER)
    if rounding.any():
        return unsolved.at(attainable.mean(axis=(0, 1)))
    return system.at(values)
