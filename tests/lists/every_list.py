"""All lists with the counts of a problem, one by one: what the recursion must give."""

import itertools
from typing import Any

import numpy as np

from maxent.problem import Problem
from maxent.types import FloatArray


class EveryList:
    """The distribution over lists with given multipliers, by enumeration."""

    def __init__(self, problem: Problem, odds: FloatArray) -> None:
        counts, levels, self.depth = problem.counts, problem.levels, problem.depth
        lists: list[tuple[int, ...]] = []
        numbers = itertools.product(*(range(min(int(count), self.depth) + 1) for count in counts))
        for own in numbers if problem.count == "at_most" else [tuple(counts)]:
            if sum(own) <= self.depth:
                lists += arrangements(tuple(int(k) for k in (self.depth - sum(own), *own)))
        self.grades = np.array(lists)
        self.values = np.array([part.values(self.grades, problem.relevant) for part in problem.measure.parts])
        weighed = np.concatenate((np.zeros((self.depth, 1)), odds), axis=1)
        self.log_odds = weighed[np.arange(self.depth), self.grades].sum(axis=1)
        self.levels = levels

    def weigh(self, multipliers: Any, on: Any = slice(None)) -> None:
        """Probabilities of the lists, or of some of them."""
        logs = np.full(len(self.grades), -np.inf)
        logs[on] = (self.log_odds + np.asarray(multipliers) @ self.values)[on]
        self.log_z = float(np.logaddexp.reduce(logs))
        self.log_p = logs - self.log_z
        self.weights = np.exp(self.log_p)

    @property
    def p(self) -> FloatArray:
        """Marginals (depth, levels + 1)."""
        at = self.grades[:, :, None] == np.arange(self.levels + 1)
        return np.asarray(np.einsum("k,kni->ni", self.weights, at))

    def ranks(self, threshold: int, documents: int) -> FloatArray:
        """Probability that the k-th relevant document is at rank n, (documents, depth)."""
        hits = self.grades >= threshold
        number = np.cumsum(hits, axis=1)
        return np.array([((number == k) & hits).T.astype(float) @ self.weights for k in range(1, documents + 1)])


def arrangements(numbers: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All sequences with these numbers of each grade."""
    if not sum(numbers):
        return [()]
    found = []
    for grade, number in enumerate(numbers):
        if number:
            left = (*numbers[:grade], number - 1, *numbers[grade + 1 :])
            found += [(grade, *rest) for rest in arrangements(left)]
    return found
