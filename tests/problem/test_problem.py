"""Statements of problems."""

import dataclasses

import numpy as np
import pytest

from maxent.errors import MeasureError, ProblemError
from maxent.measures import AP, Joint, P
from maxent.problem import Problem
from maxent.solvers import solve
from tests.golden.messages import refused


def test_problems_must_make_sense() -> None:
    def problem(**changes: object) -> Problem:
        given: dict[str, object] = {"value": 0.3, "relevant": (3, 2), "retrieved": (2, 1), "depth": 10}
        return Problem(AP(), **{**given, **changes})  # type: ignore[arg-type]

    for changes in (
        {"value": float("nan")},
        {"value": None},
        {"value": (0.3, 0.4)},
        {"retrieved": None},
        {"retrieved": (2,)},
        {"retrieved": (4, 1)},
        {"retrieved": (-1, 1)},
        {"depth": 2},
        {"count": "all"},
        {"value": "0.3"},
        {"value": np.array([0.3, 0.4])},
        {"relevant": 3},
        {"relevant": "32"},
        {"relevant": (3, "x")},
        {"relevant": ()},
        {"retrieved": (np.inf, 1)},
        {"depth": 1.5},
        {"depth": "10"},
        {"depth": True},
        {"depth": 0},
        {"depth": 10**9},
        {"depth": 10**400},
        {"depth": np.nan},
        {"depth": np.inf},
    ):
        with refused(ProblemError):
            problem(**changes)


def test_numpy_scalars_are_numbers() -> None:
    problem = Problem(AP(), value=np.float64(1.0), relevant=(2,), retrieved=(2,), depth=4)
    assert solve(problem).status == "boundary"
    again = dataclasses.replace(problem, value=np.array([0.5])[0])
    assert (type(again.value), solve(again).status) == (float, "optimal")
    numbers = {
        "value": np.float32(0.5),
        "relevant": np.array([2]),
        "retrieved": (np.int16(2),),
        "depth": np.int64(4),
    }
    typed = Problem(AP(), **numbers)  # type: ignore[arg-type]
    assert typed == again
    assert hash(typed) == hash(again)
    assert repr(typed) == repr(again)


def test_limits_can_be_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXENT_LIMITS", "off")
    assert Problem(AP(), value=0.5, relevant=(2,), retrieved=(2,), depth=1_000_001).depth == 1_000_001


def test_values_of_several_measures_in_a_mapping_or_a_sequence() -> None:
    known = {"relevant": (3, 2), "retrieved": (2, 1), "depth": 10}
    pairs = Problem({AP(): 0.3, P(cutoff=5): 0.4}, **known)  # type: ignore[arg-type]
    assert pairs == Problem(Joint((AP(), P(cutoff=5))), value=np.array([0.3, 0.4]), **known)  # type: ignore[arg-type]
    assert hash(pairs) == hash(dataclasses.replace(pairs))
    assert (pairs.value, pairs.values) == ((0.3, 0.4), (0.3, 0.4))
    assert Problem({AP(): 0.3}, **known) == Problem(AP(), value=0.3, **known)  # type: ignore[arg-type]
    assert Problem(**known).measure == Joint()  # type: ignore[arg-type]
    assert dataclasses.replace(Problem(**known), depth=20).values == ()  # type: ignore[arg-type]
    for measure, value in (
        (Joint((AP(), P(cutoff=5))), 0.3),
        ({AP(): 0.3}, 0.3),
        ({AP(): 0.3, P(cutoff=5): np.inf}, None),
    ):
        with refused(ProblemError):
            Problem(measure, value=value, **known)  # type: ignore[arg-type]
    with refused(MeasureError):
        Problem("Nothing", value=0.3, **known)  # type: ignore[arg-type]
    with refused(MeasureError):
        pairs.interval  # noqa: B018
