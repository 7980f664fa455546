"""Every analysis takes runs and judgments, or a collection; its options are shown and checked everywhere."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pandas.testing as pdt
import pytest

import maxent as me

ANALYSES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (me.evaluate, {"measures": ["AP"]}),
    "informativeness": (me.informativeness, {"measures": ["AP"], "min_retrieved": 1}),
    "predict_measures": (me.predict_measures, {"measures": ["AP"], "min_retrieved": 1}),
    "readings": (me.readings, {"measures": ["AP"], "counts": ["retrieved"]}),
    "choose_g": (me.choose_g, {"steps": 3, "refine": False, "min_retrieved": 1}),
    "choose_measures": (me.choose_measures, {"candidates": ["AP", "P@10"], "size": 1, "min_retrieved": 1}),
    "explain": (me.explain, {"run": "system1", "topic": "2", "measures": ["AP"]}),
}


def as_table(found: Any) -> pd.DataFrame:
    """The table of what an analysis returns."""
    if isinstance(found, me.GChoice):
        return found.table
    return found.to_frame() if isinstance(found, me.Explanation) else found


@pytest.mark.parametrize("name", ANALYSES)
def test_a_collection_goes_in_everywhere(name: str) -> None:
    function, options = ANALYSES[name]
    runs, qrels = me.simulate(systems=3, topics=4, depth=50)
    expected = as_table(function(runs, qrels, depth=50, **options))
    pdt.assert_frame_equal(as_table(function(me.collect(runs, qrels, depth=50), **options)), expected)
