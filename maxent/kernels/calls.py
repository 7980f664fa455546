"""Calls of translated loops, the functions in ``ENTRIES`` of the modules of ``loops``.

Machine code checks nothing, so what does not fit the annotations is refused here, before an address is taken.
"""

import ctypes
from collections.abc import Iterator, KeysView, Sequence
from functools import cache
from importlib import import_module
from struct import pack
from typing import Any, NamedTuple, NoReturn

import numpy as np

from maxent.kernels.compiler.kinds import ArrayKind, Flat, kinds_of

INTEGERS = (int, np.integer)
_NOTHING = ctypes.c_char * 0


class Parameter(NamedTuple):
    """An integer or array that machine code takes."""

    label: str  # its name, such as ``lists.begin`` for a field of a named tuple
    dtype: np.dtype[Any] | None = None  # None for an integer
    axes: str = ""  # of an array
    ndim: int = 0  # their number
    has_shape: bool = False  # whether machine code gets it


def call(name: str, /, *, module: str = "native", **arguments: Any) -> None:
    """Call a translated function with integers, arrays, and named tuples of them, which fit its annotations.

    The arguments have the names that the function has for them; TypeError if one is missing or unknown.
    """
    function, names, parameters = _function(name, module)
    if arguments.keys() != names:
        raise TypeError(f"{name} takes {', '.join(names)}, got {', '.join(arguments)}")
    integers = flatten(name, [arguments[label] for label in names], parameters)
    function(pack(f"{len(integers)}q", *integers))


def flatten(name: str, arguments: Sequence[Any], parameters: Sequence[Parameter]) -> list[int]:
    """Flatten the arguments of a function to integers: an array becomes its address and shape.

    TypeError or ValueError if an argument does not fit its parameter.
    """
    values: list[Any] = []  # integers and arrays, those of named tuples one after the other
    _collect(arguments, values)
    if len(values) != len(parameters):
        raise ValueError(f"{name} takes {len(parameters)} numbers and arrays, got {len(values)}")
    integers: list[int] = []
    for value, parameter in zip(values, parameters, strict=True):
        _, dtype, _, ndim, has_shape = parameter
        if dtype is None:
            if not isinstance(value, INTEGERS):
                _refuse(name, parameter, value)
            integers.append(int(value))
            continue
        if not (isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == ndim):
            _refuse(name, parameter, value)
        try:
            integers.append(address(value))
        except TypeError:
            _refuse(name, parameter, value)
        if has_shape:
            integers += value.shape
    return integers


def address(array: Any) -> int:
    """Address of the first number of an array; TypeError unless it is contiguous and writable."""
    return ctypes.addressof(_NOTHING.from_buffer(array))


def parameters_of(function: Any) -> list[Parameter]:
    """The integers and arrays that a translated function takes, from its annotations."""
    return [part for label, kind in kinds_of(function).items() for part in _parameters(label, kind)]


def _parameters(label: str, kind: Any) -> Iterator[Parameter]:
    if kind is int:
        yield Parameter(label)
    elif isinstance(kind, ArrayKind):
        yield Parameter(label, kind.dtype, kind.axes, kind.ndim, has_shape=not isinstance(kind.axes, Flat))
    else:
        for field, part in kind._asdict().items():
            yield from _parameters(f"{label}.{field}", part)


def _collect(arguments: Sequence[Any], values: list[Any]) -> None:
    """Collect the integers and arrays of arguments."""
    for argument in arguments:
        if isinstance(argument, tuple):
            _collect(argument, values)
        else:
            values.append(argument)


def _refuse(name: str, parameter: Parameter, value: Any) -> NoReturn:
    """Raise the error of an argument that does not fit."""
    label, dtype, axes, ndim, _ = parameter
    wanted = "an integer" if dtype is None else f"an array of {dtype}"
    if not isinstance(value, np.ndarray) or dtype is None:
        raise TypeError(f"{name}: {label} takes {wanted}, got {type(value).__name__}")
    if value.dtype != dtype:
        raise TypeError(f"{name}: {label} takes {wanted}, got {value.dtype} of shape {value.shape}")
    if value.ndim != ndim:
        raise ValueError(f"{name}: {label} takes {wanted} of shape ({axes}), got shape {value.shape}")
    flaw = "a read-only array" if value.flags.c_contiguous else "a view that is not contiguous"
    raise ValueError(f"{name}: {label} takes {wanted} that is contiguous and writable, got {flaw}")


@cache
def _function(name: str, module: str) -> tuple[Any, KeysView[str], list[Parameter]]:
    """Machine code of a function, the names of its arguments, and the integers and arrays in these."""
    from maxent.kernels import machine  # the compiler is loaded at the first use

    entries = import_module(f"maxent.kernels.loops.{module}").ENTRIES
    function = next(function for function in entries if function.__name__ == name)
    compiled = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(machine.functions(module).get_function_address(name))
    return compiled, kinds_of(function).keys(), parameters_of(function)
