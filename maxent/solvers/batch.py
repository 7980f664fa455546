"""Several interior problems side by side, in the lanes of the compiled solver."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from maxent.certificate import certify_in
from maxent.compiled import Workspace
from maxent.compiled.newton import CONVERGED
from maxent.compiled.unroll import UNROLLED_UP_TO
from maxent.problem import Problem
from maxent.solution import Solution
from maxent.solvers.interior import Interior, original_multipliers
from maxent.solvers.newton import solve_side_by_side
from maxent.solvers.search import ambiguous

LANES = 8


def solve_together(problems: Sequence[Problem]) -> list[Solution | None]:
    """Solutions that their certificates confirm; None where Newton's method alone is not enough.

    Parameters
    ----------
    problems : sequence of Problem
        With values strictly inside their attainable intervals.
    """
    solutions: list[Solution | None] = [None] * len(problems)
    inners = [Interior(problem) for problem in problems]
    alike: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for k, inner in enumerate(inners):
        alike[inner.problem.depth, len(inner.present) - 1, inner.problem.form.linear].append(k)
    for (depth, c, _), members in alike.items():
        if c > UNROLLED_UP_TO:
            continue
        work = Workspace(depth, c, LANES)
        for start in range(0, len(members), LANES):
            chunk = members[start : start + LANES]
            for k, solution in zip(chunk, _solve_chunk(work, [inners[k] for k in chunk]), strict=True):
                solutions[k] = solution
    return solutions


def _solve_chunk(work: Workspace, inners: Sequence[Interior]) -> list[Solution | None]:
    solve_side_by_side(work, inners)
    claims = []
    for lane, inner in enumerate(inners):
        p = np.zeros((work.depth, inner.problem.levels + 1))
        work.run("write_probabilities", lane, p, np.array(inner.present))
        claims.append((inner.problem, p, original_multipliers(inner, work["multipliers"][:, lane])))
    converged, iterations = work["outcome"] == CONVERGED, work["iterations"].copy()
    found: list[Solution | None] = []
    for lane, (claim, certificate) in enumerate(zip(claims, certify_in(work, claims), strict=True)):
        problem, p, multipliers = claim
        solved = Solution(problem, p, "optimal", multipliers, "newton", int(iterations[lane]))
        sure = converged[lane] and certificate.accepted and not ambiguous(inners[lane], p, multipliers.value)
        found.append(solved if sure else None)
    return found
