"""From a problem to a solution: what all back ends share, before and after."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from maxent.certificate import Multipliers, position
from maxent.errors import ProblemError
from maxent.problem import Problem
from maxent.solution import Solution
from maxent.solvers.interior import Candidate, Interior, expand

BACKENDS: dict[str, str] = {
    "newton": "maxent.solvers.newton:solve_newton",
    "scipy": "maxent.solvers.scipy:solve_trust_constr",
    "scipy-slsqp": "maxent.solvers.scipy:solve_slsqp",
    "cvxpy": "maxent.solvers.cvxpy:solve_cvxpy",
    "cvxpy-ipopt": "maxent.solvers.cvxpy:solve_ipopt",
    "cvxpy-sequential": "maxent.solvers.cvxpy:solve_sequential",
}
"""Back ends by name: a function from Interior to Candidate, imported at its first use."""


def backend(name: str) -> tuple[str, Callable[[Interior], Candidate]]:
    """Resolve the name of a back end (``auto`` is ``newton``) and import it.

    Raises
    ------
    ProblemError
        If there is no such back end.
    """
    name = "newton" if name == "auto" else name
    if name not in BACKENDS:
        raise ProblemError(f"unknown solver {name!r}; known: auto, {', '.join(BACKENDS)}")
    module, function = BACKENDS[name].split(":")
    found: Callable[[Interior], Candidate] = getattr(import_module(module), function)
    return name, found


def solve(problem: Problem, *, solver: str = "auto") -> Solution:
    """Most random probability-at-rank distribution of a problem.

    Parameters
    ----------
    problem : Problem
    solver : str
        ``auto`` (the structured Newton solver) or a name in ``BACKENDS``.

    Returns
    -------
    Solution
        Whatever the status, with a certificate recomputed from the problem. ``optimal`` and ``boundary`` are given
        only to distributions that the certificate confirms.

    Raises
    ------
    ProblemError
        If the solver is unknown.
    """
    name, run = backend(solver)
    known = _without_solver(problem)
    if known is not None:
        return known
    inner = Interior(problem)
    candidate = run(inner)
    p, multipliers = expand(inner, candidate)
    return _confirmed(problem, p, multipliers, name, candidate)


def solve_many(
    problems: Iterable[Problem], *, solver: str = "auto", jobs: int = 1, progress: bool = True
) -> list[Solution]:
    """Solve a batch, in the order given.

    Parameters
    ----------
    problems : iterable of Problem
    solver : str
    jobs : int
        Number of threads (the compiled solver does not hold Python's lock).
    progress : bool
        Show a progress bar on a terminal where it takes more than two seconds.

    Returns
    -------
    list of Solution
    """
    todo = list(problems)
    tasks = (delayed(solve)(problem, solver=solver) for problem in todo)
    done = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(tasks)
    bar = tqdm(done, total=len(todo), unit="problem", delay=2, disable=None if progress else True)
    return list(bar)


def _without_solver(problem: Problem) -> Solution | None:
    """Solution of a problem that is infeasible or at an end of its interval; None for all others."""
    empty = np.full((problem.depth, problem.levels + 1), np.nan)
    none = Multipliers(float("nan"), (float("nan"),) * problem.levels)
    if problem.overfull:
        return Solution(problem, empty, "infeasible", none, "none", message=problem.overfull)
    low, high = problem.ends
    where = position(problem)
    if where in ("below", "above"):
        message = (
            f"{problem.measure} = {problem.value:.10g} is {where} what {_counts_text(problem)} can attain:"
            f" {low.value:.10g} to {high.value:.10g}"
        )
        return Solution(problem, empty, "infeasible", none, "none", message=message)
    if where == "constant":
        return Solution(problem, low.p, "boundary", Multipliers(0.0, none.counts), "none")
    if where == "inside":
        return None
    end, infinite = (low, float("-inf")) if where == "low" else (high, float("inf"))
    message = (
        f"{problem.measure} = {problem.value:.10g} is the {'small' if end is low else 'larg'}est attainable value"
    )
    return Solution(problem, end.p, "boundary", Multipliers(infinite, none.counts), "none", message=message)


def _counts_text(problem: Problem) -> str:
    counts = ", ".join(f"{c:g}" for c in problem.counts)
    return f"{'at most ' if problem.count == 'at_most' else ''}({counts}) documents of each grade"


def _confirmed(
    problem: Problem, p: np.ndarray, multipliers: Multipliers, name: str, candidate: Candidate
) -> Solution:
    """Solution with the status that its certificate supports."""
    claimed = Solution(problem, p, "optimal", multipliers, name, candidate.iterations, candidate.message)
    if claimed.certificate.accepted:
        return claimed
    refused = f"{name} returned a point that its certificate does not confirm: {claimed.certificate}"
    return replace(claimed, status="failed", message=candidate.message or refused)
