"""A pass of its own, from numpy to LLVM's assembly."""

from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from maxent.kernels.compiler import layout, maximum, registers, shape, square_root, trace, where

SIZES = {"rows": 2, "v": 1}
PLANET = layout({"place": "rows", "speed": "rows", "mass": "v"}, SIZES)
SKY = layout({"light": "rows", "weight": "v"}, SIZES)


def _total(sky: Any, state: Any) -> None:
    sky.weight = state.total


@trace.over_ranks(reads=("light",), finish=_total, total="v")
def example(planet: Any, sky: Any, state: Any) -> None:
    """Nothing that anybody needs, on records that are not those of the package."""
    x = maximum(planet.place @ sky.light, 1.0)
    planet.speed = 2 - planet.place / square_root(abs(x))
    state.total = state.total + where(x > 1.0, -x, 0.0) * planet.mass


@pytest.mark.parametrize("lanes", [1, 4])
def test_assembly_is_valid_and_straight(lanes: int) -> None:
    text = trace.assembly(example, PLANET, SKY, lanes)
    llvm.parse_assembly(f"{trace.declarations(lanes)}\n{text}").verify()
    assert text.count("br ") == 2  # into the loop, and on or out
    assert ("<4 x double>" in text) == (lanes == 4)
    assert f"mul i64 %n, {5 * lanes}" in text


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
    assert shape("c,m+c+1", {"c": 3, "m": 2}) == (3, 6)
    assert shape("", {}) == ()


def test_fields_stand_one_after_the_other() -> None:
    places = layout({"x": "c,c", "y": "", "z": "c+1"}, {"c": 2})
    assert {name: tuple(field) for name, field in places.fields.items()} == {
        "x": (0, (2, 2), 4),
        "y": (4, (), 1),
        "z": (5, (3,), 3),
    }
    assert places.length == 8
