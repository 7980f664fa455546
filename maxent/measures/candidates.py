"""Candidates for g: GAP with these threshold probabilities, or nDCG whose gains are their sums."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from maxent.measures.cumulated import nDCG
from maxent.measures.graded import GAP
from maxent.measures.measure import Measure
from maxent.measures.parse import measure_or_none

Kind = Literal["GAP", "nDCG"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def candidate(kind: Kind, g: Iterable[float]) -> GAP | nDCG:
    """GAP(g), or nDCG with the gains G_i = g_1 + ... + g_i, the last of which is exactly 1."""
    if kind == "GAP":
        return GAP(g=tuple(g))
    *gains, _ = np.cumsum(tuple(g)).tolist()
    return nDCG(gain=(*gains, 1.0))


def g_of(measure: Measure) -> tuple[float, ...] | None:
    """The g of a candidate, or None for a measure that is none: the inverse of :func:`candidate`.

    Candidates have numbers for g or gains, gains that do not fall, and no other parameter. The g of nDCG are the
    steps of its gains from grade to grade, as shares of the last gain.
    """
    if isinstance(measure, GAP) and isinstance(measure.g, tuple) and measure == GAP(g=measure.g):
        return measure.g
    if isinstance(measure, nDCG) and isinstance(measure.gain, tuple) and measure == nDCG(gain=measure.gain):
        return _steps(measure.gain)
    return None


def _steps(gains: tuple[float, ...]) -> tuple[float, ...] | None:
    """Steps of gains from grade to grade, as shares of the last gain; None if they fall."""
    if gains[-1] == 0:
        return None
    steps = tuple(round((high - low) / gains[-1], 12) for low, high in pairwise((0.0, *gains)))
    return steps if min(steps) >= 0 else None


def candidates_of(texts: Iterable[str], kind: Kind = "GAP") -> dict[str, tuple[float, ...]]:
    """The g of each candidate of a kind among the measures of a table, by text form."""
    of_kind = GAP if kind == "GAP" else nDCG
    measures = {text: measure_or_none(text) for text in dict.fromkeys(texts)}
    g_by_text = {text: g_of(measure) for text, measure in measures.items() if isinstance(measure, of_kind)}
    return {text: g for text, g in g_by_text.items() if g is not None}
