"""A maximum-entropy problem, what is known of it before it is solved, and its solution."""

from maxent.problem.problem import COUNTS as COUNTS
from maxent.problem.problem import Count as Count
from maxent.problem.problem import Problem as Problem
from maxent.problem.solution import Solution as Solution
