"""From averages over topics to the most random system that has them."""

from dataclasses import replace

import numpy as np

from maxent.lists.averages import Averages
from maxent.lists.dual import Moments, descend, least_entropy
from maxent.lists.extremes import interval
from maxent.lists.region import Region
from maxent.lists.system import ImpliedSystem
from maxent.lists.topics import topics_of
from maxent.problem.certificate import FEASIBLE, Status
from maxent.problem.interval import locate
from maxent.types import FloatArray
from maxent.workers import in_threads

TOGETHER = "no lists, and no mixture of lists, have these averages together"
INSIDE = 0.5  # of the rounding: how far inside an end a printed number is taken to be


def solve_averages(averages: Averages) -> ImpliedSystem:
    """The distribution over the lists of all topics of largest entropy relative to the reference."""
    topics, m = topics_of(averages), len(averages.measures)
    own = in_threads(lambda topic: [interval(topic.lists, j) for j in range(m)], topics)
    ends = np.mean(own, axis=0)  # (m, 2)
    values, rounding = np.array(averages.values), np.array(averages.rounding)
    room = np.minimum(INSIDE * rounding, (ends[:, 1] - ends[:, 0]) / 2)
    inside = np.clip(values, ends[:, 0] + room, ends[:, 1] - room)
    values = np.where(np.abs(inside - values) <= rounding, inside, values)
    asked = ImpliedSystem(
        averages=averages,
        status="failed",
        multipliers=(0.0,) * m,
        intervals=tuple((float(low), float(high)) for low, high in ends),
        solved_for=values,
        topics=tuple(topics),
    )
    found = at_values(asked, values)
    if found.status in ("optimal", "boundary") or found.message.endswith("]"):
        return found
    points = Region([topic.lists for topic in topics], ends.T).ends(*averages.ranges)
    if np.isnan(points).any():
        return _without(asked, "infeasible", TOGETHER)
    return at_values(asked, points.mean(axis=(0, 1))) if rounding.any() else found  # others are printed so, too


def at_values(system: ImpliedSystem, values: FloatArray) -> ImpliedSystem:
    """The same system with other averages, from its multipliers on."""
    topics, ends, measures = list(system.topics), np.array(system.intervals), system.averages.measures
    where = [locate(value, *pair) for value, pair in zip(values, ends, strict=True)]
    for measure, value, (low, high), location in zip(measures, values, ends, where, strict=True):
        if location in ("below", "above"):
            message = f"{measure} = {value:.10g} is {location} the interval [{low:.10g}, {high:.10g}]"
            return _without(system, "infeasible", message)
    start = np.array(system.multipliers)
    multipliers = np.zeros(len(values))
    for j, location in enumerate(where):
        if location in ("low", "high"):
            topics = [topic.at_end(j, above=location == "high") for topic in topics]
            multipliers[j] = np.inf if location == "high" else -np.inf
    free = np.array([j for j, location in enumerate(where) if location == "inside"], dtype=np.int64)
    start = np.where(np.isfinite(start) & (multipliers == 0), start, 0.0)
    least = float(np.mean([least_entropy(topic.lists) for topic in topics]))

    def evaluate(at: FloatArray) -> Moments:
        parts = in_threads(lambda topic: topic.moments(at), topics)
        log_z, expected, cov = (np.mean(part, axis=0) for part in zip(*parts, strict=True))
        return Moments(float(log_z), expected, cov)

    shared, passes, unbounded = descend(evaluate, values, ends.T, free, start, least)
    if unbounded:
        return _without(system, "infeasible", TOGETHER)
    paths = in_threads(lambda topic: topic.paths(shared), topics)
    expected = np.mean([own.dual.expected for own in paths], axis=0)
    residual = float((np.abs(expected - values)[free] / (ends[:, 1] - ends[:, 0])[free]).max(initial=0.0))
    if not residual <= FEASIBLE:
        return _without(system, "failed", f"the averages are {residual:.2g} of their intervals off")
    multipliers[free] = shared[free]
    status: Status = "boundary" if np.isinf(multipliers).any() else "optimal"
    return replace(
        system, status=status, multipliers=tuple(multipliers.tolist()), solved_for=values, residual=residual,
        passes=passes, topics=tuple(topics), paths=tuple(paths),
    )  # fmt: skip


def _without(system: ImpliedSystem, status: Status, message: str) -> ImpliedSystem:
    """The same system without a distribution."""
    none = (np.nan,) * len(system.multipliers)
    return replace(system, status=status, multipliers=none, message=message, paths=())
