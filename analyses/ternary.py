"""Three positive grades: the RMS error of the inferred curves as a map over all g, on CLEF eHealth 2014."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import options, started, study, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot import plot_choice, plot_informativeness


def compute(
    data: Path, *, collection: str = "clef2014", g_steps: int = 9, depth: int = 1000, jobs: int = 2
) -> pd.DataFrame:
    """Columns of :func:`maxent.summarize`, and beside every GAP those of ``GChoice.table`` (on all its rows)."""
    grid = me.g_grid(levels=3, steps=g_steps)
    measures = [*(me.GAP(g=g) for g in grid), me.AP(), me.nDCG(gain="exp2")]
    table = study(data / collection, measures, jobs=jobs, depth=depth)
    choice = me.studies.choose_from(table).table.drop(columns="lists")
    return me.summarize(table).merge(choice, on="measure", how="left")


def draw(table: pd.DataFrame, *, title: str = "") -> Figure:
    """A map for each threshold, and one of their mean."""
    candidates = table.dropna(subset="objective")
    scale = float(candidates["rms"].min()), float(candidates["rms"].max())
    figure = Figure(figsize=(11.2, 9.2), layout="constrained")
    *maps, mean = figure.subplots(2, 2).ravel()
    for threshold, ax in enumerate(maps, 1):
        plot_informativeness(table, threshold=threshold, limits=scale, ax=ax)
    plot_choice(candidates.drop_duplicates("measure"), limits=scale, ax=mean)
    figure.suptitle(title)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=["clef2014"])
    parser.add_argument("--g-steps", type=int, default=9)
    with started(parser, argv) as arguments:
        if len(arguments.collections) != 1:
            parser.error("one collection at a time")
        name = arguments.collections[0]
        table = compute(
            arguments.data, collection=name, g_steps=arguments.g_steps, depth=arguments.depth, jobs=arguments.jobs
        )
        shown = table[["measure", "threshold", "lists", "rms", "rms_low", "rms_high", "objective", "share_best"]]
        print(shown.to_string(index=False, float_format="%.4f"))
        write(arguments.out, "ternary", draw(table, title=name), {"": table})


if __name__ == "__main__":
    main()
