"""Corrected p-values against the rules of the procedures, step by step."""

from collections.abc import Callable

import numpy as np
import pytest

from maxent.stats import CORRECTIONS, corrected


def holm(p: list[float], alpha: float) -> list[bool]:
    """From the smallest p-value on, as long as it is at most alpha divided by the hypotheses that are left."""
    kept = list(range(len(p)))
    while kept and p[first := min(kept, key=lambda k: p[k])] <= alpha / len(kept):
        kept.remove(first)
    return [k not in kept for k in range(len(p))]


def step_up(p: list[float], alpha: float) -> list[bool]:
    """All p-values up to the last one, in ascending order, that is at most its share of alpha."""
    shares = [alpha * k / len(p) for k in range(1, len(p) + 1)]
    reached = [x for x, share in zip(sorted(p), shares, strict=True) if x <= share]
    return [x <= max(reached, default=-1.0) for x in p]


RULES: dict[str, Callable[[list[float], float], list[bool]]] = {
    "holm": holm,
    "bonferroni": lambda p, alpha: [x <= alpha / len(p) for x in p],
    "fdr_bh": step_up,
    "fdr_by": lambda p, alpha: step_up(p, alpha / sum(1 / k for k in range(1, len(p) + 1))),
}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_corrected_p_values_are_the_smallest_levels_that_reject(correction: str) -> None:
    rng = np.random.default_rng(0)
    for p in [[1.0, 0.0, 1.0], [0.02], [0.01, 0.01, 0.5], *(rng.beta(0.3, 2, 8).tolist() for _ in range(20))]:
        found = corrected(p, correction)
        for alpha in {*found[found < 1].tolist(), 0.05}:
            assert (found <= alpha * (1 + 1e-9)).tolist() == RULES[correction](p, alpha * (1 + 1e-9))
            assert (found <= alpha * (1 - 1e-9)).tolist() == RULES[correction](p, alpha * (1 - 1e-9))
    assert corrected([0.3, 0.2], None).tolist() == [0.3, 0.2]
