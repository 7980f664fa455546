"""The finding of an analysis: in fields, in sentences that are made from them, and with its certainty."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

from maxent.stats.intervals import ROUNDING


class Difference(NamedTuple):
    """Difference of one mean from another, and the ends of its 95 % interval; NaN without an interval."""

    name: str
    difference: float
    low: float
    high: float


class Level(NamedTuple):
    """Mean error of a measure without content, and the difference of another from it, with its 95 % interval."""

    name: str
    rms: float
    difference: float
    low: float
    high: float

    @property
    def is_passed(self) -> bool:
        """Whether the interval shows that the other measure has the smaller error."""
        return self.high < -ROUNDING


class Lists(NamedTuple):
    """Numbers of lists: used, in total, and excluded for each reason (by status)."""

    used: int
    all: int
    reasons: Mapping[str, int]


@dataclass(frozen=True)
class Finding:
    """Finding of an analysis: fields for programs, and sentences made from them.

    Findings with equal sentences are equal.

    Attributes
    ----------
    sentence : str
        The finding.
    support : tuple of str
        The numbers behind it.
    cautions : tuple of str
        Reasons for doubt.
    best : str or None
        Text form of the best: the measure, or the candidate for g, with the smallest error, the measures chosen
        together, or the run with the highest mean. None if none is, or if the question has several answers.
    recommended : str or None
        The candidate for g, or for gains, that is recommended: the simplest that may be the best.
    set : tuple of str, or None
        Those that may be the best: the best is among them with 95 % confidence. None where this is undecidable, as
        over fewer than 15 topics.
    null : Level or None
        The error of the broken stick, a measure without content, and the difference of the best from it.
    differences : tuple of Difference, or None
        Of the others from the best, the smallest first; of steps, from the step before.
    lists : Lists or None
        Numbers of lists that are used and excluded.
    topics : int or None
        Number of topics of the lists that are used.
    reading : mapping, or None
        Options and depth under which the finding holds, by name.
    parts : mapping
        Where a study asks two questions: the finding for each count. The fields above are then None, but for the
        reading.
    """

    sentence: str
    support: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    _: KW_ONLY
    best: str | None = field(default=None, compare=False)
    recommended: str | None = field(default=None, compare=False)
    set: tuple[str, ...] | None = field(default=None, compare=False)
    null: Level | None = field(default=None, compare=False)
    differences: tuple[Difference, ...] | None = field(default=None, compare=False)
    lists: Lists | None = field(default=None, compare=False)
    topics: int | None = field(default=None, compare=False)
    reading: Mapping[str, object] | None = field(default=None, compare=False)
    parts: Mapping[str, "Finding"] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return "\n  ".join((self.sentence, *self.support))


def text_of(reading: Mapping[str, object]) -> str:
    """A reading as options: ``reading=standard, count=retrieved, ...``."""
    return ", ".join(f"{name}={value}" for name, value in reading.items())


def reading_lines(reading: Mapping[str, object] | None) -> tuple[str, ...]:
    """The line of a support that has the reading under which a finding holds; none if it is unknown."""
    return (f"for this reading only: {text_of(reading)}",) if reading else ()
