"""What the passes compute with, on numbers; on registers it is compared with that in ``test_passes``."""

import numpy as np
import pytest

from maxent.kernels import Workspace
from maxent.kernels.compiler import algebra


def test_the_exponential_to_the_last_places() -> None:
    x = -np.random.default_rng(0).gamma(0.5, 100, size=2000)
    x[:3] = 0, -299, -1e-300
    ours = [algebra.exp(float(t)) for t in x]
    np.testing.assert_allclose(ours, np.exp(np.maximum(x, -300)), rtol=5e-16)
    work = Workspace(len(x), 1)
    work["theta"][:, 0, 0] = x
    work.run("softmax")
    np.testing.assert_allclose(work["p"][:, 0, 0] / work["eliminated"][:, 0], ours, rtol=1e-15)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_the_inverse(size: int) -> None:
    M = np.eye(size) + 0.2 * np.random.default_rng(size).random((size, size))
    before = M.copy()
    np.testing.assert_allclose(algebra.inverse(M) @ M, np.eye(size), atol=1e-14)
    np.testing.assert_array_equal(M, before)
