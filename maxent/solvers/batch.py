"""Many problems: alike ones go side by side in the lanes of the compiled solver."""

from collections import defaultdict
from collections.abc import Sequence

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
from maxent.solvers.interior import Interior, even_rows
from maxent.solvers.newton import solve_all
from maxent.solvers.search import ambiguous
from maxent.statement import Classes, Statement

LANES = 8


def solve_together(problems: Sequence[Problem]) -> list[Solution | None]:
    """Solutions strictly inside, confirmed by certificates; None where Newton's method alone is not enough."""
    solutions: list[Solution | None] = [None] * len(problems)
    alike: dict[tuple[int, int, int, Classes | None, bool, bool], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        size, classes = len(problem.present), problem.classes
        if 1 < len(classes) <= size <= UNROLLED_UP_TO + 1 and not problem.overfull:
            merged = classes if len(classes) < size else None
            kind = problem.form.linear, problem.count == "at_most"
            alike[problem.depth, problem.levels, size, merged, *kind].append(k)
    for (*_, shared, _, _), members in alike.items():
        group = [problems[k] for k in members]
        statement = Statement.of(group, shared)
        low, high = _intervals(group)
        triples = zip(statement.value.tolist(), low.tolist(), high.tolist(), strict=True)
        inside = np.flatnonzero([place(*triple) == "inside" for triple in triples])
        # neighbours in the lanes wait for each other, and alike values take alike numbers of iterations
        share = (statement.value[inside] - low[inside]) / (high[inside] - low[inside])
        inside = inside[share.argsort(kind="stable")]
        if len(inside) > 0:
            chosen = [group[k] for k in inside]
            found = _solve_alike(chosen, statement.part(inside), shared, low[inside], high[inside])
            for k, solution in zip(inside.tolist(), found, strict=True):
                solutions[members[k]] = solution
    return solutions


def _intervals(problems: Sequence[Problem]) -> tuple[FloatArray, FloatArray]:
    """Ends of the attainable intervals, (k,) each, form by form."""
    low, high = np.empty((2, len(problems)))
    kinds: dict[tuple[Form, bool], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        kinds[problem.form, problem.count == "at_most"].append(k)
    for (form, at_most), members in kinds.items():
        if not sorted_extremes(form):
            low[members], high[members] = np.transpose([problems[k].interval for k in members])
            continue
        counts = np.array([problems[k].counts for k in members])
        low[members], high[members] = end_values(form, counts, at_most=at_most)
    return low, high


def _solve_alike(
    problems: Sequence[Problem], statement: Statement, classes: Classes | None, low: FloatArray, high: FloatArray
) -> list[Solution | None]:
    quadratic, scale = not problems[0].form.linear, high - low
    even, free = _starts(problems, statement)
    levels = problems[0].levels
    centred, mean = statement.centred()
    p, multipliers, iterations, converged = solve_all(
        centred, scale, even, free, levels=levels, quadratic=quadratic, lanes=LANES
    )
    multipliers[:, 0] /= scale
    multipliers[:, 1:] -= multipliers[:, :1] * mean
    merged = p
    if classes is not None:
        statement = Statement.of(problems)
        p, multipliers = deal_out(classes, np.array([problem.counts for problem in problems]), p, multipliers)
    evidence = examine(Workspace(statement.depth, statement.a.shape[2], LANES), statement, p, multipliers)
    *_, accepted = judge(statement, multipliers, evidence, low, high)
    sure, intervals = converged & accepted, list(zip(low.tolist(), high.tolist(), strict=True))
    found: list[Solution | None] = [None] * len(problems)
    for k, own in enumerate(_multipliers(multipliers, statement.grades, levels)):
        if sure[k] and not ambiguous(problems[k], merged[k], own.value, intervals[k]):
            found[k] = Solution(problems[k], p[k], "optimal", own, "newton", int(iterations[k]))
    return found


def _starts(problems: Sequence[Problem], statement: Statement) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Even rows (k, c) and whether they are below all bounds (k,), see :attr:`Interior.start`."""
    even, free = even_rows(statement.counts, statement.depth), statement.bounded.copy()
    for k in np.flatnonzero(statement.bounded).tolist():
        even[k], free[k] = Interior(problems[k], merged=True).start
    return even, free


def _multipliers(found: FloatArray, grades: npt.NDArray[np.intp], levels: int) -> list[Multipliers]:
    """Of the values and of the counts of all grades, -inf for absent ones."""
    mu = np.full((len(grades), levels + 1), -np.inf)
    np.put_along_axis(mu, grades, found, axis=1)
    np.put_along_axis(mu, grades[:, :1], 0.0, axis=1)  # instead of the value's
    both = zip(found[:, 0].tolist(), map(tuple, mu[:, 1:].tolist()), strict=True)
    return [Multipliers(*own) for own in both]
