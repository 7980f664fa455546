"""Footnote 1 of the GAP paper: nDCG with every gain and discount, and what the choice does to informativeness."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from common import options, study, write
from figure2 import COLLECTIONS
from matplotlib.figure import Figure

import maxent as me
from maxent.measures.labels import threshold_label
from maxent.study.summary import topic_bootstrap
from maxent.study.topics import SOLVED

GAINS = ("linear", "exp2", "exp")
DISCOUNTS = ("log2", "jk", "inverse")
BASELINE = me.nDCG(gain="exp2", discount="log2")  # the paper's
COLOURS = dict(zip(GAINS, ("#1f5fa8", "#c0392b", "#2e8b57"), strict=True))


def compute(data: Path, *, collections: Sequence[str] = COLLECTIONS, jobs: int = 2) -> pd.DataFrame:
    """Mean RMS of every variant, and its difference to the paper's with a 95 % bootstrap interval over topics.

    Columns collection, gain, discount, threshold, lists, rms, rms_low, rms_high, excess, excess_low, excess_high.
    """
    variants = {str(me.nDCG(gain=g, discount=d)): (g, d) for g, d in product(GAINS, DISCOUNTS)}
    measures = [me.nDCG(gain=g, discount=d) for g, d in variants.values()]
    frames = []
    for name in collections:
        table = study(data / name, measures, jobs=jobs)
        summary = me.summarize(table)
        boot = topic_bootstrap(
            table[table["status"].isin(SOLVED)], ["measure", "threshold"], replicates=1000, rng=0
        )
        for threshold, rows in summary.groupby("threshold"):
            baseline = rows.loc[rows["measure"] == str(BASELINE), "rms"].iloc[0]
            for row in rows.to_dict("records"):
                difference = boot[row["measure"], threshold] - boot[str(BASELINE), threshold]
                gain, discount = variants[row["measure"]]
                low, high = difference.quantile([0.025, 0.975])
                own = {k: row[k] for k in ("threshold", "lists", "rms", "rms_low", "rms_high")}
                excess = {"excess": row["rms"] - baseline, "excess_low": low, "excess_high": high}
                frames.append({"collection": name, "gain": gain, "discount": discount, **own, **excess})
    return pd.DataFrame(frames)


def draw(table: pd.DataFrame) -> Figure:
    """Dots with intervals: discounts along the axis, one colour per gain."""
    names, thresholds = list(dict.fromkeys(table["collection"])), sorted(table["threshold"].unique())
    figure = Figure(figsize=(5 * len(names), 3.4 * len(thresholds)), layout="constrained")
    panels = figure.subplots(len(thresholds), len(names), squeeze=False)
    for (row, threshold), (column, name) in product(enumerate(thresholds), enumerate(names)):
        ax = panels[row, column]
        own = table[(table["collection"] == name) & (table["threshold"] == threshold)]
        for shift, gain in zip((-0.2, 0.0, 0.2), GAINS, strict=True):
            dots = own[own["gain"] == gain].set_index("discount").loc[list(DISCOUNTS)]
            x = np.arange(len(DISCOUNTS)) + shift
            ax.vlines(x, dots["rms_low"], dots["rms_high"], color=COLOURS[gain], alpha=0.4, linewidth=3)
            ax.plot(x, dots["rms"], "o", color=COLOURS[gain], label=f"gain {gain}")
        ax.set_xticks(range(len(DISCOUNTS)), ["log2(n+1)", "log2 n from 2 (jk)", "1/n"])
        ax.set_title(f"{name}: {threshold_label(threshold, max(thresholds))}", fontsize=10)
        ax.set_ylabel("mean RMS error")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    arguments = options(__doc__, collections=COLLECTIONS).parse_args(argv)
    table = compute(arguments.data, collections=arguments.collections, jobs=arguments.jobs)
    print(table.to_string(index=False, float_format="%.4f"))
    write(arguments.out, "ndcg_variants", draw(table), {"": table})


if __name__ == "__main__":
    main()
