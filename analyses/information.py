"""Information itself: the entropy that a value takes away, and how probable it makes the list, beside RMS errors.

Per measure the mean over lists of the entropy of the problem without the value (every rank has the same
probabilities) minus that with it, and of the log-likelihood of the list under the inferred distribution minus that
without the value, both in nats; and Kendall's tau between the rankings of the measures by these and by RMS error.

Then whether nats and errors know a measure from nonsense: on lists of ten documents of one grade, all 1,024 lists
are counted, for measures and for nDCG with its discounts reversed or shuffled, random weights, a random number for
each list, and the broken stick.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, STICK, by_collection, given, options, read, started, write
from inferences import merged
from league import BETAS, OTHERS, gains, grid
from matplotlib.figure import Figure
from scipy.optimize import brentq

import maxent as me
from maxent.problem import Count
from maxent.stats.bootstrap import topic_bootstrap
from maxent.studies.compare_measures import readings
from maxent.studies.topics import SOLVED
from maxent.types import FloatArray, IntArray

RANKED = ("rms_recall", "rms_rank", "entropy_reduction", "information")
LIST = ["run_id", "query_id"]
ALONE = str(me.Joint())  # the counts without a value
DEPTH, SAMPLED, DRAWS = (
    10,
    400,
    40,
)  # documents of a list; lists of a collection; weights and orders drawn at random
NONE = "counts alone"
QUESTIONS: tuple[tuple[Count, str], ...] = (("retrieved", "uniform"), ("at_most", "1/n"))
RANKS = np.arange(1.0, DEPTH + 1)
LISTS = np.array(list(product((0, 1), repeat=DEPTH)))  # every list of ten
FOUND = LISTS.cumsum(axis=1)  # relevant documents up to each rank


def measures(levels: int, g_steps: int) -> list[me.measures.Measure]:
    """GAP over a grid of g, nDCG with the same gains, Q with several beta, and the others of the league table."""
    graded = [*(me.GAP(g=g) for g in grid(levels, g_steps)), *gains(levels, g_steps)]
    return [*graded, *(me.Q(beta=beta) for beta in BETAS), *map(me.parse_measure, OTHERS)]


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    g_steps: int = 5,
    replicates: int = 1000,
    depth: int = 1000,
    jobs: int = 2,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Means, agreements and nonsense, each with a first column collection.

    Means, with ``count="retrieved"`` and ``min_retrieved=5``: measure, linear (whether the measure has no pairwise
    part), lists, and for each of ``RANKED`` the mean, the ends of its 95 % interval over topics (_low, _high), and
    the place (_rank, 1: the most informative).
    Agreements: first, second (of ``RANKED``), measures, tau, low, high. Nonsense: see :func:`counted`.
    """
    means, agreements, nonsense = {}, {}, {}
    for name in collections:
        runs, qrels = read(data / name)
        levels = int(qrels["relevance"].max())
        nonsense[name] = counted(me.collect(runs, merged(qrels, 1), depth=DEPTH, jobs=jobs))
        table = readings(
            me.collect(runs, qrels, depth=depth, jobs=jobs), [me.Joint(), *measures(levels, g_steps)],
            counts=["retrieved"], min_retrieved=5, jobs=jobs,
        )  # fmt: skip
        lists = of_lists(table)
        boot = {
            value: topic_bootstrap(lists, ["measure"], value=value, replicates=replicates, rng=0)
            for value in RANKED
        }
        means[name], agreements[name] = summary(lists, boot, levels), agreement(lists, boot)
    return by_collection(means), by_collection(agreements), by_collection(nonsense)


def of_lists(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each list that is solved for every measure, and measure: the columns ``RANKED``.

    Lists that some distribution rules out have no place in a mean: their value is the smallest attainable one but
    for rounding (RBP(.5) of lists with nothing in the first 50 ranks), and they are taken for the worst list.
    """
    solved = table["status"].isin(SOLVED) & np.isfinite(table["log_likelihood"])
    common = table[solved.groupby([table[name] for name in LIST]).transform("all")]
    keys = [*LIST, "measure"]
    lists = common.groupby(keys, sort=False)[["entropy", "log_likelihood"]].first()
    without = lists["entropy"].xs(ALONE, level="measure")
    lists = lists.drop(ALONE, level="measure")
    rms = common.groupby([*keys, "align"])["rms"].mean().unstack("align").add_prefix("rms_")
    lists["entropy_reduction"] = without - lists["entropy"]
    lists["information"] = lists["log_likelihood"] + without  # which is minus that without
    return pd.DataFrame(lists.join(rms)[list(RANKED)]).reset_index()


def summary(lists: pd.DataFrame, boot: dict[str, pd.DataFrame], levels: int) -> pd.DataFrame:
    """Means with intervals and places."""
    groups = lists.groupby("measure", sort=False)
    table = pd.DataFrame({"linear": {m: is_linear(str(m), levels) for m in groups.groups}, "lists": groups.size()})
    for value in RANKED:
        table[value] = groups[value].mean()
        ends = boot[value].quantile([0.025, 0.975])
        table[[f"{value}_low", f"{value}_high"]] = ends.T.loc[table.index].to_numpy()
        table[f"{value}_rank"] = table[value].rank(ascending=value.startswith("rms"), method="first").astype(int)
    return table.sort_values("rms_recall").rename_axis("measure").reset_index()


def agreement(lists: pd.DataFrame, boot: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Kendall's tau between the rankings of the measures, the most informative first in all of them."""
    means = lists.groupby("measure")[list(RANKED)].mean()
    rows = []
    for first, second in combinations(RANKED, 2):
        sign = 1 if first.startswith("rms") == second.startswith("rms") else -1
        samples = [sign * tau(boot[first].loc[b], boot[second].loc[b]) for b in boot[first].index]
        low, high = np.quantile(samples, (0.025, 0.975))
        rows.append((first, second, len(means), sign * tau(means[first], means[second]), low, high))
    return pd.DataFrame(rows, columns=["first", "second", "measures", "tau", "low", "high"])


def tau(first: pd.Series, second: pd.Series) -> float:
    """Kendall's tau-b."""
    from scipy.stats import kendalltau

    return float(kendalltau(first.round(9), second[first.index].round(9)).statistic)


def is_linear(measure: str, levels: int) -> bool:
    """Whether the measure has no pairwise part."""
    return not me.parse_measure(measure).form((5,) * levels, 20).K.any()


def counted(collection: me.data.Collection) -> pd.DataFrame:
    """Mean RMS error of precision at every rank, and nats above the counts alone, over lists drawn at random.

    Columns count, reference, measure, lists, rms, nats. Every list of ten is counted: its probability is that of
    the reference, 0 where the counts rule it out, times exp(lambda times its value).
    """
    records = [
        (count, reference, measure, rms, nats)
        for number, (grades, relevant) in enumerate(sampled(collection))
        for count, reference in QUESTIONS
        for measure, rms, nats in of_list(grades, relevant, count, reference, number % DRAWS)
    ]
    keys = ["count", "reference", "measure"]
    groups = pd.DataFrame(records, columns=[*keys, "rms", "nats"]).groupby(keys, sort=False)
    return groups.agg(lists=("rms", "size"), rms=("rms", "mean"), nats=("nats", "mean")).reset_index()


def sampled(collection: me.data.Collection) -> list[tuple[IntArray, int]]:
    """Grades of lists drawn at random, and the relevant documents of their topics."""
    topics = np.argsort(collection.topics).tolist()  # by name
    pairs = list(product(topics, range(len(collection.runs))))
    np.random.default_rng(0).shuffle(pairs)
    grades = np.zeros((*collection.grades.shape[:2], DEPTH), dtype=np.int64)
    grades[:, :, : collection.depth] = collection.grades
    return [(grades[pair], int(collection.relevant[pair[0]].sum())) for pair in pairs[:SAMPLED]]


def of_list(
    grades: IntArray, relevant: int, count: Count, reference: str, draw: int
) -> Iterator[tuple[str, float, float]]:
    """Each measure, the RMS error of the precision that follows from its value of a list, and nats."""
    own = int(grades @ 2 ** np.arange(DEPTH)[::-1])  # its place among all lists
    allowed = LISTS.sum(axis=1) == grades.sum() if count == "retrieved" else LISTS.sum(axis=1) <= relevant
    odds = RANKS * 0 + 1 if reference == "uniform" else 1 / RANKS
    prior = allowed * np.exp(LISTS @ np.log(odds))
    prior /= prior.sum()
    precision = FOUND / RANKS
    for measure, values in values_of(relevant, draw).items():
        p = tilted(prior, values, values[own])
        rms = np.sqrt(np.mean((p @ precision - precision[own]) ** 2))
        yield measure, float(rms), float(np.log(p[own] / prior[own]))


def values_of(relevant: int, draw: int) -> Mapping[str, FloatArray]:
    """Values of all lists by measure; ``draw`` is the number of what is drawn at random."""
    discounts = 1 / np.log2(RANKS + 1)
    stick = np.cumsum((1 / RANKS)[::-1])[::-1]
    orders, weights = drawn()
    first = np.where(LISTS.any(axis=1), LISTS.argmax(axis=1) + 1, np.inf)
    return {
        NONE: np.zeros(len(LISTS)),
        "P@5": LISTS[:, :5].sum(axis=1) / 5,
        "RR@10": 1 / first,
        "AP": (LISTS * FOUND / RANKS).sum(axis=1) / relevant,
        "nDCG@10": LISTS @ discounts / discounts[:relevant].sum(),
        "RBP(p=0.8)": LISTS @ 0.8 ** (RANKS - 1),
        "RBP(p=0.5)": LISTS @ 0.5 ** (RANKS - 1),
        "nDCG, discounts reversed": LISTS @ discounts[::-1],
        "nDCG, discounts shuffled": LISTS @ discounts[orders[draw]],
        "random weights": LISTS @ weights[draw],
        "a random number for each list": np.random.default_rng(draw).random(len(LISTS)),
        STICK: LISTS @ stick,
    }


@cache
def drawn() -> tuple[list[IntArray], list[FloatArray]]:
    """Orders of the ranks and weights of them, drawn at random."""
    rng = np.random.default_rng(7)
    orders: list[IntArray] = [rng.permutation(DEPTH) for _ in range(DRAWS)]
    return orders, [rng.exponential(size=DEPTH) for _ in range(DRAWS)]


def tilted(prior: FloatArray, values: FloatArray, value: float) -> FloatArray:
    """The distribution closest to the prior among those with this expected value."""
    possible = values[prior > 0]
    least, most = possible.min(), possible.max()
    if np.isclose(least, most, rtol=0, atol=1e-12):
        return prior
    for end in (least, most):
        if abs(value - end) < 1e-12:
            face = prior * (np.abs(values - end) < 1e-12)
            return np.asarray(face / face.sum())

    def distribution(multiplier: float) -> FloatArray:
        exponents = multiplier * (values - (most if multiplier > 0 else least))
        p = prior * np.exp(np.minimum(exponents, 0.0))
        return np.asarray(p / p.sum())

    multiplier = brentq(lambda x: float(distribution(x) @ values - value), -1e7, 1e7, xtol=1e-10)
    return distribution(float(multiplier))


def draw(means: pd.DataFrame) -> Figure:
    """Log-likelihood gain against entropy reduction, and RMS error against it; a column for each collection."""
    names = list(dict.fromkeys(means["collection"]))
    figure = Figure(figsize=(5 * len(names), 8), layout="constrained")
    for column, name in zip(figure.subplots(2, len(names), squeeze=False).T, names, strict=True):
        own = means[means["collection"] == name]
        for ax, value in zip(column, ("information", "rms_recall"), strict=True):
            for linear, rows in own.groupby("linear"):
                ax.plot(rows["entropy_reduction"], rows[value], "o", label="linear" if linear else "pairwise")
            for row in own.to_dict("records"):
                ax.annotate(row["measure"], (row["entropy_reduction"], row[value]), fontsize=5)
            ax.set(xlabel="entropy reduction, nats", ylabel=value.replace("_", " "))
        column[0].axline((0, 0), slope=1, color="0.7", linewidth=0.8)
        column[0].set_title(name)
        column[0].legend()
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--g-steps", type=int, default=5, help="points along an edge of the grid of g")
    parser.add_argument("--replicates", type=int, default=1000)
    with started(parser, argv) as arguments:
        means, agreements, nonsense = compute(**given(arguments))
        columns = [c for value in RANKED for c in (value, f"{value}_rank")]
        shown = means[["collection", "measure", "linear", "lists", *columns]]
        print(shown.to_string(index=False, float_format="%.3f"))
        print("\n" + agreements.to_string(index=False, float_format="%.3f"))
        keys = ["count", "reference", "collection"]
        wide = nonsense.pivot(index="measure", columns=keys, values=["rms", "nats"])
        print("\n" + wide.reindex(nonsense["measure"].unique()).to_string(float_format="%.3f"))
        tables = {"": means, "_agreement": agreements, "_nonsense": nonsense}
        write(arguments.out, "information", draw(means), tables)


if __name__ == "__main__":
    main()
