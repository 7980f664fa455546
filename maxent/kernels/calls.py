"""Calls of translated loops, the functions in ``SIGNATURES`` of the modules of ``loops``."""

import ctypes
from functools import cache
from struct import pack
from typing import Any

import numpy as np

_NOTHING = ctypes.c_char * 0


def call(name: str, *arguments: Any, module: str = "native") -> None:
    """Call a translated function with integers, contiguous arrays, and named tuples of them."""
    integers = flatten(arguments)
    _function(name, module)(pack(f"{len(integers)}q", *integers))


def flatten(argument: Any) -> list[int]:
    """Flatten an argument to integers: an array becomes its address and shape."""
    if isinstance(argument, np.ndarray):
        return [address(argument), *argument.shape]
    if isinstance(argument, list):  # flattened before, from arrays that the caller keeps alive
        return argument
    return [number for part in argument for number in flatten(part)] if isinstance(argument, tuple) else [argument]


def address(array: Any) -> int:
    """Address of the first number of an array, which must be contiguous and writable."""
    return ctypes.addressof(_NOTHING.from_buffer(array))


@cache
def _function(name: str, module: str) -> Any:
    from maxent.kernels import machine  # the compiler is loaded at the first use

    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(machine.functions(module).get_function_address(name))
