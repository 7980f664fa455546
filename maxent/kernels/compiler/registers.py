"""Registers of a function that is being written: each operator writes one instruction of LLVM's assembly."""

import struct
from typing import Any

import numpy as np

FLAGS = "contract nsz"  # a product and a sum may become one instruction; the sign of zero does not matter


class Writer:
    """The lines of the function that is being written."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.names = 0

    def new(self, instruction: str) -> str:
        """Write an instruction and return the name of its result."""
        self.names += 1
        self.lines.append(f"  %v{self.names} = {instruction}")
        return f"%v{self.names}"

    def register(self, instruction: str) -> "Register":
        """Write an instruction whose result is a vector of numbers, one for each lane."""
        return Register(self, self.new(instruction))


def vector(element: str, width: int) -> str:
    """LLVM's type of a vector, or of a number if the width is 1."""
    return element if width == 1 else f"<{width} x {element}>"


def constant(element: str, values: list[str]) -> str:
    """LLVM's text of a constant vector, or of a constant if there is one value."""
    return values[0] if len(values) == 1 else f"<{', '.join(f'{element} {value}' for value in values)}>"


def number(x: float) -> str:
    """LLVM's text of a number, to the last bit."""
    return f"0x{struct.pack('>d', float(x)).hex()}"


class Register:
    """A number of the pass that is being written, in all lanes: every operation writes an instruction."""

    def __init__(self, writer: Writer, name: str) -> None:
        self.writer, self.name, self.kind = writer, name, vector("double", writer.lanes)

    def operand(self, x: Any) -> str:
        """The name of another register, or a constant."""
        return x.name if isinstance(x, Register) else constant("double", [number(x)] * self.writer.lanes)

    def _binary(self, instruction: str, x: Any, *, swapped: bool = False) -> Any:
        if isinstance(x, np.ndarray):
            return NotImplemented
        names = self.name, self.operand(x)
        text = ", ".join(names[::-1] if swapped else names)
        return self.writer.register(f"{instruction} {FLAGS} {self.kind} {text}")

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
        return self.writer.register(f"fneg {self.kind} {self.name}")

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
        """The square root of every element."""
        return self._call("sqrt")

    def logarithm(self) -> Any:
        """The natural logarithm of every element."""
        return self._call("log")

    def _call(self, name: str) -> Any:
        function = intrinsic(name, self.writer.lanes)
        return self.writer.register(f"call {self.kind} @{function}({self.kind} {self.name})")

    def times_power_of_two(self, shifted: "Register") -> Any:
        """Every element times 2**k for ``shifted = SHIFT + k``: adds k to the bits of the exponent."""
        w, bits = self.writer, vector("i64", self.writer.lanes)
        factor, power = (w.new(f"bitcast {x.kind} {x.name} to {bits}") for x in (self, shifted))
        moved = w.new(f"shl {bits} {power}, {constant('i64', ['52'] * w.lanes)}")
        return w.register(f"bitcast {bits} {w.new(f'add {bits} {factor}, {moved}')} to {self.kind}")


class Truth:
    """Result of a comparison of registers, a truth value in each lane; ``select`` takes the place of ``if``."""

    def __init__(self, register: Register, name: str) -> None:
        self.register, self.name = register, name

    def select(self, yes: Any, no: Any) -> Any:
        """``yes`` in the lanes where the comparison holds, else ``no``."""
        register = self.register
        both = ", ".join(f"{register.kind} {register.operand(x)}" for x in (yes, no))
        return register.writer.register(f"select {vector('i1', register.writer.lanes)} {self.name}, {both}")


def _is(x: Any, value: int) -> bool:
    return not isinstance(x, Register | np.ndarray) and x == value


def intrinsic(name: str, width: int) -> str:
    """LLVM's name of a function that is applied to every element of a vector."""
    return f"llvm.{name}.{'' if width == 1 else f'v{width}'}f64"
