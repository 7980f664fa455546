"""Comparison of observed lists with distributions: errors of inferred curves, and likelihoods.

Machine code compares them in the lanes of a workspace, which hold the distributions. It reads only the relevant
documents of a list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from maxent.kernels.calls import call
from maxent.kernels.loops.records import ALIGNMENTS, ObservedLists, Places
from maxent.measures.form import Documents
from maxent.types import FloatArray, IntArray


class Seen(NamedTuple):
    """Results of comparing each of k distributions with one observed list."""

    entropy: FloatArray  # (k,): entropies of the distributions, in nats
    log_likelihood: FloatArray  # (k,): logarithms of the probabilities of the lists
    errors: FloatArray  # (k, thresholds, alignments, 2): RMS and mean absolute error of the inferred curves
    p: FloatArray  # (k, ranks, levels + 1): the distributions at some ranks

    @classmethod
    def blank(cls, k: int, thresholds: int = 0, alignments: int = 0, ranks: int = 0, grades: int = 0) -> Self:
        """Arrays before the comparison: zeros, and NaN for the errors."""
        errors = np.full((k, thresholds, alignments, 2), np.nan)
        return cls(np.zeros(k), np.zeros(k), errors, np.zeros((k, ranks, grades)))

    def put(self, index: Any, other: Self) -> None:
        """Write the rows of another comparison at an index."""
        for array, new in zip(self, other, strict=True):
            array[index] = new

    def part(self, chosen: IntArray) -> Self:
        """Rows of some of the distributions."""
        return type(self)(*(array[chosen] for array in self))


@dataclass(frozen=True, eq=False)
class Observed:
    """Observed lists of k distributions: relevant documents, and thresholds and alignments of their curves."""

    documents: Documents  # of the k lists
    numbers: IntArray  # (k, levels + 1): number of documents of each grade
    bases: FloatArray  # (k, thresholds): R_>=t of the topic
    thresholds: tuple[int, ...]
    aligns: tuple[str, ...]
    at: IntArray  # ranks, from 1, at which the distributions themselves are wanted

    @classmethod
    def of(
        cls,
        grades: IntArray,
        relevant: IntArray,
        thresholds: Sequence[int],
        aligns: Sequence[str],
        repeats: int = 1,
        at: Sequence[int] = (),
    ) -> Self:
        """Lists of one topic from grades (lists, depth); the block of lists is repeated ``repeats`` times.

        Grades may be integers of any type. TypeError or ValueError if they are not grades of the topic.
        """
        grades = _integer_grades(grades, len(relevant))
        levels = np.arange(len(relevant) + 1)
        numbers = np.stack([(grades == level).sum(axis=1) for level in levels], axis=1)
        bases = np.array([relevant[t - 1 :].sum() for t in thresholds], dtype=np.float64)
        return cls(
            documents=Documents.of(grades).part(np.tile(np.arange(len(grades)), repeats)),
            numbers=np.tile(numbers, (repeats, 1)),
            bases=np.tile(bases, (len(grades) * repeats, 1)),
            thresholds=tuple(thresholds),
            aligns=tuple(aligns),
            at=np.array(at, dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate lists of several topics."""
        return replace(
            parts[0],
            documents=Documents.joined([part.documents for part in parts]),
            numbers=np.concatenate([part.numbers for part in parts]),
            bases=np.concatenate([part.bases for part in parts]),
        )

    def part(self, chosen: IntArray) -> Self:
        """Lists of some of the distributions."""
        return replace(
            self, documents=self.documents.part(chosen), numbers=self.numbers[chosen], bases=self.bases[chosen]
        )

    def rows(self) -> IntArray:
        """Grades of the lists, (k, depth)."""
        return self.documents.rows(int(self.numbers[0].sum()))

    @property
    def blank(self) -> Seen:
        """Arrays for the comparison with these lists, see :meth:`Seen.blank`."""
        shape = len(self.thresholds), len(self.aligns), len(self.at), self.numbers.shape[1]
        return Seen.blank(len(self.numbers), *shape)

    def lists(self, shares: FloatArray, columns: IntArray, depth: int, lanes: int, seen: Seen) -> ObservedLists:
        """Lists as machine code reads them; it writes to all arrays of ``seen`` except the entropies.

        ``shares`` (levels + 1, k) and ``columns`` (levels + 1,) are as in :class:`ObservedLists`.
        """
        documents = self.documents
        most = int((documents.end - documents.begin).max(initial=0))
        return ObservedLists(
            begin=documents.begin,
            end=documents.end,
            ranks=documents.ranks,
            grades=documents.grades,
            bases=self.bases,
            thresholds=np.array(self.thresholds, dtype=np.int64),
            aligns=np.array([ALIGNMENTS.index(align) for align in self.aligns], dtype=np.int64),
            shares=shares,
            columns=columns,
            cumulated=np.empty((lanes, len(columns) - 1, depth + 1)),
            scratch=np.empty((2, 1, most + 1)),
            errors=seen.errors,
            logits=seen.log_likelihood,
            at=self.at,
            p=seen.p,
        )


def _integer_grades(grades: IntArray, levels: int) -> IntArray:
    """Grades (lists, depth) of 0..levels in the type that machine code reads."""
    if grades.dtype.kind not in "iu":
        raise TypeError(f"grades are {grades.dtype}, expected integers")
    if grades.ndim != 2:
        raise ValueError(f"grades have shape {grades.shape}, expected (lists, depth)")
    low, high = grades.min(initial=0), grades.max(initial=0)
    if low < 0 or high > levels:
        raise ValueError(f"grades are {low} to {high}, expected 0 to {levels}")
    return grades.astype(np.int64, copy=False)


_NONE_OBSERVED = Observed.of(np.zeros((0, 1), dtype=np.int64), np.zeros(1, dtype=np.int64), (), ())
NO_LISTS = _NONE_OBSERVED.lists(np.zeros((0, 0)), np.zeros(1, dtype=np.int64), 0, 0, _NONE_OBSERVED.blank)


@dataclass(frozen=True, eq=False)
class Deal:
    """Observed lists, and the split of the probability of merged grades among the grades of each group."""

    observed: Observed
    group: IntArray  # (levels + 1,): group of each grade, the eliminated one is 0; -1 for absent grades
    shares: FloatArray  # (levels + 1, k): share of each grade in the probability of its group

    def lists(self, places: Places, depth: int, lanes: int, seen: Seen) -> ObservedLists:
        """Lists as machine code reads them in the records of a workspace."""
        columns = np.where(self.group > 0, places.p + self.group - 1, places.eliminated)
        columns[self.group < 0] = -1  # absent grades
        return self.observed.lists(self.shares, columns, depth, lanes, seen)

    def completed(self, seen: Seen, total: FloatArray, entropy: FloatArray, missed: FloatArray) -> Seen:
        """Convert entropies and likelihoods of groups of merged grades to those of grades.

        ``total`` (k, c) has the sums of the groups' probabilities over the ranks, ``entropy`` (k,) the entropies of
        groups, and ``missed`` (k,) the log probabilities of lists of the eliminated group alone. With the share s_i
        of grade i in its group g(i), the group's mass T_g = sum_n p_n(g), and N_i documents of grade i in the list,

            entropy - sum_i T_g(i) s_i log s_i,    log likelihood + missed + sum_i N_i log s_i.
        """
        numbers = self.observed.numbers  # N_i, (k, levels + 1)
        shares = self.shares.T  # s_i, (k, levels + 1)
        log_shares = np.log(np.where(self.shares > 0, self.shares, 1.0)).T
        # T_g, (k, c + 1): group 0 has the ranks that the others leave, and all ranks hold a document of some grade
        mass = np.column_stack((numbers.sum(axis=1) - total.sum(axis=1), total))
        # sum_i T_g(i) s_i log s_i
        negative_entropy = np.where(self.group < 0, 0.0, mass[:, self.group] * shares * log_shares).sum(axis=1)
        impossible = (numbers * (shares == 0)).any(axis=1)  # the list has documents of grades with share 0
        likelihood = seen.log_likelihood + missed + (numbers * log_shares).sum(axis=1)
        return seen._replace(
            entropy=entropy - negative_entropy, log_likelihood=np.where(impossible, -np.inf, likelihood)
        )


def rms_and_mae(differences: FloatArray) -> tuple[float, float]:
    """Root mean square and mean absolute difference; NaN for an empty array."""
    if not len(differences):
        return float("nan"), float("nan")
    return float(np.sqrt(np.mean(differences**2))), float(np.mean(np.abs(differences)))


def curve_errors(p: FloatArray, observed: Observed) -> FloatArray:
    """Errors (k, thresholds, alignments, 2) of the curves that distributions p (k, depth, levels + 1) imply."""
    (k, depth, grades), seen = p.shape, observed.blank
    # every grade stands for itself, and every distribution has a lane
    lists = observed.lists(np.ones((grades, k)), np.arange(grades), depth, k, seen)
    ranks = np.ascontiguousarray(np.moveaxis(p, 0, -1))  # (depth, levels + 1, k)
    call("compare", ranks=ranks, lists=lists, first=0, used=k)
    return seen.errors


def expected_precision(cumulated: FloatArray, documents: int) -> FloatArray:
    """Expected precision E[k / n_k] at the k-th relevant document, if it exists, and its derivatives.

    The result is (1 + parameters, documents). ``cumulated`` (1 + parameters, depth) is the expected number of
    relevant documents by rank, and its derivatives.
    """
    above, inverse = np.empty((2, len(cumulated), documents + 1))  # their last column is for sums
    from_rank_0 = np.pad(np.asarray(cumulated, dtype=np.float64), ((0, 0), (1, 0)))
    call("expected_inverse", cumulated=from_rank_0, points=documents, above=above, inverse=inverse)
    of_documents = inverse[:, :documents][:, ::-1]  # E[1 / n_k]; machine code has the last document first
    return np.asarray(np.arange(1, documents + 1) * of_documents)
