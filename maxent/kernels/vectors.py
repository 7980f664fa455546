"""Eight numbers side by side in loops that numba compiles, and pointers to them.

LLVM turns a loop into vectors only where it can prove that arrays do not overlap. Here the loops say so themselves.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import float64, int64, types
from numba.extending import intrinsic, models, register_model

LANES = 8
FLOATS, INTEGERS, BYTES = (types.CPointer(kind) for kind in (float64, int64, types.uint8))
_EIGHT = ir.VectorType(ir.DoubleType(), LANES)
_ORDER = ir.VectorType(ir.IntType(32), LANES)


class Vector(types.Type):
    """Eight numbers in a register."""

    def __init__(self) -> None:
        super().__init__(name="Vector")


VECTOR = Vector()


@register_model(Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _EIGHT)


def _instruction(signature: Any, write: Callable[[Any, list[Any]], Any]) -> tuple[Any, Any]:
    """Type of an intrinsic, and what writes it with LLVM's builder."""

    def generate(context: Any, builder: Any, own: Any, arguments: list[Any]) -> Any:
        found = write(builder, arguments)
        return context.get_dummy_value() if own.return_type == types.void else found

    return signature, generate


def _place(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(pointer, [index]), _EIGHT.as_pointer())


def _pointer(kind: Any) -> Any:
    return lambda builder, given: builder.inttoptr(given[0], ir.PointerType(kind))


@intrinsic
def floats(typing: Any, address: Any) -> Any:
    """An address as a pointer to floats."""
    return _instruction(FLOATS(int64), _pointer(ir.DoubleType()))


@intrinsic
def integers(typing: Any, address: Any) -> Any:
    """An address as a pointer to integers."""
    return _instruction(INTEGERS(int64), _pointer(ir.IntType(64)))


@intrinsic
def at(typing: Any, pointer: Any, index: Any) -> Any:
    """Pointer to the number ``index`` places on."""
    return _instruction(pointer(pointer, int64), lambda builder, given: builder.gep(given[0], [given[1]]))


@intrinsic
def load(typing: Any, pointer: Any, index: Any) -> Any:
    """Eight numbers from a place on."""
    return _instruction(
        VECTOR(FLOATS, int64), lambda builder, given: builder.load(_place(builder, *given), align=8)
    )


@intrinsic
def store(typing: Any, x: Any, pointer: Any, index: Any) -> Any:
    """Write eight numbers."""
    return _instruction(
        types.void(VECTOR, FLOATS, int64),
        lambda builder, given: builder.store(given[0], _place(builder, *given[1:]), align=8),
    )


@intrinsic
def spread(typing: Any, x: Any) -> Any:
    """The same number eight times."""

    def write(builder: Any, given: list[Any]) -> Any:
        empty = ir.Constant(_EIGHT, ir.Undefined)
        one = builder.insert_element(empty, given[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, empty, ir.Constant(_ORDER, [0] * LANES))

    return _instruction(VECTOR(float64), write)


@intrinsic
def times(typing: Any, x: Any, y: Any) -> Any:
    """Products."""
    return _instruction(VECTOR(VECTOR, VECTOR), lambda builder, given: builder.fmul(*given))


@intrinsic
def plus(typing: Any, x: Any, y: Any) -> Any:
    """Sums."""
    return _instruction(VECTOR(VECTOR, VECTOR), lambda builder, given: builder.fadd(*given))


@intrinsic
def add(typing: Any, x: Any, y: Any, z: Any) -> Any:
    """``x * y + z``, rounded once where the processor can."""

    def write(builder: Any, given: list[Any]) -> Any:
        kind, name = ir.FunctionType(_EIGHT, [_EIGHT] * 3), f"llvm.fmuladd.v{LANES}f64"
        known = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.call(known, given)

    return _instruction(VECTOR(VECTOR, VECTOR, VECTOR), write)


@intrinsic
def greater(typing: Any, x: Any, y: Any) -> Any:
    """The greater of each two numbers; that of ``y`` if ``x`` is no number."""
    return _instruction(
        VECTOR(VECTOR, VECTOR),
        lambda builder, given: builder.select(builder.fcmp_ordered(">", *given), *given),
    )


def _folded(combine: Callable[[Any, Any, Any], Any]) -> Callable[[Any, list[Any]], Any]:
    """One number of eight, by halves."""

    def write(builder: Any, given: list[Any]) -> Any:
        parts = [builder.extract_element(given[0], ir.Constant(ir.IntType(32), k)) for k in range(LANES)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [combine(builder, parts[k], parts[k + half]) for k in range(half)]
        return parts[0]

    return write


@intrinsic
def total(typing: Any, x: Any) -> Any:
    """Sum of the eight numbers."""
    return _instruction(float64(VECTOR), _folded(lambda builder, x, y: builder.fadd(x, y)))


@intrinsic
def largest(typing: Any, x: Any) -> Any:
    """Largest of the eight numbers."""
    return _instruction(
        float64(VECTOR), _folded(lambda builder, x, y: builder.select(builder.fcmp_ordered(">", x, y), x, y))
    )
