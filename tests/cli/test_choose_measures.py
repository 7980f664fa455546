"""``maxent choose-measures``: what it prints, writes and refuses."""

from pathlib import Path

import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.plot import plot_steps


def choose(files: Path, *more: str) -> list[str]:
    sources = ["--qrels", str(files / "qrels.txt"), "--runs", str(files / "runs"), "--depth", "150"]
    return ["choose-measures", *sources, "--min-retrieved", "1", "--candidates", "AP", "P@10", "nDCG", *more]


def test_steps_are_those_of_the_library(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(choose(files, "--out", str(tmp_path))) == 0
    expected = me.choose_measures(
        files / "runs",
        files / "qrels.txt",
        ["AP", "P@10", "nDCG"],
        size=2,
        min_retrieved=1,
        depth=150,
        progress=False,
    )
    found = pd.read_csv(tmp_path / "measures.csv").fillna({"added": ""})
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
    assert {p.name for p in tmp_path.iterdir()} == {"measures.csv", "measures.png", "measures.svg"}
    printed = capsys.readouterr().out
    assert f"chosen: {expected['measure'].iloc[-1]}\n  mean RMS {expected['rms'].iloc[-1]:.4f}" in printed
    assert "for this reading only (count=retrieved, align=recall)" in printed
    ax = plot_steps(expected)
    assert ax.get_xticklabels()[0].get_text() == "counts alone"


def test_more_measures_than_candidates(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(choose(files, "--size", "4")) == 2
    assert "size must be within 1..3, the number of candidates, got 4" in capsys.readouterr().err
