"""``maxent compare judgments``: what it prints and writes, and how it refuses."""

import re
from pathlib import Path

import pytest

import maxent as me
from maxent.cli import main


@pytest.fixture(scope="module")
def other(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments with ratings 1 to 3, some lower than those of the collection, and without one topic."""
    qrels = me.read_qrels(files / "qrels.txt")
    rated = qrels.assign(relevance=qrels["relevance"].where(qrels.index % 3 > 0, 0) + 1, zero=0)
    rated = rated[rated["query_id"] != "4"][["query_id", "zero", "doc_id", "relevance"]]
    path = tmp_path_factory.mktemp("other") / "other.txt"
    rated.to_csv(path, sep=" ", header=False, index=False)
    return path


def judgments(files: Path, other: Path, *more: str) -> list[str]:
    argv = ["compare", "judgments", "--qrels", str(files / "qrels.txt"), str(other), "--depth", "150"]
    return [*argv, "--grades", "1=0,2=1,3=2", *more]


def test_where_no_run_falls_there_is_a_dash(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["compare", "judgments", "--qrels", *[str(files / "qrels.txt")] * 2, "--runs", str(files / "runs")]
    assert main([*argv, "--depth", "150", "--g-steps", "2"]) == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^(\S+) +1\.0000  1\.0000  -$", printed, re.M) == [
        *("AP", "nDCG@10", "P@10", "GAP(g=0,1)"),
    ]
    assert "-: no run loses any" in printed


def test_other_scales_and_topics(files: Path, other: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["compare", "judgments", "--qrels", str(files / "qrels.txt"), str(other), "--topics", "1-2"]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert "topics that both judge, and that count: 2" in printed
    assert (
        "the highest grades differ: if these are two scales, take the coarser one as A and bring B to it" in printed
    )
    assert main([*argv[:-1], "4"]) == 2
    assert "no topic is '4'" in capsys.readouterr().err
