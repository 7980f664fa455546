"""Instructions of a function that is translated: branches, places in memory, arithmetic."""

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from maxent.kernels.registers import Writer
from maxent.kernels.values import Number, constant, numbers, replaced

ARITHMETIC: dict[str, dict[type, str]] = {
    "i64": {
        ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw", ast.FloorDiv: "sdiv", ast.Mod: "srem",
        ast.RShift: "ashr", ast.BitAnd: "and",
    },
    "double": {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"},
}  # fmt: skip
COMPARISONS: dict[str, dict[type, str]] = {
    "i64": {ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge", ast.Eq: "eq", ast.NotEq: "ne"},
    "double": {ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge", ast.Eq: "oeq", ast.NotEq: "une"},
}
WIDENING = {("i64", "double"): "sitofp", ("i1", "double"): "uitofp", ("i1", "i64"): "zext", ("i8", "i64"): "zext"}


class Body(Writer):
    """The instructions of a function, one after the other."""

    def __init__(self) -> None:
        super().__init__(lanes=1)
        self.rooms: list[str] = []  # instructions that reserve memory, at the beginning of the function
        self.declared: set[str] = set()  # functions of LLVM's own that are called

    # --- where to go on ---

    def labels(self, count: int) -> list[str]:
        """Names of places in the text."""
        self.names += 1
        return [f"to{self.names}.{k}" for k in range(count)]

    def begin(self, label: str) -> None:
        """From here on it goes on for those that jump to a label."""
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """Go on at a label."""
        self.lines.append(f"  br label %{label}")

    def leave(self, label: str) -> None:
        """Go on at a label; what follows is not reached, but LLVM wants a label for it."""
        self.jump(label)
        self.begin(*self.labels(1))

    def fork(self, test: Number, yes: str, no: str) -> None:
        """Go on at one of two labels."""
        self.lines.append(f"  br i1 {self.truth(test)}, label %{yes}, label %{no}")

    # --- memory ---

    def room(self, value: Any) -> Any:
        """A place in memory for a value of this form."""
        found = []
        for own in numbers(value):
            self.names += 1
            self.rooms.append(f"  %at{self.names} = alloca {own.kind}")
            found.append(Number(own.kind, f"%at{self.names}", stored=True))
        return replaced(value, found)

    def loaded(self, value: Any) -> Any:
        """A value with all its numbers in registers."""
        found = []
        for own in numbers(value):
            name = self.new(f"load {own.kind}, ptr {own.name}") if own.stored else own.name
            found.append(Number(own.kind, name))
        return replaced(value, found)

    def store(self, place: Any, value: Any) -> None:
        """Write a value, which is in registers, to its place."""
        for to, own in zip(numbers(place), numbers(value), strict=True):
            self.lines.append(f"  store {to.kind} {self.widened(own, to.kind)}, ptr {to.name}")

    # --- arithmetic ---

    def widened(self, x: Number, kind: str) -> str:
        """The name of a number as one of another kind that has it, too."""
        return x.name if x.kind == kind else self.new(f"{WIDENING[x.kind, kind]} {x.kind} {x.name} to {kind}")

    def together(self, x: Number, y: Number) -> tuple[str, str, str]:
        """A kind that has two numbers, and their names."""
        kind = "double" if "double" in (x.kind, y.kind) else "i64"
        return kind, self.widened(x, kind), self.widened(y, kind)

    def truth(self, x: Number) -> str:
        """The name of whether a number is not 0."""
        return x.name if x.kind == "i1" else self.compared(ast.NotEq, x, constant(0)).name

    def computed(self, operation: type, x: Number, y: Number) -> Number:
        """A sum, product and the like; the operations are those of Python's syntax."""
        if operation is ast.Div:
            x = Number("double", self.widened(x, "double"))
        kind, one, other = self.together(x, y)
        return Number(kind, self.new(f"{ARITHMETIC[kind][operation]} {kind} {one}, {other}"))

    def compared(self, operation: type, x: Number, y: Number) -> Number:
        """Whether two numbers compare like this."""
        kind, one, other = self.together(x, y)
        instruction = "fcmp" if kind == "double" else "icmp"
        return Number("i1", self.new(f"{instruction} {COMPARISONS[kind][operation]} {kind} {one}, {other}"))

    def chosen(self, test: Number, x: Number, y: Number) -> Number:
        """One of two numbers."""
        kind, one, other = self.together(x, y)
        return Number(kind, self.new(f"select i1 {test.name}, {kind} {one}, {kind} {other}"))

    def called(self, function: str, *given: Number) -> Number:
        """What a function of LLVM's own such as ``exp.f64`` says of numbers of one kind."""
        kind, name = given[0].kind, f"@llvm.{function}"
        self.declared.add(f"declare {kind} {name}({', '.join([kind] * len(given))})")
        return Number(kind, self.new(f"call {kind} {name}({', '.join(f'{kind} {x.name}' for x in given)})"))


@dataclass(frozen=True)
class Instruction:
    """What a loop may call that is not a function in Python."""

    write: Callable[..., Any]  # of the body and the arguments


def _float(w: Body, x: Number) -> Number:
    return Number("double", w.widened(x, "double"))


BUILTINS: dict[Any, Instruction] = {
    len: Instruction(lambda w, x: x.shape[0]),
    max: Instruction(lambda w, x, y: w.chosen(w.compared(ast.Gt, y, x), y, x)),
    min: Instruction(lambda w, x, y: w.chosen(w.compared(ast.Lt, y, x), y, x)),
    int: Instruction(lambda w, x: Number("i64", w.new(f"fptosi double {x.name} to i64"))),
    float: Instruction(_float),
    abs: Instruction(lambda w, x: w.called("fabs.f64", _float(w, x))),
    math.exp: Instruction(lambda w, x: w.called("exp.f64", _float(w, x))),
    math.log: Instruction(lambda w, x: w.called("log.f64", _float(w, x))),
    math.sqrt: Instruction(lambda w, x: w.called("sqrt.f64", _float(w, x))),
}
