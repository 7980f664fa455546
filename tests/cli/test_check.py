"""``maxent check``: what it prints of good and bad files."""

import json
from pathlib import Path

import pandas as pd
import pytest

from maxent.cli import main
from tests.helpers import sources


def test_check_names_every_bad_file(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 1 1.0\n")
    (tmp_path / "b.run").write_bytes(bytes(range(256)))
    argv = ["check", "--qrels", str(tmp_path / "none"), "--runs", str(tmp_path), str(files / "runs")]
    assert main(argv) == 2
    printed = capsys.readouterr()
    assert printed.err == "maxent check: error: 3 errors, see above\n"
    for says in ("none: no such file", "a.run:1: 5 columns", "b.run", "3 errors, 0 warnings\n", "system2"):
        assert says in printed.out
    assert main([*argv, "--format", "jsonl"]) == 2
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [finding["level"] for finding in found] == ["error"] * 3


def test_check_groups_warnings_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "runs").mkdir()
    for k in range(10):
        (tmp_path / "runs" / f"{k}.run").write_text(f"1 Q0 a 1 1.0 tag{k}\n")
    assert main(["check", "--qrels", str(tmp_path / "qrels"), "--runs", str(tmp_path / "runs")]) == 0
    out = capsys.readouterr().out
    assert "10 warnings of 1 kind\n  topics without a list: tag0 (1: 2), tag1 (1: 2), " in out
    assert "tag7 (1: 2), and 2 more\n\nqrels: 2 topics" in out


def test_check_of_some_topics(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["check", *sources(files)]
    assert main([*argv, "--topics", "2-3", "--out", str(tmp_path / "out"), "--format", "jsonl"]) == 0
    found = pd.read_csv(tmp_path / "out" / "topics.csv", dtype=str)
    assert found["query_id"].tolist() == ["2", "3"]
    assert pd.read_csv(tmp_path / "out" / "runs.csv")["topics"].tolist() == [2, 2, 2]
    assert "lists of topics" not in capsys.readouterr().out
    (tmp_path / "one.run").write_text("1 Q0 a 1 1.0 one\n")
    argv.insert(argv.index("--depth"), str(tmp_path / "one.run"))
    assert main([*argv, "--topics", "2", "--format", "jsonl"]) == 2
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    errors = [row["detail"] for row in rows if row["level"] == "error"]
    assert errors == [f"{tmp_path / 'one.run'}: no list for the chosen topics"]
    assert main([*argv, "--topics", "7-9"]) == 2
    says = "no topic is in the range '7-9'; there are 4 topics: 1, 2, 3, 4"
    assert says in capsys.readouterr().err
