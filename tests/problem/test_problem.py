"""Statements of problems."""

import dataclasses

import numpy as np
import pytest

from maxent.errors import MeasureError, ProblemError
from maxent.measures import AP, Joint, P
from maxent.problem import Problem
from maxent.solvers import solve


def test_problems_must_make_sense() -> None:
    def problem(**changes: object) -> Problem:
        given: dict[str, object] = {"value": 0.3, "relevant": (3, 2), "retrieved": (2, 1), "depth": 10}
        return Problem(AP(), **{**given, **changes})  # type: ignore[arg-type]

    for changes, says in (
        ({"value": float("nan")}, "finite number"),
        ({"value": None}, "AP needs 1 value, got none"),
        ({"value": (0.3, 0.4)}, "AP needs 1 value, got 0.3, 0.4"),
        ({"retrieved": None}, "needs the number of retrieved"),
        ({"retrieved": (2,)}, "relevant has 2 grades, retrieved 1"),
        ({"retrieved": (4, 1)}, "grade 1: 4 retrieved of 3 relevant"),
        ({"retrieved": (-1, 1)}, "grade 1: -1 retrieved"),
        ({"depth": 2}, "3 relevant documents in a list of 2"),
        ({"count": "all"}, "unknown count 'all'"),
        ({"value": "0.3"}, "the value of AP must be a finite number, got '0.3'"),
        ({"value": np.array([0.3, 0.4])}, "AP needs 1 value, got 0.3, 0.4"),
        ({"relevant": 3}, "relevant has 1 grades, retrieved 2"),
        (
            {"relevant": "32"},
            r"relevant must be numbers, one .*, such as \(40, 10\), or \(40,\) for a single one, got '32'",
        ),
        ({"relevant": (3, "x")}, "relevant, grade 2, must be a finite number, got 'x'"),
        ({"relevant": ()}, "relevant must be numbers"),
        ({"retrieved": (np.inf, 1)}, "retrieved, grade 1, must be a finite number"),
        ({"depth": 1.5}, "depth must be a whole number, 1 or more, got 1.5"),
        ({"depth": "10"}, "depth must be a whole number, 1 or more, got '10'"),
        ({"depth": True}, "depth must be a whole number"),
        ({"depth": 0}, "1 or more, got 0"),
        ({"depth": 10**9}, "depth is 1000000000, more than 1000000; if this is intended, set MAXENT_LIMITS=no"),
        ({"depth": 10**400}, "more than 1000000"),
        ({"depth": np.nan}, "whole number"),
        ({"depth": np.inf}, "whole number"),
    ):
        with pytest.raises(ProblemError, match=says):
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
    for measure, value, says in (
        (Joint((AP(), P(cutoff=5))), 0.3, "AP & P@5 needs 2 values, got 0.3"),
        ({AP(): 0.3}, 0.3, "the mapping from measures has the values, got value=0.3 as well"),
        ({AP(): 0.3, P(cutoff=5): np.inf}, None, "the value of P@5 must be a finite number"),
    ):
        with pytest.raises(ProblemError, match=says):
            Problem(measure, value=value, **known)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="unknown measure 'Nothing'"):
        Problem("Nothing", value=0.3, **known)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="AP & P@5 has no value of its own"):
        pairs.interval  # noqa: B018
