"""The finding of an analysis in sentences, and its certainty."""

from dataclasses import dataclass

SCOPE = "for this reading only: "  # begins the line of the support that has all options


@dataclass(frozen=True)
class Finding:
    """Finding of an analysis, in sentences.

    ``sentence`` is the finding; ``support`` has the numbers behind it, ``cautions`` has reasons for doubt.
    """

    sentence: str
    support: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def reading(self) -> str:
        """Options and depth under which the finding holds; empty if its support does not have them."""
        return next((line.removeprefix(SCOPE) for line in self.support if line.startswith(SCOPE)), "")

    def __str__(self) -> str:
        return "\n  ".join((self.sentence, *self.support))
