"""Bands in figures of curves."""

import numpy as np

import maxent as me
from maxent import plot


def test_a_figure_of_curves_has_the_bands_of_the_inferred_ones() -> None:
    runs, qrels = me.simulate(systems=1, topics=2, depth=60)
    one = me.explain(runs, qrels, topic="1", measures=["AP", "nDCG"], depth=60, band=0.8)
    curves = one.tables["curves"].query("threshold == 1")
    areas = plot.plot_curves(curves).collections
    for name, area in zip(("actual", "AP", "nDCG"), areas, strict=True):
        own = curves[curves["curve"] == name]
        drawn = np.concatenate([np.asarray(path.vertices) for path in area.get_paths()] or [np.empty((0, 2))])
        ends = {*zip(own["recall"], own["low"], strict=True), *zip(own["recall"], own["high"], strict=True)}
        assert len(drawn) == 0 if name == "actual" else ends <= set(map(tuple, drawn.tolist()))
