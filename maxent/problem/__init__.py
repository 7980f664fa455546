"""A maximum-entropy problem, what is known of it before it is solved, and its solution."""

from maxent.problem.problem import COUNTS, Count, Problem
from maxent.problem.solution import Solution

__all__ = ["COUNTS", "Count", "Problem", "Solution"]
