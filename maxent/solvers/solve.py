"""From a problem to a solution: what all back ends share, before and after."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

from maxent.certificate import FEASIBLE, Multipliers, position
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


INDISTINGUISHABLE = FEASIBLE / 2  # share of the interval within which the end itself is as good as Newton's method
PIECE = 256  # problems of a batch that a thread takes at once


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
    if name != "newton":
        inner = Interior(problem)
        return _confirmed(inner, run(inner), name)
    inner = Interior(problem, merged=True)
    solution = _best(inner, run(inner))
    if solution.status == "failed" and inner.bounded and inner.together:
        inner = Interior(problem)
        solution = _best(inner, run(inner))
    return solution


def solve_many(
    problems: Iterable[Problem], *, solver: str = "auto", jobs: int = 1, progress: bool = True
) -> list[Solution]:
    """Solve a batch, in the order given.

    The structured Newton solver solves problems of the same depth and number of grades side by side, several in the
    vectors of one processor; each gets the solution that :func:`solve` finds, to rounding.

    Parameters
    ----------
    problems : iterable of Problem
    solver : str
    jobs : int
        Number of threads for the structured Newton solver, of processes for others.
    progress : bool
        Show a progress bar on a terminal where it takes more than two seconds.

    Returns
    -------
    list of Solution

    Raises
    ------
    Interrupted
        On Ctrl-C; its attribute ``solutions`` keeps what was solved, in order, with None for the rest.
    """
    todo = list(problems)
    name, _ = backend(solver)
    numbers = _pieces(todo, name)
    work = [[todo[k] for k in piece] for piece in numbers]
    if name == "newton":
        done = _in_threads(work, name, effective_n_jobs(jobs))
    else:
        done = Parallel(n_jobs=jobs, return_as="generator")(delayed(_solve_piece)(piece, name) for piece in work)
    found: dict[int, Solution] = {}
    with tqdm(total=len(todo), unit="problem", delay=2, disable=None if progress else True) as bar:
        try:
            for piece, solutions in zip(numbers, done, strict=True):
                found.update(zip(piece, solutions, strict=True))
                bar.update(len(piece))
        except KeyboardInterrupt:
            raise Interrupted([found.get(k) for k in range(len(todo))]) from None
    return [found[k] for k in range(len(todo))]


def _pieces(problems: Sequence[Problem], name: str) -> list[list[int]]:
    """Numbers of the problems that are solved at once."""
    if name != "newton":
        return [[k] for k in range(len(problems))]
    from maxent.solvers.batch import pieces  # the compiler is loaded at the first use

    return pieces(problems, PIECE)


def _in_threads(pieces: Sequence[Sequence[Problem]], name: str, jobs: int) -> Iterator[list[Solution]]:
    """Solve pieces in threads, in order; what has not begun when the caller stops is not begun at all."""
    if jobs == 1:
        yield from (_solve_piece(piece, name) for piece in pieces)
        return
    with ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(_solve_piece, piece, name) for piece in pieces]
        try:
            for task in tasks:
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class Interrupted(KeyboardInterrupt):
    """A batch was interrupted: ``solutions`` has what was solved, in order, with None for the rest."""

    def __init__(self, solutions: list[Solution | None]) -> None:
        self.solutions = solutions
        solved = sum(s is not None for s in solutions)
        super().__init__(f"interrupted after {solved} of {len(solutions)} problems; see the attribute `solutions`")

    def __reduce__(self) -> tuple[type, tuple[list[Solution | None]]]:
        return type(self), (self.solutions,)


def _solve_piece(problems: Sequence[Problem], name: str) -> list[Solution]:
    if name != "newton":
        return [solve(problem, solver=name) for problem in problems]
    from maxent.solvers.batch import solve_together  # the compiler is loaded at the first use

    together = zip(problems, solve_together(problems), strict=True)
    return [solution or solve(problem, solver=name) for problem, solution in together]


def _without_solver(problem: Problem) -> Solution | None:
    """Solution of a problem that is infeasible or at an end of its interval; None for all others."""
    where = "overfull" if problem.overfull else position(problem)
    if where == "inside":
        return None
    none = Multipliers(float("nan"), (float("nan"),) * problem.levels)
    if where in ("overfull", "below", "above"):
        empty = np.full((problem.depth, problem.levels + 1), np.nan)
        return Solution(problem, empty, "infeasible", none, "none", message=_why_infeasible(problem, where))
    if where == "constant":
        return Solution(problem, problem.ends[0].p, "boundary", none._replace(value=0.0), "none")
    return _at_end(problem, 1.0)


def _at_end(problem: Problem, share: float) -> Solution | None:
    """Limiting distribution at the nearer end, if the value is within this share of the interval from it."""
    low, high = problem.interval
    above = problem.value - low > high - problem.value
    if min(problem.value - low, high - problem.value) > share * (high - low):
        return None
    multipliers = Multipliers(float("inf" if above else "-inf"), (float("nan"),) * problem.levels)
    text = f"{problem.measure} = {problem.value:.10g} is {'' if share == 1 else 'all but '}"
    message = f"{text}the {'larg' if above else 'small'}est attainable value"
    return Solution(problem, problem.ends[above].p, "boundary", multipliers, "none", message=message)


def _why_infeasible(problem: Problem, where: str) -> str:
    if problem.overfull:
        return problem.overfull
    low, high = problem.ends
    least = f"{low.value:.10g}" if where == "below" or low.exact else f"{low.known:.10g} or less"
    most = f"{high.value:.10g}" if where == "above" or high.exact else f"{high.known:.10g} or more"
    counts = ", ".join(f"{c:g}" for c in problem.counts)
    return (
        f"{problem.measure} = {problem.value:.10g} is {where} what"
        f" {'at most ' if problem.count == 'at_most' else ''}({counts}) documents of each grade can attain:"
        f" {least} to {most}"
    )


def _best(inner: Interior, candidate: Candidate) -> Solution:
    """What Newton's method found if that settles it, else the best of what a search finds."""
    from maxent.solvers.search import ambiguous, search

    problem, solution = inner.problem, _confirmed(inner, candidate, "newton")
    multiplier = solution.multipliers.value
    if solution.status == "optimal" and not ambiguous(problem, candidate.p, multiplier, problem.interval):
        return solution
    if solution.status == "failed" and not candidate.failed and inner.bounded and inner.together:
        return solution  # bounds of alike grades that are not all reached
    near = _at_end(problem, INDISTINGUISHABLE)
    if solution.status == "failed" and near is not None:
        return near
    message = ""
    for found in search(inner, replace(candidate, failed=solution.status == "failed")):
        better = _confirmed(inner, found, "newton")
        if better.status == "optimal":  # rounding may show in the multipliers of some
            return better
        message = message or better.message
    return replace(solution, message=message) if solution.status == "failed" else solution


def _confirmed(inner: Interior, candidate: Candidate, name: str) -> Solution:
    """Solution with the status that its certificate supports."""
    p, multipliers = expand(inner, candidate)
    claimed = Solution(inner.problem, p, "optimal", multipliers, name, candidate.iterations, candidate.message)
    if claimed.certificate.accepted:
        return claimed
    refused = f"{name} returned a point that its certificate does not confirm: {claimed.certificate}"
    return replace(claimed, status="failed", message=candidate.message or refused)
