"""A small simulated collection."""

import pytest

import maxent as me
from tests.collections import Tables


@pytest.fixture(scope="session")
def collection() -> Tables:
    return me.simulate(systems=8, topics=10, depth=200, rng=3)
