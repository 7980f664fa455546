"""Passes over the ranks run as what they are: numpy functions of one rank after the other."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from maxent.kernels import Workspace
from maxent.kernels.compiler import Pass, shape
from maxent.kernels.passes import RANK, WHOLE

Fields = dict[str, np.ndarray]


class Record:
    """The fields of one rank, or of the problem, with the index that leads there."""

    def __init__(self, fields: Fields, index: Any) -> None:
        self.__dict__["_"] = fields, index

    def __getattr__(self, name: str) -> Any:
        fields, index = self._
        return fields[name][index].copy()

    def __setattr__(self, name: str, values: Any) -> None:
        fields, index = self._
        fields[name][index] = values


def run(kernel: Pass, fields: Fields, c: int, m: int) -> None:
    """Run a pass over all ranks of one problem."""
    whole = Record(fields, ())
    sizes = {"c": c, "m": m}
    state = SimpleNamespace(**{name: np.zeros(shape(text, sizes)) for name, text in kernel.state.items()})
    if kernel.body is not None:
        depth = len(fields["theta"])
        for n in range(depth - 1, -1, -1) if kernel.upwards else range(depth):
            kernel.body(Record(fields, n), whole, state)
    if kernel.finish is not None:
        kernel.finish(whole, state)


def of_lane(work: Workspace, lane: int) -> Fields:
    """Copies of the fields of one lane."""
    return {name: work[name][..., lane].copy() for name in (*RANK, *WHOLE)}


def random_problems(depth: int, c: int, m: int, lanes: int) -> Workspace:
    """A workspace of random numbers, in which the Newton system is well conditioned."""
    work, rng = Workspace(depth, c, m, lanes), np.random.default_rng(10 * c + m)
    given = ("theta", "a", "K", "d", "size", "offset", "scaling", "counts", "share", "value")
    step = ("change", "r", "step", "slope", "best", "allowed", "h")
    state = ("error", "iterations", "shortened", "rounding", "patience")
    for name in (*given, *step, *state):
        work[name][...] = rng.random(work[name].shape)
    work["theta"][...] -= 1
    work["size"][...] += 0.5
    work["K"][...] /= 2 * c * m
    work["multipliers"][...] = rng.normal(size=work["multipliers"].shape) / 2
    for name in ("fresh", "used", "running", "quadratic"):
        work[name][...] = 1
    work["active"][...] = rng.random(work["active"].shape) < 0.8
    work["free"][...] = rng.random(work["free"].shape) < 0.5
    work["most"][...], work["tolerance"][...] = 20, 1e-12
    work["bounded"][...] = rng.random(work["bounded"].shape) < 0.5
    return work
