"""Statements of problems."""

import dataclasses

import numpy as np
import pytest

from maxent.errors import ProblemError
from maxent.measures import AP, GAP
from maxent.problem import Problem
from maxent.solvers import solve
from tests.helpers import REFERENCE


def test_problems_must_make_sense() -> None:
    def problem(**changes: object) -> Problem:
        given: dict[str, object] = {"value": 0.3, "relevant": (3, 2), "retrieved": (2, 1), "depth": 10}
        return Problem(AP(), **{**given, **changes})  # type: ignore[arg-type]

    for changes, says in (
        ({"value": float("nan")}, "finite number"),
        ({"retrieved": None}, "needs the number of retrieved"),
        ({"retrieved": (2,)}, "relevant has 2 grades, retrieved 1"),
        ({"retrieved": (4, 1)}, "grade 1: 4 retrieved of 3 relevant"),
        ({"retrieved": (-1, 1)}, "grade 1: -1 retrieved"),
        ({"depth": 2}, "3 relevant documents in a list of 2"),
        ({"count": "all"}, "unknown count 'all'"),
    ):
        with pytest.raises(ProblemError, match=says):
            problem(**changes)


def test_equal_problems_are_equal_and_hashable() -> None:
    again = Problem(GAP(g=(0.5, 0.5)), value=0.35, relevant=(30.0, 10.0), retrieved=(30, 10))
    assert again == REFERENCE
    assert hash(again) == hash(REFERENCE)


def test_numpy_scalars_are_numbers() -> None:
    problem = Problem(AP(), value=np.float64(1.0), relevant=(2,), retrieved=(2,), depth=4)
    assert solve(problem).status == "boundary"
    again = dataclasses.replace(problem, value=np.array([0.5])[0])
    assert (type(again.value), solve(again).status) == (float, "optimal")
