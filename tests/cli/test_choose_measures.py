"""``maxent choose-measures``: what it prints, writes and refuses."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.plot import plot_steps
from maxent.study.choose_measures import MeasureChoice
from tests.conftest import write_collection
from tests.helpers import sources


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten topics: with two that judge nothing would be certain."""
    folder = tmp_path_factory.mktemp("trec")
    write_collection(folder, *me.simulate(systems=3, topics=10, depth=150, rng=1))
    return folder


def choose(files: Path, *more: str) -> list[str]:
    return ["choose-measures", *sources(files), "--min-retrieved", "1", "--candidates", "AP", "P@10", "nDCG", *more]


@pytest.mark.slow
def test_steps_are_those_of_the_library(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(choose(files, "--out", str(tmp_path))) == 0
    options: Any = {"size": 2, "min_retrieved": 1, "depth": 150, "progress": False}
    expected = me.choose_measures(files / "runs", files / "qrels.txt", ["AP", "P@10", "nDCG"], **options)
    found = pd.read_csv(tmp_path / "measures.csv").fillna({"added": "", "verdict": ""})
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
    assert {p.name for p in tmp_path.iterdir()} == {"measures.csv", "measures.pdf", "measures.png", "measures.svg"}
    printed = capsys.readouterr().out
    assert f"chosen: {expected['measure'].iloc[-1]}, mean RMS {expected['rms'].iloc[-1]:.4f} on the 11" in printed
    assert "15 lists of the topics that judge; 11 solved for every measure" in printed
    ax = plot_steps(expected)
    assert ax.get_xticklabels()[0].get_text() == "counts alone"


@pytest.mark.slow
def test_what_adds_nothing_is_not_chosen(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R@10 is P@10 in other units."""
    assert main([*choose(files, "--out", str(tmp_path))[:-5], "P@10", "R@10", "--out", str(tmp_path)]) == 0
    steps = pd.read_csv(tmp_path / "measures.csv").fillna({"verdict": ""})
    assert steps["verdict"].tolist() == ["", "helps", "within noise"]
    first, second = steps["added"][1:]
    printed = capsys.readouterr().out
    assert f"chosen: {first}, mean RMS {steps['rms'][1]:.4f} on the 12 lists" in printed
    assert f"adding {second}: within noise (" in printed
    assert "]), so not chosen" in printed
    labels = [label.get_text() for label in plot_steps(steps).get_xticklabels()]
    assert labels == ["counts alone", f"+ {first}", f"+ {second}\n(within noise)"]


def test_the_outcome_in_words() -> None:
    columns = ["step", "added", "measure", "lists", "rms", "difference", "difference_low", "difference_high"]
    rows = [
        (0, "", "counts", 9, 0.4, None, None, None),
        (1, "AP", "AP", 9, 0.2, -0.2, -0.25, -0.1),
        (2, "P@10", "AP & P@10", 9, 0.199, -0.001, -0.002, 0.001),
        (3, "nDCG", "AP & P@10 & nDCG", 9, 0.15, -0.049, -0.06, -0.01),
        (4, "Rprec", "AP & P@10 & nDCG & Rprec", 9, 0.16, 0.01, 0.005, 0.02),
    ]
    steps = pd.DataFrame(rows, columns=columns).assign(verdict=["", "helps", "within noise", "helps", "worse"])
    none = pd.DataFrame(columns=["run_id", "query_id", "measure", "threshold", "status"])
    found = MeasureChoice(steps, none, none).finding
    assert [found.sentence, *found.support[:2]] == [
        "chosen: AP & P@10 & nDCG, mean RMS 0.1500 on the 9 lists of the topics that judge",
        "adding P@10: within noise (-0.0010, 95 % [-0.0020, +0.0010])",
        "adding Rprec: worse (+0.0100, 95 % [+0.0050, +0.0200]), so not chosen",
    ]
    idle = steps.iloc[[0, 2]].assign(verdict=["", "within noise"])
    found = MeasureChoice(idle, none, none).finding
    assert [found.sentence, found.support[0]] == [
        "chosen: none, as none certainly says more than the counts alone",
        "adding P@10: within noise (-0.0010, 95 % [-0.0020, +0.0010]), so not chosen",
    ]


def test_too_few_topics_for_an_interval_are_the_reason(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With two topics, each half is a single one."""
    first, second = map(str, me.read_qrels(files / "qrels.txt")["query_id"].unique()[:2])
    assert main(choose(files, "--size", "1", "--topics", f"{first},{second}")) == 0
    printed = capsys.readouterr().out
    assert (
        "chosen: none, as there is no interval: only 1 of the topics that judge has a list solved for every "
        "measure, at least 2 are needed\n"
    ) in printed
    assert "certainly" not in printed
    assert "no interval (-0." in printed
    assert "no interval: fewer than two of the topics that judge have a list solved for every measure" in printed
    assert "3 lists of the topics that judge; 1 solved for every measure, of 1 topic\n" in printed


def test_lists_that_are_left_out_and_limits_that_keep_more_are_printed(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*choose(files, "--size", "1"), "--min-retrieved", "8"]) == 0
    printed = capsys.readouterr().out
    assert "too_few" in printed
    assert "lists that --min-retrieved would keep: " in printed
