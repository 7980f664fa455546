"""One figure of each kind looks as it did: small images of tables that no solver has touched.

``pytest tests/plot/test_images.py --mpl-generate-path=tests/plot/baseline`` draws them anew; look at each before it
is committed. Texts and legends are hidden and axes have a fixed place: with them the figures of matplotlib 3.9 and
3.11 differed by 22 to 41 (RMS of 255), which nothing wrong would exceed. What texts say is tested beside this file.
"""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

import maxent as me
from maxent import plot

Draw = Callable[[Axes], Axes]
looks_alike: Callable[[Callable[[Draw], Figure]], Callable[[Draw], Figure]] = pytest.mark.mpl_image_compare(
    baseline_dir="baseline",
    style="default",
    tolerance=12,
    savefig_kwargs={"dpi": 60, "metadata": {"Software": None}},
)


def candidates(levels: int) -> pd.DataFrame:
    """Table of a choice of g with a smallest objective inside."""
    grid = np.array(me.g_grid(levels=levels, steps=5))
    table = pd.DataFrame({"measure": [str(me.GAP(g=tuple(g))) for g in grid.tolist()]})
    table[[f"g_{k + 1}" for k in range(levels)]] = grid
    table["rms_t1"], table["rms_t2"] = 0.1 + 0.1 * (1 - grid[:, 0]), 0.12 + 0.1 * grid[:, 0] ** 2
    table["objective"] = (table["rms_t1"] + table["rms_t2"]) / 2 + 0.05 * grid[:, -1] ** 2
    table["low"], table["high"] = table["objective"] - 0.02, table["objective"] + 0.02
    table["excess_low"] = table["objective"] - table["objective"].min() - 0.01
    return table


def lists() -> pd.DataFrame:
    """Errors of 10 runs on 6 topics."""
    topics, runs = np.divmod(np.arange(60), 10)
    rms = 0.05 + 0.02 * topics + 0.004 * runs + 0.03 * np.sin(np.arange(60))
    return pd.DataFrame(
        {
            "run_id": [f"run{k}" for k in runs],
            "query_id": [f"{600 + k}" for k in topics],
            "measure": "AP",
            "threshold": 1,
            "rms": rms,
            "points": 10 * (topics + 1) + runs,
        }
    )


def informativeness(ax: Axes) -> Axes:
    table = candidates(2)
    rows = table[["measure"]].assign(rms=table["objective"], rms_low=table["low"], rms_high=table["high"])
    other = pd.DataFrame({"measure": ["AP", "nDCG"], "rms": [0.16, 0.2]})
    other = other.assign(rms_low=other["rms"] - 0.02, rms_high=other["rms"] + 0.03)
    summary = pd.concat([rows, other], ignore_index=True).assign(threshold=1, lists=9)
    return plot.plot_informativeness(summary, ax=ax)


def choice(ax: Axes) -> Axes:
    return plot.plot_choice(candidates(2), ax=ax)


def ternary(ax: Axes) -> Axes:
    return plot.plot_choice(candidates(3), ax=ax)


def curves(ax: Axes) -> Axes:
    actual = me.actual_curve([1, 0, 1, 1, 0, 0, 1, 0], (6,)).to_frame().assign(curve="actual")
    smooth = pd.DataFrame({"recall": np.linspace(0.1, 0.7, 20), "precision": np.linspace(0.9, 0.5, 20)})
    both = [smooth.assign(curve="AP"), smooth.assign(curve="nDCG", precision=smooth["precision"] - 0.1)]
    return plot.plot_curves(pd.concat([actual, *both]), ax=ax)


def graded_curves(ax: Axes) -> Axes:
    named = {"a": [2, 0, 1, 1], "b": [0, 1, 0, 2]}
    tables = [
        me.graded_curve(grades, (2, 1), g=(0.5, 0.5)).to_frame().assign(curve=k) for k, grades in named.items()
    ]
    return plot.plot_graded_curves(pd.concat(tables), ax=ax)


def profile(ax: Axes) -> Axes:
    rank = np.arange(1, 101)
    tables = [
        pd.DataFrame({"measure": name, "rank": rank, "grade": grade, "p": 0.3 * grade / (1 + rank / speed)})
        for name, speed in (("AP", 20), ("nDCG", 50))
        for grade in (1, 2)
    ]
    return plot.plot_profile(pd.concat(tables), ax=ax)


def predictions(ax: Axes) -> Axes:
    values = {("AP", "AP"): 0.0, ("AP", "nDCG"): 0.05, ("nDCG", "AP"): 0.12, ("nDCG", "nDCG"): 0.0}
    rows = [{"measure": m, "target": t, "rms": x} for (m, t), x in values.items()]
    return plot.plot_predictions(pd.DataFrame(rows), ax=ax)


def steps(ax: Axes) -> Axes:
    table = pd.DataFrame({"added": ["AP", "nDCG", "P@10"], "rms": [0.2, 0.14, 0.135]})
    table = table.assign(rms_low=table["rms"] - 0.02, rms_high=table["rms"] + 0.03, gain=[0.1, 0.06, 0.005])
    return plot.plot_steps(table.assign(verdict=["helps", "helps", "within noise"]), ax=ax)


def confusion(ax: Axes) -> Axes:
    grades = pd.DataFrame({"grade_a": [0, 0, 1, 1], "grade_b": [0, 1, 0, 1], "documents": [80, 20, 5, 15]})
    return plot.plot_confusion(grades, ax=ax)


def agreement(ax: Axes) -> Axes:
    rows = [
        {"topics": "all", "g": g, "measure_a": a, "measure_b": b, "tau": 0.95 - 0.1 * k - 0.02 * j}
        for k, g in enumerate(("0,1", "1,0"))
        for j, (a, b) in enumerate((("GAP", "AP"), ("xGAP", "AP"), ("GAP", "nDCG"), ("xGAP", "nDCG")))
    ]
    return plot.plot_agreement(pd.DataFrame(rows), ax=ax)


def predicted(ax: Axes) -> Axes:
    actual = np.linspace(0.05, 0.8, 40)
    table = pd.DataFrame({"measure": "AP", "target": "nDCG", "actual": actual})
    return plot.plot_predicted(table.assign(predicted=actual**1.2 + 0.05 * np.sin(40 * actual)), ax=ax)


def topics(ax: Axes) -> Axes:
    return plot.plot_breakdown(lists(), by="query_id", ax=ax)


def numbers_of_documents(ax: Axes) -> Axes:
    return plot.plot_breakdown(lists(), by="points", ax=ax)


def differences(ax: Axes) -> Axes:
    difference = np.linspace(-0.1, 0.12, 6)
    table = pd.DataFrame({"measure": "AP", "baseline": "run0", "run_id": [f"run{k}" for k in range(1, 7)]})
    table = table.assign(difference=difference, low=difference - 0.05, high=difference + 0.05)
    table[["mean_baseline", "mean", "effect_size", "better", "worse"]] = 0.0
    return plot.plot_comparison(table.assign(reject=abs(difference) > 0.05), ax=ax)


def levels(ax: Axes) -> Axes:
    pairs = [(f"run{a}", f"run{b}") for a in range(8) for b in range(a)]
    frame = pd.DataFrame(pairs, columns=["run_a", "run_b"])
    frame = frame.assign(mean_a=0.3, mean_b=0.2, difference=0.1)
    asl = np.linspace(0, 1, len(frame)) ** 3
    tables = [frame.assign(measure="AP", asl=asl), frame.assign(measure="P@10", asl=asl**0.7)]
    return plot.plot_discrimination(pd.concat(tables), top=None, ax=ax)


def pools(ax: Axes) -> Axes:
    rows = [
        {"topics": "all", "measure": m, "share": s, "repetition": r, "tau": 1 - (1 - s) * (drop + 0.02 * r)}
        for m, drop in (("AP", 0.2), ("nDCG", 0.4))
        for s in (1.0, 0.6, 0.3, 0.1)
        for r in range(5)
    ]
    return plot.plot_pools(pd.DataFrame(rows), ax=ax)


KINDS: tuple[Draw, ...] = (
    *(
        informativeness,
        choice,
        ternary,
        curves,
        graded_curves,
        profile,
        predictions,
        predicted,
    ),
    *(topics, numbers_of_documents, steps, differences, levels, confusion, agreement, pools),
)


@pytest.mark.parametrize("draw", KINDS, ids=lambda draw: draw.__name__)
@looks_alike
def test_looks_as_it_did(draw: Draw) -> Figure:
    figure = plt.figure(figsize=(3.2, 2.4))
    draw(figure.add_axes((0.05, 0.05, 0.9, 0.9)))
    for kind in (Text, Legend):
        for artist in figure.findobj(kind):
            artist.set_visible(False)
    return figure
