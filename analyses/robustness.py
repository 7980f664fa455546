"""Is informativeness itself robust? RMS error as the pool of judgments shrinks."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.style import REFERENCE_STYLES
from maxent.studies.topics import SOLVED
from maxent.systems.compare_pools import Pools, reductions
from maxent.texts import measure_label, threshold_label

SHARES = (1.0, 0.5, 0.25, 0.1)
KEYS = ["run_id", "query_id"]


def compute(
    folder: Path,
    *,
    g_steps: int = 5,
    repetitions: int = 2,
    min_retrieved: int = 2,
    jobs: int = 2,
    depth: int = 1000,
) -> pd.DataFrame:
    """RMS by share of the judgments.

    Columns share, measure, threshold, lists and rms (of the lists that the share leaves usable), rms_same (of those
    that every share of the repetition leaves usable), means over the repetitions.
    """
    pools = Pools.of(*read(folder), depth=depth)
    levels = pools.full.levels
    grid = [me.GAP(g=g) for g in me.g_grid(levels=levels, steps=g_steps)]
    measures = [*grid, me.nDCG(gain="exp2")]
    frames = [
        me.informativeness(
            collection, measures=measures, reading="papers", min_retrieved=min_retrieved, jobs=jobs
        ).assign(share=share, repetition=repetition)
        for repetition, share, collection in reductions(pools, SHARES, repetitions, 0)
    ]
    table = pd.concat(frames, ignore_index=True)
    return _means(table[table["status"].isin(SOLVED)])


def _means(solved: pd.DataFrame) -> pd.DataFrame:
    every = solved.groupby(["repetition", "measure", "threshold", *KEYS])["share"].transform("nunique") == len(
        SHARES
    )
    keys = ["share", "measure", "threshold"]
    means = solved.groupby(keys, sort=False).agg(lists=("rms", "size"), rms=("rms", "mean"))
    means["lists"] /= solved["repetition"].nunique()
    means["rms_same"] = solved[every].groupby(keys)["rms"].mean()
    return means.reset_index()


def draw(table: pd.DataFrame) -> Figure:
    """RMS error by share of the judgments, a panel for each threshold."""
    thresholds = sorted(table["threshold"].unique())
    figure = Figure(figsize=(5 * len(thresholds), 4.2), layout="constrained")
    panels = figure.subplots(1, len(thresholds), squeeze=False)[0]
    for threshold, ax in zip(thresholds, panels, strict=True):
        own = table[table["threshold"] == threshold]
        for (name, rows), (colour, style) in zip(
            own.groupby("measure", sort=False), REFERENCE_STYLES, strict=False
        ):
            x = 100 * rows["share"]
            ax.plot(x, rows["rms_same"], color=colour, linestyle=style, marker=".", label=measure_label(str(name)))
        ax.set(xlabel="judgments kept, %", ylabel="mean RMS error, same lists", xlim=(103, 5))
        ax.set_title(threshold_label(int(threshold), max(thresholds)), fontsize=10)
    panels[0].legend(fontsize=7)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=["robust03"])
    parser.add_argument("--g-steps", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--min-retrieved", type=int, default=2)
    with started(parser, argv) as arguments:
        if len(arguments.collections) != 1:
            parser.error("one collection at a time")
        table = compute(
            arguments.data / arguments.collections[0],
            g_steps=arguments.g_steps,
            repetitions=arguments.repetitions,
            min_retrieved=arguments.min_retrieved,
            jobs=arguments.jobs,
            depth=arguments.depth,
        )
        print(table.to_string(index=False, float_format="%.4f"))
        write(arguments.out, "robustness", draw(table), {"": table}, dpi=90)


if __name__ == "__main__":
    main()
