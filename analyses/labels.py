"""Labels of a language model beside a few judgments by people: which values do they give?

The passages of TREC RAG 2025 have judgments by people and labels of a model (UMBRELA). There are no runs, so runs
are simulated: a run orders the passages of a query by ``quality * grade + noise``. A run of the family ``people``
takes the grade from people, a run of the family ``labels`` from the labels, as a system that the labelling model
reranks.

The values of the runs with all judgments by people are the truth. The estimates:

- labels: the labels in place of judgments
- zero: the judgments that are kept, and grade 0 for all other passages
- model: ``unjudged="model"`` with the judgments that are kept
- model and labels: the same with ``labels=``

Judgments are kept for as many random passages of each query (``random 20``), or for the first passages of every
run (``depth 5``). Columns: ``judged`` (judgments of a query), ``rmse`` and ``bias`` of means over queries, ``tau``
of the order of all runs, ``printed`` (share of the means that are printed).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import DATA, given, in_processes, options, started, write
from matplotlib.figure import Figure
from scipy.stats import kendalltau

import maxent as me

MEASURES = ("nDCG@10", "P(rel=2)@10", "AP(rel=2)")
QUALITIES = (0.2, 0.4, 0.6, 0.8, 1.0)  # of a run in each family
DEPTH = 100
WAYS = ("random 5", "random 10", "random 20", "random 40", "depth 3", "depth 5", "depth 10")


def passages(folder: Path) -> pd.DataFrame:
    """Columns query_id, doc_id, people, labels: the two grades of each passage."""
    people, labels = (me.read_qrels(folder / f"{name}.txt.gz") for name in ("qrels", "umbrela"))
    both = people.merge(labels, on=["query_id", "doc_id"], suffixes=("_people", "_labels"))
    return both.rename(columns={"relevance_people": "people", "relevance_labels": "labels"})


def simulated_runs(both: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Runs of all qualities in both families, each with the first ``DEPTH`` passages of every query."""
    runs = []
    for family in ("people", "labels"):
        for quality in QUALITIES:
            scores = quality * both[family] + rng.normal(size=len(both))
            run = both[["query_id", "doc_id"]].assign(run_id=f"{family} {quality}", score=scores)
            runs.append(run.sort_values("score", ascending=False).groupby("query_id").head(DEPTH))
    return pd.concat(runs, ignore_index=True)


def part_of(qrels: pd.DataFrame, runs: pd.DataFrame, way: str, rng: np.random.Generator) -> pd.DataFrame:
    """The judgments that are kept."""
    kind, number = way.split()
    if kind == "random":
        return qrels.sample(frac=1, random_state=rng).groupby("query_id").head(int(number))
    ranks = runs.groupby(["run_id", "query_id"])["score"].rank(ascending=False)
    pooled = runs.loc[ranks <= int(number), ["query_id", "doc_id"]].drop_duplicates()
    return qrels.merge(pooled, on=["query_id", "doc_id"])


def means_of(runs: pd.DataFrame, qrels: pd.DataFrame, **options: Any) -> pd.Series:
    """Means by measure and run."""
    means = me.evaluate(runs, qrels, measures=MEASURES, depth=DEPTH, progress=False, levels=4, **options).table
    return means.set_index(["measure", "run_id"])["value"]


def experiment(both: pd.DataFrame, way: str, seed: int) -> pd.DataFrame:
    """Errors of all estimates with a part of the judgments."""
    rng = np.random.default_rng(seed)
    runs = simulated_runs(both, rng)
    people, labels = (
        both[["query_id", "doc_id", name]].rename(columns={name: "relevance"}) for name in ("people", "labels")
    )
    part = part_of(people, runs, way, rng)
    truth = means_of(runs, people)
    estimates = {
        "labels": means_of(runs, labels),
        "zero": means_of(runs, part),
        "model": means_of(runs, part, unjudged="model", rng=seed),
        "model and labels": means_of(runs, part, unjudged="model", labels=labels, rng=seed),
    }
    rows = []
    for estimate, means in estimates.items():
        for measure in MEASURES:
            values, true = means[measure], truth[measure]
            tau = kendalltau(values, true[values.index]).statistic
            for family in ("people", "labels"):
                own = [run for run in values.index if run.startswith(family)]
                miss = values[own] - true[own]
                rows.append(
                    {
                        "way": way, "seed": seed, "estimate": estimate, "measure": measure, "family": family,
                        "judged": len(part) / both["query_id"].nunique(), "rmse": np.sqrt((miss**2).mean()),
                        "bias": miss.mean(), "tau": tau, "printed": values[own].notna().mean(),
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def compute(data: Path, *, ways: Sequence[str] = WAYS, seeds: int = 5, jobs: int = 2) -> pd.DataFrame:
    """Means over seeds of the errors, by way, estimate, measure and family."""
    both = passages(data / "rag25")
    pieces = [(both, way, seed) for way in ways for seed in range(seeds)]
    table = pd.concat(in_processes(experiment, pieces, jobs=jobs, desc="rag25", unit="experiment"))
    keys = ["way", "estimate", "measure", "family"]
    means: pd.DataFrame = table.groupby(keys, sort=False).mean()
    return means.drop(columns="seed").reset_index()


def draw(table: pd.DataFrame) -> Figure:
    """RMSE of mean nDCG@10 by each estimate, a panel for each family of runs."""
    rows = table[table["measure"] == MEASURES[0]]
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    titles = {"people": "runs that agree with people", "labels": "runs that agree with the labels"}
    for (family, title), ax in zip(titles.items(), figure.subplots(1, 2, sharey=True), strict=True):
        errors = rows[rows["family"] == family].pivot(index="way", columns="estimate", values="rmse")
        errors = errors.loc[rows["way"].unique(), rows["estimate"].unique()]
        errors.plot.bar(ax=ax, legend=family == "people")
        ax.set(title=title, xlabel="judgments by people of a query", ylabel=f"RMSE of mean {MEASURES[0]}")
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
    parser.add_argument("--ways", nargs="+", default=list(WAYS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    with started(parser, argv) as arguments:
        table = compute(**given(arguments))
        print(table.to_string(index=False, float_format="%.3f", na_rep=""))
        write(arguments.out, "labels", draw(table), {"": table})


if __name__ == "__main__":
    main()
