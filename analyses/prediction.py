"""Measures predicted from a measure: what the value of one says about the others, on three collections."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, options, read, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.study import plot_predictions

MEASURES = (
    *("AP", "muAP", "gAP", "Q(beta=0.3)", "nDCG(gain=exp2)", "nDCG(gain=exp2)@10", "NDCNG"),
    *("RBP(p=0.8)", "RBP(p=0.95)", "P@10", "Rprec"),
)
SHOWN = ("rms", "tau_systems")


def compute(data: Path, *, collections: Sequence[str] = ALL, jobs: int = 2) -> pd.DataFrame:
    """Summary for every collection: column collection, then those of :func:`maxent.summarize_predictions`."""
    tables = {}
    for name in collections:
        runs, qrels = read(data / name)
        levels = int(qrels["relevance"].max())
        graded = me.GAP(g=(0.75, *(0.25 / (levels - 1),) * (levels - 1)))
        measures = [graded, *map(me.parse_measure, MEASURES)]
        table = me.predict_measures(runs, qrels, measures=measures, jobs=jobs)
        tables[name] = me.summarize_predictions(table)
    return by_collection(tables)


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
    arguments = parser.parse_args(argv)
    table = compute(arguments.data, collections=arguments.collections, jobs=arguments.jobs)
    others = table[table["measure"] != table["target"]]
    keys = ["collection", "measure"]
    means = others.groupby(keys, sort=False)[["rms", "mae", "tau", "tau_systems"]].mean()
    print("means over the other measures\n" + means.to_string(float_format="%.3f"))
    write(arguments.out, "prediction", draw(table), {"": table}, dpi=90, svg=True)


if __name__ == "__main__":
    main()
