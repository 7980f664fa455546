"""What translated loops work on: numbers, arrays of them, and tuples of both."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from maxent.kernels.registers import number


@dataclass(frozen=True)
class Number:
    """A number in a register or in memory."""

    kind: str  # LLVM's type of it
    name: str = ""  # LLVM's text of it, or of its address
    stored: bool = False  # whether it is in memory


@dataclass(frozen=True)
class Array:
    """Numbers that stand one after the other in memory."""

    element: str  # LLVM's type of a number
    address: Number = Number("ptr")
    shape: tuple[Number, ...] = ()  # none where nobody knows how many there are


INTEGER, TRUTH = Number("i64"), Number("i1")
FLOATS, INTEGERS, BYTES = (Array(element) for element in ("double", "i64", "i8"))
F1, F2, F3, F4 = (Array("double", shape=(INTEGER,) * axes) for axes in (1, 2, 3, 4))
I1, I2 = (Array("i64", shape=(INTEGER,) * axes) for axes in (1, 2))


def constant(value: Any) -> Any:
    """A number of Python as LLVM writes it; all else as it is."""
    if isinstance(value, bool):
        return Number("i1", str(value).lower())
    if isinstance(value, int):
        return Number("i64", str(value))
    return Number("double", number(value)) if isinstance(value, float) else value


def numbers(value: Any) -> list[Number]:
    """All numbers of a value, in the order in which ``calls`` passes them."""
    if isinstance(value, Number):
        return [value]
    parts = (value.address, *value.shape) if isinstance(value, Array) else value
    return [own for part in parts for own in numbers(part)]


def replaced(value: Any, found: Iterable[Number]) -> Any:
    """A value of the same form with other numbers."""
    return _replaced(value, iter(found))


def _replaced(value: Any, found: Iterator[Number]) -> Any:
    if isinstance(value, Number):
        return next(found)
    if isinstance(value, Array):
        return Array(value.element, next(found), tuple(next(found) for _ in value.shape))
    parts = [_replaced(part, found) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def blank(value: Any) -> Any:
    """A value of the same form whose numbers have no names."""
    return replaced(value, [Number(own.kind) for own in numbers(value)])


def types(value: Any) -> str:
    """LLVM's type of what a function returns."""
    kinds = [own.kind for own in numbers(value)]
    return f"{{{', '.join(kinds)}}}" if kinds else "void"
