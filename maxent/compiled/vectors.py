"""The processor's vectors as a type of numba's: one value for each of several problems, or a row of a matrix.

The compiler's own vectoriser leaves loops as short as these alone; with this type a kernel that is written for one
number becomes vector instructions for certain. Vectors exist inside compiled functions only.
"""

import functools
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

FLAGS = ("contract", "nsz")  # a product and a sum may become one instruction; the sign of zero does not matter
BITS, INDEX = ir.IntType(64), ir.IntType(32)


class Lanes(types.Type):
    """Type of a vector of ``count`` doubles, or of truth values about them."""

    def __init__(self, count: int, *, truth: bool = False) -> None:
        self.count, self.truth = count, truth
        super().__init__(f"Lanes({count}, {'truth' if truth else 'double'})")

    @property
    def representation(self) -> ir.VectorType:
        """LLVM's type."""
        return ir.VectorType(ir.IntType(1) if self.truth else ir.DoubleType(), self.count)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, kind.representation)


def _define(
    python: Callable[..., Any], emit: Callable[..., Any], *, operands: int = 2, truth: bool = False
) -> None:
    """Give an operator of Python a meaning for vectors."""

    class Template(AbstractTemplate):
        def generic(self, arguments: tuple[Any, ...], keywords: Any) -> Any:
            if len(arguments) == operands and all(isinstance(kind, Lanes) for kind in arguments):
                return signature(Lanes(arguments[0].count, truth=truth), *arguments)
            return None

    infer_global(python)(Template)

    def lower(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)

    lower_builtin(python, *[Lanes] * operands)(lower)


def _with_flags(name: str) -> Callable[..., Any]:
    return lambda builder, x, y: getattr(builder, name)(x, y, flags=FLAGS)


def _comparison(name: str) -> Callable[..., Any]:
    return lambda builder, x, y: builder.fcmp_ordered(name, x, y)


for _operators, _instruction in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _operator in _operators:
        _define(_operator, _with_flags(_instruction))
_define(operator.neg, lambda builder, x: builder.fneg(x), operands=1)
_define(operator.lt, _comparison("<"), truth=True)
_define(operator.gt, _comparison(">"), truth=True)


@infer_global(operator.mul)
class _Multiple(AbstractTemplate):
    """A number times a vector."""

    def generic(self, arguments: tuple[Any, ...], keywords: Any) -> Any:
        number, *others = arguments
        if number == types.float64 and len(others) == 1 and isinstance(others[0], Lanes):
            return signature(others[0], *arguments)
        return None


@lower_builtin(operator.mul, types.Float, Lanes)
def _multiple(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
    number, x = arguments
    return builder.fmul(_splat(builder, number, x.type), x, flags=FLAGS)


def _splat(builder: Any, number: Any, kind: Any) -> Any:
    undefined = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(undefined, number, INDEX(0))
    return builder.shuffle_vector(one, undefined, _places([0] * kind.count))


def _places(places: list[int]) -> Any:
    """A mask that takes these elements of a vector."""
    return ir.Constant(ir.VectorType(INDEX, len(places)), places)


def _larger(builder: Any, x: Any, y: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", y, x), y, x)


def _root(builder: Any, x: Any) -> Any:
    return _by_intrinsic(builder, "sqrt", x)


def _absolute(builder: Any, x: Any) -> Any:
    return _by_intrinsic(builder, "fabs", x)


def _by_intrinsic(builder: Any, name: str, x: Any) -> Any:
    kind = ir.FunctionType(x.type, [x.type])
    return builder.call(builder.module.declare_intrinsic(f"llvm.{name}.v{x.type.count}f64", (), kind), [x])


def _power(builder: Any, x: Any, shifted: Any) -> Any:
    """See :func:`maxent.compiled.exponential.times_power_of_two`."""
    wide = ir.VectorType(BITS, x.type.count)
    by = ir.Constant(wide, [52] * x.type.count)
    moved = builder.shl(builder.bitcast(shifted, wide), by)
    return builder.bitcast(builder.add(builder.bitcast(x, wide), moved), x.type)


def _address(context: Any, builder: Any, typing: Any, arguments: Any, kind: Any) -> Any:
    """Where a vector of this kind begins, from an array and an index into it."""
    array = context.make_array(typing.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(array.data, [arguments[1]]), kind.as_pointer())


@functools.cache
def vector_functions(count: int) -> SimpleNamespace:
    """What a kernel for ``count`` problems calls: load, store, splat and functions of vectors."""
    kind = Lanes(count)

    def address(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
        return _address(context, builder, typing, arguments, kind.representation)

    @intrinsic
    def load(context: Any, array: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
            return builder.load(address(context, builder, typing, arguments), align=8)

        return kind(array, types.intp), generate

    @intrinsic
    def store(context: Any, array: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
            builder.store(arguments[2], address(context, builder, typing, arguments), align=8)
            return context.get_dummy_value()

        return types.void(array, types.intp, kind), generate

    @intrinsic
    def splat(context: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
            return _splat(builder, arguments[0], kind.representation)

        return kind(types.float64), generate

    @intrinsic
    def select(context: Any, test: Any, yes: Any, no: Any) -> Any:
        return kind(Lanes(count, truth=True), kind, kind), lambda c, b, t, arguments: b.select(*arguments)

    def of_vectors(emit: Callable[..., Any], operands: int) -> Any:
        if operands == 1:
            return intrinsic(lambda context, x: (kind(kind), lambda c, b, t, a: emit(b, *a)))
        return intrinsic(lambda context, x, y: (kind(kind, kind), lambda c, b, t, a: emit(b, *a)))

    return SimpleNamespace(
        load=load,
        store=store,
        splat=splat,
        select=select,
        max=of_vectors(_larger, 2),
        abs=of_vectors(_absolute, 1),
        sqrt=of_vectors(_root, 1),
        times_power_of_two=of_vectors(_power, 2),
    )


def _wide(count: int) -> Lanes:
    """Type of a vector in which a row of so many numbers fits."""
    return Lanes(4 if count <= 4 else 8)


@intrinsic(prefer_literal=True)
def load_row(context: Any, array: Any, index: Any, count: Any) -> Any:
    """A row of ``count`` numbers; what the vector has beyond them is undefined."""
    number, kind = count.literal_value, _wide(count.literal_value)

    def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
        exact = ir.VectorType(ir.DoubleType(), number)
        row = builder.load(_address(context, builder, typing, arguments, exact), align=8)
        mask = _places([min(k, number - 1) for k in range(kind.count)])
        return builder.shuffle_vector(row, ir.Constant(exact, ir.Undefined), mask)

    return kind(array, types.intp, count), generate


@intrinsic(prefer_literal=True)
def store_row(context: Any, array: Any, index: Any, count: Any, row: Any) -> Any:
    """Write the first ``count`` numbers of a vector."""
    number = count.literal_value

    def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
        exact, row = ir.VectorType(ir.DoubleType(), number), arguments[3]
        part = builder.shuffle_vector(row, ir.Constant(row.type, ir.Undefined), _places(list(range(number))))
        builder.store(part, _address(context, builder, typing, arguments, exact), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, count, row), generate


@intrinsic(prefer_literal=True)
def unit(context: Any, count: Any, index: Any) -> Any:
    """A row of ``count`` numbers: 1 at ``index`` and else 0."""
    kind, place = _wide(count.literal_value), index.literal_value

    def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
        return ir.Constant(kind.representation, [float(k == place) for k in range(kind.count)])

    return kind(count, index), generate


@intrinsic(prefer_literal=True)
def element(context: Any, row: Any, index: Any) -> Any:
    """One number of a row."""
    place = index.literal_value
    return types.float64(row, index), lambda c, b, t, arguments: b.extract_element(arguments[0], INDEX(place))


@intrinsic(prefer_literal=True)
def replaced(context: Any, row: Any, index: Any, number: Any) -> Any:
    """The row with another number at ``index``."""
    place = index.literal_value

    def generate(context: Any, builder: Any, typing: Any, arguments: Any) -> Any:
        return builder.insert_element(arguments[0], arguments[2], INDEX(place))

    return row(row, index, types.float64), generate


ROW_FUNCTIONS = {f.__name__: f for f in (load_row, store_row, unit, element, replaced)}
