"""Machine code for the passes over the ranks and for Newton's method.

A pass is an equation for one rank or for the problem as a whole, written with numpy on small matrices. Read the
folder in this order:

- ``passes``: ``state``: probabilities, derivatives, residuals; ``newton_system``: the Newton system and its
  factorisation; ``decisions``: step lengths and stopping; ``fields``: the numbers that these passes read and write.
- ``loops``: ``native``, ``curve_loops``, ``sorted_list_loops``, ``lambda_loops``: loops in Python that become
  machine code, including Newton's iteration; ``list_steps``, ``lists``, ``list_logs``: loops of the recursion over
  lists; ``records``: arguments of loops that are named tuples; ``vectors``: eight numbers side by side.
- ``compiler``, which knows nothing of these: ``algebra``, ``registers``, ``trace``: conversion of equations to
  straight-line machine code; ``layout``: where the fields of a record stand in memory; ``kinds``: annotations that
  say what a loop takes; ``instructions``, ``translate``: translation of loops.
- ``machine``: compilation, and machine code on disk; ``calls``, ``workspace``: calls of machine code, and memory;
  ``curves``, ``batch``: observed lists and problems as arrays, the interface for the rest of the package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
