"""Other measures that are not pairwise forms: Bpref, Judged, ranked half-life, average distance measure."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.describe import Example
from maxent.measures.form import grade_counts
from maxent.measures.gain import check_level, gain_values, ranks, reciprocal
from maxent.measures.judged import JudgedNonrelevant, is_judged
from maxent.measures.measure import Measure
from maxent.measures.names import register_measure
from maxent.measures.parameters import Cutoff, Gain, Rel, Size
from maxent.types import FloatArray, IntArray


@register_measure
@dataclass(frozen=True, kw_only=True)
class Bpref(Measure):
    """Binary preference: how few judged non-relevant documents precede the relevant ones.

    Judged documents of grades below ``rel`` count as non-relevant. Unjudged documents and negative judgments do not
    count, as in trec_eval. ``maxent.evaluate`` takes judged documents from the judgments; pass them to the method
    ``evaluate`` as in ``evaluate(grades, relevant, judged=JudgedNonrelevant(nonrelevant, total))``.

    Examples
    --------
    One judged non-relevant document precedes the second of two relevant ones: (1 + (1 - 1/2)) / 2.

    >>> import maxent as me
    >>> judged = me.measures.JudgedNonrelevant(nonrelevant=[False, True, False, False], total=3)
    >>> round(float(me.Bpref().evaluate([1, 0, 1, 0], (2,), judged=judged)), 4)
    0.75
    """

    rel: Rel = 1
    reference: ClassVar[str] = "xGAP paper 6 (Buckley and Voorhees 2004)"

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: JudgedNonrelevant | None) -> FloatArray:
        check_level(self.rel, len(relevant))
        if judged is None:
            raise MeasureError(
                f"{self} needs to know which documents are judged non-relevant: evaluate(judged=...)"
            )
        hit = grades >= self.rel
        nonrelevant = ((grades > 0) & ~hit) | ((grades == 0) & judged.nonrelevant)
        preceding = np.cumsum(nonrelevant, axis=-1)
        R = float(relevant[self.rel - 1 :].sum())
        N = judged.total + float(relevant[: self.rel - 1].sum())  # judged non-relevant documents of the topic
        if preceding.max(initial=0) > N:
            raise MeasureError(f"a list has {preceding.max()} documents judged non-relevant, the topic only {N:g}")
        # sum over relevant documents of 1 - min(preceding, R) / min(R, N)
        terms = hit * (1 - np.minimum(preceding, R) * reciprocal(min(R, N)))
        return np.asarray(terms.sum(axis=-1) * reciprocal(R))


@register_measure
@dataclass(frozen=True, kw_only=True)
class Judged(Measure):
    """Share of the first ``cutoff`` documents that are judged, relevant or not.

    ``maxent.evaluate`` takes judged documents from the judgments; the method ``evaluate`` needs ``judged``, as for
    Bpref.

    Notes
    -----
    Documents with negative judgments count as unjudged, as for Bpref; in ir_measures they count as judged.

    Examples
    --------
    Of four documents, the first two are judged:

    >>> import maxent as me
    >>> judged = me.measures.JudgedNonrelevant(nonrelevant=[True, False, False, False], total=3)
    >>> round(float(me.Judged(cutoff=4).evaluate([0, 1, 0, 0], (2,), judged=judged)), 4)
    0.5
    """

    cutoff: Cutoff
    reference: ClassVar[str] = "ir_measures"

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: JudgedNonrelevant | None) -> FloatArray:
        return np.asarray(is_judged(self, grades, judged)[..., : self.cutoff].sum(axis=-1) / self.cutoff)


@register_measure
@dataclass(frozen=True, kw_only=True)
class RHL(Measure):
    """Ranked half-life: rank at which half of the list's gain is reached; lower is better.

    This is the median for grouped data: the gain of rank n is spread evenly over the interval from n - 1 to n. The
    value of a list without gain is infinite, and so is a mean over topics that includes such a list.
    """

    gain: Gain = "linear"
    reference: ClassVar[str] = "Kishida 4.1.3 (Borlund and Ingwersen 1998)"
    example: ClassVar = Example(0.75, "half of the gain of 3 is reached at three quarters of rank 1")

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: JudgedNonrelevant | None) -> FloatArray:
        x = np.concatenate(([0.0], gain_values(self.gain, len(relevant))))[grades]
        reached = np.cumsum(x, axis=-1)
        half = reached[..., -1:] / 2
        # the tolerance: rounding must not make a rank that reaches exactly half miss it
        ranks_above = (reached >= half * (1 - 1e-12)).argmax(axis=-1)[..., None]  # above the rank that reaches half
        gain = np.take_along_axis(x, ranks_above, axis=-1)
        before = np.take_along_axis(reached, ranks_above, axis=-1) - gain
        # infinite without gain
        share_of_rank = np.divide(half - before, gain, out=np.full(half.shape, np.inf), where=gain > 0)
        return np.asarray((ranks_above + share_of_rank)[..., 0])


@register_measure
@dataclass(frozen=True, kw_only=True)
class ADM(Measure):
    """Average distance measure: 1 minus the mean of abs(estimated - actual relevance).

    Actual relevance is the gain divided by the largest gain. Without ``size``, the mean is over the ranks of the
    list and the relevant documents not in the list.

    Notes
    -----
    The estimated relevance is 1 at the first rank and falls by 1/depth with each rank; it is 0 for documents that
    are not in the list. Padded ranks of a short list count as non-relevant documents. To avoid this, evaluate to
    the depth of the lists.
    """

    gain: Gain = "linear"
    size: Size | None = None
    reference: ClassVar[str] = "Kishida eq. 38 (Della Mea and Mizzaro 2004)"
    example: ClassVar = Example(
        0.7, "estimates are 1, .75, .5, .25 and, for the missing document, 0; actual values are 1, 0, .5, 0 and .5"
    )

    def _evaluate(self, grades: IntArray, relevant: FloatArray, judged: JudgedNonrelevant | None) -> FloatArray:
        gains = gain_values(self.gain, len(relevant))
        gains = gains * reciprocal(float(gains.max()))
        depth = grades.shape[-1]
        estimates = ranks(depth)[::-1] / depth
        retrieved = grade_counts(grades, len(relevant))
        missed = np.clip(relevant - retrieved, 0, None)
        least_size = depth + missed.sum(axis=-1)
        if self.size is not None and least_size.max(initial=0) > self.size:
            raise MeasureError(f"{self}: the list and the relevant documents it misses are {least_size.max():g}")
        actual = np.concatenate(([0.0], gains))[grades]
        distance = np.abs(estimates - actual).sum(axis=-1) + missed @ gains  # estimates of the missed are 0
        return np.asarray(1 - distance / (self.size or least_size))
