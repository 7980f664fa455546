"""The structured Newton solver, for every pairwise form in O(depth c^3) per iteration.

Problems of the same kind are solved side by side in the lanes of the kernels. A long list starts from the solution
of a coarse problem, in which ranks far down the list share rows. If the certificate does not confirm the result,
the problem is solved again from the uniform distribution and, if that fails, alone (``attempts``).
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from maxent.kernels.batch import ROUGH, NewtonResult, Start, newton_method
from maxent.kernels.observed import Deal
from maxent.measures.form import FULL
from maxent.problem.arrays import Forms, Problems
from maxent.problem.certificate import STATIONARY, certify_many, slackness
from maxent.problem.independent_ranks import seen_of
from maxent.problem.interval import value_ranges
from maxent.problem.problem import Problem
from maxent.problem.reduced import Reduced, deal_groups
from maxent.problem.solutions import Solutions
from maxent.solvers.groups import LANES, find_intervals, group_problems
from maxent.types import BoolArray, FloatArray, IntArray

WORTHWHILE = 200  # depth from which a coarse problem is solved first
DIRECT = 60  # iterations from the uniform distribution
REFINED = 16  # iterations from the solution of a coarse problem
TOLERANCE = 1e-12  # largest error of a solution


class _Kind(NamedTuple):
    """What problems of one array share, besides their number of measures."""

    depth: int
    levels: int
    at_most: bool
    reference: Hashable
    has_intervals: bool


def chunks(problems: Sequence[Problem], size: int) -> list[list[int]]:
    """Problems by index, in chunks of at most ``size``; those of a topic and measure share coefficients."""
    # 1. problems with the same forms stand together
    same_forms: dict[tuple[Forms, _Kind], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        kind = _Kind(
            problem.depth, problem.levels, problem.count == "at_most", problem.reference, problem.has_intervals
        )
        same_forms[problem.forms, kind].append(k)
    # 2. one array has problems of one kind, with equally many measures, all linear or not
    alike: dict[tuple[int, bool, _Kind], list[int]] = defaultdict(list)
    for (forms, kind), members in same_forms.items():
        alike[len(forms), all(form.linear for form in forms), kind] += members
    return [members[k : k + size] for members in alike.values() for k in range(0, len(members), size)]


def solve_newton(problems: Problems) -> Solutions:
    """Solve problems side by side; either all or none of them have a measure with a pairwise part.

    The status is empty where no solution is found, or where values are at ends of their intervals.
    """
    solutions, intervals = Solutions.empty(problems), find_intervals(problems)
    for members, reduced in group_problems(problems, intervals):
        _solve(solutions, members, reduced, coarse=problems.depth >= WORTHWHILE)
    return solutions


def _solve(solutions: Solutions, members: IntArray, reduced: Reduced, *, coarse: bool) -> None:
    """Put solutions of reduced problems into ``solutions``, where their indices are ``members``.

    ``coarse``: start from coarse problems.
    """
    attempt = solve_reduced(reduced, coarse=coarse)
    solutions.enter(members, attempt)
    unsolved = attempt.statuses == ""
    if unsolved.any() and coarse and len(reduced.constraining) < 2:
        _solve(solutions, members[unsolved], reduced.part(unsolved), coarse=False)
    elif unsolved.any() and reduced.is_merged and reduced.problems.at_most:
        # not all bounds of the merged grades are reached
        unmerged = reduced.part(unsolved).unmerged()
        _solve(solutions, members[unsolved], unmerged, coarse=solutions.problems.depth >= WORTHWHILE)


def solve_reduced(reduced: Reduced, *, coarse: bool) -> Solutions:
    """Solutions of the problems themselves by one run of Newton's method; the status is empty unless certified."""
    problems, batch, k = reduced.problems, reduced.batch, len(reduced.problems)
    split_by_bounds = reduced.is_merged and problems.at_most  # as if all bounds of merged grades were reached
    # 1. observed lists, if they can be compared with the probabilities of merged grades
    deal = None
    if problems.observed and not split_by_bounds:
        rest = problems.depth - batch.counts.sum(axis=1)
        deal = Deal(problems.observed, *deal_groups(reduced.merged, problems.counts, rest))
    # 2. Newton's method, and the certificates of the reduced problems
    newton_result = run_newton(reduced, lanes=LANES if k > 1 else 1, coarse=coarse, observed=deal)
    ranges = value_ranges(reduced.intervals)
    certificates = certify_many(batch, newton_result.multipliers, newton_result.evidence, ranges)
    accepted = newton_result.converged & certificates.accepted
    # 3. back to all grades and measures, unless only the comparison with lists is wanted
    if deal:
        p, seen = newton_result.p, newton_result.seen
        multipliers = np.full((k, problems.m + problems.levels), np.nan)
    else:
        p, multipliers = reduced.expanded(newton_result.p, newton_result.multipliers)
        seen = None
    if split_by_bounds:
        grades = np.array(reduced.present[1:])
        total, of_counts = p.sum(axis=1)[:, grades], multipliers[:, problems.m + grades - 1]
        accepted &= slackness(problems.counts[:, grades - 1], total, of_counts) <= STATIONARY
        if problems.observed:
            p, seen = p[:0], seen_of(p, problems.observed)
    statuses = np.full(k, "", dtype=object)
    statuses[accepted] = "optimal"
    return Solutions(
        problems=problems,
        p=p,
        statuses=statuses,
        constant=np.full(k, problems.m > 0 and not reduced.constraining),
        multipliers=multipliers,
        iterations=newton_result.iterations.astype(np.int64),
        solved_singly={},
        seen=seen,
    )


# --- starts: uniform distributions, and solutions of coarse problems ---


def run_newton(reduced: Reduced, *, lanes: int, coarse: bool, observed: Deal | None = None) -> NewtonResult:
    """Run Newton's method from the uniform distribution or, if ``coarse``, from the solutions of coarse problems.

    With ``observed`` lists, the comparison with them is returned in place of distributions.
    """
    batch, m = reduced.batch, len(reduced.constraining)
    uniform, free = uniform_start(reduced)  # (k, c) and (k,)
    eliminated = 1 - uniform.sum(axis=1, keepdims=True)
    multipliers = np.zeros((len(uniform), m + uniform.shape[1]))
    multipliers[:, m:] = np.log(uniform / eliminated)
    start = Start(uniform[:, None], multipliers, free)
    if coarse and m > 1:
        start = _start_from_first_measure(reduced, start, lanes)
    most = REFINED if coarse and batch.quadratic else DIRECT
    return newton_method(
        batch, reduced.scale, start, most=most, tolerance=TOLERANCE, lanes=lanes, coarse=coarse, observed=observed
    )


def _start_from_first_measure(reduced: Reduced, start: Start, lanes: int) -> Start:
    """Start from the solution for the first of several measures alone.

    Similar measures, such as GAP and nDCG, nearly imply each other's values. Newton's method then fails on a fifth
    of the lists from the uniform distribution, but only on one in fifty from here.
    """
    m = len(reduced.constraining)
    first = [0, *range(m, start.multipliers.shape[1])]  # its multiplier, and those of the counts
    alone = reduced.with_measures([0])
    first_start = start._replace(multipliers=start.multipliers[:, first])
    newton_result = newton_method(
        alone.batch, alone.scale, first_start, most=0, tolerance=ROUGH, lanes=lanes, coarse=True, examined=False
    )
    multipliers = np.zeros_like(start.multipliers)
    multipliers[:, first] = newton_result.multipliers
    return make_start(newton_result.p, multipliers)


def make_start(p: FloatArray, multipliers: FloatArray) -> Start:
    """Start from solutions (k, depth, c + 1)."""
    return Start(p[:, :, 1:], multipliers, np.zeros(len(p), dtype=np.bool_))


def uniform_start(reduced: Reduced) -> tuple[FloatArray, BoolArray]:
    """Rows (k, c) of uniform distributions, and whether their counts are below all upper bounds, (k,).

    If the counts are upper bounds and the uniform distribution with all these documents has too large a value, a
    uniform distribution with fewer documents has the right value: Newton's method then starts with the value as the
    only constraint. With several values, it starts from all documents.
    """
    batch, uniform = reduced.batch, reduced.uniform  # p (k, c) of every rank
    depth = batch.depth
    if not batch.bounded.all() or batch.m != 1:
        return uniform, np.zeros(len(uniform), dtype=np.bool_)
    value, (a, d, K) = batch.value[:, 0], map(batch.stacked, "adK")
    # E[M] = sum_n a_n p + sum_n (n - 1) d_n p' K p for the row p of every rank
    linear = (a[:, :, 0].sum(axis=1)[batch.index] * uniform).sum(axis=1)
    pairs = (d[..., 0] @ np.arange(depth))[batch.index]
    quadratic = pairs * np.einsum("ki,kij,kj->k", uniform, K[batch.index, 0], uniform)
    room = batch.counts.sum(axis=1) < depth * (1 - FULL)
    # where documents may lower the value, so that the smallest one is negative, fewer need not have a smaller value
    rising = (reduced.intervals[:, 0, 0] >= 0) & (value > 0) & (value < linear + quadratic)
    fewer = room & rising
    linear, quadratic, wanted = linear[fewer], quadratic[fewer], value[fewer]
    # the share s of the documents with s linear + s^2 quadratic = wanted
    uniform[fewer] *= (2 * wanted / (linear + np.sqrt(linear * linear + 4 * quadratic * wanted)))[:, None]
    return uniform, rising | ~room
