"""Solvers: a table of back ends, each a function, and the steps that they share."""

from maxent.solvers.solve import BACKENDS as BACKENDS
from maxent.solvers.solve import Interrupted as Interrupted
from maxent.solvers.solve import solve as solve
from maxent.solvers.solve import solve_many as solve_many
