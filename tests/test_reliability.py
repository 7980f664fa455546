"""What docs/reliability.md measures, in small: studies that are killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FORK = """
import os, signal, threading, time
import maxent

thread = threading.Thread(target=lambda: maxent.study)
thread.start()
time.sleep(0.05)
if os.fork() == 0:
    signal.alarm(60)
    os._exit(maxent.parse_measure("AP") != maxent.parse_measure("AP"))
_, status = os.wait()
thread.join()
raise SystemExit(status)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_soak_of_seconds_loses_nothing(tmp_path: Path) -> None:
    soak = ROOT / "tests" / "evidence" / "soak.py"
    command = [sys.executable, str(soak), "--minutes", "0.1", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr  # which says how it goes, on a busy machine
    assert done.stdout.endswith(" 0 wrong\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_fork_is_safe_where_everything_is_imported_at_once() -> None:
    """Without EAGER_IMPORT=1 the child waits for ever for a lock of a thread that it does not have."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "EAGER_IMPORT": "1"}
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
