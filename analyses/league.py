"""The league table: which measure says the most about a ranked list, on three collections.

Every measure that can be a maximum-entropy constraint, on the same lists; all thresholds; paired differences to the
best and places, with intervals over topics, and over topics and systems.  Then choices held out: g, the beta of Q,
and the measure are chosen on one half of the topics and judged on the other.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, given, matched, options, started, study, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.studies.compare import common_lists
from maxent.studies.verdicts import differences
from maxent.texts import threshold_label

GRIDS = (me.GAP, me.xGAP, me.eGAP)
BETAS = (0.1, 0.3, 1, 3, 10)
OTHERS = (
    *("AP", "muAP", "gAP", "gAP(gain=exp2)", "wAP", "wAP(gain=exp2)"),
    *("nDCG", "nDCG(gain=exp2)", "nDCG(gain=exp)", "nDCG(discount=inverse)", "nDCG(gain=exp2)@10"),
    *("NDCNG", "mnDCG", "mSR", "mSR(gain=exp2)"),
    *("RBP(p=0.5)", "RBP", "RBP(p=0.95)", "P@10", "Rprec"),
)


def grid(levels: int, g_steps: int) -> list[tuple[float, ...]]:
    """Grid of g with points near AP and with even g; without AP itself, which is in ``OTHERS``."""
    near = [(first, *((1 - first) / (levels - 1),) * (levels - 1)) for first in (0.75, 0.875)]
    every = [*me.g_grid(levels=levels, steps=g_steps), *near, (1 / levels,) * levels]
    return [g for g in dict.fromkeys(every) if g[0] < 1]


def measures(levels: int, g_steps: int) -> list[me.measures.Measure]:
    """GAP, xGAP and eGAP over a grid of g, nDCG with the gains of each GAP, several Q, and everything else."""
    graded = [cls(g=g) for cls in GRIDS for g in grid(levels, g_steps) if cls is me.GAP or max(g) < 1]
    return [*graded, *gains(levels, g_steps), *(me.Q(beta=beta) for beta in BETAS), *map(me.parse_measure, OTHERS)]


def gains(levels: int, g_steps: int) -> list[me.nDCG]:
    """The nDCG with the gains of AP, which are flat, and of each GAP; even g has the linear gains in ``OTHERS``.

    Gains of 0 for the lowest grade are left out, as in ``figure2.py``.
    """
    flat = (1.0, *(0.0,) * (levels - 1))
    return [matched(g) for g in [flat, *grid(levels, g_steps)] if g[0] > 0 and len(set(g)) > 1]


def pairs(levels: int, g_steps: int) -> list[tuple[str, str]]:
    """AP and each GAP of which nDCG has the same gains, with this nDCG; linear gains are those of equal g."""
    known = [g for g in grid(levels, g_steps) if g[0] > 0]
    found = [(str(me.GAP(g=g)), str(matched(g)) if len(set(g)) > 1 else "nDCG") for g in known]
    return [("AP", str(matched((1.0, *(0.0,) * (levels - 1))))), *found]


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    g_steps: int = 5,
    splits: int = 1000,
    depth: int = 1000,
    jobs: int = 2,
) -> dict[str, pd.DataFrame]:
    """Tables, each with a first column collection.

    ``""``: the columns of :func:`maxent.league`, and both_low and both_high: the interval of the difference over
    topics and systems. ``_held_out``: chosen (g, beta or measure), then those of :func:`maxent.studies.held_out`.
    ``_left_out``: those of :func:`maxent.left_out`. ``_gains``: for GAPs, nDCG with their gains, and thresholds (0:
    the mean over all) the difference of their errors, below 0 where that of GAP is smaller, with Student's 95 %
    interval over topics, corrected for the number of pairs.
    """
    found: dict[str, dict[str, pd.DataFrame]] = {"": {}, "_gains": {}, "_held_out": {}, "_left_out": {}}
    for name in collections:
        levels = int(me.read_qrels(data / name / "qrels.txt")["relevance"].max())
        table = study(data / name, measures(levels, g_steps), jobs=jobs, depth=depth)
        both = me.league(table, resample="both")[["threshold", "measure", "difference_low", "difference_high"]]
        both.columns = pd.Index(["threshold", "measure", "both_low", "both_high"])
        found[""][name] = me.league(table).merge(both, on=["threshold", "measure"])
        common = common_lists(table).assign(depth=depth)
        found["_gains"][name] = differences(common, ["depth"], pairs(levels, g_steps), replicates=1000, rng=0)
        found["_held_out"][name] = choices(table, levels, g_steps, splits)
        found["_left_out"][name] = me.left_out(table)
    return {key: by_collection(tables) for key, tables in found.items()}


def choices(table: pd.DataFrame, levels: int, g_steps: int, splits: int) -> pd.DataFrame:
    """The choices of g, beta, and the measure, held out; AP is a candidate of each."""
    families: dict[str, list[me.measures.Measure] | None] = {
        "g": [me.AP(), *(me.GAP(g=g) for g in grid(levels, g_steps))],
        "beta": [me.AP(), *(me.Q(beta=beta) for beta in BETAS)],
        "measure": None,
    }
    references = [me.AP(), me.GAP(g=(1 / levels,) * levels), me.nDCG(gain="exp2"), me.nDCG(), me.Q(beta=0.3)]
    tables = {
        chosen: me.studies.held_out(table, candidates=candidates, references=references, splits=splits)
        for chosen, candidates in families.items()
    }
    return pd.concat(tables, names=["chosen"]).reset_index("chosen").reset_index(drop=True)


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection: measures by their mean over thresholds; best and worst of each grid."""
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
    for family in GRID_NAMES:  # the best point and the worst; GAP with one threshold alone they are AP
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


GRID_NAMES = (*(f"{cls.__name__}(g=" for cls in GRIDS), "nDCG(gain=0")
ONE_THRESHOLD = re.compile(r"\(g=(.*,)?1[,)]")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--g-steps", type=int, default=5, help="points along an edge of the grid of g")
    parser.add_argument("--splits", type=int, default=1000, help="random halves of the topics")
    with started(parser, argv) as arguments:
        found = compute(**given(arguments))
        overall = found[""][found[""]["threshold"] == 0].drop(columns=["threshold", "topics"])
        print(overall.to_string(index=False, float_format="%.4f"), end="\n\n")
        print(found["_gains"].to_string(index=False, float_format="%.4f"), end="\n\n")
        print(found["_held_out"].to_string(index=False, float_format="%.4f"), end="\n\n")
        missing = found["_left_out"]
        print(missing[missing["status"].isin(["failed", "infeasible"])].to_string(index=False))
        write(arguments.out, "league", draw(found[""]), found, svg=True)


if __name__ == "__main__":
    main()
