"""Back ends, one function each behind one small table, and the steps they share."""

from maxent.solvers.solve import BACKENDS, Interrupted, solve, solve_many

__all__ = ["BACKENDS", "Interrupted", "solve", "solve_many"]
