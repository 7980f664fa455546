"""Which findings about informativeness survive the choices behind them: counts, alignment, gain, discount, filter.

Prints mean errors under each reading, verdicts (is GAP with even g better than AP, than nDCG, ...; * where the 95 %
interval over topics of the paired difference excludes 0), the g that each reading chooses, and the range of the
errors on robust03 beside the axes that figure 2 of the GAP paper prints for TREC 12.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, given, options, read, started, write
from matplotlib.figure import Figure

import maxent as me
from maxent.studies.topics import SOLVED
from maxent.studies.verdicts import ALIKE
from maxent.texts import measure_label

READING = ["count", "align"]  # those varied here
FILTERS = (1, 5, 10)
GAINS = ("exp2", "exp", "linear")
DISCOUNTS = ("log2", "jk", "inverse")
PUBLISHED = {1: (0.12, 0.24), 2: (0.15, 0.21)}
"""Ends of the vertical axes of figure 2 of the GAP paper, TREC 12, by threshold."""
TREC12 = "robust03"
EVERY = "every"  # lists that are solved under every count
PAIRS = (
    ("GAP, even g", "AP"),
    ("GAP, even g", "nDCG(gain=exp2)"),
    ("GAP, even g", "nDCG"),
    ("AP", "nDCG(gain=exp2)"),
    ("GAP, g_1 = .75", "AP"),
    ("Q(beta=0.3)", "AP"),
)
"""Verdicts: is the first more informative than the second?"""


def lean(levels: int, first: float) -> me.GAP:
    """GAP with this g_1, the other g_k alike; even if ``first`` is 1 / levels."""
    return me.GAP(g=(first, *((1 - first) / (levels - 1),) * (levels - 1)))


def roles(levels: int) -> dict[str, str]:
    """Measures of ``PAIRS`` that depend on the number of positive grades."""
    return {"GAP, even g": str(me.GAP(g=(1 / levels,) * levels)), "GAP, g_1 = .75": str(lean(levels, 0.75))}


def core(levels: int, g_steps: int) -> list[me.measures.Measure]:
    """GAP over a grid, with points near AP and with even g, AP, Q(.3), and nDCG with three gains."""
    grid: list[me.measures.Measure] = [me.GAP(g=g) for g in me.g_grid(levels=levels, steps=g_steps)]
    grid += [lean(levels, 0.75), lean(levels, 0.875), me.GAP(g=(1 / levels,) * levels)]
    return list(dict.fromkeys([*grid, me.AP(), me.Q(beta=0.3), *(me.nDCG(gain=gain) for gain in GAINS)]))


def compute(
    data: Path, *, collections: Sequence[str] = ALL, g_steps: int = 5, depth: int = 1000, jobs: int = 2
) -> dict[str, pd.DataFrame]:
    """Tables, each with a first column collection.

    ``""``: lists_of (``every``: lists solved for every measure under every count; a count: under this one), then
    the columns of :func:`maxent.studies.summarize_readings`. ``_ndcg``: the same for nDCG with every gain and
    discount, against the paper's. ``_verdicts``: see :func:`verdicts`. ``_choice``: see :func:`choose`.
    ``_left_out``: count, measure, status, lists.
    """
    found: dict[str, dict[str, pd.DataFrame]] = {
        "": {},
        "_ndcg": {},
        "_verdicts": {},
        "_choice": {},
        "_left_out": {},
    }
    for name in collections:
        runs, qrels = read(data / name)
        levels = int(qrels["relevance"].max())
        measures = core(levels, g_steps)
        variants = [me.nDCG(gain=gain, discount=discount) for gain, discount in product(GAINS, DISCOUNTS)]
        every = list(dict.fromkeys([*measures, *variants]))
        table = me.studies.readings(runs, qrels, measures=every, depth=depth, jobs=jobs)
        main = table[table["measure"].isin(map(str, measures))]
        known = roles(levels)
        bases = list(dict.fromkeys(known.get(second, second) for _, second in PAIRS))
        parts = {EVERY: main, **dict(list(main.groupby("count", sort=False)))}
        frames = {
            on: me.studies.summarize_readings(part, baselines=bases, min_retrieved=FILTERS)
            for on, part in parts.items()
        }
        found[""][name] = pd.concat(frames, names=["lists_of"]).reset_index("lists_of")
        of_ndcg = table[table["measure"].isin(map(str, variants))]
        found["_ndcg"][name] = me.studies.summarize_readings(
            of_ndcg, baselines=[me.nDCG(gain="exp2")], min_retrieved=[5]
        )
        found["_verdicts"][name] = verdicts(found[""][name], known)
        found["_choice"][name] = choose(main)
        each = table.drop_duplicates(["count", "run_id", "query_id", "measure"])
        lost = each.groupby(["count", "measure", "status"], sort=False).size()
        found["_left_out"][name] = lost.rename("lists").reset_index()
    return {key: by_collection(tables) for key, tables in found.items()}


def verdicts(table: pd.DataFrame, known: dict[str, str]) -> pd.DataFrame:
    """The rows of ``PAIRS``: first, second, lists_of, min_retrieved, the reading, threshold, difference, its ends.

    Differences are negative where the first measure is the more informative one.
    """
    frames = []
    for first, second in PAIRS:
        own = (table["measure"] == known.get(first, first)) & (table["baseline"] == known.get(second, second))
        frames.append(table[own].assign(first=first, second=second))
    rows = pd.concat(frames)
    ends = ["difference", "difference_low", "difference_high"]
    return rows[["first", "second", "lists_of", "min_retrieved", *READING, "threshold", "lists", *ends]]


def choose(table: pd.DataFrame) -> pd.DataFrame:
    """The g that every reading and filter chooses, on the lists that all candidates solve in this reading.

    Columns min_retrieved, count, align, lists, g, objective, share_best, tied (candidates not to be told from it).
    """
    rows = []
    for least, ((count, align), own) in product(FILTERS, table.groupby(READING, sort=False)):
        kept = own[own["fewest"] >= least]
        if not kept["status"].isin(SOLVED).any():
            continue
        found = me.studies.choose_from(kept).table
        best = found.iloc[found["objective"].argmin()]
        tied = found[(found["excess_low"] <= 0) & (found["measure"] != best["measure"])]
        rows.append({
            "min_retrieved": least, "count": count, "align": align, "lists": best["lists"],
            "g": measure_label(best["measure"]), "objective": best["objective"], "share_best": best["share_best"],
            "tied": ", ".join(map(measure_label, tied["measure"])),
        })  # fmt: skip
    return pd.DataFrame(rows)


def published(table: pd.DataFrame) -> pd.DataFrame:
    """Per reading: smallest and largest mean error of the measures in figure 2, and whether they fit its axes.

    The lists of a reading are its own. A mean may exceed an axis by .005, for the paper prints two digits.
    """
    shown = table["measure"].str.startswith("GAP") | table["measure"].isin(["nDCG(gain=exp2)", "nDCG(gain=exp)"])
    shown &= (table["lists_of"] == table["count"]) & (table["baseline"] == "AP") & (table["threshold"] > 0)
    keys = ["min_retrieved", *READING, "threshold"]
    ends = table[shown & (table["collection"] == TREC12)].groupby(keys, sort=False)["rms"].agg(["min", "max"])
    axes = pd.DataFrame(PUBLISHED, index=["axis_low", "axis_high"]).T.rename_axis("threshold").reset_index()
    ends = ends.reset_index().merge(axes, on="threshold")
    return ends.assign(fits=(ends["min"] >= ends["axis_low"] - 0.005) & (ends["max"] <= ends["axis_high"] + 0.005))


def draw(table: pd.DataFrame, *, min_retrieved: int = 5) -> Figure:
    """Differences of the pairs, mean over thresholds: a panel for each collection, a row for each reading."""
    own = table[
        (table["threshold"] == 0) & (table["min_retrieved"] == min_retrieved) & (table["lists_of"] == EVERY)
    ]
    names = list(dict.fromkeys(own["collection"]))
    figure = Figure(figsize=(5 * len(names), 5), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for name, ax in zip(names, panels, strict=True):
        rows = own[own["collection"] == name]
        labels = rows[READING].drop_duplicates().agg(", ".join, axis=1).tolist()
        for k, (first, second) in enumerate(PAIRS):
            each = rows[(rows["first"] == first) & (rows["second"] == second)]
            at = [row + 0.12 * (k - (len(PAIRS) - 1) / 2) for row in range(len(each))]
            ax.hlines(at, each["difference_low"], each["difference_high"], color=f"C{k}", alpha=0.5)
            ax.plot(each["difference"], at, "o", color=f"C{k}", markersize=4, label=f"{first} minus {second}")
        ax.axvline(0, color="0.5", linewidth=0.8)
        ax.set(yticks=range(len(labels)), xlabel="difference of mean RMS errors")
        ax.set_yticklabels(labels, fontsize=8)
        ax.invert_yaxis()
        ax.set_title(f"{name}, {rows['lists'].iloc[0]} lists", fontsize=10)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    return figure


def starred(rows: pd.DataFrame) -> pd.Series:
    """Differences as text, with a star where the interval excludes 0."""
    told = (rows["difference_low"] > 0) | (rows["difference_high"] < 0)
    return rows["difference"].map("{:+.3f}".format) + told.map({True: "*", False: " "})


def survey(table: pd.DataFrame) -> pd.DataFrame:
    """In how many distinct readings the first measure of a pair is more informative, and told to be.

    The counts total and at_most are one, and so are the filters, which are nested: all of them have to agree.
    """
    own = table[(table["threshold"] == 0) & (table["lists_of"] == EVERY)]
    counted = pd.DataFrame({
        "smaller error": own["difference"] < 0,
        "interval below 0": own["difference_high"] < 0,
        "interval above 0": own["difference_low"] > 0,
        "of": True,
    })  # fmt: skip
    keys = [own["first"], own["second"], own["collection"]]
    distinct = counted.groupby([*keys, own["count"].replace(ALIKE), own["align"]], sort=False).all()
    return distinct.groupby(["first", "second", "collection"], sort=False).sum()


def report(found: dict[str, pd.DataFrame]) -> None:
    """Print the means with ``min_retrieved=5``, verdicts, nDCG variants and choices."""
    means = found[""]
    means = means[(means["baseline"] == "AP") & (means["min_retrieved"] == 5) & (means["lists_of"] == EVERY)]
    for name, own in means.groupby("collection", sort=False):
        wide = own.pivot_table(index="measure", columns=[*READING, "threshold"], values="rms", sort=False)
        print(f"{name}: mean RMS error, min_retrieved=5, {own['lists'].iloc[0]} lists solved under every reading")
        print(wide.to_string(float_format="%.3f"), end="\n\n")
    rows = found["_verdicts"]
    rows = rows[(rows["threshold"] == 0) | (rows["min_retrieved"] == 5)].assign(shown=starred)
    for (first, second), own in rows.groupby(["first", "second"], sort=False):
        wide = own.pivot_table(
            index=["lists_of", "min_retrieved", *READING], columns=["collection", "threshold"], values="shown",
            aggfunc="first", sort=False,
        )  # fmt: skip
        print(f"{first} minus {second}: mean RMS error over the thresholds (0) and for each")
        print(wide.to_string(na_rep=""), end="\n\n")
    print(f"distinct readings by verdict, mean over the thresholds\n{survey(found['_verdicts']).to_string()}\n")
    for name, own in found["_ndcg"].groupby("collection", sort=False):
        wide = own.assign(shown=own["rms"].map("{:.3f} ".format) + starred(own)).pivot_table(
            index="measure", columns=[*READING, "threshold"], values="shown", aggfunc="first", sort=False
        )
        print(f"{name}: mean RMS error of nDCG, minus exp2 and log2\n{wide.to_string()}\n")
    print(found["_choice"].to_string(index=False, float_format="%.4f"), end="\n\n")
    lost = found["_left_out"]
    print(lost[lost["status"].isin(["failed", "infeasible"])].to_string(index=False), end="\n\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--g-steps", type=int, default=5, help="points along an edge of the grid of g")
    with started(parser, argv) as arguments:
        found = compute(**given(arguments))
        report(found)
        if TREC12 in arguments.collections:
            found["_published"] = published(found[""])
            print(found["_published"].to_string(index=False, float_format="%.3f"))
        write(arguments.out, "readings", draw(found["_verdicts"]), found)


if __name__ == "__main__":
    main()
