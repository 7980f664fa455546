"""The recursions over the ranks against dense linear algebra."""

import numpy as np
import pytest

from maxent.kernels import Workspace, strict_maxima
from tests.kernels import plain


def dense(work: Workspace, lane: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D - A, D and the border B of one lane's problem, from the definition."""
    field = {name: work[name][..., lane] for name in ("p", "eliminated", "d", "K", "multipliers", "w", "size")}
    depth, c = field["p"].shape
    m = field["d"].shape[1]
    system, hessian = np.zeros((2, depth, c, depth, c))
    for n in range(depth):
        hessian[n, :, n] = (np.diag(1 / field["p"][n]) + 1 / field["eliminated"][n]) / field["size"][n]
        C = np.tensordot(field["multipliers"][:m] * field["d"][n], field["K"], 1)
        for before in range(n):
            system[n, :, before] -= C
            system[before, :, n] -= C.T
    border = np.column_stack((field["w"].transpose(0, 2, 1).reshape(-1, m), np.tile(np.eye(c), (depth, 1))))
    flat = depth * c
    return (system + hessian).reshape(flat, flat), hessian.reshape(flat, flat), border


@pytest.mark.parametrize("c", [1, 2, 3, 5])
@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("lanes", [1, 8])
def test_the_newton_system_is_solved(c: int, m: int, lanes: int) -> None:
    """For any number of measures: the Schur complement, the step in the logits, and the inertia."""
    work = plain.random_problems(7, c, m, lanes)
    work["multipliers"][...] *= 8  # some systems are indefinite
    work.run("softmax", "gradient_down", "gradient_up", "forward")
    G, change = work["G"].copy(), work["change"].copy()
    work.run("backward", "negative_eigenvalues")
    for lane in range(lanes):
        matrix, hessian, border = dense(work, lane)
        r = work["r"][..., lane].ravel()
        schur = border.T @ np.linalg.solve(matrix, np.column_stack((border, r)))
        np.testing.assert_allclose(G[..., lane], schur, rtol=1e-7, atol=1e-9 * np.abs(schur).max())
        step = np.linalg.solve(matrix, r + border @ change[:, lane])
        logits = hessian @ step
        scale = np.abs(logits).max()
        np.testing.assert_allclose(work["step"][..., lane].ravel(), logits, atol=1e-8 * scale)
        assert work["negative"][lane] == (np.linalg.eigvalsh(matrix) < 0).sum()


@pytest.mark.parametrize("m", [1, 2])
def test_a_newton_step_solves_the_bordered_system(m: int) -> None:
    """Border and backward pass together: stationarity and all constraints, linearised."""
    c, lanes = 3, 8
    work = plain.random_problems(9, c, m, lanes)
    work["active"][...] = 1
    work.run("softmax", "gradient_down", "gradient_up", "forward", "border", "backward")
    for lane in range(lanes):
        matrix, hessian, border = dense(work, lane)
        bordered = np.block([[matrix, -border], [border.T, np.zeros((m + c, m + c))]])
        right = np.concatenate((work["r"][..., lane].ravel(), work["h"][:, lane]))
        found = np.linalg.solve(bordered, right)
        np.testing.assert_allclose(work["change"][:, lane], found[-(m + c) :], rtol=1e-6, atol=1e-9)
        logits = hessian @ found[: -(m + c)]
        np.testing.assert_allclose(work["step"][..., lane].ravel(), logits, rtol=1e-6, atol=1e-7)


def test_without_pairwise_parts_the_short_way_is_the_same() -> None:
    work = plain.random_problems(6, 3, 2, 8)
    work["K"][...] = 0.0
    work.run("softmax", "gradient_down", "residuals", "forward")
    G = work["G"].copy()
    work.run("backward")
    step = work["step"].copy()
    work.run("forward_linear", "backward_linear")
    np.testing.assert_allclose(work["G"], G, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(work["step"], step, rtol=1e-10, atol=1e-12)


def test_strict_maxima_are_those_of_the_reduced_hessian() -> None:
    """Against its largest eigenvalue on the null space of the active constraints; both verdicts occur."""
    verdicts = set()
    for lane in range(8):
        work = plain.random_problems(6, 2, 1, 8)
        work["multipliers"][...] *= 40 * (lane + 1)
        work.run("softmax", "gradient_down", "gradient_up", "forward", "negative_eigenvalues")
        G, active = np.moveaxis(work["G"][:, :-1], -1, 0), work["active"].T
        found = strict_maxima(G, active, work["negative"])
        matrix, _, border = dense(work, lane)
        _, singular, rows = np.linalg.svd(border[:, active[lane] > 0].T)
        null = rows[int((singular > 1e-10).sum()) :]
        strict = bool(np.linalg.eigvalsh(null @ matrix @ null.T).min() > 0)
        assert found[lane] == strict
        verdicts.add(strict)
    assert verdicts == {True, False}
