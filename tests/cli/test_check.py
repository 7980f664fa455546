"""``maxent check``: how it prints many warnings."""

from pathlib import Path

import pytest

from maxent.cli import main
from tests.golden.messages import as_golden


def test_check_groups_warnings_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "runs").mkdir()
    for k in range(10):
        (tmp_path / "runs" / f"{k}.run").write_text(f"1 Q0 a 1 1.0 tag{k}\n")
    assert main(["check", "--qrels", str(tmp_path / "qrels"), "--runs", str(tmp_path / "runs")]) == 0
    as_golden(capsys.readouterr().out)
