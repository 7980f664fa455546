"""Remove judgments from collections that have them all, and estimate the values with all judgments.

Documents without a judgment in the full collection are removed from the lists: nobody knows their grades.

- zero: unjudged documents have grade 0; condensed: they are removed from the lists
- infAP: Yilmaz and Aslam (CIKM 2006)
- bpref, beside AP as its authors have it: only its order of runs means something
- own list: their grades are drawn from the judged documents of the same list (Froebe et al., ECIR 2023)
- bounds: middle of the lowest and highest RBP that any grades give (its residual; Moffat and Zobel, TOIS 2008)
- model: ``unjudged="model"``

Columns: ``covers_topic`` and ``covers_mean`` are the shares of true values in 90 % bands of drawn grades, of single
topics and of means over the same topics, ``width`` is the mean width of the latter. ``covers_printed`` is for the
bands that ``maxent evaluate`` prints, with topics resampled. ``decided`` is the share of the pairs of runs whose
difference is positive or negative in 95 % of the draws, ``wrong`` the share of these with the wrong sign.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, in_processes, options, read, started, write
from matplotlib.figure import Figure
from scipy.stats import kendalltau

import maxent as me
from maxent.judgments.draws import DRAWS, Model, values_of
from maxent.judgments.estimates import BAND, mean_bands, value_bounds
from maxent.judgments.pools import Pool, Pools, pools_of
from maxent.options import READING_OPTIONS
from maxent.types import BoolArray, FloatArray

WAYS = ("random 5 %", "random 10 %", "random 25 %", "depth 5", "depth 10")
TEAM = 4  # letters of a run's name that say whose it is
EPSILON = 1e-5  # of infAP
OWN_DRAWS = 3  # of grades for each list and topic: their mean over topics hardly varies
RBP = me.RBP(p=0.8)


def known(pools: Pools) -> Pools:
    """Only the documents that the full judgments have."""
    return replace(pools, topics=tuple(some_documents(pool, pool.judged) for pool in pools.topics))


def some_documents(pool: Pool, chosen: BoolArray) -> Pool:
    """Pool of some of the documents."""
    number = np.append(np.where(chosen, np.cumsum(chosen) - 1, chosen.sum()), chosen.sum())
    return Pool(pool.topic, pool.ids[chosen], pool.grades[chosen], number[pool.lists], pool.labels[chosen])


def some_runs(pools: Pools, runs: Sequence[int]) -> Pools:
    """Pools of some of the runs: documents that they return, and topics in which one of these is relevant."""
    of_runs = [replace(pool, lists=pool.lists[runs]) for pool in pools.topics]
    topics = [some_documents(pool, np.asarray((pool.ranks > 0).any(axis=0))) for pool in of_runs]
    names = tuple(pools.collection.runs[run] for run in runs)
    relevant = tuple(pool for pool in topics if (pool.grades > 0).any())
    return replace(pools, collection=replace(pools.collection, runs=names), topics=relevant)


def reduced(pools: Pools, way: str, seed: int) -> tuple[Pools, Pools, BoolArray]:
    """All judgments, a part of them, and which runs took part in choosing it.

    ``depth``: a pool of half of the teams. ``pair``: three runs of different teams, a pool of two of them.
    ``relevant``: all relevant documents, and a share of the others.
    """
    rng = np.random.default_rng(seed)
    kind, share = way.split()[:2]
    names = np.array([run.removeprefix("input.")[:TEAM].lower() for run in pools.collection.runs])
    teams = rng.permutation(np.unique(names))
    if kind == "pair":
        pools = some_runs(pools, [int(rng.choice(np.flatnonzero(names == team))) for team in teams[:3]])
        pooled = np.array([True, True, False])
    else:
        half = teams[: max(2, len(teams) // 2)]
        pooled = np.isin(names, half) if kind == "depth" else np.full(len(names), True)
    parts = []
    for pool in pools.topics:
        if kind == "random":
            number = max(5, round(float(share) / 100 * len(pool.grades)))
            judged = np.isin(np.arange(len(pool.grades)), rng.permutation(len(pool.grades))[:number])
        elif kind == "relevant":
            judged = (pool.grades > 0) | (rng.random(len(pool.grades)) < float(share) / 100)
        else:
            ranks = pool.ranks[pooled]
            judged = ((ranks > 0) & (ranks <= int(share))).any(axis=0)
        parts.append(replace(pool, grades=np.where(judged, pool.grades, -1)))
    return pools, replace(pools, topics=tuple(parts)), pooled


def condensed(pool: Pool) -> Pool:
    """Lists without their unjudged documents."""
    order = np.argsort(~np.append(pool.judged, False)[pool.lists], axis=1, kind="stable")
    lists = np.take_along_axis(pool.lists, order, axis=1)
    judged = np.append(pool.judged, False)[lists]
    return replace(pool, lists=np.where(judged, lists, len(pool.grades)))


def inferred_ap(pool: Pool) -> FloatArray:
    """InfAP of each run."""
    relevant, judged = np.append(pool.grades > 0, False)[pool.lists], np.append(pool.judged, False)[pool.lists]
    above = np.arange(pool.lists.shape[1])
    hits, seen, pooled = (np.cumsum(x, axis=1) - x for x in (relevant, judged, pool.lists < len(pool.grades)))
    share = (hits + EPSILON) / (seen + 2 * EPSILON)
    precision = (1 + pooled * share) / (above + 1)
    return np.asarray((precision * relevant).sum(axis=1) / max(int((pool.grades > 0).sum()), 1))


def with_own_grades(
    pool: Pool, measures: Sequence[me.measures.Measure], levels: int, rng: np.random.Generator
) -> FloatArray:
    """Values (measures, runs, 1) with unjudged documents of a list graded like its judged ones, mean over draws."""
    values = np.empty((len(measures), len(pool.lists), OWN_DRAWS))
    for run, documents in enumerate(pool.lists):
        documents = documents[documents < len(pool.grades)]
        unjudged = documents[~pool.judged[documents]]
        judged = documents[pool.judged[documents]]
        counts = np.bincount(pool.grades[judged], minlength=levels + 1) + 1 / (levels + 1)
        grades = np.tile(pool.grades.clip(0), (OWN_DRAWS, 1))
        size = (OWN_DRAWS, len(unjudged))
        grades[:, unjudged] = rng.choice(levels + 1, p=counts / counts.sum(), size=size)
        values[:, run] = values_of(pool.lists[[run]], grades, measures, levels)[:, 0]
    return np.asarray(values.mean(axis=-1, keepdims=True))


def estimates(
    pools: Pools, measures: Sequence[me.measures.Measure], seed: int
) -> dict[str, dict[me.measures.Measure, FloatArray]]:
    """Values (topics, runs, draws) of measures by each estimate."""
    levels, rng = pools.collection.levels, np.random.default_rng(seed)

    def of(pool: Pool) -> FloatArray:
        return values_of(pool.lists, pool.grades.clip(0)[None], measures, levels)

    def bpref(pool: Pool) -> FloatArray:
        of_lists = np.append(pool.grades, 0)[pool.lists]
        counts = np.bincount(pool.grades[pool.judged], minlength=levels + 1)
        nonrelevant = (of_lists == 0) & (pool.lists < len(pool.grades))
        judged = me.measures.JudgedNonrelevant(nonrelevant, int(counts[0]))
        return me.measures.Bpref().values(of_lists.clip(0), counts[1:], judged)

    values = {
        "zero": np.stack([of(pool) for pool in pools.topics], axis=1),
        "condensed": np.stack([of(condensed(pool)) for pool in pools.topics], axis=1),
        "own list": np.stack([with_own_grades(pool, measures, levels, rng) for pool in pools.topics], axis=1),
        "model": Model.of(pools, rng=seed).values(measures, jobs=1, progress=False),
    }
    by_estimate = {name: dict(zip(measures, own, strict=True)) for name, own in values.items()}
    by_estimate["infAP"] = {me.AP(): np.array([inferred_ap(pool) for pool in pools.topics])[..., None]}
    by_estimate["bpref"] = {me.AP(): np.array([bpref(pool) for pool in pools.topics])[..., None]}
    by_estimate["bounds"] = {RBP: np.stack([ends[0] for ends in value_bounds(pools, [RBP], empty="zero")], axis=-1)}
    return by_estimate


def errors(values: FloatArray, truth: FloatArray, some: BoolArray) -> dict[str, float]:
    """Errors of values (topics, runs, draws) of some runs, and how often bands hold the true (topics, runs)."""
    values, truth = values[:, some], truth[:, some]
    means, true = values.mean(axis=0), truth.mean(axis=0)
    miss = means.mean(axis=-1) - true
    row = {
        "rmse": float(np.sqrt((miss**2).mean())),
        "bias": float(miss.mean()),
        "rmse_topic": float(np.sqrt(((values.mean(axis=-1) - truth) ** 2).mean())),
        "tau": float(kendalltau(means.mean(axis=-1), true)[0]),
    }
    if values.shape[-1] < DRAWS:  # one value, or the ends of bounds
        return row | {"width": float(np.ptp(means, axis=-1).mean())}
    printed_low, printed_high = mean_bands(values[None], 0)
    first, second = np.triu_indices(len(true), 1)
    low, high = np.quantile(means[first] - means[second], BAND, axis=-1)
    sure = (low > 0) | (high < 0)
    wrong = np.where(low > 0, -1, 1)[sure] * (true[first] - true[second])[sure] > 0
    mean_low, mean_high = np.quantile(means, BAND, axis=-1)
    return row | {
        "width": float((mean_high - mean_low).mean()),
        "covers_topic": _covered(values, truth),
        "covers_mean": _covered(means, true),
        "covers_printed": _between(printed_low[0], printed_high[0], true),
        "decided": float(sure.mean()),
        "wrong": float(wrong.mean()) if sure.any() else np.nan,
    }


def _covered(values: FloatArray, truth: FloatArray) -> float:
    """Share of the true values within 90 % of the draws."""
    low, high = np.quantile(values, BAND, axis=-1)
    return _between(low, high, truth)


def _between(low: FloatArray, high: FloatArray, truth: FloatArray) -> float:
    """Share of the true values between two ends."""
    return float(((truth >= low - 1e-12) & (truth <= high + 1e-12)).mean())


def experiment(pools: Pools, measures: Sequence[me.measures.Measure], way: str, seed: int) -> pd.DataFrame:
    """Errors of all estimates with a part of the judgments."""
    pools, part, pooled = reduced(pools, way, seed)
    levels = pools.collection.levels
    of_topics = [values_of(own.lists, own.grades[None], measures, levels)[..., 0] for own in pools.topics]
    truth = dict(zip(measures, np.stack(of_topics, axis=1), strict=True))
    judged = sum(int(pool.judged.sum()) for pool in part.topics) / sum(len(pool.grades) for pool in part.topics)
    rows = []
    for name, of_measures in estimates(part, measures, seed).items():
        for measure, values in of_measures.items():
            for runs, some in (("all", np.full(len(pooled), True)), ("not pooled", ~pooled)):
                if some.any():
                    keys = {"way": way, "seed": seed, "judged": judged, "runs": runs, "measure": str(measure)}
                    rows.append(keys | {"estimate": name} | errors(values, truth[measure], some))
    return pd.DataFrame(rows)


def compute(
    data: Path, *, collections: Sequence[str] = ALL, ways: Sequence[str] = WAYS, seeds: int = 5, jobs: int = 2
) -> pd.DataFrame:
    """Columns collection, way, judged (share), runs, measure, estimate, and means over seeds of the errors."""
    tables = {}
    for name in collections:
        runs, qrels = read(data / name)
        reading = {key: option.default for key, option in READING_OPTIONS.items()} | {"jobs": jobs}
        pools = known(pools_of(runs, qrels, reading))  # type: ignore[arg-type]
        pools = replace(pools, topics=pools.topics[: len(pools.collection.topics)])
        even = (1 / pools.collection.levels,) * pools.collection.levels
        measures = (me.AP(), me.nDCG(cutoff=10), me.GAP(g=even), me.P(cutoff=10), me.RR(), RBP)
        pieces = [(pools, measures, way, seed) for way in ways for seed in range(seeds)]
        table = pd.concat(in_processes(experiment, pieces, jobs=jobs, desc=name, unit="experiment"))
        keys = ["way", "runs", "measure", "estimate"]
        tables[name] = table.groupby(keys, sort=False).mean().drop(columns="seed").reset_index()
    return by_collection(tables)


def draw(table: pd.DataFrame) -> Figure:
    """RMSE of means by each estimate, a panel for each collection."""
    rows = table[(table["runs"] == "all") & (table["measure"] == "AP")]
    names = rows["collection"].unique()
    figure = Figure(figsize=(4.5 * len(names), 3.4), layout="constrained")
    for name, ax in zip(names, figure.subplots(1, len(names), sharey=True, squeeze=False)[0], strict=True):
        own = rows[rows["collection"] == name].pivot(index="way", columns="estimate", values="rmse")
        own.loc[rows["way"].unique(), ["zero", "condensed", "infAP", "model"]].plot.bar(
            ax=ax, legend=name == names[0]
        )
        ax.set(title=name, xlabel="", ylabel="RMSE of mean AP", yscale="log")
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL, depth=False)
    parser.add_argument("--ways", nargs="+", default=list(WAYS))
    parser.add_argument("--seeds", type=int, default=5)
    with started(parser, argv) as arguments:
        table = compute(**given(arguments))
        print(table.to_string(index=False, float_format="%.3f", na_rep=""))
        write(arguments.out, "unjudged", draw(table), {"": table})


if __name__ == "__main__":
    main()
