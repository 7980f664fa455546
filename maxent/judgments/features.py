"""Features of documents from runs: the rank in each run, and the agreement of the runs.

The moments of the model (:mod:`maxent.judgments.fit`) are sums of features over documents: for each run the
logarithm of the rank, and for all runs together reciprocal-rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009),
the best rank, the share of the runs that return the document, and the share that return it among their first 20.
Fusion and the last share also have a square and a hinge, because the log-odds of relevance are not linear in them.
Labels, if there are any, are also features.
"""

from typing import NamedTuple, Self

import numpy as np

from maxent.judgments.pools import Pool, Pools
from maxent.types import FloatArray

FUSION, TOP = 60, 20  # constant of reciprocal-rank fusion; ranks that people may look at
COMMON = ("reciprocal-rank fusion", "best rank", "share of the runs", "share of the runs, top 20")
BENT = (0, 3)  # indices of the features with a square and a hinge
SQUARED = (-3, 4)  # range, in standard deviations, to which a feature is clipped before it is squared
CURVED = tuple(f"{COMMON[k]}, {kind}" for kind in ("square", "hinge") for k in BENT)


class Features(NamedTuple):
    """Definition of features, standardised over the judged documents, so that one penalty fits all."""

    runs: tuple[str, ...]
    labels: int  # the highest one
    mean: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, pools: Pools) -> Self:
        """Features of the documents of pools."""
        judged = np.concatenate([_plain(pool, pools.labels)[pool.judged] for pool in pools.topics])
        varies = np.ptp(judged, axis=0) > 0  # the standard deviation of equal numbers is 0 only up to rounding
        spread = np.where(varies, judged.std(axis=0), 1.0)
        return cls(pools.collection.runs, pools.labels, judged.mean(axis=0), spread)

    @property
    def names(self) -> list[str]:
        """Name of each feature."""
        runs = [f"rank in {run}" for run in self.runs]
        labels = [f"label {k} or more" for k in range(1, self.labels + 1)] + ["no label"] if self.labels else []
        return ["constant", *COMMON, *CURVED, *runs, *labels]

    def table(self, pool: Pool) -> FloatArray:
        """Features of the documents of a topic, (documents, features), in the order of ``names``."""
        plain = (_plain(pool, self.labels) - self.mean) / self.spread
        common, of_runs_and_labels = plain[:, : len(COMMON)], plain[:, len(COMMON) :]
        bent = common[:, BENT]
        curved = np.hstack([np.clip(bent, *SQUARED) ** 2, np.maximum(bent - 1, 0)])  # squares, then hinges
        return np.hstack([np.ones((len(plain), 1)), common, curved, of_runs_and_labels])


def _plain(pool: Pool, labels: int) -> FloatArray:
    """Features before standardisation, without those derived from others, (documents, features)."""
    ranks, after = pool.ranks, pool.lists.shape[1] + 1  # (runs, documents), and the rank after the end of a list
    is_returned = ranks > 0
    fusion = np.where(is_returned, 1 / (FUSION + ranks), 0.0).mean(axis=0)
    best = np.minimum(pool.best, 2 * after)  # infinite where no run returns a document
    common = [
        np.log(fusion + 1e-4),
        np.log(best),
        is_returned.mean(axis=0),
        np.sqrt((is_returned & (ranks <= TOP)).mean(axis=0)),
    ]
    of_runs = np.log(after / np.where(is_returned, ranks, after))
    of_labels = [pool.labels >= k for k in range(1, labels + 1)] + [pool.labels < 0] if labels else []
    return np.vstack([*common, *of_runs, *of_labels]).T
