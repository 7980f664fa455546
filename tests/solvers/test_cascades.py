"""Problems of ERR, nERR, RR and Success: optimality by enumeration, and who does not take them."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import null_space

import maxent as me
from maxent.cli import main
from maxent.measures.cascade import Cascade
from maxent.problem import Count
from maxent.problem.certificate import _strict_maximum
from tests import naive

TEXTS = ("ERR", "nERR(gain=1,5)@3", "RR", "RR(rel=2)@4", "Success@3")


def problem(text: str, share: float, *, count: Count = "retrieved", depth: int = 7) -> me.Problem:
    known = me.Problem(me.parse_measure(text), value=0, relevant=(3, 2), retrieved=(2, 1), depth=depth, count=count)
    low, high = known.interval
    return dataclasses.replace(known, value=low + share * (high - low))


@pytest.mark.parametrize("count", ["retrieved", "at_most"])
@pytest.mark.parametrize("text", TEXTS)
def test_solutions_are_stationary_where_every_list_is_enumerated(text: str, count: Count) -> None:
    given = problem(text, 0.5, count=count)
    solution = me.solve(given, solver="scipy")
    assert solution.status == "optimal"
    p, lists = np.array(solution.p, dtype=np.float64), naive.all_lists(7, 2)
    values = given.measure.values(lists, given.relevant)
    probability = naive.probabilities(lists, p)
    assert probability @ values == pytest.approx(given.value, abs=1e-7)
    total = p[:, 1:].sum(axis=0)
    full = np.isclose(total, given.counts, atol=1e-6)
    assert full.all() if count == "retrieved" else (total <= given.counts + 1e-6).all()
    theta = np.log(p[:, 1:] / p[:, :1])
    w = np.zeros_like(theta)
    for n, i in np.ndindex(w.shape):  # expected value given the grade at a rank
        with_grade, without = (lists[:, n] == grade for grade in (i + 1, 0))
        w[n, i] = probability[with_grade] @ values[with_grade] / p[n, i + 1]
        w[n, i] -= probability[without] @ values[without] / p[n, 0]
    mu = np.where(full, solution.multipliers.counts, 0.0)
    np.testing.assert_allclose(theta, mu + solution.multipliers.value * w, atol=2e-4)


@pytest.mark.parametrize("text", TEXTS)
def test_back_ends_agree(text: str) -> None:
    given = problem(text, 0.4)
    entropies = [me.solve(given, solver=name).entropy for name in ("scipy", "scipy-slsqp", "cvxpy-sequential")]
    np.testing.assert_allclose(entropies, entropies[0], atol=1e-6)


def test_a_list_full_of_relevant_documents() -> None:
    given = me.Problem(me.RR(rel=2), value=0.6, relevant=(5, 2), retrieved=(5, 2), depth=7)
    solution = me.solve(given, solver="scipy")
    assert solution.certificate.accepted
    assert not solution.p[:, 0].any()


def test_certificates_are_not_given_away() -> None:
    solution = me.solve(problem("ERR", 0.5), solver="scipy")
    reversed_list = dataclasses.replace(solution, p=solution.p[::-1]).certificate
    assert not reversed_list.accepted
    assert reversed_list.count_violation < 1e-7 < reversed_list.value_violation
    other = dataclasses.replace(
        solution, multipliers=solution.multipliers._replace(value=1.1 * solution.multipliers.value)
    ).certificate
    assert not other.accepted
    assert other.stationarity > 1e-3


def test_curvature_is_that_of_dense_matrices() -> None:
    """Random points and multipliers, maxima and others."""
    rng, verdicts = np.random.default_rng(5), []
    for _ in range(100):
        depth, c = int(rng.integers(2, 7)), int(rng.integers(1, 4))
        stops = np.append(0.0, rng.random(c))
        cascade = Cascade(1 / np.arange(1.0, depth + 1), stops)
        p, active = rng.dirichlet(np.ones(c + 1), depth), rng.random(c) < 0.7
        multiplier = rng.choice([-1.0, 1.0]) * 10 ** rng.uniform(0, 4)
        directions = np.zeros((depth * c, depth, c + 1))
        for k, (n, i) in enumerate(np.ndindex(depth, c)):
            directions[k, n, i + 1], directions[k, n, 0] = 1.0, -1.0
        tangent = directions.reshape(depth * c, -1)
        second = np.array([cascade.hessian_action(p, x).ravel() for x in directions]) @ tangent.T
        hessian = multiplier * second - tangent @ np.diag(1 / p.ravel()) @ tangent.T
        counts = np.tile(np.eye(c)[active], depth)
        free = null_space(np.vstack((tangent @ cascade.gradient(p).ravel(), counts)))
        expected = bool((np.linalg.eigvalsh(free.T @ hessian @ free) < 0).all())
        reduced = cascade.eliminate(tuple(range(c + 1)))
        assert _strict_maximum(reduced, p[:, 1:], multiplier, active) == expected
        verdicts.append(expected)
    assert 20 < sum(verdicts) < 80


def test_who_takes_no_cascade_names_those_who_do() -> None:
    given = problem("ERR@5", 0.5)
    for name in ("auto", "newton", "cvxpy", "cvxpy-ipopt"):
        with pytest.raises(me.MeasureError, match="ERR@5 is not a pairwise form .*: scipy, scipy-slsqp, cvxpy-"):
            me.solve(given, solver=name)
    with pytest.raises(me.MeasureError, match="These take it, with"):
        me.solve_many([given, given], progress=False)
    with pytest.raises(me.MeasureError, match="derivatives of solutions need pairwise forms"):
        me.sensitivity(me.solve(given, solver="scipy"))


def test_the_commands_take_cascades_with_a_back_end_that_does(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solved = ["solve", "--measure", "RR", "--value", "0.5", "--relevant", "3,2", "--depth", "12"]
    assert main(solved) == 2
    assert "RR is not a pairwise form" in capsys.readouterr().err
    assert main([*solved, "--solver", "scipy"]) == 0
    assert "optimal" in capsys.readouterr().out
    runs = [str(path) for path in sorted((files / "runs").iterdir())[:2]]
    study = ["study", "--qrels", str(files / "qrels.txt"), "--runs", *runs, "--depth", "12"]
    argv = [*study, "--measures", "ERR", "--topics", "1-2", "--min-retrieved", "1"]
    assert main(argv) == 2
    assert "ERR is not a pairwise form" in capsys.readouterr().err
    assert main([*argv, "--solver", "cvxpy-sequential"]) == 0
    assert "4 lists;" in capsys.readouterr().out
