"""Eight numbers side by side in loops that are translated, and pointers to them.

LLVM turns a loop into vectors only where it can prove that arrays do not overlap. Here the loops say so themselves.
"""

import ast
from collections.abc import Callable

from maxent.kernels.instructions import Body, Instruction
from maxent.kernels.values import Array, Number

LANES = 8
_EIGHT = f"<{LANES} x double>"


@Instruction
def floats(w: Body, address: Number) -> Array:
    """The numbers at an address."""
    return Array("double", Number("ptr", w.new(f"inttoptr i64 {address.name} to ptr")))


@Instruction
def integers(w: Body, address: Number) -> Array:
    """The integers at an address."""
    return Array("i64", Number("ptr", w.new(f"inttoptr i64 {address.name} to ptr")))


@Instruction
def at(w: Body, x: Array, index: Number) -> Array:
    """The numbers from ``index`` places on."""
    return Array(x.element, Number("ptr", _place(w, x, index)))


@Instruction
def load(w: Body, x: Array, index: Number) -> Number:
    """Eight numbers from memory."""
    return Number(_EIGHT, w.new(f"load {_EIGHT}, ptr {_place(w, x, index)}, align 8"))


@Instruction
def store(w: Body, x: Number, to: Array, index: Number) -> None:
    """Write eight numbers to memory."""
    w.lines.append(f"  store {_EIGHT} {x.name}, ptr {_place(w, to, index)}, align 8")


@Instruction
def spread(w: Body, x: Number) -> Number:
    """The same number eight times."""
    one = w.new(f"insertelement {_EIGHT} undef, double {x.name}, i32 0")
    return Number(_EIGHT, w.new(f"shufflevector {_EIGHT} {one}, {_EIGHT} undef, <{LANES} x i32> zeroinitializer"))


@Instruction
def times(w: Body, x: Number, y: Number) -> Number:
    """Products."""
    return Number(_EIGHT, w.new(f"fmul {_EIGHT} {x.name}, {y.name}"))


@Instruction
def plus(w: Body, x: Number, y: Number) -> Number:
    """Sums."""
    return Number(_EIGHT, w.new(f"fadd {_EIGHT} {x.name}, {y.name}"))


@Instruction
def add(w: Body, x: Number, y: Number, z: Number) -> Number:
    """Sums x y + z, rounded once where the processor can."""
    return w.called(f"fmuladd.v{LANES}f64", x, y, z)


@Instruction
def greater(w: Body, x: Number, y: Number) -> Number:
    """The greater of two numbers; the second if the first is NaN."""
    return _chosen(w, x, y, x, y)


@Instruction
def choose(w: Body, x: Number, y: Number, one: Number, other: Number) -> Number:
    """The third of four where the first is greater than the second, else the fourth."""
    return _chosen(w, x, y, one, other)


@Instruction
def total(w: Body, x: Number) -> Number:
    """Sum of the eight numbers."""
    return _folded(w, x, lambda one, other: w.computed(ast.Add, one, other))


@Instruction
def largest(w: Body, x: Number) -> Number:
    """The largest of the eight numbers."""
    return _folded(w, x, lambda one, other: w.chosen(w.compared(ast.Gt, one, other), one, other))


def _place(w: Body, x: Array, index: Number) -> str:
    return w.new(f"getelementptr {x.element}, ptr {x.address.name}, i64 {index.name}")


def _chosen(w: Body, x: Number, y: Number, one: Number, other: Number) -> Number:
    more = w.new(f"fcmp ogt {_EIGHT} {x.name}, {y.name}")
    return Number(_EIGHT, w.new(f"select <{LANES} x i1> {more}, {_EIGHT} {one.name}, {_EIGHT} {other.name}"))


def _folded(w: Body, x: Number, combine: Callable[[Number, Number], Number]) -> Number:
    """One number of eight, by halves."""
    parts = [Number("double", w.new(f"extractelement {_EIGHT} {x.name}, i32 {k}")) for k in range(LANES)]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [combine(parts[k], parts[k + half]) for k in range(half)]
    return parts[0]
