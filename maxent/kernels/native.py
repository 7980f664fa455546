"""The loops that numba compiles: Newton's iteration over the passes, problems into and out of lanes, sorted lists.

They take arrays and numbers, so that their machine code depends on nothing else and can be kept on disk beside that
of the passes. The module is imported only if that file is missing, as numba takes a while to load. Without numba
they are functions of numpy's arrays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from llvmlite import ir
from numba import float64, int64, njit, types
from numba.extending import intrinsic

from maxent.kernels.arguments import Given, Lists, Passes, Places
from maxent.kernels.curve_loops import add_logits, compare, compiled, expected_inverse
from maxent.kernels.decisions import TRUST


@intrinsic
def run(typing: Any, address: Any, ranks: Any, whole: Any) -> Any:
    """Call a pass over the ranks by its address, with the records of the ranks and of the problem."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, pointer = ir.IntType(64), ir.PointerType(ir.DoubleType())
        function = ir.FunctionType(ir.VoidType(), [pointer, number, pointer])
        pairs = zip(signature.args[1:], arguments[1:], strict=True)
        records = [context.make_array(kind)(context, builder, own) for kind, own in pairs]
        depth = builder.extract_value(records[0].shape, 0)
        called = builder.inttoptr(arguments[0], function.as_pointer())
        builder.call(called, [records[0].data, depth, records[1].data])
        return context.get_dummy_value()

    return types.void(address, ranks, whole), write


@compiled
def newton_method(ranks, whole, passes, at, quadratic):  # type: ignore[no-untyped-def]
    """Newton's iteration until no lane is running."""
    while True:
        run(passes.softmax, ranks, whole)
        run(passes.gradient_down, ranks, whole)
        run(passes.gradient_up, ranks, whole)
        run(passes.residuals, ranks, whole)
        run(passes.decide, ranks, whole)
        some_running = some_fresh = 0.0
        for lane in range(whole.shape[1]):
            some_running += whole[at.running, lane]
            some_fresh += whole[at.fresh, lane]
        if not some_running > 0.0:
            return
        if some_fresh > 0.0:
            run(passes.forward if quadratic else passes.forward_linear, ranks, whole)
            run(passes.border, ranks, whole)
            run(passes.backward if quadratic else passes.backward_linear, ranks, whole)
            run(passes.fastest_growth, ranks, whole)
            largest = 0.0
            for lane in range(whole.shape[1]):
                largest = max(largest, whole[at.growth, lane])
            if largest > TRUST:
                run(passes.step_length, ranks, whole)
        run(passes.move, ranks, whole)


@compiled
def load(ranks, whole, at, given, first, used):  # type: ignore[no-untyped-def]
    """Load the problems from ``first`` on into the first ``used`` lanes, with scaled measures."""
    m, c = given.a.shape[2], given.a.shape[3]
    whole[at.used, :used], whole[at.used, used:] = 1.0, 0.0
    ranks[:, at.size, :] = 1.0
    for lane in range(used):
        k = first + lane
        topic = given.topic[k]
        for j in range(m):
            share = given.share[k, j]
            whole[at.value + j, lane] = given.value[k, j] * share
            for i in range(c):
                for q in range(c):
                    whole[at.K + (j * c + i) * c + q, lane] = given.K[topic, j, i, q] * share
            for n in range(ranks.shape[0]):
                ranks[n, at.d + j, lane] = given.d[topic, n, j]
                for i in range(c):
                    ranks[n, at.a + j * c + i, lane] = given.a[topic, n, j, i] * share
        for i in range(c):
            whole[at.counts + i, lane] = given.counts[k, i]
            for n in range(ranks.shape[0]):
                ranks[n, at.p + i, lane] = given.start[k, n if given.start.shape[1] > 1 else 0, i]
            if given.offset.shape[0] > 0:
                for n in range(ranks.shape[0]):
                    ranks[n, at.offset + i, lane] = given.offset[k if given.offset.shape[0] > 1 else 0, n, i]
        whole[at.bounded, lane], whole[at.free, lane] = given.bounded, given.free[k]
        for i in range(m + c):
            whole[at.multipliers + i, lane] = given.multipliers[k, i]


@compiled
def shorten(ranks, whole, at, m, c, edges, coarse, coarse_whole, used):  # type: ignore[no-untyped-def]
    """The coarse problems, in which the ranks between two ``edges`` share a row.

    The pairs within a row add sum_j j d_j p' K p to the value, with j the place in the row. This is linearised at
    the probabilities of the start, so that coarse problems have the same form as others.
    """
    coarse_whole[at.used, :used], coarse_whole[at.used, used:] = 1.0, 0.0
    for lane in range(used):
        for number in range(at.change):  # what is given, as ``fields`` has it in front
            coarse_whole[number, lane] = whole[number, lane]
        for row in range(edges.shape[0] - 1):
            begin, end = edges[row], edges[row + 1]
            coarse[row, at.size, lane] = end - begin
            for i in range(c):
                coarse[row, at.p + i, lane] = ranks[begin, at.p + i, lane]
                coarse[row, at.offset + i, lane] = ranks[begin, at.offset + i, lane]
            for j in range(m):
                weight = within = 0.0
                for n in range(begin, end):
                    weight += ranks[n, at.d + j, lane]
                    within += (n - begin) * ranks[n, at.d + j, lane]
                coarse[row, at.d + j, lane] = weight / (end - begin)
                for i in range(c):
                    mutual = linear = 0.0
                    for q in range(c):
                        pair = whole[at.K + (j * c + i) * c + q, lane] + whole[at.K + (j * c + q) * c + i, lane]
                        mutual += pair * ranks[begin, at.p + q, lane]
                    for n in range(begin, end):
                        linear += ranks[n, at.a + j * c + i, lane]
                    coarse[row, at.a + j * c + i, lane] = (linear + within * mutual) / (end - begin)
                    coarse_whole[at.value + j, lane] += within * mutual * ranks[begin, at.p + i, lane] / 2


@compiled
def refine(ranks, whole, at, m, c, edges, coarse, coarse_whole, used):  # type: ignore[no-untyped-def]
    """Let each problem start from the solution of its coarse form (far ranks share rows), if it has one."""
    for lane in range(used):
        if coarse_whole[at.converged, lane] > 0.0:
            whole[at.free, lane] = 0.0
            for i in range(m + c):
                whole[at.multipliers + i, lane] = coarse_whole[at.multipliers + i, lane]
            for row in range(edges.shape[0] - 1):
                for n in range(edges[row], edges[row + 1]):
                    for i in range(c):
                        ranks[n, at.p + i, lane] = coarse[row, at.p + i, lane]


@compiled
def from_start(ranks, whole, passes, at, quadratic, most, tolerance):  # type: ignore[no-untyped-def]
    """Newton's method from the logits that probabilities and multipliers imply."""
    whole[at.quadratic], whole[at.most], whole[at.tolerance] = quadratic, most, tolerance
    run(passes.gradient_down, ranks, whole)
    run(passes.gradient_up, ranks, whole)
    run(passes.implied, ranks, whole)
    run(passes.release, ranks, whole)
    run(passes.begin, ranks, whole)
    newton_method(ranks, whole, passes, at, quadratic)


@compiled
def get(ranks, at, p, first, used):  # type: ignore[no-untyped-def]
    """Copy probabilities, that of the eliminated grade first, to ``p`` (k, depth, c + 1)."""
    for lane in range(used):
        for n in range(ranks.shape[0]):
            p[first + lane, n, 0] = ranks[n, at.eliminated, lane]
            for i in range(p.shape[2] - 1):
                p[first + lane, n, 1 + i] = ranks[n, at.p + i, lane]


def solve(  # type: ignore[no-untyped-def]
    ranks,
    whole,
    coarse,
    coarse_whole,
    passes,
    at,
    given,
    edges,
    limits,
    quadratic,
    examined,
    p,
    records,
    lists,
    found,
    errors,
    logits,
):
    """Newton's method for all problems, as many side by side as there are lanes; see :mod:`maxent.kernels.batch`.

    With ``edges`` it starts from coarse problems. ``limits`` are the most iterations and the tolerance for these,
    and those for the problems themselves. The results are the ``records`` (numbers, k) of the problems, and
    what somebody asks for: the probabilities ``p`` and what ``lists`` are compared for, ``errors`` (k, thresholds,
    alignments, 2) and ``logits`` (k,).
    """
    lanes, problems, m, c = whole.shape[1], given.topic.shape[0], given.a.shape[2], given.a.shape[3]
    for first in range(0, problems, lanes):
        used = min(lanes, problems - first)
        load(ranks, whole, at, given, first, used)
        if edges.shape[0] > 0:
            shorten(ranks, whole, at, m, c, edges, coarse, coarse_whole, used)
            from_start(coarse, coarse_whole, passes, at, quadratic, limits[0], limits[1])
            refine(ranks, whole, at, m, c, edges, coarse, coarse_whole, used)
        from_start(ranks, whole, passes, at, quadratic, limits[2], limits[3])
        if examined:
            run(passes.evidence, ranks, whole)
            if quadratic:
                run(passes.forward, ranks, whole)
                run(passes.negative_eigenvalues, ranks, whole)
        if p.shape[0] > 0:
            get(ranks, at, p, first, used)
        if lists.begin.shape[0] > 0:
            run(passes.randomness, ranks, whole)
            compare(ranks, lists, found, errors, first, used)
            add_logits(ranks, at, lists, logits, first, used)
        for number in range(records.shape[0]):
            for lane in range(used):
                records[number, first + lane] = whole[number, lane]


def fill(adding, rank_class, first, grade_class, idle, masses, a, d, K, scratch, values, p):  # type: ignore[no-untyped-def]
    """Values of sorted lists at both ends: classes of grades fill classes of ranks, in order and evenly in a class.

    Classes are numbered in the order in which they are filled or fill. ``adding`` is the last rank that adds to the
    value: others are not visited where only the values are wanted. ``idle`` is 1 for grades whose documents add
    nothing, provided that ranks are filled from the first to the last. The shapes are

        rank_class (depth,), first (rank classes + 1,) ranks in the classes before each, grade_class (2, grades),
        idle (grades,), masses (2, k, grades) whose rows sum to the depth, a (depth, grades), d (depth,),
        K (grades, grades), scratch (5, grades + 1); output: values (2, k), p (2, depth, grades) of the last lists,
        or (0, 0, grades) where they are not wanted.
    """
    for above in range(2):
        for number in range(masses.shape[1]):
            own = grade_class[above]
            _edges(own, masses[above, number], a.shape[0], scratch)
            value = _filled(adding, rank_class, first, own, idle, masses[above, number], a, d, K, scratch, p, above)
            values[above, number] = value


@compiled
def _edges(grade_class, mass, depth, scratch):  # type: ignore[no-untyped-def]
    """Documents of each class, where it begins in the order of the list, and its only grade if it has one."""
    of_class, edge, only, grades = scratch[0], scratch[1], scratch[2], mass.shape[0]
    scratch[:] = 0.0
    only[:] = -1.0
    for i in range(grades):
        g = grade_class[i]
        of_class[g] += mass[i]
        if mass[i] > 0.0:
            only[g] = i if of_class[g] == mass[i] else -1.0
    for g in range(grades):
        edge[g + 1] = min(edge[g] + of_class[g], float(depth))  # rounding must not push a class beyond the list


@compiled
def _filled(adding, rank_class, first, grade_class, idle, mass, a, d, K, scratch, p, above):  # type: ignore[no-untyped-def]
    """Value of one sorted list."""
    (depth, grades), shown = a.shape, p.shape[1]
    of_class, edge, only, row, gained = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    known = of_class.sum()  # the depth, up to rounding
    edge[grades] = depth
    value, g, n = 0.0, 0, 0
    while n < max(adding, shown):
        low, high = first[rank_class[n]], first[rank_class[n] + 1]
        g = 0 if low < edge[g] else g
        while edge[g + 1] <= low:
            g += 1
        last, single = edge[g + 1], int(only[g])
        if high <= min(last, known) and single >= 0:  # nearly all ranks hold one grade for certain
            for i in range(grades):
                row[i] = 1.0 if i == single else 0.0
                value += (a[n, i] + d[n] * gained[i]) * row[i]
            for j in range(grades):
                gained[j] += K[j, single]
            if idle[single] > 0.0 and shown == 0:
                end = int(last)  # skip to the first rank that has another grade
                n = max(n, (int(first[rank_class[end]]) if end < depth else end) - 1)
        else:
            for i in range(grades):  # the part of each grade between the places low and high of the order
                own = grade_class[i]
                bottom, top, whole = edge[own], edge[own + 1], of_class[own]
                filled = whole if low <= bottom and top <= high else min(high, top) - max(low, bottom)
                some = filled > 0.0 and mass[i] > 0.0
                row[i] = filled / (high - low) * (mass[i] / whole) if some else 0.0
                value += row[i] * (a[n, i] + d[n] * gained[i])
            for i in range(grades):
                for j in range(grades):
                    gained[j] += K[j, i] * row[i]
        if shown > 0:
            for i in range(grades):
                p[above, n, i] = row[i]
        n += 1
    return value


F1, F2, F3, F4 = (types.Array(float64, axes, "C") for axes in (1, 2, 3, 4))
I1, I2 = (types.Array(int64, axes, "C") for axes in (1, 2))
PASSES, PLACES = (types.NamedUniTuple(int64, len(kind._fields), kind) for kind in (Passes, Places))
GIVEN = types.NamedTuple([I1, F4, F3, F4, F2, F2, F2, int64, F3, F3, F2, F1], Given)
LISTS = types.NamedTuple([I1, I1, I1, I1, F2, I1, I1, F1, F2, I1, F2], Lists)
SIGNATURES = {
    newton_method: (F3, F2, PASSES, PLACES, int64),
    load: (F3, F2, PLACES, GIVEN, int64, int64),
    solve: (F3, F2, F3, F2, PASSES, PLACES, GIVEN, I1, F1, int64, int64, F3, F2, LISTS, F3, F4, F1),
    compare: (F3, LISTS, F3, F4, int64, int64),
    expected_inverse: (F2, F2, F2),
    fill: (int64, I1, F1, I2, F1, F3, F2, F1, F2, F2, F2, F3),
}


UNCOUNTED = "\n".join(f"define void @{name}(ptr %x) {{ ret void }}" for name in ("NRT_incref", "NRT_decref"))
"""In place of numba's counts of references to arrays: these belong to Python, and numba may not be there."""


def assembly(signatures: Mapping[Any, Sequence[Any]]) -> tuple[list[str], dict[str, str]]:
    """LLVM's assembly of functions with these arguments, and their names by the names that they have there."""
    texts, names = [UNCOUNTED], {}
    for function, arguments in signatures.items():
        plain, signature = getattr(function, "py_func", function), tuple(arguments)
        made = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(plain)
        made.compile(signature)
        texts.append(made.inspect_llvm(signature))
        names[made.overloads[signature].fndesc.llvm_func_name] = plain.__name__
    return texts, names
