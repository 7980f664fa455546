"""Information itself: the entropy that a value takes away, and how probable it makes the list, beside RMS errors.

Per measure the mean over lists of the entropy of the problem without the value (every rank has the same
probabilities) minus that with it, and of the log-likelihood of the list under the inferred distribution minus that
without the value, both in nats; and Kendall's tau between the rankings of the measures by these and by RMS error.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from league import BETAS, OTHERS, gains, grid
from matplotlib.figure import Figure

import maxent as me
from maxent.stats.bootstrap import topic_bootstrap
from maxent.studies.compare_measures import readings
from maxent.studies.topics import SOLVED

RANKED = ("rms_recall", "rms_rank", "entropy_reduction", "information")
LIST = ["run_id", "query_id"]
ALONE = str(me.Joint())  # the counts without a value


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
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Means and agreements (``count="retrieved"``, ``min_retrieved=5``); first column collection.

    Means: measure, linear (whether the measure has no pairwise part), lists, and for each of ``RANKED`` the mean,
    the ends of its 95 % interval over topics (_low, _high), and the place (_rank, 1: the most informative).
    Agreements: first, second (of ``RANKED``), measures, tau, low, high.
    """
    means, agreements = {}, {}
    for name in collections:
        runs, qrels = read(data / name)
        levels = int(qrels["relevance"].max())
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
    return by_collection(means), by_collection(agreements)


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
        means, agreements = compute(**given(arguments))
        columns = [c for value in RANKED for c in (value, f"{value}_rank")]
        shown = means[["collection", "measure", "linear", "lists", *columns]]
        print(shown.to_string(index=False, float_format="%.3f"))
        print("\n" + agreements.to_string(index=False, float_format="%.3f"))
        write(arguments.out, "information", draw(means), {"": means, "_agreement": agreements})


if __name__ == "__main__":
    main()
