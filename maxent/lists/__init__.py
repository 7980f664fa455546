"""Maximum entropy over whole lists: every list with the counts has a probability."""

from typing import TYPE_CHECKING

from maxent.lists.averages import Averages as Averages
from maxent.problem import Problem, Solution
from maxent.types import FloatArray

if TYPE_CHECKING:
    from maxent.lists.system import ImpliedSystem


def solve_lists(problem: Problem, *, start: FloatArray | None = None) -> Solution:
    """See :func:`maxent.lists.solve.solve_lists`; the compiler is loaded at the first use."""
    from maxent.lists.solve import solve_lists

    return solve_lists(problem, start=start)


def solve_averages(averages: Averages) -> "ImpliedSystem":
    """See :func:`maxent.lists.implied.solve_averages`; the compiler is loaded at the first use."""
    from maxent.lists.implied import solve_averages

    return solve_averages(averages)
