"""The memory that the passes work on, and calls of machine code."""

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from maxent.kernels.fields import GIVEN, RANK, WHOLE, field_places
from maxent.types import FloatArray, IntArray

LOOP = (
    *("softmax", "gradient_down", "gradient_up", "residuals", "decide"),
    *("forward", "border", "backward", "fastest_growth", "step_length", "move"),
    *("forward_linear", "backward_linear"),
)
"""The passes of an iteration of Newton's method, in the order of :func:`maxent.kernels.native.newton_method`."""


class Transfer(NamedTuple):
    """How a field of the ranks is filled from an array for many problems, or copied to an array."""

    field: str  # name in :data:`maxent.kernels.fields.RANK`
    array: FloatArray  # (..., rows, columns): where the numbers come from, or where they go to
    # (k,): index of each problem along the first axis; by default problem k has entry k
    entry: IntArray | None = None
    row: IntArray | None = None  # (depth,): index of the row of each rank; by default rank n has row n
    factor: FloatArray | None = None  # (k, size of the field): what the numbers are multiplied by; 1 by default
    column: int = 0  # index of the first column to read or write


class Transfers(NamedTuple):
    """Transfers as the machine code reads them: a table, its address, and the arrays that it has addresses of."""

    table: IntArray
    address: int
    arrays: list[FloatArray | IntArray]


class Workspace:
    """The fields of :mod:`maxent.kernels.fields` for problems with equal numbers of ranks, grades and measures.

    There are c grades besides the eliminated one, m measures, and ``lanes`` problems side by side.
    """

    def __init__(self, depth: int, c: int, m: int = 1, lanes: int = 1) -> None:
        self.depth, self.c, self.m, self.lanes = depth, c, m, lanes
        self._fields, self._rank, whole = field_places(c, m)
        self._ranks, self._whole = np.zeros((depth, self._rank, lanes)), np.zeros((whole, lanes))
        self._addresses = address(self._ranks), address(self._whole)
        self._views: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> FloatArray:
        """View of a field: (depth, ..., lanes) or (..., lanes)."""
        view = self._views.get(name)
        if view is None:
            offset, shape, size = self._fields[name]
            lead, records = ((self.depth,), self._ranks) if name in RANK else ((), self._whole)
            part = records[..., offset : offset + size, :]
            view = self._views[name] = part.reshape((*lead, *shape, self.lanes), copy=False)
        return view

    def run(self, *passes: str) -> None:
        """Run passes over the ranks, in all lanes."""
        ranks, whole = self._addresses
        for name in passes:
            _pass(self.c, self.m, self.lanes, name)(ranks, self.depth, whole)

    def newton_method(self, used: int, *, most: int, tolerance: float, quadratic: bool) -> None:
        """Newton's method in the first ``used`` lanes, from their present logits and multipliers.

        It gives up after ``most`` iterations, or twice as many while the error keeps halving. A solution has an
        error of at most ``tolerance`` beyond what rounding makes unavoidable. ``quadratic`` says whether some
        measure has a pairwise part.
        """
        self["used"][:used], self["used"][used:] = 1.0, 0.0
        self["most"][:], self["tolerance"][:], self["quadratic"][:] = most, tolerance, quadratic
        self.run("begin")
        places = (self._fields[name][0] for name in ("running", "fresh", "growth"))
        ranks, whole = self._addresses
        calls = _calls(self.c, self.m, self.lanes)[1]
        call("newton_method", ranks, self.depth, whole, self.lanes, calls, *places, int(quadratic))

    # --- problems into the lanes, and out of them ---

    def transfers(self, *wanted: Transfer) -> Transfers:
        """Prepare to fill or copy fields for many problems."""
        table, arrays = [], []
        for field, array, entry, row, factor, column in wanted:
            offset, _, size = self._fields[field]
            columns = array.shape[2] if array.ndim == 3 else array[0, 0].size
            source = offset, size, address(array) + 8 * column, array.shape[1], columns
            rows = np.arange(self.depth) if row is None else row
            entries = np.arange(len(array)) if entry is None else entry
            factors = np.ones(1) if factor is None else factor
            table.append((*source, *map(address, (rows, entries, factors)), factor is not None))
            arrays += [array, rows, entries, factors]
        numbers = np.array(table)
        return Transfers(numbers, address(numbers), arrays)

    def put(self, transfers: Transfers, first: int, used: int) -> None:
        """Fill fields in the first ``used`` lanes, for the problems from ``first`` on."""
        self._transfer("put", transfers, first, used)

    def get(self, transfers: Transfers, first: int, used: int) -> None:
        """Copy fields from the first ``used`` lanes, for the problems from ``first`` on."""
        self._transfer("get", transfers, first, used)

    def _transfer(self, name: str, transfers: Transfers, first: int, used: int) -> None:
        place = self._addresses[0], self.depth, self._rank, self.lanes
        call(name, *place, transfers.address, len(transfers.table), first, used)

    def given(self, *values: FloatArray) -> FloatArray:
        """Records of many problems, from (k, ...) arrays of the first fields in ``GIVEN``: (numbers, k)."""
        k = len(values[0])
        return np.concatenate([value.reshape(k, -1).T for value in values])

    def load(self, given: FloatArray, first: int) -> int:
        """Put records of problems from ``first`` on into the lanes and return their number."""
        part = given[:, first : first + self.lanes]
        used: int = part.shape[1]
        self._whole[: len(part), :used] = part
        return used

    def field(self, records: FloatArray, name: str) -> FloatArray:
        """A field of many problems from their records (numbers, k): (k, ...)."""
        offset, shape, size = self._fields[name]
        return records[offset : offset + size].T.reshape((records.shape[1], *shape))

    @property
    def whole(self) -> FloatArray:
        """The records of the problems in the lanes, (numbers, lanes)."""
        return self._whole


assert tuple(WHOLE)[: len(GIVEN)] == GIVEN


def address(array: FloatArray | IntArray) -> int:
    """Address of the first number of a contiguous array."""
    place: dict[str, Any] = array.__array_interface__
    if place["strides"] is not None:
        raise ValueError("machine code reads contiguous arrays only")
    found: int = place["data"][0]
    return found


_PASS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_RESULT = (ctypes.c_int64 * 8)()  # numba's functions write a result and an error here; these have neither


@cache
def _pass(c: int, m: int, lanes: int, name: str) -> Any:
    from maxent.kernels import machine  # the compiler is loaded at the first use

    return _PASS(machine.passes(c, m, lanes).address(name))


@cache
def _calls(c: int, m: int, lanes: int) -> tuple[IntArray, int]:
    """Addresses of the passes in ``LOOP``, and the address of this array."""
    from maxent.kernels import machine

    code = machine.passes(c, m, lanes)
    addresses = np.array([code.address(name) for name in LOOP])
    return addresses, address(addresses)


@cache
def _function(name: str, arguments: int, module: str) -> Any:
    from maxent.kernels import machine

    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * arguments)(machine.functions(module).address(name))


def call(name: str, *arguments: int, module: str = "native") -> None:
    """Call a function of ``native`` or of another module; arguments are addresses and integers."""
    place = ctypes.addressof(_RESULT)
    _function(name, 2 + len(arguments), module)(place, place, *arguments)
