"""Lengths of lists: the typical length, which studies take, and whether lengths are mixed."""

import numpy as np

from maxent.limits import LONGEST
from maxent.texts import many
from maxent.types import IntArray


def typical_length(lengths: IntArray) -> int:
    """Median of the lengths of lists, or the smaller of two middle ones, at most ``LONGEST``; 0 is no list."""
    of_lists = _of_lists(lengths)
    return min(int(of_lists[(len(of_lists) - 1) // 2]), LONGEST) if len(of_lists) else 1


def mixed_lengths(lengths: IntArray, depth: int) -> str:
    """Caution that a tenth or more of the lists have less than half of the depth; empty if fewer have.

    The depth that fits most is the largest that more than nine tenths of the lists reach.
    """
    of_lists = _of_lists(lengths)
    number, few = len(of_lists), int((2 * of_lists < depth).sum())
    if not number or 10 * few < number:
        return ""
    if few == number:
        return f"no list reaches half of the depth, {depth}: the longest has {many(int(of_lists[-1]), 'document')}"
    fits = int(of_lists[(number - 1) // 10])
    reach = many(int((of_lists >= fits).sum()), "list")
    have = f"{few} of {number} lists {'has' if few == 1 else 'have'} less than half of the depth, {depth}"
    return f"{have}: depth={fits} fits most, as {reach} reach it"


def _of_lists(lengths: IntArray) -> IntArray:
    """Lengths of lists that are there, sorted."""
    return np.sort(lengths[lengths > 0])
