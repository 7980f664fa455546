"""What is tried where a problem is solved alone, and in which order."""

import pytest

from maxent.measures import AP, P
from maxent.problem import Problem, Solution
from maxent.solvers import ATTEMPTS, Attempt, solve, solve_alone
from tests.golden.messages import as_golden
from tests.helpers import at, with_p

KNOWN = {"relevant": (9, 6), "retrieved": (7, 5), "depth": 60}


def of(values: dict[object, float], **known: object) -> Problem:
    return Problem(values, **{**KNOWN, **known})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("problem", "places"),
    [
        (at("AP", 0.3), (0, 2)),  # a restart with merged grades, and the sorted list
        (at("AP", 0.3, count="at_most"), (0, 1, 2)),  # bounds of merged grades need not be reached
        (at("GAP(g=.5,.5)", 0.3, count="at_most"), (0, 2)),
        (of({AP(): 0.3, P(cutoff=10): 0.4}), (4, 5)),  # from the uniform distribution, and continuation
        (of({AP(): 0.05, P(cutoff=10): 0.0}), (4, 5, 6, 7)),  # an end, also taken for a value inside
        (of({P(cutoff=2): 0.0, P(cutoff=10): 1.0}), (6, 7)),  # ends that contradict each other
        (of({AP(): 1.0}, relevant=(7,), retrieved=(7,)), (3, 6, 7)),  # one list
    ],
)
def test_each_attempt_is_for_some_problems(problem: Problem, places: tuple[int, ...]) -> None:
    assert tuple(k for k, attempt in enumerate(ATTEMPTS) if attempt.applies(problem)) == places


def test_the_first_claim_that_is_confirmed_is_the_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = at("AP", 0.3)
    right = solve(problem)
    wrong = with_p(right, right.p[::-1])
    made: list[str] = []

    def attempt(name: str, claim: Solution | None, *, applies: bool = True) -> Attempt:
        def make(_: Problem) -> Solution | None:
            made.append(name)
            return claim

        return Attempt(make, lambda _: applies)

    attempts = (
        attempt("without a distribution", None),
        attempt("for others", right, applies=False),
        attempt("wrong", wrong),
        attempt("right", right),
        attempt("too late", right),
    )
    monkeypatch.setattr("maxent.solvers.attempts.ATTEMPTS", attempts)
    assert solve_alone(problem) is right
    assert made == ["without a distribution", "wrong", "right"]
    monkeypatch.setattr("maxent.solvers.attempts.ATTEMPTS", attempts[:3])
    failed = solve_alone(problem)
    assert failed.status == "failed"
    as_golden(failed.message)


def test_a_failure_names_what_the_closest_claim_violates(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = of({AP(): 0.3, P(cutoff=10): 0.4})
    right = solve(problem)
    turned, shifted = with_p(right, right.p[::-1]), with_p(right, 0.9 * right.p + 0.1 * right.p[::-1])

    def attempt(claim: Solution) -> Attempt:
        return Attempt(lambda _: claim, lambda _: True)

    attempts = tuple(map(attempt, (turned, shifted, turned)))
    monkeypatch.setattr("maxent.solvers.attempts.ATTEMPTS", attempts)
    message = solve_alone(problem).message
    assert f"the closest point has {shifted.certificate.violations}. Solve with" in message
