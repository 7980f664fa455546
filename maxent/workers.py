"""How many threads or processes work, and that processes end with the one that started them."""

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from numbers import Integral
from typing import Any

from maxent.errors import ProblemError

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

    most = min(joblib.effective_n_jobs(int(jobs)), joblib.cpu_count())
    return max(1, most if pieces is None else min(most, pieces))


@contextmanager
def cancelled_quietly() -> Iterator[None]:
    """No advice of joblib about unfinished tasks if the block is interrupted while it waits for results."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\d+ tasks which were still being processed by the workers")
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
    """End this process soon after its parent has gone; once for each process."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
