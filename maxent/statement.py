"""Problems as arrays: what compiled code reads, for one problem or several side by side."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.measures.form import FloatArray, Form
from maxent.problem import Problem

Classes = tuple[tuple[int, ...], ...]


class Lot(NamedTuple):
    """Problems of one measure and topic whose lists hold the same grades, k of them.

    Attributes
    ----------
    form : Form
    present : tuple of int
        Grades that can occur at all.
    bounded : bool
        Whether the counts are upper bounds.
    value : (k,) array
    counts : (k, levels) array
    """

    form: Form
    present: tuple[int, ...]
    bounded: bool
    value: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Self:
        """The lot of problems that are alike in form, grades present and reading of the counts."""
        first = problems[0]
        value = np.array([problem.value for problem in problems])
        counts = np.array([problem.known_counts for problem in problems])
        return cls(first.form, first.present, first.count == "at_most", value, counts)


class Statement(NamedTuple):
    """Problems of one depth, number of grades and number of grades present, k of them.

    The first grade present is eliminated, see :meth:`Form.eliminate`. Grades that are alike may stand as one.

    Attributes
    ----------
    which : (k,) array
        Each problem's form, its place in ``a``, ``d`` and ``K``.
    a : (forms, depth, c) array
    d : (forms, depth) array
    K : (forms, c, c) array
    grades : (k, c + 1) array
        Grades present, or the lowest one of each class.
    value : (k,) array
    constant : (k,) array
        What the elimination takes from the value.
    counts : (k, c) array
        Expected number of documents of the grades present but the first, or their upper bounds.
    bounded : (k,) array of bool
        Whether the counts are upper bounds.
    """

    which: npt.NDArray[np.intp]
    a: FloatArray
    d: FloatArray
    K: FloatArray
    grades: npt.NDArray[np.intp]
    value: FloatArray
    constant: FloatArray
    counts: FloatArray
    bounded: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, lots: Sequence[Lot], classes: Classes | None = None) -> Self:
        """Statement of problems that are alike in depth, number of grades and number of grades present.

        Parameters
        ----------
        lots : sequence of Lot
        classes : tuple of tuples of int, optional
            The :attr:`Problem.classes` of all of them, each to stand as one; by default all grades stand alone.
        """
        present = (
            [lot.present for lot in lots] if classes is None else [tuple(own[0] for own in classes)] * len(lots)
        )
        if classes is None:
            counts = [lot.counts[:, np.array(lot.present[1:]) - 1] for lot in lots]
        else:
            members = [np.array(own) - 1 for own in classes[1:]]
            counts = [np.column_stack([lot.counts[:, own].sum(axis=1) for own in members]) for lot in lots]
        forms, constants = zip(
            *(lot.form.eliminate(own) for lot, own in zip(lots, present, strict=True)), strict=True
        )
        which = np.repeat(np.arange(len(lots)), [len(lot.value) for lot in lots])
        return cls(
            which,
            np.array([form.a for form in forms]),
            np.array([form.d for form in forms]),
            np.array([form.K for form in forms]),
            np.array(present)[which],
            np.concatenate([lot.value for lot in lots]),
            np.array(constants)[which],
            np.concatenate(counts),
            np.array([lot.bounded for lot in lots])[which],
        )

    def part(self, chosen: "slice | npt.NDArray[Any]") -> "Statement":
        """Statement of some of the problems."""
        own = {name: getattr(self, name)[chosen] for name in ("which", *self._fields[4:])}
        return self._replace(**own)

    def centred(self) -> tuple["Statement", FloatArray]:
        """Where the counts fix what is taken from the weights of every rank: weights relative to their mean.

        Weights may differ in their last digits only, and what documents do for each other may be next to nothing.
        The means of the weights times the counts are the part of the value that never varies; the rest is solved
        with all its digits.

        Returns
        -------
        statement : Statement
        mean : (k, c) array
            What was taken: the multipliers of the counts are larger by this times those of the values.
        """
        if self.bounded.any():
            return self, np.zeros_like(self.counts)
        mean = self.a.mean(axis=1)
        of_each = mean[self.which]
        constant = self.constant + (of_each * self.counts).sum(axis=1)
        return self._replace(a=self.a - mean[:, None], constant=constant), of_each

    @property
    def depth(self) -> int:
        """Length of the ranked lists, N."""
        return len(self.d[0])
