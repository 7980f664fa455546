"""Whatever is translated does what Python does; the rest is refused by function and line."""

import ctypes
import math
from array import array
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maxent.kernels import machine
from maxent.kernels.calls import flat
from maxent.kernels.compiler.instructions import F1, F2, INTEGER
from maxent.kernels.compiler.translate import assembly


class Pair(NamedTuple):
    """Two numbers."""

    count: Any
    other: Any


class Riap(NamedTuple):
    """The same, in another order."""

    other: Any
    count: Any


def _add(out: Any) -> Any:
    out[1] += 1
    return int(out[1])


def _either(k: Any) -> Any:
    if k > 0:
        return k
    else:  # noqa: RET505
        return k * k


def _sometimes(k: Any) -> Any:  # noqa: RET503
    if k > 0:
        return k


def _bare(k: Any) -> Any:
    if k < 0:
        return  # noqa: RET502
    return k


@cache
def _decorated(k: Any) -> Any:
    return k


def _usual(k: Any = 3) -> Any:
    return k


READ = [
    "for k in range(3, 0, s): out[k] = k",
    "for k in range(0, 3, -s): out[k] = k",
    "for k in range(n, -n, s - 2): out[0] += k",
    "for k in range(True + 1): out[k] = k + 1",
    "out[0], out[1], out[2], out[3] = -(0.0), -x[0, 0], -True, -n",
    "out[0], out[1], out[2], out[3] = s // 2, s % 2, s // -2, s % -2",
    "out[0], out[1], out[2], out[3] = n // 2, n % 2, n // -3, n % -3",
    "out[0], out[1] = s >> 70, n >> n * 20",
    "out[0], out[1], out[2], out[3] = n and 7, n or 7, 0 and n, 0.0 or x[1, 1]",
    "out[0] = 5 if n and s else 6",
    "out[0] = 1 if 0 < n < 0 < s else 2",
    "out[0] = 1 if s < _add(out) < n != 3 >= 2 else 2",
    "out[0], out[1], out[2] = True + True, True & True, True / 2",
    "out[0], out[1], out[2] = int(n), int(True), int(-2.5)",
    "out[0], out[1], out[2] = abs(s), abs(-2.5), max(s, 0.5)",
    "out[0], out[1], out[2] = len(x[0, 2:1]), len(x[0, 0:99]), len(x[0, 5:9])",
    "out[0] = x.shape[-1]",
    "out[_add(out)] += 2",
    "out[1] += _add(out)",
    "a = b = n; a += 1; out[0], out[1] = a, b",
    "row, out[0] = x[1], 1; row[0] = 5; out[1] = x[1, 0]",
    "out[0] = _either(n) + _either(float(s))",
    "value = True\nif n > 9: value = False\nout[0] = value",
    "if n > 9: return\nelse: value = 2\nout[0] = value",
    "if n > 9: value = 1\nelse: value = 2\nout[0] = value",
    "for k in range(3):\n  if k == 1: continue\n  else: value = k\n  out[k] = value",
]

REFUSED = [
    "for k in range(n): value = k\nout[0] = value",
    "for k in range(n): out[0] = k\nout[1] = k",
    "while n > 9: value = 1\nout[0] = value if n > 9 else 2",
    "if n > 9: value = 1\nout[0] = value if n > 9 else 2",
    "for k in range(2):\n  if k == 1: out[0] = len\n  len = 3",
    "for k in range(2):\n  if k: value += 1\n  value = 1",
    "for k, value in enumerate(out): out[k] = 1",
    "for k in reversed(range(3)): out[k] = k",
    "for k in out: out[0] += k",
    "out[0] = x[0, -1]",
    "out[0] = x[-2, 0]",
    "out[0] = len(x[0, 0:-1])",
    "out[0] = len(x[0, -2:3])",
    "out[0] = len(x[True])",
    "out[0] = x[0, 1:][0]",
    "out[0] = 2.5 // 1",
    "out[0] = 2.5 % 1",
    "out[0] = 2 ** 3",
    "out[0] = bool(n)",
    "out[0] = 1180591620717411303424",
    "out[0] = n == 4 or 7",
    "out[0] = 1 if 0 < n < 0 < _add(out) else 2",
    "out[0] = 1 if 0 < n < 0 < x[n, n] else 2",
    "out[0] = _sometimes(n)",
    "out[0] = _bare(n)",
    "out[0] = _decorated(n)",
    "out[0] = _usual()",
    "value = 0\nif n: value = 0.5\nout[0] = value",
    "pair = Pair(n, s)\nif n: pair = Riap(s, n)\nout[0] = pair.count",
    "n += 1; out[0] = n",
    "while n:\n  break\nelse: out[0] = 1",
    "assert n; out[0] = 1",
    "out[0] = sum(x[0])",
]


def both(body: str, folder: Path, *, name: str = "written") -> tuple[np.ndarray, np.ndarray]:
    """What Python and the translation write for a body of a function."""
    file = folder / f"{abs(hash(body))}.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file.write_text(f"def {name}(x, n, s, out):\n{lines}\n")
    scope = {**globals()}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    x, ours, theirs = np.arange(6.0).reshape(2, 3) / 4, np.zeros(8), np.zeros(8)
    scope[name](x.copy(), 4, -1, ours)
    code = machine._load(machine._object(assembly({scope[name]: (F2, INTEGER, INTEGER, F1)}), speed=1))
    arguments = array("q", flat((x, 4, -1, theirs)))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.get_function_address(name))(arguments.buffer_info()[0])
    return ours, theirs


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


@pytest.mark.parametrize("body", READ)
def test_what_is_translated_does_what_python_does(body: str, tmp_path: Path) -> None:
    assert_same(*both(body, tmp_path))


@pytest.mark.parametrize("body", REFUSED)
def test_what_would_do_something_else_is_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=r"^(written, line \d: cannot translate|_\w+: )"):
        both(body, tmp_path)


ATOMS = st.sampled_from(
    ["n", "s", "float(x[0, 0])", "float(x[1, n - 2])", "0", "1", "3", "-2", "0.0", "-1.5", "True"]
)


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    infix = ["+", "-", "*", "/", "//", "%", ">>", "&", "and", "or", "<", "<=", "==", "!="]
    return st.one_of(
        st.builds("({} {} {})".format, parts, st.sampled_from(infix), parts),
        st.builds("({} {} {} < n)".format, parts, st.sampled_from(infix[-4:]), parts),
        st.builds("({} if {} else {})".format, parts, parts, parts),
        st.builds("{}({}, {})".format, st.sampled_from(["max", "min"]), parts, parts),
        st.builds("{}({})".format, st.sampled_from(["-", "abs", "int", "float"]), parts),
        st.builds("(not {})".format, parts),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bodies")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(expression=st.recursive(ATOMS, _larger, max_leaves=6))
def test_expressions(folder: Path, expression: str) -> None:
    try:
        ours, theirs = both(f"out[0] = {expression}", folder)
    except (ArithmeticError, TypeError, ValueError, NotImplementedError):  # Python's, or a refusal
        assume(False)
    assert math.isfinite(ours[0])
    np.testing.assert_array_equal(ours, theirs)  # but for the sign of a 0 that is an integer in Python
