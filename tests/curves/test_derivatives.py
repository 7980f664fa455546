"""Derivatives of solutions, curves and errors against central differences of solved problems."""

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import maxent as me
from maxent.curves import ALIGNS
from maxent.problem import COUNTS, Count
from maxent.types import FloatArray, GradeCounts
from tests.golden.messages import refused

STEP = 1e-5


def a_list(levels: int, *, depth: int = 40, seed: int = 0) -> tuple[np.ndarray, tuple[int, ...]]:
    """Grades of a list with every grade, and R_i: it misses one document of each grade."""
    rng = np.random.default_rng(seed)
    grades = np.concatenate((np.arange(levels + 1), rng.choice(levels + 1, size=depth - levels - 1)))
    grades[rng.random(depth) < 0.4] = 0
    grades = rng.permutation(grades)
    grades[: levels + 1] = np.arange(levels + 1)
    return grades, tuple(np.bincount(grades, minlength=levels + 1)[1:] + 1)


def solved(problem: me.Problem) -> me.problem.Solution:
    solution = me.solve(problem)
    assert solution.status == "optimal", solution.message
    return solution


def along_g(
    g: tuple[float, ...], grades: np.ndarray, relevant: tuple[int, ...], count: Count, *, follow: bool
) -> Callable[[float, int], me.problem.Solution]:
    """Solutions with g_k changed; off the simplex GAP depends on the proportions of g alone, so these are taken."""
    value = float(me.GAP(g=g).evaluate(grades, relevant))

    def at(step: float, k: int) -> me.problem.Solution:
        moved = np.array(g)
        moved[k] += step
        measure = me.GAP(g=tuple(moved / moved.sum()))
        problem = me.Problem.of_list(measure, grades, relevant, count=count)
        return solved(problem if follow else dataclasses.replace(problem, value=value))

    return at


def along_value(problem: me.Problem) -> Callable[[float, int], me.problem.Solution]:
    return lambda step, _: solved(dataclasses.replace(problem, value=problem.value + step))


def check(
    found: me.curves.Sensitivity,
    at: Callable[[float, int], me.problem.Solution],
    grades: np.ndarray,
    *,
    step: float = STEP,
) -> None:
    """Every derivative by every parameter."""
    relevant = found.solution.problem.relevant
    present = np.isfinite(found.solution.multipliers.counts)
    for k in range(len(found.p)):
        up, down = (everything(at(s, k), grades, relevant, present) for s in (step, -step))
        curves = [found.curve(threshold=t) for t in range(1, len(relevant) + 1)]
        errors = [
            found.error(me.actual_curve(grades, relevant, threshold=t), threshold=t, align=align)
            for t in range(1, len(relevant) + 1)
            for align in ALIGNS
        ]
        ours = {
            "p": found.p[k],
            "entropy": found.entropy[k],
            "value": found.multipliers[k, 0],
            "counts": found.multipliers[k, 1:][present],
            "recall": np.array([c.recall[k] for c in curves]),
            "precision": np.array([c.precision[k] for c in curves]),
            "rms": np.array([e.rms[k] for e in errors]),
            "mae": np.array([e.mae[k] for e in errors]),
        }
        assert (found.multipliers[k, 1:][~present] == 0).all()
        for name, derivative in ours.items():
            close(derivative, (up[name] - down[name]) / (2 * step), name)


def everything(
    solution: me.problem.Solution, grades: np.ndarray, relevant: tuple[float, ...], present: np.ndarray
) -> dict[str, FloatArray]:
    """All that a sensitivity has derivatives of."""
    curves = [me.inferred_curve(solution, threshold=t) for t in range(1, len(relevant) + 1)]
    errors = [
        me.curve_error(me.actual_curve(grades, relevant, threshold=t), curve, align=align)
        for t, curve in enumerate(curves, start=1)
        for align in ALIGNS
    ]
    return {
        "p": solution.p,
        "entropy": np.array(solution.entropy),
        "value": np.array(solution.multipliers.value),
        "counts": np.array(solution.multipliers.counts)[present],
        "recall": np.array([c.recall for c in curves]),
        "precision": np.array([c.precision for c in curves]),
        "rms": np.array([e.rms for e in errors]),
        "mae": np.array([e.mae for e in errors]),
    }


def close(found: FloatArray, expected: FloatArray, name: str = "p") -> None:
    largest = float(np.abs(expected).max()) if expected.size else 1.0
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-5 * max(1.0, largest), err_msg=name)


@pytest.mark.parametrize(
    ("levels", "count", "follow"), [*itertools.product((1, 2, 3), COUNTS, (True, False)), (5, "retrieved", True)]
)
def test_by_g(levels: int, count: Count, follow: bool) -> None:
    grades, relevant = a_list(levels, seed=levels)
    g = tuple(np.arange(1.0, levels + 1) / (levels * (levels + 1) / 2))
    at = along_g(g, grades, relevant, count, follow=follow)
    found = me.curves.sensitivity(at(0.0, 0), by="g", grades=grades if follow else None)
    assert found.p.shape == (levels, len(grades), levels + 1)
    check(found, at, grades)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("measure", ["AP", "GAP(g=.3,.7)", "nDCG(gain=exp2)", "P@10", "RBP"])
def test_by_value(measure: str, count: Count) -> None:
    grades, relevant = a_list(2)
    problem = me.Problem.of_list(me.parse_measure(measure), grades, relevant, count=count)
    # not the list's own value: with it, P@10 infers the list's own recall at rank 10, where the error has a kink
    problem = dataclasses.replace(problem, value=1.03 * problem.value)
    found = me.curves.sensitivity(solved(problem))
    assert found.p.shape == (1, len(grades), 3)
    assert found.entropy[0] == pytest.approx(-found.solution.multipliers.value, rel=1e-8)
    check(found, along_value(problem), grades, step=1e-6)


@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from(COUNTS))
def test_identities(seed: int, levels: int, count: Count) -> None:
    """Constraints stay satisfied, scaling g changes nothing, and the entropy's slope is the envelope theorem's."""
    grades, relevant = a_list(levels, seed=seed)
    g = tuple(np.random.default_rng(seed).dirichlet(np.ones(levels)))
    solution = me.solve(me.Problem.of_list(me.GAP(g=g), grades, relevant, count=count))
    assume(solution.status == "optimal")
    found = me.curves.sensitivity(solution, by="g", grades=grades)
    scale = np.abs(found.p).max() + 1
    np.testing.assert_allclose(found.p.sum(axis=2), 0, atol=1e-10 * scale)
    np.testing.assert_allclose(np.tensordot(g, found.p, 1), 0, atol=1e-8 * scale)
    if count != "at_most":
        np.testing.assert_allclose(found.p.sum(axis=1), 0, atol=1e-8 * scale)
    forms = me.GAP(g=g).partial_forms(relevant, len(grades))
    slack = [f.evaluate(grades) - f.expected(solution.p) for f in forms]
    np.testing.assert_allclose(
        found.entropy, -solution.multipliers.value * np.array(slack), rtol=1e-5, atol=1e-6 * scale
    )


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_partial_forms_shift_weight_between_average_precisions(seed: int, levels: int) -> None:
    """GAP = sum_k g_k R_>=k AP(k) / sum_k g_k R_>=k, hence dGAP/dg_k = R_>=k (AP(k) - GAP) / sum_i R_i G_i."""
    grades, relevant = a_list(levels, seed=seed)
    g = tuple(np.random.default_rng(seed).dirichlet(np.ones(levels)))
    base = np.cumsum(relevant[::-1])[::-1]
    own = me.GAP(g=g).evaluate(grades, relevant)
    for k, form in enumerate(me.GAP(g=g).partial_forms(relevant, len(grades))):
        expected = base[k] * (me.AP(rel=k + 1).evaluate(grades, relevant) - own) / (base @ g)
        assert form.evaluate(grades) == pytest.approx(expected, abs=1e-12)


def test_grades_absent_from_the_topic() -> None:
    grades = np.array([1, 0, 3, 0, 1, 0, 0, 3, 0, 1, 0, 0])
    relevant = (4, 0, 3)
    at = along_g((0.2, 0.3, 0.5), grades, relevant, "retrieved", follow=True)
    found = me.curves.sensitivity(at(0.0, 0), by="g", grades=grades)
    assert (found.p[:, :, 2] == 0).all()
    check(found, at, grades)


def test_grades_absent_from_the_list() -> None:
    grades = np.array([1, 0, 3, 0, 1, 0, 0, 3, 0, 1, 0, 0])
    counts: tuple[Count, ...] = ("retrieved", "at_most")
    for count in counts:
        at = along_g((0.2, 0.3, 0.5), grades, (4, 2, 3), count, follow=True)
        found = me.curves.sensitivity(at(0.0, 0), by="g", grades=grades)
        assert (found.p[:, :, 2] == 0).all() == (count == "retrieved")
        change = (at(STEP, 1).p - at(-STEP, 1).p) / (2 * STEP)
        close(found.p[1], change)


@pytest.mark.parametrize("grades", [[1, 2, 2, 1, 1, 2], [1, 3, 2, 2, 1, 3, 1]])
def test_every_rank_relevant(grades: list[int]) -> None:
    """The lowest grade takes the place of grade 0."""
    array, levels = np.array(grades), max(grades)
    relevant = tuple(np.bincount(array)[1:])
    g = tuple(np.arange(1.0, levels + 1) / (levels * (levels + 1) / 2))
    at = along_g(g, array, relevant, "retrieved", follow=True)
    found = me.curves.sensitivity(at(0.0, 0), by="g", grades=array)
    assert (found.p[:, :, 0] == 0).all()
    assert (found.multipliers[:, 1] == 0).all()
    check(found, at, array)


@pytest.mark.parametrize("g", [(0.0, 1.0), (1.0, 0.0), (0.0, 0.5, 0.5)])
def test_at_the_border_of_the_simplex_the_derivative_is_one_sided(g: tuple[float, ...]) -> None:
    grades, relevant = a_list(len(g), seed=4)
    at = along_g(g, grades, relevant, "retrieved", follow=True)
    found = me.curves.sensitivity(at(0.0, 0), by="g", grades=grades)
    k = g.index(0.0)
    forward = (4 * at(STEP, k).p - at(2 * STEP, k).p - 3 * at(0.0, k).p) / (2 * STEP)
    close(found.p[k], forward)


def test_no_points_no_error() -> None:
    grades = np.array([0, 1, 0, 0, 1])
    solution = solved(me.Problem.of_list(me.AP(), grades, (2, 1)))
    error = me.curves.sensitivity(solution).error(me.actual_curve(grades, (2, 1), threshold=2), threshold=2)
    assert np.isnan([error.rms, error.mae]).all()


def test_one_rank_has_nothing_to_interpolate() -> None:
    problem = me.Problem(me.AP(), value=0.3, relevant=(1,), depth=1, count="at_most")
    found = me.curves.sensitivity(solved(problem))
    assert found.error(me.actual_curve([1], (1,))).rms == pytest.approx(-1.0)


def test_what_has_no_sensitivity_says_why() -> None:
    grades, relevant = a_list(2)
    gap = me.Problem.of_list(me.GAP(g=(0.5, 0.5)), grades, relevant)
    solution = solved(gap)
    best = me.solve(dataclasses.replace(gap, value=gap.ends[1].value))
    beyond = me.solve(dataclasses.replace(gap, value=2.0))
    ap = solved(me.Problem.of_list(me.AP(), grades, relevant))
    by_g: dict[str, object] = {"by": "g", "grades": grades}
    cases: tuple[tuple[me.problem.Solution, dict[str, object]], ...] = (
        (best, {}),
        (beyond, {}),
        (ap, by_g),
        (solution, {"by": "lambda"}),
        (solution, {"grades": grades}),
        (solution, {**by_g, "grades": grades[:-1]}),
        (solution, {**by_g, "grades": grades[::-1]}),
    )
    for given_, options in cases:
        with refused(me.errors.ProblemError):
            me.curves.sensitivity(given_, **options)  # type: ignore[arg-type]
    with refused(me.errors.ProblemError):
        me.curves.sensitivity(ap).error(me.actual_curve(grades, relevant), align="precision")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["AP & P@10", "nDCG & P@5 & AP(rel=2)"])
@pytest.mark.parametrize("count", ["retrieved", "at_most"])
def test_by_the_values_of_several_measures(text: str, count: Count) -> None:
    grades = [1, 0, 2, 0, 0, 1, 0, 2, 1, 0, *[0] * 10, *[2, 0, 1] * 2, 1, *[0] * 13]
    problem = me.Problem.of_list(me.parse_measure(text), grades, (9, 6), count=count)
    found = me.curves.sensitivity(solved(problem))
    m = len(problem.values)
    assert found.p.shape == (m, 40, 3)
    assert found.multipliers.shape == (m, m + 2)
    np.testing.assert_allclose(found.entropy, -np.array(found.solution.multipliers.values), rtol=1e-7)
    np.testing.assert_allclose(found.multipliers[:, :m], found.multipliers[:, :m].T, rtol=1e-6)
    for j, step in enumerate(1e-6 * np.eye(m)):
        up, down = (solved(dataclasses.replace(problem, value=problem.values + s)) for s in (step, -step))
        np.testing.assert_allclose(found.p[j], (up.p - down.p) / 2e-6, rtol=1e-4, atol=1e-4)
    with refused(me.errors.ProblemError):
        me.curves.sensitivity(found.solution, by="g")


def test_values_that_follow_from_each_other_have_no_derivative() -> None:
    grades = [2, 0, 1, 0, 1, 0, 0, 2, 0, 0]
    problem = me.Problem.of_list(me.parse_measure("AP & GAP(g=1,0)"), grades, (3, 2))
    with refused(me.errors.ProblemError):
        me.curves.sensitivity(solved(problem))


def test_values_that_follow_from_bounds_that_are_reached_have_none_either() -> None:
    """All documents of grade 1 are in the list: the two values differ by the number of the others."""
    grades = [1, 0, 2, 0, 1, 0, 0, 2, 1, *[0] * 51]
    problem = me.Problem.of_list(me.parse_measure("CG@60 & P@60"), grades, (3, 5), count="at_most")
    with refused(me.errors.ProblemError):
        me.curves.sensitivity(solved(problem))


@pytest.mark.parametrize("joint", ["AP & R@60", "AP & R@1000", "nDCG & R@60"])
@pytest.mark.parametrize("relevant", [(5,), (3, 2)])
def test_a_recall_of_all_documents_is_at_an_end_and_has_none(joint: str, relevant: GradeCounts) -> None:
    grades = [1, 0, len(relevant), 0, 1, 0, 0, len(relevant), 1, *[0] * 51]
    problem = me.Problem.of_list(me.parse_measure(joint), grades, relevant, count="at_most")
    solution = me.solve(problem)
    assert solution.certificate.accepted
    with refused(me.errors.ProblemError):
        me.curves.sensitivity(solution)
