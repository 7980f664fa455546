"""Translated loops against loops in plain Python that name what they do."""

import numpy as np
import pytest

from maxent.kernels import Filler, Workspace
from maxent.kernels.passes import TRUST, decisions, newton_system, state
from tests.kernels import plain

KERNELS = {kernel.name: kernel for kernel in (*state.PASSES, *newton_system.PASSES, *decisions.PASSES)}


def newton_method(fields: plain.Fields, c: int, m: int, *, quadratic: bool) -> None:
    """Newton's iteration for one problem."""

    def run(*names: str) -> None:
        for name in names:
            plain.run(KERNELS[name], fields, c, m)

    kind = "" if quadratic else "_linear"
    run("begin")
    while True:
        run("softmax", "gradient_down", "residuals", "decide")
        if not fields["running"] > 0:
            return
        if fields["fresh"] > 0:
            run(f"forward{kind}", "border", f"backward{kind}", "fastest_growth")
            if fields["growth"] > TRUST:
                run("step_length")
        run("move")


@pytest.mark.parametrize("quadratic", [True, False])
@pytest.mark.parametrize("c", [1, 3])
def test_newton_method(c: int, quadratic: bool) -> None:
    """Lanes decide by themselves, so that each goes the way that it goes alone."""
    depth, lanes, rng = 12, 8, np.random.default_rng(c)
    work = Workspace(depth, c, 1, lanes)
    work["size"][:] = work["scaling"][:] = 1
    work["a"][:] = (rng.random((depth, 1)) * np.arange(1, c + 1))[:, None, :, None]
    if quadratic:
        work["d"][:], work["K"][:] = 1 / depth, rng.random((1, c, c, 1))
    work["theta"][:] = rng.normal(size=(depth, c, lanes)) - 1
    work.run("softmax", "gradient_down")
    work["value"][:], work["counts"][:] = work["expected"], work["p"].sum(axis=0)
    work["theta"][:] = np.log(work["counts"] / (depth - work["counts"].sum(axis=0)))
    work["multipliers"][1:] = work["theta"][0]
    work["used"][:] = 1
    work["most"][:], work["tolerance"][:], work["quadratic"][:] = 40, 1e-10, quadratic
    alone = [plain.of_lane(work, lane) for lane in range(lanes)]
    work.newton_method(most=40, tolerance=1e-10, quadratic=quadratic)
    assert work["converged"].all()
    for lane, fields in enumerate(alone):
        newton_method(fields, c, 1, quadratic=quadratic)
        assert fields["iterations"] == work["iterations"][lane]
        np.testing.assert_allclose(work["p"][..., lane], fields["p"], atol=1e-8)
        np.testing.assert_allclose(work["multipliers"][:, lane], fields["multipliers"], rtol=1e-6, atol=1e-8)


def filled(rank_class: np.ndarray, first: np.ndarray, grade_class: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """The sorted list with these documents, (depth, grades): overlaps of places in the order of the list."""
    whole = np.bincount(grade_class, mass, minlength=len(mass))
    edges = np.concatenate(([0.0], np.cumsum(whole)))
    p = np.zeros((len(rank_class), len(mass)))
    for n, own in enumerate(rank_class):
        low, high = first[own], first[own + 1]
        for grade, kind in enumerate(grade_class):
            overlap = max(0.0, min(high, edges[kind + 1]) - max(low, edges[kind]))
            p[n, grade] = overlap / (high - low) * mass[grade] / whole[kind] if overlap > 0 else 0.0
    return p


@pytest.mark.parametrize("pairwise", [True, False])
def test_sorted_lists(pairwise: bool) -> None:
    rng, depth, grades = np.random.default_rng(0), 9, 4
    rank_class, first = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4]), np.array([0.0, 2, 3, 6, 7, 9])
    weights = rng.random(depth)
    for ends in (np.array([[0, 1, 2, 3], [1, 0, 1, 2]]), np.array([[2, 1, 0, 0], [0, 1, 2, 3]])):
        masses = rng.dirichlet(np.ones(grades), (2, 20)) * depth
        masses[:, ::2] = rng.multinomial(depth, [0.25] * 4, (2, 10))
        fill = Filler(depth, pairwise, rank_class, first, ends, weights)
        sums = fill.sums(masses)
        for k in range(20):
            p = fill.lists(masses[:, k : k + 1])
            for above, own in enumerate(ends):
                wanted = filled(rank_class, first, own, masses[above, k])
                np.testing.assert_allclose(p[above], wanted, atol=1e-12)
                before = (np.cumsum(wanted, axis=0) - wanted) * pairwise
                expected = np.diag(weights @ wanted) + (weights[:, None] * wanted).T @ before
                np.testing.assert_allclose(sums[above, k, 1:, 1:], expected[1:, 1:], rtol=1e-12)
