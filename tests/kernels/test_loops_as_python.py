"""Every translated loop, run as the Python that it is written in, writes what its machine code writes."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import maxent as me
from maxent.curves import ALIGNS
from maxent.kernels import batch, calls, observed, sorted_lists, workspace
from maxent.kernels.compiler import LANES, ArrayKind, Flat, Instruction, kinds_of
from maxent.kernels.loops import native, vectors
from maxent.lists import recursion
from maxent.ltr import LambdaObjective, lambdas
from maxent.solvers import WORTHWHILE
from tests.kernels import plain

CALLERS = (batch, observed, lambdas, recursion, sorted_lists, workspace)
MODULES = ("native", "curve_loops", "sorted_list_loops", "lambda_loops", "lists", "list_logs", "list_steps")
LOOPS = {name: import_module(f"maxent.kernels.loops.{name}") for name in MODULES}


def run(address: int, ranks: np.ndarray, whole: np.ndarray) -> None:
    workspace._PASS(address)(ranks.ctypes.data, len(ranks), whole.ctypes.data)


PLAIN = {
    native.run: run,
    vectors.at: lambda x, k: x[k:],
    vectors.load: lambda x, k: x[k : k + LANES].copy(),
    vectors.store: lambda x, to, k: to.__setitem__(slice(k, k + LANES), x),
    vectors.spread: lambda x: np.full(LANES, x),
    vectors.greater: lambda x, y: np.where(x > y, x, y),
    vectors.choose: lambda x, y, one, other: np.where(x > y, one, other),
    vectors.total: np.sum,
    vectors.largest: np.max,
}
"""Instructions that loops call like functions, on arrays."""


def copied(array: np.ndarray) -> np.ndarray:
    """Copy of an array, with zeros behind it in memory, because loops read whole blocks past the end."""
    memory = np.zeros(2 * array.size + LANES, array.dtype)
    memory[: array.size] = array.ravel()
    return memory[: array.size].reshape(array.shape)


def shaped(values: Iterator[Any], kind: Any) -> Any:
    """Arguments of these kinds, as loops take them, from numbers and arrays."""
    if hasattr(kind, "_make"):
        return kind._make([shaped(values, part) for part in kind])
    value = next(values)
    return value.base if isinstance(kind, ArrayKind) and isinstance(kind.axes, Flat) else value


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of loops whose machine code was compared with Python; every call is."""
    names: set[str] = set()

    def call(name: str, /, *, module: str = "native", **arguments: Any) -> None:
        loop = next(entry for entry in LOOPS[module].ENTRIES if entry.__name__ == name)
        values: list[Any] = []
        calls._collect(tuple(arguments[label] for label in kinds_of(loop)), values)
        arrays = {id(value): copied(value) for value in values if isinstance(value, np.ndarray)}
        copies = [arrays.get(id(value), value) for value in values]  # an array that is passed twice stays one
        calls.call(name, module=module, **arguments)
        with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
            for part in LOOPS.values():
                for key, value in vars(part).copy().items():
                    if isinstance(value, Instruction):
                        patch.setattr(part, key, PLAIN[value])
            left = iter(copies)
            loop(*(shaped(left, kind) for kind in kinds_of(loop).values()))
        for value, copy in zip(values, copies, strict=True):
            np.testing.assert_allclose(copy, value, rtol=1e-6, atol=1e-9, err_msg=name)
        names.add(name)

    for caller in CALLERS:
        monkeypatch.setattr(caller, "call", call)
    return names


def test_machine_code_does_what_the_loops_do_as_python(compared: set[str]) -> None:
    runs, qrels = me.simulate(systems=2, topics=2, depth=12)
    options: dict[str, Any] = {"depth": 10, "min_retrieved": 0, "progress": False}
    for align in ALIGNS:
        me.informativeness(runs, qrels, measures=["GAP(g=0.5,0.5)", "nDCG"], model="ranks", align=align, **options)
        me.informativeness(runs, qrels, measures=["AP", "RR@10"], model="lists", align=align, **options)
    for depth in (30, WORTHWHILE):
        solution = me.solve(me.Problem("AP", value=0.5, relevant=(6, 3), retrieved=(5, 3), depth=depth))
        me.curves.sensitivity(solution)
        me.curve_error(me.actual_curve([1, 0, 2, 1], (6, 3)), me.inferred_curve(solution), align="expected")
    for name, value in (("xGAP(g=0.5,0.5)", 0.4), ("AP", 1.0)):  # the largest is computed with logarithms
        problem = me.Problem(name, value=value, relevant=(3, 2), retrieved=(3, 2), depth=12)
        me.solve(problem, model="lists").sample(3, rng=0)
    labels, scores = np.array([2, 0, 1, 0]), np.array([0.3, 0.1, 0.2, 0.4])
    LambdaObjective("GAP(g=0.5,0.5)")(labels, scores, group=np.array([4]))
    plain.random_problems(5, 1, 1, LANES).newton_method(most=3, tolerance=1e-9, quadratic=True)
    assert compared == {loop.__name__ for part in LOOPS.values() for loop in getattr(part, "ENTRIES", ())}
