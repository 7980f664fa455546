"""Sizes beyond which input is taken for a mistake, or for an attack, rather than for work to be done.

Memory and time grow with these numbers. Where they are meant, set the environment variable ``MAXENT_LIMITS=off``.
"""

import os

DEPTH = 1_000_000  # ranks of a list; a problem with as many takes a gigabyte
GRADE = 100  # highest relevance grade: many arrays have a column for each grade up to it
EXPANDED = 1 << 30  # bytes of a decompressed file, where it is also
EXPANSION = 200  # times as large as the compressed one


def too_large(what: str, size: float, limit: float) -> str:
    """Why a size is refused; empty if it is not.

    Parameters
    ----------
    what : str
        What has this size, for the message.
    size, limit : float
        The size, and the largest that is allowed.

    Returns
    -------
    str
        A message that names the limit and how to lift it.
    """
    if size <= limit or os.environ.get("MAXENT_LIMITS") == "off":
        return ""
    return f"{what} is {size}, more than {limit}; if it is meant, set MAXENT_LIMITS=off in the environment"
