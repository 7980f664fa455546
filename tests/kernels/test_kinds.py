"""What a loop takes stands in its annotations, by name."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from maxent.kernels.compiler import ArrayKind, Flat, kinds_of
from maxent.types import BoolArray, FloatArray, IntArray
from tests.golden.messages import refused

DOUBLES, INTEGERS = np.dtype(np.float64), np.dtype(np.int64)


class Moons(NamedTuple):
    """Fields have kinds as parameters have."""

    number: int
    masses: Annotated[FloatArray, Flat("number, 2")]


def orbit(
    planet: int, moons: Moons, path: Annotated[FloatArray, "time, 3"], at: Annotated[IntArray, "time"]
) -> None:
    local = planet  # no parameter
    assert local


def test_kinds_have_the_names_of_parameters() -> None:
    kinds = kinds_of(orbit)
    assert list(kinds) == ["planet", "moons", "path", "at"]
    assert kinds["moons"] == (int, ArrayKind(DOUBLES, "number, 2"))
    assert isinstance(kinds["moons"].masses.axes, Flat)
    assert (kinds["path"], kinds["path"].ndim) == (ArrayKind(DOUBLES, "time, 3"), 2)
    assert (kinds["at"], kinds["at"].ndim) == (ArrayKind(INTEGERS, "time"), 1)


def _bare(planet: int, speed):  # type: ignore[no-untyped-def]
    ...


def _number(speed: float) -> None: ...


def _without_axes(path: FloatArray) -> None: ...


def _truths(seen: Annotated[BoolArray, "time"]) -> None: ...


def _axes_as_number(path: Annotated[FloatArray, 2]) -> None: ...


@pytest.mark.parametrize("function", [_bare, _number, _without_axes, _truths, _axes_as_number])
def test_parameters_without_a_kind_are_refused(function: Any) -> None:
    with refused(TypeError):
        kinds_of(function)
