"""From problems to reduced ones, and back to all grades and measures."""

import numpy as np
import pytest

from maxent.measures import AP, P, parse_measure
from maxent.problem import Face, Problem, Problems, Reduced, apart
from maxent.solvers import solve

GAIN = "nDCG(gain=1,1,3)"  # the grades 1 and 2 are alike
ALIKE = "P(rel=2)@3 & CG(gain=0,1,1)@3"  # one is three times the other


def reduced_of(problem: Problem, way: str) -> Reduced:
    """The reduced problem that each solver gets: of a batch, merged or not, or of a face."""
    if way == "face":
        return Face(problem).reduced
    merged = problem.merged_grades if way == "merged" else apart(problem.present)
    constraining = tuple(range(len(problem.parts)))
    intervals = np.array([[part.interval for part in problem.parts]])
    return Reduced.of(Problems.of([problem]), merged, constraining, intervals)


@pytest.mark.parametrize("count", ["retrieved", "at_most"])
@pytest.mark.parametrize("retrieved", [(3, 4, 2), (3, 0, 2), (0, 4, 2), (3, 4, 5)])
@pytest.mark.parametrize(
    ("text", "way"),
    [(GAIN, "apart"), (GAIN, "merged"), (f"{GAIN} & P(rel=2)@3", "apart"), (f"{GAIN} & {ALIKE}", "face")],
)
def test_the_way_back_gives_the_multipliers_of_the_problem_itself(
    text: str, way: str, retrieved: tuple[int, ...], count: str
) -> None:
    """For linear measures, log(p_n(i) / p_n(lowest)) = mu_i + sum_j lambda_j a_jn(i), whatever lambda and mu are.

    Grades are absent, merged, or fill the list, so that grade 0 is absent; a measure may follow from others.
    """
    values = dict.fromkeys(parse_measure(text).parts, 0.4)
    problem = Problem(values, relevant=retrieved, retrieved=retrieved, depth=12, count=count)  # type: ignore[arg-type]
    reduced = reduced_of(problem, way)
    m, c = len(reduced.constraining), len(reduced.merged) - 1
    multipliers = np.random.default_rng(0).normal(size=(1, m + c))
    logits = multipliers[:, m:] + sum(
        multipliers[0, j] * reduced.batch.topics[0].a[:, j] / reduced.scale[0, j] for j in range(m)
    )
    q = np.exp(np.column_stack((np.zeros(problem.depth), logits)))
    q /= q.sum(axis=1, keepdims=True)

    ((p,), (numbers,)) = reduced.expanded(q[None], multipliers)

    np.testing.assert_allclose(p.sum(axis=1), 1)
    for group, probability in zip(reduced.merged, q.T, strict=True):
        np.testing.assert_allclose(p[:, list(group)].sum(axis=1), probability)
    lambdas, mu = numbers[: len(problem.forms)], np.array([0.0, *numbers[len(problem.forms) :]])
    lowest, *present = problem.present
    absent = [grade for grade in range(1, problem.levels + 1) if grade not in problem.present]
    assert (p[:, absent] == 0).all()
    assert (mu[absent] == -np.inf).all()
    assert all(lambdas[j] == 0 for j in range(len(lambdas)) if j not in reduced.constraining)
    weights = sum(lambdas[j] * form.a for j, form in enumerate(problem.forms))
    for grade in present:
        wanted = mu[grade] - mu[lowest] + weights[:, grade] - weights[:, lowest]
        np.testing.assert_allclose(np.log(p[:, grade] / p[:, lowest]), wanted, atol=1e-12)


def test_some_measures_alone() -> None:
    """The problem of the second measure of two is that of a problem with this measure only."""
    values, of_topic = {AP(): 0.3, P(cutoff=10): 0.4}, {"relevant": (9, 6), "retrieved": (7, 5), "depth": 60}
    second = Face(Problem(values, **of_topic)).reduced.with_measures([1])  # type: ignore[arg-type]
    alone = Problem(P(cutoff=10), value=0.4, **of_topic)  # type: ignore[arg-type]
    same = Reduced.of(Problems.of([alone]), apart(alone.present), (0,), np.array([[alone.interval]]))
    assert second.constraining == (1,)
    for array, expected in (
        (second.intervals, same.intervals),
        (second.scale, same.scale),
        (second.middle, same.middle),
        (second.batch.value, same.batch.value),
        (second.batch.topics[0].a, same.batch.topics[0].a),
    ):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("count", ["retrieved", "at_most"])
def test_fitted_multipliers_are_those_of_the_solution(count: str) -> None:
    """What fits the solution's probabilities leads back to its multipliers, in the units of the values."""
    problem = Problem(AP(), value=0.3, relevant=(9, 6), retrieved=(7, 5), depth=60, count=count)  # type: ignore[arg-type]
    solution = solve(problem)
    reduced = Reduced.of(Problems.of([problem]), apart(problem.present), (0,), np.array([[problem.interval]]))
    assert solution.p is not None
    _, (numbers,) = reduced.expanded(solution.p[None], reduced.fitted(solution.p)[None])
    expected = [solution.multipliers.value, *solution.multipliers.counts]
    np.testing.assert_allclose(numbers, expected, rtol=1e-6, atol=1e-8)
