"""Which averages lists can have together, against a linear program over every list of tiny topics."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.optimize import linprog

from maxent import Averages
from maxent.lists import solve_averages
from maxent.types import FloatArray
from tests.lists.every_list import arrangements

DEPTH = 5
SETS = (
    ("P@2", "AP"), ("AP", "RR"), ("nDCG", "P@1"), ("ERR", "AP"), ("R@5", "AP"), ("P@2", "P@4"), ("AP(rel=2)", "AP"),
    ("GAP(g=.5,.5)", "nDCG@3"), ("Success@2", "RR"), ("AP", "P@3", "RR"), ("Rprec", "RR", "P@1"),
    ("RBP(p=.8)", "AP", "R@3"),
)  # fmt: skip
Topics = tuple[tuple[int, ...], ...]
TOPICS: tuple[Topics, ...] = (((2, 1), (1, 2)), ((1, 0), (0, 2), (1, 1)))
CLEAR = 1e-4  # a row that misses the averages of lists by more than this in all is impossible
EQUAL = 1e-8  # and by less than this, possible


class AllMixtures:
    """Averages of all mixtures of the lists of topics."""

    def __init__(self, relevant: Topics, names: Sequence[str]) -> None:
        self.averages = Averages(dict.fromkeys(names, 0.1), relevant, depth=DEPTH)
        self.values = []
        for numbers in relevant:
            retrieved = itertools.product(*(range(number + 1) for number in numbers))
            grades = [one for counts in retrieved for one in arrangements((DEPTH - sum(counts), *counts))]
            self.values.append(np.array([m.values(np.array(grades), numbers) for m in self.averages.measures]))
        self.ends = np.mean([(own.min(axis=1), own.max(axis=1)) for own in self.values], axis=0)

    def missed(self, row: FloatArray) -> float:
        """The smallest sum of deviations of a mixture's averages from a row."""
        sizes, m, T = [own.shape[1] for own in self.values], len(row), len(self.values)
        one = np.repeat(np.eye(T), sizes, axis=1)
        means = np.concatenate(self.values, axis=1) / T
        equal = np.block([[means, np.eye(m), -np.eye(m)], [one, np.zeros((T, 2 * m))]])
        cost = np.concatenate((np.zeros(sum(sizes)), np.ones(2 * m)))
        return float(linprog(cost, A_eq=equal, b_eq=[*row, *np.ones(T)], method="highs").fun)

    def rows(self, random: np.random.Generator, number: int) -> list[FloatArray]:
        """Every corner of the intervals, and rows whose averages are ends, those of lists, or anything between."""
        corners = [np.array(corner) for corner in itertools.product(*self.ends.T)]
        between = []
        for _ in range(number):
            lists = np.mean([own[:, random.integers(own.shape[1])] for own in self.values], axis=0)
            choices = np.stack((*self.ends, lists, random.uniform(*self.ends)))
            between.append(choices[random.integers(4, size=len(lists)), np.arange(len(lists))])
        return corners + between


@pytest.mark.slow
def test_a_row_is_infeasible_where_no_mixture_of_all_lists_has_it() -> None:
    statuses: dict[str, set[str]] = {"possible": set(), "impossible": set()}
    random = np.random.default_rng(0)
    for relevant, names in itertools.product(TOPICS, SETS):
        mixtures = AllMixtures(relevant, names)
        for row in mixtures.rows(random, 12):
            missed = mixtures.missed(row)
            if EQUAL < missed < CLEAR:
                continue
            system = solve_averages(Averages(dict(zip(names, row, strict=True)), relevant, depth=DEPTH))
            statuses["impossible" if missed >= CLEAR else "possible"].add(system.status)
            if missed <= EQUAL:
                np.testing.assert_allclose(system.expected(names), row, atol=1e-6)
    assert statuses["impossible"] == {"infeasible"}
    assert statuses["possible"] <= {"optimal", "boundary"}
