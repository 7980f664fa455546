"""From the sources of kernels to machine code for a number of grades and of problems side by side."""

import ast
import functools
import hashlib
import inspect
import math
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import njit

from maxent.compiled import exponential
from maxent.compiled.balance import BALANCE
from maxent.compiled.drive import DRIVES
from maxent.compiled.lanes import direct, layout, place, vectorize
from maxent.compiled.newton import NEWTON
from maxent.compiled.state import STATE
from maxent.compiled.steps import STEPS
from maxent.compiled.system import SYSTEM
from maxent.compiled.transfer import TRANSFER
from maxent.compiled.unroll import UNROLLED_UP_TO, unroll
from maxent.compiled.vectors import FLAGS, vector_functions

SOURCES = (*STATE, *SYSTEM, *STEPS, *NEWTON, *BALANCE, *TRANSFER)
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": set(FLAGS)}


_one_at_a_time = threading.Lock()  # threads would compile the same twice, and Python 3.11 loses count of its parser


def compile_for(c: int, lanes: int = 1) -> SimpleNamespace:
    """Compile all sources.

    Parameters
    ----------
    c : int
        Number of grades besides the reference.
    lanes : int
        Number of problems side by side.

    Returns
    -------
    SimpleNamespace
        The compiled functions by name, with parameters ``rank`` and ``whole`` (the buffers of a workspace) in
        place of the fields; each is compiled at its first call and kept on disk between processes.
    """
    with _one_at_a_time:
        return _compile_for(c, lanes)


@functools.lru_cache(maxsize=32)
def _compile_for(c: int, lanes: int) -> SimpleNamespace:
    if lanes > 1 and c > UNROLLED_UP_TO:
        raise ValueError(f"problems go side by side with at most {UNROLLED_UP_TO} grades, not {c}")
    where = layout(c)
    scalars: dict[str, Any] = {"lanes": lanes, "np": np, "math": math}
    scalars["times_power_of_two"] = exponential.times_power_of_two
    vectors = {**scalars, **vars(vector_functions(lanes))} if lanes > 1 else scalars
    digest = hashlib.sha256(repr(FLAGS).encode())  # not of a set: its order differs between processes

    def add(function: Callable[..., Any], definition: ast.FunctionDef, names: dict[str, Any], **more: Any) -> None:
        text = ast.unparse(ast.fix_missing_locations(definition))
        # numba keeps machine code by file and name and does not see changes in callees: a name for every text
        digest.update(text.encode())
        name = f"{function.__name__}_{c}_{lanes}_{digest.hexdigest()[:8]}"
        code = compile(text.replace(function.__name__, name, 1), inspect.getfile(function), "exec")
        names["__name__"] = function.__module__  # where numba looks when it reads the machine code back
        exec(code, names)
        scalars[function.__name__] = vectors[function.__name__] = njit(**{**OPTIONS, **more})(names[name])

    definition = unroll(_source(exponential.exp), _constants(exponential.exp))
    definition = vectorize(definition) if lanes > 1 else definition
    add(exponential.exp, definition, vectors, cache=False, inline="always")
    for function in SOURCES:
        definition = unroll(_source(function), _constants(function) | {"c": c}, loops=c <= UNROLLED_UP_TO)
        placed, per_lane = place(definition, where, lanes)
        add(function, placed, scalars if per_lane else vectors)
    drives: tuple[Callable[..., Any], ...] = DRIVES
    for drive in drives:
        add(drive, direct(unroll(_source(drive), _constants(drive) | {"c": c}, loops=False)), scalars)
    return SimpleNamespace(**{f.__name__: scalars[f.__name__] for f in (*SOURCES, *DRIVES)})


def _source(function: Callable[..., Any]) -> ast.FunctionDef:
    definition = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None
    return definition


def _constants(function: Callable[..., Any]) -> dict[str, Any]:
    """Numbers of its module that a source reads, but for those that the compiler decides."""
    read = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {k: v for k, v in read.items() if isinstance(v, int | float | tuple) and k not in ("c", "lanes")}
