"""The league table: which measure says the most about a ranked list, on three collections.

Every measure that can be a maximum-entropy constraint, on the same lists; all thresholds; intervals over topics and
paired differences to the best.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, options, study, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.measures.labels import threshold_label

GRIDS = (me.GAP, me.xGAP, me.eGAP)
OTHERS = (
    *("AP", "muAP", "gAP", "gAP(gain=exp2)", "wAP", "wAP(gain=exp2)", "Q(beta=0.1)", "Q(beta=0.3)", "Q"),
    *("Q(beta=3)", "Q(beta=10)"),
    *("nDCG", "nDCG(gain=exp2)", "nDCG(gain=exp)", "nDCG(discount=inverse)", "nDCG(gain=exp2)@10"),
    *("NDCNG", "mnDCG", "mSR", "mSR(gain=exp2)"),
    *("RBP(p=0.5)", "RBP", "RBP(p=0.95)", "P@10", "Rprec"),
)


def measures(levels: int, g_steps: int) -> list[me.Measure]:
    """GAP, xGAP and eGAP over a grid of g, and everything else."""
    grid = [cls(g=g) for cls in GRIDS for g in me.g_grid(levels=levels, steps=g_steps)]
    return [*grid, *map(me.parse_measure, OTHERS)]


def compute(
    data: Path, *, collections: Sequence[str] = ALL, g_steps: int = 5, jobs: int = 2
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """League tables and lists left out: column collection, then those of ``me.league`` and ``me.left_out``."""
    tables, missing = {}, {}
    for name in collections:
        levels = int(me.read_qrels(data / name / "qrels.txt")["relevance"].max())
        table = study(data / name, measures(levels, g_steps), jobs=jobs)
        tables[name], missing[name] = me.league(table), me.left_out(table)
    return by_collection(tables), by_collection(missing)


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection: measures by their mean over thresholds; of each grid the best and worst g."""
    names = list(dict.fromkeys(table["collection"]))
    figure = Figure(figsize=(5.4 * len(names), 8.5), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for name, ax in zip(names, panels, strict=True):
        draw_collection(table[table["collection"] == name], ax)
        ax.set_title(name)
    legends = [dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True)) for ax in panels]
    known = {label: handle for legend in legends for label, handle in legend.items()}
    figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=len(known), fontsize=8)
    return figure


def draw_collection(table: pd.DataFrame, ax: Axes) -> None:
    """Mean error with its interval; filled dots where the paired difference to the best does not exclude 0."""
    overall = table[table["threshold"] == 0].set_index("measure")
    shown = [m for m in overall.index if not m.startswith(GRID_NAMES)]
    for family in GRID_NAMES:  # the best g and the worst; with one threshold alone they are AP
        grid = [m for m in overall.index if m.startswith(family) and not ONE_THRESHOLD.search(m)]
        shown += [grid[0], grid[-1]]
    order = [m for m in overall.index if m in shown]
    at = list(range(len(order)))
    thresholds = sorted(set(table["threshold"]) - {0})
    for k, threshold in enumerate(thresholds):
        own = table[table["threshold"] == threshold].set_index("measure").loc[order]
        label = threshold_label(threshold, max(thresholds))
        ax.plot(own["rms"], at, "|", color=f"C{k + 1}", markersize=9, markeredgewidth=1.6, label=label)
    own = overall.loc[order]
    tied = own["difference_low"] <= 0
    for row in at[::2]:
        ax.axhspan(row - 0.5, row + 0.5, color="0.96", zorder=0)
    ax.hlines(at, own["rms_low"], own["rms_high"], color="0.7", linewidth=1)
    ax.plot(own["rms"], at, "o", color="C0", mfc="white", linestyle="none", label="mean of these, 95 %")
    ax.plot(own["rms"].where(tied), at, "o", color="C0", linestyle="none", label="difference to the best may be 0")
    ax.set_yticks(at, order, fontsize=7)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("mean RMS error of the inferred curve")
    ax.grid(axis="x", alpha=0.3)


GRID_NAMES = tuple(f"{cls.__name__}(g=" for cls in GRIDS)
ONE_THRESHOLD = re.compile(r"[=,]1[,)]")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--g-steps", type=int, default=5, help="points along an edge of the grid of g")
    arguments = parser.parse_args(argv)
    table, missing = compute(
        arguments.data, collections=arguments.collections, g_steps=arguments.g_steps, jobs=arguments.jobs
    )
    overall = table[table["threshold"] == 0].drop(columns="threshold")
    print(overall.to_string(index=False, float_format="%.4f"))
    print(missing[missing["status"].isin(["failed", "infeasible"])].to_string(index=False))
    write(arguments.out, "league", draw(table), {"": table, "_left_out": missing}, svg=True)


if __name__ == "__main__":
    main()
