"""What an analysis found, in sentences, and how certain it is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was found, and how certain it is.

    ``sentence`` is the finding; each of ``support`` says what it rests on; ``cautions`` why it may say less.
    """

    sentence: str
    support: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join((self.sentence, *self.support))
