"""What an analysis found, in sentences, and how certain it is."""

from dataclasses import dataclass

SCOPE = "for this reading only: "  # begins the line of the support that has all options


@dataclass(frozen=True)
class Finding:
    """What was found, and how certain it is.

    ``sentence`` is the finding; each of ``support`` says what it rests on; ``cautions`` why it may say less.
    """

    sentence: str
    support: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def reading(self) -> str:
        """The options and the depth for which it holds; empty if its support does not have them."""
        return next((line.removeprefix(SCOPE) for line in self.support if line.startswith(SCOPE)), "")

    def __str__(self) -> str:
        return "\n  ".join((self.sentence, *self.support))
