"""Workers: how many, what they give, and what is said of those that end."""

import signal
import subprocess
import sys

import joblib
import pytest

from maxent.errors import ProblemError
from maxent.workers import each_result, workers


def test_no_more_workers_than_pieces_or_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "cpu_count", lambda: 8)
    assert workers(48, 3) == 3
    assert workers(48, 100) == workers(48) == 8
    assert workers(2, 100) == 2
    assert workers(5, 0) == 1
    for jobs in (0, 1.5, "2", None, True):
        with pytest.raises(ProblemError, match="jobs must be a whole number"):
            workers(jobs)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [True, False])
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_result_comes_with_the_number_of_its_piece(jobs: int, threads: bool) -> None:
    pieces = [(k, 7) for k in range(40)]
    found = dict(each_result(divmod, pieces, total=len(pieces), jobs=jobs, threads=threads))
    assert found == {k: divmod(k, 7) for k in range(40)}
    assert list(each_result(divmod, [], total=0, jobs=jobs, threads=threads)) == []


@pytest.mark.parametrize("threads", [True, False])
def test_an_error_of_the_function_is_its_own(threads: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        list(each_result(divmod, [(1, 1), (1, 0)], total=2, jobs=2, threads=threads))


def leaves_control_c_to_others() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.slow
@pytest.mark.skipif(joblib.cpu_count() < 2, reason="a single processor has no worker processes")
def test_worker_processes_leave_control_c_to_the_main_process() -> None:
    """A terminal sends it to them as well, and they would print tracebacks."""
    before = signal.getsignal(signal.SIGINT)
    found = each_result(leaves_control_c_to_others, [()] * 2, total=2, jobs=2, threads=False)
    assert sorted(found) == [(0, True), (1, True)]
    assert signal.getsignal(signal.SIGINT) is before


EARLY = """
from maxent.workers import each_result

for threads in (True, False):
    results = each_result(divmod, [(k, 2) for k in range(99)], total=99, jobs=2, threads=threads)
    print(len(next(results)))
    results.close()
"""


@pytest.mark.slow
def test_nothing_is_said_of_work_that_nobody_waits_for() -> None:
    ended = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("2\n2\n", "")


FEED = """
import time
from joblib.externals.loky.backend.queues import Queue
from maxent.workers import each_result

feed = Queue._feed

def slow_feed(*arguments):
    feed(*arguments)
    time.sleep(0.5)
    print("fed", flush=True)

Queue._feed = staticmethod(slow_feed)
results = each_result(divmod, [(7, 2)] * 3, total=3, jobs=2, threads=False)
print(next(results)[1])
results.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(joblib.cpu_count() < 2, reason="a single processor has no worker processes")
def test_threads_that_feed_processes_end_before_python_does() -> None:
    """One that is cut off while it removes a semaphore leaves a warning about a leak."""
    ended = subprocess.run([sys.executable, "-c", FEED], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("(3, 1)\nfed\n", "")


ENDED = """
import os
from maxent.errors import WorkerError
from maxent.workers import each_result

try:
    list(each_result(os._exit, [(1,)] * 4, total=4, jobs=2, threads=False))
except WorkerError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(joblib.cpu_count() < 2, reason="a single processor has no worker processes")
def test_a_worker_that_is_ended_from_outside_is_said_in_one_line() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("A worker process managed by the executor was unexpectedly terminated.")
    assert ended.stdout.count("\n") == 1
    assert "Traceback" not in ended.stderr
