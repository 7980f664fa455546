"""Figures 4 and 5 of the muAP paper: measures of a perfect ranking of 100 items after 0 to 99 random swaps.

The items are rated on scales of 2, 10, 20 and 50 levels, equally many on each level or not. The paper claims that
muAP and NDCNG do not depend on the number of levels, and NDCG does. Where it leaves a choice:

- A swap exchanges two different positions, drawn uniformly; items of one level may change places. A repetition is
  one walk of 99 swaps: the points of a curve depend on each other, each is what separate lists would give.
- Non-uniform: each repetition draws the probabilities of the levels, uniformly over all distributions (Dirichlet),
  and by them the levels of its 100 items. A reference without items in the upper half of the scale, where AP would
  have nothing relevant, is drawn again.
- Ratings are 0, 1, 2, ...; NDCG has the paper's gain 2^rating - 1 and all ranks.
- AP, for comparison, takes the upper half of the scale as relevant; with 2 levels it is the ordinary AP.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from common import options, started, write
from matplotlib.figure import Figure
from tqdm import tqdm

import maxent as me
from maxent.types import FloatArray, IntArray

LEVELS = (2, 10, 20, 50)
ITEMS, SWAPS = 100, 99
KINDS = ("uniform", "non-uniform")
MEASURES = ("muAP", "NDCNG", "NDCG", "AP")
COLOURS = dict(zip(LEVELS, ("#e0a030", "#c0392b", "#2e8b57", "#1f5fa8"), strict=True))


def compute(*, repetitions: int = 100, rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Mean over repetitions with its 95 % interval, and standard deviation of single lists.

    Columns distribution, levels, measure, swaps, mean, low, high, sd.
    """
    generator = np.random.default_rng(rng)
    frames = []
    for kind, levels in tqdm([(k, n) for k in KINDS for n in LEVELS], desc="swapping", delay=2, disable=None):
        ratings = references(levels, repetitions, uniform=kind == "uniform", rng=generator)
        values = evaluate(swap(ratings, rng=generator), levels)
        for name, found in values.items():
            mean, sd = found.mean(axis=0), found.std(axis=0, ddof=1)
            half = 1.96 * sd / np.sqrt(repetitions)
            columns = {"swaps": range(SWAPS + 1), "mean": mean, "low": mean - half, "high": mean + half, "sd": sd}
            frames.append(pd.DataFrame({"distribution": kind, "levels": levels, "measure": name, **columns}))
    return pd.concat(frames, ignore_index=True)


def references(levels: int, repetitions: int, *, uniform: bool, rng: np.random.Generator) -> IntArray:
    """Reference rankings, best item first: (repetitions, items) ratings 0..levels - 1."""
    if uniform:
        return np.tile(np.repeat(np.arange(levels)[::-1], ITEMS // levels), (repetitions, 1))
    found: list[IntArray] = []
    while len(found) < repetitions:
        counts = rng.multinomial(ITEMS, rng.dirichlet(np.ones(levels)))
        if counts[levels // 2 :].any():
            found.append(np.repeat(np.arange(levels), counts)[::-1])
    return np.stack(found)


def swap(ratings: IntArray, *, rng: np.random.Generator) -> IntArray:
    """Rankings after 0, 1, ..., 99 swaps of two items each: (repetitions, swaps + 1, items)."""
    lists = np.repeat(ratings[:, None], SWAPS + 1, axis=1)
    every = np.arange(len(ratings))
    for done in range(1, SWAPS + 1):
        first = rng.integers(ITEMS, size=len(ratings))
        second = (first + rng.integers(1, ITEMS, size=len(ratings))) % ITEMS  # never the same one
        lists[:, done] = lists[:, done - 1]
        lists[every, done, first] = lists[every, done - 1, second]
        lists[every, done, second] = lists[every, done - 1, first]
    return lists


def evaluate(lists: IntArray, levels: int) -> dict[str, FloatArray]:
    """Values (repetitions, swaps + 1) of every measure."""
    measures = (me.muAP(), me.NDCNG(), me.nDCG(gain="exp2"), me.AP(rel=levels // 2))
    counts = np.stack([np.bincount(ratings, minlength=levels)[1:] for ratings in lists[:, 0]])
    found: dict[str, FloatArray] = {name: np.empty(lists.shape[:2]) for name in MEASURES}
    distinct, which = np.unique(counts, axis=0, return_inverse=True)
    for index, relevant in enumerate(distinct):  # lists of equal counts at once
        own = which == index
        for name, measure in zip(MEASURES, measures, strict=True):
            found[name][own] = measure.evaluate(lists[own], relevant)
    return found


def dependence(table: pd.DataFrame) -> pd.DataFrame:
    """How far the numbers of levels differ: mean and sd after 99 swaps, and the largest gap between two means."""
    last = table[table["swaps"] == SWAPS].pivot(index=["distribution", "measure"], columns="levels")
    means = table.pivot(index=["distribution", "measure", "swaps"], columns="levels", values="mean")
    gap = (means.max(axis=1) - means.min(axis=1)).groupby(["distribution", "measure"]).max()
    wide = pd.concat({"mean": last["mean"], "sd": last["sd"]}, axis="columns")
    wide[("largest", "gap")] = gap
    return wide.loc[[(k, m) for k in KINDS for m in MEASURES]]


def draw(table: pd.DataFrame) -> Figure:
    """A row for each distribution (figures 4, 5), a column for each measure, a curve for each number of levels."""
    figure = Figure(figsize=(14, 6.6), layout="constrained")
    panels = figure.subplots(len(KINDS), len(MEASURES), sharex=True, sharey=True)
    for (row, kind), (column, name) in product(enumerate(KINDS), enumerate(MEASURES)):
        ax = panels[row, column]
        for levels in LEVELS:
            own = table[(table["distribution"] == kind) & (table["measure"] == name) & (table["levels"] == levels)]
            ax.fill_between(own["swaps"], own["low"], own["high"], color=COLOURS[levels], alpha=0.25, linewidth=0)
            ax.plot(own["swaps"], own["mean"], color=COLOURS[levels], label=f"{levels} levels")
        ax.set_title(f"{name}{' (upper half relevant)' if name == 'AP' else ''}, {kind}", fontsize=10)
        ax.set_ylim(0, 1.02)
    figure.supxlabel("swaps")
    figure.supylabel("mean value (bands: 95 % interval of the mean)")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    with started(parser, argv) as arguments:
        table = compute(repetitions=arguments.repetitions, rng=arguments.seed)
        print("After 99 swaps, by number of levels, and the largest gap between two means at any number of swaps:")
        print(dependence(table).to_string(float_format="%.3f"))
        write(arguments.out, "swap_simulation", draw(table), {"": table})


if __name__ == "__main__":
    main()
