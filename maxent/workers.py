"""Parallel work in threads, in processes or on a cluster, depending on joblib's back end."""

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from numbers import Integral
from typing import Any

from maxent.errors import ProblemError, WorkerError

LOST = "the Dask scheduler is gone, or its workers ended, perhaps for lack of memory"


def workers(jobs: int, pieces: int | None = None) -> int:
    """Number of workers: ``jobs`` (-1: all processors), but no more than processors or pieces of work."""
    if isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs == 0:
        raise ProblemError(f"jobs must be a whole number, 1 or more, or -1 for all processors, got {jobs!r}")
    import joblib  # loaded late: it takes a while

    with joblib.parallel_config("threading"):  # of this machine, whatever back end is in use
        most = min(joblib.effective_n_jobs(int(jobs)), joblib.cpu_count())
    return max(1, most if pieces is None else min(most, pieces))


def in_threads(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Results of a function that releases the interpreter lock, in the order of the items."""
    jobs = workers(-1, len(items))
    if jobs == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))


def each_result(
    function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]], *, total: int, jobs: int, threads: bool
) -> Iterator[tuple[int, Any]]:
    """Yield (number, result) of a function for each piece, its arguments, in the order of completion.

    Use ``threads`` for functions that release the interpreter lock. A back end chosen in joblib takes precedence.
    """
    from joblib import Parallel, delayed

    _feeders_end_first()
    parallel = Parallel(
        n_jobs=workers(jobs, total),
        prefer="threads" if threads else "processes",
        return_as="generator_unordered",
    )
    # a piece stays a tuple: joblib's Dask back end keeps other data on a worker, and with that it would be lost
    tasks = (delayed(_numbered)(os.getpid(), number, function, piece) for number, piece in enumerate(pieces))
    parallel._warn_exit_early = lambda: None  # advice about work that Ctrl-C leaves unfinished
    try:
        yield from parallel(tasks)
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package == "joblib":
            raise WorkerError(str(error).partition("\n")[0]) from None
        if package == "distributed":
            raise WorkerError(LOST) from None  # Dask's own text has names of tasks
        raise


def _numbered(parent: int, number: int, function: Callable[..., Any], piece: tuple[Any, ...]) -> tuple[int, Any]:
    """Result with the number of its piece; a worker process leaves Ctrl-C to its parent."""
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return number, function(*piece)


@cache
def _feeders_end_first() -> None:
    """Let Python join joblib's feeder threads when it exits: otherwise they warn of a leak."""

    def wait() -> None:
        for thread in threading.enumerate():
            if thread.name == "QueueFeederThread":
                thread.join(1)  # seconds; it has been told to end

    atexit.register(wait)
