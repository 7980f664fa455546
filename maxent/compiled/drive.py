"""Many problems, as many at once as there are lanes; sources for :mod:`maxent.compiled.machine`.

Unlike the others these know two workspaces, so that every call says which buffers it works on. A whole batch is one
call without Python in between: other threads can go on meanwhile.
"""

import numpy as np
import numpy.typing as npt

from maxent.compiled.fields import Array, run
from maxent.compiled.newton import begin, newton
from maxent.compiled.state import deviation, gradient, implied
from maxent.compiled.system import forward, negative_eigenvalues
from maxent.compiled.transfer import (
    Indices,
    hand_over,
    load_coarse,
    load_problems,
    read_claims,
    spread_rows,
    start_even,
    summarize_rows,
    write_evidence,
    write_solutions,
)

c = 2  # number of grades besides the reference; filled in by the compiler
lanes = 1  # number of problems side by side; likewise

DIRECT = 60  # iterations of the direct attempt
REFINED = 16  # iterations from the solution of a coarse problem: what takes more is found otherwise as soon
TRUST = 2.0  # nats that a probability may outgrow its way to 1 in one step
TOLERANCE = 1e-12
ROUGH = 1e-6  # tolerance of a coarse problem


def start_coarse(
    rank: Array,
    whole: Array,
    coarse_rank: Array,
    coarse_whole: Array,
    first: Indices,
    even: Array,
    free: npt.NDArray[np.bool_],
    quadratic: bool,
) -> None:
    """Start from the solutions of coarse problems, in which ranks far down share rows."""
    rows = len(first) - 1
    coarse_whole[:] = whole
    own = np.empty((rows, c, lanes))
    weight, within, found = np.empty((rows, lanes)), np.empty((rows, lanes)), np.zeros((c + 1, lanes))
    run(summarize_rows, rank, whole, first, own, weight, within)
    run(load_coarse, coarse_rank, coarse_whole, first, own, weight, within, even)
    run(start_even, coarse_rank, coarse_whole, even, free)
    run(begin, coarse_rank, coarse_whole, len(even))
    run(newton, coarse_rank, coarse_whole, DIRECT, TRUST, ROUGH, quadratic)
    run(hand_over, coarse_rank, coarse_whole, even, free, own, found)
    run(spread_rows, rank, whole, first, own, found)
    run(gradient, rank, whole)
    run(implied, rank, whole)


def solve_all(
    rank: Array,
    whole: Array,
    coarse_rank: Array,
    coarse_whole: Array,
    first: Indices,
    which: Indices,
    a: Array,
    d: Array,
    K: Array,
    grades: Indices,
    value: Array,
    constant: Array,
    counts: Array,
    bounded: npt.NDArray[np.bool_],
    scale: Array,
    even: Array,
    free: npt.NDArray[np.bool_],
    quadratic: bool,
    p: Array,
    multipliers: Array,
    iterations: Array,
    converged: npt.NDArray[np.bool_],
) -> None:
    """Newton's method for every problem of a ``Statement``, from coarse solutions if ``first`` has any rows.

    ``p`` (k, depth, levels + 1), ``multipliers`` (k, c + 1) of the problems scaled by ``scale``, ``iterations`` and
    ``converged`` (k,) are filled.
    """
    most = REFINED if quadratic and len(first) > 1 else DIRECT
    for k in range(0, len(which), lanes):
        s = slice(k, min(k + lanes, len(which)))
        run(load_problems, rank, whole, which[s], a, d, K, value[s], constant[s], counts[s], bounded[s], scale[s])
        if len(first) > 1:
            run(start_coarse, rank, whole, coarse_rank, coarse_whole, first, even[s], free[s], quadratic)
        else:
            run(start_even, rank, whole, even[s], free[s])
        run(begin, rank, whole, len(even[s]))
        run(newton, rank, whole, most, TRUST, TOLERANCE, quadratic)
        run(write_solutions, rank, whole, grades[s], p[s], multipliers[s], iterations[s], converged[s])


def examine_all(
    rank: Array,
    whole: Array,
    which: Indices,
    a: Array,
    d: Array,
    K: Array,
    grades: Indices,
    value: Array,
    constant: Array,
    counts: Array,
    bounded: npt.NDArray[np.bool_],
    p: Array,
    multipliers: Array,
    feasible: float,
    quadratic: bool,
    expected: Array,
    rows: Array,
    error: Array,
    total: Array,
    border: Array,
    active: Array,
    negative: Array,
) -> None:
    """Evidence about claimed optima of a ``Statement``: the last seven arrays, see ``certificate.Evidence``.

    A bound that is missed by less than ``feasible``, relative to max(1, count), is reached.
    """
    unscaled = np.ones(lanes)
    for k in range(0, len(which), lanes):
        s = slice(k, min(k + lanes, len(which)))
        run(load_problems, rank, whole, which[s], a, d, K, value[s], constant[s], counts[s], bounded[s], unscaled)
        run(read_claims, rank, whole, grades[s], p[s], multipliers[s], feasible, total[s], rows[s])
        run(gradient, rank, whole)
        run(deviation, rank, whole)
        if quadratic:  # the curvature of a linear measure's problem is the entropy's
            run(forward, rank, whole)
            run(negative_eigenvalues, rank, whole)
        run(write_evidence, rank, whole, constant[s], expected[s], error[s], border[s], active[s], negative[s])


DRIVES = (start_coarse, solve_all, examine_all)
