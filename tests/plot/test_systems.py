"""Figures of comparisons of systems."""

import matplotlib.pyplot as plt

import maxent as me
from maxent import plot


def test_names_of_runs_are_no_formulas() -> None:
    runs, qrels = me.simulate(systems=2, topics=5, depth=50)
    runs["run_id"] = runs["run_id"].map({"system1": "a $x^{2$", "system2": "b $y_{1$"})
    table = me.compare_systems(runs, qrels, measures=["AP"], baseline="a $x^{2$", depth=50, progress=False)
    ax = plot.plot_comparison(table, ax=plt.figure().subplots())
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b $y_{1$"]
    assert ax.get_xlabel() == "AP, difference of means to a $x^{2$"
