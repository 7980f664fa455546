"""The loops that numba compiles: Newton's method over the passes, and numbers into the lanes and out of them.

They take plain pointers and numbers, so that their machine code needs nothing else and is kept beside that of the
passes. Imported only where it is not on disk yet, because numba takes a while to load.
"""

from typing import Any

from llvmlite import ir
from numba import cfunc, float64, int64, types
from numba.extending import intrinsic

from maxent.kernels.newton import TRUST
from maxent.kernels.sorted_lists import fill

FLOATS, INTEGERS = types.CPointer(float64), types.CPointer(int64)
DECIDE = 5  # passes up to the one that decides how to go on; see ``workspace.LOOP``
FORWARD, BORDER, BACKWARD, GROWTH, STEP_LENGTH, MOVE, LINEAR = range(DECIDE, DECIDE + 7)


@intrinsic
def call(typing: Any, address: Any, ranks: Any, depth: Any, whole: Any) -> Any:
    """Call a pass over the ranks by its address."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, pointer = ir.IntType(64), ir.PointerType(ir.DoubleType())
        function = ir.FunctionType(ir.VoidType(), [pointer, number, pointer])
        builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(address, ranks, depth, whole), write


def newton(ranks, depth, whole, lanes, calls, running, fresh, growth, quadratic):  # type: ignore[no-untyped-def]
    """Go on until no lane is running; ``running``, ``fresh`` and ``growth`` are places of fields of the problem."""
    while True:
        for k in range(DECIDE):
            call(calls[k], ranks, depth, whole)
        some_running = some_fresh = 0.0
        for lane in range(lanes):
            some_running += whole[running * lanes + lane]
            some_fresh += whole[fresh * lanes + lane]
        if not some_running > 0.0:
            return
        if some_fresh > 0.0:
            call(calls[FORWARD if quadratic else LINEAR], ranks, depth, whole)
            call(calls[BORDER], ranks, depth, whole)
            call(calls[BACKWARD if quadratic else LINEAR + 1], ranks, depth, whole)
            call(calls[GROWTH], ranks, depth, whole)
            largest = 0.0
            for lane in range(lanes):
                largest = max(largest, whole[growth * lanes + lane])
            if largest > TRUST:
                call(calls[STEP_LENGTH], ranks, depth, whole)
        call(calls[MOVE], ranks, depth, whole)


@intrinsic
def floats(typing: Any, address: Any) -> Any:
    """An address as a pointer to floats."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(FLOATS))

    return FLOATS(address), write


@intrinsic
def integers(typing: Any, address: Any) -> Any:
    """An address as a pointer to integers."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(INTEGERS))

    return INTEGERS(address), write


def put(records, depth, rank, lanes, table, entries, first, used):  # type: ignore[no-untyped-def]
    """Fill fields in the first lanes, for the problems from number ``first`` on.

    Parameters
    ----------
    records : (depth, rank, lanes) array
    table : (entries, 9) array
        Of each transfer: where the field begins in a record, and how many numbers it has; the address of the source
        (..., rows, columns), rows and columns; addresses of the row of every rank (depth,), of the entry of the
        source for every problem (k,), and of factors (k, numbers); 0 instead of 1 if there is but one factor.
    used : int
        Number of lanes to fill.
    """
    for entry in range(entries):
        at = 9 * entry
        place, numbers, rows, columns, several = (
            table[at],
            table[at + 1],
            table[at + 3],
            table[at + 4],
            table[at + 8],
        )
        source, factor = floats(table[at + 2]), floats(table[at + 7])
        row, own = integers(table[at + 5]), integers(table[at + 6])
        for n in range(depth):
            for i in range(numbers):
                to, start = (n * rank + place + i) * lanes, row[n] * columns + i
                for lane in range(used):
                    number = source[own[first + lane] * rows * columns + start]
                    records[to + lane] = number * factor[((first + lane) * numbers + i) * several]


def get(records, depth, rank, lanes, table, entries, first, used):  # type: ignore[no-untyped-def]
    """Copy fields from the first lanes to arrays (k, depth, columns), for the problems from number ``first`` on.

    Of each entry of the table the first five numbers are used; the third is the address of the array.
    """
    for entry in range(entries):
        place, numbers, columns = table[9 * entry], table[9 * entry + 1], table[9 * entry + 4]
        out = floats(table[9 * entry + 2])
        for n in range(depth):
            for i in range(numbers):
                for lane in range(used):
                    out[((first + lane) * depth + n) * columns + i] = records[(n * rank + place + i) * lanes + lane]


SIGNATURES = {
    newton: [FLOATS, int64, FLOATS, int64, INTEGERS, *[int64] * 4],
    put: [FLOATS, *[int64] * 3, INTEGERS, *[int64] * 3],
    get: [FLOATS, *[int64] * 3, INTEGERS, *[int64] * 3],
    fill: [*[int64] * 4, INTEGERS, FLOATS, INTEGERS, *[FLOATS] * 8],
}


def assembly() -> tuple[list[str], dict[str, str]]:
    """LLVM's assembly of the functions in ``SIGNATURES``, and what each of them is called there."""
    texts, names = [], {}
    for function, arguments in SIGNATURES.items():
        made = cfunc(types.void(*arguments), error_model="numpy")(function)
        texts.append(made.inspect_llvm())
        names[made.native_name.removeprefix("cfunc.")] = function.__name__  # without Python's error handling
    return texts, names
