"""Problems as arrays: what compiled code reads, for one problem or several side by side."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.measures.form import FloatArray, Form
from maxent.problem import Problem


class Statement(NamedTuple):
    """Problems of one depth, number of grades and number of grades present, k of them.

    The first grade present is eliminated, see :meth:`Form.eliminate`.

    Attributes
    ----------
    which : (k,) array
        Each problem's form, its place in ``a``, ``d`` and ``K``.
    a : (forms, depth, c) array
    d : (forms, depth) array
    K : (forms, c, c) array
    grades : (k, c + 1) array
        Grades present.
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
    def of(cls, problems: Sequence[Problem]) -> Self:
        """Statement of problems that are alike in depth, number of grades and number of grades present."""
        reduced = [problem.form.eliminate(problem.present) for problem in problems]
        forms: dict[Form, int] = {}  # equal topics and measures share one object
        which = [forms.setdefault(form, len(forms)) for form, _ in reduced]
        grades = np.array([problem.present for problem in problems])
        return cls(
            np.array(which),
            np.array([form.a for form in forms]),
            np.array([form.d for form in forms]),
            np.array([form.K for form in forms]),
            grades,
            np.array([problem.value for problem in problems]),
            np.array([constant for _, constant in reduced]),
            np.take_along_axis(np.array([problem.counts for problem in problems]), grades[:, 1:] - 1, axis=1),
            np.array([problem.count == "at_most" for problem in problems]),
        )

    def part(self, chosen: "slice | npt.NDArray[Any]") -> "Statement":
        """Statement of some of the problems."""
        own = {name: getattr(self, name)[chosen] for name in ("which", *self._fields[4:])}
        return self._replace(**own)

    @property
    def depth(self) -> int:
        """Length of the ranked lists, N."""
        return len(self.d[0])
