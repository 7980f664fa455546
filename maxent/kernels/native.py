"""The loops that numba compiles: Newton's iteration over the passes, transfers into and out of lanes, sorted lists.

They take plain pointers and numbers, so that their machine code depends on nothing else and can be kept on disk
beside that of the passes. The module is imported only if that file is missing, as numba takes a while to load.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import ir
from numba import cfunc, int64, types
from numba.extending import intrinsic

from maxent.kernels.decisions import TRUST
from maxent.kernels.vectors import FLOATS, INTEGERS, floats, integers

WIDTH = 9  # columns of a table of transfers
PLACE, NUMBERS, SOURCE, ROWS, COLUMNS, ROW, ENTRY, FACTOR, SEVERAL = range(WIDTH)
NEVER = 1e-20  # probability that counts as 0
DECIDE = 5  # number of passes up to and with ``decide``, see ``workspace.LOOP``
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


def newton_method(ranks, depth, whole, lanes, calls, running, fresh, growth, quadratic):  # type: ignore[no-untyped-def]
    """Newton's iteration until no lane is running.

    ``calls`` has the addresses of the passes in ``workspace.LOOP``; ``running``, ``fresh`` and ``growth`` are the
    places of these fields in the record of the problem.
    """
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


def put(records, depth, rank, lanes, table, entries, first, used):  # type: ignore[no-untyped-def]
    """Fill fields in the first ``used`` lanes, for the problems from index ``first`` on.

    ``records`` (depth, rank, lanes) are those of the ranks, with ``rank`` numbers each. The table has a row for
    each transfer, with the columns named above: where the field begins in a record and how many ``numbers`` it has;
    the address of the source (..., rows, columns); addresses of the row of every rank (depth,), of the entry of the
    source for every problem (k,), and of factors (k, numbers); 1 if there are ``several`` factors, 0 for a single.
    """
    for entry in range(entries):
        at = WIDTH * entry
        place, numbers, several = table[at + PLACE], table[at + NUMBERS], table[at + SEVERAL]
        rows, columns = table[at + ROWS], table[at + COLUMNS]
        source, factor = floats(table[at + SOURCE]), floats(table[at + FACTOR])
        row, own = integers(table[at + ROW]), integers(table[at + ENTRY])
        for n in range(depth):
            for i in range(numbers):
                to, start = (n * rank + place + i) * lanes, row[n] * columns + i
                for lane in range(used):
                    number = source[own[first + lane] * rows * columns + start]
                    records[to + lane] = number * factor[((first + lane) * numbers + i) * several]


def get(records, depth, rank, lanes, table, entries, first, used):  # type: ignore[no-untyped-def]
    """Copy fields from the first lanes to arrays (k, depth, columns), for the problems from index ``first`` on.

    The table is that of ``put``, with the array in place of the source; its last four columns are not used.
    """
    for entry in range(entries):
        at = WIDTH * entry
        place, numbers, columns = table[at + PLACE], table[at + NUMBERS], table[at + COLUMNS]
        out = floats(table[at + SOURCE])
        for n in range(depth):
            for i in range(numbers):
                for lane in range(used):
                    out[((first + lane) * depth + n) * columns + i] = records[(n * rank + place + i) * lanes + lane]


def fill(  # type: ignore[no-untyped-def]
    k, depth, grades, adding, shown, rank_class, first, grade_class, idle, masses, a, d, K, scratch, values, p
):
    """Values of sorted lists: classes of grades fill classes of ranks, in order and evenly within a class.

    There are k lists and ``grades`` grades, grade 0 included. Classes are numbered in the order in which they are
    filled or fill. ``adding`` is the last rank that adds to the value: others are not visited where only the values
    are wanted. ``shown`` is 0 then, else the depth. ``idle`` is 1 for grades whose documents add nothing, provided
    that ranks are filled from the first to the last. The shapes are

        rank_class (depth,), first (rank classes + 1,) ranks in the classes before each, grade_class (grades,),
        idle (grades,), masses (k, grades) whose rows sum to the depth, a (depth, grades), d (depth,),
        K (grades, grades), scratch (5 (grades + 1),); output: values (k,), p (shown, grades) of the last list.
    """
    size = grades + 1
    of_class, edge, only, row, gained = 0, size, 2 * size, 3 * size, 4 * size  # where they begin in scratch
    for number in range(k):
        for i in range(5 * size):
            scratch[i] = -1.0 if only <= i < row else 0.0  # only: the one grade of a class that has mass, else -1
        for i in range(grades):
            g = grade_class[i]
            mass = masses[number * grades + i]
            scratch[of_class + g] += mass
            if mass > 0.0:
                scratch[only + g] = i if scratch[of_class + g] == mass else -1.0
        for g in range(grades):
            scratch[edge + g + 1] = scratch[edge + g] + scratch[of_class + g]
        known = scratch[edge + grades]  # sum of the masses: the depth, up to rounding
        scratch[edge + grades] = depth
        for g in range(grades):
            # rounding must not push a class beyond the list
            scratch[edge + g] = min(scratch[edge + g], float(depth))
        value, g, n = 0.0, 0, 0
        while n < max(adding, shown):
            low, high = first[rank_class[n]], first[rank_class[n] + 1]
            g = 0 if low < scratch[edge + g] else g
            while scratch[edge + g + 1] <= low:
                g += 1
            last, single = scratch[edge + g + 1], int(scratch[only + g])
            if high <= min(last, known) and single >= 0:  # nearly all ranks hold one grade for certain
                for i in range(grades):
                    scratch[row + i] = 1.0 if i == single else 0.0
                    value += (a[n * grades + i] + d[n] * scratch[gained + i]) * scratch[row + i]
                for j in range(grades):
                    scratch[gained + j] += K[j * grades + single]
                if idle[single] > 0.0 and shown == 0:
                    end = int(last)  # skip to the first rank that has another grade
                    n = max(n, (int(first[rank_class[end]]) if end < depth else end) - 1)
            else:
                for i in range(grades):  # the part of each grade between the places low and high of the order
                    own = grade_class[i]
                    bottom, top, whole = scratch[edge + own], scratch[edge + own + 1], scratch[of_class + own]
                    filled = whole if low <= bottom and top <= high else min(high, top) - max(low, bottom)
                    mass = masses[number * grades + i]
                    some = filled > 0.0 and mass > 0.0
                    scratch[row + i] = filled / (high - low) * (mass / whole) if some else 0.0
                    value += scratch[row + i] * (a[n * grades + i] + d[n] * scratch[gained + i])
                for i in range(grades):
                    for j in range(grades):
                        scratch[gained + j] += K[j * grades + i] * scratch[row + i]
            if shown > 0:
                for i in range(grades):
                    p[n * grades + i] = scratch[row + i]
            n += 1
        values[number] = value


def curve_errors(k, depth, width, threshold, by_rank, p, base, own, first, ranks, errors):  # type: ignore[no-untyped-def]
    """RMS and mean absolute differences between inferred and actual curves, see ``curves``: errors (k, 2).

    The distributions p are (k, depth, width). ``by_rank`` is 1 to compare at equal rank, 0 at equal recall.
    ``base`` is R_>=k of the topic, and how far a recall may be below a wanted one and still reach it. List
    ``own[k]`` has the ``ranks`` from ``first[own[k]]`` on.
    """
    for number in range(k):
        begin, end = first[own[number]], first[own[number] + 1]
        points, point = end - begin, begin
        squares = total = found = recall = precision = 0.0
        for n in range(depth):
            if point == end:
                break
            for i in range(threshold, width):
                found += p[(number * depth + n) * width + i]
            last_recall, last_precision = recall, precision
            recall, precision = found / base[0], found / (n + 1)
            while point < end:
                wanted = (point - begin + 1) / base[0]
                if by_rank > 0:
                    if ranks[point] != n + 1:
                        break
                    inferred = precision
                else:
                    if recall < wanted - base[1] and n < depth - 1:
                        break
                    step, share = recall - last_recall, 1.0
                    if n > 0 and step > 0.0:
                        share = min(max((wanted - last_recall) / step, 0.0), 1.0)
                    inferred = last_precision + share * (precision - last_precision)
                difference = inferred - (point - begin + 1) / ranks[point]
                squares += difference * difference
                total += abs(difference)
                point += 1
        errors[2 * number] = math.sqrt(squares / points) if points > 0 else math.nan
        errors[2 * number + 1] = total / points if points > 0 else math.nan


def expected_errors(k, depth, width, threshold, p, own, first, ranks, scratch, errors):  # type: ignore[no-untyped-def]
    """As ``curve_errors``, of E[j / n_j] at the j-th relevant document: see ``curves.expected_precision``.

    ``scratch`` holds twice the largest number of points: for j = points..1, so that a loop runs upwards, the
    probability of j - 1 relevant documents above a rank, and the sum that becomes E[1 / n_j]. Probabilities below
    ``NEVER`` at either end are dropped.
    """
    for number in range(k):
        begin, end = first[own[number]], first[own[number] + 1]
        points = end - begin
        for j in range(2 * points):
            scratch[j] = 0.0
        low, last = points - 1, points - 1  # where probabilities are positive
        if points > 0:
            scratch[last] = 1.0
        for n in range(depth):
            if last < max(low, 0):
                break
            found = 0.0
            for i in range(threshold, width):
                found += p[(number * depth + n) * width + i]
            share, missed, low = found / (n + 1), 1.0 - found, max(low - 1, 0)
            for j in range(low, last):
                scratch[points + j] += share * scratch[j]
                scratch[j] = missed * scratch[j] + found * scratch[j + 1]
            scratch[points + last] += share * scratch[last]
            scratch[last] = missed * scratch[last]
            if low < last and scratch[low] < NEVER:
                scratch[low] = 0.0
                low += 1
            if scratch[last] < NEVER:
                scratch[last] = 0.0
                last -= 1
        squares = total = 0.0
        for j in range(points):
            difference = (j + 1) * (scratch[2 * points - 1 - j] - 1.0 / ranks[begin + j])
            squares += difference * difference
            total += abs(difference)
        errors[2 * number] = math.sqrt(squares / points) if points > 0 else math.nan
        errors[2 * number + 1] = total / points if points > 0 else math.nan


SIGNATURES = {
    newton_method: [FLOATS, int64, FLOATS, int64, INTEGERS, *[int64] * 4],
    put: [FLOATS, *[int64] * 3, INTEGERS, *[int64] * 3],
    get: [FLOATS, *[int64] * 3, INTEGERS, *[int64] * 3],
    fill: [*[int64] * 5, INTEGERS, FLOATS, INTEGERS, *[FLOATS] * 8],
    curve_errors: [*[int64] * 5, FLOATS, FLOATS, *[INTEGERS] * 3, FLOATS],
    expected_errors: [*[int64] * 4, FLOATS, *[INTEGERS] * 3, FLOATS, FLOATS],
}


def assembly(signatures: Mapping[Callable[..., None], list[Any]]) -> tuple[list[str], dict[str, str]]:
    """LLVM's assembly of functions with these arguments, and their names by the names that they have there."""
    texts, names = [], {}
    for function, arguments in signatures.items():
        made = cfunc(types.void(*arguments), error_model="numpy")(function)
        texts.append(made.inspect_llvm())
        names[made.native_name.removeprefix("cfunc.")] = function.__name__  # without Python's error handling
    return texts, names
