"""What docs/reliability.md measures, in small: studies that are killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_soak_of_seconds_loses_nothing(tmp_path: Path) -> None:
    soak = ROOT / "tests" / "evidence" / "soak.py"
    command = [sys.executable, str(soak), "--minutes", "0.1", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr  # which says how it goes, on a busy machine
    assert done.stdout.endswith(" 0 wrong\n")
