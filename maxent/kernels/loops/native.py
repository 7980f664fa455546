"""Translated loops: Newton's iteration over the passes, and copies of problems to lanes and back.

They take arrays and numbers only. So their machine code is the same for all problems, and is stored on disk beside
that of the passes. In all of them, ``ranks`` (depth, numbers, lanes) and ``whole`` (numbers, lanes) are the records
of the ranks and of the problems in the lanes, ``at`` are the places of fields in these, and the lanes 0 to
``used`` - 1 hold the problems from ``first`` on.
"""

from typing import Annotated, Any

from llvmlite import ir

from maxent.kernels.compiler.instructions import ADDRESS, INTEGER, Array, Instruction, Instructions
from maxent.kernels.loops.curve_loops import add_logits, compare, expected_inverse
from maxent.kernels.loops.records import ObservedLists, Passes, Places, ProblemArrays
from maxent.kernels.loops.sorted_list_loops import fill
from maxent.kernels.passes.decisions import TRUST
from maxent.types import FloatArray, IntArray


@Instruction
def run(w: Instructions, address: Any, ranks: Array, whole: Array) -> None:
    """Call a pass over the ranks by its address, with the records of the ranks and of the problem."""
    kind = ir.FunctionType(ir.VoidType(), [ADDRESS, INTEGER, ADDRESS])
    called = w.builder.inttoptr(address, kind.as_pointer())
    w.builder.call(called, [ranks.address, ranks.shape[0], whole.address])


def newton_method(
    ranks: Annotated[FloatArray, "depth, numbers, lanes"],
    whole: Annotated[FloatArray, "numbers, lanes"],
    passes: Passes,
    at: Places,
    quadratic: int,
):
    """Iterate Newton's method until no lane is running.

    1. Residuals at the present logits and multipliers. 2. Each lane decides whether it goes on, and whether with a
    new step. 3. The new steps, from the factorisation of the Newton system, shortened where they are too long.
    4. Every lane moves by its share of its step.
    """
    while True:
        # 1.
        run(passes.softmax, ranks, whole)
        run(passes.gradient_down, ranks, whole)
        run(passes.residuals, ranks, whole)
        # 2.
        run(passes.decide, ranks, whole)
        some_running = some_fresh = 0.0
        for lane in range(whole.shape[1]):
            some_running += whole[at.running, lane]
            some_fresh += whole[at.fresh, lane]
        if not some_running > 0.0:
            return
        # 3.
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
        # 4.
        run(passes.move, ranks, whole)


def load(
    ranks: Annotated[FloatArray, "depth, numbers, lanes"],
    whole: Annotated[FloatArray, "numbers, lanes"],
    at: Places,
    problems: ProblemArrays,
    first: int,
    used: int,
):
    """Load the problems from ``first`` on into the first ``used`` lanes, without the probabilities at the start.

    1. The inputs of their records. 2. The scaled kernels. 3. The coefficients, and 4. the offsets, where these are
    not yet in the lane.
    """
    m, c = problems.a.shape[2], problems.a.shape[3]
    for lane in range(whole.shape[1]):
        whole[at.used, lane] = 1.0 if lane < used else 0.0
    for lane in range(used):
        k = first + lane
        topic = problems.topic[k]
        # 1.
        for number in range(at.multipliers + m + c):
            whole[number, lane] = problems.records[k, number]
        # 2.
        for j in range(m):
            for i in range(c):
                for q in range(c):
                    whole[at.K + (j * c + i) * c + q, lane] = (
                        problems.K[topic, j, i, q] * whole[at.scaling + j, lane]
                    )
        # 3.
        if first == 0 or problems.topic[k - whole.shape[1]] != topic:  # else the last problem there has left them
            for n in range(ranks.shape[0]):
                ranks[n, at.size, lane] = 1.0
                for j in range(m):
                    ranks[n, at.d + j, lane] = problems.d[topic, n, j]
                    for i in range(c):
                        ranks[n, at.a + j * c + i, lane] = problems.a[topic, n, j, i]
        # 4.
        if problems.offset.shape[0] > 1 or (problems.offset.shape[0] > 0 and first == 0):
            for n in range(ranks.shape[0]):
                for i in range(c):
                    ranks[n, at.offset + i, lane] = problems.offset[k if problems.offset.shape[0] > 1 else 0, n, i]


def start_at(ranks, at, problems, k, lane):
    """Load the probabilities at the start of a problem."""
    for n in range(ranks.shape[0]):
        for i in range(problems.start.shape[2]):
            ranks[n, at.p + i, lane] = problems.start[k, n if problems.start.shape[1] > 1 else 0, i]


def linearise(ranks, whole, at, problems, within, first, used):
    """Replace pairs of documents within a row of a coarse problem by their first-order effect at the present p.

    In a row of n ranks with equal p, they add n within p' K p to the value, where ``within`` (topics, rows, m) is
    the mean over the ranks of j d_j, with j the place in the row. To first order at p, this is the linear part
    n within (K + K') p of the value minus the constant n within p' K p. So coarse problems have the same form as
    others:

        a_row <- a_row + within (K + K') p,    value <- value + n within p' (K + K') p / 2

    In the lanes, K and the value are scaled, but a is not.
    """
    m, c = problems.a.shape[2], problems.a.shape[3]
    for lane in range(used):
        topic = problems.topic[first + lane]
        for j in range(m):
            value, scaling = problems.records[first + lane, at.value + j], whole[at.scaling + j, lane]
            for row in range(ranks.shape[0]):
                within_row, size = within[topic, row, j], ranks[row, at.size, lane]
                for i in range(c):
                    mutual = 0.0  # (K + K') p
                    for q in range(c):
                        pair = whole[at.K + (j * c + i) * c + q, lane] + whole[at.K + (j * c + q) * c + i, lane]
                        mutual += pair * ranks[row, at.p + q, lane]
                    linear = within_row * mutual
                    ranks[row, at.a + j * c + i, lane] = problems.a[topic, row, j, i] + linear / scaling
                    value += size * within_row * mutual * ranks[row, at.p + i, lane] / 2
            whole[at.value + j, lane] = value


def refine(ranks, whole, at, problems, edges, coarse, coarse_whole, first, used):
    """Start each problem from the solution of its coarse form (far ranks share rows), if that was solved.

    Row r of ``coarse`` (rows, numbers, lanes) is shared by the ranks from ``edges[r]`` on, before ``edges[r + 1]``.
    """
    for lane in range(used):
        if coarse_whole[at.converged, lane] > 0.0:
            whole[at.free, lane] = 0.0
            for i in range(problems.a.shape[2] + problems.a.shape[3]):
                whole[at.multipliers + i, lane] = coarse_whole[at.multipliers + i, lane]
        else:
            start_at(ranks, at, problems, first + lane, lane)
    for row in range(edges.shape[0] - 1):
        for n in range(edges[row], edges[row + 1]):
            for i in range(problems.start.shape[2]):
                for lane in range(used):  # inside, as their numbers stand together
                    if coarse_whole[at.converged, lane] > 0.0:
                        ranks[n, at.p + i, lane] = coarse[row, at.p + i, lane]


def newton_from_start(ranks, whole, passes, at, quadratic, most, tolerance):
    """Newton's method from the logits that probabilities and multipliers imply.

    It gives up after ``most`` iterations, unless the error keeps halving, and arrives at errors of ``tolerance``.
    """
    for lane in range(whole.shape[1]):
        whole[at.quadratic, lane], whole[at.most, lane], whole[at.tolerance, lane] = quadratic, most, tolerance
    run(passes.gradient_down, ranks, whole)
    run(passes.gradient_up, ranks, whole)
    run(passes.implied, ranks, whole)
    run(passes.release, ranks, whole)
    run(passes.begin, ranks, whole)
    newton_method(ranks, whole, passes, at, quadratic)


def get(ranks, at, p, first, used):
    """Copy probabilities, that of the eliminated grade first, to ``p`` (k, depth, c + 1)."""
    for lane in range(used):
        for n in range(ranks.shape[0]):
            p[first + lane, n, 0] = ranks[n, at.eliminated, lane]
            for i in range(p.shape[2] - 1):
                p[first + lane, n, 1 + i] = ranks[n, at.p + i, lane]


def solve(
    ranks: Annotated[FloatArray, "depth, numbers, lanes"],
    whole: Annotated[FloatArray, "numbers, lanes"],
    coarse: Annotated[FloatArray, "rows, numbers, lanes"],
    coarse_whole: Annotated[FloatArray, "numbers, lanes"],
    passes: Passes,
    at: Places,
    problems: ProblemArrays,
    edges: Annotated[IntArray, "rows + 1"],
    rough: ProblemArrays,
    within: Annotated[FloatArray, "topics, rows, m"],
    limits: Annotated[FloatArray, "4"],
    quadratic: int,
    examined: int,
    p: Annotated[FloatArray, "k, depth, c + 1"],
    lists: ObservedLists,
):
    """Newton's method for all problems, as many side by side as there are lanes; see :mod:`maxent.kernels.batch`.

    With ``edges`` it starts from the solutions of coarse problems, ``rough``. ``limits`` are the most iterations
    and the tolerance for these, and those for the problems themselves. The results are written to the records of
    the problems and, unless these are empty, to the probabilities ``p`` and to the arrays of ``lists``.

    For as many problems as there are lanes: 1. Load them. 2. Start from the solutions of their coarse forms, or
    from probabilities. 3. Newton's method. 4. Evidence for certificates. 5. Probabilities. 6. Comparison with the
    observed lists. 7. Records.
    """
    lanes, total = whole.shape[1], problems.topic.shape[0]
    rough_most, rough_tolerance, most, tolerance = limits[0], limits[1], limits[2], limits[3]
    for first in range(0, total, lanes):
        used = min(lanes, total - first)
        # 1.
        load(ranks, whole, at, problems, first, used)
        # 2.
        if edges.shape[0] > 0:
            load(coarse, coarse_whole, at, rough, first, used)
            for lane in range(used):
                start_at(coarse, at, rough, first + lane, lane)
                for row in range(edges.shape[0] - 1):
                    coarse[row, at.size, lane] = edges[row + 1] - edges[row]
            for _ in range(1 + quadratic):  # the second time at the solution of the first
                linearise(coarse, coarse_whole, at, rough, within, first, used)
                newton_from_start(coarse, coarse_whole, passes, at, quadratic, rough_most, rough_tolerance)
                for lane in range(lanes):
                    coarse_whole[at.free, lane] = 0.0
            refine(ranks, whole, at, problems, edges, coarse, coarse_whole, first, used)
        else:
            for lane in range(used):
                start_at(ranks, at, problems, first + lane, lane)
        # 3.
        newton_from_start(ranks, whole, passes, at, quadratic, most, tolerance)
        # 4.
        if examined:
            run(passes.evidence, ranks, whole)
            if quadratic:
                run(passes.forward, ranks, whole)
                run(passes.negative_eigenvalues, ranks, whole)
        # 5.
        if p.shape[0] > 0:
            get(ranks, at, p, first, used)
        # 6.
        if lists.begin.shape[0] > 0:
            run(passes.randomness, ranks, whole)
            compare(ranks, lists, first, used)
            add_logits(ranks, at, lists, first, used)
        # 7.
        for lane in range(used):
            for number in range(whole.shape[0]):
                problems.records[first + lane, number] = whole[number, lane]


ENTRIES = (newton_method, load, solve, compare, expected_inverse, fill)
