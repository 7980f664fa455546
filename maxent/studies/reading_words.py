"""Readings in words: the given counts, the model, the reference, and how curves are compared."""

from collections.abc import Iterable, Mapping

from maxent.measures import Measure, nDCG
from maxent.options import CountOptions, CurveOptions, options_of
from maxent.problem.reference import UNIFORM, Reference

TOPICS = "topics"  # a reference that each study computes from its lists
READINGS = {
    value: meaning
    for option in options_of(CountOptions, CurveOptions).values()
    for value, meaning in option.readings.items()
}
"""What each ``reading``, ``count``, ``model``, ``reference`` and ``align`` means, in words."""


def reference_name(reference: Reference) -> str:
    """Name of a reference in tables and sentences."""
    if reference is None:
        return UNIFORM
    return reference if isinstance(reference, str) else "table"


def worded(scope: Mapping[str, str]) -> dict[str, str]:
    """Parts of a scope that ``READINGS`` explains: all but independent ranks, the depth and gains."""
    return {name: value for name, value in scope.items() if value in READINGS}


def legend_of(reading: Mapping[str, str]) -> tuple[str, ...]:
    """A reading in words."""
    return tuple(f"{name}={value}: {READINGS[value]}" for name, value in reading.items())


def gains_of(measures: Iterable[Measure]) -> str:
    """The gains of all nDCG among measures, as in their text forms."""
    gains = [part.gain for measure in measures for part in measure.parts if isinstance(part, nDCG)]
    texts = [gain if isinstance(gain, str) else ",".join(f"{x:g}" for x in gain) for gain in gains]
    return " or ".join(dict.fromkeys(texts))
