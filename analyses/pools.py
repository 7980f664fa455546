"""Figures 1 and 2 of the xGAP paper: rankings of systems as the pool of judgments shrinks."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, given, options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.systems import plot_pools

G = {2: (0.1, 0.9), 3: (0.2, 0.2, 0.6)}  # the paper's, by number of positive grades


def compute(
    data: Path, *, collections: Sequence[str] = ALL, repetitions: int = 10, few: float = 10.0
) -> pd.DataFrame:
    """Columns collection, then those of :func:`maxent.compare_pools`."""
    frames = []
    for name in collections:
        runs, qrels = read(data / name)
        g = G[int(qrels["relevance"].max())]
        measures = [me.GAP(g=g), me.xGAP(g=g), me.eGAP(g=g), me.AP(), me.nDCG(), me.RBP(), me.Bpref()]
        result = me.compare_pools(runs, qrels, measures=measures, repetitions=repetitions, few=few)
        table = result.tables["pools"]
        frames.append(table.assign(collection=name))
    return pd.concat(frames, ignore_index=True)


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection and set of topics."""
    panels = table[["collection", "topics"]].drop_duplicates().to_numpy().tolist()
    figure = Figure(figsize=(5 * len(panels), 4.2), layout="constrained")
    for (name, topics), ax in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        plot_pools(table[table["collection"] == name], topics=topics, ax=ax)
        ax.set_title(f"{name}, topics: {topics}", fontsize=10)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL, studies=False)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--few", type=float, default=10.0, help="few documents of grade k: R_1 >= few * R_k > 0")
    with started(parser, argv) as arguments:
        table = compute(**given(arguments))
        for (name, topics), rows in table.groupby(["collection", "topics"], sort=False):
            wide = rows.pivot_table(index="measure", columns="share", values="tau", sort=False)
            print(f"{name}, topics: {topics}\n{wide.to_string(float_format='%.3f')}\n")
        write(arguments.out, "pools", draw(table), {"": table}, dpi=90)


if __name__ == "__main__":
    main()
