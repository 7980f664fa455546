"""Calls of the functions that numba compiles, and the records that they take: see :mod:`maxent.kernels.native`."""

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from maxent.types import FloatArray, IntArray


class Passes(NamedTuple):
    """Addresses of the passes that ``native`` calls."""

    softmax: int
    gradient_down: int
    gradient_up: int
    implied: int
    release: int
    begin: int
    residuals: int
    decide: int
    forward: int
    forward_linear: int
    border: int
    backward: int
    backward_linear: int
    fastest_growth: int
    step_length: int
    move: int
    evidence: int
    negative_eigenvalues: int
    randomness: int


class Places(NamedTuple):
    """Where fields begin in the records of a rank, and of the problem."""

    a: int
    d: int
    offset: int
    theta: int
    p: int
    eliminated: int
    running: int
    fresh: int
    growth: int
    used: int


NO_FACTORS, NO_NUMBERS = np.empty((0, 0)), np.empty(0, dtype=np.int64)


class Source(NamedTuple):
    """Where the numbers of a field of the ranks come from."""

    array: FloatArray  # (entries, rows, numbers)
    entry: IntArray = (
        NO_NUMBERS  # (k,): index of each problem along the first axis; by default problem k has entry k
    )
    row: IntArray = NO_NUMBERS  # (depth,): index of the row of each rank; by default rank n has row n
    factor: FloatArray = NO_FACTORS  # (k, numbers): what the numbers are multiplied by; 1 by default


class Lists(NamedTuple):
    """Observed lists with which k distributions are compared, and where these stand in the records."""

    begin: IntArray  # (k,): where the relevant documents of the list of each begin, and where they end
    end: IntArray
    ranks: IntArray  # (documents,): their ranks, from 1, and their grades
    grades: IntArray
    bases: FloatArray  # (k, thresholds): R_>=t of the topic
    thresholds: IntArray  # (thresholds,)
    aligns: IntArray  # (alignments,): 0 at equal recall, 1 at equal rank, 2 by expected precision
    rounding: FloatArray  # (1,): how far a recall may be below a wanted one and still reach it
    shares: FloatArray  # (levels + 1, k): what the probability that stands for a grade is multiplied by
    columns: IntArray  # (levels + 1,): place in the record of the probability that stands for a grade, or -1
    scratch: FloatArray  # (2, most documents of a list)


_RESULT = (ctypes.c_int64 * 8)()  # numba's functions write a result and an error here; these have neither
_PLACE = ctypes.addressof(_RESULT)


def call(name: str, *arguments: Any, module: str = "native") -> None:
    """Call a function of a module such as ``native`` with integers, contiguous arrays, and named tuples of them."""
    given = [_PLACE, _PLACE]
    for argument in arguments:
        given += flat(argument)
    _function(name, len(given), module)(*given)


def flat(argument: Any) -> list[int]:
    """An argument as numba passes it, in integers: of an array its size, address, shape and strides."""
    if isinstance(argument, list):  # flat already, of arrays that somebody keeps
        return argument
    if isinstance(argument, tuple):
        return [number for own in argument for number in flat(own)]
    if not isinstance(argument, np.ndarray):
        return [argument]
    return [0, 0, argument.size, argument.itemsize, address(argument), *argument.shape, *argument.strides]


def address(array: FloatArray | IntArray) -> int:
    """Address of the first number of a contiguous array."""
    place: dict[str, Any] = array.__array_interface__
    if place["strides"] is not None:
        raise ValueError("machine code reads contiguous arrays only")
    found: int = place["data"][0]
    return found


@cache
def _function(name: str, arguments: int, module: str) -> Any:
    from maxent.kernels import machine  # the compiler is loaded at the first use

    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * arguments)(machine.functions(module).address(name))
