"""Figure 3 of the GAP paper: which measure tells more pairs of systems apart, on three collections."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.systems import plot_discrimination
from maxent.systems.discrimination import METHODS, top_pairs

ALPHA, TOP = 0.05, 15


def compute(
    data: Path, *, collections: Sequence[str] = ALL, replicates: int = 1000
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Power and pairs.

    Power: columns collection, method, measure, power, difference_needed, top_power (the same share among the best
    systems by this measure; the paper's figure has the best "by both metrics"). Pairs: collection, then those of
    ``Discrimination.pairs``, by bootstrap.
    """
    power, pairs = [], []
    for name in collections:
        runs, qrels = read(data / name)
        levels = int(qrels["relevance"].max())
        even = (1 / levels,) * levels
        measures = [
            me.GAP(g=even),
            me.AP(),
            me.nDCG(),
            me.nDCG(gain="exp2"),
            me.xGAP(g=even),
            me.eGAP(g=even),
            me.Q(),
        ]
        values = me.evaluate(runs, qrels, measures=measures, empty="skip")
        for method in METHODS:
            found = me.discriminative_power(values, method=method, alpha=ALPHA, replicates=replicates)
            best = top_pairs(found.pairs, TOP).groupby("measure")["asl"]
            rows = found.power.assign(top_power=found.power["measure"].map(best.agg(lambda x: (x < ALPHA).mean())))
            power.append(rows.assign(collection=name, method=method))
            if method == "bootstrap":
                pairs.append(found.pairs.assign(collection=name))
    columns = ["collection", "method", "measure", "power", "difference_needed", "top_power"]
    return pd.concat(power, ignore_index=True)[columns], pd.concat(pairs, ignore_index=True)


def draw(pairs: pd.DataFrame) -> Figure:
    """A panel for each collection."""
    names = list(dict.fromkeys(pairs["collection"]))
    figure = Figure(figsize=(6 * len(names), 4.6), layout="constrained")
    for name, ax in zip(names, figure.subplots(1, len(names), squeeze=False)[0], strict=True):
        plot_discrimination(pairs[pairs["collection"] == name], alpha=ALPHA, top=TOP, ax=ax)
        ax.set_title(name, fontsize=10)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL, studies=False)
    parser.add_argument("--replicates", type=int, default=1000)
    with started(parser, argv) as arguments:
        power, pairs = compute(arguments.data, collections=arguments.collections, replicates=arguments.replicates)
        print(power.to_string(index=False, float_format="%.4f"))
        write(arguments.out, "discriminative_power", draw(pairs), {"": power})


if __name__ == "__main__":
    main()
