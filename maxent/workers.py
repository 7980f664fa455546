"""Who works: threads, processes that end with the one that started them, or a cluster."""

import atexit
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from numbers import Integral
from typing import Any

from maxent.cluster import active_client, as_they_come, kept
from maxent.errors import ProblemError, WorkerError

ENDED = "a worker process was ended from outside, perhaps for lack of memory: try fewer --jobs (jobs=)"
INTERVAL = 1.0  # seconds between two looks at the parent process


def workers(jobs: int, pieces: int | None = None) -> int:
    """Number of threads or processes for pieces of work: no more than pieces, and no more than processors.

    Parameters
    ----------
    jobs : int
        Number that is asked for; -1 stands for all processors.
    pieces : int, optional
        Number of pieces, if it is known.

    Raises
    ------
    ProblemError
        If ``jobs`` is 0 or no whole number.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs == 0:
        raise ProblemError(f"jobs must be a whole number, 1 or more, or -1 for all processors, got {jobs!r}")
    import joblib  # loaded late: it takes a while

    with joblib.parallel_config("threading"):  # of this machine, whatever back end is in use
        most = min(joblib.effective_n_jobs(int(jobs)), joblib.cpu_count())
    return max(1, most if pieces is None else min(most, pieces))


def each_result(
    function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]], *, total: int, jobs: int, threads: bool
) -> Iterator[tuple[int, Any]]:
    """Results of a function, each with the number of its piece: in order, or on a cluster as they come.

    Parameters
    ----------
    function : callable
        It must be importable in other processes.
    pieces : iterable of tuples
        Arguments of the calls.
    total : int
        Number of pieces.
    jobs : int
        As for :func:`workers`; not used on a cluster.
    threads : bool
        Whether threads do, as the function runs outside the interpreter.
    """
    from joblib import Parallel, delayed

    if (client := active_client() if total else None) is not None:
        yield from as_they_come(client, function, pieces)
        return
    _feeders_end_first()
    tasks = (delayed(supervised(function))(*piece) for piece in pieces)
    sharing, number = "sharedmem" if threads else None, workers(jobs, total)
    if not threads:
        _start(number)
    with _ends_in_words():
        yield from enumerate(Parallel(n_jobs=number, require=sharing, return_as="generator")(tasks))


@contextmanager
def rounds(function: Callable[..., Any], pieces: Sequence[Any], *, jobs: int) -> Iterator[Callable[..., list[Any]]]:
    """A function of further arguments that calls ``function`` for every piece of data, again and again.

    Parameters
    ----------
    function : callable
        It must be importable in other processes.
    pieces : sequence
        First arguments of the calls. On a cluster every piece is sent once.
    jobs : int
        As for :func:`workers`; not used on a cluster.

    Yields
    ------
    callable
        Returns the results in the order of the pieces.
    """
    from joblib import Parallel, delayed

    if (client := active_client()) is not None:
        there = kept(client, pieces)

        def on_cluster(*more: Any) -> list[Any]:
            found = dict(as_they_come(client, function, ((piece, *more) for piece in there)))
            return [found[k] for k in range(len(there))]

        yield on_cluster
        return
    _feeders_end_first()
    number = workers(jobs, len(pieces))
    _start(number)
    with _ends_in_words(), Parallel(n_jobs=number) as pool, without_advice():
        yield lambda *more: pool(delayed(supervised(function))(piece, *more) for piece in pieces)


@contextmanager
def _ends_in_words() -> Iterator[None]:
    """Raise WorkerError if a worker process is ended from outside."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        yield
    except TerminatedWorkerError:
        raise WorkerError(ENDED) from None


def _start(number: int) -> None:
    """Start worker processes, from their first moment without Ctrl-C; joblib keeps them for the next use.

    A terminal sends it to workers as well, which would print tracebacks.
    """
    if os.name != "posix" or number == 1:
        return
    from multiprocessing import resource_tracker

    from joblib import Parallel, delayed

    with Parallel(n_jobs=number) as pool, without_advice():
        resource_tracker.ensure_running()  # its start, as that of joblib's own, unblocks the signal
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool(delayed(supervised(bool))() for _ in range(number))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def _feeders_end_first() -> None:
    """At its exit Python waits for joblib's threads that feed worker processes; joblib itself does not.

    Such a thread that is cut off while it removes a semaphore leaves a warning about a leak.
    """

    def wait() -> None:
        for thread in threading.enumerate():
            if thread.name == "QueueFeederThread":
                thread.join(1)  # seconds; it has been told to end

    atexit.register(wait)


@contextmanager
def without_advice() -> Iterator[None]:
    """No advice of joblib about tasks that an interruption leaves unfinished, and workers that it replaces.

    It replaces those whose memory grows, be it by what they import. Where warnings are errors, this one would end
    the thread that manages the workers, and the block would wait for ever.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\d+ tasks which were still being processed by the workers")
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given to the executor")
        yield


def supervised(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which in another process also sees to it that the process ends with this one.

    A worker that waits for work, or is busy with it, does not notice when the main process is killed. (On Windows
    it ends after some minutes without work.)
    """
    return partial(_supervised, os.getpid(), function)


def _supervised(parent: int, function: Callable[..., Any], *arguments: Any) -> Any:
    if os.name == "posix" and os.getpid() != parent:
        _end_with(parent)
    return function(*arguments)


@cache
def _end_with(parent: int) -> None:
    """End this process soon after its parent has gone, and leave Ctrl-C to the parent; once for each process."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
