"""Where are means with unjudged documents wrong, and which statistic shows it without the other judgments?

Samples of judgments (``unjudged.py``) of collections that have them all, and of three runs of different teams, two
of which made the pool (``pair``). Columns of ``unjudged_notes.csv``, a row for each sample:

- error: the larger RMSE of mean AP and mean nDCG@10 over runs
- relevant: judged relevant documents by topic; deep: share of the expected relevant ones below the judged ranks
- ratio: expected relevant documents by judged one; first: share of the first ten documents that are judged, lowest:
  that of the run that has the fewest; deviation: standard deviation of drawn means of nDCG@10
- documents, predicted, observed: judged documents that one run alone returns among its first ten, and their
  relevance if this run is left out; outside, outside_predicted, outside_observed: unjudged ones among the first ten
- estimated: whether ``unjudged="model"`` prints means

``unjudged_notes_separation.csv``: samples that are wrong (an error of more than .05) and right (at most .035), of
which means are withheld, and the probability that a statistic is larger in a wrong one than in a right one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import ALL, by_collection, given, in_processes, options, read, spaced, started, write
from matplotlib.figure import Figure
from unjudged import known, reduced

import maxent as me
from maxent.data.inspect_run import FIRST
from maxent.judgments.draws import Model, values_of
from maxent.judgments.pools import Pools, pools_of
from maxent.options import READING_OPTIONS

WAYS = ("random 5 %", "random 10 %", "random 25 %", "depth 5", "depth 10", "pair 10", "pair 20")
MEASURES = (me.AP(), me.nDCG(cutoff=10))
WRONG, RIGHT = 0.05, 0.035
STATISTICS = ("relevant", "deep", "ratio", "first", "lowest", "deviation", "miscalibration")


def sample(pools: Pools, way: str, seed: int) -> dict[str, Any]:
    """Statistics of a sample of judgments, and the error of the means that it gives."""
    full, part, _ = reduced(pools, way, seed)
    model, levels = Model.of(part, rng=seed), part.collection.levels
    drawn = model.values(MEASURES, jobs=1, progress=False).mean(axis=1)  # (measures, runs, draws)
    truth = [values_of(pool.lists, pool.grades[None], MEASURES, levels)[..., 0] for pool in full.topics]
    misses = drawn.mean(axis=-1) - np.mean(truth, axis=0)
    first = np.mean(
        [np.append(pool.judged, True)[pool.lists[:, :FIRST]].mean(axis=1) for pool in part.topics], axis=0
    )
    chances = [1 - model.probabilities(place)[:, 0] for place in range(len(part.topics))]
    outside, predicted, observed = 0, 0.0, 0
    for pool, judged, p in zip(part.topics, full.topics, chances, strict=True):
        top = ((pool.ranks > 0) & (pool.ranks <= FIRST)).any(axis=0) & ~pool.judged
        outside, predicted = outside + int(top.sum()), predicted + float(p[top].sum())
        observed += int((judged.grades[top] > 0).sum())
    calibration, number = model.left_out, max(model.left_out.documents, 1)
    return {
        "way": way,
        "seed": seed,
        "error": np.sqrt((misses**2).mean(axis=1)).max(),
        "bias_AP": misses[0].mean(),
        "bias_nDCG@10": misses[1].mean(),
        "relevant": part.relevant,
        "deep": model.share_below,
        "ratio": sum(float(p.sum()) for p in chances) / (part.relevant * len(part.topics)),
        "first": first.mean(),
        "lowest": first.min(),
        "deviation": drawn[1].std(axis=-1).mean(),
        "documents": calibration.documents,
        "predicted": calibration.predicted / number,
        "observed": calibration.observed / number,
        "outside": outside,
        "outside_predicted": predicted / max(outside, 1),
        "outside_observed": observed / max(outside, 1),
        "estimated": not model.withheld,
    }


def compute(
    data: Path,
    *,
    collections: Sequence[str] = ALL,
    ways: Sequence[str] = WAYS,
    seeds: int = 5,
    runs: int | None = 17,
    jobs: int = 2,
) -> pd.DataFrame:
    """A row for each sample."""
    tables = {}
    for name in collections:
        files, qrels = read(data / name)
        reading = {key: option.default for key, option in READING_OPTIONS.items()} | {"jobs": jobs}
        pools = known(pools_of(spaced(files, runs), qrels, reading))  # type: ignore[arg-type]
        pieces = [(pools, way, seed) for way in ways for seed in range(seeds)]
        tables[name] = pd.DataFrame(in_processes(sample, pieces, jobs=jobs, desc=name, unit="sample"))
    return by_collection(tables)


def separation(table: pd.DataFrame) -> pd.DataFrame:
    """How well each statistic separates wrong samples from right ones, by collection and for all."""
    table = table.assign(miscalibration=(table["predicted"] - table["observed"]).abs())
    rows = []
    for name, of_name in [*table.groupby("collection", sort=False), ("all", table)]:
        wrong, right = of_name[of_name["error"] > WRONG], of_name[of_name["error"] <= RIGHT]
        row: dict[str, Any] = {"collection": name, "wrong": len(wrong), "right": len(right)}
        row |= {
            f"withheld_{kind}": int((~of["estimated"]).sum()) for kind, of in (("wrong", wrong), ("right", right))
        }
        for statistic in STATISTICS:
            larger = wrong[statistic].to_numpy()[:, None] - right[statistic].to_numpy()
            row[statistic] = ((larger > 0) + (larger == 0) / 2).mean() if larger.size else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """Error against the number of judged relevant documents, in pools and in random samples."""
    figure = Figure(figsize=(5, 3.4), layout="constrained")
    ax = figure.subplots()
    for below, rows in table.groupby(table["deep"] > 0.5):
        ax.scatter(rows["relevant"], rows["error"], s=12, label="pools" if below else "random samples")
    ax.axhline(WRONG, color="0.7", lw=0.8)
    ax.set(xscale="log", xlabel="judged relevant documents by topic", ylabel="error of means")
    ax.legend()
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=ALL, depth=False)
    parser.add_argument("--ways", nargs="+", default=list(WAYS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=17, help="so many runs of each collection")
    with started(parser, argv) as arguments:
        table = compute(**given(arguments))
        parts = separation(table)
        columns = ["error", "relevant", "deep", "predicted", "observed", "estimated"]
        keys = ["collection", "way"]
        print(table.groupby(keys, sort=False)[columns].mean().to_string(float_format="%.3f"))
        print(parts.to_string(index=False, float_format="%.2f"))
        write(arguments.out, "unjudged_notes", draw(table), {"": table, "_separation": parts})


if __name__ == "__main__":
    main()
