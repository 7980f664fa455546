"""Figure 3 of the GAP paper: which measure tells more pairs of systems apart, on three collections.

The paper repeats the test for "the best performing systems (top 15 by both metrics)". Here these are, in one
reading, the 15 best by each measure, and in the other the systems that are among the 15 best by GAP and by nDCG
with exponential gain, the two measures of the paper.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, given, options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.systems import plot_discrimination
from maxent.systems.compare_discriminative import METHODS, top_power

ALPHA, TOP = 0.05, 15


def compute(
    data: Path, *, collections: Sequence[str] = ALL, replicates: int = 1000
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Power and pairs.

    Power: columns collection, method, measure, power, difference_needed, top_power (the same share among the best
    systems by each measure), both_power and both_pairs (that among the systems that are the best by both measures
    of the paper, and the number of their pairs; for these two only). Pairs: collection, then those of
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
        values = me.evaluate(runs, qrels, measures=measures, empty="skip").tables["values"]
        papers = [str(me.GAP(g=even)), str(me.nDCG(gain="exp2"))]
        for method in METHODS:
            found = me.systems.discriminative_power(values, method=method, alpha=ALPHA, replicates=replicates)
            two = found.pairs[found.pairs["measure"].isin(papers)]
            each = top_power(found.pairs, TOP, alpha=ALPHA).set_index("measure")
            both = top_power(two, TOP, alpha=ALPHA, by="both").set_index("measure")
            rows = found.power.set_index("measure").assign(top_power=each["power"])
            rows = rows.assign(both_power=both["power"], both_pairs=both["pairs"].astype("Int64")).reset_index()
            power.append(rows.assign(collection=name, method=method))
            if method == "bootstrap":
                pairs.append(found.pairs.assign(collection=name))
    columns = ["collection", "method", "measure", "power", "difference_needed", "top_power"]
    columns += ["both_power", "both_pairs"]
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
        power, pairs = compute(**given(arguments))
        print(power.to_string(index=False, float_format="%.4f"))
        write(arguments.out, "discriminative_power", draw(pairs), {"": power})


if __name__ == "__main__":
    main()
