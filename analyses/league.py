"""The league table: which measure is the most informative, on three collections, and in other readings.

Every measure that can be a maximum-entropy constraint, on the same lists; all thresholds; paired differences to the
best and places, with intervals over topics, and over topics and systems.  Then choices held out: g, the beta of Q,
and the measure are chosen on one half of the topics and judged on the other.

Then which findings survive other readings of counts and alignment, other gains and discounts of nDCG, and other
filters: mean errors, differences of pairs of measures (is GAP with even g better than AP, than nDCG, ...; * where
the 95 % interval over topics excludes 0), the g that each reading chooses, and the range of the errors on robust03
beside the axes that figure 2 of the GAP paper prints for TREC 12.
"""

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pandas as pd
from common import ALL, STICK, STICKS, by_collection, given, matched, options, read, started, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxent as me
from maxent.options import ReadingName
from maxent.studies.compare_measures import readings
from maxent.studies.same_lists import LIST, common_lists, reading_comparisons, required_lists
from maxent.studies.summary import compare
from maxent.studies.topics import SOLVED
from maxent.studies.verdicts import ALIKE, ENDS, PAIR, differences
from maxent.texts import measure_label, threshold_label

GRIDS = (me.GAP, me.xGAP, me.eGAP)
BETAS = (0.1, 0.3, 1, 3, 10)
OTHERS = (
    *("AP", "muAP", "gAP", "gAP(gain=exp2)", "wAP", "wAP(gain=exp2)"),
    *("nDCG", "nDCG(gain=exp2)", "nDCG(gain=exp)", "nDCG(discount=inverse)", "nDCG(gain=exp2)@10"),
    *("NDCNG", "mnDCG", "mSR", "mSR(gain=exp2)"),
    *("RBP(p=0.5)", "RBP", "RBP(p=0.95)", "P@10", "Rprec"),
)
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
"""Is the first more informative than the second?"""


def lean(levels: int, first: float) -> tuple[float, ...]:
    """The g with this g_1 and the other g_k alike."""
    return first, *((1 - first) / (levels - 1),) * (levels - 1)


def whole_grid(levels: int, g_steps: int) -> list[tuple[float, ...]]:
    """Grid of g with points near AP and with even g."""
    near = [lean(levels, 0.75), lean(levels, 0.875)]
    return list(dict.fromkeys([*me.g_grid(levels=levels, steps=g_steps), *near, (1 / levels,) * levels]))


def grid(levels: int, g_steps: int) -> list[tuple[float, ...]]:
    """The grid without AP, which is in ``OTHERS``."""
    return [g for g in whole_grid(levels, g_steps) if g[0] < 1]


def measures(levels: int, g_steps: int) -> list[me.measures.Measure]:
    """GAP, xGAP and eGAP over a grid of g, nDCG with the gains of each GAP, several Q, and everything else."""
    graded = [cls(g=g) for cls in GRIDS for g in grid(levels, g_steps) if cls is me.GAP or max(g) < 1]
    return [*graded, *gains(levels, g_steps), *(me.Q(beta=beta) for beta in BETAS), *map(me.parse_measure, OTHERS)]


def gains(levels: int, g_steps: int) -> list[me.nDCG]:
    """The nDCG with the gains of AP, which are flat, and of each GAP; even g has the linear gains in ``OTHERS``.

    Gains of 0 for the lowest grade are left out, as in ``figure2.py``.
    """
    flat = (1.0, *(0.0,) * (levels - 1))
    return [matched(g) for g in [flat, *grid(levels, g_steps)] if g[0] > 0 and len(set(g)) > 1]


def pairs(levels: int, g_steps: int) -> list[tuple[str, str]]:
    """AP and each GAP of which nDCG has the same gains, with this nDCG; linear gains are those of equal g."""
    known = [g for g in grid(levels, g_steps) if g[0] > 0]
    found = [(str(me.GAP(g=g)), str(matched(g)) if len(set(g)) > 1 else "nDCG") for g in known]
    return [("AP", str(matched((1.0, *(0.0,) * (levels - 1))))), *found]


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    g_steps: int = 5,
    splits: int = 1000,
    depth: int = 1000,
    jobs: int = 2,
) -> dict[str, pd.DataFrame]:
    """Tables, each with a first column collection.

    ``""`` in the papers' reading and ``_standard`` in the standard one: the columns of :func:`maxent.league`, and
    both_low and both_high: the interval of the difference over topics and systems; the broken stick has no place.

    In the papers' reading, ``_held_out``: chosen (g, beta or measure), then those of
    :func:`maxent.studies.held_out`. ``_left_out``: those of :func:`maxent.left_out`. ``_gains``: for GAPs, nDCG
    with their gains, and thresholds (0: the mean over all) the difference of their errors, below 0 where that of
    GAP is smaller, with Student's 95 % interval over topics, corrected for the number of pairs.

    In other readings, ``_readings``: lists_of (``every``: lists solved for every measure under every count; a
    count: under this one), then errors as of :func:`means`. ``_discounts``: errors of nDCG with every gain and
    discount, against the paper's. ``_pairs``: see :func:`differences_of`. ``_choice``: see :func:`choose`.
    """
    tables: dict[str, dict[str, pd.DataFrame]] = {}
    for name in collections:
        collection = me.collect(*read(data / name), depth=depth, jobs=jobs)
        parts = ranked(collection, g_steps, splits, jobs) | reread(collection, g_steps, jobs)
        for key, table in parts.items():
            tables.setdefault(key, {})[name] = table
    return {key: by_collection(own) for key, own in tables.items()}


def ranked(collection: me.data.Collection, g_steps: int, splits: int, jobs: int) -> dict[str, pd.DataFrame]:
    """The tables of the league."""
    levels = collection.levels

    def study(reading: ReadingName) -> pd.DataFrame:
        compared = [*measures(levels, g_steps), *STICKS]
        return me.informativeness(collection, measures=compared, reading=reading, jobs=jobs)

    papers = study("papers")
    table = without_sticks(papers)
    common = common_lists(table).assign(depth=collection.depth)
    return {
        "": placed(papers),
        "_standard": placed(study("standard")),
        "_gains": differences(common, ["depth"], pairs(levels, g_steps), replicates=1000, rng=0),
        "_held_out": choices(table, levels, g_steps, splits),
        "_left_out": me.left_out(table),
    }


def without_sticks(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the measures that have content."""
    return table[~table["measure"].isin(list(map(str, STICKS)))]


def placed(table: pd.DataFrame) -> pd.DataFrame:
    """The league table with both_low and both_high, and below it the broken stick, which has no place."""
    ranked = without_sticks(table)
    league, both = me.league(ranked), me.league(ranked, resample="both")
    ends = both[["threshold", "measure", "difference_low", "difference_high"]]
    ends.columns = pd.Index(["threshold", "measure", "both_low", "both_high"])
    league["rank"] = league["rank"].astype("Int64")  # which may be missing
    first = league[league["rank"] == 1].set_index("threshold")
    best = first["measure"].astype(str)
    rows = []
    over = compare(table, replicates=1000, rng=0).beside_null
    for threshold, comparison in ({} if over is None else {0: over, **over.parts}).items():
        (name,) = set(map(str, STICKS)) & set(comparison.means.index)
        stick = comparison.table.join(comparison.to(best[threshold])).loc[[name]].rename({name: STICK})
        numbers = first.loc[threshold, ["lists", "topics"]]
        rows.append(stick.assign(threshold=threshold, **numbers).reset_index(names="measure"))
    return pd.concat([league.merge(ends, on=["threshold", "measure"]), *rows], ignore_index=True)


def reread(collection: me.data.Collection, g_steps: int, jobs: int) -> dict[str, pd.DataFrame]:
    """The tables of other readings."""
    levels = collection.levels
    core: list[me.measures.Measure] = [me.GAP(g=g) for g in whole_grid(levels, g_steps)]
    core += [me.AP(), me.Q(beta=0.3), *(me.nDCG(gain=gain) for gain in GAINS)]
    variants = [me.nDCG(gain=gain, discount=discount) for gain, discount in product(GAINS, DISCOUNTS)]
    table = readings(collection, list(dict.fromkeys([*core, *variants])), jobs=jobs)
    main = table[table["measure"].isin(map(str, core))]
    even, leaning = me.GAP(g=(1 / levels,) * levels), me.GAP(g=lean(levels, 0.75))
    roles = {"GAP, even g": str(even), "GAP, g_1 = .75": str(leaning)}  # depend on the number of grades
    bases = list(dict.fromkeys(roles.get(second, second) for _, second in PAIRS))
    parts = {EVERY: main, **dict(list(main.groupby("count", sort=False)))}
    frames = {on: means(part, bases) for on, part in parts.items()}
    errors = pd.concat(frames, names=["lists_of"]).reset_index("lists_of")
    of_ndcg = table[table["measure"].isin(map(str, variants))]
    return {
        "_readings": errors,
        "_pairs": differences_of(errors, roles),
        "_discounts": means(of_ndcg, ["nDCG(gain=exp2)"], filters=[5]),
        "_choice": choose(main),
    }


def means(table: pd.DataFrame, baselines: Sequence[str], filters: Sequence[int] = FILTERS) -> pd.DataFrame:
    """Mean errors in each reading, and differences to baselines, on the lists solved for all measures in all."""
    common = required_lists(table)
    fewest = common.groupby(LIST)["fewest"].transform("min")
    frames = []
    for least in filters:
        rows = common[fewest >= least]
        numbers = {"min_retrieved": least, "lists": len(rows.drop_duplicates(LIST))}
        for reading, comparison in reading_comparisons(rows, READING, replicates=1000, rng=0):
            errors = comparison.table.assign(**numbers, **reading)
            frames += [errors.join(comparison.to(base)).assign(baseline=base) for base in baselines]
    errors = pd.concat(frames).rename_axis("measure").reset_index()
    ends = ["rms_low", "rms_high", "difference", *ENDS]
    return errors[["min_retrieved", *READING, "threshold", "baseline", "measure", "lists", "rms", *ends]]


def differences_of(errors: pd.DataFrame, roles: dict[str, str]) -> pd.DataFrame:
    """Rows of ``PAIRS``, with differences below 0 where the first measure is the more informative one."""
    frames = []
    for first, second in PAIRS:
        chosen = errors["measure"] == roles.get(first, first)
        chosen &= errors["baseline"] == roles.get(second, second)
        frames.append(errors[chosen].assign(first=first, second=second))
    names = [*PAIR, "lists_of", "min_retrieved", *READING, "threshold", "lists", "difference", *ENDS]
    return pd.concat(frames)[names]


def choose(table: pd.DataFrame) -> pd.DataFrame:
    """The g that every reading and filter chooses, on the lists that all candidates solve in this reading.

    Columns min_retrieved, count, align, lists, g, objective, share_best, tied (candidates not to be told from it).
    """
    records = []
    for least, ((count, align), rows) in product(FILTERS, table.groupby(READING, sort=False)):
        rows = rows[rows["fewest"] >= least]
        if not rows["status"].isin(SOLVED).any():
            continue
        candidates = me.studies.choose_from(rows).table
        best = candidates.iloc[candidates["objective"].argmin()]
        tied = candidates[(candidates["excess_low"] <= 0) & (candidates["measure"] != best["measure"])]
        records.append({
            "min_retrieved": least, "count": count, "align": align, "lists": best["lists"],
            "g": measure_label(best["measure"]), "objective": best["objective"], "share_best": best["share_best"],
            "tied": ", ".join(map(measure_label, tied["measure"])),
        })  # fmt: skip
    return pd.DataFrame(records)


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


def choices(table: pd.DataFrame, levels: int, g_steps: int, splits: int) -> pd.DataFrame:
    """The choices of g, beta, and the measure, held out; AP is a candidate of each."""
    families: dict[str, list[me.measures.Measure] | None] = {
        "g": [me.AP(), *(me.GAP(g=g) for g in grid(levels, g_steps))],
        "beta": [me.AP(), *(me.Q(beta=beta) for beta in BETAS)],
        "measure": None,
    }
    references = [me.AP(), me.GAP(g=(1 / levels,) * levels), me.nDCG(gain="exp2"), me.nDCG(), me.Q(beta=0.3)]
    tables = {
        chosen: me.studies.held_out(table, candidates=candidates, references=references, splits=splits)
        for chosen, candidates in families.items()
    }
    return pd.concat(tables, names=["chosen"]).reset_index("chosen").reset_index(drop=True)


def draw(table: pd.DataFrame) -> Figure:
    """A panel for each collection: measures by their mean over thresholds; best and worst of each grid."""
    names = list(dict.fromkeys(table["collection"]))
    figure = Figure(figsize=(5.4 * len(names), 8.5), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for name, ax in zip(names, panels, strict=True):
        draw_collection(table[table["collection"] == name], ax)
        ax.set_title(name)
    legends = [dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True)) for ax in panels]
    known = {label: handle for legend in legends for label, handle in legend.items()}
    figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=len(known), fontsize=8)
    return figure


def draw_collection(table: pd.DataFrame, ax: Axes) -> None:
    """Mean error with its interval; filled dots where the paired difference to the best does not exclude 0."""
    overall = table[table["threshold"] == 0].set_index("measure")
    stick = float(overall["rms"][STICK])
    overall = overall.drop(STICK)
    shown = [m for m in overall.index if not m.startswith(GRID_NAMES)]
    for family in GRID_NAMES:  # the best point and the worst; GAP with one threshold alone they are AP
        grid = [m for m in overall.index if m.startswith(family) and not ONE_THRESHOLD.search(m)]
        shown += [grid[0], grid[-1]]
    order = [m for m in overall.index if m in shown]
    at = list(range(len(order)))
    thresholds = sorted(set(table["threshold"]) - {0})
    for k, threshold in enumerate(thresholds):
        own = table[table["threshold"] == threshold].set_index("measure").loc[order]
        label = threshold_label(threshold, max(thresholds))
        ax.plot(own["rms"], at, "|", color=f"C{k + 1}", markersize=9, markeredgewidth=1.6, label=label)
    own = overall.loc[order]
    tied = own["difference_low"] <= 0
    ax.axvline(stick, color="0.7", linewidth=3, zorder=0.5, label=STICK)
    for row in at[::2]:
        ax.axhspan(row - 0.5, row + 0.5, color="0.96", zorder=0)
    ax.hlines(at, own["rms_low"], own["rms_high"], color="0.7", linewidth=1)
    ax.plot(own["rms"], at, "o", color="C0", mfc="white", linestyle="none", label="mean of these, 95 %")
    ax.plot(own["rms"].where(tied), at, "o", color="C0", linestyle="none", label="difference to the best may be 0")
    ax.set_yticks(at, order, fontsize=7)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("mean RMS error of the inferred curve")
    ax.grid(axis="x", alpha=0.3)


GRID_NAMES = (*(f"{cls.__name__}(g=" for cls in GRIDS), "nDCG(gain=0")
ONE_THRESHOLD = re.compile(r"\(g=(.*,)?1[,)]")


def starred(rows: pd.DataFrame) -> pd.Series:
    """Differences as text, with a star where the interval excludes 0."""
    certain = (rows["difference_low"] > 0) | (rows["difference_high"] < 0)
    return rows["difference"].map("{:+.3f}".format) + certain.map({True: "*", False: " "})


def survey(table: pd.DataFrame) -> pd.DataFrame:
    """In how many distinct readings the first measure of a pair is more informative, and told to be.

    The counts total and at_most are one, and so are the filters, which are nested: all of them have to agree.
    """
    rows = table[(table["threshold"] == 0) & (table["lists_of"] == EVERY)]
    counted = pd.DataFrame({
        "smaller error": rows["difference"] < 0,
        "interval below 0": rows["difference_high"] < 0,
        "interval above 0": rows["difference_low"] > 0,
        "of": True,
    })  # fmt: skip
    keys = [rows["first"], rows["second"], rows["collection"]]
    distinct = counted.groupby([*keys, rows["count"].replace(ALIKE), rows["align"]], sort=False).all()
    return distinct.groupby(["first", "second", "collection"], sort=False).sum()


def report_readings(tables: dict[str, pd.DataFrame]) -> None:
    """Print the means with ``min_retrieved=5``, verdicts, nDCG variants and choices."""
    errors = tables["_readings"].query("baseline == 'AP' and min_retrieved == 5 and lists_of == @EVERY")
    for name, part in errors.groupby("collection", sort=False):
        wide = part.pivot_table(index="measure", columns=[*READING, "threshold"], values="rms", sort=False)
        print(f"{name}: mean RMS error, min_retrieved=5, {part['lists'].iloc[0]} lists solved under every reading")
        print(wide.to_string(float_format="%.3f"), end="\n\n")
    rows = tables["_pairs"]
    rows = rows[(rows["threshold"] == 0) | (rows["min_retrieved"] == 5)].assign(shown=starred)
    for (first, second), of_pair in rows.groupby(["first", "second"], sort=False):
        wide = of_pair.pivot_table(
            index=["lists_of", "min_retrieved", *READING], columns=["collection", "threshold"], values="shown",
            aggfunc="first", sort=False,
        )  # fmt: skip
        print(f"{first} minus {second}: mean RMS error over the thresholds (0) and for each")
        print(wide.to_string(na_rep=""), end="\n\n")
    print(f"distinct readings by verdict, mean over the thresholds\n{survey(tables['_pairs']).to_string()}\n")
    for name, part in tables["_discounts"].groupby("collection", sort=False):
        wide = part.assign(shown=part["rms"].map("{:.3f} ".format) + starred(part)).pivot_table(
            index="measure", columns=[*READING, "threshold"], values="shown", aggfunc="first", sort=False
        )
        print(f"{name}: mean RMS error of nDCG, minus exp2 and log2\n{wide.to_string()}\n")
    print(tables["_choice"].to_string(index=False, float_format="%.4f"), end="\n\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL)
    parser.add_argument("--g-steps", type=int, default=5, help="points along an edge of the grid of g")
    parser.add_argument("--splits", type=int, default=1000, help="random halves of the topics")
    with started(parser, argv) as arguments:
        tables = compute(**given(arguments))
        leagues = [tables[key].query("threshold == 0").drop(columns=["threshold"]) for key in ("", "_standard")]
        for table in (*leagues, tables["_gains"], tables["_held_out"]):
            print(table.to_string(index=False, float_format="%.4f"), end="\n\n")
        missing = tables["_left_out"].query("status in ('failed', 'infeasible')")
        print(missing.to_string(index=False), end="\n\n")
        report_readings(tables)
        if TREC12 in arguments.collections:
            tables["_published"] = published(tables["_readings"])
            print(tables["_published"].to_string(index=False, float_format="%.3f"))
        write(arguments.out, "league", draw(tables[""]), tables, svg=True)


if __name__ == "__main__":
    main()
