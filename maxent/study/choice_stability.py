"""How far a choice can be trusted: from random sets of topics, and judged on topics that had no part in it."""

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import REPETITIONS, whole_number
from maxent.errors import ProblemError, require_columns
from maxent.measures import Measure
from maxent.options import takes
from maxent.study.choose_g import comparable
from maxent.study.compare import ROUNDING, STUDY, bootstrapped, common_lists, measures_in, threshold_shares
from maxent.study.options import BootstrapKeywords
from maxent.types import FloatArray


@takes(BootstrapKeywords)
def choice_stability(
    table: pd.DataFrame,
    *,
    sizes: Sequence[int],
    weights: Mapping[int, float] | None = None,
    **options: Unpack[BootstrapKeywords],
) -> pd.DataFrame:
    """How the choice of g from random sets of topics compares with the choice from all topics, by size of the set.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    sizes : sequence of int
        Numbers of topics of a set, drawn with replacement from the topics with a list solved for every candidate.
        A size above their number stands for a larger collection of such topics; the fewer there are, the less it
        says.
    weights : mapping from threshold to weight, optional
        As for :func:`maxent.choose_g`.

    Returns
    -------
    DataFrame
        One row per size: topics, share_same (share of the sets with the same choice as all topics), excess and
        excess_high (mean and 95 % quantile of the loss by the choice from a set: the objective of its g over all
        topics minus the smallest objective).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> grid = [me.GAP(g=g) for g in me.g_grid(levels=2, steps=3)]
    >>> table = me.informativeness(runs, qrels, measures=grid, depth=100, min_retrieved=1, progress=False)
    >>> me.study.choice_stability(table, sizes=(2, 4), replicates=50)[["topics", "share_same"]]
       topics  share_same
    0       2        0.48
    1       4        0.54
    """
    if not sizes or min(sizes) < 1:
        raise ProblemError(f"numbers of topics must be positive, got {list(sizes)}")
    solved, share = comparable(table, weights)
    if solved["query_id"].nunique() < 2:
        raise ProblemError("only 1 topic has a list solved for every candidate, sets need two or more to draw from")
    options["rng"] = np.random.default_rng(options["rng"])
    rows = []
    for size in sizes:
        compared = bootstrapped(solved, share, topics=size, **options)
        objective, sampled = compared[0].means, compared[0].samples
        chosen = sampled.dropna().idxmin(axis=1)
        excess = chosen.map(objective) - objective.min()
        rows.append((size, float((chosen == objective.idxmin()).mean()), excess.mean(), excess.quantile(0.95)))
    return pd.DataFrame(rows, columns=["topics", "share_same", "excess", "excess_high"])


def held_out(
    table: pd.DataFrame,
    *,
    candidates: Sequence[Measure | str] | None = None,
    references: Sequence[Measure | str] = ("AP",),
    weights: Mapping[int, float] | None = None,
    splits: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """How well a choice among measures does on topics that had no part in it.

    Each split divides the topics at random into two halves. The candidate with the smallest error on the first half
    is chosen and judged on the second. All measures are compared on the lists that every one of them solved.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    candidates : sequence of Measure or text, optional
        Measures to choose from; default: all of the table.
    references : sequence of Measure or text
        Measures of the table with which the choice is compared.
    weights : mapping from threshold to weight, optional
        As for :func:`maxent.choose_g`.
    splits, rng
        Number of splits, and the generator or seed that draws them.

    Returns
    -------
    DataFrame
        A row for each reference, and a first one for the candidate that is the best on the second half, so that its
        difference is the regret: reference (``best`` there), choice (the most frequent one), share (of the splits
        that choose it), rms (of the choice on the second half), difference (of rms to the reference), low, high (of
        95 % of the splits; they overlap, so this is no confidence interval), share_better (of the splits in which
        the choice has a smaller error than the reference), in_sample (the difference if all topics choose and
        judge).

    Raises
    ------
    ProblemError
        If a measure is not in the table, no list is solved for every measure, there are fewer than two topics with
        one, or the weights or splits make no sense.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> measures = ["AP", "GAP(g=0.5,0.5)", "nDCG", "P@10"]
    >>> table = me.informativeness(runs, qrels, measures=measures, min_retrieved=1, depth=100)
    >>> found = me.study.held_out(table, candidates=measures[:2], references=["AP", "P@10"], splits=100)
    >>> found[["reference", "choice", "share", "difference", "share_better"]].round(2)
      reference          choice  share  difference  share_better
    0      best  GAP(g=0.5,0.5)    1.0        0.00           0.0
    1        AP  GAP(g=0.5,0.5)    1.0       -0.02           1.0
    2      P@10  GAP(g=0.5,0.5)    1.0       -0.11           1.0
    """
    require_columns(table, STUDY, "table of a study")
    texts = list(dict.fromkeys(table["measure"])) if candidates is None else measures_in(table, candidates)
    others = measures_in(table, references)
    measures = list(dict.fromkeys([*texts, *others]))
    sums, sizes = _sums_by_topic(table, measures, weights)
    generator = np.random.default_rng(rng)
    splits = whole_number("splits", splits, raises=ProblemError, limit=REPETITIONS)
    halves = np.array([generator.permutation(len(sums)) < len(sums) // 2 for _ in range(splits)])
    everything = np.ones((1, len(sums)), dtype=bool)
    first, second, whole = (drawn @ sums / (drawn @ sizes)[:, None] for drawn in (halves, ~halves, everything))
    own = [measures.index(m) for m in texts]
    chosen = first[:, own].argmin(axis=1)
    reached, naive = second[range(splits), np.array(own)[chosen]], whole[0, own].min()
    counts = np.bincount(chosen, minlength=len(own))
    compared = {"best": (second[:, own].min(axis=1), naive)}
    compared |= {m: (second[:, measures.index(m)], whole[0, measures.index(m)]) for m in others}
    rows = []
    for name, (errors, overall) in compared.items():
        difference = reached - errors
        spread = difference.mean(), *np.quantile(difference, (0.025, 0.975)), (difference < -ROUNDING).mean()
        rows.append((name, texts[counts.argmax()], counts.max() / splits, reached.mean(), *spread, naive - overall))
    columns = ["reference", "choice", "share", "rms", "difference", "low", "high", "share_better", "in_sample"]
    return pd.DataFrame(rows, columns=columns)


def _sums_by_topic(
    table: pd.DataFrame, measures: list[str], weights: Mapping[int, float] | None
) -> tuple[FloatArray, FloatArray]:
    """Sums of the weighted errors over the lists of each topic, (topics, measures); numbers of lists, (topics,)."""
    share = threshold_shares(weights, sorted(set(table["threshold"])))
    rows = table[table["measure"].isin(measures) & table["threshold"].isin(share.index)]
    common = common_lists(rows)
    if common["query_id"].nunique() < 2:
        raise ProblemError("fewer than two topics have a list solved for every measure: nothing can be held out")
    weighted = common.assign(rms=common["rms"] * common["threshold"].map(share))
    sums = weighted.groupby(["query_id", "measure"])["rms"].sum().unstack("measure")[measures]
    sizes = common.groupby("query_id")["run_id"].nunique()
    return np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
