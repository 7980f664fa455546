"""``maxent check``: how it prints many warnings."""

from pathlib import Path

import pytest

from maxent.cli import main


def test_check_groups_warnings_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "runs").mkdir()
    for k in range(10):
        (tmp_path / "runs" / f"{k}.run").write_text(f"1 Q0 a 1 1.0 tag{k}\n")
    assert main(["check", "--qrels", str(tmp_path / "qrels"), "--runs", str(tmp_path / "runs")]) == 0
    out = capsys.readouterr().out
    assert "10 warnings of 1 kind\n  topics without a list: tag0 (1: 2), tag1 (1: 2), " in out
    assert "tag7 (1: 2), and 2 more\n\nqrels: 2 topics" in out
