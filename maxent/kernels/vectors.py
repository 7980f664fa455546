"""Eight numbers side by side in loops that numba compiles, and pointers to them.

LLVM turns a loop into vectors only where it can prove that arrays do not overlap. Here the loops say so themselves.
"""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from llvmlite import ir
from numba import float64, int64, types
from numba.extending import intrinsic, models, register_model

LANES = 8
FLOATS, INTEGERS, BYTES = (types.CPointer(kind) for kind in (float64, int64, types.uint8))
_EIGHT = ir.VectorType(ir.DoubleType(), LANES)
_NUMBER = ir.IntType(32)


class Vector(types.Type):
    """Eight numbers in a register."""

    def __init__(self) -> None:
        super().__init__(name="Vector")


VECTOR = Vector()


@register_model(Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _EIGHT)


def _instruction(found: Any, *given: Any, write: Callable[..., Any]) -> Any:
    """A function of numbers of the types ``given``, which ``write`` writes with LLVM's builder."""

    def generate(context: Any, builder: Any, own: Any, arguments: list[Any]) -> Any:
        result = write(builder, *arguments)
        return context.get_dummy_value() if found == types.void else result

    def typed(*_: Any) -> Any:
        return found(*given), generate

    names = ("typing", *(f"x{k}" for k in range(len(given))))
    typed.__signature__ = Signature([Parameter(own, Parameter.POSITIONAL_ONLY) for own in names])  # type: ignore[attr-defined]
    return intrinsic(typed)


def _place(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(pointer, [index]), _EIGHT.as_pointer())


def _pointer(found: Any, kind: Any) -> Any:
    """An address as a pointer."""
    return _instruction(found, int64, write=lambda builder, x: builder.inttoptr(x, ir.PointerType(kind)))


def _spread(builder: Any, x: Any) -> Any:
    empty = ir.Constant(_EIGHT, ir.Undefined)
    one = builder.insert_element(empty, x, ir.Constant(_NUMBER, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(_NUMBER, LANES), [0] * LANES))


def _add(builder: Any, x: Any, y: Any, z: Any) -> Any:
    kind, name = ir.FunctionType(_EIGHT, [_EIGHT] * 3), f"llvm.fmuladd.v{LANES}f64"
    known = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(known, [x, y, z])


def _greater(builder: Any, x: Any, y: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


def _folded(combine: Callable[[Any, Any, Any], Any]) -> Any:
    """One number of eight, by halves."""

    def write(builder: Any, x: Any) -> Any:
        parts = [builder.extract_element(x, ir.Constant(_NUMBER, k)) for k in range(LANES)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [combine(builder, parts[k], parts[k + half]) for k in range(half)]
        return parts[0]

    return _instruction(float64, VECTOR, write=write)


floats, integers = _pointer(FLOATS, ir.DoubleType()), _pointer(INTEGERS, ir.IntType(64))
spread = _instruction(VECTOR, float64, write=_spread)  # the same number eight times
times = _instruction(VECTOR, VECTOR, VECTOR, write=lambda builder, x, y: builder.fmul(x, y))
plus = _instruction(VECTOR, VECTOR, VECTOR, write=lambda builder, x, y: builder.fadd(x, y))
add = _instruction(VECTOR, VECTOR, VECTOR, VECTOR, write=_add)  # x y + z, rounded once where the processor can
greater = _instruction(VECTOR, VECTOR, VECTOR, write=_greater)  # the second of two numbers if the first is NaN
choose = _instruction(  # the third of four where the first is greater than the second, else the fourth
    VECTOR,
    *[VECTOR] * 4,
    write=lambda builder, x, y, one, other: builder.select(builder.fcmp_ordered(">", x, y), one, other),
)
total = _folded(lambda builder, x, y: builder.fadd(x, y))  # sum of the eight numbers
largest = _folded(_greater)
load = _instruction(VECTOR, FLOATS, int64, write=lambda builder, x, k: builder.load(_place(builder, x, k), align=8))
store = _instruction(
    types.void,
    VECTOR,
    FLOATS,
    int64,
    write=lambda builder, x, to, k: builder.store(x, _place(builder, to, k), align=8),
)


@intrinsic
def at(typing: Any, pointer: Any, index: Any) -> Any:
    """Pointer to the number ``index`` places on."""
    return pointer(pointer, int64), lambda context, builder, own, given: builder.gep(given[0], [given[1]])
