"""What compiled functions work on: the fields of a :class:`maxent.compiled.workspace.Workspace`.

The functions of this folder are sources for :mod:`maxent.compiled.machine`, which compiles them for every number of
grades and for one problem or several side by side. They are written for one problem, and not called as they stand;
those of their parameters that have the name of a field are the field.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]

FIELDS: dict[str, str] = {
    "a": "n, c",  # the measure: own worth of a grade at a rank,
    "d": "n",  # weight of the rank in the pairwise part,
    "size": "n",  # ranks that share this row: 1, or more in a coarse problem
    "K": "c, c",  # and pairwise kernel
    "offset": "n, c",  # part of the logits that is given, 0 but in proximal steps
    "theta": "n, c",  # logits
    "p": "n, c",  # probabilities, and that of the reference grade
    "reference": "n",
    "w": "n, c",  # derivative of the expected value by p
    "r": "n, c",  # right-hand side: what stationarity lacks in the logits; or a derivative that is held fixed
    "Y": "n, c, c + 2",  # factorisation of the Newton system
    "X": "n, c, c",
    "U": "n, c, c",  # transposed
    "step": "n, c",  # in the logits
    "multipliers": "c + 1",  # lambda, mu_1..mu_c
    "change": "c + 1",  # their Newton step
    "G": "c + 1, c + 2",  # Schur complement of the constraints and, last, B' (D - lam A)^-1 r
    "expected": "",  # value of the measure
    "negative": "",  # negative eigenvalues of D - lam A
    "value": "",  # what the constraints ask for
    "counts": "c",
    "bounded": "",  # 1 where the counts are upper bounds
    "h": "c + 1",  # what the value and the counts lack
    "active": "c + 1",  # 1 for the constraints that count
    "error": "",  # largest residual, in probabilities and documents
    "rounding": "",  # what rounding of lambda w makes unavoidable
    "growth": "",  # largest growth of a probability's logarithm in the step
    "share": "",  # of the step that is taken
    "fresh": "",  # 1 where the step is new, 0 where the last one is being shortened
    "best": "",  # smallest error so far, and the steps that may pass without halving it
    "patience": "",
    "slope": "",  # of the dual function along the step
    "allowed": "",  # largest error that ends the shortening of a step
    "shortened": "",  # times that the step was shortened
    "iterations": "",
    "outcome": "",  # of Newton's method, see maxent.compiled.newton
}
"""Shapes of the fields: ``n`` stands for the ranks, ``c`` for the grades besides the reference."""


def run(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """In a source: the call of another, on the same fields. The compiler writes it out."""
    raise NotImplementedError(f"{kernel.__name__} exists in compiled form only")
