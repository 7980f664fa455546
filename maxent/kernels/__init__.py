"""Machine code for the passes over the ranks and for Newton's method.

A pass is a numpy equation for one rank (``state``, ``system``) or for the problem alone (``decisions``), which
``trace`` writes out as machine code for a number of grades, of measures and of problems side by side. ``native``
has the loops that numba compiles. ``machine`` keeps what is compiled on disk, ``workspace`` calls it, and ``batch``
is how the rest of the package uses it.
"""
