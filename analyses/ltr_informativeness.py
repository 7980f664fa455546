"""Does the informativeness of an objective go with test quality? 17 objectives by LambdaRank on OHSUMED.

The GAP paper supposes so.  Each objective trains LightGBM as in ``lightgbm_ohsumed.py`` (five folds, the same
parameters, features and stopping rule for all); its informativeness is the mean RMS error on the same queries, with
the features as systems.  Kendall's tau between the two, with 95 % intervals over queries, which both depend on.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from common import DATA, given, in_processes, options, started, write
from learning_to_rank import JUDGMENTS, as_runs
from lightgbm_ohsumed import LEVELS, MEASURES, fit, test
from matplotlib.figure import Figure
from scipy.stats import kendalltau

import maxent as me
from maxent.ltr.lightgbm import LambdaObjective
from maxent.studies.compare_measures import readings

OBJECTIVES = tuple(map(me.parse_measure, (
    "GAP(g=0,1)", "GAP(g=0.25,0.75)", "GAP(g=0.5,0.5)", "GAP(g=0.75,0.25)", "AP", "xGAP(g=0.5,0.5)",
    "eGAP(g=0.5,0.5)", "gAP", "wAP", "Q(beta=0.3)", "Q", "nDCG", "nDCG(gain=exp2)", "nDCG(gain=exp2)@10",
    "RBP(p=0.8)", "RBP(p=0.95)", "P@10",
)))  # fmt: skip
NARROW = ("GAP(g=0,1)", "nDCG(gain=exp2)@10", "RBP", "RBP(p=0.95)", "P@10")
"""Objectives that look at the top of the list or at one grade alone: poor for both, they could make a tau."""
ALIGNS = ("recall", "rank")


def compute(
    data: Path,
    *,
    seeds: int = 10,
    trees: int = 500,
    replicates: int = 1000,
    depth: int | None = None,
    jobs: int = 2,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Objectives and relations.

    Objectives: objective, rms_recall and rms_rank (mean over both thresholds), lists, then a column for the mean
    test value of each of ``MEASURES``, and trees. Relations: measure (of the test), align, objectives (17,
    or without the five of ``NARROW``), tau (between minus the RMS error and the test value), low, high.
    """
    folds = sorted(data.glob("Fold*"))
    if not folds:
        raise SystemExit(f"no Fold*/test.txt in {data}: name the folder with --data")
    tasks = [(fold, seed, trees) for fold in folds for seed in range(seeds)]
    unit = f"{len(OBJECTIVES)} models"
    values: pd.DataFrame = pd.concat(in_processes(trained, tasks, jobs=jobs, desc="training", unit=unit))
    quality = values.pivot_table(index="query_id", columns=["objective", "measure"], values="value")
    errors = informative(folds, depth).reindex(quality.index).fillna(0.0)
    names = list(map(str, OBJECTIVES))
    table = pd.DataFrame({f"rms_{a}": mean_errors(errors, a, None)[names] for a in ALIGNS})
    table["lists"] = int(errors["size"].to_numpy()[:, 0].sum()) // LEVELS
    for measure in map(str, MEASURES):
        table[measure] = quality.xs(measure, axis=1, level="measure").mean()
    table["trees"] = values.groupby("objective")["trees"].mean()
    relations = relate(table, quality, errors, replicates)
    return table.rename_axis("objective").reset_index(), relations


def trained(fold: Path, seed: int, trees: int) -> pd.DataFrame:
    """Test values of a model for each objective: columns query_id, measure, value, objective, seed, trees."""
    parts = [me.data.read_letor(next(fold.glob(f"{part}.txt*"))) for part in ("training", "validation", "test")]
    frames = []
    for objective in OBJECTIVES:
        booster = fit(parts[0], parts[1], LambdaObjective(objective, levels=LEVELS), seed=seed, trees=trees)
        values = test(booster, parts[2])
        frames.append(values.assign(objective=str(objective), seed=seed, trees=booster.best_iteration))
    return pd.concat(frames)


def informative(folds: Sequence[Path], depth: int | None) -> pd.DataFrame:
    """Sums of RMS errors over the lists and thresholds of a query, and their number, by alignment and measure."""
    documents = pd.concat([me.data.read_letor(next(fold.glob("test.txt*"))) for fold in folds], ignore_index=True)
    depth, judgments = depth or int(documents.groupby("query_id").size().max()), documents[JUDGMENTS]
    collection = me.collect(as_runs(documents), judgments, depth=depth)
    table = readings(collection, OBJECTIVES, counts=["retrieved"], min_retrieved=5)
    sums = table[table["rms"].notna()].groupby(["query_id", "align", "measure"])["rms"].agg(["sum", "size"])
    return pd.DataFrame(sums.unstack(["align", "measure"]))


def mean_errors(errors: pd.DataFrame, align: str, drawn: np.ndarray | None) -> pd.Series:
    """Mean RMS error of each measure over the lists of drawn queries (positions; None: all)."""
    own = errors if drawn is None else errors.iloc[drawn]
    return pd.Series(own["sum"][align].sum() / own["size"][align].sum())


def relate(table: pd.DataFrame, quality: pd.DataFrame, errors: pd.DataFrame, replicates: int) -> pd.DataFrame:
    """Kendall's tau between informativeness and test quality, with intervals over queries."""
    rng, every = np.random.default_rng(0), list(table.index)
    draws = [rng.integers(0, len(quality), len(quality)) for _ in range(replicates)]
    rows = []
    for align in ALIGNS:
        sampled = [-mean_errors(errors, align, drawn) for drawn in draws]
        for measure in map(str, MEASURES):
            own = quality.xs(measure, axis=1, level="measure")
            means = [pd.Series(own.iloc[drawn].mean(axis=0)) for drawn in draws]
            for names in (every, [name for name in every if name not in NARROW]):
                tau = kendalltau(-table.loc[names, f"rms_{align}"], table.loc[names, measure]).statistic
                taus = [kendalltau(r[names], q[names]).statistic for r, q in zip(sampled, means, strict=True)]
                low, high = np.quantile(taus, (0.025, 0.975))
                rows.append((measure, align, len(names), tau, low, high))
    return pd.DataFrame(rows, columns=["measure", "align", "objectives", "tau", "low", "high"])


def draw(table: pd.DataFrame) -> Figure:
    """Test quality against RMS error (recall), a panel for each test measure."""
    figure = Figure(figsize=(4.2 * len(MEASURES), 4), layout="constrained")
    for ax, measure in zip(figure.subplots(1, len(MEASURES)), map(str, MEASURES), strict=True):
        ax.plot(table["rms_recall"], table[measure], "o", markersize=4)
        for name, x, y in table[["objective", "rms_recall", measure]].itertuples(index=False):
            ax.annotate(name, (x, y), fontsize=6)
        ax.set(xlabel="mean RMS error of the objective", title=f"test: {measure}")
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--data", type=Path, default=DATA / "ohsumed", help="folder of the folds")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trees", type=int, default=500, help="at most so many")
    parser.add_argument("--depth", type=int, help="ranks of each list that are read (default: all)")
    parser.add_argument("--jobs", type=int, default=2)
    with started(parser, argv) as arguments:
        table, relations = compute(**given(arguments))
        print(table.to_string(index=False, float_format="%.4f"), end="\n\n")
        print(relations.to_string(index=False, float_format="%.3f"))
        write(arguments.out, "ltr_informativeness", draw(table), {"": table, "_relation": relations})


if __name__ == "__main__":
    main()
