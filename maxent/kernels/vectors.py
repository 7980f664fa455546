"""Eight numbers side by side in loops that numba compiles, and pointers to them.

LLVM turns a loop into vectors only where it can prove that arrays do not overlap. Here the loops say so themselves.
"""

import operator
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from llvmlite import ir
from numba import float64, int64, types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

from maxent.kernels.arguments import LANES

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


class _Arithmetic(AbstractTemplate):
    def generic(self, given: Any, named: Any) -> Any:
        return VECTOR(VECTOR, VECTOR) if VECTOR in given else None


def _written(name: str) -> Callable[..., Any]:
    return lambda context, builder, own, given: getattr(builder, name)(*given, flags=("contract",))


for _operator, _name in ((operator.add, "fadd"), (operator.mul, "fmul")):
    infer_global(_operator)(_Arithmetic)
    lower_builtin(_operator, VECTOR, VECTOR)(_written(_name))  # x y + z is rounded once where the processor can


@lower_cast(float64, VECTOR)
def _spread(context: Any, builder: Any, kind: Any, wanted: Any, x: Any) -> Any:
    """The same number eight times."""
    empty = ir.Constant(_EIGHT, ir.Undefined)
    one = builder.insert_element(empty, x, ir.Constant(_NUMBER, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(_NUMBER, LANES), [0] * LANES))


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


spread = _instruction(VECTOR, VECTOR, write=lambda builder, x: x)  # of a number, as one beside vectors is spread
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
