"""Workers: how many, and that they end with the process that started them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import joblib
import pytest

from maxent.errors import ProblemError
from maxent.workers import supervised, workers


def test_no_more_workers_than_pieces_or_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "cpu_count", lambda: 8)
    assert workers(48, 3) == 3
    assert workers(48, 100) == workers(48) == 8
    assert workers(2, 100) == 2
    assert workers(5, 0) == 1
    for jobs in (0, 1.5, "2", None, True):
        with pytest.raises(ProblemError, match="jobs must be a whole number"):
            workers(jobs)  # type: ignore[arg-type]


def test_in_the_same_process_nothing_is_watched() -> None:
    assert supervised(max)(1, 2) == 2


def alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


WORK = """
import os, sys, time
from joblib import Parallel, delayed
from maxent.workers import supervised

def work():
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    Parallel(n_jobs=2)(delayed(supervised(work))() for _ in range(2))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_workers_end_when_the_main_process_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(WORK)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment) as main:
        assert main.stdout is not None
        pids = [int(main.stdout.readline()) for _ in range(2)]
        assert all(map(alive, pids))
        main.kill()
    end = time.monotonic() + 20
    while any(map(alive, pids)):
        assert time.monotonic() < end
        time.sleep(0.1)


FEED = """
import sys, time
from joblib.externals.loky.backend.queues import Queue
from maxent import workers

feed = Queue._feed

def slow_feed(*arguments):
    feed(*arguments)
    time.sleep(0.5)
    print("fed", flush=True)

if __name__ == "__main__":
    Queue._feed = staticmethod(slow_feed)
    if sys.argv[1] == "rounds":
        with workers.rounds(divmod, [7, 8], jobs=2) as call:
            print(call(2))
    else:
        results = workers.each_result(divmod, [(7, 2), (8, 2), (9, 2)], total=3, jobs=2, threads=False)
        print(next(results))
        results.close()
"""


@pytest.mark.parametrize(("use", "result"), [("rounds", "[(3, 1), (4, 0)]"), ("each_result", "(0, (3, 1))")])
def test_threads_that_feed_workers_end_before_python_does(use: str, result: str, tmp_path: Path) -> None:
    """One that is cut off while it removes a semaphore leaves a warning about a leak."""
    script = tmp_path / "feed.py"
    script.write_text(FEED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(script), use]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == f"{result}\nfed\n"
    assert done.stderr == ""


HELD_BACK = """
import signal, sys
from maxent import workers

def held_back(piece):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

if __name__ == "__main__":
    if sys.argv[1] == "rounds":
        with workers.rounds(held_back, [7, 8], jobs=2) as call:
            print(call())
    else:
        print([found for _, found in workers.each_result(held_back, [(7,), (8,)], total=2, jobs=2, threads=False)])
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("use", ["rounds", "each_result"])
def test_workers_leave_control_c_to_the_main_process_from_their_first_moment(use: str, tmp_path: Path) -> None:
    script = tmp_path / "held_back.py"
    script.write_text(HELD_BACK)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, str(script), use]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "[True, True]\nFalse\n"


GROWN = """
import os, sys, time
from joblib.externals.loky import process_executor
from maxent.workers import each_result, rounds, without_advice

def grow(piece):
    process_executor._MAX_MEMORY_LEAK_SIZE = -1e12  # whatever it is, it is too much
    time.sleep(1.1)  # joblib looks each second
    return os.getpid()

if sys.argv[1] == "each_result":
    with without_advice():
        found = [pid for _, pid in each_result(grow, [(k,) for k in range(6)], total=6, jobs=2, threads=False)]
else:
    with rounds(grow, range(6), jobs=2) as calls:
        found = calls()
print(len(found), len(set(found)) > 2)
"""


@pytest.mark.skipif(joblib.cpu_count() < 2, reason="a single processor has no worker processes")
@pytest.mark.parametrize("use", ["each_result", "rounds"])
def test_workers_that_joblib_replaces_as_their_memory_grows(use: str, tmp_path: Path) -> None:
    script = tmp_path / "grown.py"
    script.write_text(GROWN)
    command = [sys.executable, "-W", "error", str(script), use]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "6 True\n"
    assert done.stderr == ""


ENDED = """
import os, sys
from maxent.errors import WorkerError
from maxent.workers import each_result, rounds

try:
    if sys.argv[1] == "each_result":
        list(each_result(os._exit, [(1,)] * 4, total=4, jobs=2, threads=False))
    else:
        with rounds(os._exit, [1] * 4, jobs=2) as calls:
            calls()
except WorkerError as error:
    print(error)
"""


@pytest.mark.skipif(joblib.cpu_count() < 2, reason="a single processor has no worker processes")
@pytest.mark.parametrize("way", ["each_result", "rounds"])
def test_a_worker_that_is_ended_from_outside_is_said_in_words(way: str) -> None:
    ended = subprocess.run([sys.executable, "-c", ENDED, way], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("a worker process was ended from outside, perhaps for lack of memory")
    assert "Traceback" not in ended.stderr
