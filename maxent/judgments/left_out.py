"""Calibration of the model: documents that one run alone returns at the top, predicted without their judgments.

A run outside the pool has documents at the top that no other run has there, and nobody judged them. The model may
expect too much of them. So each run in turn is left out of the pool: the judgments of the documents that it alone
returns among its first ones are hidden, the model learns from all others, and predicts the hidden ones.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from maxent.data.inspect_run import FIRST
from maxent.judgments.fit import Step
from maxent.judgments.pools import Pool
from maxent.texts import many
from maxent.types import BoolArray

OFF = 0.05  # a larger difference in a pool withholds means, see draws.py


class LeftOut(NamedTuple):
    """Judged documents of runs left out, and how many of them are relevant."""

    documents: int
    predicted: float
    observed: int

    @property
    def is_off(self) -> bool:
        """Whether the shares of relevant documents differ by more than OFF, and by two standard errors."""
        if not self.documents:
            return False
        observed = self.observed / self.documents
        error = np.sqrt(observed * (1 - observed) / self.documents)
        return bool(abs(self.predicted / self.documents - observed) > max(OFF, 2 * error))

    def __str__(self) -> str:
        documents = f"{many(self.documents, 'judged document')} that one run alone returns among its first {FIRST}"
        if not self.documents:
            return f"calibration: {documents}"
        predicted, observed = self.predicted / self.documents, self.observed / self.documents
        return (
            f"calibration, each run left out in turn: {predicted:.2f} predicted relevant, {observed:.2f} are, of "
            f"{documents}"
        )


def left_out(step: Step, pools: Sequence[Pool]) -> LeftOut:
    """Relevance of the documents of each run left out, by the step from grade 0 and as judged.

    The penalties stay those of all judgments.
    """
    documents, predicted, observed = 0, 0.0, 0
    for run in range(len(pools[0].lists)):
        hidden = [_alone(pool, run)[pool.judged] for pool in pools]  # (judged documents,) of each topic
        number = sum(int(is_hidden.sum()) for is_hidden in hidden)
        if number == 0:
            continue
        tables = [x[is_hidden] for x, is_hidden in zip(step.tables, hidden, strict=True)]
        chances = step.without(hidden).solved().chances(tables)
        predicted += sum(float(of_topic.sum()) for of_topic in chances)
        observed += sum(int(hit[is_hidden].sum()) for hit, is_hidden in zip(step.hits, hidden, strict=True))
        documents += number
    return LeftOut(documents, predicted, observed)


def _alone(pool: Pool, run: int) -> BoolArray:
    """Whether each document is among the first ones of this run, and of no other, (documents,)."""
    is_first = (pool.ranks > 0) & (pool.ranks <= FIRST)  # (runs, documents)
    return np.asarray(is_first[run] & (is_first.sum(axis=0) == 1))
