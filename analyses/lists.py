"""Whole lists, references and expected curves against the papers' independent ranks, and against learned curves.

Mean RMS errors of each model, reference and way to compare curves, and of curves that are learned from the value
and the counts of lists of other topics; figure 2 of the GAP paper under each; differences of measures to AP, and of
whole lists with the reference 1/n and expected curves to everything else.  Grades above 2 count as 2.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, given, options, read, spaced, started, write
from inferences import Way, compared, differences, errors, merged, ways
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.measures.candidates import candidates_of
from maxent.stats.comparison import Comparison
from maxent.studies.same_lists import LIST

LEVELS = 2
MODELS, REFERENCES, ALIGNS = ("ranks", "lists"), (None, "log-uniform"), ("recall", "expected")
TOPICS = Way("ranks", "topics", "expected")  # beside every combination of those above
PAPERS = str(Way("ranks", None, "recall"))
OTHERS = ("AP", "nDCG(gain=exp2)", "P@10")


def best(model: str) -> str:
    """The inference that is compared with all others."""
    return str(Way(model, "log-uniform", "expected"))


def measures(g_steps: int) -> list[me.measures.Measure]:
    """GAP over a grid, without AP itself, AP, nDCG and P@10."""
    grid: list[me.measures.Measure] = [me.GAP(g=g) for g in me.g_grid(levels=LEVELS, steps=g_steps) if g[0] < 1]
    return [*grid, *map(me.parse_measure, OTHERS)]


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    runs: int | None = None,
    models: Sequence[str] = MODELS,
    g_steps: int = 5,
    depth: int = 1000,
    jobs: int = 2,
    checkpoint: Path | None = None,
) -> dict[str, pd.DataFrame]:
    """Tables, each with first columns collection, threshold (0: the mean over both), inference and measure.

    ``""``: rms, rms_low, rms_high, lists, topics. ``_measures``: difference to AP by the same inference, with its
    ends. ``_inferences``: difference of the last model, with 1/n and expected curves, to the inference by the same
    measure; negative where the inference is farther from the lists.
    """
    found: dict[str, dict[str, pd.DataFrame]] = {"": {}, "_measures": {}, "_inferences": {}}
    for name in collections:
        files, qrels = read(data / name)
        collection = me.collect(spaced(files, runs), merged(qrels, LEVELS), depth=depth, jobs=jobs)
        known = [*ways(models, REFERENCES, ALIGNS), TOPICS]
        table = errors(collection, measures(g_steps), known, jobs=jobs, checkpoint=checkpoint)
        comparisons = compared(table)
        numbers = {"lists": len(table[LIST].drop_duplicates()), "topics": table["query_id"].nunique()}
        found[""][name] = _by_threshold({t: each.table.assign(**numbers) for t, each in comparisons.items()})
        found["_measures"][name] = _by_threshold({t: to_ap(each) for t, each in comparisons.items()})
        found["_inferences"][name] = _by_threshold(
            {t: best_to(each, best(models[-1])) for t, each in comparisons.items()}
        )
    return {key: by_collection(tables) for key, tables in found.items()}


def _by_threshold(tables: dict[int, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, names=["threshold"]).reset_index()


def to_ap(comparison: Comparison) -> pd.DataFrame:
    """Differences of measures to AP by the same inference."""
    names = comparison.means.index
    return differences(comparison, [(own, (own[0], "AP")) for own in names]).set_index(names)


def best_to(comparison: Comparison, inference: str) -> pd.DataFrame:
    """Differences of an inference to the others by the same measure."""
    names = [own for own in comparison.means.index if own[0] != inference]
    index = pd.MultiIndex.from_tuples(names, names=comparison.means.index.names)
    return differences(comparison, [((inference, own[1]), own) for own in names]).set_index(index)


def draw(table: pd.DataFrame) -> Figure:
    """Figure 2 of the GAP paper under some inferences: a column for each collection, a row for each threshold."""
    names, thresholds = list(dict.fromkeys(table["collection"])), sorted(set(table["threshold"]) - {0})
    figure = Figure(figsize=(4.8 * len(names), 3.6 * len(thresholds)), layout="constrained")
    for row, threshold in zip(figure.subplots(len(thresholds), len(names), squeeze=False), thresholds, strict=True):
        for name, ax in zip(names, row, strict=True):
            own = table[(table["collection"] == name) & (table["threshold"] == threshold)]
            draw_panel(own.set_index(["inference", "measure"])["rms"], ax)
            ax.set_title(f"{name}, grade {threshold} or higher", fontsize=10)
    handles = ax.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3, fontsize=8)
    return figure


def draw_panel(rms: pd.Series, ax: Axes) -> None:
    """Mean error of GAP against g_1, to AP at 1, and of nDCG as a dashed line, by inference."""
    shown = [name for name in (PAPERS, *map(best, MODELS), "ridge") if name in rms]
    for k, name in enumerate(shown):
        own = rms[name]
        grid = {g[0]: own[name] for name, g in candidates_of(own.index).items()} | {1.0: own["AP"]}
        ax.plot(*zip(*sorted(grid.items()), strict=True), marker="o", markersize=3, color=f"C{k}", label=name)
        ax.axhline(own["nDCG(gain=exp2)"], color=f"C{k}", linestyle="--", linewidth=1, label=f"{name}: nDCG (exp2)")
    ax.set(xlabel="$g_1$ of GAP (1: AP)", ylabel="mean RMS error")


def report(found: dict[str, pd.DataFrame]) -> None:
    """Print means by inference, then differences; * where the interval excludes 0."""
    table = found[""]
    for (name, threshold), own in table.groupby(["collection", "threshold"], sort=False):
        row = own.iloc[0]
        over = f"{name}, threshold {threshold or '1 and 2'}"
        print(f"{over}: mean RMS error, {row['lists']} lists, {row['topics']} topics")
        wide = own.pivot_table(index="inference", columns="measure", values="rms", sort=False)
        print(wide.to_string(float_format="%.3f"), end="\n\n")
    for key, title in (("_measures", "minus AP"), ("_inferences", "1/n and expected curves, minus the inference")):
        for (name, threshold), own in found[key].groupby(["collection", "threshold"], sort=False):
            told = (own["difference_low"] > 0) | (own["difference_high"] < 0)
            shown = own["difference"].map("{:+.3f}".format) + told.map({True: "*", False: " "})
            wide = own.assign(shown=shown).pivot_table(
                index="inference", columns="measure", values="shown", aggfunc="first", sort=False
            )
            print(f"{name}, threshold {threshold or '1 and 2'}: {title}\n{wide.to_string()}", end="\n\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--runs", type=int, help="runs of each collection, evenly spaced by name (default: all)")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--g-steps", type=int, default=5, help="points along an edge of the grid of g")
    parser.add_argument("--checkpoint", type=Path, help="file of finished topics, to continue with")
    with started(parser, argv) as arguments:
        found = compute(**given(arguments))
        report(found)
        write(arguments.out, "lists", draw(found[""]), found)


if __name__ == "__main__":
    main()
