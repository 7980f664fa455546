"""What the other runs of a collection say about a run: baselines that know the same topics."""

import re

import numpy as np
import pandas as pd

from maxent.types import FloatArray

NEAREST, RIDGE = 3, 1e-2  # runs; penalty, for standardised averages


def from_other_runs(known: pd.DataFrame, wanted: pd.DataFrame, run: str) -> dict[str, FloatArray]:
    """What is wanted of a run by method, from what is known of it and what other runs have; rows are runs.

    Runs whose names begin alike, which may be of the same team, are left out, unless too few others remain.
    """
    others = [other for other in known.index if team(other) != team(run)]
    if len(others) < NEAREST:  # names say nothing of teams
        others = [other for other in known.index if other != run]
    if len(others) < NEAREST:
        return {}
    x, y, at = known.loc[others], wanted.loc[others], known.T[run]
    return {
        "mean of other runs": y.mean().to_numpy(),
        "nearest runs": _nearest(x, y, at),
        "ridge regression": _ridge(x, y, at),
    }


def team(run: str) -> str:
    """What runs of one team share: the beginning of their names, up to a digit or a separator."""
    return re.split(r"[._\-\d]", run.lower().removeprefix("input."))[0]


def _nearest(x: pd.DataFrame, y: pd.DataFrame, at: "pd.Series[float]") -> FloatArray:
    """Mean of the runs whose known averages are nearest, in standard deviations."""
    distance = (((x - at) / x.std()) ** 2).sum(axis=1)
    return y.loc[distance.nsmallest(NEAREST).index].mean().to_numpy()


def _ridge(x: pd.DataFrame, y: pd.DataFrame, at: "pd.Series[float]") -> FloatArray:
    """Ridge regression on standardised known averages."""
    z, own = ((x - x.mean()) / x.std()).to_numpy(), ((at - x.mean()) / x.std()).to_numpy()
    centred = (y - y.mean()).to_numpy()
    slopes = np.linalg.solve(z.T @ z + RIDGE * len(z) * np.eye(z.shape[1]), z.T @ centred)
    return np.asarray(y.mean().to_numpy() + own @ slopes)
