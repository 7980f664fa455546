"""Figure 2 of the GAP paper: mean RMS error of the inferred curves against g, on two collections.

The paper shows TREC 9, 10 and 12; its TREC 12 topics are those of ``robust03``.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

import maxent as me
from maxent.plot.study import plot_informativeness
from maxent.plot.style import threshold_label

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
COLLECTIONS = ("robust03", "covid-round4")


def read(folder: Path) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Runs by file name and judgments of one collection folder (qrels.txt, runs/)."""
    if not folder.is_dir():
        raise SystemExit(f"no collection at {folder}: name the folder of the collections with --data")
    runs = {path.name.removesuffix(".gz"): me.read_run(path) for path in sorted((folder / "runs").iterdir())}
    return runs, me.read_qrels(folder / "qrels.txt")


def study(folder: Path, measures: Sequence[me.Measure], *, jobs: int = 2) -> pd.DataFrame:
    """Informativeness of measures on one collection folder."""
    return me.informativeness(*read(folder), measures=measures, jobs=jobs)


def compute(
    data: Path, *, collections: Sequence[str] = COLLECTIONS, g_steps: int = 9, jobs: int = 2
) -> pd.DataFrame:
    """Summary of every collection: column collection, then those of :func:`maxent.summarize`."""
    measures = [*(me.GAP(g=g) for g in me.g_grid(steps=g_steps)), me.AP(), me.nDCG(gain="exp2")]
    frames = [me.summarize(study(data / name, measures, jobs=jobs)).assign(collection=name) for name in collections]
    table = pd.concat(frames, ignore_index=True)
    return table[["collection", *(c for c in table.columns if c != "collection")]]


def draw(table: pd.DataFrame) -> Figure:
    """A column for each collection, a row for each threshold."""
    names = list(dict.fromkeys(table["collection"]))
    thresholds = sorted(table["threshold"].unique())
    figure = Figure(figsize=(5.2 * len(names), 3.6 * len(thresholds)), layout="constrained")
    panels = figure.subplots(len(thresholds), len(names), squeeze=False)
    for column, name in enumerate(names):
        for row, threshold in enumerate(thresholds):
            ax = panels[row, column]
            own = table[table["collection"] == name]
            plot_informativeness(own, threshold=threshold, ax=ax)
            ax.set_title(f"{name}: {threshold_label(threshold, max(thresholds))}", fontsize=10)
    return figure


def options(description: str | None) -> argparse.ArgumentParser:
    """Options of an analysis that studies collections."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
    parser.add_argument("--collections", nargs="+", default=list(COLLECTIONS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the table and the figure")
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--g-steps", type=int, default=9)
    arguments = parser.parse_args(argv)
    table = compute(
        arguments.data, collections=arguments.collections, g_steps=arguments.g_steps, jobs=arguments.jobs
    )
    print(table.to_string(index=False, float_format="%.4f"))
    arguments.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(arguments.out / "figure2.csv", index=False)
    draw(table).savefig(arguments.out / "figure2.png", dpi=120)


if __name__ == "__main__":
    main()
