"""Solution of problems: the steps before and after a back end, and the table of back ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module

import numpy as np

import maxent.lists as lists
from maxent.checks import check_choice, check_type
from maxent.errors import ProblemError
from maxent.measures.form import Form
from maxent.problem import Problem, Solution
from maxent.problem.arrays import Problems
from maxent.problem.solution import MODELS, Model
from maxent.problem.solutions import Solutions
from maxent.progress import progress_bar
from maxent.shown import NOTHING
from maxent.solvers.active_bounds import solve_intervals
from maxent.solvers.attempts import apply_reference, is_fixed, solve_alone
from maxent.solvers.back_end_problem import RawSolution, ReducedProblem, claimed_solution
from maxent.solvers.contradictions import proved_infeasible
from maxent.solvers.newton import chunks
from maxent.solvers.presolve import failed_solution, presolve
from maxent.types import IntArray, equal_rows
from maxent.workers import each_result, workers

BACKENDS: dict[str, str] = {
    "newton": "maxent.solvers.newton:solve_newton",
    "scipy": "maxent.solvers.scipy:solve_trust_constr",
    "cvxpy": "maxent.solvers.cvxpy:solve_cvxpy",
}
"""Back ends by name, imported on first use: ``newton`` takes many problems, the others one ReducedProblem."""

Backend = Callable[[ReducedProblem], RawSolution]


LISTS = "lists"  # takes the place of a back end's name where whole lists have probabilities
CHUNK = 256  # number of problems that a thread takes at once
STARTED = 8  # of those over lists, which take long: as many starts as are found side by side


def checked_solver(solver: str, model: Model = "ranks") -> str:
    """Name of the back end, ``newton`` for ``auto``, or ``LISTS`` for the solver over lists."""
    check_choice("model", model, MODELS, raises=ProblemError)
    check_choice("solver", solver, ("auto", *BACKENDS), raises=ProblemError)
    name = "newton" if solver == "auto" else solver
    if model == "ranks":
        return name
    if name != "newton":
        raise ProblemError(f'model="lists" has a solver of its own, got solver={solver!r}')
    return LISTS


def solve(problem: Problem, *, solver: str = "auto", model: Model = "ranks") -> Solution:
    """Find the most random distribution of a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve, with any ``count``.
    solver : str
        ``auto`` (the structured Newton solver) or a name in ``BACKENDS``.
    model : {"ranks", "lists"}
        Distribution over independent ranks, as in the papers (default), or over whole lists. A list then has
        exactly the given numbers of documents of each grade (with ``count="at_most"``, no more). The gain of the
        measure at a rank may depend on the grade at this rank and on the numbers of documents of each grade above
        it, so that ERR and RR are allowed. Memory and time grow with the depth times the product of these numbers.

    Returns
    -------
    Solution
        Solution of any status, with a certificate recomputed from the problem.

        - ``optimal``: a certified strict local maximum of the entropy, the only one for linear measures and over
          lists. In the lowest hundredth of the attainable interval, a measure with a pairwise part may have other
          local maxima over ranks, some of them with more entropy.
        - ``boundary``: the limiting distribution at an end of the interval, also certified.
        - ``infeasible``: the value is beyond the interval, there are more documents than ranks, or several values
          certainly exclude each other. The message names such values, none of them superfluous.
        - ``failed``: the solver found no distribution that the certificate confirms. A value beyond the values of
          sorted lists (wAP, Q, gAP, xGAP) may be unattainable; the message then says so.

    Raises
    ------
    ProblemError
        If the solver or the model is unknown, or there are too many lists.

    Examples
    --------
    >>> import maxent as me
    >>> problem = me.Problem(me.GAP(g=(0.5, 0.5)), value=0.35, relevant=(30, 10), retrieved=(30, 10))
    >>> solution = me.solve(problem)
    >>> solution.status, round(solution.entropy, 6)
    ('optimal', 158.812219)

    The same problem over whole lists has less entropy, because the numbers of documents are no longer random:

    >>> solution = me.solve(problem, model="lists")
    >>> solution.status, round(solution.entropy, 6)
    ('optimal', 154.306671)
    """
    name = checked_solver(solver, model)
    check_type("a problem", problem, Problem)
    return _solve_chunk([problem], name)[0]


def solve_many(
    problems: Iterable[Problem],
    *,
    solver: str = "auto",
    model: Model = "ranks",
    jobs: int = 1,
    progress: bool = True,
) -> list[Solution]:
    """Solve many problems.

    The structured Newton solver solves problems of the same depth and number of grades side by side, eight on each
    processor. Each solution is the same as from :func:`solve`, up to rounding.

    Parameters
    ----------
    problems : iterable of Problem
        Problems with any measures, depths and ``count``.
    solver, model
        As for :func:`solve`.
    jobs : int
        Number of threads for the structured Newton solver and for lists; other solvers use processes.
    progress : bool
        Show a progress bar on a terminal after two seconds.

    Returns
    -------
    list of Solution
        Solutions in the order of the problems.

    Raises
    ------
    ProblemError
        As for :func:`solve`.
    Interrupted
        On Ctrl-C. Its attribute ``solutions`` has the solutions so far in order, and None for the rest.

    Examples
    --------
    A list of eight documents with two of the topic's four relevant documents cannot have AP = 0.6:

    >>> import maxent as me
    >>> known = dict(relevant=(4,), retrieved=(2,), depth=8)
    >>> problems = [me.Problem(me.AP(), value=value, **known) for value in (0.3, 0.4, 0.6)]
    >>> for solution in me.solve_many(problems):
    ...     print(solution.status, round(solution.entropy, 3))
    optimal 4.398
    optimal 3.526
    infeasible nan
    """
    if not isinstance(problems, Iterable):
        raise ProblemError(f"problems: {type(problems).__name__}, expected several Problem")
    todo = list(problems)
    for problem in todo:
        check_type("a problem", problem, Problem)
    name = checked_solver(solver, model)
    indices = _chunks(todo, name)  # of the problems of each chunk
    pieces = [([todo[k] for k in chunk], name) for chunk in indices]
    threads = name in ("newton", LISTS)  # they run outside the interpreter
    if threads and workers(jobs, len(pieces)) == 1:
        done: Iterator[tuple[int, list[Solution]]] = enumerate(_solve_chunk(*piece) for piece in pieces)
    else:
        done = each_result(_solve_chunk, pieces, total=len(pieces), jobs=jobs, threads=threads)
    solution_of: dict[int, Solution] = {}
    with progress_bar(total=len(todo), unit="problem", shown=progress, slow=name == LISTS) as bar:
        try:
            for number, solutions in done:
                solution_of.update(zip(indices[number], solutions, strict=True))
                bar.update(len(solutions))
        except KeyboardInterrupt:
            raise Interrupted([solution_of.get(k) for k in range(len(todo))]) from None
    return [solution_of[k] for k in range(len(todo))]


def solve_arrays(
    problems: Problems, *, solver: str = "auto", model: Model = "ranks"
) -> Iterator[tuple[IntArray, Solutions]]:
    """Yield indices and solutions, part by part; over lists one by one, because each may need much memory.

    Problems over lists with too many states get the status ``too_large``: one must not end a study of many.
    """
    name = checked_solver(solver, model)
    if name == LISTS:
        alike = equal_rows(np.column_stack((problems.form_index, problems.values, problems.counts)))
        for first in range(0, len(alike), STARTED):
            chunk = alike[first : first + STARTED]
            solved = _solve_over_lists([problems[k[0]] for k in chunk], exclude_large=True)
            for members, solution in zip(chunk, solved, strict=True):
                solutions = Solutions.empty(problems.part(members))
                for k in range(len(members)):
                    solutions.put(k, solution)
                yield members, solutions
        return
    linear = np.array([all(form.linear for form in forms) for forms in problems.forms])[problems.form_index]
    size = len(problems) if problems.observed else CHUNK  # distributions take memory
    for kind in (np.flatnonzero(~linear), np.flatnonzero(linear)):
        for start in range(0, len(kind), size):
            members = kind[start : start + size]
            yield members, _solve_part(problems.part(members), name)


def _chunks(problems: Sequence[Problem], name: str) -> list[list[int]]:
    """Problems by index, in chunks that are solved at once."""
    if name == "newton":
        return chunks(problems, CHUNK)
    size = STARTED if name == LISTS else 1
    return [list(range(k, min(k + size, len(problems)))) for k in range(0, len(problems), size)]


class Interrupted(KeyboardInterrupt):
    """Raised by :func:`maxent.solve_many` on Ctrl-C, with the solutions found so far.

    Attributes
    ----------
    solutions : list of Solution or None
        Solutions in the order of the problems; None for problems not yet solved.
    """

    def __init__(self, solutions: list[Solution | None]) -> None:
        self.solutions = solutions
        solved = sum(s is not None for s in solutions)
        super().__init__(f"interrupted after {solved} of {len(solutions)} problems; see the attribute `solutions`")

    def __reduce__(self) -> tuple[type, tuple[list[Solution | None]]]:
        return type(self), (self.solutions,)


def _solve_chunk(problems: Sequence[Problem], name: str) -> list[Solution]:
    """Solutions of the problems of one chunk."""
    if any(problem.has_intervals for problem in problems):
        lists = name == LISTS
        return [
            solve_intervals(problem, lambda part: _solve_chunk([part], name)[0], lists=lists)
            for problem in problems
        ]
    if name == LISTS:
        return list(_solve_over_lists(problems))
    return list(_solve_part(Problems.of(problems), name))


def _solve_over_lists(problems: Sequence[Problem], *, exclude_large: bool = False) -> Iterator[Solution]:
    """Solve over lists, from the multipliers of independent ranks: close, in a hundredth of the time."""
    # those with a single measure that is a form: a cascade has no solution over ranks
    with_start = [
        k
        for k, problem in enumerate(problems)
        if len(problem.expectations) == 1 and isinstance(problem.expectations[0], Form)
    ]
    over_ranks = solve_many([problems[k] for k in with_start], progress=False)
    starts = {k: np.array([solution.multipliers.value]) for k, solution in zip(with_start, over_ranks, strict=True)}
    for k, problem in enumerate(problems):
        solution = lists.solve_lists(problem, start=starts.get(k), exclude_large=exclude_large)
        yield _with_proof(problem, solution, lists=True)


def _solve_part(problems: Problems, name: str) -> Solutions:
    """Solve problems in arrays; either all or none of them have a measure with a pairwise part."""
    module, function = BACKENDS[name].split(":")
    run = getattr(import_module(module), function)
    solutions: Solutions = run(problems) if name == "newton" else Solutions.empty(problems)
    for k in np.flatnonzero(solutions.statuses == "").tolist():
        problem = problems[k]
        presolved = presolve(problem)
        if presolved:
            solutions.put(k, apply_reference(presolved))
        else:
            alone = solve_alone(problem) if name == "newton" else _run_backend(problem, run, name)
            solutions.put(k, _with_proof(problem, alone, lists=False))
    return solutions


def _with_proof(problem: Problem, solution: Solution, *, lists: bool) -> Solution:
    """The solution, or an infeasible one if it has no distribution and values certainly exclude each other."""
    if not problem.is_joint or solution.status not in NOTHING:
        return solution
    return proved_infeasible(problem, lists=lists) or solution


def _run_backend(problem: Problem, run: Backend, name: str) -> Solution:
    """Solution of a back end, ``failed`` unless its certificate confirms it."""
    if is_fixed(problem):  # nothing is left for a back end
        return solve_alone(problem)
    reduced = ReducedProblem.of(problem)
    raw = run(reduced)
    if raw.failed:
        return failed_solution(problem, name, raw.message)
    claimed = claimed_solution(reduced, raw, name)
    if claimed.certificate.accepted:
        return claimed
    refused = f"{name} returned a point that its certificate does not confirm: {claimed.certificate}"
    return replace(claimed, status="failed", message=raw.message or refused)
