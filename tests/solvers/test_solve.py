"""Back ends against each other, and batches."""

import importlib
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from maxent.errors import ProblemError
from maxent.measures import AP, GAP, nDCG, parse_measure
from maxent.problem import COUNTS, Count, Problem, Reference, Solution
from maxent.solvers import BACKENDS, Interrupted, RawSolution, chunks, solve, solve_many
from tests.golden.messages import refused
from tests.helpers import REFERENCE, at, slow_but
from tests.solvers.test_joint import LIST, RELEVANT


@pytest.mark.parametrize("solver", slow_but(("newton",), BACKENDS))
def test_back_ends_agree_on_the_reference_problem(solver: str) -> None:
    """Design 3: H = 158.812219469739 nats; every p within 1e-5 of Newton's."""
    solution = solve(REFERENCE, solver=solver)
    assert solution.status == "optimal", solution.message
    assert solution.solver == solver
    assert solution.entropy == pytest.approx(158.812219469739, abs=5e-8)
    np.testing.assert_allclose(solution.p, solve(REFERENCE).p, atol=1e-5)


QUICK = (("GAP(g=.3,.7)", "log-uniform"),)
SLOW = ("AP & P@10", "AP", "GAP(g=.3,.7)", "nDCG(gain=exp2)", "P@10", "AP & AP(rel=2) & P@10", "counts")
CASES = (*QUICK, *((text, None) for text in SLOW), ("AP", "log-uniform"), ("P@10", "log-uniform"))


@pytest.mark.parametrize("solver", ["scipy", "cvxpy"])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("case", slow_but(QUICK, CASES))
def test_back_ends_agree(case: tuple[str, Reference], count: Count, solver: str) -> None:
    """On one measure, several and none, in every reading of the counts, and with another reference."""
    text, reference = case
    problem = Problem.of_list(parse_measure(text), LIST, RELEVANT, count=count, reference=reference)
    newton, other = solve(problem), solve(problem, solver=solver)
    assert newton.status == other.status == "optimal", (newton.message, other.message)
    np.testing.assert_allclose(other.p, newton.p, atol=2e-5)
    np.testing.assert_allclose(other.multipliers.values, newton.multipliers.values, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(gain=exp2)", "P@10"])
def test_no_linear_problem_defeats_the_conic_solver(measure: str, count: Count) -> None:
    """Conic solvers stop short of their tolerances now and then, on problems that depend on the processor."""
    shares = range(2, 99) if count == "retrieved" else range(2, 99, 6)
    problems = [at(measure, share / 100, count=count) for share in shares]
    found = [solve(problem, solver="cvxpy") for problem in problems]
    assert [s.message for s in found if s.status != "optimal"] == []
    certificates = [s.certificate for s in found]
    assert max(max(c.stationarity, c.value_violation, c.count_violation) for c in certificates) < 1e-9
    np.testing.assert_allclose([s.entropy for s in found], [solve(p).entropy for p in problems], rtol=1e-9)


def test_a_conic_solver_near_an_end() -> None:
    """Clarabel gives up on this one; another of CVXPY's solvers does not."""
    problem = at("nRecall", 0.999, depth=100, count="at_most")
    problem = replace(problem, relevant=(10,), retrieved=(9,))
    low, high = problem.interval
    problem = replace(problem, value=low + 0.999 * (high - low))
    solution = solve(problem, solver="cvxpy")
    assert solution.status == "optimal", solution.message
    assert solution.entropy == pytest.approx(solve(problem).entropy, rel=1e-9)


def test_what_a_back_end_leaves_when_it_gives_up_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that nobody has written to may hold anything."""
    module = importlib.import_module("maxent.solvers.cvxpy")
    monkeypatch.setattr(
        module,
        "solve_cvxpy",
        lambda reduced: RawSolution(np.full((60, 3), np.nan), None, 0, "it gave up", failed=True),
    )
    solution = solve(at("nDCG", 0.4), solver="cvxpy")
    assert (solution.status, solution.message) == ("failed", "it gave up")
    np.testing.assert_allclose(solution.p.sum(axis=1), 1)


def test_unknown_solver() -> None:
    with refused(ProblemError):
        solve(REFERENCE, solver="simplex")


def test_a_batch_mixes_everything() -> None:
    """ReducedProblem, boundary and infeasible problems, of several depths and numbers of grades, in order."""
    rng = np.random.default_rng(0)
    problems = [at(m, s) for m in ("AP", "GAP(g=.4,.6)", "nDCG") for s in (-0.1, 0.0, 0.3, 0.6, 1.0)]
    for levels in (1, 2, 3, 5):
        for depth in (30, 250):
            grades = rng.integers(0, levels + 1, size=depth)
            relevant = np.bincount(grades, minlength=levels + 1)[1:] + 1
            measure = GAP(g=tuple(rng.dirichlet(np.ones(levels)).tolist()))
            problems += [Problem.of_list(measure, rng.permutation(grades), relevant, count=c) for c in COUNTS]
    batch = solve_many(problems, jobs=2, progress=False)
    assert [solution.problem for solution in batch] == problems
    for found, problem in zip(batch, problems, strict=True):
        alone = solve(problem)
        assert (found.status, found.certificate.accepted) == (alone.status, alone.status != "infeasible")
        if found.status != "infeasible":
            np.testing.assert_allclose(found.p, alone.p, atol=1e-8)
    assert {s.status for s in batch} == {"optimal", "boundary", "infeasible"}


def test_a_batch_takes_topics_together_and_answers_in_order() -> None:
    """Run after run: those of a topic and measure side by side, whatever grades their lists lack."""
    topics, values = [(5.0, 3.0), (0.0, 4.0), (9.0, 2.0)], (0.3, 0.4, 0.5)
    problems = [
        Problem(measure, value=value, relevant=topic, retrieved=(topic[0], found), depth=40)
        for value in values
        for topic in topics
        for found in (topic[1], 0.0)
        for measure in (AP(), GAP(g=(0.5, 0.5)), nDCG())
    ]
    together = chunks(problems, 6)
    assert sorted(chain.from_iterable(together)) == list(range(len(problems)))
    assert all(len({(problems[k].measure, problems[k].relevant) for k in chunk}) == 1 for chunk in together)
    batch = solve_many(problems, progress=False)
    assert [solution.problem for solution in batch] == problems
    for solution, problem in zip(batch, problems, strict=True):
        assert solution.status == solve(problem).status


def test_a_batch_of_values_that_never_vary_gives_no_warning() -> None:
    """Without a cutoff the sliding ratio depends on the counts alone: its interval is a point."""
    problem = at("SR", 0.0)
    assert [s.status for s in solve_many([problem, at("SR@20", 0.4), problem], progress=False)] == [
        "boundary",
        "optimal",
        "boundary",
    ]


def test_an_interrupted_batch_keeps_what_was_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("maxent.solvers.solve")
    chunks = module._solve_chunk

    def interrupted(problems: list[Problem], name: str) -> list[Solution]:
        if problems[0].value > 0.4:
            raise KeyboardInterrupt
        found: list[Solution] = chunks(problems, name)
        return found

    monkeypatch.setattr(module, "CHUNK", 2)
    monkeypatch.setattr(module, "_solve_chunk", interrupted)
    problems = [at("AP", share) for share in (0.1, 0.15, 0.2, 0.25, 0.9, 0.95)]
    with refused(Interrupted) as stopped:
        solve_many(problems, progress=False)
    kept = stopped.value.solutions
    assert [s.problem if s else None for s in kept] == [*problems[:4], None, None]
    assert isinstance(stopped.value, KeyboardInterrupt)
