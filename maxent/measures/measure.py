"""What every measure has: a form for a topic, evaluation, expected value and a text form that parses back."""

import functools
import re
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.measures.form import Form, check_grades
from maxent.measures.parameters import check_parameters
from maxent.types import BoolArray, FloatArray, GradeCounts, IntArray

ROUNDING = 1e-6  # by which the rows of a distribution may miss 1


class Judged(NamedTuple):
    """What grades leave open, needed by Bpref alone: which documents of grade 0 are judged.

    Attributes
    ----------
    nonrelevant : (..., depth) boolean array
        Whether the document at each rank is judged to be of grade 0; shape of the grades.
    total : int
        Number of documents judged to be of grade 0 in the topic, retrieved or not.
    """

    nonrelevant: BoolArray
    total: int


@dataclass(frozen=True)
class Measure:
    """An effectiveness measure: a frozen, hashable value.

    A subclass is a frozen dataclass of its parameters with one method: ``_form`` where the measure is a pairwise
    form, else ``_evaluate``. A parameter's name decides its check (:mod:`maxent.measures.parameters`).
    ``str(measure)`` gives a text that :func:`maxent.parse_measure` turns back into an equal measure.
    """

    reference: ClassVar[str]
    """Paper and equation of the definition."""

    def __post_init__(self) -> None:
        for name, value in check_parameters({f.name: getattr(self, f.name) for f in fields(self)}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def is_form(cls) -> bool:
        """Whether this is a pairwise form, so that its expected value can be a maximum-entropy constraint."""
        return cls._form is not Measure._form

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        raise MeasureError(
            f"{self} can be evaluated, but it is not a pairwise form of the grades: it has no expected value here "
            f"and cannot be a maximum-entropy constraint. These can: {names_of_forms()}"
        )

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: Judged | None) -> FloatArray:
        return self.form(relevant, grades.shape[-1]).evaluate(grades)

    def form(self, relevant: GradeCounts, depth: int) -> Form:
        """Coefficients of this measure for one topic.

        Parameters
        ----------
        relevant : (levels,) sequence
            R_i, number of documents of grade i = 1..levels in the relevance judgments.
        depth : int
            Length of the ranked list.

        Returns
        -------
        Form
            Read-only arrays; equal arguments give the same object as long as anybody has it.

        Raises
        ------
        MeasureError
            If the parameters do not fit the number of grades, or counts or depth make no sense.
        """
        return _cached_form(self, tuple(float(r) for r in relevant), int(depth))

    def evaluate(self, grades: npt.ArrayLike, relevant: GradeCounts, *, judged: Judged | None = None) -> FloatArray:
        """Value of observed lists of one topic.

        Parameters
        ----------
        grades : (..., depth) integer array
            Grades in rank order, 0 for non-relevant or unjudged.
        relevant : (levels,) sequence
            R_i of the topic. That a list has no more documents of a grade is not checked.
        judged : Judged, optional
            Which documents of grade 0 are judged; only Bpref needs it.

        Returns
        -------
        (...) array of float

        Raises
        ------
        MeasureError
            If a grade is not an integer in 0..levels, or the measure does not fit the topic.
        """
        array = check_grades(grades, len(relevant))
        return self._evaluate(array, _topic(relevant, array.shape[-1]), judged)

    def expected(self, p: npt.ArrayLike, relevant: GradeCounts) -> float:
        """Expected value under a probability-at-rank distribution ``p`` of shape (depth, levels + 1).

        Raises
        ------
        MeasureError
            If ``p`` has not one column for each grade 0..levels, or a row is no distribution.
        """
        array = np.asarray(p, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(relevant) + 1:
            raise MeasureError(f"p must have shape (depth, {len(relevant) + 1}), got {array.shape}")
        wrong = (array.min(axis=1) < -ROUNDING) | (np.abs(array.sum(axis=1) - 1) > ROUNDING)
        if wrong.any() or not np.isfinite(array).all():
            rank = int(wrong.argmax()) if wrong.any() else int(np.isnan(array).any(axis=1).argmax())
            raise MeasureError(f"p is no distribution at rank {rank + 1}: {array[rank].tolist()}")
        return self.form(relevant, array.shape[0]).expected(array)

    def __str__(self) -> str:
        """Text form, e.g. ``GAP(g=0.5,0.5)`` or ``nDCG(gain=exp2)@10``; defaults are left out."""
        shown = [f for f in fields(self) if f.name != "cutoff" and getattr(self, f.name) != f.default]
        inside = ",".join(f"{f.name}={_format(getattr(self, f.name))}" for f in shown)
        cutoff = getattr(self, "cutoff", None)
        return f"{type(self).__name__}{f'({inside})' if inside else ''}{f'@{cutoff}' if cutoff else ''}"

    @classmethod
    def usage(cls) -> str:
        """Text form with every parameter, e.g. ``mSR(gain=linear)[@k]`` or ``GAP(g=...)``."""
        known = {f.name: f.default for f in fields(cls)}
        cutoff = {MISSING: "@k", None: "[@k]"}[known.pop("cutoff")] if "cutoff" in known else ""
        shown = [f"{n}={'...' if v in (MISSING, None) else _format(v)}" for n, v in known.items()]
        return f"{cls.__name__}{f'({chr(44).join(shown)})' if shown else ''}{cutoff}"

    @classmethod
    def _from_text(cls, parameters: dict[str, str], cutoff: str | None) -> Self:
        known: dict[str, Field[Any]] = {f.name: f for f in fields(cls)}
        if cutoff is not None:
            if "cutoff" not in known:
                raise MeasureError(f"{cls.__name__} has no cutoff, got '@{cutoff}'")
            parameters = {**parameters, "cutoff": cutoff}
        for name in parameters:
            if name not in known:
                has = ", ".join(known) or "none"
                raise MeasureError(f"{cls.__name__} has no parameter {name!r}; its parameters: {has}")
        for name, field in known.items():
            if field.default is MISSING and name not in parameters:
                how = f"{cls.__name__}@10" if name == "cutoff" else f"{cls.__name__}({name}=...)"
                raise MeasureError(f"{cls.__name__} needs {name}: write {how}")
        return cls(**{name: _parse(name, text, known[name].type) for name, text in parameters.items()})


def names_of_forms() -> str:
    """The measures that are pairwise forms, for messages."""
    return ", ".join(cls.__name__ for cls in Measure.__subclasses__() if cls.is_form())


_alive: WeakValueDictionary[tuple[Measure, tuple[float, ...], int], Form] = WeakValueDictionary()


@functools.lru_cache(maxsize=64)  # these stay alive; others as long as somebody has them
def _cached_form(measure: Measure, relevant: tuple[float, ...], depth: int) -> Form:
    found = _alive.get((measure, relevant, depth))
    if found is not None:
        return found
    form = measure._form(_topic(relevant, depth), depth)
    for array in (form.a, form.d, form.K):
        array.setflags(write=False)
    return _alive.setdefault((measure, relevant, depth), form)


def _topic(relevant: GradeCounts, depth: int) -> FloatArray:
    """Counts as an array, after a check of the topic."""
    counts = np.array(relevant, dtype=np.float64)
    if not counts.size or not np.all((counts >= 0) & (counts < np.inf)):
        raise MeasureError(f"relevant must be at least one finite count >= 0, got {tuple(counts.tolist())}")
    if depth < 1:
        raise MeasureError(f"depth must be at least 1, got {depth}")
    return counts


def _format(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(_format(v) for v in value)
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _parse(name: str, text: str, annotation: object) -> object:
    """Value of a parameter from its text and the type of its field."""
    if annotation is str:
        return text
    numbers = re.match(r"[-+.\d]|nan|inf", text) is not None
    if annotation == str | tuple[float, ...] and not numbers:
        return text
    try:
        if annotation is float:
            return float(text)
        if annotation in (int, int | None):
            return int(text)
        return tuple(float(t) for t in text.split(","))
    except ValueError:
        raise MeasureError(f"{name}={text} is not a number") from None
