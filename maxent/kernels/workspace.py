"""Memory of the passes, and calls of passes on it."""

import ctypes
from functools import cache
from typing import Any

import numpy as np

from maxent.kernels.calls import address, call
from maxent.kernels.loops.records import Passes, Places, ProblemArrays
from maxent.kernels.passes.fields import RANK, layouts
from maxent.types import FloatArray


class Workspace:
    """Fields of ``passes.fields`` for problems with equal numbers of ranks, grades and measures.

    There are c grades without the eliminated one, m measures, and ``lanes`` problems side by side.
    """

    def __init__(self, depth: int, c: int, m: int = 1, lanes: int = 1) -> None:
        self.depth, self.c, self.m, self.lanes = depth, c, m, lanes
        rank, whole = layouts(c, m)
        self._fields = rank.fields | whole.fields
        self.ranks, self.whole = np.zeros((depth, rank.length, lanes)), np.zeros((whole.length, lanes))

    def __getitem__(self, name: str) -> FloatArray:
        """View of a field: (depth, ..., lanes) or (..., lanes)."""
        field = self._fields[name]
        records = self.ranks if name in RANK else self.whole  # (depth, numbers, lanes) or (numbers, lanes)
        numbers = records[..., field.offset : field.offset + field.size, :]
        return numbers.reshape((*records.shape[:-2], *field.shape, self.lanes), copy=False)

    def run(self, *passes: str) -> None:
        """Run passes over the ranks, in all lanes."""
        ranks, whole = address(self.ranks), address(self.whole)
        for name in passes:
            _pass(self.c, self.m, self.lanes, name)(ranks, self.depth, whole)

    @property
    def passes(self) -> Passes:
        """Addresses of the passes compiled for the numbers of grades, measures and lanes."""
        return _passes(self.c, self.m, self.lanes)

    @property
    def places(self) -> Places:
        """Offsets of fields in the records."""
        return _places(self.c, self.m)

    def newton_method(self, *, most: int, tolerance: float, quadratic: bool) -> None:
        """Run Newton's method in all lanes, from their present logits and multipliers.

        It stops after ``most`` iterations, or after twice as many if the error keeps halving. A solution has an
        error of at most ``tolerance`` beyond unavoidable rounding errors. ``quadratic``: whether any measure has a
        pairwise part.
        """
        self["used"][:] = 1.0
        self["most"][:], self["tolerance"][:], self["quadratic"][:] = most, tolerance, quadratic
        self.run("begin")
        call(
            "newton_method",
            ranks=self.ranks,
            whole=self.whole,
            passes=self.passes,
            at=self.places,
            quadratic=int(quadratic),
        )

    def load(self, problems: ProblemArrays) -> None:
        """Load the first problems, one into each lane."""
        call(
            "load",
            ranks=self.ranks,
            whole=self.whole,
            at=self.places,
            problems=problems,
            first=0,
            used=self.lanes,
        )

    def field(self, records: FloatArray, name: str) -> FloatArray:
        """A field of many problems from their records (k, numbers): (k, ...)."""
        field = self._fields[name]
        return records[:, field.offset : field.offset + field.size].reshape((len(records), *field.shape))


_PASS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


@cache
def _pass(c: int, m: int, lanes: int, name: str) -> Any:
    from maxent.kernels import machine  # the compiler is loaded at the first use

    return _PASS(machine.passes(c, m, lanes).get_function_address(name))


@cache
def _places(c: int, m: int) -> Places:
    rank, whole = layouts(c, m)
    fields = rank.fields | whole.fields
    return Places(*(fields[name].offset for name in Places._fields))


@cache
def _passes(c: int, m: int, lanes: int) -> Passes:
    from maxent.kernels import machine

    return Passes(*map(machine.passes(c, m, lanes).get_function_address, Passes._fields))
