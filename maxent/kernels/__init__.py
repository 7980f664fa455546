"""Machine code for the passes over the ranks and for Newton's method.

A pass is a numpy equation for one rank (``state``, ``system``), which ``trace`` writes out as machine code for a
number of grades, of measures and of problems side by side. ``newton``, ``batch`` and ``sorted_lists`` are ordinary
functions for numba that call the passes. ``machine`` keeps what is compiled on disk, and ``workspace`` is how the
rest of the package uses it.
"""

from maxent.kernels.workspace import Workspace

__all__ = ["Workspace"]
