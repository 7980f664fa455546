"""Arguments of wrong types end in an error of ours, in one line."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import maxent as me

PROBLEM = me.Problem(me.AP(), value=0.4, relevant=(5,), retrieved=(3,), depth=20)
SOLUTION = me.solve(PROBLEM)
CURVE = me.inferred_curve(SOLUTION)
ODD = (
    None, -1, 1.5, float("nan"), 10**30, "x", b"x", ["x"], (), {"a": 1}, np.array(["a"]), 1j, object(), me.AP,
    [None], [[1]], {"x"}, print,
)  # fmt: skip
CALLS: dict[str, Callable[[Any], object]] = {
    "profile": me.curves.profile,
    "inferred_curve": me.inferred_curve,
    "sensitivity": me.curves.sensitivity,
    "curve_error": lambda odd: me.curve_error(CURVE, odd),
    "align": lambda odd: me.curve_error(CURVE, CURVE, align=odd),
    "by": lambda odd: me.curves.sensitivity(SOLUTION, by=odd),
    "threshold": lambda odd: me.inferred_curve(SOLUTION, threshold=odd),
    "relevant of a curve": lambda odd: me.actual_curve([1, 0], odd),
    "grades of a graded curve": lambda odd: me.graded_curve(odd, (2,), g=(1.0,)),
    "a problem": me.solve,
    "problems": lambda odd: me.solve_many([odd], progress=False),
    "solver": lambda odd: me.solve(PROBLEM, solver=odd),
    "depth": lambda odd: me.Problem(me.AP(), value=0.4, relevant=(5,), depth=odd, count="total"),
    "count": lambda odd: me.Problem(me.AP(), value=0.4, relevant=(5,), count=odd),
    "relevant": lambda odd: me.Problem(
        me.AP(),
        value=0.4,
        count="total",
        relevant=() if isinstance(odd, int | float) else odd,  # numbers are right
    ),
    "measure of a list": lambda odd: me.Problem.of_list(odd, [1, 0], (2,)),
    "relevant of a list": lambda odd: me.Problem.of_list(me.AP(), [1, 0], odd),
}


@pytest.mark.parametrize("call", CALLS)
def test_wrong_types_are_named_in_a_line(call: str) -> None:
    for odd in ODD:
        with pytest.raises(me.MaxentError) as caught:
            CALLS[call](odd)
        assert len(str(caught.value).splitlines()) == 1, str(caught.value)
