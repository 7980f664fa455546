"""Figure 2 of the GAP paper: mean RMS error of the inferred curves against g, on two collections.

The paper shows TREC 9, 10 and 12; its TREC 12 topics are those of ``robust03``.  It compares GAP with nDCG of
exponential gain; beside that stands nDCG with the gains of each g, G_i = g_1 + ... + g_i, from g_1 > 0 on, and the
broken stick, a measure without content.  The figure is made in the papers' reading and in the standard one.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from common import STICK, STICKS, by_collection, given, matched, options, started, study, with_stick, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.options import ReadingName
from maxent.plot.studies import plot_informativeness
from maxent.texts import threshold_label

COLLECTIONS = ("robust03", "covid-round4")
READINGS: dict[str, ReadingName] = {"": "papers", "_standard": "standard"}


def compute(
    data: Path, *, collections: Sequence[str] = COLLECTIONS, g_steps: int = 9, depth: int = 1000, jobs: int = 2
) -> dict[str, pd.DataFrame]:
    """Summary of every collection in each reading: column collection, then those of :func:`maxent.summarize`."""
    grid = me.g_grid(steps=g_steps)
    measures = [*(me.GAP(g=g) for g in grid), me.AP(), me.nDCG(gain="exp2"), *map(matched, grid[1:]), *STICKS]

    def summary(name: str, reading: ReadingName) -> pd.DataFrame:
        return me.summarize(with_stick(study(data / name, measures, reading=reading, jobs=jobs, depth=depth)))

    return {
        key: by_collection({name: summary(name, reading) for name in collections})
        for key, reading in READINGS.items()
    }


def draw(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """A column for each collection and reading, a row for each threshold."""
    names = [(name, key) for name in dict.fromkeys(tables[""]["collection"]) for key in READINGS]
    thresholds = sorted(tables[""]["threshold"].unique())
    figure = Figure(figsize=(5.2 * len(names), 3.6 * len(thresholds)), layout="constrained")
    panels = figure.subplots(len(thresholds), len(names), squeeze=False)
    for column, (name, key) in enumerate(names):
        own = tables[key][tables[key]["collection"] == name]
        for row, threshold in enumerate(thresholds):
            ax = panels[row, column]
            draw_panel(own, threshold, ax)
            label = threshold_label(threshold, max(thresholds))
            ax.set_title(f"{name}, {READINGS[key]}: {label}", fontsize=10)
    return figure


def draw_panel(table: pd.DataFrame, threshold: int, ax: Axes) -> None:
    """The curve of GAP, other measures as lines, nDCG with the gains of each g, and the broken stick in grey."""
    gains = table["measure"].str.startswith("nDCG(gain=0") | (table["measure"] == str(matched((1, 0))))
    stick, at_threshold = table["measure"] == STICK, table["threshold"] == threshold
    plot_informativeness(table[~gains & ~stick], threshold=threshold, ax=ax)
    line = table.loc[gains & at_threshold, "rms"]
    ax.plot(np.linspace(0, 1, len(line) + 1)[1:], line, "--", color="0.4", label="nDCG, gains of g")
    ax.axhline(table.loc[stick & at_threshold, "rms"].item(), color="0.7", linewidth=3, zorder=0)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=COLLECTIONS)
    parser.add_argument("--g-steps", type=int, default=9)
    with started(parser, argv) as arguments:
        tables = compute(**given(arguments))
        for key, reading in READINGS.items():
            print(f"reading={reading}\n{tables[key].to_string(index=False, float_format='%.4f')}\n")
        write(arguments.out, "figure2", draw(tables), tables)


if __name__ == "__main__":
    main()
