"""Problems as arrays: what compiled code reads, for one problem or several side by side."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.measures.form import FloatArray, Form
from maxent.problem import Problem

Classes = tuple[tuple[int, ...], ...]


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
    def of(cls, problems: Sequence[Problem], classes: Classes | None = None) -> Self:
        """Statement of problems that are alike in depth, number of grades and number of grades present.

        Parameters
        ----------
        problems : sequence of Problem
        classes : tuple of tuples of int, optional
            The :attr:`Problem.classes` of all of them, each to stand as one; by default all grades stand alone.
        """
        counts = np.array([problem.counts for problem in problems])
        if classes is None:
            present = [problem.present for problem in problems]
            counts = np.take_along_axis(counts, np.array(present)[:, 1:] - 1, axis=1)
        else:
            present = [tuple(grades[0] for grades in classes)] * len(problems)
            sums = [counts[:, np.array(grades) - 1].sum(axis=1) for grades in classes[1:]]
            counts = np.array(sums).reshape(-1, len(problems)).T.copy()
        reduced = [problem.form.eliminate(grades) for problem, grades in zip(problems, present, strict=True)]
        forms: dict[Form, int] = {}  # equal topics and measures share one object
        which = [forms.setdefault(form, len(forms)) for form, _ in reduced]
        return cls(
            np.array(which),
            np.array([form.a for form in forms]),
            np.array([form.d for form in forms]),
            np.array([form.K for form in forms]),
            np.array(present),
            np.array([problem.value for problem in problems]),
            np.array([constant for _, constant in reduced]),
            counts,
            np.array([problem.count == "at_most" for problem in problems]),
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
