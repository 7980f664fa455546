"""From numpy to machine code: a pass over the ranks is run once on registers instead of numbers.

A pass is a function of one rank (``at``), the problem (``whole``) and what travels from rank to rank (``state``),
written with numpy on small matrices. On arrays of floats it computes. On object arrays of :class:`Register`,
numpy's own ``@``, ``+`` or ``outer`` call the operators of registers, each of which writes one instruction of
LLVM's assembly: the result is straight-line code for a number of grades and measures, in which every number is a
vector with one element for each of the problems that are solved side by side.

Where one problem stands alone, its vectors are the rows of its matrices instead: a matrix is a one-dimensional
array of registers. The functions of ``algebra`` make no difference between the two.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from maxent.kernels.fields import layout, shape

FEWEST = 3  # grades from which rows of matrices are worth their vectors
FLAGS = "contract nsz"  # a product and a sum may become one instruction; the sign of zero does not matter


@dataclass(frozen=True)
class Pass:
    """A pass over the ranks; see :func:`over_ranks`."""

    name: str
    body: Callable[..., None] | None
    reads: tuple[str, ...]
    upwards: bool
    finish: Callable[..., None] | None
    by_rows: bool
    state: dict[str, str]


def over_ranks(
    *,
    reads: tuple[str, ...] = (),
    upwards: bool = False,
    finish: Callable[..., None] | None = None,
    by_rows: bool = False,
    **state: str,
) -> Callable[[Callable[..., None]], Pass]:
    """Declare a function of (at, whole, state) as a pass over the ranks.

    Parameters
    ----------
    reads : tuple of str
        Fields of the problem that it reads; they do not change in between.
    upwards : bool
        Whether it goes from the last rank to the first.
    finish : function of (whole, state), optional
        What it writes to the problem in the end.
    by_rows : bool
        Whether rows of matrices may be vectors, where one problem stands alone.
    **state : str
        What travels from rank to rank, 0 at first: its shape as in :mod:`maxent.kernels.fields`.
    """
    return lambda body: Pass(body.__name__, body, reads, upwards, finish, by_rows, state)


def once(finish: Callable[..., None]) -> Pass:
    """Declare a function of the problem alone as a pass that leaves out the ranks."""
    return Pass(finish.__name__, None, (), False, lambda whole, state: finish(whole), False, {})


class Writer:
    """The lines of the function that is being written."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.names = 0

    def new(self, instruction: str) -> str:
        """Write an instruction; the name of its result."""
        self.names += 1
        self.lines.append(f"  %v{self.names} = {instruction}")
        return f"%v{self.names}"

    def register(self, instruction: str, width: int) -> "Register":
        """Write an instruction whose result is a vector of so many numbers."""
        return Register(self, self.new(instruction), width)


def vector(element: str, width: int) -> str:
    """LLVM's type of a vector; of a number if it has one element."""
    return element if width == 1 else f"<{width} x {element}>"


def constant(element: str, values: list[str]) -> str:
    """LLVM's text of a constant vector, or number."""
    return values[0] if len(values) == 1 else f"<{', '.join(f'{element} {value}' for value in values)}>"


def number(x: float) -> str:
    """LLVM's text of a number, to the last bit."""
    return f"0x{struct.pack('>d', float(x)).hex()}"


class Register:
    """A vector of the pass that is being written: every operation writes an instruction.

    Its elements are the same number of several problems, or a row of a matrix of a single one.
    """

    def __init__(self, writer: Writer, name: str, width: int) -> None:
        self.writer, self.name, self.width = writer, name, width

    @property
    def kind(self) -> str:
        """LLVM's type."""
        return vector("double", self.width)

    def operand(self, x: Any) -> str:
        """The name of another register as wide as this one, or a constant."""
        if not isinstance(x, Register):
            return constant("double", [number(x)] * self.width)
        return x.name if x.width == self.width else x.repeated(self.width).name

    def repeated(self, width: int) -> "Register":
        """A vector of the same number throughout."""
        w, kind = self.writer, vector("double", width)
        first = w.new(f"insertelement {kind} poison, double {self.name}, i32 0")
        return w.register(
            f"shufflevector {kind} {first}, {kind} poison, {vector('i32', width)} zeroinitializer", width
        )

    def element(self, k: int) -> "Register":
        """One of the numbers of a row."""
        return self.writer.register(f"extractelement {self.kind} {self.name}, i32 {k}", 1)

    def replaced(self, k: int, x: Any) -> "Register":
        """A row with another number in this place."""
        value = x.name if isinstance(x, Register) else number(x)
        return self.writer.register(f"insertelement {self.kind} {self.name}, double {value}, i32 {k}", self.width)

    def _binary(self, instruction: str, x: Any, *, swapped: bool = False) -> Any:
        if isinstance(x, np.ndarray):
            return NotImplemented
        if isinstance(x, Register) and x.width > self.width:
            return self.repeated(x.width)._binary(instruction, x, swapped=swapped)
        names = self.name, self.operand(x)
        text = ", ".join(names[::-1] if swapped else names)
        return self.writer.register(f"{instruction} {FLAGS} {self.kind} {text}", self.width)

    def __add__(self, x: Any) -> Any:
        return self if _is(x, 0) else self._binary("fadd", x)

    def __sub__(self, x: Any) -> Any:
        return self if _is(x, 0) else self._binary("fsub", x)

    def __rsub__(self, x: Any) -> Any:
        return -self if _is(x, 0) else self._binary("fsub", x, swapped=True)

    def __mul__(self, x: Any) -> Any:
        return 0.0 if _is(x, 0) else self if _is(x, 1) else self._binary("fmul", x)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, x: Any) -> Any:
        return self._binary("fdiv", x)

    def __rtruediv__(self, x: Any) -> Any:
        return self._binary("fdiv", x, swapped=True)

    def __neg__(self) -> Any:
        return self.writer.register(f"fneg {self.kind} {self.name}", self.width)

    def __gt__(self, x: Any) -> "Truth":
        return self._compare("ogt", x)

    def __lt__(self, x: Any) -> "Truth":
        return self._compare("olt", x)

    def __ge__(self, x: Any) -> "Truth":
        return self._compare("oge", x)

    def __le__(self, x: Any) -> "Truth":
        return self._compare("ole", x)

    def _compare(self, how: str, x: Any) -> "Truth":
        return Truth(self, self.writer.new(f"fcmp {how} {self.kind} {self.name}, {self.operand(x)}"))

    def __abs__(self) -> Any:
        return self._call("fabs")

    def square_root(self) -> Any:
        """Its square root."""
        return self._call("sqrt")

    def _call(self, name: str) -> Any:
        function = intrinsic(name, self.width)
        return self.writer.register(f"call {self.kind} @{function}({self.kind} {self.name})", self.width)

    def times_power_of_two(self, shifted: "Register") -> Any:
        """It times 2**k, for ``shifted = SHIFT + k``: adds k to the bits of the exponent."""
        w, bits = self.writer, vector("i64", self.width)
        own, power = (w.new(f"bitcast {x.kind} {x.name} to {bits}") for x in (self, shifted))
        moved = w.new(f"shl {bits} {power}, {constant('i64', ['52'] * self.width)}")
        return w.register(f"bitcast {bits} {w.new(f'add {bits} {own}, {moved}')} to {self.kind}", self.width)


class Truth:
    """The result of a comparison of registers."""

    def __init__(self, register: Register, name: str) -> None:
        self.register, self.name = register, name

    def select(self, yes: Any, no: Any) -> Any:
        """``yes`` where it is true, else ``no``."""
        own = self.register
        both = ", ".join(f"{own.kind} {own.operand(x)}" for x in (yes, no))
        return own.writer.register(f"select {vector('i1', own.width)} {self.name}, {both}", own.width)


def _is(x: Any, value: int) -> bool:
    return not isinstance(x, Register | np.ndarray) and x == value


def intrinsic(name: str, width: int) -> str:
    """LLVM's name of a function of every number of a vector."""
    return f"llvm.{name}.{'' if width == 1 else f'v{width}'}f64"


class Record:
    """The fields of a rank or of the problem in memory: reading one loads it, setting one stores it."""

    def __init__(self, writer: Writer, base: str, c: int, m: int, *, by_rows: bool) -> None:
        self.__dict__["_"] = writer, base, layout(c, m)[0], by_rows

    def __getattr__(self, name: str) -> Any:
        writer, base, fields, by_rows = self._
        offset, size, _ = fields[name]
        lead, width = parts(size, writer.lanes, by_rows=by_rows)
        loaded = np.empty(lead, object)
        for k, index in enumerate(np.ndindex(lead)):
            place = _place(writer, base, offset * writer.lanes + k * width)
            loaded[index] = writer.register(f"load {vector('double', width)}, ptr {place}, align 8", width)
        return loaded if lead else loaded[()]

    def __setattr__(self, name: str, values: Any) -> None:
        writer, base, fields, by_rows = self._
        offset, size, _ = fields[name]
        lead, width = parts(size, writer.lanes, by_rows=by_rows)
        numbers = np.broadcast_to(np.asarray(values, object), lead)
        for k, index in enumerate(np.ndindex(lead)):
            x: Any = numbers[index]
            kind = vector("double", width)
            text = x.name if isinstance(x, Register) else constant("double", [number(x)] * width)
            place = _place(writer, base, offset * writer.lanes + k * width)
            writer.lines.append(f"  store {kind} {text}, ptr {place}, align 8")


def parts(size: tuple[int, ...], lanes: int, *, by_rows: bool) -> tuple[tuple[int, ...], int]:
    """Shape of the array of registers that stands for an array, and their width."""
    return (size[:-1], size[-1]) if by_rows and len(size) > 1 else (size, lanes)


def _place(writer: Writer, base: str, number: int) -> str:
    return writer.new(f"getelementptr double, ptr {base}, i64 {number}")


def assembly(kernel: Pass, c: int, m: int, lanes: int) -> str:
    """LLVM's assembly of a pass: a function of the ranks' records, the depth (at least 1) and the problem's record.

    Parameters
    ----------
    kernel : Pass
    c : int
        Number of grades besides the reference.
    m : int
        Number of measures.
    lanes : int
        Number of problems side by side.
    """
    writer = Writer(lanes)
    by_rows = kernel.by_rows and lanes == 1 and c >= FEWEST
    whole = Record(writer, "%whole", c, m, by_rows=by_rows)
    blocks = [] if kernel.body is None else _loop(kernel, c, m, writer, whole, by_rows=by_rows)
    state = blocks.pop() if blocks else None
    writer.lines = []
    if kernel.finish is not None:
        kernel.finish(whole, state)
    head = f"define void @{kernel.name}(ptr noalias %first, i64 %depth, ptr noalias %whole) {{"
    return "\n".join([head, "entry:", *blocks, *writer.lines, "  ret void", "}"])


def _loop(kernel: Pass, c: int, m: int, writer: Writer, whole: Record, *, by_rows: bool) -> list[Any]:
    """Lines of a loop over the ranks; last, what has travelled through it."""
    given = SimpleNamespace(**{name: getattr(whole, name) for name in kernel.reads})
    entry, writer.lines = writer.lines, []
    state = SimpleNamespace()
    incoming: list[tuple[str, tuple[int, ...], Register]] = []
    for name, text in kernel.state.items():
        lead, width = parts(shape(text, c, m), writer.lanes, by_rows=by_rows)
        registers = np.empty(lead, object)
        for index in np.ndindex(lead):
            own = Register(writer, f"%{name}{''.join(f'_{k}' for k in index)}", width)
            registers[index] = own
            incoming.append((name, index, own))
        setattr(state, name, registers if lead else registers[()])
    assert kernel.body is not None
    kernel.body(Record(writer, "%at", c, m, by_rows=by_rows), given, state)
    _, size, _ = layout(c, m)
    return [
        *entry,
        "  br label %ranks",
        "ranks:",
        "  %n = phi i64 [0, %entry], [%n_next, %ranks]",
        *(
            f"  {own.name} = phi {own.kind} [zeroinitializer, %entry], [{_final(own, state, name, index)}, %ranks]"
            for name, index, own in incoming
        ),
        "  %n_next = add i64 %n, 1",
        "  %n_up = sub i64 %depth, %n_next",
        f"  %place = mul i64 {'%n_up' if kernel.upwards else '%n'}, {size * writer.lanes}",
        "  %at = getelementptr double, ptr %first, i64 %place",
        *writer.lines,
        "  %more = icmp slt i64 %n_next, %depth",
        "  br i1 %more, label %ranks, label %end",
        "end:",
        state,
    ]


def _final(own: Register, state: SimpleNamespace, name: str, index: tuple[int, ...]) -> str:
    return own.operand(np.asarray(getattr(state, name), object)[index])


def declarations(lanes: int) -> str:
    """The functions that the assembly of passes calls."""
    kind = vector("double", lanes)
    return "\n".join(f"declare {kind} @{intrinsic(name, lanes)}({kind})" for name in ("fabs", "sqrt"))
