"""Which threshold probabilities g? Those whose GAP is the most informative on the collection at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from maxent.curves import Align
from maxent.data.collection import Collection, Runs, collect
from maxent.errors import ProblemError
from maxent.measures import GAP, g_grid, parse_measure
from maxent.problem import Count
from maxent.study.informativeness import study_collection
from maxent.study.options import StudyOptions
from maxent.study.refine_g import observed_lists, refine_g
from maxent.study.summary import topic_bootstrap
from maxent.study.topics import SOLVED


@dataclass(frozen=True, eq=False)
class GChoice:
    """The g with the smallest weighted mean RMS error, and how it compares to its alternatives.

    Attributes
    ----------
    g : (levels,) tuple
    table : DataFrame
        One row per candidate, in the order of the grid, a refined one last: measure, g_1..g_c, objective (weighted
        mean RMS over the thresholds), low and high (95 % bootstrap interval over topics), excess_low and
        excess_high (the same for the difference to the chosen g), share_best (share of bootstrap replicates in
        which this candidate wins), rms_t1.. (mean RMS by threshold), lists.
    """

    g: tuple[float, ...]
    table: pd.DataFrame

    @property
    def measure(self) -> GAP:
        """GAP with the chosen g."""
        return GAP(g=self.g)


def choose_g(
    runs: Runs,
    qrels: pd.DataFrame,
    *,
    candidates: Sequence[tuple[float, ...]] | None = None,
    steps: int = 9,
    refine: bool = True,
    weights: Mapping[int, float] | None = None,
    count: Count = "retrieved",
    min_retrieved: int = 5,
    depth: int = 1000,
    align: Align = "recall",
    topics: Sequence[str] | None = None,
    solver: str = "auto",
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> GChoice:
    """Sweep GAP(g), choose the most informative g, and refine it between the points of the grid.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.informativeness`.
    candidates : sequence of (levels,) tuples, optional
        Default: :func:`maxent.g_grid` with ``steps`` points along an edge.
    steps : int
    refine : bool
        Start a local optimisation (SLSQP with the analytic gradient of :func:`maxent.sensitivity`) at the best
        candidate, and add its end, rounded to four decimals, as one more candidate if it is better. It costs about
        as much as 5 to 15 more candidates.
    weights : mapping from threshold to weight, optional
        How much the curve at each threshold matters; default: all alike.
    count, min_retrieved, depth, align, topics, solver, jobs, progress, checkpoint
        As for :func:`maxent.informativeness`.
    replicates, rng
        Bootstrap over topics.

    Returns
    -------
    GChoice
    """
    collection = collect(runs, qrels, depth=depth, topics=topics)
    grid = candidates if candidates is not None else g_grid(levels=collection.levels, steps=steps)
    options = StudyOptions(
        measures=tuple(GAP(g=g) for g in grid),
        thresholds=tuple(range(1, collection.levels + 1)),
        count=count,
        min_retrieved=min_retrieved,
        align=align,
        solver=solver,
        jobs=jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    table = study_collection(collection, options)
    if not refine:
        return choose_from(table, weights=weights, replicates=replicates, rng=rng)
    return choose_refined(table, collection, options, weights=weights, replicates=replicates, rng=rng)


def choose_from(
    table: pd.DataFrame,
    *,
    weights: Mapping[int, float] | None = None,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> GChoice:
    """Choose g from a finished study; measures other than GAP are ignored.

    Only lists on which every candidate was solved count, so that all candidates are compared on the same lists.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    weights : mapping from threshold to weight, optional
    replicates, rng
        Bootstrap over topics.

    Raises
    ------
    ProblemError
        If the table has no GAP, no list that all candidates solved, or the weights make no sense.
    """
    solved, share, order = _comparable(table, weights)
    rms, objective = _objective(solved, share, order)
    best = str(objective.idxmin())
    boot = topic_bootstrap(solved, ["measure", "threshold"], replicates=replicates, rng=rng)
    sampled = pd.DataFrame({m: boot[m][share.index] @ share for m in order})
    excess = sampled.sub(sampled[best], axis=0)
    candidates = [parse_measure(m) for m in order]
    g = [m.g for m in candidates if isinstance(m, GAP)]
    alternatives = pd.DataFrame({"measure": order})
    alternatives[[f"g_{k + 1}" for k in range(len(g[0]))]] = g
    alternatives["objective"] = objective.to_numpy()
    for name, frame in (("", sampled), ("excess_", excess)):
        for end, q in (("low", 0.025), ("high", 0.975)):
            alternatives[name + end] = frame.quantile(q).to_numpy()
    wins = sampled.dropna().idxmin(axis=1).value_counts(normalize=True)
    alternatives["share_best"] = wins.reindex(order).fillna(0.0).to_numpy()
    alternatives[[f"rms_t{t}" for t in share.index]] = rms.to_numpy()
    alternatives["lists"] = len(solved.drop_duplicates(["run_id", "query_id"]))
    return GChoice(g[order.index(best)], alternatives)


def choice_stability(
    table: pd.DataFrame,
    *,
    sizes: Sequence[int],
    weights: Mapping[int, float] | None = None,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """How many topics it takes to choose g: the choice from random sets of topics against that from all.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    sizes : sequence of int
        Numbers of topics, drawn with replacement from those that have a list.
    weights : mapping from threshold to weight, optional
    replicates, rng
        Sets of topics of each size.

    Returns
    -------
    DataFrame
        One row per size: topics, share_same (share of the sets that choose as all topics do), excess and
        excess_high (mean and 95 % quantile of what the choice costs: its objective over all topics minus the best).

    Raises
    ------
    ProblemError
        As :func:`choose_from`, or if a size is not positive.
    """
    if not sizes or min(sizes) < 1:
        raise ProblemError(f"numbers of topics must be positive, got {list(sizes)}")
    solved, share, order = _comparable(table, weights)
    objective = _objective(solved, share, order)[1]
    generator = np.random.default_rng(rng)
    rows = []
    for size in sizes:
        boot = topic_bootstrap(solved, ["measure", "threshold"], topics=size, replicates=replicates, rng=generator)
        sampled = pd.DataFrame({m: boot[m][share.index] @ share for m in order}).dropna()
        chosen = sampled.idxmin(axis=1)
        excess = chosen.map(objective) - objective.min()
        rows.append((size, float((chosen == objective.idxmin()).mean()), excess.mean(), excess.quantile(0.95)))
    return pd.DataFrame(rows, columns=["topics", "share_same", "excess", "excess_high"])


def choose_refined(
    table: pd.DataFrame,
    collection: Collection,
    options: StudyOptions,
    *,
    weights: Mapping[int, float] | None = None,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> GChoice:
    """As :func:`choose_from`, with one more candidate: the best one after :func:`maxent.study.refine_g.refine_g`.

    Parameters
    ----------
    table : DataFrame
        Study of ``collection`` with ``options``.
    collection : Collection
    options : StudyOptions
    weights, replicates, rng
        As for :func:`choose_from`.

    Returns
    -------
    GChoice
        With the refined candidate only if it is the best.
    """
    choice = choose_from(table, weights=weights, replicates=replicates, rng=rng)
    if collection.levels == 1:
        return choice
    shares = threshold_shares(weights, options.thresholds)
    solved = _solved_by_all(table[table["measure"].str.startswith("GAP(")])
    keys = solved[["run_id", "query_id"]].drop_duplicates().itertuples(index=False, name=None)
    lists = observed_lists(collection, keys, list(shares.index))
    refined = GAP(g=refine_g(choice.g, lists, shares, options))
    if refined in options.measures:
        return choice
    more = study_collection(collection, replace(options, measures=(refined,), checkpoint=None))
    both = pd.concat([table, more], ignore_index=True)
    again = choose_from(both, weights=weights, replicates=replicates, rng=rng)
    return again if again.measure == refined else choice


def _comparable(
    table: pd.DataFrame, weights: Mapping[int, float] | None
) -> tuple[pd.DataFrame, pd.Series, list[str]]:
    """Rows of the lists that every candidate solved, shares of the thresholds, candidates in their order."""
    gap = table[table["measure"].str.startswith("GAP(")]
    if gap.empty:
        raise ProblemError("the table has no GAP measure to choose from")
    share = threshold_shares(weights, sorted(gap["threshold"].unique()))
    solved = _solved_by_all(gap)
    solved = solved[solved["threshold"].isin(share.index)]
    if solved.empty:
        raise ProblemError("there is no list on which every candidate was solved: no g can be chosen")
    return solved, share, list(dict.fromkeys(gap["measure"]))


def _objective(solved: pd.DataFrame, share: pd.Series, order: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """Mean RMS by candidate and threshold, and its weighted mean over the thresholds."""
    rms = solved.groupby(["measure", "threshold"])["rms"].mean().unstack("threshold").loc[order, share.index]
    return rms, rms @ share


def _solved_by_all(gap: pd.DataFrame) -> pd.DataFrame:
    """Rows of the lists on which every candidate was solved."""
    return gap[gap.groupby(["run_id", "query_id"])["status"].transform(lambda s: s.isin(SOLVED).all())]


def threshold_shares(weights: Mapping[int, float] | None, thresholds: Sequence[int]) -> pd.Series:
    """Weights that sum to 1, by threshold; None weighs all alike.

    Raises
    ------
    ProblemError
        If a threshold is not one of ``thresholds``, a weight negative, or none positive.
    """
    if weights is None:
        weights = dict.fromkeys(thresholds, 1.0)
    unknown = sorted(set(weights) - set(thresholds))
    if unknown:
        raise ProblemError(f"weights for thresholds {unknown}, but the study has {list(thresholds)}")
    if not all(w >= 0 for w in weights.values()) or not sum(weights.values()) > 0:
        raise ProblemError(f"weights must not be negative, and one must be positive, got {dict(weights)}")
    used = pd.Series({t: w for t, w in sorted(weights.items()) if w > 0}, dtype=float)
    return used / used.sum()
