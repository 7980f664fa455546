"""The study of Aslam, Yilmaz and Pavlu (2005) on other collections: what AP, R-precision and P@k say about a list.

Relevant or not, as there.  RMS error of the inferred curves against the cutoff of P@k, with that of R-precision and
AP as levels; and AP, R-precision and P@k predicted from each other, by the maximum-entropy method and by linear
regressions, fitted to other topics: on the value alone, with the numbers of documents that the method knows, and on
all other measures.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.stats.bootstrap import topic_bootstrap
from maxent.studies.topics import SOLVED
from maxent.types import FloatArray

CUTOFFS = (5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
KNOWN = ("AP", "Rprec", "P@10", "P@100")
TARGETS = ("AP", "Rprec", "P@10", "P@30", "P@100")
METHODS = ("maximum entropy", "value", "value and counts", "all values and counts")
"""The maximum-entropy method, which knows a value and counts, and regressions on what they are named after."""
FOLDS = 10
LIST = ["run_id", "query_id"]


def compute(
    data: Path, *, collections: Sequence[str] = ALL, replicates: int = 1000, depth: int = 1000, jobs: int = 2
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Errors of curves, values, and errors of predictions (``count="retrieved"``, at least 5 relevant documents).

    Each with a first column collection. Curves: the columns of :func:`maxent.summarize`. Values: run_id, query_id,
    measure, target, actual, method, predicted. Predictions: measure, target, method, lists, rms, tau_systems (of
    the systems' mean predicted and actual values), then difference, low, high: RMS error of the maximum-entropy
    method minus that of the regression, with its paired 95 % interval over topics.
    """
    curves, values, errors = {}, {}, {}
    for name in collections:
        runs, qrels = read(data / name)
        binary = qrels.assign(relevance=(qrels["relevance"] > 0).astype(int))
        measures = [*(f"P@{k}" for k in CUTOFFS if k <= depth), "Rprec", "AP"]
        curves[name] = me.summarize(
            me.informativeness(runs, binary, measures=measures, reading="papers", depth=depth, jobs=jobs)
        )
        result = me.predict(runs, binary, measures=KNOWN, targets=TARGETS, reading="papers", depth=depth, jobs=jobs)
        table = result.tables["predictions"]
        table = table[table["status"].isin(SOLVED) & (table["measure"] != table["target"])]
        values[name] = with_regressions(table.merge(counts(runs, binary, depth), on=LIST))
        errors[name] = prediction_errors(values[name], replicates)
    return by_collection(curves), by_collection(values), by_collection(errors)


def counts(runs: dict[str, Path], qrels: pd.DataFrame, depth: int) -> pd.DataFrame:
    """What the method knows beside the value: R and the number of relevant documents retrieved, for each list."""
    collection = me.collect(runs, qrels, depth=depth)
    retrieved = (collection.grades > 0).sum(axis=2)
    keys = pd.MultiIndex.from_product([collection.topics, collection.runs], names=["query_id", "run_id"])
    relevant = np.repeat(collection.relevant.sum(axis=1), len(collection.runs))
    return pd.DataFrame({"relevant": relevant, "retrieved": retrieved.ravel()}, index=keys).reset_index()


def with_regressions(table: pd.DataFrame) -> pd.DataFrame:
    """Predictions by each of ``METHODS``; regressions of a topic are fitted to the topics of the other folds."""
    topics = {topic: k % FOLDS for k, topic in enumerate(sorted(table["query_id"].unique()))}
    of_measure = {str(m): own.drop_duplicates(LIST).set_index(LIST)["actual"] for m, own in table.groupby("target")}
    frames = []
    for (measure, target), rows in table.groupby(["measure", "target"], sort=False):
        lists, fold = pd.MultiIndex.from_frame(rows[LIST]), rows["query_id"].map(topics).to_numpy()
        others = [m for m in KNOWN if m not in (measure, target)]
        value, *values = (of_measure[str(m)].loc[lists].to_numpy() for m in (measure, *others))
        relevant, retrieved = rows["relevant"].to_numpy(float), rows["retrieved"].to_numpy(float)
        numbers = [retrieved / relevant, np.log(relevant), np.log(retrieved)]
        features = dict(zip(METHODS[1:], ([value], [value, *numbers], [value, *numbers, *values]), strict=True))
        actual = rows["actual"].to_numpy()
        for method in METHODS:
            predicted = (
                cross_fitted(np.column_stack((np.ones(len(rows)), *features[method])), actual, fold)
                if method in features
                else rows["predicted"]
            )
            frames.append(rows[[*LIST, "measure", "target", "actual"]].assign(method=method, predicted=predicted))
    return pd.concat(frames, ignore_index=True)


def cross_fitted(features: FloatArray, actual: FloatArray, fold: FloatArray) -> FloatArray:
    """Predictions by least squares, for each fold from the others, cut to 0..1."""
    predicted = np.empty(len(actual))
    for k in np.unique(fold):
        own = fold == k
        weights = np.linalg.lstsq(features[~own], actual[~own], rcond=None)[0]
        predicted[own] = features[own] @ weights
    return np.clip(predicted, 0, 1)


def prediction_errors(values: pd.DataFrame, replicates: int) -> pd.DataFrame:
    """RMS errors of the predictions, and those of the maximum-entropy method minus them."""
    keys = ["measure", "target", "method"]
    squares = values.assign(square=(values["predicted"] - values["actual"]) ** 2)
    boot = topic_bootstrap(squares, keys, value="square", replicates=replicates, rng=0).map(np.sqrt)
    found = squares.groupby(keys, sort=False).agg(lists=("square", "size"), rms=("square", "mean"))
    found["rms"] = np.sqrt(found["rms"])
    systems = squares.groupby([*keys, "run_id"])[["actual", "predicted"]].mean()
    taus = systems.groupby(keys).corr(method="kendall").xs("actual", level=-1)["predicted"]
    found["tau_systems"] = taus.reindex(found.index)
    rows = []
    for row in found.reset_index().to_dict("records"):
        own, entropy = (row["measure"], row["target"], row["method"]), (row["measure"], row["target"], METHODS[0])
        paired = boot[entropy] - boot[own]
        ends = {"low": paired.quantile(0.025), "high": paired.quantile(0.975)}
        rows.append(row | {"difference": found.loc[entropy, "rms"] - row["rms"]} | ends)
    return pd.DataFrame(rows)


def draw(curves: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """A column for each collection: RMS error against the cutoff; predicted against actual from AP."""
    names = list(dict.fromkeys(curves["collection"]))
    shown = [target for target in TARGETS if target != "AP"]
    figure = Figure(figsize=(4.2 * len(names), 3.2 * (1 + len(shown))), layout="constrained")
    panels = figure.subplots(1 + len(shown), len(names), squeeze=False)
    for name, column in zip(names, panels.T, strict=True):
        draw_cutoffs(curves[curves["collection"] == name].set_index("measure"), column[0])
        column[0].set_title(name)
        own = values[
            (values["collection"] == name) & (values["measure"] == "AP") & (values["method"] == METHODS[0])
        ]
        for ax, target in zip(column[1:], shown, strict=True):
            rows = own[own["target"] == target]
            ax.plot(rows["actual"], rows["predicted"], ".", markersize=2, alpha=0.5)
            ax.axline((0, 0), slope=1, color="0.6", linewidth=0.8)
            ax.set(xlabel=f"{target}, actual", ylabel=f"{target}, predicted from AP", xlim=(0, 1), ylim=(0, 1))
    return figure


def draw_cutoffs(own: pd.DataFrame, ax: Axes) -> None:
    """RMS error of the curves inferred from P@k against k."""
    cutoffs = [k for k in CUTOFFS if f"P@{k}" in own.index]  # those within the depth
    at_k = own.loc[[f"P@{k}" for k in cutoffs]]
    ax.plot(cutoffs, at_k["rms"], marker="o", label="P@k")
    ax.fill_between(cutoffs, at_k["rms_low"], at_k["rms_high"], alpha=0.2)
    for name, colour in (("Rprec", "C1"), ("AP", "C2")):
        ax.axhline(float(own["rms"][name]), color=colour, linestyle="--", label=name)
    ax.set(xscale="log", xlabel="cutoff k", ylabel="mean RMS error")
    ax.legend(fontsize=8)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--replicates", type=int, default=1000)
    with started(parser, argv) as arguments:
        curves, values, errors = compute(**given(arguments))
        print(curves.to_string(index=False, float_format="%.3f"), end="\n\n")
        print(errors.to_string(index=False, float_format="%.3f"))
        write(arguments.out, "aslam", draw(curves, values), {"": curves, "_predictions": errors}, dpi=90)


if __name__ == "__main__":
    main()
