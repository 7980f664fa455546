"""The finding of an analysis in sentences, and its certainty."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Finding of an analysis, in sentences.

    ``sentence`` is the finding; ``support`` has the numbers behind it, ``cautions`` has reasons for doubt.
    """

    sentence: str
    support: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join((self.sentence, *self.support))
