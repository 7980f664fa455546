"""A small simulated collection, its study, and rows of a study from the functions for single lists."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import pytest

import maxent as me
from tests.collections import Tables, small

JOINTS = ["counts", "AP", "P@10", "AP & P@10", "nDCG(gain=exp2) & AP & P@10"]


@pytest.fixture(scope="session")
def collection() -> Tables:
    """A small simulated collection."""
    return small()


@pytest.fixture(scope="session")
def arrays(collection: Tables) -> me.data.Collection:
    return me.collect(*collection, depth=200)


@pytest.fixture(scope="session")
def table(arrays: me.data.Collection) -> pd.DataFrame:
    measures = [me.GAP(g=g) for g in me.g_grid(steps=3)] + [me.AP(), me.nDCG(gain="exp2")]
    return me.informativeness(arrays, measures=measures, reading="papers", progress=False)


@pytest.fixture(scope="session")
def joint_table(arrays: me.data.Collection) -> pd.DataFrame:
    return me.informativeness(arrays, measures=JOINTS, reading="papers", progress=False)


def solution_of(arrays: me.data.Collection, row: Mapping[Hashable, Any], **known: Any) -> me.problem.Solution:
    """Solution of the problem of one list and measure of a study."""
    t, r = arrays.topics.index(row["query_id"]), arrays.runs.index(row["run_id"])
    measure = me.parse_measure(row["measure"])
    return me.solve(me.Problem.of_list(measure, arrays.grades[t, r], arrays.relevant[t], **known))
