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
