"""Machine code for the recursions and Newton's method; imported at the first solve, because of the compiler."""

from maxent.compiled.workspace import Workspace, strict_maxima

__all__ = ["Workspace", "strict_maxima"]
