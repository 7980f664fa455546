"""Tables 1 to 3 of the xGAP paper: features of collections; do GAP, xGAP and eGAP rank systems as others do?"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.systems import plot_agreement
from maxent.systems.compare_agreement import agreement_matrix
from maxent.systems.rankings import better_runs, topic_sets


def compute(data: Path, *, collections: Sequence[str] = ALL, few: float = 10.0) -> pd.DataFrame:
    """Columns collection, then those of :func:`maxent.agreement`."""
    return by_collection({name: me.compare_agreement(*read(data / name), few=few).table for name in collections})


def features(data: Path, *, collections: Sequence[str] = ALL, few: float = 10.0) -> pd.DataFrame:
    """Table 1 of the paper for these collections: a column for each, a row for each feature.

    The run length is the median over lists. Documents in the corpus and the depth of the pool are not in the files.
    """
    columns = {}
    for name in collections:
        runs, qrels = read(data / name)
        collection = me.collect(runs, qrels)
        relevant = collection.relevant.sum(axis=1)
        lengths = pd.concat(me.read_run(path).groupby("query_id").size() for path in runs.values())
        sets = topic_sets(collection, few)
        rows: dict[str, float] = {
            f"topics with relevant documents, {kind}": own.sum() for kind, own in sets.items()
        }
        rows |= {
            "runs": len(collection.runs),
            "runs above the first quartile": len(better_runs(collection, 0.25).runs),
            "run length": int(lengths.median()),
            "relevance degrees": collection.levels + 1,
            "judged documents of a topic": round(len(qrels) / qrels["query_id"].nunique(), 2),
            "minimum relevant": int(relevant.min()),
            "average relevant": round(float(relevant.mean()), 2),
            "maximum relevant": int(relevant.max()),
        }
        columns[name] = rows
    return pd.DataFrame(columns).rename_axis("feature").reset_index()


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
    parser = options(__doc__, collections=ALL, studies=False)
    parser.add_argument("--few", type=float, default=10.0, help="few documents of grade k: R_1 >= few * R_k > 0")
    with started(parser, argv) as arguments:
        table1 = features(arguments.data, collections=arguments.collections, few=arguments.few)
        print(table1.to_string(index=False, na_rep="0", float_format="%g"), end="\n\n")
        table = compute(**given(arguments))
        for name, rows in table.groupby("collection", sort=False):
            print(f"{name}, topics: {' / '.join(rows['topics'].unique())}")
            print(agreement_matrix(rows).to_string(index=False), end="\n\n")
        write(arguments.out, "agreement", draw(table), {"": table, "_features": table1}, dpi=90)


if __name__ == "__main__":
    main()
