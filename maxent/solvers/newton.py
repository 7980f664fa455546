"""The structured Newton solver: every pairwise form in O(depth c^3) per iteration.

Problems of the same kind are solved side by side in the lanes of the kernels. A long list starts from the solution
of a coarse problem, in which ranks far down the list share rows. A problem whose result is not confirmed by its
certificate is then solved from the uniform distribution, and if that fails from another start (``restart``).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from maxent.kernels.batch import Batch, NewtonResult, Start, newton_method
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import MergedGrades, Problems, apart, as_batch, unmerge
from maxent.problem.certificate import STATIONARY, certify_batch, slackness
from maxent.problem.interval import end_values, with_nonrelevant
from maxent.problem.location import are_inside
from maxent.problem.problem import Problem
from maxent.problem.solution import Solution, Solutions
from maxent.solvers.presolve import explain_failure, no_multipliers, presolve, sorted_list_solution
from maxent.solvers.reduced import ReducedProblem, expand, of_all_grades, uniform_rows
from maxent.solvers.restart import restart
from maxent.types import BoolArray, FloatArray, IntArray

LANES = 8
SINGLE, GROWTH = 16, 0.08  # a coarse problem keeps the first ranks; rank n shares its row with GROWTH * n others
WORTHWHILE = 200  # depth from which a coarse problem is solved first
DIRECT = 60  # iterations from the uniform distribution
REFINED = 16  # iterations from the solution of a coarse problem
TOLERANCE, ROUGH = 1e-12, 1e-6  # largest error of a solution, and of that of a coarse problem
NEARBY = 1e-6  # share of the interval between a value beyond the sorted list and one whose solution is its start


def chunks(problems: Sequence[Problem], size: int) -> list[list[int]]:
    """Problems by index, in chunks for :func:`solve_newton`.

    Problems with the same topic and measure stay together, because they share coefficients and intervals.

    Parameters
    ----------
    problems : sequence of Problem
        Problems of any kind.
    size : int
        Largest number of problems in a chunk.

    Returns
    -------
    list of lists of int
    """
    topics: dict[tuple[Form, bool], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        topics[problem.form, problem.count == "at_most"].append(k)
    kinds: dict[tuple[int, int, bool, bool], list[int]] = defaultdict(list)
    for (form, at_most), members in topics.items():
        kinds[form.depth, form.levels, form.linear, at_most] += members
    return [kind[k : k + size] for kind in kinds.values() for k in range(0, len(kind), size)]


def solve_newton(problems: Problems) -> Solutions:
    """Solutions of problems side by side; their measures all have pairwise parts, or none has."""
    solutions = Solutions.empty(problems)
    intervals, groups = _intervals(problems), defaultdict(list)
    inside = are_inside(problems.values, *intervals.T) & ~problems.overfull
    for form, present, members in problems.patterns:
        merged = form.indistinguishable(present)
        groups[merged if len(merged) < len(present) else apart(present)].append(members[inside[members]])
    for merged, parts in groups.items():
        members = np.concatenate(parts)
        if len(members):
            _solve(solutions, members, intervals, merged, coarse=problems.depth >= WORTHWHILE)
    for k in np.flatnonzero(solutions.statuses == "").tolist():
        problem = problems[k]
        solutions.put(k, presolve(problem) or _second_attempt(problem))
    return solutions


def _intervals(problems: Problems) -> FloatArray:
    """Ends of the attainable intervals, or bounds in their place, (k, 2)."""
    found = np.zeros((len(problems), 2))
    for form, present, members in problems.patterns:
        fits = members[~problems.overfull[members]]
        if len(fits) and (problems.at_most or len(form.indistinguishable(present)) > 1):
            found[fits] = end_values(form, problems.counts[fits], at_most=problems.at_most)[:2].T
    return found


def _solve(
    solutions: Solutions, members: IntArray, intervals: FloatArray, merged: MergedGrades, *, coarse: bool
) -> None:
    """Enter the solutions of ``members`` that their certificates confirm.

    ``merged`` are the grades present, grouped; ``coarse`` says whether to start from coarse problems.
    """
    problems = solutions.problems
    low, high = intervals[members].T
    # neighbours in the lanes wait for each other; with similar values they take similar numbers of iterations
    members = members[((problems.values[members] - low) / (high - low)).argsort(kind="stable")]
    found = _attempt(problems.part(members), intervals[members], merged, coarse=coarse)
    sure = members[found.accepted]
    solutions.p[members] = found.p  # others are entered later
    solutions.multipliers[members], solutions.iterations[members] = found.multipliers, found.iterations
    solutions.statuses[sure] = "optimal"
    rest, present = members[~found.accepted], sorted(grade for group in merged for grade in group)
    if len(rest) and coarse:
        _solve(solutions, rest, intervals, merged, coarse=False)
    elif len(rest) and len(merged) < len(present) and problems.at_most:
        # not all bounds of the merged grades are reached
        _solve(solutions, rest, intervals, apart(present), coarse=problems.depth >= WORTHWHILE)


class _Attempt(NamedTuple):
    """What one run of Newton's method finds, for all grades, and what the certificates confirm of it."""

    p: FloatArray
    multipliers: FloatArray
    iterations: IntArray
    accepted: BoolArray


def _attempt(problems: Problems, intervals: FloatArray, merged: MergedGrades, *, coarse: bool) -> _Attempt:
    """One run of Newton's method, for problems with the same grades present."""
    batch = as_batch(problems, merged)
    centred, middle = batch.centred()
    low, high = intervals.T
    scale = (high - low)[:, None]
    found = _run(batch, centred, scale, low, LANES if len(problems) > 1 else 1, coarse=coarse)
    scaled = replace(centred, value=centred.value / scale)
    span = np.maximum.reduce((high - low, np.abs(low), np.abs(high))) / scale[:, 0]
    accepted = found.converged & certify_batch(scaled, found.multipliers, found.evidence, span)[-1]
    multipliers = found.multipliers.copy()
    multipliers[:, :1] /= scale
    multipliers[:, 1:] -= multipliers[:, :1] * middle[:, 0]
    p, present = found.p, sorted(grade for group in merged for grade in group)
    if len(merged) < len(present):
        p, multipliers = unmerge(merged, problems.counts, p, multipliers)
        if batch.bounded:  # merged grades were told apart as if all their bounds were reached
            rest = np.array(present[1:])
            gap = slackness(problems.counts[:, rest - 1], p.sum(axis=1)[:, rest], multipliers[:, 1:])
            accepted &= gap <= STATIONARY
    elif len(present) <= problems.levels:
        p = np.zeros((len(problems), problems.depth, problems.levels + 1))
        p[:, :, present] = found.p
    of_all = of_all_grades(multipliers, present, problems.levels)
    return _Attempt(p, of_all, found.iterations.astype(np.int64), accepted)


# --- starts ---


def _run(
    batch: Batch, centred: Batch, scale: FloatArray, low: FloatArray, lanes: int, *, coarse: bool
) -> NewtonResult:
    """Newton's method from the uniform distribution; if ``coarse``, first for coarse problems, then from these."""
    uniform, free = uniform_start(batch, low)
    rest = 1 - uniform.sum(axis=1, keepdims=True)
    given = np.concatenate((np.zeros_like(scale), np.log(uniform / rest)), axis=1)
    depth = centred.sizes[0]
    start = Start(uniform[:, None], np.zeros(depth, dtype=np.int64), given, free)
    if not coarse:
        return newton_method(centred, scale, start, most=DIRECT, tolerance=TOLERANCE, lanes=lanes)
    rows = _rows(depth)
    shorter, begin = _coarse(centred, rows, uniform), start._replace(row=start.row[: len(rows.first)])
    rough = newton_method(shorter, scale, begin, most=DIRECT, tolerance=ROUGH, lanes=lanes, examined=False)
    lost = ~rough.converged
    p, multipliers = np.ascontiguousarray(rough.p[:, :, 1:]), rough.multipliers
    p[lost], multipliers[lost] = uniform[lost, None], given[lost]
    refined = Start(p, rows.row, multipliers, free & lost)
    most = REFINED if batch.quadratic else DIRECT
    return newton_method(centred, scale, refined, most=most, tolerance=TOLERANCE, lanes=lanes)


def uniform_start(batch: Batch, low: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """Uniform distributions to start from.

    Where the counts are upper bounds and the uniform distribution with all these documents has too large a value,
    one with fewer documents has the right value: Newton's method then starts with the value as the only constraint.

    Parameters
    ----------
    batch : Batch
        The problems, not centred.
    low : (k,) array
        Smallest attainable values of the measure.

    Returns
    -------
    rows : (k, c) array
        The row that all ranks of a problem share.
    free : (k,) array of bool
        Whether these counts are below all upper bounds.
    """
    depth = batch.sizes[0]
    uniform = uniform_rows(batch.counts, depth)
    if not batch.bounded:
        return uniform, np.zeros(len(uniform), dtype=np.bool_)
    value = batch.value[:, 0]
    linear = (batch.a.sum(axis=1)[batch.linear_index, 0] * uniform).sum(axis=1)
    pairs = (np.arange(depth) @ batch.d[..., 0].T)[batch.form_index]
    quadratic = pairs * np.einsum("ki,kij,kj->k", uniform, batch.K[batch.form_index, 0], uniform)
    room = batch.counts.sum(axis=1) < depth * (1 - FULL)
    # where documents may lower the value (low < 0), fewer of them need not have a smaller one
    rising = (low >= 0) & (value > 0) & (value < linear + quadratic)
    fewer = room & rising
    linear, quadratic, wanted = linear[fewer], quadratic[fewer], value[fewer]
    uniform[fewer] *= (2 * wanted / (linear + np.sqrt(linear * linear + 4 * quadratic * wanted)))[:, None]
    return uniform, rising | ~room


class _Rows(NamedTuple):
    """How ranks share rows: first rank and number of ranks of each row; row of each rank, and its place in it."""

    first: IntArray
    ranks: FloatArray
    row: IntArray
    place: IntArray


@lru_cache(maxsize=16)
def _rows(depth: int) -> _Rows:
    first = [0]
    while first[-1] < depth:
        n = first[-1]
        first.append(n + 1 + (int(GROWTH * n) if n >= SINGLE else 0))
    ranks = np.diff(np.minimum(first, depth))
    row = np.repeat(np.arange(len(ranks)), ranks)
    return _Rows(np.array(first[:-1]), ranks.astype(np.float64), row, np.arange(depth) - np.array(first)[row])


def _coarse(batch: Batch, rows: _Rows, uniform: FloatArray) -> Batch:
    """Coarse problems, in which ranks share rows.

    The pairs within a row add sum_j j d_j p' K p to the value, with j the place in the row. This is linearised at
    the uniform distribution (k, c), so that coarse problems have the same form as others.
    """
    first, ranks = rows.first, rows.ranks
    own, weight = (np.add.reduceat(x, first, axis=1) for x in (batch.a, batch.d))
    a, value, d = own[batch.linear_index] / ranks[:, None, None], batch.value, weight / ranks[:, None]
    if batch.quadratic:
        within = np.add.reduceat(rows.place[:, None] * batch.d, first, axis=1)[batch.form_index]
        mutual = np.einsum("kmij,kj->kmi", (batch.K + batch.K.swapaxes(2, 3))[batch.form_index], uniform)
        a += within[..., None] * mutual[:, None] / ranks[:, None, None]
        value = value + within.sum(axis=1) * (mutual * uniform[:, None]).sum(axis=2) / 2
    return replace(batch, linear_index=np.arange(len(a)), a=a, d=d, size=ranks, value=value)


# --- what the first attempt does not solve ---


def _second_attempt(problem: Problem) -> Solution:
    """Solution from another start; else the sorted list at an end, if it has nearly the value; else a failure."""
    nearby = _further_inside(problem)
    for reduced in _readings(problem):
        raw = restart(reduced, nearby)
        if raw is not None:
            p, multipliers = expand(reduced, raw)
            claimed = Solution(problem, p, "optimal", multipliers, "newton", raw.iterations)
            if claimed.certificate.accepted:
                return claimed
    listed = sorted_list_solution(problem)
    if listed is not None and listed.certificate.accepted:
        return listed
    mass = with_nonrelevant(problem.counts, problem.depth)
    p = np.tile(mass / mass.sum(), (problem.depth, 1))
    return Solution(problem, p, "failed", no_multipliers(problem), "newton", message=explain_failure(problem))


def _readings(problem: Problem) -> list[ReducedProblem]:
    """The problem with merged grades, and also without if they have upper bounds that need not all be reached."""
    merged = ReducedProblem(problem, merged=True)
    return [merged, ReducedProblem(problem)] if merged.bounded and merged.merges else [merged]


def _further_inside(problem: Problem) -> FloatArray | None:
    """For a value beyond the sorted list: p (depth, levels + 1) for one slightly further inside, if it is found."""
    low, high = problem.ends
    above, below = problem.value > high.listed, problem.value < low.listed
    if not (above or below):
        return None
    step = NEARBY * (high.value - low.value)
    inside = replace(problem, value=problem.value + (-step if above else step))
    found = _attempt(Problems.of([inside]), np.array([inside.interval]), apart(inside.present), coarse=False)
    return found.p[0] if found.accepted[0] else None
