"""Two thousand random problems; each solution is confirmed by code that shares nothing with the certificate."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import maxent as me
from maxent.measures import MEASURES
from maxent.problem import IndependentRanks
from maxent.types import FloatArray
from tests.conftest import Script

PROBLEM = me.Problem(me.GAP(g=(0.5, 0.5)), value=0.35, relevant=(6, 4), retrieved=(6, 4), depth=40)


@pytest.mark.slow
def test_no_problem_gets_a_wrong_answer(script: Script) -> None:
    """At most one in a thousand gets none."""
    table = script("tests/evidence/stress").stress(2000, seed=0)
    known = table["wrong"].isin(("", "slow", "failed"))  # time is not a test's
    wrong = table.loc[~known, ["wrong", "problem", "reason"]]
    assert not len(wrong), "\n".join(" ".join(row) for row in wrong.itertuples(index=False))
    assert (table["wrong"] == "failed").sum() <= 2
    assert set(table["measure"]) == {name for name, measure in MEASURES.items() if measure.is_form()}
    assert set(table["status"]) >= {"optimal", "boundary", "infeasible"}


@pytest.mark.parametrize("depth", [40, 400])
def test_the_check_notices_what_is_wrong(script: Script, depth: int) -> None:
    confirm = script("tests/evidence/confirm").confirm
    solution = me.solve(dataclasses.replace(PROBLEM, depth=depth))
    assert confirm(solution) == ""
    p, multipliers = solution.p, solution.multipliers
    exchanged = p.copy()
    exchanged[7:9, 1] += (1e-5, -1e-5)
    exchanged[7:9, 0] -= (1e-5, -1e-5)

    def distribution(changed: FloatArray) -> dict[str, Any]:
        return {"distribution": IndependentRanks(solution.problem, changed)}

    for says, change in (
        ("value", distribution(p[::-1])),
        ("counts", distribution(np.roll(p, 1, axis=1))),
        ("rows", distribution(p * 1.001)),
        ("multipliers", distribution(exchanged)),
        ("multipliers", {"multipliers": multipliers._replace(value=multipliers.value * 1.01)}),
        ("no end", {"status": "boundary"}),
        ("infeasible", {"status": "infeasible"}),
    ):
        assert says in confirm(dataclasses.replace(solution, **change)), says


@pytest.mark.parametrize("depth", [40, 400])
def test_the_check_notices_a_saddle(script: Script, depth: int) -> None:
    """With a multiplier large enough the bend of the measure outweighs that of the entropy."""
    confirm, definitions = script("tests/evidence/confirm"), script("tests/evidence/definitions")
    solution = me.solve(dataclasses.replace(PROBLEM, depth=depth))
    measure = definitions.parts(solution.problem)
    assert confirm.curvature(solution, measure) == ""
    steep = solution.multipliers._replace(value=1000 * solution.multipliers.value)
    assert "positive curvature" in confirm.curvature(dataclasses.replace(solution, multipliers=steep), measure)
