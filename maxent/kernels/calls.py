"""Calls of translated loops, the functions in ``SIGNATURES`` of the modules of ``loops``.

Machine code checks nothing, so what does not fit the signature is refused here, before an address is taken.
"""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from struct import pack
from typing import Any, NamedTuple, NoReturn

import numpy as np

INTEGERS = (int, np.integer)
_NOTHING = ctypes.c_char * 0


class Parameter(NamedTuple):
    """An integer or array that machine code takes."""

    label: str  # its name, such as ``lists.begin`` for a field of a named tuple
    dtype: np.dtype[Any] | None  # of the numbers of an array; None for an integer
    axes: int | None  # dimensions of the array; None for any, and machine code gets only the address


def call(name: str, *arguments: Any, module: str = "native") -> None:
    """Call a translated function with integers, arrays, and named tuples of them, which fit its signature."""
    function, parameters = _function(name, module)
    integers = flatten(name, arguments, parameters)
    function(pack(f"{len(integers)}q", *integers))


def flatten(name: str, arguments: Sequence[Any], parameters: Sequence[Parameter]) -> list[int]:
    """Flatten the arguments of a function to integers: an array becomes its address and shape.

    TypeError or ValueError if an argument does not fit its parameter.
    """
    values: list[Any] = []
    _collect(arguments, values)
    if len(values) != len(parameters):
        raise ValueError(f"{name} takes {len(parameters)} numbers and arrays, got {len(values)}")
    integers: list[int] = []
    for value, parameter in zip(values, parameters, strict=True):
        if not _fits(value, parameter):
            _refuse(name, parameter, value)
        if parameter.dtype is None:
            integers.append(value)
            continue
        try:
            integers.append(address(value))
        except TypeError:
            _refuse(name, parameter, value)
        if parameter.axes is not None:
            integers += value.shape
    return integers


def _fits(value: Any, parameter: Parameter) -> bool:
    """Whether a value is an integer, or an array of the type and dimensions, as the parameter has it."""
    _, dtype, axes = parameter
    if dtype is None:
        return isinstance(value, INTEGERS)
    return isinstance(value, np.ndarray) and value.dtype == dtype and (axes is None or value.ndim == axes)


def address(array: Any) -> int:
    """Address of the first number of an array; TypeError unless it is contiguous and writable."""
    return ctypes.addressof(_NOTHING.from_buffer(array))


def parameters_of(function: Any, kinds: Sequence[Any]) -> list[Parameter]:
    """The parameters of a translated function, from the types of its arguments."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [part for label, kind in zip(names, kinds, strict=True) for part in _parameters(label, kind)]


def _parameters(label: str, kind: Any) -> Iterator[Parameter]:
    from maxent.kernels.compiler.instructions import FLOAT, Array

    if isinstance(kind, Array):
        yield Parameter(label, np.dtype(np.float64 if kind.element == FLOAT else np.int64), len(kind.shape) or None)
    elif isinstance(kind, tuple):
        for field, part in zip(kind._fields, kind, strict=True):  # type: ignore[attr-defined]
            yield from _parameters(f"{label}.{field}", part)
    else:
        yield Parameter(label, None, None)


def _collect(argument: Any, values: list[Any]) -> None:
    """Collect the integers and arrays of an argument; a list has nothing else."""
    if isinstance(argument, tuple):
        for part in argument:
            _collect(part, values)
    elif isinstance(argument, list):
        values += argument
    else:
        values.append(argument)


def _refuse(name: str, parameter: Parameter, value: Any) -> NoReturn:
    """Raise the error of an argument that does not fit."""
    label, dtype, axes = parameter
    wanted = "an integer" if dtype is None else f"an array of {dtype}"
    if not isinstance(value, np.ndarray) or dtype is None:
        raise TypeError(f"{name}: {label} takes {wanted}, got {type(value).__name__}")
    if value.dtype != dtype:
        raise TypeError(f"{name}: {label} takes {wanted}, got {value.dtype} of shape {value.shape}")
    if axes not in (None, value.ndim):
        raise ValueError(f"{name}: {label} takes {wanted} of ndim {axes}, got shape {value.shape}")
    flaw = "a read-only array" if value.flags.c_contiguous else "a view that is not contiguous"
    raise ValueError(f"{name}: {label} takes {wanted} that is contiguous and writable, got {flaw}")


@cache
def _function(name: str, module: str) -> tuple[Any, list[Parameter]]:
    from maxent.kernels import machine  # the compiler is loaded at the first use

    signatures = import_module(f"maxent.kernels.loops.{module}").SIGNATURES
    function = next(function for function in signatures if function.__name__ == name)
    compiled = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(machine.functions(module).get_function_address(name))
    return compiled, parameters_of(function, signatures[function])
