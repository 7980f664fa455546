"""From numpy to machine code: a pass over the ranks is run once on registers instead of numbers.

A pass is a function of the record of one rank (``at``), the record of the whole (``whole``) and what travels from
rank to rank (``state``), written with numpy on small matrices. On arrays of floats it computes. On object arrays of
``registers``, numpy's own ``@``, ``+`` or ``outer`` call the operators of registers, each of which writes one
instruction of LLVM's assembly. The result is the body of a loop over the ranks, straight-line code for given
layouts of the records, in which every number is a vector with one element for each lane.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from maxent.kernels.compiler.layout import Layout, shape
from maxent.kernels.compiler.registers import Register, Writer, constant, intrinsic, number, vector


@dataclass(frozen=True)
class Pass:
    """A pass over the ranks; see :func:`over_ranks`."""

    name: str
    body: Callable[..., None] | None
    reads: tuple[str, ...]
    upwards: bool
    finish: Callable[..., None] | None
    state: dict[str, str]


def over_ranks(
    *,
    reads: tuple[str, ...] = (),
    upwards: bool = False,
    finish: Callable[..., None] | None = None,
    **state: str,
) -> Callable[[Callable[..., None]], Pass]:
    """Declare a function of (at, whole, state) as a pass over the ranks.

    Parameters
    ----------
    reads : tuple of str
        Fields of the whole that the pass reads; it must not change them before its end.
    upwards : bool
        Whether it goes from the last rank to the first.
    finish : callable, optional
        Function of (whole, state) that writes to the whole after the last rank.
    **state : str
        Shapes of what travels from rank to rank, as texts of :func:`maxent.kernels.compiler.layout.shape`; it
        starts as 0.
    """
    return lambda body: Pass(body.__name__, body, reads, upwards, finish, state)


def once(finish: Callable[..., None]) -> Pass:
    """Declare ``finish``, a function of the record of the whole, as a pass that does not visit the ranks."""
    return Pass(finish.__name__, None, (), False, lambda whole, state: finish(whole), {})


class Record:
    """The record of a rank or of the whole in memory: reading a field loads it, setting one stores it."""

    def __init__(self, writer: Writer, base: str, layout: Layout) -> None:
        self.__dict__["_"] = writer, base, layout.fields

    def __getattr__(self, name: str) -> Any:
        writer, base, fields = self._
        field = fields[name]
        loaded = np.empty(field.shape, object)
        for k, index in enumerate(np.ndindex(field.shape)):
            place = _place(writer, base, field.offset + k)
            loaded[index] = writer.register(f"load {vector('double', writer.lanes)}, ptr {place}, align 8")
        return loaded if field.shape else loaded[()]

    def __setattr__(self, name: str, values: Any) -> None:
        writer, base, fields = self._
        field, kind = fields[name], vector("double", writer.lanes)
        numbers = np.broadcast_to(np.asarray(values, object), field.shape)
        for k, index in enumerate(np.ndindex(field.shape)):
            x: Any = numbers[index]
            text = x.name if isinstance(x, Register) else constant("double", [number(x)] * writer.lanes)
            writer.lines.append(f"  store {kind} {text}, ptr {_place(writer, base, field.offset + k)}, align 8")


def _place(writer: Writer, base: str, number: int) -> str:
    return writer.new(f"getelementptr double, ptr {base}, i64 {number * writer.lanes}")


def assembly(kernel: Pass, rank_layout: Layout, whole_layout: Layout, lanes: int) -> str:
    """LLVM's assembly of a pass, a function of the ranks' records, the depth and the record of the whole."""
    writer = Writer(lanes)
    whole = Record(writer, "%whole", whole_layout)
    loop = Loop([], None) if kernel.body is None else _loop(kernel, rank_layout, writer, whole)
    writer.lines = []
    if kernel.finish is not None:
        kernel.finish(whole, loop.state)
    head = f"define void @{kernel.name}(ptr noalias %first, i64 %depth, ptr noalias %whole) {{"
    return "\n".join([head, "entry:", *loop.lines, *writer.lines, "  ret void", "}"])


class Incoming(NamedTuple):
    """A number of the state that reaches a rank."""

    name: str  # of the array of the state
    place: tuple[int, ...]  # its index in the array
    register: Register


class Loop(NamedTuple):
    """A loop over the ranks in assembly."""

    lines: list[str]
    state: SimpleNamespace | None  # registers of what has travelled from the first rank to the last


def _loop(kernel: Pass, layout: Layout, writer: Writer, whole: Record) -> Loop:
    """Write a loop over the ranks, whose records have a layout.

    1. Fields of the whole are loaded before the loop. 2. Numbers of the state that reach a rank. 3. The body of the
    pass on these. 4. The loop around it, in which the state at the end of a rank reaches the next.
    """
    # 1.
    fields_read = SimpleNamespace(**{name: getattr(whole, name) for name in kernel.reads})
    entry, writer.lines = writer.lines, []
    # 2.
    state = SimpleNamespace()
    incoming: list[Incoming] = []
    for name, text in kernel.state.items():
        axes = shape(text, layout.sizes)
        registers = np.empty(axes, object)
        for index in np.ndindex(axes):
            register = Register(writer, f"%{name}{''.join(f'_{k}' for k in index)}")
            registers[index] = register
            incoming.append(Incoming(name, index, register))
        setattr(state, name, registers if axes else registers[()])
    # 3.
    assert kernel.body is not None
    kernel.body(Record(writer, "%at", layout), fields_read, state)
    # 4.
    lines = [
        *entry,
        "  br label %ranks",
        "ranks:",
        "  %n = phi i64 [0, %entry], [%n_next, %ranks]",
        *(
            f"  {number.register.name} = phi {number.register.kind} [zeroinitializer, %entry], "
            f"[{_last_operand(number, state)}, %ranks]"
            for number in incoming
        ),
        "  %n_next = add i64 %n, 1",
        "  %n_up = sub i64 %depth, %n_next",
        f"  %place = mul i64 {'%n_up' if kernel.upwards else '%n'}, {layout.length * writer.lanes}",
        "  %at = getelementptr double, ptr %first, i64 %place",
        *writer.lines,
        "  %more = icmp slt i64 %n_next, %depth",
        "  br i1 %more, label %ranks, label %end",
        "end:",
    ]
    return Loop(lines, state)


def _last_operand(number: Incoming, state: SimpleNamespace) -> str:
    """The register, or constant, that a number of the state has at the end of a rank."""
    return number.register.operand(np.asarray(getattr(state, number.name), object)[number.place])


def declarations(lanes: int) -> str:
    """Declarations of the functions that the assembly of passes calls."""
    kind = vector("double", lanes)
    return "\n".join(f"declare {kind} @{intrinsic(name, lanes)}({kind})" for name in ("fabs", "sqrt", "log"))
