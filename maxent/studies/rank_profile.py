"""Shares of the grades at each rank in lists of a collection: a learned reference."""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import studied
from maxent.data.inputs import Qrels, Runs
from maxent.errors import ProblemError
from maxent.options import CollectOptions, Sources, takes
from maxent.problem.reference import Reference
from maxent.studies.reading_words import TOPICS
from maxent.types import FloatArray

FOLDS = 5  # topic k of a collection is in fold k modulo this number
WIDTH = 0.15  # of the Gaussian with which shares are smoothed over the logarithm of the rank
PRIOR = 0.5  # documents of each grade that are added at each rank, so that no share is 0


@takes(Sources, CollectOptions)
def rank_profile(
    runs: Runs | Collection, qrels: Qrels | None = None, **options: Unpack[CollectOptions]
) -> pd.DataFrame:
    """Share of each grade at each rank over all lists, as a reference for lists of other collections.

    Shares are smoothed over the logarithm of the rank by a Gaussian of standard deviation 0.15. Studies with
    ``reference="topics"`` compute such a profile for the topics of each of five folds, from lists of the other four
    folds; the k-th topic is in fold k modulo 5.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`.

    Returns
    -------
    DataFrame
        A row for each rank (the index) and a column for each grade 0..levels, to be used as the ``reference`` of a
        :class:`maxent.Problem` or of a study of the same depth.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=10, depth=100)
    >>> profile = me.studies.rank_profile(runs, qrels, depth=100)
    >>> profile.loc[10].round(2).to_dict()
    {0: 0.32, 1: 0.15, 2: 0.53}
    >>> table = me.informativeness(runs, qrels, measures=["AP"], reference=profile, min_retrieved=1, depth=100)
    """
    collection = studied(runs, qrels, options)
    shares = _smooth(_numbers(collection), range(len(collection.topics)))
    ranks = pd.RangeIndex(1, collection.depth + 1, name="rank")
    return pd.DataFrame(shares, index=ranks, columns=range(collection.levels + 1))


def topic_references(collection: Collection, reference: Reference) -> Sequence[Reference]:
    """Reference of each topic: ``reference`` itself or, for ``topics``, the rank profile of the other folds."""
    topics = len(collection.topics)
    if reference != TOPICS:
        return [reference] * topics
    if topics < 2:
        raise ProblemError("reference=topics needs lists of other topics, but the collection has one topic only")
    numbers, folds = _numbers(collection), min(FOLDS, topics)
    profiles = [_smooth(numbers, [k for k in range(topics) if k % folds != fold]) for fold in range(folds)]
    return [profiles[k % folds] for k in range(topics)]


def _numbers(collection: Collection) -> FloatArray:
    """Number of lists of each topic with each grade at each rank, (topics, depth, levels + 1)."""
    grades = range(collection.levels + 1)
    numbers = []
    for lists, missing in zip(collection.grades, collection.missing, strict=True):
        returned = lists[~missing]  # (runs, depth)
        numbers.append(np.stack([(returned == grade).sum(axis=0) for grade in grades], axis=1))
    return np.array(numbers, dtype=float)


def _smooth(numbers: FloatArray, topics: Sequence[int]) -> FloatArray:
    """Shares of grades in lists of some topics, smoothed over the logarithm of the rank, (depth, levels + 1).

    ``numbers`` is from :func:`_numbers`.
    """
    total = numbers[topics].sum(axis=0) + PRIOR
    shares = total / total.sum(axis=1, keepdims=True)
    # row n of the kernel weighs the ranks m of all shares: exp(-((log n - log m) / WIDTH)^2 / 2)
    logs = np.log(np.arange(1.0, len(total) + 1))
    kernel = np.exp(-0.5 * ((logs[:, None] - logs) / WIDTH) ** 2)
    smooth = kernel @ shares
    return np.asarray(smooth / smooth.sum(axis=1, keepdims=True))
