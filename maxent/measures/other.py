"""Measures that need more than a form of the grades: Bpref, ranked half-life, average distance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.gain import check_level, gain_values, per, ranks
from maxent.measures.measure import Judged, Measure
from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class Bpref(Measure):
    """Binary preference: few judged non-relevant before relevant documents.

    Grades >= ``rel`` are relevant, lower ones that are judged are not; unjudged documents and negative judgments do
    not count, as in trec_eval. Which documents of grade 0 are judged, :func:`maxent.evaluate` looks up; a direct
    call says it: ``evaluate(grades, relevant, judged=Judged(nonrelevant, total))``.
    """

    rel: int = 1
    reference: ClassVar[str] = "xGAP paper 6 (Buckley and Voorhees 2004)"

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: Judged | None) -> FloatArray:
        check_level(self.rel, len(relevant))
        if judged is None:
            raise MeasureError(
                f"{self} needs to know which documents are judged non-relevant: evaluate(judged=...)"
            )
        hit = grades >= self.rel
        nonrelevant = ((grades > 0) & ~hit) | ((grades == 0) & judged.nonrelevant)
        preceding = np.cumsum(nonrelevant, axis=-1)
        R, N = float(relevant[self.rel - 1 :].sum()), judged.total + float(relevant[: self.rel - 1].sum())
        if preceding.max(initial=0) > N:
            raise MeasureError(f"a list has {preceding.max()} documents judged non-relevant, the topic only {N:g}")
        # sum over relevant documents of 1 - min(preceding, R) / min(R, N)
        return np.asarray((hit * (1 - np.minimum(preceding, R) * per(min(R, N)))).sum(axis=-1) * per(R))


@dataclass(frozen=True, kw_only=True)
class RHL(Measure):
    """Ranked half-life: rank at which half of the list's gain is reached; lower is better.

    The median for grouped data: rank n stands for the interval from n - 1 to n, over which its gain is spread. A
    list without gain never reaches half of anything: infinity, and so is a mean over topics with such a list.

    Parameters
    ----------
    gain
        ``linear`` (the grade itself), ``exp2``, ``exp``, or one number for each positive grade.
    """

    gain: str | tuple[float, ...] = "linear"
    reference: ClassVar[str] = "Kishida 4.1.3 (Borlund and Ingwersen 1998)"

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: Judged | None) -> FloatArray:
        x = np.concatenate(([0.0], gain_values(self.gain, len(relevant))))[grades]
        reached = np.cumsum(x, axis=-1)
        half = reached[..., -1:] / 2
        # the first rank that reaches half, but for rounding: equality must not skip to the next document
        median = (reached >= half * (1 - 1e-12)).argmax(axis=-1)[..., None]
        own = np.take_along_axis(x, median, axis=-1)
        before = np.take_along_axis(reached, median, axis=-1) - own
        part = np.divide(half - before, own, out=np.full(half.shape, np.inf), where=own > 0)
        return np.asarray((median + part)[..., 0])


@dataclass(frozen=True, kw_only=True)
class ADM(Measure):
    """Average distance measure: 1 - mean |estimated - actual relevance|.

    Parameters
    ----------
    gain
        Actual relevance is the gain as a share of the largest: ``linear``, ``exp2``, ``exp``, or one number for
        each positive grade.
    size
        Number of documents in the database; None: the depth and the relevant documents that the list misses.

    Notes
    -----
    A ranked list implies estimates that fall linearly, from 1 at the first rank by 1/depth a rank; a document that
    is not in the list has estimate 0. Ranks to which a short list is padded count as documents that are not
    relevant: evaluate to the depth of the lists.
    """

    gain: str | tuple[float, ...] = "linear"
    size: int | None = None
    reference: ClassVar[str] = "Kishida eq. 38 (Della Mea and Mizzaro 2004)"

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: Judged | None) -> FloatArray:
        gains = gain_values(self.gain, len(relevant))
        gains = gains * per(float(gains.max()))
        depth = grades.shape[-1]
        estimates = ranks(depth)[::-1] / depth
        found = np.stack([(grades == i).sum(axis=-1) for i in range(1, len(relevant) + 1)], axis=-1)
        missed = np.clip(relevant - found, 0, None)
        known = depth + missed.sum(axis=-1)
        if self.size is not None and known.max(initial=0) > self.size:
            raise MeasureError(f"{self}: the list and the relevant documents it misses are {known.max():g}")
        distance = np.abs(estimates - np.concatenate(([0.0], gains))[grades]).sum(axis=-1) + missed @ gains
        return np.asarray(1 - distance / (self.size or known))
