"""What every measure has: a form for a topic, evaluation, expected value and a text form that parses back."""

import functools
import re
from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.measures.form import FloatArray, Form, check_grades

Counts = Sequence[float] | npt.NDArray[Any]


@dataclass(frozen=True)
class Measure:
    """An effectiveness measure: a frozen, hashable value.

    A subclass is a frozen dataclass of its parameters with one method, ``_form``. ``str(measure)`` gives a
    text that :func:`maxent.parse_measure` turns back into an equal measure.
    """

    reference: ClassVar[str]
    """Paper and equation of the definition."""

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        raise MeasureError(f"{self} is not a pairwise form")

    def form(self, relevant: Counts, depth: int) -> Form:
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
            Read-only arrays; equal arguments give the same object.

        Raises
        ------
        MeasureError
            If the parameters do not fit the number of grades, or counts or depth make no sense.
        """
        return _cached_form(self, tuple(float(r) for r in relevant), int(depth))

    def evaluate(self, grades: npt.ArrayLike, relevant: Counts) -> FloatArray:
        """Value of observed lists of one topic.

        Parameters
        ----------
        grades : (..., depth) integer array
            Grades in rank order, 0 for non-relevant or unjudged.
        relevant : (levels,) sequence
            R_i of the topic.

        Returns
        -------
        (...) array of float

        Raises
        ------
        MeasureError
            If a grade is not an integer in 0..levels, or the measure does not fit the topic.
        """
        array = check_grades(grades, len(relevant))
        return self.form(relevant, array.shape[-1]).evaluate(array)

    def expected(self, p: npt.ArrayLike, relevant: Counts) -> float:
        """Expected value under a probability-at-rank distribution ``p`` of shape (depth, levels + 1).

        Raises
        ------
        MeasureError
            If ``p`` has not one column for each grade 0..levels.
        """
        array = np.asarray(p, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(relevant) + 1:
            raise MeasureError(f"p must have shape (depth, {len(relevant) + 1}), got {array.shape}")
        return self.form(relevant, array.shape[0]).expected(array)

    def __str__(self) -> str:
        """Text form, e.g. ``GAP(g=0.5,0.5)`` or ``nDCG(gain=exp2)@10``; defaults are left out."""
        shown = [f for f in fields(self) if f.name != "cutoff" and getattr(self, f.name) != f.default]
        inside = ",".join(f"{f.name}={_format(getattr(self, f.name))}" for f in shown)
        cutoff = getattr(self, "cutoff", None)
        return f"{type(self).__name__}{f'({inside})' if inside else ''}{f'@{cutoff}' if cutoff else ''}"

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


@functools.lru_cache(maxsize=64)
def _cached_form(measure: Measure, relevant: tuple[float, ...], depth: int) -> Form:
    if not relevant or not all(0 <= r < float("inf") for r in relevant):
        raise MeasureError(f"relevant must be at least one finite count >= 0, got {relevant}")
    if depth < 1:
        raise MeasureError(f"depth must be at least 1, got {depth}")
    form = measure._form(np.array(relevant), depth)
    for array in (form.a, form.d, form.K):
        array.setflags(write=False)
    return form


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


def check_level(rel: int, levels: int) -> None:
    """Raise MeasureError unless ``rel`` is one of the grades 1..levels."""
    if not 1 <= rel <= levels:
        raise MeasureError(f"rel={rel} is outside 1..{levels}, the positive grades of the topic")


def ranks(depth: int) -> FloatArray:
    """1, 2, ..., depth as floats."""
    return np.arange(1, depth + 1, dtype=np.float64)
