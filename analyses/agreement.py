"""Tables 2 and 3 of the xGAP paper: do GAP, xGAP and eGAP rank the systems as other measures do?"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, options, read, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.systems import plot_agreement
from maxent.systems.agreement import agreement_matrix


def compute(data: Path, *, collections: Sequence[str] = ALL, few: float = 10.0) -> pd.DataFrame:
    """Columns collection, then those of :func:`maxent.agreement`."""
    return by_collection({name: me.agreement(*read(data / name), few=few) for name in collections})


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection and set of topics."""
    panels = table[["collection", "topics"]].drop_duplicates().to_numpy().tolist()
    figure = Figure(figsize=(11, 5.5 * len(panels)), layout="constrained")
    for (name, topics), ax in zip(panels, figure.subplots(len(panels), 1, squeeze=False)[:, 0], strict=True):
        plot_agreement(table[table["collection"] == name], topics=topics, ax=ax)
        ax.set_title(f"{name}, topics: {topics}", fontsize=10)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--few", type=float, default=10.0, help="few documents of grade k: R_1 >= few * R_k > 0")
    arguments = parser.parse_args(argv)
    table = compute(arguments.data, collections=arguments.collections, few=arguments.few)
    for name, rows in table.groupby("collection", sort=False):
        print(f"{name}, topics: {' / '.join(rows['topics'].unique())}")
        print(agreement_matrix(rows).to_string(index=False), end="\n\n")
    write(arguments.out, "agreement", draw(table), {"": table}, dpi=90)


if __name__ == "__main__":
    main()
