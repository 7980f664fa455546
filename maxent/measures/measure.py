"""Base class of all measures: form for a topic, value of a list, expected value and text form."""

import difflib
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, Self
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.measures.cascade import Cascade, Expectation
from maxent.measures.describe import Example
from maxent.measures.form import Form
from maxent.measures.judged import JudgedNonrelevant, check_judged, is_judged
from maxent.measures.list_checks import check_counts, check_form, check_grades, check_topic, grade_array
from maxent.measures.parameters import Parameter, check_parameters, parameters_of
from maxent.types import FloatArray, GradeCounts, IntArray

ROW_TOLERANCE = 1e-6  # by which rows of a distribution may differ from a sum of 1, and entries be negative


@dataclass(frozen=True)
class Measure:
    """An effectiveness measure with its parameters, immutable and hashable.

    A subclass is a frozen dataclass of its parameters with one method: ``_form`` if the measure is a pairwise form,
    ``_cascade`` if it is a cascade (:mod:`maxent.measures.cascade`), else ``_evaluate``. Register it with
    :func:`maxent.measures.register_measure`. The annotation or the name of a field determines how the parameter is
    checked (:mod:`maxent.measures.parameters`). :func:`maxent.parse_measure` turns ``str(measure)`` back into an
    equal measure.
    """

    reference: ClassVar[str] = "not stated"
    """Paper and equation of the definition."""
    example: ClassVar[Example | None] = None
    """Example in the docstring."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) is None and field.default is not None:
                raise MeasureError(f"{type(self).__name__} needs {field.name}, got None")
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in check_parameters(parameters_of(type(self)), values).items():
            object.__setattr__(self, name, value)

    @property
    def parts(self) -> tuple["Measure", ...]:
        """The measures of a :class:`maxent.Joint`, or the measure itself."""
        return (self,)

    @classmethod
    def is_form(cls) -> bool:
        """Whether this is a pairwise form, which every back end accepts as a maximum-entropy constraint."""
        return cls._form is not Measure._form

    @classmethod
    def is_cascade(cls) -> bool:
        """Whether this is a cascade, which has an expected value and can be a constraint over whole lists."""
        return cls._cascade is not Measure._cascade

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        """Form for R_i (levels,), as many levels as the parameters name, and lists of this depth."""
        if self.is_cascade():
            uses = "predicted and evaluated"
            refusal = 'cannot be a maximum-entropy constraint of independent ranks (model="lists" takes it)'
        else:
            uses = "evaluated"
            refusal = "has no expected value here and cannot be a maximum-entropy constraint"
        raise MeasureError(
            f"{self} can be {uses}, but it is not a pairwise form of the grades: it {refusal}. "
            f"These can: {names_of_forms()}"
        )

    def _cascade(self, relevant: FloatArray, depth: int) -> Cascade:
        """Cascade for R_i (levels,), as many levels as the parameters name, and lists of this depth."""
        raise MeasureError(f"{self} is not a cascade")

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: JudgedNonrelevant | None) -> FloatArray:
        """Values (...) of lists with grades (..., depth) of a topic with R_i (levels,)."""
        return self.expectation(relevant, grades.shape[-1]).evaluate(grades)

    @property
    def grades(self) -> int:
        """Number of positive grades in the parameters (g, a table of gains); 0 if they name none.

        A topic with fewer grades has no documents of the others: a part of a collection may lack the top grade.
        """
        parameters = parameters_of(type(self)).items()
        by_grade = [getattr(self, name) for name, parameter in parameters if parameter.by_grade]
        tables = [value for value in by_grade if isinstance(value, tuple)]  # others are functions, such as exp2
        return max(map(len, tables), default=0)

    def form(self, relevant: GradeCounts, depth: int) -> Form:
        """Coefficients of this measure for one topic.

        Parameters
        ----------
        relevant : (levels,) sequence
            R_i, number of documents of grade i = 1..levels in the relevance judgments. The form has these grades,
            even if the parameters of the measure have more.
        depth : int
            Length of the ranked list.

        Returns
        -------
        Form
            Form with read-only arrays. Equal arguments return the same object as long as it is in use.

        Raises
        ------
        MeasureError
            If the measure is not a pairwise form, its parameters do not fit the number of grades, or the counts or
            the depth are invalid.
        """
        if getattr(self, "judged_only", False):
            raise MeasureError(
                f"{self} depends on which documents are judged: it can be evaluated, but it has no expected value "
                f"here and cannot be a maximum-entropy constraint"
            )
        return _cached_form(self, tuple(check_topic(relevant).tolist()), int(depth))

    def expectation(self, relevant: GradeCounts, depth: int) -> Expectation:
        """Form or cascade for one topic, which computes expected values."""
        if not self.is_cascade() or getattr(self, "judged_only", False):
            return self.form(relevant, depth)
        counts = check_topic(relevant, depth)
        cascade = self._cascade(np.pad(counts, (0, max(self.grades - len(counts), 0))), depth)
        return replace(cascade, stops=cascade.stops[: len(counts) + 1])

    def evaluate(
        self, grades: "npt.ArrayLike", relevant: GradeCounts, *, judged: JudgedNonrelevant | None = None
    ) -> FloatArray:
        """Value of observed lists of one topic.

        Parameters
        ----------
        grades : (..., depth) integer array
            Grades in rank order, 0 for non-relevant or unjudged.
        relevant : (levels,) sequence
            R_i of the topic.
        judged : JudgedNonrelevant, optional
            Documents of grade 0 that are judged; required for Bpref, Judged and ``judged_only``.

        Returns
        -------
        (...) array of float
            Value of each list.

        Raises
        ------
        MeasureError
            If a grade is not an integer in 0..levels, a list has more documents of a grade than the topic, or the
            measure does not fit the topic.

        Examples
        --------
        One list, then two lists at once, of a topic with two documents of grade 1 and one of grade 2:

        >>> import maxent as me
        >>> float(me.P(cutoff=4).evaluate([2, 0, 1, 0], (2, 1)))
        0.5
        >>> me.GAP(g=(0.5, 0.5)).evaluate([[2, 0, 1, 0], [0, 1, 0, 2]], (2, 1)).round(3).tolist()
        [0.667, 0.312]
        """
        counts = check_topic(relevant)
        array = check_grades(grades, len(counts))
        check_counts(array, counts)
        return self.values(array, relevant, None if judged is None else check_judged(judged, array.shape))

    def values(
        self, grades: IntArray, relevant: GradeCounts, judged: JudgedNonrelevant | None = None
    ) -> FloatArray:
        """Value of lists as by :meth:`evaluate`, without checking that the grades fit the topic.

        Parameters
        ----------
        grades : (..., depth) integer array
            Grades 0..levels in rank order. Lists with more than R_i documents of a grade are not rejected.
        relevant, judged
            As for :meth:`evaluate`.
        """
        grades = grade_array(grades)
        counts = check_topic(relevant, grades.shape[-1])
        topic = np.pad(counts, (0, max(self.grades - len(counts), 0)))
        if not getattr(self, "judged_only", False):
            return self._evaluate(grades, topic, judged)
        # without its unjudged documents the list is shorter, and short lists go on with grade 0, as they have
        judged_first = np.argsort(~is_judged(self, grades, judged), axis=-1, kind="stable")
        of_all_documents: Measure = replace(self, judged_only=False)  # type: ignore[call-arg]
        return of_all_documents._evaluate(np.take_along_axis(grades, judged_first, axis=-1), topic, None)

    def expected(self, p: "npt.ArrayLike", relevant: GradeCounts) -> float:
        """Expected value under a probability-at-rank distribution.

        Parameters
        ----------
        p : (depth, levels + 1) array
            Probability of grade i at rank n; every row sums to 1.
        relevant : (levels,) sequence
            R_i of the topic.

        Returns
        -------
        float
            Expected value, E[M].

        Raises
        ------
        MeasureError
            If the measure has no expected value, ``p`` does not have a column for each grade 0..levels, or a row is
            not a distribution.

        Examples
        --------
        >>> import maxent as me
        >>> p = [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]  # grades 0 and 1 at three ranks
        >>> round(me.P(cutoff=2).expected(p, (2,)), 3)
        0.65
        >>> round(me.AP().expected(p, (2,)), 3), round(me.RR().expected(p, (2,)), 3)
        (0.663, 0.853)
        """
        array = np.asarray(p, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(relevant) + 1:
            raise MeasureError(f"p must have shape (depth, {len(relevant) + 1}), got {array.shape}")
        is_wrong = (array.min(axis=1) < -ROW_TOLERANCE) | (np.abs(array.sum(axis=1) - 1) > ROW_TOLERANCE)
        if not is_wrong.any():
            is_wrong = np.isnan(array).any(axis=1)  # which compares as neither
        if is_wrong.any():
            row = int(is_wrong.argmax())
            raise MeasureError(f"p is not a distribution at rank {row + 1}: {array[row].tolist()}")
        return self.expectation(relevant, array.shape[0]).expected(array)

    def __str__(self) -> str:
        """Text form, e.g. ``GAP(g=0.5,0.5)`` or ``nDCG(gain=exp2)@10``, without default values."""
        parameters = parameters_of(type(self))
        shown = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "cutoff" and value != field.default:
                shown.append(f"{field.name}={_format(parameters[field.name], value)}")
        cutoff = getattr(self, "cutoff", None)
        return _text_form(type(self).__name__, shown, f"@{cutoff}" if cutoff else "")

    @classmethod
    def usage(cls) -> str:
        """Text form with every parameter and its default, e.g. ``mSR(gain=linear)[@k]`` or ``GAP(g=...)``."""
        defaults = {f.name: f.default for f in fields(cls)}
        cutoff = ("@k" if defaults.pop("cutoff") is MISSING else "[@k]") if "cutoff" in defaults else ""
        parameters = parameters_of(cls)
        shown = [
            f"{name}={'...' if default in (MISSING, None) else _format(parameters[name], default)}"
            for name, default in defaults.items()
        ]
        return _text_form(cls.__name__, shown, cutoff)

    @classmethod
    def of_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Measure with the parameters of a text form; MeasureError if one is unknown or missing."""
        defaults = {f.name: f.default for f in fields(cls)}
        for name in parameters:
            if name not in defaults:
                has = f"its parameters: {', '.join(defaults)}" if defaults else "it has none"
                close = difflib.get_close_matches(name, defaults, n=1)
                hint = f"did you mean {close[0]}? " if close else ""
                raise MeasureError(f"{cls.__name__} has no parameter {name!r}; {hint}{has}")
        for name, default in defaults.items():
            if default is MISSING and name not in parameters:
                how = f"{cls.__name__}@10" if name == "cutoff" else f"{cls.__name__}({name}=...)"
                raise MeasureError(f"{cls.__name__} needs {name}: write {how}")
        return cls(**parameters)


MEASURES: dict[str, type[Measure]] = {}
"""Every measure, by the name at the start of its text form (:mod:`maxent.measures.names` fills it)."""


def names_of_forms(*, cascades: bool = False) -> str:
    """Names of the measures that are pairwise forms, or ``cascades``, separated by commas, for messages."""
    return ", ".join(name for name, cls in MEASURES.items() if cls.is_form() or (cascades and cls.is_cascade()))


_alive: WeakValueDictionary[tuple[Measure, tuple[float, ...], int], Form] = WeakValueDictionary()


@functools.lru_cache(maxsize=64)  # the latest forms stay in memory, others as long as they are in use
def _cached_form(measure: Measure, relevant: tuple[float, ...], depth: int) -> Form:
    """Form for a topic and a depth, read-only; the same object while one with equal arguments is in use.

    A measure with more grades than the topic has the form of a topic without documents of these grades, of which
    the grades of the topic are kept.
    """
    cached = _alive.get((measure, relevant, depth))
    if cached is not None:
        return cached
    levels = len(relevant)
    if measure.grades > levels:
        no_documents = [0.0] * (measure.grades - levels)
        of_all_grades = _cached_form(measure, (*relevant, *no_documents), depth)
        form = Form(
            a=of_all_grades.a[:, : levels + 1].copy(),
            d=of_all_grades.d,
            K=of_all_grades.K[: levels + 1, : levels + 1].copy(),
        )
    else:
        form = measure._form(check_topic(relevant, depth), depth)
        # machine code reads their memory; measures of other packages may have numbers of other types
        a, d, K = (np.ascontiguousarray(part, dtype=np.float64) for part in (form.a, form.d, form.K))
        form = Form(a=a, d=d, K=K)
    check_form(form, len(relevant), depth, name=str(measure))
    for array in (form.a, form.d, form.K):
        array.setflags(write=False)
    return _alive.setdefault((measure, relevant, depth), form)


def _text_form(name: str, parameters: Sequence[str], cutoff: str) -> str:
    """Name, parameters in parentheses if there are any, and cutoff: ``nDCG(gain=exp2)@10``."""
    return f"{name}({','.join(parameters)}){cutoff}" if parameters else f"{name}{cutoff}"


def _format(parameter: Parameter, value: object) -> str:
    """Text of a value that parsing, and the check of the parameter, turn back into the value."""
    if isinstance(value, tuple):
        return ",".join(_format(parameter, number) for number in value) if parameter.by_grade else repr(value)
    if isinstance(value, str):
        is_plain = re.fullmatch(r"(?!(True|False|None)$)[A-Za-z_][\w-]*", value)  # no literal of Python
        return value if is_plain else repr(value)
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
