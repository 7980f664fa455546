"""Two measures known together: how much more do they say than the better of them?

All pairs of seven measures (21), each measure by itself, and the counts alone, on the same lists; differences to
the better measure of each pair are paired over topics.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
from common import by_collection, options, study, write
from matplotlib.figure import Figure

import maxent as me
from maxent.measures.labels import threshold_label
from maxent.study.bootstrap import topic_bootstrap
from maxent.study.topics import SOLVED

OTHERS = ("nDCG(gain=exp2)", "nDCG(gain=exp2)@10", "P@10", "Rprec", "RBP")
SAME = 1e-6  # a larger difference of a list's errors counts


def measures(levels: int) -> list[me.Measure]:
    """The seven measures: AP, GAP with equal g, and others."""
    return [me.AP(), me.GAP(g=(1 / levels,) * levels), *map(me.parse_measure, OTHERS)]


def compute(
    data: Path, *, collections: Sequence[str] = ("robust03",), jobs: int = 2
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What each pair adds, as of :func:`gains`, and how lists are solved: measure, status, lists, reason."""
    tables, statuses = {}, {}
    for name in collections:
        levels = int(me.read_qrels(data / name / "qrels.txt")["relevance"].max())
        single = measures(levels)
        pairs = [me.Joint(pair) for pair in combinations(single, 2)]
        table = study(data / name, [me.Joint(), *single, *pairs], jobs=jobs)
        tables[name], statuses[name] = gains(table), me.left_out(table)
    return by_collection(tables), by_collection(statuses)


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """What the second measure of each pair adds to the first, the better one.

    Returns
    -------
    DataFrame
        A row for each pair and threshold: measure (the pair), threshold, lists, rms, better (the measure of the
        pair with the smaller error), rms_better, difference (of rms to it), difference_low, difference_high (95 %
        bootstrap interval over topics, paired), worse (share of lists with a larger error than from the better).
    """
    lists, keys = ["run_id", "query_id"], ["threshold", "measure"]
    solved = table[table["status"].isin(SOLVED)]
    complete = solved.groupby([*lists, "threshold"])["measure"].transform("nunique") == table["measure"].nunique()
    common = solved[complete]
    boot = topic_bootstrap(common, keys, replicates=2000, rng=0)
    rows = []
    for threshold, own in common.groupby("threshold"):
        errors = own.pivot_table(index=lists, columns="measure", values="rms")
        mean = errors.mean()
        for pair in (text for text in table["measure"].unique() if "&" in text):
            better = str(mean[pair.split(" & ")].idxmin())
            change = boot[threshold][pair] - boot[threshold][better]
            rows.append({
                "measure": pair, "threshold": threshold, "lists": len(errors), "rms": mean[pair], "better": better,
                "rms_better": mean[better], "difference": mean[pair] - mean[better],
                "difference_low": change.quantile(0.025), "difference_high": change.quantile(0.975),
                "worse": (errors[pair] > errors[better] + SAME).mean(),
            })  # fmt: skip
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection and threshold: the error of each pair, and that of its better measure."""
    panels = list(table.groupby(["collection", "threshold"], sort=False))
    figure = Figure(figsize=(5.4 * len(panels), 5.5), layout="constrained")
    for ax, ((name, _), own) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        own = own.sort_values("rms")
        at = range(len(own))
        ax.hlines(at, own["rms"], own["rms_better"], color="0.7")
        ax.plot(own["rms_better"], at, "o", mfc="white", color="C1", label="better measure alone")
        ax.plot(own["rms"], at, "o", color="C0", label="both")
        ax.set_yticks(at, own["measure"], fontsize=7)
        ax.invert_yaxis()
        ax.set_xlabel("mean RMS error of the inferred curve")
        highest = table[table["collection"] == name]["threshold"].max()
        ax.set_title(f"{name}, {threshold_label(own['threshold'].iloc[0], highest)}", fontsize=9)
        ax.grid(axis="x", alpha=0.3)
    figure.axes[0].legend(fontsize=8)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    arguments = options(__doc__, collections=("robust03",)).parse_args(argv)
    table, statuses = compute(arguments.data, collections=arguments.collections, jobs=arguments.jobs)
    print(table.to_string(index=False, float_format="%.4f"))
    used = statuses[statuses["status"].isin((*SOLVED, "failed", "infeasible"))]
    print(used.drop(columns="reason").to_string(index=False))
    write(arguments.out, "joint", draw(table), {"": table, "_statuses": statuses})


if __name__ == "__main__":
    main()
