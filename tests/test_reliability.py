"""What docs/reliability.md measures, in small: malformed files, and studies that are killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import maxent as me
from tests.conftest import Script

ROOT = Path(__file__).resolve().parents[1]
FORGIVEN = ("nothing", "run: a comment", "run: byte order mark")


def test_no_malformed_file_gives_another_number(script: Script, tmp_path: Path) -> None:
    malformed = script("tests/evidence/malformed")
    for fault, contents in malformed.FILES.items():
        paths = malformed.written(*contents, tmp_path / fault.replace(" ", "-"))
        if fault in FORGIVEN:
            assert malformed.maxent(*paths) == 0.75
            continue
        with pytest.raises(me.errors.InputError):
            malformed.maxent(*paths)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_soak_of_seconds_loses_nothing(tmp_path: Path) -> None:
    soak = ROOT / "tests" / "evidence" / "soak.py"
    command = [sys.executable, str(soak), "--minutes", "0.1", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr  # which says how it goes, on a busy machine
    assert done.stdout.endswith(" 0 wrong\n")
