"""Lengths of lists: the typical length, which studies take, and whether lengths are mixed."""

import numpy as np

from maxent.limits import LONGEST
from maxent.texts import many
from maxent.types import IntArray


def typical_length(lengths: IntArray) -> int:
    """Median of the lengths of lists, or the smaller of two middle ones, at most ``LONGEST``; 0 is no list."""
    ascending = _of_lists(lengths)
    return min(int(ascending[(len(ascending) - 1) // 2]), LONGEST) if len(ascending) else 1


def mixed_lengths(lengths: IntArray, depth: int) -> str:
    """Caution that a tenth or more of the lists have less than half of the depth; empty if fewer have.

    The depth that fits most is the largest that more than nine tenths of the lists reach.
    """
    ascending = _of_lists(lengths)
    lists, short_lists = len(ascending), int((2 * ascending < depth).sum())
    if not lists or 10 * short_lists < lists:
        return ""
    if short_lists == lists:
        longest = many(int(ascending[-1]), "document")
        return f"no list reaches half of the depth, {depth}: the longest has {longest}"
    fitting_depth = int(ascending[(lists - 1) // 10])
    reaching = many(int((ascending >= fitting_depth).sum()), "list")
    have = "has" if short_lists == 1 else "have"
    return (
        f"{short_lists} of {lists} lists {have} less than half of the depth, {depth}: "
        f"depth={fitting_depth} fits most, as {reaching} reach it"
    )


def _of_lists(lengths: IntArray) -> IntArray:
    """Lengths of lists that are there, ascending, (lists,)."""
    return np.sort(lengths[lengths > 0])
