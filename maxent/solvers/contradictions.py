"""Values that exclude each other: the proof, and a smallest set of them.

Over lists, a distribution has a mixture of the lists' values: a linear program decides whose columns the recursion
finds (:class:`maxent.lists.region.Region`). Over ranks, a linear program over p decides if all measures are linear.

A measure with a pairwise part is not linear in p. But independent ranks are also a distribution over lists, in
which the number of documents, of a grade or of all, is random. Its mean is the count C, and the mean number of
ordered pairs of documents is C^2 - sum_n p_n^2, between C^2 - C and C^2 - C^2 / N. Values that no distribution over
lists with these means has certainly exclude each other; the converse does not hold. If there are too many of these
lists, there is a proof for linear measures alone.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from maxent.lists.extremes import interval
from maxent.lists.region import Region
from maxent.lists.solver import beyond_intervals
from maxent.lists.steps import Lists
from maxent.measures.form import Form
from maxent.measures.joint import joint
from maxent.problem import Problem, Solution
from maxent.problem.linear_program import unattainable
from maxent.solvers.presolve import infeasible_solution, presolve
from maxent.types import FloatArray

STATES = 4_000_000  # ranks times states of the lists with random numbers of documents, at most
MIXTURE = "no mixture of lists has these values"
LINEAR_PROGRAM = "a linear program has no solution"
RANDOM_COUNTS = "no mixture of lists has these values, even if the numbers of documents are random"

Proof = Callable[
    [Sequence[int]], bool
]  # whether the values of measures, by index, are proved to exclude each other


def proved_infeasible(problem: Problem, *, lists: bool) -> Solution | None:
    """Infeasible solution whose message names values that exclude each other; None without a proof."""
    if problem.overfull:
        return infeasible_solution(problem, problem.overfull)
    if lists:
        every_list = Lists.of(problem)
        if reason := beyond_intervals(problem, [interval(every_list, j) for j in range(len(problem.parts))]):
            return infeasible_solution(problem, reason)
        proof, why = _proof_over(every_list, problem.bounds), MIXTURE
    elif problem.beyond:
        return presolve(problem)
    else:
        proof, why = _proof_over_ranks(problem)
    named = smallest(range(len(problem.parts)), proof)
    if not named:
        return None
    equations = [f"{problem.measure.parts[k]} = {problem.values[k]:.10g}" for k in named]
    return infeasible_solution(problem, f"no distribution with {' and '.join(equations)}: {why}")


def smallest(measures: Sequence[int], proof: Proof) -> tuple[int, ...]:
    """Some of the measures that exclude each other, and do not without any one of them; empty without a proof."""
    named = tuple(measures)
    if not proof(named):
        return ()
    for measure in measures:
        fewer = tuple(k for k in named if k != measure)
        if fewer and proof(fewer):
            named = fewer
    return named


def _proof_over(lists: Lists, bounds: FloatArray) -> Proof:
    """Proof that no mixture of lists has some of the values within bounds (m, 2)."""
    region = Region([lists], np.array([interval(lists, j) for j in range(len(bounds))]).T)

    def proof(measures: Sequence[int]) -> bool:
        bounds_of_some = np.full(bounds.shape, (-inf, inf))
        bounds_of_some[list(measures)] = bounds[list(measures)]
        low, high = bounds_of_some.T
        return region.excludes(low, high)

    return proof


def _proof_over_ranks(problem: Problem) -> tuple[Proof, str]:
    """Proof that no independent ranks have some of the values, and what it rests on.

    1. Linear measures alone, if all are linear or there are too many lists. 2. Otherwise lists with random numbers
    of documents: bounds of the mean number, C or at most C, and of the mean number of ordered pairs, from C^2 - C
    to C^2 - C^2 / N, for each group of grades and for all documents.
    """
    # 1.
    linear = {k for k, form in enumerate(problem.forms) if form.linear}
    groups = [group for group in problem.merged_grades if 0 not in group]
    states = problem.depth * (problem.depth + 1) ** len(groups)
    if len(linear) == len(problem.forms) or states > STATES:
        return lambda measures: unattainable(_part(problem, linear.intersection(measures))), LINEAR_PROGRAM
    # 2.
    of_groups = [problem.counts[np.array(group) - 1].sum() for group in groups]
    bounds_of_numbers, bounds_of_pairs = [], []
    for C in (*of_groups, sum(of_groups)):
        fewest = -inf if problem.count == "at_most" else C
        bounds_of_numbers.append((fewest, C))
        fewest_pairs = fewest * fewest - fewest if fewest > 0 else -inf
        bounds_of_pairs.append((fewest_pairs, C * C * (1 - 1 / problem.depth)))
    lists = _lists_of_any_counts(problem, [group[0] for group in groups])
    proof = _proof_over(lists, np.array([*problem.bounds, *bounds_of_numbers, *bounds_of_pairs]))
    of_counts = range(len(problem.forms), len(lists.forms))  # they belong to every proof
    return lambda measures: proof((*measures, *of_counts)), RANDOM_COUNTS


def _lists_of_any_counts(problem: Problem, grades: Sequence[int]) -> Lists:
    """Lists with any numbers of documents of some grades.

    Further measures are the numbers of documents of each grade and of all, and those of their ordered pairs.
    """
    depth, levels = problem.depth, problem.levels
    is_grade = np.eye(levels + 1)[np.array(grades, dtype=np.int64)]
    # of each kind of documents, those of a grade or all: 1 for its grades, (levels + 1,)
    kinds, ones = [*is_grade, is_grade.sum(axis=0)], np.ones(depth)
    numbers = [Form(a=np.outer(ones, kind), d=0 * ones, K=np.zeros((levels + 1, levels + 1))) for kind in kinds]
    pairs = [Form(a=np.zeros((depth, levels + 1)), d=2 * ones, K=np.outer(kind, kind)) for kind in kinds]
    most = tuple((depth * is_grade.sum(axis=0)[1:].astype(np.int64)).tolist())
    return Lists(depth, most, True, (*problem.forms, *numbers, *pairs), np.zeros((depth, levels)))


def _part(problem: Problem, measures: Iterable[int]) -> Problem:
    """The problem with some of its measures, by index."""
    parts = [problem.parts[k] for k in sorted(measures)]
    some = joint(tuple(part.measure for part in parts))
    return replace(problem, measure=some, value=tuple(part.value for part in parts))
