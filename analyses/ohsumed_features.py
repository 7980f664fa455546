"""Figures 6 to 8 of the muAP paper: eight features of OHSUMED as rankings, against the judgments and virtual users.

The ratings are the experts' grades (figure 6), feature 1, TF of the title (figure 7), or feature 9, TF-IDF of the
title (figure 8), taken as they are. Where the paper leaves a choice:

- Features tie often, and features 5 and 15 are constant in every query, so that the order of ties decides. Here it
  is random, and values are means over several orders.
- Levels are those of the query (equation 4), their distances those of the ratings. muMAP is the mean over queries.
- NDCG has the gain 2^rating - 1 and all ranks.
- MAP at a threshold is the mean over the queries that have a document rated so high; a query without a relevant
  document is left out.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from common import DATA, options, started, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from tqdm import tqdm

import maxent as me
from maxent.types import FloatArray, IntArray

FEATURES = tuple(f"f{number}" for number in (1, 5, 9, 11, 15, 19, 21, 22))
REFERENCES = {
    "relevance": "figure 6: the experts' judgments",
    "f1": "figure 7: virtual user TF of the title (feature 1)",
    "f9": "figure 8: virtual user TF-IDF of the title (feature 9)",
}
MEANS = {"muMAP": "#1f5fa8", "NDCG": "#c0392b", "NDCNG": "#2e8b57"}
DASHES = {"f15": "--", "f19": "--", "f22": "--"}  # drawn over 5, 11 and 21, which order nearly or just alike
TRUNCATED = 30  # rank at which LightGBM cuts the ideal list off
FEW = 10  # queries: thresholds that fewer use are not drawn


def read(folder: Path) -> pd.DataFrame:
    """All queries: those of the folds' test sets."""
    files = sorted(folder.glob("Fold*/test.txt*"))
    if not files:
        raise SystemExit(f"no Fold*/test.txt in {folder}: name the folder with --data")
    return pd.concat(map(me.data.read_letor, files), ignore_index=True)


def compute(documents: pd.DataFrame, *, orders: int = 20, rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Mean over queries, with its 95 % interval.

    Columns reference, feature, measure, threshold (of MAP), queries, mean, low, high.
    """
    generator = np.random.default_rng(rng)
    frames = []
    for _, own in tqdm(documents.groupby("query_id"), desc="evaluating", unit="query", delay=2, disable=None):
        ranked = rank(own[list(FEATURES)].to_numpy().T, orders=orders, rng=generator)
        for reference in REFERENCES:
            ratings = own[reference].to_numpy(dtype=np.float64)
            for measure, threshold, values in evaluate(ratings, ranked):
                row = {"reference": reference, "measure": measure, "threshold": threshold}
                frames.append(pd.DataFrame({**row, "feature": FEATURES, "value": values}))
    keys = ["reference", "feature", "measure", "threshold"]
    groups = pd.concat(frames).groupby(keys, sort=False, dropna=False)["value"]
    table = groups.agg(queries="size", mean="mean", sd="std").reset_index()
    half = 1.96 * table["sd"] / np.sqrt(table["queries"])
    return table.drop(columns="sd").assign(low=table["mean"] - half, high=table["mean"] + half)


def rank(scores: FloatArray, *, orders: int, rng: np.random.Generator) -> IntArray:
    """Documents by decreasing score (features, documents), ties at random: (features, orders, documents)."""
    noise = rng.random((len(scores), orders, scores.shape[1]))
    return np.lexsort((noise, np.broadcast_to(-scores[:, None], noise.shape)))


def evaluate(ratings: FloatArray, ranked: IntArray) -> Iterator[tuple[str, float, FloatArray]]:
    """Measure, threshold and value of every feature, for one query."""
    levels = np.union1d(0.0, ratings)
    grades = np.searchsorted(levels, ratings)
    relevant, used = np.bincount(grades, minlength=len(levels))[1:], tuple(levels[1:])
    if not used:
        return
    means = (me.muAP(levels=used), me.nDCG(gain=tuple(np.exp2(used) - 1)), me.NDCNG(gain=used))
    for name, measure in zip(MEANS, means, strict=True):
        yield name, np.nan, measure.evaluate(grades[ranked], relevant).mean(axis=1)
    for threshold in range(1, int(ratings.max()) + 1):
        hit = (ratings >= threshold).astype(np.int64)
        yield "MAP", threshold, me.AP().evaluate(hit[ranked], (hit.sum(),)).mean(axis=1)


def describe(documents: pd.DataFrame) -> str:
    """Size of the collection, and what the features that stand for virtual users are like."""
    relevant = (documents["relevance"] > 0).groupby(documents["query_id"]).sum()
    lines = [
        f"{len(documents)} documents, {len(relevant)} queries,"
        f" {(relevant > TRUNCATED).sum()} with more than {TRUNCATED} relevant documents"
    ]
    for name in list(REFERENCES)[1:]:
        own = documents.groupby("query_id")[name].nunique()
        values = documents[name].nunique()
        lines.append(f"feature {name[1:]}: {values} distinct values, {own.min()} to {own.max()} in a query")
    correlation = documents["f1"].corr(documents["f9"])
    return "\n".join([*lines, f"correlation of features 1 and 9: {correlation:.2f}\n"])


def draw(table: pd.DataFrame) -> Figure:
    """A row for each reference: MAP by threshold, and the three means of every feature."""
    figure = Figure(figsize=(11, 10), layout="constrained")
    panels = figure.subplots(len(REFERENCES), 2, sharey=True)
    for (left, right), (reference, title) in zip(panels, REFERENCES.items(), strict=True):
        own = table[table["reference"] == reference]
        _draw_map(own[(own["measure"] == "MAP") & (own["queries"] >= FEW)], left)
        _draw_means(own[own["measure"] != "MAP"], right)
        left.set_title(title, fontsize=10)
    panels[0, 0].legend(ncols=2, fontsize=8, title="feature", title_fontsize=8)
    panels[0, 1].legend(ncols=3, fontsize=8)
    return figure


def _draw_map(table: pd.DataFrame, ax: Axes) -> None:
    for number, (feature, rows) in enumerate(table.groupby("feature", sort=False)):
        ax.plot(
            rows["threshold"], rows["mean"], f"C{number}{DASHES.get(str(feature), '-')}", label=str(feature)[1:]
        )
    ax.set(xlabel=f"threshold t (used by at least {FEW} queries)", ylabel="MAP(t)", ylim=(0, 1.05))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_means(table: pd.DataFrame, ax: Axes) -> None:
    for shift, (measure, colour) in zip((-0.27, 0.0, 0.27), MEANS.items(), strict=True):
        rows = table[table["measure"] == measure].set_index("feature").loc[list(FEATURES)]
        x = np.arange(len(FEATURES)) + shift
        ax.bar(x, rows["mean"], width=0.25, color=colour, alpha=0.75, label=measure)
        ax.vlines(x, rows["low"], rows["high"], color="black", linewidth=1)
    ax.set_xticks(range(len(FEATURES)), [feature[1:] for feature in FEATURES])
    ax.set(xlabel="feature", ylabel="mean over queries, 95 % interval")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--data", type=Path, default=DATA / "ohsumed", help="folder of the folds")
    parser.add_argument("--orders", type=int, default=20, help="random orders of ties")
    parser.add_argument("--seed", type=int, default=0)
    with started(parser, argv) as arguments:
        documents = read(arguments.data)
        print(describe(documents))
        table = compute(documents, orders=arguments.orders, rng=arguments.seed)
        means = table[table["measure"] != "MAP"].pivot(
            index=["reference", "measure"], columns="feature", values="mean"
        )
        shown = means.reindex([(r, m) for r in REFERENCES for m in MEANS])[list(FEATURES)]
        print(shown.to_string(float_format="%.3f"))
        write(arguments.out, "ohsumed_features", draw(table), {"": table})


if __name__ == "__main__":
    main()
