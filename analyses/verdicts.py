"""Which verdicts on measures stand, and which depend on how curves are inferred, on depth, or on the collection.

Every verdict is tried with maximum entropy over independent ranks and over whole lists, with and without a
reference, and with curves that are learned from other topics.  Differences are paired, on the same lists, with
Student's intervals over topics, corrected for the number of verdicts.  GAP(G) stands beside nDCG(gain=G), which has
the same gains.  Grades above 2 count as 2.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from common import ALL, by_collection, given, options, read, spaced, started, write
from inferences import Way, errors, merged
from matplotlib.figure import Figure

import maxent as me
from maxent.studies.verdicts import differences, verdicts
from maxent.texts import measure_label

LEVELS = 2
EVEN, LEAN = "GAP(g=0.5,0.5)", "GAP(g=0.75,0.25)"
PAIRS = (
    ("AP", "nDCG(gain=exp2)"),
    ("AP", "P@10"),
    ("AP", "Rprec"),
    (EVEN, "AP"),
    (LEAN, "AP"),
    ("Q(beta=0.3)", "AP"),
    (EVEN, "nDCG(gain=exp2)"),
    (EVEN, "P@10"),
    ("nDCG(gain=exp2)", "P@10"),
    ("nDCG", "nDCG(gain=exp2)"),
    ("nDCG(gain=1,1)", "nDCG(gain=exp2)"),
    ("AP", "nDCG(gain=1,1)"),  # matched gains from here on
    (EVEN, "nDCG"),
    (LEAN, "nDCG(gain=0.75,1)"),
)
READINGS = {  # of each model: reference and alignment
    "ranks": [(None, "recall"), (None, "expected"), ("log-uniform", "recall"), ("log-uniform", "expected")],
    "lists": [(None, "expected"), ("log-uniform", "expected")],
}
DEPTHS = {10: 1, 100: 5, 1000: 5}
"""Depths, and the retrieved documents of each grade that a list needs: few lists have five of each in ten."""
READING = ["collection", "depth", "inference"]


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    depths: Sequence[int] = tuple(DEPTHS),
    runs: int | None = None,
    models: Sequence[str] = tuple(READINGS),
    jobs: int = 2,
    checkpoint: Path | None = None,
) -> dict[str, pd.DataFrame]:
    """Tables: ``""``: verdicts as of :func:`maxent.compare_measures`. ``_differences``: what they rest on.

    ``_inferences``: first, second, threshold (0: the mean over both), inference, then in how many combinations of
    collection and depth the interval says that the first is better, says nothing, or says the opposite.
    """
    known = [Way(model, *reading) for model in models for reading in READINGS[model]]
    known.append(Way("ranks", "topics", "expected"))
    measures = list(map(me.parse_measure, dict.fromkeys(name for pair in PAIRS for name in pair)))
    frames = {}
    for name in collections:
        files, qrels = read(data / name)
        collection = me.collect(spaced(files, runs), merged(qrels, LEVELS), depth=max(depths), jobs=jobs)
        each = {}
        for depth in depths:
            own = collection.part(depth=depth)
            table = errors(
                own, measures, known, min_retrieved=DEPTHS.get(depth, 5), jobs=jobs, checkpoint=checkpoint
            )
            each[depth] = differences(table, ["inference"], PAIRS, replicates=1000, rng=0)
        frames[name] = pd.concat(each, names=["depth"]).reset_index("depth")
    table, rows = verdicts(by_collection(frames), READING)
    return {"": table, "_differences": rows, "_inferences": by_inference(rows)}


def by_inference(rows: pd.DataFrame) -> pd.DataFrame:
    """How many combinations of collection and depth say the one, nothing, or the other."""
    better, worse = rows["difference_high"] < 0, rows["difference_low"] > 0
    counted = pd.DataFrame({"better": better, "open": ~(better | worse), "worse": worse}).astype(int)
    keys = [rows[name] for name in ("first", "second", "threshold", "inference")]
    return counted.groupby(keys, sort=False).sum().reset_index()


def draw(rows: pd.DataFrame) -> Figure:
    """Differences over both thresholds: a row for each verdict, a column for each inference, panels by depth."""
    over = rows[rows["threshold"] == 0]
    names, depths = list(dict.fromkeys(over["collection"])), sorted(over["depth"].unique())
    labels = over["first"].map(measure_label) + " before " + over["second"].map(measure_label)
    pairs, inferences = list(dict.fromkeys(labels)), list(dict.fromkeys(over["inference"]))
    size = (3 + 0.32 * len(inferences) * len(depths), 1.6 + 0.24 * len(pairs) * len(names))
    figure = Figure(figsize=size, layout="constrained")
    for row, name in zip(figure.subplots(len(names), len(depths), squeeze=False, sharey=True), names, strict=True):
        for ax, depth in zip(row, depths, strict=True):
            own = over.assign(pair=labels)[(over["collection"] == name) & (over["depth"] == depth)]
            wide = own.pivot(index="pair", columns="inference").reindex(pairs)
            image = ax.imshow(wide["difference"][inferences], cmap="RdBu_r", vmin=-0.1, vmax=0.1, aspect="auto")
            told = (wide["difference_high"] < 0) | (wide["difference_low"] > 0)
            ax.plot(*told[inferences].to_numpy().nonzero()[::-1], "k.", markersize=3)
            ax.set_xticks(range(len(inferences)), inferences, rotation=90, fontsize=6)
            ax.set_yticks(range(len(pairs)), pairs, fontsize=6)
            ax.set_title(f"{name}, depth {depth}, {int(own['lists'].iloc[0])} lists", fontsize=7)
    figure.colorbar(image, ax=figure.axes, label="difference of mean RMS errors; dot: the interval excludes 0")
    return figure


def report(found: dict[str, pd.DataFrame]) -> None:
    """Print the verdicts, then how many combinations of collection and depth say so by each inference."""
    print(found[""].to_string(index=False), end="\n\n")
    rows = found["_inferences"]
    shown = rows.assign(said=rows[["better", "open", "worse"]].astype(str).agg("/".join, axis=1))
    for threshold in (0, 1, 2):
        own = shown[shown["threshold"] == threshold]
        wide = own.pivot_table(
            index=["first", "second"], columns="inference", values="said", aggfunc="first", sort=False
        )
        print(f"threshold {threshold or '1 and 2'}: first better / open / second better\n{wide.T.to_string()}\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL, depth=False)
    parser.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS))
    parser.add_argument("--runs", type=int, help="runs of each collection, evenly spaced by name (default: all)")
    parser.add_argument("--models", nargs="+", choices=list(READINGS), default=list(READINGS))
    parser.add_argument("--checkpoint", type=Path, help="file of finished topics, to continue with")
    with started(parser, argv) as arguments:
        found = compute(**given(arguments))
        report(found)
        write(arguments.out, "verdicts", draw(found["_differences"]), found)


if __name__ == "__main__":
    main()
