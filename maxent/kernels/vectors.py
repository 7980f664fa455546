"""Eight numbers side by side in loops that are translated, and pointers to them.

LLVM turns a loop into vectors only where it can prove that arrays do not overlap. Here the loops say so themselves.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from maxent.kernels.instructions import ADDRESS, FLOAT, INTEGER, Array, Instruction, Instructions

LANES = 8
_EIGHT, _NUMBER = ir.VectorType(FLOAT, LANES), ir.IntType(32)


def _at(w: Instructions, x: Array, index: Any) -> Any:
    return w.builder.gep(x.address, [index], source_etype=x.element)


def _spread(w: Instructions, x: Any) -> Any:
    empty = ir.Constant(_EIGHT, ir.Undefined)
    one = w.builder.insert_element(empty, x, ir.Constant(_NUMBER, 0))
    return w.builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(_NUMBER, LANES), [0] * LANES))


def _choose(w: Instructions, x: Any, y: Any, one: Any, other: Any) -> Any:
    return w.builder.select(w.builder.fcmp_ordered(">", x, y), one, other)


def _folded(combine: Callable[[Instructions, Any, Any], Any]) -> Instruction:
    """One number of eight, by halves."""

    def write(w: Instructions, x: Any) -> Any:
        parts = [w.builder.extract_element(x, ir.Constant(_NUMBER, k)) for k in range(LANES)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [combine(w, parts[k], parts[k + half]) for k in range(half)]
        return parts[0]

    return Instruction(write)


floats = Instruction(lambda w, x: Array(FLOAT, w.builder.inttoptr(x, ADDRESS)))  # numbers at an address
integers = Instruction(lambda w, x: Array(INTEGER, w.builder.inttoptr(x, ADDRESS)))
at = Instruction(lambda w, x, k: Array(x.element, _at(w, x, k)))  # those from the one ``k`` places on
load = Instruction(lambda w, x, k: w.builder.load(_at(w, x, k), align=8, typ=_EIGHT))
store = Instruction(lambda w, x, to, k: w.builder.store(x, _at(w, to, k), align=8))
spread = Instruction(_spread)  # the same number eight times
times = Instruction(lambda w, x, y: w.builder.fmul(x, y))
plus = Instruction(lambda w, x, y: w.builder.fadd(x, y))
add = Instruction(
    lambda w, x, y, z: w.called("fmuladd.v8f64", x, y, z)
)  # x y + z, rounded once where the processor can
greater = Instruction(lambda w, x, y: _choose(w, x, y, x, y))  # the second of two numbers if the first is NaN
choose = Instruction(_choose)  # the third of four where the first is greater than the second, else the fourth
total = _folded(lambda w, x, y: w.builder.fadd(x, y))  # sum of the eight numbers
largest = _folded(lambda w, x, y: _choose(w, x, y, x, y))
