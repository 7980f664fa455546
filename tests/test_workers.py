"""Workers: how many, what they give, and what is said of those that end."""

import signal
import subprocess
import sys

import joblib
import pytest

from maxent.errors import ProblemError, WorkerError
from maxent.workers import each_result, workers
from tests.golden.messages import refused


def test_no_more_workers_than_pieces_or_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "cpu_count", lambda: 8)
    assert workers(48, 3) == 3
    assert workers(48, 100) == workers(48) == 8
    assert workers(2, 100) == 2
    assert workers(5, 0) == 1
    for jobs in (0, 1.5, "2", None, True):
        with refused(ProblemError):
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


class Cancelled(Exception):
    """As of Dask."""

    __module__ = "distributed.client"


def lost() -> None:
    raise Cancelled("_numbered-batch-0123456789ab cancelled for reason: scheduler-connection-lost.")


def test_a_lost_cluster_is_said_without_names_of_its_tasks() -> None:
    with refused(WorkerError):
        list(each_result(lost, [()], total=1, jobs=1, threads=True))
