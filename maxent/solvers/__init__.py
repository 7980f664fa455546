"""Solvers: a table of back ends, each a function, and the steps that they share."""

from maxent.solvers.attempts import ATTEMPTS as ATTEMPTS
from maxent.solvers.attempts import Attempt as Attempt
from maxent.solvers.attempts import solve_alone as solve_alone
from maxent.solvers.back_end_problem import RawSolution as RawSolution
from maxent.solvers.back_end_problem import ReducedProblem as ReducedProblem
from maxent.solvers.newton import WORTHWHILE as WORTHWHILE
from maxent.solvers.newton import chunks as chunks
from maxent.solvers.newton import solve_reduced as solve_reduced
from maxent.solvers.restart import mixture as mixture
from maxent.solvers.restart import sorted_list as sorted_list
from maxent.solvers.solve import BACKENDS as BACKENDS
from maxent.solvers.solve import Interrupted as Interrupted
from maxent.solvers.solve import solve as solve
from maxent.solvers.solve import solve_arrays as solve_arrays
from maxent.solvers.solve import solve_many as solve_many
