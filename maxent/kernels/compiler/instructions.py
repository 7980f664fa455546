"""Instructions that translated loops are made of, and their values: numbers of LLVM's, arrays, tuples of these."""

import ast
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any

from llvmlite import ir

from maxent.kernels.compiler.arguments import LANES

INTEGER, TRUTH = map(ir.IntType, (64, 1))
FLOAT, ADDRESS = ir.DoubleType(), ir.PointerType()
EIGHT = ir.VectorType(FLOAT, LANES)
ARITHMETIC: dict[Any, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.RShift: "ashr",
    ast.BitAnd: "and_",
}  # fmt: skip
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
    """Numbers that stand one after the other in memory."""

    element: Any  # LLVM's type of a number
    address: Any = ADDRESS
    shape: tuple[Any, ...] = ()  # none where nobody knows how many there are: one index only


FLOATS, INTEGERS = Array(FLOAT), Array(INTEGER)
F1, F2, F3, F4 = (Array(FLOAT, shape=(INTEGER,) * axes) for axes in (1, 2, 3, 4))
I1, I2 = (Array(INTEGER, shape=(INTEGER,) * axes) for axes in (1, 2))


@dataclass(frozen=True)
class Instruction:
    """What a loop may call that is not a function in Python."""

    write: Callable[..., Any]  # of these and the arguments


@dataclass(frozen=True)
class Slot:
    """Where a number stands."""

    type: Any
    address: Any


class Instructions:
    """Writes instructions where its ``builder`` stands."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def go_on(self, block: Any) -> None:
        """Write what follows to a block, and jump there, unless a jump to another was the last that is written."""
        if not self.builder.block.is_terminated:
            self.builder.branch(block)
        self.builder.position_at_end(block)

    def given(self, address: Any, form: Any) -> Any:
        """A value like this one whose numbers stand one after the other at an address."""
        step = partial(self.builder.gep, address, source_etype=INTEGER)
        return self.loaded(like(form, [Slot(kind, step([constant(k)])) for k, kind in enumerate(numbers(form))]))

    def room(self, value: Any) -> Any:
        """Places for a value like this one."""
        with self.builder.goto_entry_block():
            return like(value, [Slot(own.type, self.builder.alloca(own.type)) for own in numbers(value)])

    def loaded(self, value: Any) -> Any:
        """A value with all its numbers in registers."""
        load = self.builder.load
        found = [load(x.address, typ=x.type) if isinstance(x, Slot) else x for x in numbers(value)]
        return like(value, found)

    def store(self, places: Any, value: Any) -> None:
        """Write a value to its places."""
        if repr(like(places, repeat(0))) != repr(like(value, repeat(0))):
            raise TypeError("places of values of another form")
        for to, own in zip(numbers(places), numbers(value), strict=True):
            self.builder.store(self.widened(own, to.type), to.address)

    def widened(self, x: Any, kind: Any) -> Any:
        """A number as one of a kind that has it, too, or eight times."""
        if kind == EIGHT != x.type:
            one = self.builder.insert_element(ir.Constant(EIGHT, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            return self.builder.shuffle_vector(one, one, zeros)
        return x if x.type == kind else getattr(self.builder, WIDENING[str(x.type), str(kind)])(x, kind)

    def together(self, x: Any, y: Any) -> tuple[Any, Any, bool]:
        """Two numbers as of one kind, and whether that is no integer."""
        kind = next((kind for kind in (EIGHT, FLOAT) if kind in (x.type, y.type)), INTEGER)
        return self.widened(x, kind), self.widened(y, kind), kind != INTEGER

    def truth(self, x: Any) -> Any:
        """Whether a number is not 0."""
        return x if x.type == TRUTH else self.compared(ast.NotEq, x, constant(0))

    def compared(self, operation: type, x: Any, y: Any) -> Any:
        """Whether two numbers compare like this."""
        (x, y, is_float), how = self.together(x, y), COMPARISONS[operation]
        if not is_float:
            return self.builder.icmp_signed(how, x, y)
        return (self.builder.fcmp_unordered if how == "!=" else self.builder.fcmp_ordered)(how, x, y)

    def computed(self, operation: ast.operator, x: Any, y: Any) -> Any:
        """A sum, product and the like."""
        if isinstance(operation, ast.Div):
            x = self.widened(x, FLOAT)
        x, y, is_float = self.together(x, y)
        if isinstance(operation, ast.FloorDiv | ast.Mod) and not is_float:
            return self.divided(operation, x, y)
        if isinstance(operation, ast.RShift):
            y = self.chosen(self.compared(ast.Lt, y, constant(63)), y, constant(63))
        flags = ("contract",) if x.type == EIGHT else ()  # x y + z is rounded once where the processor can
        return getattr(self.builder, "f" * is_float + ARITHMETIC[type(operation)])(x, y, flags=flags)

    def negative(self, x: Any) -> Any:
        """A number with the other sign."""
        if isinstance(x, ir.Constant):
            return constant(-x.constant)
        return self.builder.fneg(x) if x.type in (FLOAT, EIGHT) else self.computed(ast.Sub(), constant(0), x)

    def integer(self, x: Any) -> Any:
        """An integer as it is; an error for other numbers."""
        if x.type != INTEGER:
            raise TypeError("no integer")
        return x

    def divided(self, operation: ast.operator, x: Any, y: Any) -> Any:
        """Quotient or rest of integers: Python rounds down, LLVM towards 0."""
        quotient, rest = self.builder.sdiv(x, y), self.builder.srem(x, y)
        across = self.compared(ast.Lt, self.builder.xor(rest, y), constant(0))
        down = self.builder.and_(across, self.truth(rest))
        if isinstance(operation, ast.Mod):
            return self.builder.add(rest, self.builder.select(down, y, constant(0)))
        return self.builder.sub(quotient, self.widened(down, INTEGER))

    def chosen(self, test: Any, x: Any, y: Any) -> Any:
        """One of two numbers."""
        x, y, _ = self.together(x, y)
        return self.builder.select(test, x, y)

    def called(self, name: str, *given: Any) -> Any:
        """What a function of LLVM's own such as ``exp.f64`` says of numbers of one kind."""
        module, kind, name = self.builder.module, given[0].type, f"llvm.{name}"
        known = module.globals.get(name) or ir.Function(module, ir.FunctionType(kind, [kind] * len(given)), name)
        return self.builder.call(known, given)


def _real(name: str) -> Instruction:
    return Instruction(lambda w, x: w.called(f"{name}.f64", w.widened(x, FLOAT)))


BUILTINS: dict[Any, Instruction] = {
    len: Instruction(lambda w, x: x.shape[0]),
    max: Instruction(lambda w, x, y: w.chosen(w.compared(ast.Gt, y, x), y, x)),
    min: Instruction(lambda w, x, y: w.chosen(w.compared(ast.Lt, y, x), y, x)),
    int: Instruction(lambda w, x: w.builder.fptosi(x, INTEGER) if x.type == FLOAT else w.widened(x, INTEGER)),
    float: Instruction(lambda w, x: w.widened(x, FLOAT)),
    abs: _real("fabs"),
    math.exp: _real("exp"),
    math.log: _real("log"),
    math.log2: _real("log2"),
    math.sqrt: _real("sqrt"),
}


def constant(value: Any) -> Any:
    """A number of Python as one of LLVM; all else as it is."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError("an integer of more than 64 bits")
    kinds = {bool: TRUTH, int: INTEGER, float: FLOAT}
    return ir.Constant(kinds[type(value)], value) if type(value) in kinds else value


def numbers(value: Any) -> list[Any]:
    """All numbers of a value, in the order in which ``calls`` passes them."""
    parts = (value.address, *value.shape) if isinstance(value, Array) else value
    return [own for part in parts for own in numbers(part)] if isinstance(parts, tuple | list) else [parts]


def like(value: Any, found: Iterable[Any]) -> Any:
    """A value like another, of other numbers."""
    left = iter(found)

    def made(value: Any) -> Any:
        if isinstance(value, Array):
            return Array(value.element, next(left), tuple(next(left) for _ in value.shape))
        if not isinstance(value, tuple):
            return next(left)
        parts = map(made, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)

    return made(value)
