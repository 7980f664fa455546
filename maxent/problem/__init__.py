"""Maximum-entropy problems, their attainable intervals, their solutions, and certificates of solutions."""

from maxent.problem.certificate import Certificate as Certificate
from maxent.problem.certificate import Multipliers as Multipliers
from maxent.problem.problem import COUNTS as COUNTS
from maxent.problem.problem import Count as Count
from maxent.problem.problem import Problem as Problem
from maxent.problem.solution import Solution as Solution
