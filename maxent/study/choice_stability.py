"""How many topics a choice of g takes: choices from random sets of topics against the choice from all topics."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from maxent.errors import ProblemError
from maxent.study.bootstrap import topic_bootstrap
from maxent.study.choose_g import comparable, mean_objective


def choice_stability(
    table: pd.DataFrame,
    *,
    sizes: Sequence[int],
    weights: Mapping[int, float] | None = None,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """How the choice of g from random sets of topics compares with the choice from all topics, by size of the set.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    sizes : sequence of int
        Numbers of topics of a set, drawn with replacement from the topics with a solved list.
    weights, replicates, rng
        Weights of the thresholds; number of sets of each size, and the generator or seed that draws them.

    Returns
    -------
    DataFrame
        One row per size: topics, share_same (share of the sets with the same choice as all topics), excess and
        excess_high (mean and 95 % quantile of the loss by the choice from a set: the objective of its g over all
        topics minus the smallest objective).

    Raises
    ------
    ProblemError
        As for :func:`maxent.choose_from`, or if a size is not positive.
    """
    if not sizes or min(sizes) < 1:
        raise ProblemError(f"numbers of topics must be positive, got {list(sizes)}")
    solved, share, order = comparable(table, weights)
    objective = mean_objective(solved, share, order)[1]
    generator = np.random.default_rng(rng)
    rows = []
    for size in sizes:
        boot = topic_bootstrap(solved, ["measure", "threshold"], topics=size, replicates=replicates, rng=generator)
        sampled = pd.DataFrame({m: boot[m][share.index] @ share for m in order}).dropna()
        chosen = sampled.idxmin(axis=1)
        excess = chosen.map(objective) - objective.min()
        rows.append((size, float((chosen == objective.idxmin()).mean()), excess.mean(), excess.quantile(0.95)))
    return pd.DataFrame(rows, columns=["topics", "share_same", "excess", "excess_high"])
