"""The instructions of translated loops, and their operands: LLVM's numbers, arrays, and tuples of these."""

import ast
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any

from llvmlite import ir

from maxent.kernels.compiler.layout import LANES

INTEGER, TRUTH = map(ir.IntType, (64, 1))
FLOAT, ADDRESS = ir.DoubleType(), ir.PointerType()
EIGHT = ir.VectorType(FLOAT, LANES)
ARITHMETIC: dict[Any, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.RShift: "ashr",
    ast.BitAnd: "and_",
}
WIDENING = {("i64", "double"): "sitofp", ("i1", "double"): "uitofp", ("i1", "i64"): "zext"}
COMPARISONS: dict[Any, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@dataclass(frozen=True)
class Array:
    """Array in the loops' type system: numbers that are contiguous in memory."""

    element: Any  # LLVM's type of a number
    address: Any = ADDRESS
    shape: tuple[Any, ...] = ()  # empty where the number is unknown: then there is one index only


@dataclass(frozen=True)
class Instruction:
    """An operation that loops can call like a function, but that writes instructions directly."""

    write: Callable[..., Any]  # of the :class:`Instructions` and the arguments


@dataclass(frozen=True)
class Slot:
    """Place of a number in memory."""

    type: Any
    address: Any


class Instructions:
    """Writes LLVM instructions at the position of its ``builder``."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def go_on(self, block: Any) -> None:
        """Continue in a block, with a jump to it unless the current block has ended with another jump."""
        if not self.builder.block.is_terminated:
            self.builder.branch(block)
        self.builder.position_at_end(block)

    def read(self, address: Any, form: Any) -> Any:
        """Load a value with the structure of ``form`` from contiguous numbers at an address."""
        step = partial(self.builder.gep, address, source_etype=INTEGER)
        slots = [Slot(kind, step([constant(k)])) for k, kind in enumerate(numbers(form))]
        return self.load(rebuild(form, slots))

    def room(self, value: Any) -> Any:
        """Reserve memory for a value with the structure of ``value``."""
        with self.builder.goto_entry_block():
            return rebuild(value, [Slot(x.type, self.builder.alloca(x.type)) for x in numbers(value)])

    def load(self, value: Any) -> Any:
        """Load all numbers of a value into registers."""
        load = self.builder.load
        registers = [load(x.address, typ=x.type) if isinstance(x, Slot) else x for x in numbers(value)]
        return rebuild(value, registers)

    def store(self, places: Any, value: Any) -> None:
        """Write a value to its places."""
        if repr(rebuild(places, repeat(0))) != repr(rebuild(value, repeat(0))):
            raise TypeError("places of values of another form")
        for to, number in zip(numbers(places), numbers(value), strict=True):
            self.builder.store(self.widen(number, to.type), to.address)

    def widen(self, x: Any, kind: Any) -> Any:
        """Convert a number to a wider type; for ``EIGHT`` repeat it in all elements of the vector."""
        if x.type == kind:
            return x
        if kind == EIGHT:  # the number becomes element 0, and every element takes that of index 0
            one = self.builder.insert_element(ir.Constant(EIGHT, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            return self.builder.shuffle_vector(one, one, zeros)
        return getattr(self.builder, WIDENING[str(x.type), str(kind)])(x, kind)

    def promote(self, x: Any, y: Any) -> tuple[Any, Any, bool]:
        """Convert two numbers to their common type; the third element says whether it is floating-point."""
        kind = next((kind for kind in (EIGHT, FLOAT) if kind in (x.type, y.type)), INTEGER)
        return self.widen(x, kind), self.widen(y, kind), kind != INTEGER

    def truth(self, x: Any) -> Any:
        """Whether a number is not 0."""
        return x if x.type == TRUTH else self.compare(ast.NotEq, x, constant(0))

    def compare(self, operation: type, x: Any, y: Any) -> Any:
        """Compare two numbers."""
        (x, y, is_float), how = self.promote(x, y), COMPARISONS[operation]
        if not is_float:
            return self.builder.icmp_signed(how, x, y)
        if how == "!=":  # holds for NaN, as in Python; all other comparisons do not
            return self.builder.fcmp_unordered(how, x, y)
        return self.builder.fcmp_ordered(how, x, y)

    def compute(self, operation: ast.operator, x: Any, y: Any) -> Any:
        """Apply an arithmetic operator to two numbers."""
        if isinstance(operation, ast.Div):
            x = self.widen(x, FLOAT)
        x, y, is_float = self.promote(x, y)
        if isinstance(operation, ast.FloorDiv | ast.Mod) and not is_float:
            return self.divide(operation, x, y)
        if isinstance(operation, ast.RShift):  # LLVM has no result for 64 places or more
            y = self.choose(self.compare(ast.Lt, y, constant(63)), y, constant(63))
        name = ARITHMETIC[type(operation)]  # fadd, fsub, ... of floats
        write = getattr(self.builder, f"f{name}" if is_float else name)
        flags = ("contract",) if x.type == EIGHT else ()  # x y + z is rounded once where the processor can
        return write(x, y, flags=flags)

    def negate(self, x: Any) -> Any:
        """Negate a number."""
        if isinstance(x, ir.Constant):
            return constant(-x.constant)
        return self.builder.fneg(x) if x.type in (FLOAT, EIGHT) else self.compute(ast.Sub(), constant(0), x)

    def integer(self, x: Any) -> Any:
        """Return an integer; raise TypeError for other numbers."""
        if x.type != INTEGER:
            raise TypeError("no integer")
        return x

    def divide(self, operation: ast.operator, x: Any, y: Any) -> Any:
        """Quotient or remainder of integers: Python rounds down, LLVM towards 0."""
        quotient, remainder = self.builder.sdiv(x, y), self.builder.srem(x, y)
        # they differ if there is a remainder and its sign is not that of y
        other_sign = self.compare(ast.Lt, self.builder.xor(remainder, y), constant(0))
        differ = self.builder.and_(other_sign, self.truth(remainder))
        if isinstance(operation, ast.Mod):
            return self.builder.add(remainder, self.builder.select(differ, y, constant(0)))
        return self.builder.sub(quotient, self.widen(differ, INTEGER))

    def choose(self, test: Any, x: Any, y: Any) -> Any:
        """Select ``x`` where the test holds, else ``y``."""
        x, y, _ = self.promote(x, y)
        return self.builder.select(test, x, y)

    def call(self, name: str, *operands: Any) -> Any:
        """Call an intrinsic function of LLVM such as ``exp.f64`` on operands of one type."""
        module, kind, name = self.builder.module, operands[0].type, f"llvm.{name}"
        signature = ir.FunctionType(kind, [kind] * len(operands))
        function = module.globals.get(name) or ir.Function(module, signature, name)
        return self.builder.call(function, operands)


def _real(name: str) -> Instruction:
    return Instruction(lambda w, x: w.call(f"{name}.f64", w.widen(x, FLOAT)))


BUILTINS: dict[Any, Instruction] = {
    len: Instruction(lambda w, x: x.shape[0]),
    max: Instruction(lambda w, x, y: w.choose(w.compare(ast.Gt, y, x), y, x)),
    min: Instruction(lambda w, x, y: w.choose(w.compare(ast.Lt, y, x), y, x)),
    int: Instruction(lambda w, x: w.builder.fptosi(x, INTEGER) if x.type == FLOAT else w.widen(x, INTEGER)),
    float: Instruction(lambda w, x: w.widen(x, FLOAT)),
    abs: _real("fabs"),
    math.exp: _real("exp"),
    math.log: _real("log"),
    math.log2: _real("log2"),
    math.sqrt: _real("sqrt"),
}


def constant(value: Any) -> Any:
    """Convert a number of Python to a constant of LLVM; return other values as they are."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError("an integer of more than 64 bits")
    kinds = {bool: TRUTH, int: INTEGER, float: FLOAT}
    return ir.Constant(kinds[type(value)], value) if type(value) in kinds else value


def numbers(value: Any) -> list[Any]:
    """All numbers of a value, in the order in which ``calls`` passes them."""
    parts = (value.address, *value.shape) if isinstance(value, Array) else value
    return [number for part in parts for number in numbers(part)] if isinstance(parts, tuple | list) else [parts]


def rebuild(value: Any, replacements: Iterable[Any]) -> Any:
    """Rebuild the structure of a value with other numbers, in the order of :func:`numbers`."""
    numbers_left = iter(replacements)

    def build(value: Any) -> Any:
        if isinstance(value, Array):
            return Array(value.element, next(numbers_left), tuple(next(numbers_left) for _ in value.shape))
        if not isinstance(value, tuple):
            return next(numbers_left)
        parts = map(build, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)

    return build(value)
