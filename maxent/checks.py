"""Limits on sizes: input beyond a limit is treated as a mistake.

Memory and time grow with these sizes. If the input is intended, the environment variable ``MAXENT_LIMITS`` lifts
limits by name, as in ``no-depth,no-grade``, or all of them with ``off``.
"""

import os
from collections.abc import Iterable
from numbers import Real
from typing import Any, NamedTuple

from maxent.errors import MaxentError, quoted


class Limit(NamedTuple):
    """Name of a limit, and the largest size that it allows."""

    name: str
    most: int

    @property
    def lifted(self) -> bool:
        """Whether the environment variable ``MAXENT_LIMITS`` lifts this limit."""
        named = os.environ.get("MAXENT_LIMITS", "").replace(" ", "").split(",")
        return "off" in named or f"no-{self.name}" in named


DEPTH = Limit("depth", 1_000_000)  # ranks of a list; a problem with as many takes a gigabyte
HIGHEST = 32_767  # grade that 16 bits hold: no key lifts it
LONGEST = 1000  # ranks of a list that count where no depth is given
GRADE = Limit("grade", 100)  # the highest: many arrays have a column for each grade up to it
JSON = Limit("json", 10 << 20)  # bytes of JSON, decompressed; Python's objects take up to 31 times as many
SIZE = Limit("size", 400 << 20)  # bytes of a file, decompressed; of the texts in a Parquet file, too

REPETITIONS = Limit("repetitions", 1_000_000)  # of a random experiment: halvings of topics, bootstrap samples
SIMULATED = Limit("simulated", 20_000_000)  # documents in all simulated lists together: two gigabytes


def too_large(what: str, size: float, limit: Limit) -> str:
    """Reason why ``what`` of this size is refused, and how to lift the limit; empty if it is accepted."""
    if size <= limit.most or limit.lifted:
        return ""
    lift = f"set MAXENT_LIMITS=no-{limit.name} in the environment"
    return f"{what} is {size}, more than {limit.most}; if this is intended, {lift}"


def whole_number(
    what: str, value: Any, *, raises: type[MaxentError], least: int = 1, limit: Limit | None = None
) -> int:
    """Convert a whole number of any type, such as a NumPy scalar, to int; raise ``raises`` for anything else."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and value == value // 1 and value >= least):
        raise raises(f"{what} must be a whole number, {least} or more, got {quoted(value)}")
    if limit is not None and (reason := too_large(what, value, limit)):
        raise raises(reason)
    return int(value)


def check_choice(what: str, value: Any, choices: Iterable[str], *, raises: type[MaxentError]) -> None:
    """Raise an error that lists the choices unless the value is one of them."""
    names = tuple(choices)
    if not (isinstance(value, str) and value in names):
        raise raises(f"unknown {what} {quoted(value)}; known: {', '.join(names)}")
