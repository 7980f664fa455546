"""Measures predicted from a measure: what the value of one says about the others, on three collections."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.studies import plot_predictions
from maxent.stats.bootstrap import topic_bootstrap
from maxent.studies.topics import SOLVED

MEASURES = (
    *("AP", "muAP", "gAP", "Q(beta=0.3)", "nDCG(gain=exp2)", "nDCG(gain=exp2)@10", "NDCNG"),
    *("RBP(p=0.8)", "RBP(p=0.95)", "P@10", "Rprec"),
)
SHOWN = ("rms", "tau_systems")


def compute(
    data: Path, *, collections: Sequence[str] = ALL, depth: int = 1000, jobs: int = 2
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summary and paired differences for every collection, with a first column collection.

    Summary: the columns of :func:`maxent.studies.summarize_predictions`. Differences: see :func:`to_the_best`.
    """
    tables, differences = {}, {}
    for name in collections:
        runs, qrels = read(data / name)
        levels = int(qrels["relevance"].max())
        graded = me.GAP(g=(0.75, *(0.25 / (levels - 1),) * (levels - 1)))
        measures = [graded, *map(me.parse_measure, MEASURES)]
        result = me.predict(runs, qrels, measures=measures, reading="papers", depth=depth, jobs=jobs)
        tables[name], differences[name] = result.table, to_the_best(result.tables["predictions"])
    return by_collection(tables), by_collection(differences)


def to_the_best(table: pd.DataFrame, *, replicates: int = 1000) -> pd.DataFrame:
    """Known measures by the mean RMS error of their predictions of all others, and differences to the first.

    Columns measure, rms, and difference, low, high: of the mean over the targets that are neither the measure nor
    the best one, so that no measure predicts itself, with a 95 % bootstrap interval over topics.
    """
    solved = table[table["status"].isin(SOLVED)]
    squares = solved.assign(square=(solved["predicted"] - solved["actual"]) ** 2)
    keys = ["measure", "target"]
    rms = squares.groupby(keys)["square"].mean().map(np.sqrt).unstack("target")
    boot = topic_bootstrap(squares, keys, value="square", replicates=replicates, rng=0).map(np.sqrt)
    mean = pd.Series({m: rms.loc[m].drop(m).mean() for m in rms.index}).sort_values()
    rows = []
    for measure, error in mean.items():
        rest = rms.columns.difference([measure, mean.index[0]])
        both = rms.loc[[measure, mean.index[0]], rest].mean(axis=1)
        own, best = (pd.DataFrame(boot[m])[rest].mean(axis=1) for m in (measure, mean.index[0]))
        paired = own - best
        difference = both.iloc[0] - both.iloc[1]
        rows.append((measure, error, difference, paired.quantile(0.025), paired.quantile(0.975)))
    return pd.DataFrame(rows, columns=["measure", "rms", "difference", "low", "high"])


def draw(table: pd.DataFrame) -> Figure:
    """A row for each collection: RMS error of the predictions, agreement of the systems' rankings."""
    names = list(dict.fromkeys(table["collection"]))
    figure = Figure(figsize=(19, 7 * len(names)), layout="constrained")
    for name, row in zip(names, figure.subplots(len(names), len(SHOWN), squeeze=False), strict=True):
        for value, ax in zip(SHOWN, row, strict=True):
            plot_predictions(table[table["collection"] == name], value=value, ax=ax)
            ax.set_title(f"{name}: {ax.get_title()}" if ax.get_title() else name)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    with started(parser, argv) as arguments:
        table, differences = compute(**given(arguments))
        others = table[table["measure"] != table["target"]]
        keys = ["collection", "measure"]
        means = others.groupby(keys, sort=False)[["rms", "mae", "tau", "tau_systems"]].mean()
        print("means over the other measures\n" + means.to_string(float_format="%.3f"))
        print("\ndifferences to the best predictor\n" + differences.to_string(index=False, float_format="%.4f"))
        write(arguments.out, "prediction", draw(table), {"": table, "_differences": differences}, dpi=90, svg=True)


if __name__ == "__main__":
    main()
