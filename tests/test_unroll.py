"""Compiled kernels: the unrolled code is the code as written."""

import numpy as np
import pytest

from maxent import kernels, unroll
from maxent.solvers.compiled import NEWTON


@pytest.mark.parametrize("c", [1, 2, 3, 4, 5])
def test_unrolled_kernels_equal_their_sources(c: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Straight-line code against the plain Python functions with ``c`` filled in."""
    monkeypatch.setattr(kernels, "c", c)
    fast = unroll.compile_for(c, NEWTON)
    depth = 12
    rng = np.random.default_rng(c)
    theta, a, K, d = rng.normal(size=(depth, c)), rng.random((depth, c)), rng.random((c, c)), 1 / np.arange(1.0, 13)
    residual, delta = rng.normal(size=(depth, c)), rng.normal(size=c + 1)

    def run(functions: object) -> list[np.ndarray]:
        call = functions.__getattribute__
        p, w, x, curved = (np.empty((depth, c)) for _ in range(4))
        reference, Y, Di, U = np.empty(depth), np.empty((depth, c, c + 2)), *np.empty((2, depth, c, c))
        G = np.empty((c + 1, c + 2))
        call("softmax")(theta, p, reference)
        value = call("value_and_gradient")(a, d, K, p, w)
        call("forward")(d, K, 3.0, p, w, residual, Y, Di, U, G)
        call("backward")(d, K, Y, Di, U, delta, x, curved)
        negative = call("negative_eigenvalues")(d, K, 3.0, p, U)
        return [p, reference, np.array(value), w, Y, Di, U, G, x, curved, np.array(negative)]

    for ours, plain in zip(run(fast), run(kernels), strict=True):
        np.testing.assert_allclose(ours, plain, atol=1e-12)


def test_the_newton_system_is_solved() -> None:
    """Forward and backward pass against dense linear algebra, for a kernel without symmetry."""
    c, depth, lam = 3, 7, 2.5
    rng = np.random.default_rng(0)
    K, d = rng.random((c, c)), rng.random(depth)
    p = rng.dirichlet(np.ones(c + 1), depth)[:, 1:].copy()
    w, r, delta = rng.random((depth, c)), rng.random((depth, c)), rng.normal(size=c + 1)
    dense = np.zeros((depth, c, depth, c))
    for n in range(depth):
        dense[n, :, n] = np.diag(1 / p[n]) + 1 / (1 - p[n].sum())
        for m in range(n):
            dense[n, :, m] -= lam * d[n] * K
            dense[m, :, n] -= lam * d[n] * K.T
    matrix = dense.reshape(depth * c, depth * c)
    border = np.column_stack((w.ravel(), np.tile(np.eye(c), (depth, 1))))
    k = unroll.compile_for(c, NEWTON)
    Y, Di, U, G = np.empty((depth, c, c + 2)), *np.empty((2, depth, c, c)), np.empty((c + 1, c + 2))
    k.forward(d, K, lam, p, w, r, Y, Di, U, G)
    schur = border.T @ np.linalg.solve(matrix, np.column_stack((border, r.ravel())))
    np.testing.assert_allclose(G, schur, rtol=1e-9)
    x, curved = np.empty((2, depth, c))
    k.backward(d, K, Y, Di, U, delta, x, curved)
    np.testing.assert_allclose(x.ravel(), np.linalg.solve(matrix, r.ravel() + border @ delta), rtol=1e-9)
    assert k.negative_eigenvalues(d, K, lam, p, U) == (np.linalg.eigvalsh(matrix) < 0).sum()


def test_compiled_once_per_number_of_grades() -> None:
    assert unroll.compile_for(2, NEWTON) is unroll.compile_for(2, NEWTON)
