"""Lists of a topic with merged grades, for averages over many topics.

Grades that no given measure distinguishes are one group, and the relevant documents of a list are drawn at random
from the judged documents of their groups. The expected value of any measure is therefore that of a measure of
groups: a document has the mean gain of its group, and two documents the mean gain of a pair drawn without
replacement.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from maxent.errors import ProblemError
from maxent.limits import MEMORY, STATES, STATES_OF_AVERAGES, Limit, too_large
from maxent.lists.averages import Averages
from maxent.lists.distribution import Paths, hypergeometric
from maxent.lists.dual import LOST, Dual, evaluate_dual, moments
from maxent.lists.extremes import face
from maxent.lists.recursion import EVERY, Moments
from maxent.lists.steps import Groups, Lists, documents_that_fit
from maxent.measures import Measure
from maxent.measures.cascade import Cascade, Expectation
from maxent.measures.form import Form, merge_grades
from maxent.problem.reference import kinds_of_odds, log_odds
from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MergedTopic:
    """Topic with merged grades: groups of positive grades, numbers of documents, and lists of groups."""

    name: str
    relevant: tuple[float, ...]  # (levels,)
    numbers: tuple[float, ...]  # (levels,) documents of each grade that lists are dealt from
    groups: Groups
    lists: Lists
    allowed: IntArray  # steps that values at ends leave, or none where all are left

    def check_size(self, limit: Limit = STATES) -> None:
        """Raise a ProblemError that names the topic if it has too many states."""
        if reason := self.lists.too_large(limit):
            raise ProblemError(f"topic {self.name}: {reason}")

    def at_end(self, measure: int, *, above: bool) -> "MergedTopic":
        """Topic restricted to the lists with the smallest or largest value of a measure."""
        self.check_size()  # a face needs every state
        extreme_steps = face(self.lists, measure, above=above)
        return replace(self, allowed=extreme_steps if not len(self.allowed) else self.allowed & extreme_steps)

    def moments(self, multipliers: FloatArray) -> Moments:
        """Logarithm of Z, expected values and covariances; computed with logarithms if doubles overflow."""
        if not len(self.allowed):
            in_doubles = moments(self.lists, multipliers, self.allowed, False)
            if np.isfinite(in_doubles.log_z):
                return in_doubles
        return moments(self.lists, multipliers, self.allowed, True)

    def paths(self, multipliers: FloatArray) -> Paths:
        """Distribution over lists of groups at given multipliers, without probabilities of states."""
        dual = None if len(self.allowed) else evaluate_dual(self.lists, multipliers, self.allowed, False)
        if dual is None or not dual.lost <= LOST:
            self.check_size()  # logarithms need every state
            dual = evaluate_dual(self.lists, multipliers, self.allowed, True)
        return Paths(lists=self.lists, dual=dual, allowed=self.allowed)

    def expected(self, dual: Dual, measures: Sequence[Measure]) -> FloatArray:
        """Expected values of measures, (measures,)."""
        # 1. the measures, with multiplier 0, behind those whose averages are given
        forms = [measure.expectation(self.relevant, self.lists.depth) for measure in measures]
        merged_forms = tuple(merge_form(form, self.groups, self.numbers) for form in forms)
        given = len(self.lists.forms)
        lists = replace(self.lists, forms=(*self.lists.forms, *merged_forms))
        multipliers = np.concatenate((dual.multipliers, np.zeros(len(forms))))
        # 2. a merged cascade multiplies mean stopping probabilities; the exact product takes its place
        X = lists.steps.X[:, :, : lists.steps.last + 1]
        for v, form in enumerate(forms):
            if isinstance(form, Cascade):
                X[given + v] = self._stops(form, lists)
        return evaluate_dual(lists, multipliers, self.allowed, dual.logs).expected[given:]

    def _stops(self, form: Cascade, lists: Lists) -> FloatArray:
        """Probability (c, S) that a user passes a state's documents and stops at the next one, of each group.

        With pass_j(k) that the user passes k random documents of group j, a document of group i has

            (pass_i(k_i) - pass_i(k_i + 1)) prod_j!=i pass_j(k_j).
        """
        probabilities = np.ones_like(lists.states, dtype=np.float64)
        for j, (group, k) in enumerate(zip(lists.groups[1:], lists.states, strict=False)):
            grades = [grade for merged_grade in group for grade in self.groups[merged_grade - 1]]
            numbers = [self.numbers[grade - 1] for grade in grades]
            passes = _pass_probabilities(form.stops[grades], numbers, lists.depth)
            stops_next = passes - np.append(passes[1:], 0.0)
            for i in range(len(probabilities)):
                probabilities[i] *= (stops_next if i == j else passes)[k]
        return probabilities

    def grades(self, paths: Paths, number: int, random: np.random.Generator) -> IntArray:
        """Draw random lists, (number, depth) grades: the k-th document of a group is the k-th of a random order."""
        lists = paths.sample(number, rng=random)  # of merged grades
        for merged_grade, group in enumerate(self.groups, start=1):
            in_group = lists == merged_grade
            documents = np.repeat(group, [int(self.numbers[grade - 1]) for grade in group])
            if not len(documents):
                continue
            dealt = random.permuted(np.tile(documents, (number, 1)), axis=1)  # (number, documents) grades
            place = np.clip(np.cumsum(in_group, axis=1) - 1, 0, len(documents) - 1)
            lists = np.where(in_group, np.take_along_axis(dealt, place, axis=1), lists)
        return lists

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each grade in each group, (groups + 1, levels + 1); grade 0 alone is group 0."""
        shares = np.zeros((len(self.groups) + 1, len(self.relevant) + 1))
        shares[0, 0] = 1.0
        for row, group in enumerate(self.groups, start=1):
            shares[row, group] = group_shares(group, self.numbers)
        return shares


def make_topics(averages: Averages) -> list[MergedTopic]:
    """Topics of a problem of averages; grades with the same gains and odds are merged, which saves states."""
    levels, depth = averages.levels, averages.depth
    # 1. groups of grades that no measure of any topic, nor the reference, distinguishes
    forms = [[m.expectation(relevant, depth) for m in averages.measures] for relevant in averages.relevant]
    odds = log_odds(averages.reference, depth, levels)
    kinds_of_forms = [form.kinds for topic_forms in forms for form in topic_forms]
    groups = merge_grades(range(1, levels + 1), [*kinds_of_forms, *kinds_of_odds(odds)])
    group_odds = odds[:, [group[0] - 1 for group in groups]]
    # 2. lists of these groups, as merged grades 1, 2, ...
    at_most, numbers = averages.retrieved is None, averages.retrieved or averages.relevant
    topics = []
    for name, relevant, documents, topic_forms in zip(
        averages.topics, averages.relevant, numbers, forms, strict=True
    ):
        numbers_of_groups = [sum(documents[grade - 1] for grade in group) for group in groups]
        counts = documents_that_fit(numbers_of_groups, depth, at_most=at_most)
        merged_forms = tuple(merge_form(form, groups, documents) for form in topic_forms)
        lists = Lists(depth, counts, at_most, merged_forms, group_odds)
        topics.append(MergedTopic(name, relevant, documents, groups, lists, EVERY))
        topics[-1].check_size(STATES_OF_AVERAGES)
    # 3. all topics are in memory together
    memory = sum(topic.lists.memory for topic in topics)
    if reason := too_large("the memory of the states of all topics, in bytes,", memory, MEMORY):
        raise ProblemError(f"{reason}. Fewer topics, or measures that distinguish fewer grades, need less")
    return topics


def group_shares(group: tuple[int, ...], numbers: Sequence[float]) -> FloatArray:
    """Share of each grade in a group; equal shares if the group has no documents."""
    documents = np.array([numbers[grade - 1] for grade in group], dtype=np.float64)
    return documents / documents.sum() if documents.any() else np.full(len(documents), 1 / len(documents))


def merge_form(form: Expectation, groups: Groups, numbers: Sequence[float]) -> Expectation:
    """Form of groups in place of grades: the mean over random orders of the documents in each group.

    Grade i has the share s_i of its group. Two documents of different groups have the grades i and j with the
    probability s_i s_j, and two of a group with N documents, drawn without replacement, with the probability
    s_i (N s_j - [i = j]) / (N - 1).
    """
    groups_with_0: Groups = ((0,), *groups)
    shares = [np.ones(1), *(group_shares(group, numbers) for group in groups)]
    if isinstance(form, Cascade):
        pairs = zip(groups_with_0, shares, strict=True)
        return Cascade(form.weights, np.array([float(form.stops[list(group)] @ share) for group, share in pairs]))
    size = len(groups_with_0)
    a = np.stack([form.a[:, groups_with_0[g]] @ shares[g] for g in range(size)], axis=1)
    K = np.zeros((size, size))
    for g in range(size):
        number = sum(numbers[grade - 1] for grade in groups_with_0[g] if grade)
        for h in range(size):
            probabilities = np.outer(shares[g], shares[h])  # of pairs of grades
            if g == h and number > 1:
                probabilities = (number * probabilities - np.diag(shares[g])) / (number - 1)
            K[g, h] = np.sum(probabilities * form.K[np.ix_(groups_with_0[g], groups_with_0[h])])
    return Form(a=a, d=form.d, K=K)


def _pass_probabilities(stops: FloatArray, numbers: Sequence[float], depth: int) -> FloatArray:
    """Probability that a user passes k random documents of a group, for k up to the depth, (k + 1,).

    ``stops`` and ``numbers`` are the stopping probability and the number of documents of each grade of the group.
    Grade after grade, with x of the k documents of the new grade,

        pass(k) <- sum_x P(x of k) (1 - stop)^x pass(k - x)
    """
    passes, total = np.ones(1), 0  # for the grades so far
    for stop, number in zip(stops, np.array(numbers, dtype=np.int64).tolist(), strict=True):
        total += number
        probabilities = hypergeometric(total, number, depth)  # (k, x)
        x = np.arange(probabilities.shape[1])
        k = np.arange(len(probabilities))[:, None]
        earlier = np.clip(k - x, 0, len(passes) - 1)  # impossible ones have probability 0
        passes = np.sum(probabilities * (1 - stop) ** x * passes[earlier], axis=1)
    return passes
