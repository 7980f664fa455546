"""A small simulated collection."""

import pandas as pd
import pytest

import maxent as me

Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="session")
def collection() -> Tables:
    return me.simulate(systems=8, topics=10, depth=200, rng=3)
