"""What a measure without content gets: common measures beside the broken stick, in both readings, at three depths.

The broken stick knows that earlier ranks count more, and nothing else.  A measure that is not ahead of it in a
reading says nothing there that this knowledge does not say.  The one with flat gains or the one with linear gains
counts, whichever has the smaller mean error over the thresholds, or at a threshold if that is shown alone.
Intervals are paired, over topics, and not adjusted for the number of comparisons; the set has the measures that may
be the best with 95 % confidence.  Then the filter of the standard reading: documents of each grade that a list
needs.  Then whole lists beside independent ranks.
"""

import argparse
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import ALL, STICK, STICKS, by_collection, given, options, read, started, with_stick, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.data.collection import Collection
from maxent.options import ReadingName
from maxent.problem import Count
from maxent.studies.compare_measures import readings
from maxent.studies.options import BOTH, READING_NAMES, SHORT
from maxent.studies.same_lists import LIST, common_lists, compare_means
from maxent.studies.verdicts import ENDS

DEPTHS = (10, 100, 1000)
FILTERS = (0, 1, 2, 5)
EVERY = {"covid-round4": 4, "clef2014": 4}  # of so many runs one is used where distributions are over whole lists
DRAWN: dict[str, Any] = {"replicates": 1000, "rng": 0}  # samples of topics
KEYS = ["reading", "depth", "count", "threshold"]
PAPERS: dict[str, dict[str, Any]] = {
    "papers": {},
    "whole lists, 1/n, expected": {"model": "lists", "reference": "log-uniform", "align": "expected"},
}
"""Readings beside each other: changes of the papers' reading."""
WHOLE = {"robust03": 1, "covid-round4": 6, "clef2014": 4}
"""Of so many runs one is used where whole lists of 1000 documents are solved."""


def even(levels: int) -> me.GAP:
    """Balanced GAP: equal g."""
    return me.GAP(g=(1 / levels,) * levels)


def measures(levels: int) -> list[me.measures.Measure]:
    """Balanced GAP, AP, nDCG with each gain, R-precision, RBP with two p, and the broken sticks."""
    flat = me.nDCG(gain=(1.0,) * levels)
    others = map(me.parse_measure, ("nDCG", "nDCG(gain=exp2)", "Rprec", "RBP(p=0.8)", "RBP(p=0.95)"))
    return [even(levels), me.AP(), flat, *others, *STICKS]


def roles(levels: int) -> dict[str, str]:
    """Names that measures have on every collection, by their text forms."""
    flat = me.nDCG(gain=(1.0,) * levels)
    return {str(even(levels)): "GAP, equal g", str(flat): "nDCG(gain=flat)", "RBP": "RBP(p=0.8)"}


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    depths: Sequence[int] = DEPTHS,
    whole: bool = False,
    jobs: int = 2,
) -> dict[str, pd.DataFrame]:
    """Tables, the first three with a first column collection.

    ``""``: reading, depth, count, threshold (0: the mean over all), measure, baseline, lists, topics, rms, rms_low,
    rms_high, difference of rms to the baseline with its interval, and in_set (whether the measure may be the best
    in the mean over the thresholds; empty for the broken stick, and over fewer than ``ENOUGH`` topics).
    ``_filters``: see :func:`filtered`. ``_whole``: see :func:`beside_whole_lists`, with ``whole`` also for whole
    lists. ``_statements``: see :func:`statements`.
    """
    found: dict[str, dict[str, pd.DataFrame]] = {"": {}, "_filters": {}, "_whole": {}}
    for name in collections:
        full = me.collect(*read(data / name), depth=max(depths), jobs=jobs)
        frames = []
        for depth, reading, count in asked(depths):
            step = EVERY.get(name, 1) if reading == "standard" and depth <= SHORT else 1
            table = me.informativeness(
                part_of(full, depth, step), measures=measures(full.levels), reading=reading, count=count, jobs=jobs
            )
            rows = common_lists(table.assign(measure=table["measure"].replace(roles(full.levels))))
            if len(rows):
                frames.append(compared(rows).assign(reading=reading, depth=depth, count=count))
        found[""][name] = pd.concat(frames, ignore_index=True)
        found["_filters"][name] = filtered(full, jobs)
        found["_whole"][name] = beside_whole_lists(full, WHOLE.get(name, 1), whole, jobs)
    tables = {key: by_collection(own) for key, own in found.items()}
    return tables | {"_statements": statements(tables[""])}


def asked(depths: Sequence[int]) -> Iterator[tuple[int, ReadingName, Count]]:
    """Depth, reading and count of each study: up to depth 20 the standard reading has two questions."""
    for depth in depths:
        for reading in READING_NAMES:
            counts = BOTH if reading == "standard" and depth <= SHORT else ("retrieved",)
            yield from ((depth, reading, count) for count in counts)


def part_of(collection: Collection, depth: int, step: int) -> Collection:
    """The first ranks of every step-th run, by name."""
    order = np.argsort(np.array(collection.runs))
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order[::step]] = True
    return collection.part(runs=chosen, depth=depth)


def compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean errors over the thresholds and at each, differences of all pairs, and the set of best measures."""
    parts = {0: rows} | {int(str(threshold)): part for threshold, part in rows.groupby("threshold")}
    frames = []
    for threshold, part in parts.items():
        mean = compare_means(with_stick(part), **DRAWN)
        comparison = mean.parts.get(threshold, mean)
        for baseline in comparison.means.index:
            pairs = comparison.table.join(comparison.to(baseline))
            frames.append(pairs.assign(threshold=threshold, baseline=baseline).reset_index(names="measure"))
    numbers = {"lists": len(rows.drop_duplicates(LIST)), "topics": rows["query_id"].nunique()}
    table = pd.concat(frames, ignore_index=True).assign(**numbers)
    ranked = rows[~rows["measure"].isin(list(map(str, STICKS)))]
    inside = compare_means(ranked, **DRAWN).may_be_best()
    return table.assign(in_set=table["measure"].map(inside))


def filtered(collection: Collection, jobs: int) -> pd.DataFrame:
    """The standard reading at the whole depth, with lists that have so many documents of each grade.

    Columns min_retrieved, lists, topics, first and second (the measures with the smallest errors), rms (of the
    first), stick (error of the broken stick), difference (of the second to the first), its interval, and its width.
    A list without a document of some grade has no error at this threshold; it counts at the others.
    """
    table = readings(
        collection, measures(collection.levels), counts=["retrieved"], references=["log-uniform"],
        aligns=["expected"], min_retrieved=0, jobs=jobs,
    )  # fmt: skip
    table["measure"] = table["measure"].replace(roles(collection.levels))
    records = []
    for least in FILTERS:
        rows = with_stick(common_lists(table[table["fewest"] >= least], (*LIST, "threshold")))
        comparison = compare_means(rows, **DRAWN)
        first, second = comparison.means.drop(STICK).nsmallest(2).index
        to_first = comparison.to(first).loc[second]
        records.append({
            "min_retrieved": least, "lists": len(rows.drop_duplicates(LIST)), "topics": rows["query_id"].nunique(),
            "first": first, "second": second, "rms": comparison.means[first], "stick": comparison.means[STICK],
            **to_first,
            "width": to_first["difference_high"] - to_first["difference_low"],
        })  # fmt: skip
    return pd.DataFrame(records)


def beside_whole_lists(collection: Collection, step: int, whole: bool, jobs: int) -> pd.DataFrame:
    """Mean errors of a few measures and both broken sticks, by reading, depth, threshold and measure, with lists.

    The readings are the papers' one at depth 1000 and 100 and, if wanted, whole lists, of every step-th run.
    """
    levels = collection.levels
    leaning = [me.GAP(g=(0.75, 0.25))] if levels == 2 else []
    few = [me.AP(), *leaning, me.nDCG(), *STICKS]
    frames = []
    for reading, changes in PAPERS.items() if whole else [("papers", PAPERS["papers"])]:
        for depth in (collection.depth, 100) if reading == "papers" else (collection.depth,):
            own = part_of(collection, depth, step)
            table = me.informativeness(own, measures=few, jobs=jobs, **{"reading": "papers", **changes})
            common = common_lists(table)
            means = common.groupby(["threshold", "measure"], sort=False)["rms"].agg(lists="size", rms="mean")
            frames.append(means.reset_index().assign(reading=reading, depth=depth))
    return pd.concat(frames, ignore_index=True)


def statements(table: pd.DataFrame) -> pd.DataFrame:
    """On how many collections the first measure of a pair is ahead of the second, and how many intervals say so.

    Columns of ``KEYS``, measure, baseline, collections, ahead, told (intervals below 0), opposite (above 0).
    """
    pairs = table[table["measure"] != table["baseline"]]
    counted = pd.DataFrame({
        "collections": True, "ahead": pairs["difference"] < 0, "told": pairs["difference_high"] < 0,
        "opposite": pairs["difference_low"] > 0,
    })  # fmt: skip
    keys = [pairs[name] for name in (*KEYS, "measure", "baseline")]
    return counted.groupby(keys, sort=False).sum().reset_index()


def draw(table: pd.DataFrame) -> Figure:
    """Differences to the broken stick over the thresholds: a panel for each reading and depth."""
    over = table[(table["threshold"] == 0) & (table["baseline"] == STICK) & (table["measure"] != STICK)]
    names, studies = list(dict.fromkeys(over["collection"])), list(over.groupby(["reading", "depth", "count"]))
    figure = Figure(figsize=(4 * len(studies), 4.5), layout="constrained")
    panels = figure.subplots(1, len(studies), squeeze=False, sharey=True)[0]
    for ax, ((reading, depth, count), rows) in zip(panels, studies, strict=True):
        draw_panel(rows, names, ax)
        ax.set_title(f"{reading}, depth {depth}, {count}", fontsize=9)
    figure.legend(*panels[-1].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def draw_panel(rows: pd.DataFrame, collections: Sequence[str], ax: Axes) -> None:
    """A row for each measure, a colour for each collection, and the broken stick as a grey line."""
    names = list(dict.fromkeys(rows["measure"]))
    for k, name in enumerate(collections):
        own = rows[rows["collection"] == name]
        at = [names.index(measure) + 0.2 * k for measure in own["measure"]]
        ax.hlines(at, own["difference_low"], own["difference_high"], color=f"C{k}")
        ax.plot(own["difference"], at, "o", color=f"C{k}", label=name)
    ax.axvline(0, color="0.6")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.3, -0.5)
    ax.set_xlabel("mean RMS error minus that of the broken stick")


def report(tables: Mapping[str, pd.DataFrame]) -> None:
    """Print errors with differences to the broken stick, sets, statements, filters, and whole lists."""
    rows = tables[""].query("baseline == @STICK")
    for study, own in rows.groupby(KEYS, sort=False):
        shown = own.assign(shown=[beside_stick(row) for row in own.to_dict("records")])
        wide = shown.pivot(index="measure", columns="collection", values="shown")
        lists = own.drop_duplicates("collection").set_index("collection")[["lists", "topics"]].T
        print(", ".join(f"{name} {value}" for name, value in zip(KEYS, study, strict=True)))
        print(pd.concat([lists.astype(int).astype(str), wide[lists.columns]]).to_string(), end="\n\n")
    over = tables["_statements"].query("threshold == 0").assign(shown=on_collections)
    for study, own in over.groupby(KEYS[:-1], sort=False):
        print(f"{study}: collections on which the measure is ahead of that of the column (intervals for, against)")
        wide = own.pivot(index="measure", columns="baseline", values="shown")
        print(wide.to_string(na_rep=""), end="\n\n")
    print(tables["_filters"].to_string(index=False, float_format="%.4f"), end="\n\n")
    keys = ["reading", "depth", "collection", "threshold"]
    print(tables["_whole"].pivot(index=keys, columns="measure", values="rms").to_string(float_format="%.3f"))


def on_collections(rows: pd.DataFrame) -> pd.Series:
    """Numbers of collections as text: ahead/all (intervals that say so, intervals that say the opposite)."""
    ahead, collections, told, opposite = (
        rows[name].astype(str) for name in ("ahead", "collections", "told", "opposite")
    )
    return ahead + "/" + collections + " (" + told + ", " + opposite + ")"


def beside_stick(row: Mapping[Hashable, Any]) -> str:
    """Error, difference to the broken stick with its interval, and a star for a measure of the set."""
    if row["measure"] == STICK:
        return f"{row['rms']:.4f}"
    low, high = (row[end] for end in ENDS)
    star = "*" if row["in_set"] is True and row["threshold"] == 0 else ""
    return f"{row['rms']:.4f} {row['difference']:+.3f} ({low:+.3f} to {high:+.3f}){star}"


def parsed() -> argparse.ArgumentParser:
    """Options of this analysis."""
    parser = options(__doc__, collections=ALL, depth=False)
    parser.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS))
    parser.add_argument("--whole", action="store_true", help="also whole lists of 1000 documents, which take long")
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    with started(parsed(), argv) as arguments:
        tables = compute(**given(arguments))
        report(tables)
        write(arguments.out, "null", draw(tables[""]), tables)


if __name__ == "__main__":
    main()
