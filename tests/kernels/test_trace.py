"""A pass of its own, from numpy to LLVM's assembly."""

from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from maxent.kernels.compiler import field_places, maximum, registers, shape, square_root, trace, where


def _total(whole: Any, state: Any) -> None:
    whole.expected = state.total


@trace.over_ranks(reads=("counts",), finish=_total, total="m")
def example(at: Any, whole: Any, state: Any) -> None:
    """Nothing that anybody needs."""
    x = maximum(at.theta @ whole.counts, 1.0)
    at.p = 2 - at.theta / square_root(abs(x))
    state.total = state.total + where(x > 1.0, -x, 0.0) * at.d


@pytest.mark.parametrize("lanes", [1, 4])
def test_assembly_is_valid_and_straight(lanes: int) -> None:
    text = trace.assembly(example, 2, 1, lanes)
    llvm.parse_assembly(f"{trace.declarations(lanes)}\n{text}").verify()
    assert text.count("br ") == 2  # into the loop, and on or out
    assert ("<4 x double>" in text) == (lanes == 4)
    assert f"mul i64 %n, {field_places(2, 1)[1] * lanes}" in text


def test_what_multiplies_by_nothing_is_not_written() -> None:
    writer = registers.Writer(1)
    x = registers.Register(writer, "%x")
    M = np.array([[x, 0.0], [0.0, 1.0]], object)
    found = M @ np.eye(2)
    assert found[0, 0] is x
    assert (found[0, 1], found[1, 0], found[1, 1]) == (0, 0, 1)
    assert writer.lines == []


def test_constants_keep_every_bit() -> None:
    assert registers.number(0.1) == "0x3fb999999999999a"


def test_shapes_of_fields() -> None:
    assert shape("c,m+c+1", c=3, m=2) == (3, 6)
    assert shape("", c=3, m=2) == ()
    places, rank, whole = field_places(2, 1)
    ends = {name: offset + size for name, (offset, _, size) in places.items()}
    assert ends["step"] == rank
    assert max(end for name, end in ends.items() if name == "shortened") == whole
