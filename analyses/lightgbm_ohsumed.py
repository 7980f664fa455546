"""LambdaRank for measures of the algebra on OHSUMED, beside LightGBM's own lambdarank objective.

Five folds with the trees' parameters fixed beforehand; training stops where nDCG@10 on the validation set, the same
criterion for all, has not grown for 50 trees. Seeds choose the features that a tree may use. What a query scores is
the mean over seeds, and differences to LightGBM's own objective are paired by query, with 95 % bootstrap intervals
over queries. Documents with equal scores stand by decreasing document id, as in trec_eval.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
from common import DATA, given, options, started, write
from matplotlib.figure import Figure
from tqdm import tqdm

import maxent as me
from maxent.ltr.lightgbm import Evaluation, LambdaObjective, dataset
from maxent.types import FloatArray

PEER = "lambdarank"
GAP = me.GAP(g=(0.5, 0.5))
NDCG = me.nDCG(gain="exp2")
MEASURES = (me.nDCG(gain="exp2", cutoff=10), me.AP(), me.P(cutoff=10), GAP)
PARAMETERS: dict[str, Any] = {
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.5,
    "metric": "None",
    "verbosity": -1,
    "num_threads": 1,
    "deterministic": True,
}
LEVELS = 2


def objectives() -> dict[str, Any]:
    """LightGBM's own objective, ours for nDCG, GAP and AP with its conventions, and two with all pairs."""
    everywhere: dict[str, Any] = {"levels": LEVELS, "lambdarank_truncation_level": None}
    return {
        PEER: "lambdarank",
        "nDCG": LambdaObjective(NDCG, levels=LEVELS),
        "GAP": LambdaObjective(GAP, levels=LEVELS),
        "AP": LambdaObjective(me.AP(), levels=LEVELS),
        "nDCG, all pairs": LambdaObjective(NDCG, **everywhere),
        "GAP, all pairs": LambdaObjective(GAP, **everywhere),
    }


def compute(data: Path, *, seeds: int = 10, trees: int = 500) -> pd.DataFrame:
    """Values on the test sets: columns objective, fold, seed, trees, query_id, measure, value."""
    folds = sorted(data.glob("Fold*"))
    if not folds:
        raise SystemExit(f"no Fold*/test.txt in {data}: name the folder with --data")
    frames = []
    jobs = len(folds) * seeds * len(objectives())
    with tqdm(total=jobs, desc="training", unit="model", delay=2, disable=None) as progress:
        for fold in folds:
            parts = [me.data.read_letor(next(fold.glob(f"{p}.txt*"))) for p in ("training", "validation", "test")]
            for seed in range(seeds):
                for name, objective in objectives().items():
                    booster = fit(parts[0], parts[1], objective, seed=seed, trees=trees)
                    row: dict[str, Any] = {
                        "objective": name,
                        "fold": fold.name,
                        "seed": seed,
                        "trees": booster.best_iteration,
                    }
                    frames.append(test(booster, parts[2]).assign(**row))
                    progress.update()
    return pd.concat(frames, ignore_index=True)


def fit(train: pd.DataFrame, valid: pd.DataFrame, objective: Any, *, seed: int, trees: int) -> lightgbm.Booster:
    """Train until the validation set stops it."""
    own = dataset(train)
    return lightgbm.train(
        PARAMETERS | {"objective": objective, "seed": seed},
        own,
        trees,
        valid_sets=[dataset(valid, reference=own)],
        feval=Evaluation(MEASURES[0], levels=LEVELS),
        callbacks=[lightgbm.early_stopping(50, verbose=False)],
    )


def test(booster: lightgbm.Booster, table: pd.DataFrame) -> pd.DataFrame:
    """Values of the queries with a relevant document: columns query_id, measure, value."""
    scores = np.asarray(booster.predict(table[booster.feature_name()]))
    ranked = table[["query_id", "doc_id", "relevance"]].assign(score=scores)
    rows = []
    for query, own in ranked.sort_values(["score", "doc_id"], ascending=False).groupby("query_id"):
        grades = own["relevance"].to_numpy()
        relevant = np.bincount(grades, minlength=LEVELS + 1)[1:]
        if relevant.any():
            rows += [(query, str(m), float(m.evaluate(grades, relevant))) for m in MEASURES]
    return pd.DataFrame(rows, columns=["query_id", "measure", "value"])


def summarize(table: pd.DataFrame, *, peer: str = PEER, replicates: int = 10_000, rng: int = 0) -> pd.DataFrame:
    """Means over queries, and differences to the objective ``peer`` with their intervals.

    Columns objective, measure, mean, sd_seeds (of the mean, between seeds), difference, low, high.
    """
    names, measures = list(dict.fromkeys(table["objective"])), list(dict.fromkeys(table["measure"]))
    rows = []
    for measure in measures:
        own = table[table["measure"] == measure]
        values = own.pivot_table(index="query_id", columns="objective", values="value")
        seeds = own.groupby(["objective", "seed"])["value"].mean().unstack()
        for name in names:
            difference = (values[name] - values[peer]).to_numpy()
            low, high = interval(difference, replicates, rng)
            spread = seeds.loc[name].std()
            rows.append((name, measure, values[name].mean(), spread, difference.mean(), low, high))
    return pd.DataFrame(
        rows, columns=["objective", "measure", "mean", "sd_seeds", "difference", "low", "high"]
    ).fillna({"sd_seeds": 0.0})


def interval(values: FloatArray, replicates: int, rng: int) -> tuple[float, float]:
    """95 % bootstrap interval of a mean."""
    sample = np.random.default_rng(rng).integers(0, len(values), (replicates, len(values)))
    low, high = np.quantile(values[sample].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def draw(summary: pd.DataFrame) -> Figure:
    """Differences to LightGBM's own objective, a panel for each measure."""
    measures = list(dict.fromkeys(summary["measure"]))
    figure = Figure(figsize=(3.4 * len(measures), 3.2), layout="constrained")
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for measure, ax in zip(measures, panels, strict=True):
        own = summary[(summary["measure"] == measure) & (summary["objective"] != PEER)].iloc[::-1]
        ends = np.abs(own[["low", "high"]].to_numpy().T - own["difference"].to_numpy())
        ax.errorbar(own["difference"], range(len(own)), xerr=ends, fmt="o", color="#1f5fa8", capsize=3)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(range(len(own)), own["objective"])
        ax.set_title(measure, fontsize=9)
    figure.supxlabel("difference to LightGBM's lambdarank on test, 95 % interval over queries", fontsize=9)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--data", type=Path, default=DATA / "ohsumed", help="folder of the folds")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trees", type=int, default=500, help="at most so many")
    with started(parser, argv) as arguments:
        table = compute(**given(arguments))
        summary = summarize(table)
        print(summary.to_string(index=False, float_format="%.4f"))
        print("\nDifferences to our nDCG")
        print(summarize(table, peer="nDCG").to_string(index=False, float_format="%.4f"))
        print(table.groupby("objective", sort=False)["trees"].mean().rename("mean trees").round(1).to_string())
        write(arguments.out, "lightgbm_ohsumed", draw(summary), {"": table, "_summary": summary})


if __name__ == "__main__":
    main()
