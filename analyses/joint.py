"""Measures known together: the best pairs and triples of 23, and what the usual pair of leaderboards leaves unsaid.

Some runs of each collection, evenly spaced by name.  With the counts retrieved (``retrieved``), all pairs, and
every third measure beside the best pair.  With the counts of the topic as upper bounds (``at_most``), as for a
reader of a leaderboard, who is told no counts, so that R@1000 is news: the pairs with nDCG@10.  Then pairs chosen
on half of the topics.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, given, options, read, spaced, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.measures import as_measures
from maxent.plot import measure_label
from maxent.problem import Count
from maxent.stats.bootstrap import topic_bootstrap
from maxent.studies.topics import SOLVED

MEASURES = as_measures((
    *("AP", "AP(rel=2)", "GAP(g=even)", "Q", "Q(beta=0.3)", "gAP", "nDCG", "nDCG(gain=exp2)"),
    *("nDCG@10", "nDCG(gain=exp2)@10", "nDCG@100", "P@5", "P@10", "P@20", "P(rel=2)@10"),
    *("R@100", "R@1000", "R(rel=2)@100", "Rprec", "Rprec(rel=2)", "RBP", "RBP(p=0.95)", "nRecall"),
))  # fmt: skip
USUAL = as_measures(("nDCG@10", "R@1000"))  # of leaderboards
READINGS: tuple[Count, ...] = ("retrieved", "at_most")


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    runs: int = 8,
    splits: int = 1000,
    depth: int = 1000,
    jobs: int = 2,
) -> dict[str, pd.DataFrame]:
    """Tables, each with first columns collection and (but for the choices held out) count.

    ``""``: the columns of :func:`best`. ``_statuses``: those of :func:`maxent.left_out`. ``_held_out``: those of
    :func:`maxent.studies.held_out`, for all pairs.
    """
    results: dict[str, dict[str, pd.DataFrame]] = {key: {} for key in ("", "_statuses", "_held_out")}
    for name in collections:
        own, qrels = read(data / name)
        collection = me.collect(spaced(own, runs), qrels, depth=depth, jobs=jobs)
        tables = {count: study(collection, count, jobs) for count in READINGS}
        results[""][name] = by_count({count: best(table, count) for count, table in tables.items()})
        results["_statuses"][name] = by_count({count: me.left_out(table) for count, table in tables.items()})
        pairs = [text for text in tables["retrieved"]["measure"].unique() if text.count("&") == 1]
        references = [joined(USUAL), best_of(common_errors(tables["retrieved"]), 1)]
        results["_held_out"][name] = me.studies.held_out(
            tables["retrieved"], candidates=pairs, references=references, splits=splits
        )
    return {key: by_collection(tables) for key, tables in results.items()}


def by_count(tables: Mapping[Count, pd.DataFrame]) -> pd.DataFrame:
    """Tables below each other, with the reading of the counts in a first column."""
    return pd.concat(tables, names=["count"]).reset_index("count").reset_index(drop=True)


def joined(measures: Sequence[me.measures.Measure]) -> str:
    """Text form of measures together."""
    return " & ".join(map(str, measures))


def study(collection: me.data.Collection, count: Count, jobs: int) -> pd.DataFrame:
    """The counts alone, all measures, and pairs; with the counts retrieved triples."""

    def solved(measures: Sequence[me.measures.Measure]) -> pd.DataFrame:
        return me.informativeness(collection, measures=measures, reading="papers", count=count, jobs=jobs)

    table = solved([me.Joint(), *MEASURES])
    every = count == "retrieved"
    pairs = [pair for pair in combinations(MEASURES, 2) if every or USUAL[0] in pair]
    table = pd.concat([table, solved([me.Joint(pair) for pair in pairs])], ignore_index=True)
    if not every:
        return table
    two = as_measures(best_of(common_errors(table), 2).split(" & "))
    triples = [me.Joint((*two, third)) for third in MEASURES if third not in two]
    return pd.concat([table, solved(triples)], ignore_index=True)


def common_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Errors of the lists solved for every measure, means over the thresholds: (lists, measures)."""
    good = table[table["status"].isin(SOLVED)]
    wide = good.pivot(index=["run_id", "query_id", "threshold"], columns="measure", values="rms")
    return wide.reindex(columns=table["measure"].unique()).dropna().groupby(["run_id", "query_id"]).mean()


def best_of(errors: pd.DataFrame, number: int, among: Sequence[str] = ()) -> str:
    """The joint of so many measures, all those of ``among`` with them, with the smallest mean error."""
    mean = errors.mean()
    own = [text for text in mean.index if text != "counts" and text.count("&") == number - 1]
    return str(mean[[text for text in own if set(among) <= set(text.split(" & "))]].idxmin())


def best(table: pd.DataFrame, count: str) -> pd.DataFrame:
    """The counts, the best measure, pair and triple, and the usual pair.

    Returns
    -------
    DataFrame
        Rows as said: what, measure, lists, topics, rms (mean over the thresholds), rms_low, rms_high (95 %
        bootstrap interval over topics), difference (to the usual pair), difference_low, difference_high (its
        interval, paired).
    """
    errors, usual = common_errors(table), joined(USUAL)
    one, two = best_of(errors, 1), best_of(errors, 2)
    chosen = {
        "counts alone": "counts",
        "best measure": one,
        f"{USUAL[0]} alone": str(USUAL[0]),
        "usual pair": usual,
        "R@100 in place of R@1000": joined((USUAL[0], me.R(cutoff=100))),
        f"best second beside {USUAL[0]}": best_of(errors, 2, [str(USUAL[0])]),
    }
    if count == "retrieved":
        chosen |= {
            "best second beside the best measure": best_of(errors, 2, [one]),
            "best pair": two,
            "best third beside the best pair": best_of(errors, 3, two.split(" & ")),
        }
    long = errors.reset_index().melt(["run_id", "query_id"], var_name="measure", value_name="rms")
    boot = topic_bootstrap(long, ["measure"], replicates=2000, rng=0)
    boot.columns = boot.columns.get_level_values("measure")
    mean = errors.mean()
    rows = []
    for what, text in chosen.items():
        change = boot[text] - boot[usual]
        rows.append({
            "what": what, "measure": text, "lists": len(errors),
            "topics": errors.index.get_level_values("query_id").nunique(), "rms": mean[text],
            "rms_low": boot[text].quantile(0.025), "rms_high": boot[text].quantile(0.975),
            "difference": mean[text] - mean[usual],
            "difference_low": change.quantile(0.025), "difference_high": change.quantile(0.975),
        })  # fmt: skip
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection and reading: the error of each choice with its interval."""
    panels = list(table.groupby(["collection", "count"], sort=False))
    names, counts = (table[key].nunique() for key in ("collection", "count"))
    figure = Figure(figsize=(6.4 * names, 2.7 * counts), layout="constrained")
    axes = figure.subplots(counts, names, squeeze=False)
    for ax, ((name, count), own) in zip(axes.T.ravel(), panels, strict=True):
        at = range(len(own))
        ax.hlines(at, own["rms_low"], own["rms_high"], color="0.7")
        ax.plot(own["rms"], at, "o", color="C0")
        texts = [f"{what}:\n{measure_label(text)}" for what, text in zip(own["what"], own["measure"], strict=True)]
        ax.set_yticks(at, texts, fontsize=7)
        ax.invert_yaxis()
        ax.set_title(f"{name}, count={count}", fontsize=9)
        ax.set_xlabel("mean RMS error of the inferred curve, 95 %", fontsize=8)
        ax.grid(axis="x", alpha=0.3)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--runs", type=int, default=8, help="runs of each collection, evenly spaced by name")
    parser.add_argument("--splits", type=int, default=1000, help="random halves of the topics")
    with started(parser, argv) as arguments:
        results = compute(**given(arguments))
        statuses = results["_statuses"]
        shown = statuses[statuses["status"].isin(("failed", "infeasible"))].drop(columns="reason")
        for table in (results[""], results["_held_out"], shown):
            print(table.to_string(index=False, float_format="%.4f"), end="\n\n")
        write(arguments.out, "joint", draw(results[""]), results)


if __name__ == "__main__":
    main()
