"""Many problems: alike ones go side by side in the lanes of the compiled solver."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from maxent.attainable import end_values, sorted_extremes
from maxent.certificate import Multipliers, examine, judge, place
from maxent.compiled import Workspace
from maxent.compiled.unroll import UNROLLED_UP_TO
from maxent.measures.form import FloatArray, Form
from maxent.problem import Problem
from maxent.solution import Solution
from maxent.solvers.alike import deal_out
from maxent.solvers.interior import starts
from maxent.solvers.newton import solve_all
from maxent.solvers.search import ambiguous
from maxent.statement import Classes, Lot, Statement

LANES = 8


def pieces(problems: Sequence[Problem], size: int) -> list[list[int]]:
    """Numbers of the problems that :func:`solve_together` takes at once, at most ``size`` of them each.

    Those of a topic and measure stay together: what depends on nothing else is then computed for many at once.
    """
    topics: dict[tuple[Form, bool], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        topics[problem.form, problem.count == "at_most"].append(k)
    kinds: dict[tuple[int, int, bool, bool], list[int]] = defaultdict(list)
    for (form, at_most), members in topics.items():
        kinds[form.depth, form.levels, form.linear, at_most] += members
    return [kind[k : k + size] for kind in kinds.values() for k in range(0, len(kind), size)]


def solve_together(problems: Sequence[Problem]) -> list[Solution | None]:
    """Solutions strictly inside, confirmed by certificates; None where Newton's method alone is not enough.

    The problems are one of the :func:`pieces`: alike in depth, number of grades and reading of the counts, and
    their measures all linear or all not.
    """
    solutions: list[Solution | None] = [None] * len(problems)
    for (_, classes), groups in _alike(problems).items():
        found = _solve_alike([[problems[k] for k in group] for group in groups], classes)
        for k, solution in zip(chain.from_iterable(groups), found, strict=True):
            solutions[k] = solution
    return solutions


def _alike(problems: Sequence[Problem]) -> dict[tuple[int, Classes | None], list[list[int]]]:
    """Numbers of the problems by number of grades present, and by classes where some grades stand as one.

    In lists of those that also have topic, measure and grades present in common.
    """
    lots: dict[tuple[Form, tuple[int, ...]], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        present = problem.present
        if 0 in present or not problem.overfull:
            lots[problem.form, present].append(k)
    alike: dict[tuple[int, Classes | None], list[list[int]]] = defaultdict(list)
    for (form, present), members in lots.items():
        size, classes = len(present), form.classes(present)
        if 1 < len(classes) <= size <= UNROLLED_UP_TO + 1:
            alike[size, classes if len(classes) < size else None].append(members)
    return alike


def _solve_alike(groups: Sequence[Sequence[Problem]], classes: Classes | None) -> list[Solution | None]:
    """Solutions of lots of problems, in order, alike grades as one where ``classes`` are given."""
    lots, problems = [Lot.of(group) for group in groups], list(chain.from_iterable(groups))
    low, high = np.concatenate([_intervals(*own) for own in zip(lots, groups, strict=True)], axis=1)
    statement = Statement.of(lots, classes)
    triples = zip(statement.value.tolist(), low.tolist(), high.tolist(), strict=True)
    inside = np.flatnonzero([place(*triple) == "inside" for triple in triples])
    # neighbours in the lanes wait for each other, and alike values take alike numbers of iterations
    share = (statement.value[inside] - low[inside]) / (high[inside] - low[inside])
    inside = inside[share.argsort(kind="stable")]
    solutions: list[Solution | None] = [None] * len(problems)
    if len(inside) > 0:
        whole = statement if classes is None else Statement.of(lots)
        chosen = [problems[k] for k in inside]
        both = statement.part(inside), whole.part(inside)
        found = _solve_inside(chosen, *both, classes, low[inside], high[inside])
        for k, solution in zip(inside.tolist(), found, strict=True):
            solutions[k] = solution
    return solutions


def _intervals(lot: Lot, problems: Sequence[Problem]) -> tuple[FloatArray, FloatArray]:
    """Ends of the attainable intervals of a lot, (k,) each."""
    if sorted_extremes(lot.form):
        return end_values(lot.form, lot.counts, at_most=lot.bounded)
    low, high = np.transpose([problem.interval for problem in problems])
    return low, high


def _solve_inside(
    problems: Sequence[Problem],
    statement: Statement,
    whole: Statement,
    classes: Classes | None,
    low: FloatArray,
    high: FloatArray,
) -> list[Solution | None]:
    """Solutions of problems with values inside; in ``statement`` alike grades stand as one, not in ``whole``."""
    quadratic, levels, scale = not problems[0].form.linear, problems[0].levels, high - low
    centred, mean = statement.centred()
    merged, multipliers, iterations, converged = solve_all(
        centred, scale, *starts(statement, low), levels=levels, quadratic=quadratic, lanes=LANES
    )
    multipliers[:, 0] /= scale
    multipliers[:, 1:] -= multipliers[:, :1] * mean
    p = merged
    if classes is not None:
        counts = np.array([problem.known_counts for problem in problems])
        p, multipliers = deal_out(classes, counts, merged, multipliers)
    evidence = examine(Workspace(whole.depth, whole.a.shape[2], LANES), whole, p, multipliers)
    *_, accepted = judge(whole, multipliers, evidence, low, high)
    sure, intervals = converged & accepted, list(zip(low.tolist(), high.tolist(), strict=True))
    found: list[Solution | None] = [None] * len(problems)
    for k, own in enumerate(_multipliers(multipliers, whole.grades, levels)):
        if sure[k] and not ambiguous(problems[k], merged[k], own.value, intervals[k]):
            found[k] = Solution(problems[k], p[k], "optimal", own, "newton", int(iterations[k]))
    return found


def _multipliers(found: FloatArray, grades: npt.NDArray[np.intp], levels: int) -> list[Multipliers]:
    """Of the values and of the counts of all grades, -inf for absent ones."""
    mu = np.full((len(grades), levels + 1), -np.inf)
    np.put_along_axis(mu, grades, found, axis=1)
    np.put_along_axis(mu, grades[:, :1], 0.0, axis=1)  # instead of the value's
    both = zip(found[:, 0].tolist(), map(tuple, mu[:, 1:].tolist()), strict=True)
    return [Multipliers(*own) for own in both]
