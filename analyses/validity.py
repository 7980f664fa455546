"""Does informativeness matter? The order of measures by it, beside their orders by other qualities.

21 measures, of the whole list and of the top alone, are ordered by their mean RMS error in two readings.  Kendall's
tau compares this order with those by

- power: the share of pairs of systems that differ with p below .05 by the paired t test;
- stability: Kendall's tau of the rankings of systems on two random halves of the topics, mean over splits;
- prediction: R^2 of the values of each of the other measures, predicted by ridge regression from the value of this
  one for the same list; trained on other topics, mean over the other measures;
- prediction within topics: the same of values from which the mean over the systems is subtracted in every topic.

Intervals resample topics, on which the errors and all qualities depend.  Lists are solved and regressions
fitted once; in a sample, the topics have other weights.  Copies of a topic are never in both halves.

What finds nothing stands beside it: random orders of measures and of families, the order that only knows whether a
measure has a cutoff, and the place of the broken stick, the mean of all weights that fall with the rank.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from matplotlib.figure import Figure
from ohsumed_features import read as read_folds
from scipy.stats import t as student

import maxent as me
from maxent.data.collection import Collection
from maxent.data.values import values_by_topic
from maxent.ltr.queries import feature_names
from maxent.plot.style import BLUE, GREY, RED
from maxent.studies.topics import SOLVED
from maxent.types import BoolArray, FloatArray, IntArray

Pairs = tuple[IntArray, IntArray]
Taus = dict[tuple[str, str, str], dict[str, FloatArray]]
READINGS: dict[str, dict[str, Any]] = {"papers": {"reading": "papers"}, "standard": {"reading": "standard"}}
CUTOFF = "cutoff alone"  # the order without a study: measures of the whole list, then those of the top
RANDOM = "random"
QUALITIES = ("power", "stability", "prediction", "prediction within topics")
WHOLE = (
    "AP", "GAP(g=even)", "eGAP(g=even)", "Q(beta=0.3)", "Q", "nDCG(gain=flat)", "nDCG", "nDCG(gain=exp2)",
    "nDCG(discount=inverse)", "RBP(p=0.95)", "Rprec",
)  # fmt: skip
TOP = (
    "P@5", "P@10", "P@20", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG(gain=exp2)@10", "AP@10", "RBP(p=0.5)",
    "RBP(p=0.8)",
)  # fmt: skip
MEASURES = (*WHOLE, *TOP)
STICKS = ("broken stick, flat gains", "broken stick, linear gains")
FIRST, SECOND = np.triu_indices(len(MEASURES), 1)
TOPS = np.isin(MEASURES, TOP).astype(int)[FIRST] + np.isin(MEASURES, TOP)[SECOND]
SETS: dict[str, Pairs] = {
    "all": (FIRST, SECOND),
    "whole list": (FIRST[TOPS == 0], SECOND[TOPS == 0]),
    "top": (FIRST[TOPS == 2], SECOND[TOPS == 2]),
    "same kind": (FIRST[TOPS != 1], SECOND[TOPS != 1]),
}
"""Pairs of measures that are compared, as places in ``MEASURES``; same kind: the pairs of both sets before it."""
LABELLED = ("AP", "GAP(g=even)", "nDCG", "Rprec", "P@5", "nDCG@10", "RBP(p=0.5)")  # in the figure: others overlap
FAMILIES = np.repeat(np.arange(8), (5, 4, 1, 1, 3, 4, 1, 2))
"""Of each measure: AP with its relatives, nDCG, RBP, R-precision; at the top P, nDCG, AP, RBP."""
ALPHA, FOLDS, PENALTY, DECIMALS, DRAWS = 0.05, 5, 1.0, 10, 5000


class Orders(NamedTuple):
    """What orders the measures of a collection, (1 + samples, measures and sticks); row 0 is that of all topics."""

    errors: dict[str, FloatArray]  # by reading
    qualities: dict[str, FloatArray]
    lists: dict[str, int]  # by reading


def compute(
    data: Path,
    *,
    collections: Sequence[str] = (*ALL, "ohsumed"),
    replicates: int = 300,
    splits: int = 50,
    jobs: int = 2,
    depth: int = 1000,
) -> dict[str, pd.DataFrame]:
    """Tables: ``""``: tau by collection, and their mean (``mean``), order, set of measures and quality.

    Columns collection, order (by the error in a reading, or ``CUTOFF``), set, pairs (number), quality, tau, tau_low
    and tau_high (95 % interval over topics), random_low and random_high (95 % of orders drawn at random),
    families_low and families_high (95 % of random orders that keep ``FAMILIES`` together).
    ``_positive``: in how many collections tau is positive, and the share of random orders with this in all of them.
    ``_differences``: of the taus of two orders. ``_measures``: errors and qualities of every measure.
    ``_sticks``: the places of the broken sticks among all 23, by error and by quality; 1 is the best.
    """
    orders = {
        name: orders_of(collection_of(data / name, depth), replicates=replicates, splits=splits, jobs=jobs)
        for name in collections
    }
    taus, rng = taus_of(orders), np.random.default_rng(1)
    random = random_taus(orders, rng.uniform(size=(DRAWS, len(MEASURES))))
    in_families = rng.uniform(size=(DRAWS, FAMILIES.max() + 1))[:, FAMILIES]
    families = random_taus(orders, in_families + 1e-6 * rng.uniform(size=(DRAWS, len(MEASURES))))
    measures = by_collection({name: table_of(o) for name, o in orders.items()})
    return {
        "": relations(taus, random, families),
        "_positive": positive(taus, random),
        "_differences": differences(taus),
        "_measures": measures,
        "_sticks": places(measures),
    }


def collection_of(folder: Path, depth: int) -> Collection:
    """A collection of runs; in a data set for learning to rank, features that vary within a query are the runs."""
    if not any(folder.glob("Fold*")):
        return me.collect(*read(folder), depth=depth, progress=False)
    documents = read_folds(folder)
    by_query = documents.groupby("query_id")[feature_names(documents)]
    varied = by_query.nunique().max()
    keys = documents[["query_id", "doc_id"]]
    runs = {name: keys.assign(score=documents[name]) for name in varied.index[varied > 1]}
    judgments = documents[["query_id", "doc_id", "relevance"]]
    return me.collect(runs, judgments, depth=min(depth, int(by_query.size().max())), progress=False)


def orders_of(collection: Collection, *, replicates: int, splits: int, jobs: int) -> Orders:
    """Errors in both readings and the qualities, for all topics and for resampled ones."""
    rng = np.random.default_rng(0)
    measures = measures_of(collection.levels)
    table = values_by_topic(collection, measures=measures, empty="skip")
    shape = (len(collection.runs), len(collection.topics), len(measures))
    values = table["value"].to_numpy().reshape(shape).transpose(1, 0, 2)  # (topics, runs, measures)
    topics = len(values)
    drawn = rng.multinomial(topics, np.full(topics, 1 / topics), size=replicates)
    weights = np.vstack((np.ones((1, topics), dtype=int), drawn))
    halves = rng.permuted(np.tile(np.arange(topics) < topics // 2, (splits, 1)), axis=1)
    qualities: dict[str, FloatArray] = {
        "power": power(values, weights),
        "stability": stability(values, weights, halves),
        "prediction": prediction(values, weights),
        "prediction within topics": prediction(values - values.mean(axis=1, keepdims=True), weights),
    }
    errors: dict[str, FloatArray] = {}
    lists: dict[str, int] = {}
    for reading, keywords in READINGS.items():
        sums, sizes = topic_errors(collection, measures, {**keywords, "jobs": jobs})
        errors[reading] = (weights @ sums) / (weights @ sizes)[:, None]
        lists[reading] = int(sizes.sum())
    return Orders(errors, qualities, lists)


def measures_of(levels: int) -> list[me.measures.Measure]:
    """The measures in the order of ``MEASURES``, and the broken sticks."""
    flat = "nDCG(gain=" + ",".join("1" * levels) + ")"
    texts = (flat if name == "nDCG(gain=flat)" else name for name in MEASURES)
    return [*map(me.parse_measure, texts), me.BrokenStick(), me.BrokenStick(gain="linear")]


def topic_errors(
    collection: Collection, measures: Sequence[me.measures.Measure], keywords: Mapping[str, Any]
) -> tuple[FloatArray, IntArray]:
    """Sums of the lists' errors (topics, measures), means over the thresholds, and numbers of lists (topics,).

    Lists count that are solved for every measure and threshold.
    """
    table = me.informativeness(collection, measures=measures, progress=False, **keywords)
    solved = table[table["status"].isin(SOLVED)].assign(measure=lambda rows: rows["measure"].astype(str))
    wide = solved.pivot(index=["query_id", "run_id"], columns=["measure", "threshold"], values="rms").dropna()
    errors = wide.T.groupby("measure").mean().T[list(map(str, measures))]
    by_topic = errors.groupby("query_id")
    topics = list(collection.topics)
    sums = by_topic.sum().reindex(topics, fill_value=0.0).to_numpy()
    return sums, by_topic.size().reindex(topics, fill_value=0).to_numpy()


def power(values: FloatArray, weights: IntArray) -> FloatArray:
    """Share of pairs of runs that differ by the paired t test, (samples, measures)."""
    topics, runs, measures = values.shape
    first, second = np.triu_indices(runs, 1)
    needed = student.ppf(1 - ALPHA / 2, topics - 1)
    shares = np.empty((len(weights), measures))
    for k in range(measures):
        differences = values[:, first, k] - values[:, second, k]
        mean, square = weights @ differences / topics, weights @ differences**2 / topics
        error = np.sqrt(np.maximum(square - mean**2, 0) / (topics - 1))
        shares[:, k] = np.mean(np.abs(mean) > np.maximum(needed * error, 10.0**-DECIMALS), axis=1)
    return shares


def stability(values: FloatArray, weights: IntArray, halves: BoolArray) -> FloatArray:
    """Kendall's tau of the rankings of runs on two halves of the topics, mean over splits: (samples, measures)."""
    topics, runs, measures = values.shape
    by_topic, pairs = values.transpose(0, 2, 1).reshape(topics, -1), np.triu_indices(runs, 1)
    means = np.empty((len(weights), measures))
    for sample, weight in enumerate(weights):
        one, other = ((half * weight @ by_topic).reshape(len(halves), measures, runs) for half in (halves, ~halves))
        means[sample] = tau(one, other, pairs).mean(axis=0)
    return means


def tau(first: FloatArray, second: FloatArray, pairs: Pairs) -> FloatArray:
    """Kendall's tau-b over pairs of the last axis; 0 where all of them are tied in either."""
    one, other = pairs
    a, b = (np.sign(np.round(x[..., one] - x[..., other], DECIMALS)) for x in (first, second))
    untied = np.sqrt(np.abs(a).sum(axis=-1) * np.abs(b).sum(axis=-1))
    return np.asarray((a * b).sum(axis=-1) / np.maximum(untied, 1))


def prediction(values: FloatArray, weights: IntArray) -> FloatArray:
    """R^2 of the other measures, mean over them, predicted from each measure: (samples, measures)."""
    targets = values[:, :, : len(MEASURES)]
    errors = squared_errors(values, targets)  # (topics, measures, targets)
    residual = np.tensordot(weights, errors, axes=1)
    lists = weights.sum(axis=1)[:, None] * values.shape[1]
    square, total = weights @ (targets**2).sum(axis=1), weights @ targets.sum(axis=1)
    explained = 1 - residual / (square - total**2 / lists)[:, None]
    itself = np.eye(values.shape[2], targets.shape[2], dtype=bool)
    return np.asarray(explained.mean(axis=2, where=~itself))


def squared_errors(values: FloatArray, targets: FloatArray) -> FloatArray:
    """Sums over runs of the squared errors (topics, measures, targets) of ridge regressions from other topics."""
    errors = np.empty((len(values), values.shape[2], targets.shape[2]))
    fold = np.arange(len(values)) % FOLDS
    for number in range(FOLDS):
        x, y = (z[fold != number].reshape(-1, z.shape[2]) for z in (values, targets))
        centre_x, centre_y = x.mean(axis=0), y.mean(axis=0)
        centred = x - centre_x
        squares = (centred**2).sum(axis=0)
        slopes = centred.T @ (y - centre_y) / (squares * (1 + PENALTY / len(x)))[:, None]  # of standardised values
        here = fold == number
        predicted = centre_y + (values[here] - centre_x)[..., None] * slopes
        errors[here] = ((predicted - targets[here][:, :, None]) ** 2).sum(axis=1)
    return errors


def taus_of(orders: Mapping[str, Orders]) -> Taus:
    """Kendall's tau (1 + samples,) by order, set of measures and quality; by collection, and the mean over them."""
    taus: Taus = {}
    for key in product((*READINGS, CUTOFF), SETS, QUALITIES):
        order, of, quality = key
        if order != CUTOFF or of == "all":
            by_name = {name: tau(scores(o, order), o.qualities[quality], SETS[of]) for name, o in orders.items()}
            taus[key] = {**by_name, "mean": np.mean(list(by_name.values()), axis=0)}
    return taus


def scores(orders: Orders, order: str) -> FloatArray:
    """What orders the measures, the best with the highest score."""
    return np.isin(MEASURES, WHOLE)[None] * 1.0 if order == CUTOFF else -orders.errors[order]


def random_taus(orders: Mapping[str, Orders], scores: FloatArray) -> Taus:
    """As :func:`taus_of`, of random scores (draws, measures), which are the same for all collections."""
    taus: Taus = {}
    for of, quality in product(SETS, QUALITIES):
        by_name = {name: tau(scores, o.qualities[quality][:1], SETS[of]) for name, o in orders.items()}
        taus[RANDOM, of, quality] = {**by_name, "mean": np.mean(list(by_name.values()), axis=0)}
    return taus


def relations(taus: Taus, random: Taus, families: Taus) -> pd.DataFrame:
    """Taus with their intervals over topics, and those of random orders of measures and of families."""
    rows = []
    for (order, of, quality), by_name in taus.items():
        for name, samples in by_name.items():
            ends = (ends_of(drawn[RANDOM, of, quality][name]) for drawn in (random, families))
            numbers = np.concatenate((samples[:1], ends_of(samples[1:]), *ends))
            rows.append((name, order, of, len(SETS[of][0]), quality, *numbers))
    names = ["collection", "order", "set", "pairs", "quality", "tau", "tau_low", "tau_high"]
    names += ["random_low", "random_high", "families_low", "families_high"]
    return pd.DataFrame(rows, columns=names)


def positive(taus: Taus, random: Taus) -> pd.DataFrame:
    """In how many collections tau is positive, and which share of random orders is so in all of them."""
    rows = []
    for (order, of, quality), by_name in taus.items():
        names = [name for name in by_name if name != "mean"]
        number = sum(bool(by_name[name][0] > 0) for name in names)
        chance = np.all([random[RANDOM, of, quality][name] > 0 for name in names], axis=0).mean()
        rows.append((order, of, quality, number, len(names), chance))
    return pd.DataFrame(rows, columns=["order", "set", "quality", "positive", "collections", "random_in_all"])


def differences(taus: Taus) -> pd.DataFrame:
    """Differences of the taus of two orders with their intervals, over the same resampled topics."""
    rows = []
    pairs = [("standard", "papers"), ("papers", CUTOFF), ("standard", CUTOFF)]
    for (first, second), of, quality in product(pairs, SETS, QUALITIES):
        if (second, of, quality) in taus:
            for name, samples in taus[first, of, quality].items():
                difference = samples - taus[second, of, quality][name]
                rows.append((name, first, second, of, quality, difference[0], *ends_of(difference[1:])))
    names = ["collection", "first", "second", "set", "quality", "difference"]
    return pd.DataFrame(rows, columns=[*names, "difference_low", "difference_high"])


def ends_of(samples: FloatArray) -> FloatArray:
    """Ends of the middle 95 % of samples."""
    return np.quantile(samples, (0.025, 0.975))


def table_of(orders: Orders) -> pd.DataFrame:
    """Errors and qualities of every measure over all topics."""
    columns: dict[str, Any] = {"measure": (*MEASURES, *STICKS)}
    columns["set"] = ["whole list"] * len(WHOLE) + ["top"] * len(TOP) + ["no content"] * len(STICKS)
    columns |= {f"rms_{reading}": errors[0] for reading, errors in orders.errors.items()}
    columns |= {name: samples[0] for name, samples in orders.qualities.items()}
    return pd.DataFrame(columns | {f"lists_{reading}": number for reading, number in orders.lists.items()})


def places(table: pd.DataFrame) -> pd.DataFrame:
    """Places of the broken sticks among the measures and sticks of each collection; ties share their mean place."""
    groups = table.groupby("collection", sort=False)
    ranked = table[["collection", "measure"]].copy()
    for reading in READINGS:
        ranked[f"place_{reading}"] = groups[f"rms_{reading}"].rank()
    for quality in QUALITIES:
        ranked[f"place_{quality}"] = groups[quality].rank(ascending=False)
    return ranked[ranked["measure"].isin(STICKS)]


def draw(table: pd.DataFrame) -> Figure:
    """Power against error: a row of panels for each reading, a column for each collection."""
    names = list(dict.fromkeys(table["collection"]))
    figure = Figure(figsize=(4.2 * len(names), 7.6), layout="constrained")
    panels = figure.subplots(len(READINGS), len(names), squeeze=False)
    for (row, reading), (column, name) in product(enumerate(READINGS), enumerate(names)):
        ax, rows = panels[row, column], table[table["collection"] == name]
        for of, colour, marker in (("whole list", BLUE, "o"), ("top", RED, "^"), ("no content", GREY, "x")):
            part = rows[rows["set"] == of]
            ax.plot(part[f"rms_{reading}"], part["power"], marker, color=colour, markersize=5, label=of)
            labelled = part[part["measure"].isin(LABELLED)]
            for text, x, y in labelled[["measure", f"rms_{reading}", "power"]].itertuples(index=False):
                ax.annotate(text, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=6)
        ax.set(xlabel=f"mean RMS error, {reading} reading", title=name)
        ax.margins(x=0.15)
    panels[0, 0].legend(fontsize=8)
    for ax in panels[:, 0]:
        ax.set_ylabel("share of pairs of systems that differ")
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=(*ALL, "ohsumed"))
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--splits", type=int, default=50, help="random halves of the topics")
    with started(parser, argv) as arguments:
        tables = compute(**given(arguments))
        for table in tables.values():
            print(table.to_string(index=False, float_format="%.3f"), end="\n\n")
        write(arguments.out, "validity", draw(tables["_measures"]), tables, dpi=90)


if __name__ == "__main__":
    main()
