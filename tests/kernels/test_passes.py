"""The passes as machine code against the same functions as plain numpy."""

import numpy as np
import pytest

from maxent.kernels import Workspace
from maxent.kernels.passes import decisions, newton_system, state
from tests.kernels import plain

ORDER = (
    *(
        "softmax",
        "gradient_down",
        "gradient_up",
        "residuals",
        "evidence",
        "forward",
        "negative_eigenvalues",
        "border",
    ),
    *("backward", "fastest_growth", "step_length", "move", "implied", "decide", "randomness", "release", "begin"),
    *("forward_linear", "backward_linear"),
)
"""Every pass after what it needs."""
KERNELS = {kernel.name: kernel for kernel in (*state.PASSES, *newton_system.PASSES, *decisions.PASSES)}
CASES = (
    [(c, m, 1) for c in range(1, 7) for m in (0, 1, 2, 3)]
    + [(c, 1 + c % 3, 8) for c in range(1, 7)]
    + [(2, 0, 8), (10, 1, 1)]
)
MANY = 3  # grades whose machine code takes long to compile


def test_every_pass_is_compared() -> None:
    assert set(ORDER) == set(KERNELS)


@pytest.mark.parametrize(
    ("c", "m", "lanes"),
    [pytest.param(*case, marks=pytest.mark.slow if case[0] >= MANY else ()) for case in CASES],
)
def test_machine_code_is_the_equation(c: int, m: int, lanes: int) -> None:
    """For every number of grades and measures: side by side, and alone, where rows of matrices are vectors."""
    work = plain.random_problems(7, c, m, lanes)
    lanes_apart = [plain.of_lane(work, lane) for lane in range(lanes)]
    for name in ORDER:
        work.run(name)
        for lane, fields in enumerate(lanes_apart):
            plain.run(KERNELS[name], fields, c, m)
            for field, values in fields.items():
                np.testing.assert_allclose(work[field][..., lane], values, rtol=1e-8, atol=1e-10, err_msg=name)


def test_numbers_stay_normal() -> None:
    """Processors take a hundred times as long for products too small to have all their digits."""
    work = plain.random_problems(9, 3, 1, 1)
    work["theta"][::2] = -1e4
    work["theta"][1::3, :2] = -400
    work.run("softmax", "gradient_down", "residuals", "forward")
    variances = work["p"][:, :, None] * work["p"][:, None] * work["d"][:, None]
    for numbers in (variances, *(work[name] for name in ("p", "eliminated", "Y", "X", "U", "G"))):
        size = np.abs(numbers[numbers != 0])
        assert size.min() > np.finfo(float).tiny
    assert work["p"].min() > 0


def test_no_digits_are_lost_next_to_certainty() -> None:
    """One rank that is relevant but for 3e-13: its variance to the last digits."""
    work = Workspace(1, 2)
    work["eliminated"][0], work["p"][0, :, 0] = 1e-13, (1 - 3e-13, 2e-13)
    work["size"][:], work["d"][:] = 1.0, 1.0
    work.run("forward")
    p, q = 1 - 3e-13, 2e-13
    expected = [[p * 3e-13, -p * q], [-p * q, q * (1 - q)]]
    np.testing.assert_allclose(work["G"][1:, 1:3, 0], expected, rtol=1e-14)


def test_entropy_next_to_certainty() -> None:
    """Logits so large that the probabilities of the other grades are no longer what the logits say."""
    work = Workspace(2, 2)
    work["theta"][:, :, 0] = (5e3, 1.0), (-5e3, -4e3)
    work.run("softmax", "randomness")
    np.testing.assert_allclose(work["entropy"], 0, atol=1e-100)
    np.testing.assert_allclose(work["missed"], -5e3)


def test_entropy_of_a_long_list() -> None:
    """The product of the largest probabilities is far below the smallest number."""
    work = Workspace(3000, 2)
    work.run("softmax", "randomness")
    np.testing.assert_allclose((work["entropy"], -work["missed"]), 3000 * np.log(3))
