"""A small simulated collection, and its study."""

import pandas as pd
import pytest

import maxent as me


@pytest.fixture(scope="session")
def collection() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A small simulated collection."""
    return me.simulate(systems=4, topics=5, depth=200, rng=3)


@pytest.fixture(scope="session")
def table(collection: tuple[pd.DataFrame, pd.DataFrame]) -> pd.DataFrame:
    runs, qrels = collection
    measures = [me.GAP(g=g) for g in me.g_grid(steps=3)] + [me.AP(), me.nDCG(gain="exp2")]
    return me.informativeness(runs, qrels, measures=measures, depth=200, progress=False)
