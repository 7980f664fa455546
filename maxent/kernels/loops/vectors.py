"""Vectors of eight numbers in translated loops, and their addresses.

LLVM vectorises a loop only where it can prove that its arrays do not overlap. With these instructions the loops use
vectors without such a proof.
"""

import ast
from collections.abc import Callable
from typing import Any

from llvmlite import ir

from maxent.kernels.compiler.instructions import EIGHT, Array, Instruction, Instructions
from maxent.kernels.compiler.layout import LANES


def _at(w: Instructions, x: Array, index: Any) -> Any:
    return w.builder.gep(x.address, [index], source_etype=x.element)


def _choose(w: Instructions, x: Any, y: Any, one: Any, other: Any) -> Any:
    return w.choose(w.compare(ast.Gt, x, y), one, other)


def _fold(combine: Callable[[Instructions, Any, Any], Any]) -> Instruction:
    """Reduce eight numbers to one: halves are combined until one number is left."""

    def write(w: Instructions, x: Any) -> Any:
        parts = [w.builder.extract_element(x, ir.Constant(ir.IntType(32), k)) for k in range(LANES)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [combine(w, parts[k], parts[k + half]) for k in range(half)]
        return parts[0]

    return Instruction(write)


at = Instruction(lambda w, x, k: Array(x.element, _at(w, x, k)))  # the numbers from the one ``k`` places on
load = Instruction(lambda w, x, k: w.builder.load(_at(w, x, k), align=8, typ=EIGHT))
store = Instruction(lambda w, x, to, k: w.builder.store(w.widen(x, EIGHT), _at(w, to, k), align=8))
spread = Instruction(lambda w, x: w.widen(x, EIGHT))  # the same number eight times
greater = Instruction(lambda w, x, y: _choose(w, x, y, x, y))  # the second of two numbers if the first is NaN
choose = Instruction(_choose)  # the third of four where the first is greater than the second, else the fourth
total = _fold(lambda w, x, y: w.builder.fadd(x, y))  # sum of the eight numbers
largest = _fold(lambda w, x, y: _choose(w, x, y, x, y))
