"""Random lists of a distribution: values of measures there, and the bands of predictions."""

import numpy as np

from maxent.measures.cascade import Expectation, evaluate_all
from maxent.problem import Solution
from maxent.types import FloatArray

DRAWN = 199  # lists of each distribution
DRAWN_PLACES = DRAWN + 1  # each as likely for a list like them: a band of 90 % leaves out 10 on a side
SAME_VALUE = 1e-9  # values this close are equal
NARROWER = 1e-9  # share of a place by which rounding may shift an end


def drawn_values(solution: Solution, forms: list[Expectation], *names: str) -> FloatArray:
    """Values of measures for random lists, (measures, DRAWN), sorted; the same whatever is solved beside them."""
    seed = list("\0".join(names).encode("utf-8", "surrogateescape"))
    lists = solution.sample(DRAWN, rng=np.random.default_rng(seed))
    values = evaluate_all(forms, lists, solution.problem.levels)
    return np.sort(np.array(values).reshape(len(forms), DRAWN))


def drawn_band(values: FloatArray, band: float) -> FloatArray:
    """Ends of the central ``band`` of sorted values (measures, DRAWN), (2, measures)."""
    left = max(1, int((1 - band) / 2 * DRAWN_PLACES + NARROWER))
    return np.stack((values[:, left - 1], values[:, -left]))


def drawn_place(values: FloatArray, observed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Ends (measures,) of the probability integral transforms of observed values among sorted ones; ties share."""
    below = (values < observed[:, None] - SAME_VALUE).sum(axis=1)
    upto = (values <= observed[:, None] + SAME_VALUE).sum(axis=1)
    return below / DRAWN_PLACES, (upto + 1) / DRAWN_PLACES
