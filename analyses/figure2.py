"""Figure 2 of the GAP paper: mean RMS error of the inferred curves against g, on two collections.

The paper shows TREC 9, 10 and 12; its TREC 12 topics are those of ``robust03``.  It compares GAP with nDCG of
exponential gain; beside that stands nDCG with the gains of each g, G_i = g_1 + ... + g_i, from g_1 > 0 on.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from common import by_collection, given, matched, options, started, study, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.study import plot_informativeness
from maxent.texts import threshold_label

COLLECTIONS = ("robust03", "covid-round4")


def compute(
    data: Path, *, collections: Sequence[str] = COLLECTIONS, g_steps: int = 9, depth: int = 1000, jobs: int = 2
) -> pd.DataFrame:
    """Summary of every collection: column collection, then those of :func:`maxent.summarize`."""
    grid = me.g_grid(steps=g_steps)
    measures = [*(me.GAP(g=g) for g in grid), me.AP(), me.nDCG(gain="exp2"), *map(matched, grid[1:])]
    return by_collection(
        {name: me.summarize(study(data / name, measures, jobs=jobs, depth=depth)) for name in collections}
    )


def draw(table: pd.DataFrame) -> Figure:
    """A column for each collection, a row for each threshold."""
    names = list(dict.fromkeys(table["collection"]))
    thresholds = sorted(table["threshold"].unique())
    figure = Figure(figsize=(5.2 * len(names), 3.6 * len(thresholds)), layout="constrained")
    panels = figure.subplots(len(thresholds), len(names), squeeze=False)
    for column, name in enumerate(names):
        for row, threshold in enumerate(thresholds):
            ax = panels[row, column]
            own = table[table["collection"] == name]
            gains = own["measure"].str.startswith("nDCG(gain=0") | (own["measure"] == str(matched((1, 0))))
            plot_informativeness(own[~gains], threshold=threshold, ax=ax)
            line = own.loc[gains & (own["threshold"] == threshold), "rms"]
            ax.plot(np.linspace(0, 1, len(line) + 1)[1:], line, "--", color="0.4", label="nDCG, gains of g")
            ax.set_title(f"{name}: {threshold_label(threshold, max(thresholds))}", fontsize=10)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=COLLECTIONS)
    parser.add_argument("--g-steps", type=int, default=9)
    with started(parser, argv) as arguments:
        table = compute(**given(arguments))
        print(table.to_string(index=False, float_format="%.4f"))
        write(arguments.out, "figure2", draw(table), {"": table})


if __name__ == "__main__":
    main()
