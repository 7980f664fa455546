"""Linear program that decides exactly whether any distribution has the values of several linear measures."""

import numpy as np

from maxent.problem.interval import value_ranges
from maxent.problem.problem import Problem

CERTAIN = 1e-7  # share of their ranges by which values must be missed, as much as a certificate accepts


def unattainable(problem: Problem) -> bool:
    """Whether a linear program shows that no distribution has these values; False if a measure is not linear."""
    forms = problem.forms
    return len(forms) > 1 and all(form.linear for form in forms) and shortfall(problem) > CERTAIN


def value_range(problem: Problem) -> float:
    """Unit of violations of a single measure's value: see ``certificate.Certificate``."""
    return float(value_ranges(np.array(problem.interval)))


def shortfall(problem: Problem) -> float:
    """Smallest possible violation of the values of linear measures, as a share of their ranges.

    The variables are p_n(i) of all ranks and grades, row by row, and the shortfall itself.
    """
    from scipy.optimize import linprog  # loads slowly
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    # 1. sum_n sum_i a_n(i) p_n(i) within low - t and high + t, in units of the ranges; t is the shortfall
    depth, grades = problem.depth, problem.levels + 1
    lengths = np.array(list(map(value_range, problem.parts)))
    intervals = [p.interval for p in problem.parts]
    measured = np.array([form.a.ravel() for form in problem.forms]) / lengths[:, None]
    low, high = np.where(np.isfinite(problem.bounds), problem.bounds, intervals).T / lengths
    missed = -np.ones((len(lengths), 1))
    # 2. sum_i p_n(i) = 1, and sum_n p_n(i) = C_i or at most C_i
    rows = hstack([kron(eye_array(depth), np.ones((1, grades))), csr_array((depth, 1))])
    total = hstack([csr_array(np.tile(np.eye(grades)[1:], depth)), csr_array((grades - 1, 1))])
    within = [csr_array(np.hstack([sign * measured, missed])) for sign in (1.0, -1.0)]
    limits = [high, -low]
    exact, sums = [rows], [*np.ones((1, depth))]
    if problem.count == "at_most":
        within, limits = [*within, total], [*limits, problem.counts]
    else:
        exact, sums = [*exact, total], [*sums, problem.counts]
    # 3. the smallest t
    cost = np.zeros(depth * grades + 1)
    cost[-1] = 1.0
    optimum = linprog(
        cost,
        A_ub=vstack(within).tocsr(),
        b_ub=np.concatenate(limits),
        A_eq=vstack(exact).tocsr(),
        b_eq=np.concatenate(sums),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10},
    )
    return float(optimum.fun) if optimum.status == 0 else 0.0
