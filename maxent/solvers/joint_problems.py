"""Problems on faces: several values, of which some may be at ends of their intervals.

Newton's method first starts from the uniform distribution on the ranks and grades that values at ends leave (see
:class:`maxent.problem.face.Face`). If it does not converge, the values move in steps from the values of a solved
problem to the wanted ones, and each solution is the start of the next step (continuation).
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from maxent.kernels.batch import Batch, NewtonResult, examine, newton_method, single
from maxent.problem.certificate import Status, certify_many, make_multipliers
from maxent.problem.face import Face
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.solution import Solution, describe_ends
from maxent.solvers.newton import DIRECT, TOLERANCE, make_start, run_newton
from maxent.solvers.restart import ascend
from maxent.types import FloatArray

FIRST, SHORT, SHORTEST = 0.25, 0.02, 1e-4  # steps of the values, as shares of the way: proximal if ``SHORT``
ASCENTS = 100  # proximal steps of a way; on lists of three collections, those that arrive take up to 81
LONGEST = 5000  # Newton iterations of all ways, under a second at depth 1000
SPARED = 750  # of them for each later way, as the last may arrive quickly where all others are long and vain


def solve_fixed(face: Face) -> Solution:
    """The only distribution on a face without free ranks."""
    return _claim(face, np.empty((1, 0, 0)), np.empty((1, 0)), 0)


def solve_from_uniform(face: Face) -> Solution:
    """Solution by Newton's method from the uniform distribution on the ranks and grades that a face leaves."""
    reduced = face.reduced
    newton_result = run_newton(reduced, lanes=1, coarse=False)
    return _claim(face, newton_result.p, newton_result.multipliers, int(newton_result.iterations[0]))


def continue_from_fewer_values(face: Face) -> Solution | None:
    """Solution by continuation, started from the values of all measures but one, and last from the counts alone."""
    m, iterations_left = len(face.constraining), LONGEST
    starts = dict.fromkeys(
        (*combinations(range(m), max(m - 1, 0)), ())
    )  # the measures whose values are at the start
    for number, measures in enumerate(starts, start=1):
        spared = (len(starts) - number) * SPARED  # for the ways that follow
        solution, iterations = _follow_way(face, measures, iterations_left - spared)
        iterations_left -= iterations
        if solution is not None:
            return solution
    return None


def _follow_way(face: Face, measures: tuple[int, ...], most: int) -> tuple[Solution | None, int]:
    """Solution by continuation along a straight line, from the values that some ``measures`` alone imply.

    Also return the number of iterations; after ``most`` of them no further step is taken.

    A branch of maxima may end or turn into saddle points on the way. Proximal steps then lead from the last maximum
    to another branch. There, documents may be nearly certain to be at some ranks, because values with conflicting
    demands require it.
    """
    # 1. the solution for some measures alone, and the values of all measures there
    centred, scale, quadratic = face.reduced.batch, face.reduced.scale, face.reduced.batch.quadratic
    m = scale.shape[1]
    begin = run_newton(face.reduced.with_measures(list(measures)), lanes=1, coarse=False)
    p, multipliers = begin.p, np.zeros((1, m + begin.multipliers.shape[1] - len(measures)))
    multipliers[:, [*measures, *range(m, multipliers.shape[1])]] = begin.multipliers
    first = examine(centred, p, multipliers).expected
    done, step, iterations, ascents = 0.0, FIRST, int(begin.iterations[0]), 0
    # 2. steps of the values towards v: first + share (v - first), each from the solution of the last
    while begin.converged[0] and step > SHORTEST and ascents < ASCENTS and iterations < most:
        share = min(done + step, 1.0)
        target = replace(centred, value=first + share * (centred.value - first))
        newton_result = newton_method(
            target, scale, make_start(p, multipliers), most=DIRECT // 2, tolerance=TOLERANCE, lanes=1
        )
        iterations += int(newton_result.iterations[0])
        if _has_converged(target, scale, newton_result):
            p, multipliers = newton_result.p, newton_result.multipliers
        elif step >= SHORT:
            step /= 2
            continue
        else:  # proximal steps from the last solution
            ascents += 1
            theta = np.log(p[0, :, 1:] / p[0, :, :1])
            raw = ascend(single(target, scale), theta, multipliers[0], quadratic=quadratic)
            iterations += raw.iterations
            if raw.failed or raw.multipliers is None:
                step /= 2
                continue
            p, multipliers = raw.p[None], raw.multipliers[None]
        if share == 1.0:
            return _claim(face, p, multipliers, iterations), iterations
        done, step = share, 2 * step
    return None, iterations


def _has_converged(batch: Batch, scale: FloatArray, newton_result: NewtonResult) -> bool:
    """Whether Newton's method has converged to a strict local maximum of one problem; ``scale`` (1, m)."""
    certificates = certify_many(batch, newton_result.multipliers, newton_result.evidence, scale)
    return bool(newton_result.converged[0] and certificates.curvature[0])


def _claim(face: Face, p: FloatArray, multipliers: FloatArray, iterations: int) -> Solution:
    """Make a Solution from p (1, free ranks, c + 1) and multipliers (1, m + c) of the reduced problem of a face."""
    problem, measures = face.problem, len(face.problem.forms)
    numbers = np.zeros(measures + problem.levels)
    numbers[measures:] = np.where(problem.counts > 0, np.nan, -np.inf)  # grades at fixed ranks have none
    distribution = face.fixed
    if len(face.free):
        free_rows, expanded = face.reduced.expanded(p, multipliers)
        distribution = face.with_fixed_ranks(free_rows[0])
        values, counts = expanded[0, :measures], expanded[0, measures:]
        numbers[:measures] = values
        numbers[measures:] = np.where(np.isfinite(counts), counts, numbers[measures:])
    for j in face.ends:
        numbers[j] = np.inf if problem.parts[j].location == "high" else -np.inf
    everywhere = problem.is_joint and not face.ends and len(face.free)
    status: Status = "optimal" if everywhere else "boundary"
    named = make_multipliers(problem, numbers)
    message = describe_ends(problem, named)
    return Solution(IndependentRanks(problem, distribution), status, named, "newton", iterations, message)
