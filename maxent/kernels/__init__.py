"""Machine code for the passes over the ranks and for Newton's method.

A pass is an equation for one rank or for the problem as a whole, written with numpy on small matrices. Read the
folder in this order:

- ``state``: probabilities, derivatives, residuals; ``newton_system``: the Newton system and its factorisation;
  ``decisions``: step lengths and when to stop; ``fields``: the numbers that these passes read and write.
- ``algebra``, ``registers``, ``trace``: how these equations become straight-line machine code for a number of
  grades, of measures and of problems side by side.
- ``native``, ``curve_loops``, ``sorted_list_loops``, ``lambda_loops``: loops in Python that become machine code,
  Newton's iteration among them; what they take is in ``arguments``; ``list_steps``, ``lists``, ``list_logs``: those
  of the recursion over lists, with ``vectors``: eight numbers side by side.
- ``instructions``, ``translate``: how these loops are translated; ``machine``: compiling, and machine
  code on disk; ``calls``, ``workspace``: calls of it, and memory; ``curves``, ``batch``: observed lists and
  problems as arrays, the interface for the rest of the package.
"""
