"""Kinds of the arguments of translated functions, which the annotations of their parameters state.

======================================  ==============================================================
annotation                              what machine code gets
======================================  ==============================================================
``int``                                 the integer
``Annotated[FloatArray, "k, depth"]``   the address of an array of doubles with two axes, and its shape
``Annotated[IntArray, Flat("m, N")]``   the address of an array of integers with two axes
a class of named tuples                 its fields, by their annotations
======================================  ==============================================================

The names of the axes tell readers what they are; their number is checked at every call.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

from maxent.types import FloatArray, IntArray

DTYPES: dict[Any, np.dtype[Any]] = {FloatArray: np.dtype(np.float64), IntArray: np.dtype(np.int64)}


class Flat(str):
    """Axes of an array of which machine code gets no shape: the function knows it, and has one index."""

    __slots__ = ()


@dataclass(frozen=True)
class ArrayKind:
    """An array as argument."""

    dtype: np.dtype[Any]
    axes: str  # their names, with commas between them; a :class:`Flat` where machine code does not get the shape

    @cached_property
    def ndim(self) -> int:
        """Number of axes."""
        return self.axes.count(",") + 1


def kinds_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Kind of each parameter of a function, by name: ``int``, an :class:`ArrayKind`, or a named tuple of kinds.

    TypeError if a parameter has no annotation, or one that does not state a kind.
    """
    code = function.__code__
    return _kinds(function, code.co_varnames[: code.co_argcount])


def _kinds(owner: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Kinds of the parameters of a function, or of the fields of a named tuple."""
    annotations = get_type_hints(owner, include_extras=True)
    return {name: _kind(annotations.get(name), f"{owner.__name__}: {name}") for name in names}


def _kind(annotation: Any, where: str) -> Any:
    if annotation is int:
        return int
    if hasattr(annotation, "_fields"):
        return annotation(**_kinds(annotation, annotation._fields))
    if get_origin(annotation) is Annotated:
        array, axes = get_args(annotation)
        if array in DTYPES and isinstance(axes, str):
            return ArrayKind(DTYPES[array], axes)
    raise TypeError(f"{where} is annotated as {annotation}, expected int, an array with axes, or a named tuple")
