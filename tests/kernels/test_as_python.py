"""Whatever is translated does what Python does; the rest is refused by function and line."""

import ctypes
import math
import re
from array import array
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maxent.kernels import flatten, machine, parameters_of
from maxent.kernels.compiler import assembly
from maxent.types import FloatArray
from tests.golden.messages import refused


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


def _span(pair: Any, at: Any) -> Any:
    for k in range(pair.count):
        if pair.other[k] > at:
            return Pair(k, pair.other), k, at / pair.count
    return Pair(-1, pair.other), 0, 0.0


def _fill(to: Any, value: Any) -> None:
    for k in range(len(to)):
        to[k] = value


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
    "for k in range(n - 1, -1, -2):\n  for j in range(2, 9, 3):\n    out[j - 2] = k\n    if k < 3: break",
    "last = 7\nfor last in range(3): out[0] += last\nfor last in range(0): out[1] += last\nout[2] = last",
    "k = 6\nwhile k > 0:\n  k -= 1\n  if k == 2: break\n  out[k] += 0.5",
    "k = 0\nwhile True:\n  k += 2\n  if k > n // 2 and not k < 7:\n    out[0] -= k\n    return",
    "one, two = x[0], x[1]\nfor i in range(3): one[i], two[i] = two[i], one[i]\nout[0] = x[0, 2] - x[1, 0]",
    "one, two = x[0], x[1]\none, two = two, one\nout[0] = one[0] - two[2]",
    "row = x[0, 1:3]; row[0] = 7; out[0] = x[0, 1] * row.shape[0]",
    "for k in range(n):\n  inside = k < 3 and x[0, k] > 0\n  out[k] = x[0, k] if inside else -1.0",
    "for k in range(n):\n  if k > 2 or x[1, k] > 1: out[k] = k\n  elif (k >> 1) & 1: out[k] = math.sqrt(k)",
    "out[0] = 1.0 if abs(math.exp(x[0, 1]) - 1.2840254) + abs(math.log(n) - 1.3862944) < 1e-6 else 2.0",
    "worst = max(math.nan, x[0, 0]); out[0] = 1.0 if worst != worst else 2.0; out[1] = min(1.0, worst)",
    "out[0] = math.inf; out[1] = float(n) + int(3.7 * n)",
    "found, place, share = _span(Pair(3, x[1]), 0.8); out[0], out[1], out[2] = found.count, place, share",
    "found, place, share = _span(Pair(n // 2, x[0]), 5); _fill(x[0], share); out[0] = found.count + x[0, 1]",
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
    "if n > 9: written(x, n, s, out)",
    "total = 0\nfor k in range(3): total += x[0, k]\nout[0] = total",
    "if n > 9: out[0] = [n, n]",
    "for k in range(3): out[k] = 0.0\nelse: out[0] = 1.0",
    "out[0] = max(1.0, 2.0, key=abs)",
    "if n > 9: out[0] = x[0, 1, n]",
    "out[0] = len(x[0, 0:n:2])",
    "out[0] = +n",
]


def both(body: str, folder: Path, *, name: str = "written") -> tuple[np.ndarray, np.ndarray]:
    """What Python and the translation write for a body of a function."""
    file = folder / f"{abs(hash(body))}.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    arguments = 'x: Annotated[FloatArray, "2, 3"], n: int, s: int, out: Annotated[FloatArray, "8"]'
    file.write_text(f"def {name}({arguments}):\n{lines}\n")
    scope = {**globals()}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    x, ours, theirs = np.arange(6.0).reshape(2, 3) / 4, np.zeros(8), np.zeros(8)
    scope[name](x.copy(), 4, -1, ours)
    code = machine._load(machine._compile(assembly([scope[name]]), speed=1))
    integers = array("q", flatten(name, (x, 4, -1, theirs), parameters_of(scope[name])))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.get_function_address(name))(integers.buffer_info()[0])
    return ours, theirs


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


@pytest.mark.parametrize("body", READ)
def test_what_is_translated_does_what_python_does(body: str, tmp_path: Path) -> None:
    assert_same(*both(body, tmp_path))


@pytest.mark.parametrize("body", REFUSED)
def test_what_would_do_something_else_is_refused(body: str, tmp_path: Path) -> None:
    with refused(NotImplementedError):
        both(body, tmp_path)


def twice(x: Annotated[FloatArray, "rows, columns"], size: int) -> None:
    """Calls with the same kinds of arguments, and with others."""
    _fill(x[0], 1.0)
    _fill(x[1], size)
    _fill(x[0], 2.0)


def test_a_function_is_translated_once_for_all_arguments_of_the_same_kinds() -> None:
    text = assembly([twice])
    assert len(re.findall(r'^define .*@"_fill\.', text, re.MULTILINE)) == 2
    assert len(re.findall(r'= call .*@"_fill\.', text)) == 3


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


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(expression=st.recursive(ATOMS, _larger, max_leaves=6))
def test_expressions(folder: Path, expression: str) -> None:
    try:
        ours, theirs = both(f"out[0] = {expression}", folder)
    except (ArithmeticError, TypeError, ValueError, NotImplementedError):  # Python's, or a refusal
        assume(False)
    assert math.isfinite(ours[0])
    np.testing.assert_array_equal(ours, theirs)  # but for the sign of a 0 that is an integer in Python
