"""Limits on sizes: input beyond a limit is treated as a mistake.

Memory and time grow with these sizes. If the input is intended, the environment variable ``MAXENT_LIMITS`` lifts
limits by name, as in ``no-depth,no-grade``, or all of them with ``off``. Limits of one name are lifted together.
"""

import os
from typing import NamedTuple


class Limit(NamedTuple):
    """Name of a limit, and the largest size that it allows."""

    name: str
    most: int

    @property
    def lifted(self) -> bool:
        """Whether the environment variable ``MAXENT_LIMITS`` lifts this limit."""
        named = os.environ.get("MAXENT_LIMITS", "").replace(" ", "").split(",")
        return "off" in named or f"no-{self.name}" in named


def too_large(what: str, size: float, limit: Limit) -> str:
    """Reason why ``what`` of this size is refused, and how to lift the limit; empty if it is accepted."""
    if size <= limit.most or limit.lifted:
        return ""
    lift = f"set MAXENT_LIMITS=no-{limit.name} in the environment"
    return f"{what} is {size}, more than {limit.most}; if this is intended, {lift}"


DEPTH = Limit("depth", 1_000_000)
"""Ranks of a list; a problem with as many takes a gigabyte."""
LONGEST = 1000
"""Ranks of a list that count where no depth is given."""
GRADE = Limit("grade", 100)
"""The highest grade: many arrays have a column for each grade up to it."""
HIGHEST = 32_767
"""Grade that 16 bits hold: nothing lifts it."""
CANDIDATES = Limit("candidates", 20_000)
"""Points of a grid of g."""

SIZE = Limit("size", 400 << 20)
"""Bytes of a file, decompressed; of the texts in a Parquet file, too."""
LINE = Limit(SIZE.name, 16 << 20)
"""Bytes of a line."""
TABLE = Limit(SIZE.name, 12 * SIZE.most)
"""Bytes of a table of features; a file of lines such as ``1 qid:1 99999:1`` would fill the memory."""
JSON = Limit("json", 10 << 20)
"""Bytes of JSON, decompressed; Python's objects take up to 31 times as many."""

STATES = Limit("states", 100_000_000)
"""Ranks times states of a problem over whole lists, of 8 bytes each."""
STATES_OF_AVERAGES = Limit(STATES.name, 400_000_000)
"""Ranks times states of a topic in a problem of averages, of which one in sixteen is in memory."""
MEMORY = Limit("memory", 1 << 30)
"""Bytes of the arrays of all topics in a problem of averages, which are in memory together."""
SAMPLE = Limit("sample", 100_000_000)
"""Grades of all random lists together, of 8 bytes each."""
REPETITIONS = Limit("repetitions", 1_000_000)
"""Repetitions of a random experiment: halvings of topics, bootstrap samples."""
SIMULATED = Limit("simulated", 20_000_000)
"""Documents in all simulated lists together: two gigabytes."""
COMPILE = Limit("compile", 30)
"""Grades that machine code distinguishes, grade 0 included; code for twice as many compiles for half an hour."""
