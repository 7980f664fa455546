"""Machine code for the passes over the ranks and for Newton's method.

A pass is an equation for one rank or for the problem as a whole, written with numpy on small matrices. Read the
folder in this order:

- ``state``: probabilities, derivatives, residuals; ``newton_system``: the Newton system and its factorisation;
  ``decisions``: step lengths and stopping; ``fields``: the numbers that these passes read and write.
- ``algebra``, ``registers``, ``trace``: conversion of these equations to straight-line machine code for given
  numbers of grades, of measures and of problems side by side.
- ``native``, ``curve_loops``, ``sorted_list_loops``, ``lambda_loops``: loops in Python that become machine code,
  including Newton's iteration; ``arguments``: their arguments; ``list_steps``, ``lists``, ``list_logs``: loops of
  the recursion over lists; ``vectors``: eight numbers side by side.
- ``instructions``, ``translate``: translation of these loops; ``machine``: compilation, and machine code on disk;
  ``calls``, ``workspace``: calls of machine code, and memory; ``curves``, ``batch``: observed lists and problems as
  arrays, the interface for the rest of the package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
