"""Translated functions against the same functions in Python."""

import ctypes
import math
import re
from array import array
from typing import Any, NamedTuple

import numpy as np
import pytest

from maxent.kernels import machine
from maxent.kernels.calls import flat
from maxent.kernels.compiler.instructions import F1, F2, F3, INTEGER
from maxent.kernels.compiler.translate import assembly

SIZES = (2, 3, 4)


class Pair(NamedTuple):
    """Numbers of two kinds."""

    count: Any
    numbers: Any


def loops(x: Any, size: int, out: Any) -> None:
    """Loops in all directions, with breaks."""
    number = last = 0
    for k in range(size):
        if k == 3:
            continue
        out[number] += k
        number += 1
    for k in range(size - 1, -1, -2):
        for _ in range(2, 9, 3):
            out[number] = x[0, 0, k % 4] * k
            if k < 4:
                break
            number += 1
    for last in range(3):
        out[30] += last
    for last in range(0):
        out[30] += last
    for negative in range(-3, -1):
        out[31] += negative
    out[32] = last
    while number > 0:
        number -= 1
        if out[number] > 5:
            break
        out[number] += 0.5
    while True:
        number += 2
        if number > size // 2 and not number < 7:
            out[0] -= number
            return


def elements(x: Any, size: int, out: Any) -> None:
    """Elements and parts of arrays, and several at once."""
    m, c = x.shape[0], x.shape[1]
    row = x[1, 2]
    for j in range(len(row)):
        row[j] = 2 * row[j] - x[0, j % c, j] / 3
        out[j] = row[j]
    part, last = x[0], x[m - 1]
    for i in range(c):
        part[i, 1], last[i, 2] = last[i, 2], part[i, 1]
    part, last = last, part
    rows = x[0, 1:3]
    out[size - 3] = rows[1, 0] * rows.shape[0] - rows.shape[1]
    out[size - 1] = out[size - 2] = part[0, 2] + last[0, 1]


def choices(x: Any, size: int, out: Any) -> None:
    """Conditions, of which the second is not looked at where the first decides."""
    for k in range(size):
        inside = k < 4 and x[0, 0, k] > 0
        high = x[0, 0, k] if inside else -1.0
        out[k] = max(high, 0.25) if not inside or k == 1 or 0.1 < high <= 0.9 != high else -min(k, 2)
        if k > 3 or x[1, 1, k] > 0.5:
            out[k] += abs(high) * (k >= 4)
        elif (k >> 1) & 1:
            out[k] = math.sqrt(math.exp(high)) - math.log(k + 1)
        out[k] += int(3.7 * k) + float(k) + (math.inf if k == 5 else 0.0)
    worst = max(math.nan, out[0])  # the first unless the second is larger
    out[2] = 1.0 if worst != worst else 2.0
    out[size - 1] = min(1.0, worst)


def _span(pair: Any, at: Any) -> Any:
    for k in range(pair.count):
        if pair.numbers[k] > at:
            return Pair(k, pair.numbers), k, at / pair.count
    return Pair(-1, pair.numbers), 0, 0.0


def _fill(to: Any, value: Any) -> None:
    for k in range(len(to)):
        to[k] = value


def calls(x: Any, size: int, out: Any) -> None:
    """Functions of named tuples that return several values, of integers and of numbers."""
    found, place, share = _span(Pair(4, x[1, 0]), 0.5)
    _fill(out, found.count)
    out[0] = share + place + found.numbers[3]
    found, place, share = _span(Pair(size // 2, x[0, 2]), -1)
    _fill(x[0, 2], share)
    out[1] = found.count + share


@pytest.mark.parametrize("function", [loops, elements, choices, calls])
def test_translated(function: Any) -> None:
    code = machine._load(machine._object(assembly({function: (F3, INTEGER, F1)})))
    x = np.random.default_rng(0).random(SIZES)
    ours, theirs = (x.copy(), np.zeros(40)), (x.copy(), np.zeros(40))
    function(ours[0], 8, ours[1])
    given = array("q", flat((theirs[0], 8, theirs[1])))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.get_function_address(function.__name__))(given.buffer_info()[0])
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-15)
    assert np.ptp(ours[1]) > 0


def twice(x: Any, size: int) -> None:
    """Calls with the same kinds of arguments, and with others."""
    _fill(x[0], 1.0)
    _fill(x[1], size)
    _fill(x[0], 2.0)


def test_a_function_is_translated_once_for_all_arguments_of_the_same_kinds() -> None:
    text = assembly({twice: (F2, INTEGER), calls: (F3, INTEGER, F1)})
    assert len(re.findall(r'^define .*@"_fill\.', text, re.MULTILINE)) == 2
    assert len(re.findall(r'= call .*@"_fill\.', text)) == 5


def again(x: Any, size: int) -> None:
    """A function that calls itself."""
    again(x, size - 1)


def kinds(x: Any, size: int) -> None:
    """A variable that is an integer first, and then is not."""
    total = 0
    for k in range(size):
        total += x[0, k]


def lists(x: Any, size: int) -> None:
    """What nothing is known of."""
    x[0, 0] = size
    x[0, 1] = [size, size]


def otherwise(x: Any, size: int) -> None:
    """What a loop does in the end."""
    for k in range(size):
        x[0, k] = 0.0
    else:
        x[0, 0] = 1.0


def named(x: Any, size: int) -> None:
    """An argument by its name."""
    x[0, 0] = max(1.0, 2.0, key=abs)


def axes(x: Any, size: int) -> None:
    """More indices than axes."""
    x[0, 0] = x[0, 1, size]


def steps(x: Any, size: int) -> None:
    """Every second number."""
    x[0, 0] = len(x[0, 0:size:2])


def sign(x: Any, size: int) -> None:
    """A sign that says nothing."""
    x[0, 0] = +size


@pytest.mark.parametrize(
    ("function", "line", "text"),
    [
        (again, 2, "again(x, size - 1)"),
        (kinds, 4, "total += x[0, k]"),
        (lists, 3, "x[0, 1] = [size"),
        (otherwise, 2, "for k in range(size)"),
        (named, 2, "x[0, 0] = max(1.0, 2.0, key=abs)"),
        (axes, 2, "x[0, 0] = x[0, 1, size]"),
        (steps, 2, "x[0, 0] = len(x[0, 0:size:2])"),
        (sign, 2, "x[0, 0] = +size"),
    ],
)
def test_what_cannot_be_translated(function: Any, line: int, text: str) -> None:
    line += function.__code__.co_firstlineno
    with pytest.raises(NotImplementedError, match=f"^{function.__name__}, line {line}: .*{re.escape(text)}"):
        assembly({function: (F2, INTEGER)})
