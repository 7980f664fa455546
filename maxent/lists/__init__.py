"""Maximum entropy over whole lists: every list with the counts has a probability."""

from maxent.problem import Problem, Solution


def solve_lists(problem: Problem, *, kept: bool = True) -> Solution:
    """See :func:`maxent.lists.solve.solve_lists`; the compiler is loaded at the first use."""
    from maxent.lists.solve import solve_lists

    return solve_lists(problem, kept=kept)
