"""The loops that numba compiles: Newton's iteration over the passes, and problems into and out of lanes.

They take arrays and numbers, so that their machine code depends on nothing else and can be kept on disk beside that
of the passes. The module is imported only if that file is missing, as numba takes a while to load.
"""

from typing import Any

from llvmlite import ir
from numba import float64, int64, types
from numba.extending import intrinsic

from maxent.kernels.arguments import Given, Lists, Passes, Places
from maxent.kernels.curve_loops import add_logits, compare, expected_inverse
from maxent.kernels.decisions import TRUST
from maxent.kernels.sorted_list_loops import fill
from maxent.kernels.translate import compiled


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
    """Load the problems from ``first`` on into the first ``used`` lanes, but for the probabilities at the start."""
    m, c = given.a.shape[2], given.a.shape[3]
    whole[at.used, :used], whole[at.used, used:] = 1.0, 0.0
    for lane in range(used):
        k = first + lane
        topic = given.topic[k]
        for number in range(at.multipliers + m + c):
            whole[number, lane] = given.records[k, number]
        whole[at.bounded, lane] = given.bounded
        for j in range(m):
            for i in range(c):
                for q in range(c):
                    whole[at.K + (j * c + i) * c + q, lane] = given.K[topic, j, i, q] * whole[at.scaling + j, lane]
        if first == 0 or given.topic[k - whole.shape[1]] != topic:  # else the last problem there has left them
            for n in range(ranks.shape[0]):
                ranks[n, at.size, lane] = 1.0
                for j in range(m):
                    ranks[n, at.d + j, lane] = given.d[topic, n, j]
                    for i in range(c):
                        ranks[n, at.a + j * c + i, lane] = given.a[topic, n, j, i]
        if given.offset.shape[0] > 1 or (given.offset.shape[0] > 0 and first == 0):
            for n in range(ranks.shape[0]):
                for i in range(c):
                    ranks[n, at.offset + i, lane] = given.offset[k if given.offset.shape[0] > 1 else 0, n, i]


@compiled
def start_at(ranks, at, given, k, lane):  # type: ignore[no-untyped-def]
    """Load the probabilities at the start of a problem."""
    for n in range(ranks.shape[0]):
        for i in range(given.start.shape[2]):
            ranks[n, at.p + i, lane] = given.start[k, n if given.start.shape[1] > 1 else 0, i]


@compiled
def linearise(ranks, whole, at, given, within, first, used):  # type: ignore[no-untyped-def]
    """Replace the pairs within the rows of coarse problems by what they add to first order at the present p.

    They add sum_j j d_j p' K p to the value, with j the place in the row; ``within`` (topics, rows, m) is the sum
    of j d_j for each rank of the row. So coarse problems have the same form as others.
    """
    m, c = given.a.shape[2], given.a.shape[3]
    for lane in range(used):
        topic = given.topic[first + lane]
        for j in range(m):
            value, share = given.records[first + lane, at.value + j], whole[at.scaling + j, lane]
            for row in range(ranks.shape[0]):
                inner, size = within[topic, row, j], ranks[row, at.size, lane]
                for i in range(c):
                    mutual = 0.0
                    for q in range(c):
                        pair = whole[at.K + (j * c + i) * c + q, lane] + whole[at.K + (j * c + q) * c + i, lane]
                        mutual += pair * ranks[row, at.p + q, lane]
                    ranks[row, at.a + j * c + i, lane] = given.a[topic, row, j, i] + inner * mutual / share
                    value += size * inner * mutual * ranks[row, at.p + i, lane] / 2
            whole[at.value + j, lane] = value


@compiled
def refine(ranks, whole, at, given, edges, coarse, coarse_whole, first, used):  # type: ignore[no-untyped-def]
    """Let each problem start from the solution of its coarse form (far ranks share rows), if it has one."""
    for lane in range(used):
        if coarse_whole[at.converged, lane] > 0.0:
            whole[at.free, lane] = 0.0
            for i in range(given.a.shape[2] + given.a.shape[3]):
                whole[at.multipliers + i, lane] = coarse_whole[at.multipliers + i, lane]
        else:
            start_at(ranks, at, given, first + lane, lane)
    for row in range(edges.shape[0] - 1):
        for n in range(edges[row], edges[row + 1]):
            for i in range(given.start.shape[2]):
                for lane in range(used):  # inside, as their numbers stand together
                    if coarse_whole[at.converged, lane] > 0.0:
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


@compiled
def solve(  # type: ignore[no-untyped-def]
    ranks, whole, coarse, coarse_whole, passes, at, given, edges, rough, within, limits, quadratic, examined, p,
    lists,
):  # fmt: skip
    """Newton's method for all problems, as many side by side as there are lanes; see :mod:`maxent.kernels.batch`.

    With ``edges`` it starts from the solutions of coarse problems, ``rough``. ``limits`` are the most iterations
    and the tolerance for these, and those for the problems themselves. The results are the records of the problems,
    and what somebody asks for: the probabilities ``p`` and what ``lists`` are compared for.
    """
    lanes, problems = whole.shape[1], given.topic.shape[0]
    for first in range(0, problems, lanes):
        used = min(lanes, problems - first)
        load(ranks, whole, at, given, first, used)
        if edges.shape[0] > 0:
            load(coarse, coarse_whole, at, rough, first, used)
            for lane in range(used):
                start_at(coarse, at, rough, first + lane, lane)
                for row in range(edges.shape[0] - 1):
                    coarse[row, at.size, lane] = edges[row + 1] - edges[row]
            for _ in range(1 + quadratic):  # the second time at the solution of the first
                linearise(coarse, coarse_whole, at, rough, within, first, used)
                from_start(coarse, coarse_whole, passes, at, quadratic, limits[0], limits[1])
                coarse_whole[at.free] = 0.0
            refine(ranks, whole, at, given, edges, coarse, coarse_whole, first, used)
        else:
            for lane in range(used):
                start_at(ranks, at, given, first + lane, lane)
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
            compare(ranks, lists, first, used)
            add_logits(ranks, at, lists, first, used)
        for lane in range(used):
            for number in range(whole.shape[0]):
                given.records[first + lane, number] = whole[number, lane]


F1, F2, F3, F4 = (types.Array(float64, axes, "C") for axes in (1, 2, 3, 4))
I1, I2 = (types.Array(int64, axes, "C") for axes in (1, 2))
PASSES, PLACES = (types.NamedUniTuple(int64, len(kind._fields), kind) for kind in (Passes, Places))
GIVEN = types.NamedTuple([I1, F4, F3, F4, int64, F2, F3, F3], Given)
LISTS = types.NamedTuple([I1, I1, I1, I1, F2, I1, I1, F2, I1, F3, F3, F4, F1], Lists)
SIGNATURES = {
    newton_method: (F3, F2, PASSES, PLACES, int64),
    load: (F3, F2, PLACES, GIVEN, int64, int64),
    solve: (F3, F2, F3, F2, PASSES, PLACES, GIVEN, I1, GIVEN, F3, F1, int64, int64, F3, LISTS),
    compare: (F3, LISTS, int64, int64),
    expected_inverse: (F2, int64, F2, F2),
    fill: (int64, int64, int64, I1, F1, I2, F1, F3, F2, F4, F3),
}
