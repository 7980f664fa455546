"""Table 2 of the GAP paper: networks trained for GAP, AP and nDCG by LambdaRank and SoftRank, on OHSUMED.

Five folds, several seeds (0, 1, ...: first weights and order of the queries), one network with 10 hidden units for
all. Training stops by the measure trained for, on the validation set; the epoch that is best by nDCG@10 there is
read as a second choice (column selected_by). Learning rate and SoftRank's deviation are the same for all
objectives, those with the best mean over objectives on the validation set of fold 1 (--tune).

What a query scores is the mean over seeds. Differences to GAP(.5, .5) are paired by query and seed, with 95 %
bootstrap intervals over queries and, within each fold, over seeds (the queries of a fold share their networks), and
the p of the paired t test over queries, which takes the seeds as they are. The paper does not say which gain its
nDCG@10 has: both usual ones are there.

First g is chosen for each fold, on its training queries; at the end stands how informative the objectives are.
About 13 minutes on two cores. Every finished network leaves a file in the folder parts of --out: started again
with the same data and settings, the study goes on where it stopped (use another folder after a change of the code).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import lightgbm_ohsumed
import numpy as np
import pandas as pd
import torch
from common import DATA, in_processes, options, started, write
from matplotlib.figure import Figure
from networks import Loss, lambda_loss, predict, soft_loss, train
from scipy.stats import kendalltau, ttest_rel
from tqdm import tqdm

import maxent as me
from maxent.ltr.queries import feature_names

ALGORITHMS = ("LambdaRank", "SoftRank")
DEVIATION = 3.0
SETTINGS: dict[str, Any] = {"hidden": 10, "learning_rate": 0.03, "patience": 15}
GAP = me.GAP(g=(0.5, 0.5))
PEER = str(GAP)
CHOSEN = "GAP(chosen g)"
OBJECTIVES: dict[str, me.measures.Measure] = {PEER: GAP, "AP": me.AP(), "nDCG": me.nDCG(gain="exp2")}
MEASURES = (me.nDCG(gain="exp2", cutoff=10), me.AP(), me.P(cutoff=10), me.nDCG(cutoff=10))
COLOURS = {"LambdaRank": "#1f5fa8", "SoftRank": "#c0392b"}
GRID = {"learning_rate": (0.01, 0.03, 0.1), "deviation": (0.3, 1.0, 3.0, 10.0)}
JUDGMENTS = ["query_id", "doc_id", "relevance"]
Fold = dict[str, pd.DataFrame]


def read(folder: Path) -> dict[str, Fold]:
    """Training, validation and test documents of every fold."""
    folds = sorted(folder.glob("Fold*"))
    if not folds:
        raise SystemExit(f"no Fold*/training.txt in {folder}: name the folder with --data")
    names = ("training", "validation", "test")
    return {fold.name: {n: me.data.read_letor(next(fold.glob(f"{n}.txt*"))) for n in names} for fold in folds}


def as_runs(documents: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Features as systems, without those that are constant in every query."""
    varied = documents.groupby("query_id")[feature_names(documents)].nunique().max() > 1
    return {f: documents[["query_id", "doc_id"]].assign(score=documents[f]) for f in varied.index[varied]}


def choose(folds: Mapping[str, Fold]) -> dict[str, me.measures.Measure]:
    """GAP with the most informative g on the training queries of each fold."""
    found: dict[str, me.measures.Measure] = {}
    for name, fold in tqdm(folds.items(), desc="choosing g", unit="fold", delay=2, disable=None):
        documents = fold["training"]
        depth = int(documents.groupby("query_id").size().max())
        options: dict[str, Any] = {
            "reading": "papers",
            "depth": depth,
            "refine": False,
            "replicates": 2,
            "progress": False,
        }
        measure = me.choose_g(as_runs(documents), documents[JUDGMENTS], **options).measure
        assert measure is not None
        found[name] = measure
    return found


def compute(
    folds: Mapping[str, Fold],
    chosen: Mapping[str, me.measures.Measure],
    *,
    seeds: int = 5,
    epochs: int = 100,
    jobs: int = 2,
    parts: Path,
) -> pd.DataFrame:
    """Values on the test sets.

    Columns algorithm, objective, fold, seed, selected_by, epoch, query_id, measure, value.
    """
    parts.mkdir(parents=True, exist_ok=True)
    heads, tasks = [], []
    for name, fold in folds.items():
        data = pd.concat(fold)
        digest = hashlib.sha256(pd.util.hash_pandas_object(data).to_numpy().tobytes()).hexdigest()
        for objective, measure in (OBJECTIVES | {CHOSEN: chosen[name]}).items():
            for algorithm in ALGORITHMS:
                for seed in range(seeds):
                    head = {"algorithm": algorithm, "objective": objective, "fold": name, "seed": seed}
                    options = SETTINGS | {"epochs": epochs, "rng": seed}
                    key = repr((digest, head, str(measure), DEVIATION, sorted(options.items()), MEASURES))
                    path = parts / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.csv"
                    heads.append(head)
                    tasks.append((path, partial(values, fold, measure, algorithm, options)))
    found = in_processes(kept, tasks, jobs=jobs, desc="training", unit="network")
    frames: list[pd.DataFrame] = [frame.assign(**head) for head, frame in zip(heads, found, strict=True)]
    return pd.concat(frames, ignore_index=True)


def kept(path: Path, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Table in a file, made where there is none."""
    if not path.exists():
        unfinished = path.with_suffix(".part")
        make().to_csv(unfinished, index=False)
        unfinished.replace(path)
    table: pd.DataFrame = pd.read_csv(path, dtype={"query_id": str})
    return table


def values(fold: Fold, measure: me.measures.Measure, algorithm: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Train, and evaluate the two choices of the epoch on the test set."""
    torch.set_num_threads(1)  # this is one of several processes
    loss = partial(soft_loss, deviation=DEVIATION) if algorithm == "SoftRank" else lambda_loss
    trained = train(
        fold["training"], fold["validation"], measure, loss=loss, criteria=MEASURES[:1], progress=False, **options
    )
    test = fold["test"]
    named = {"objective": measure, "nDCG@10": MEASURES[0]}
    runs = {
        name: test[JUDGMENTS[:2]].assign(score=predict(trained, test, criterion=criterion))
        for name, criterion in named.items()
    }
    result = me.evaluate(runs, test[JUDGMENTS], measures=MEASURES, depth=len(test), empty="skip")
    table = result.tables["values"]
    history = trained.history[trained.history["epoch"] > 0].pivot(
        index="epoch", columns="criterion", values="value"
    )
    epochs = {name: history[str(criterion)].idxmax() for name, criterion in named.items()}
    table.insert(0, "epoch", table["run_id"].map(epochs))
    return table.rename(columns={"run_id": "selected_by"})


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Means over queries, and differences to GAP(.5, .5).

    Columns selected_by, algorithm, objective, measure, mean, sd_seeds (of the mean, between seeds), difference,
    low, high, p.
    """
    frames = []
    for (selected, algorithm), own in table.groupby(["selected_by", "algorithm"], sort=False):
        frame = lightgbm_ohsumed.summarize(own, peer=PEER, replicates=1)  # whose intervals know nothing of seeds
        frame[["low", "high"]] = [interval(own, *keys) for keys in frame[["objective", "measure"]].to_numpy()]
        means = own.pivot_table(index="query_id", columns=["objective", "measure"], values="value")
        p = [
            1.0 if o == PEER else ttest_rel(means[o, m], means[PEER, m]).pvalue
            for o, m in zip(frame["objective"], frame["measure"], strict=True)
        ]
        frame.insert(0, "algorithm", str(algorithm))
        frame.insert(0, "selected_by", str(selected))
        frames.append(frame.assign(p=p))
    return pd.concat(frames, ignore_index=True)


def interval(
    table: pd.DataFrame, objective: str, measure: str, *, replicates: int = 10_000, rng: int = 0
) -> tuple[float, float]:
    """95 % bootstrap interval of the mean difference to GAP(.5, .5), over queries and the seeds of each fold."""
    own = table[table["measure"] == measure].set_index(["fold", "query_id", "seed", "objective"])["value"].unstack()
    differences = (own[objective] - own[PEER]).unstack("seed")
    queries, seeds = differences.shape
    generator = np.random.default_rng(rng)
    folds = pd.factorize(differences.index.get_level_values("fold"))[0]
    of_seed = generator.multinomial(seeds, np.full(seeds, 1 / seeds), (replicates, folds.max() + 1)) / seeds
    of_query = generator.multinomial(queries, np.full(queries, 1 / queries), replicates) / queries
    means = np.zeros(replicates)
    for fold in range(folds.max() + 1):
        own_queries = folds == fold
        per_query = of_seed[:, fold] @ differences.to_numpy()[own_queries].T
        means += (per_query * of_query[:, own_queries]).sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def informative(folds: Mapping[str, Fold], chosen: Mapping[str, me.measures.Measure]) -> pd.DataFrame:
    """Mean RMS error of each objective over both thresholds, the features of all queries as rankings.

    Columns objective, lists, rms. The chosen g of a fold counts on its test queries.
    """
    documents = pd.concat([fold["test"] for fold in folds.values()], ignore_index=True)
    table = me.informativeness(
        as_runs(documents),
        documents[JUDGMENTS],
        measures=list(dict.fromkeys((*OBJECTIVES.values(), *chosen.values()))),
        reading="papers",
        depth=int(documents.groupby("query_id").size().max()),
    )
    parts = {name: table[table["measure"] == str(measure)] for name, measure in OBJECTIVES.items()}
    own = [
        table[(table["measure"] == str(chosen[name])) & table["query_id"].isin(fold["test"]["query_id"])]
        for name, fold in folds.items()
    ]
    parts[CHOSEN] = pd.concat(own)
    summary = me.summarize(pd.concat([rows.assign(measure=name) for name, rows in parts.items()]), replicates=2)
    means = summary.groupby("measure", sort=False).agg(lists=("lists", "min"), rms=("rms", "mean"))
    return means.rename_axis("objective").reset_index()


def relate(summary: pd.DataFrame, rms: pd.DataFrame) -> pd.DataFrame:
    """Kendall's tau between minus RMS and test quality, over the few objectives of each algorithm."""
    both = summary.merge(rms, on="objective")
    rows = []
    for keys, own in both.groupby(["selected_by", "algorithm", "measure"], sort=False):
        found = kendalltau(-own["rms"], own["mean"])
        rows.append((*keys, len(own), found.statistic, found.pvalue))
    return pd.DataFrame(rows, columns=["selected_by", "algorithm", "measure", "objectives", "tau", "p"])


def tune(fold: Fold, *, seeds: int = 5, epochs: int = 100, jobs: int = 2) -> pd.DataFrame:
    """Best value of the objective on the validation set, mean over seeds, for every setting of the grid.

    Columns algorithm, deviation (of SoftRank), learning_rate, objective, value.
    """
    losses = {("LambdaRank", np.nan): lambda_loss}
    losses |= {("SoftRank", d): partial(soft_loss, deviation=d) for d in GRID["deviation"]}
    heads = [(*head, rate, name) for head in losses for rate in GRID["learning_rate"] for name in OBJECTIVES]
    settings = SETTINGS | {"epochs": epochs}
    tasks = [
        (fold, OBJECTIVES[name], losses[a, d], settings | {"learning_rate": rate, "rng": seed})
        for a, d, rate, name in heads
        for seed in range(seeds)
    ]
    values = in_processes(best, tasks, jobs=jobs, desc="tuning", unit="network")
    table = pd.DataFrame(heads, columns=["algorithm", "deviation", "learning_rate", "objective"])
    return table.assign(value=np.reshape(values, (len(heads), seeds)).mean(axis=1))


def best(fold: Fold, measure: me.measures.Measure, loss: Loss, options: Mapping[str, Any]) -> float:
    """Value of the best epoch on the validation set."""
    torch.set_num_threads(1)
    history = train(fold["training"], fold["validation"], measure, loss=loss, progress=False, **options).history
    return float(history["value"][history["epoch"] > 0].max())


def draw(summary: pd.DataFrame, rms: pd.DataFrame) -> Figure:
    """A panel for each test measure: differences to GAP(.5, .5) above, quality against informativeness below."""
    measures = list(dict.fromkeys(summary["measure"]))
    own = summary[summary["selected_by"] == "objective"].merge(rms, on="objective")
    figure = Figure(figsize=(4 * len(measures), 6.4), layout="constrained")
    panels = figure.subplots(2, len(measures), squeeze=False)
    others = [name for name in dict.fromkeys(own["objective"]) if name != PEER]
    for column, (measure, (above, below)) in enumerate(zip(measures, panels.T, strict=True)):
        for shift, (algorithm, colour) in zip((0.12, -0.12), COLOURS.items(), strict=True):
            rows = own[(own["measure"] == measure) & (own["algorithm"] == algorithm)].set_index("objective")
            apart = rows.loc[others]
            ends = np.abs(apart[["low", "high"]].to_numpy().T - apart["difference"].to_numpy())
            heights = np.arange(len(others))[::-1] + shift
            above.errorbar(
                apart["difference"], heights, xerr=ends, fmt="o", color=colour, capsize=3, label=algorithm
            )
            below.plot(rows["rms"], rows["mean"], "o", color=colour)
            for name, x, y in zip(rows.index, rows["rms"], rows["mean"], strict=True):
                right = x > own["rms"].mean()  # labels point to the middle
                place = {"xytext": (-5 if right else 5, 3), "ha": "right" if right else "left"}
                below.annotate(str(name), (x, y), textcoords="offset points", fontsize=7, **place)
        above.axvline(0, color="black", linewidth=0.8)
        above.locator_params(axis="x", nbins=4)
        above.set_yticks(range(len(others))[::-1], others if column == 0 else [])
        above.set(title=measure, xlabel=f"difference to {PEER}", ylim=(-0.5, len(others) - 0.5))
        below.set(xlabel="mean RMS error of the objective", ylabel=f"mean {measure}")
        below.margins(x=0.12, y=0.15)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--data", type=Path, default=DATA / "ohsumed", help="folder of the folds")
    parser.add_argument("--seeds", type=int, default=5, help="networks of each kind: seeds 0, 1, ... (default: 5)")
    parser.add_argument("--epochs", type=int, default=100, help="most epochs of a network (default: 100)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--tune", action="store_true", help="only print the grid of settings on validation, fold 1")
    with started(parser, argv) as arguments:
        if min(arguments.seeds, arguments.epochs, arguments.jobs) < 1:
            parser.error("--seeds, --epochs and --jobs must be 1 or more")
        folds = read(arguments.data)
        if arguments.tune:
            grid = tune(
                next(iter(folds.values())), seeds=arguments.seeds, epochs=arguments.epochs, jobs=arguments.jobs
            )
            shown = grid.pivot(
                index=["algorithm", "deviation", "learning_rate"], columns="objective", values="value"
            )
            print(shown.assign(mean=shown.mean(axis=1)).to_string(float_format="%.4f"))
            return
        chosen = choose(folds)
        print("\n".join(f"{name}: {measure} chosen" for name, measure in chosen.items()))
        training = {"seeds": arguments.seeds, "epochs": arguments.epochs, "jobs": arguments.jobs}
        table = compute(folds, chosen, **training, parts=arguments.out / "parts")
        rms = informative(folds, chosen)
        summary = summarize(table)
        for selected, rows in summary.groupby("selected_by", sort=False):
            print(f"\nTest set, epoch selected by {selected}")
            layout = rows.pivot(index=["algorithm", "objective"], columns="measure", values="mean")
            order = rows[["algorithm", "objective"]].drop_duplicates().itertuples(index=False, name=None)
            print(layout.loc[list(order), list(dict.fromkeys(rows["measure"]))].to_string(float_format="%.4f"))
            print(rows.drop(columns="selected_by").to_string(index=False, float_format="%.4f"))
        print("\nInformativeness\n" + rms.to_string(index=False, float_format="%.4f"))
        relation = relate(summary, rms)
        print(relation.to_string(index=False, float_format="%.3f"))
        epochs = table.groupby(["selected_by", "algorithm", "objective"], sort=False)["epoch"]
        print(epochs.mean().rename("mean epoch").round(1).to_string())
        write(
            arguments.out,
            "learning_to_rank",
            draw(summary, rms),
            {"": table, "_summary": summary, "_rms": rms, "_relation": relation},
        )


if __name__ == "__main__":
    main()
