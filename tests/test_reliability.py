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
@pytest.mark.parametrize("seed", range(6))
def test_a_fork_is_safe_where_everything_is_imported_at_once(seed: int) -> None:
    """Without EAGER_IMPORT=1 the child waits for ever for a lock of a thread that it does not have.

    Files are then imported in the order of a set, which depends on the seed.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT), "EAGER_IMPORT": "1", "PYTHONHASHSEED": str(seed)}
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
@pytest.mark.parametrize("megabytes", range(300, 1200, 150))
def test_too_little_memory_ends_in_a_line(megabytes: int, tmp_path: Path) -> None:
    """Wherever an allocation fails: while libraries are loaded, lists are solved, or figures are drawn."""
    study = ["study", "--measures", "AP", "P@10", "--topics", "1-3", "--depth", "100", "--out", str(tmp_path)]
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20},) * 2)"
    code = f"import resource, sys; {limit}; from maxent.cli import main; sys.exit(main({study}))"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "Traceback" not in done.stderr
    if done.returncode in (0, 2):  # else a library has ended the process, as OpenBLAS and LLVM do
        assert (done.returncode == 2) == ("maxent study: error:" in done.stderr)
        assert not list(tmp_path.glob(".maxent.*"))
