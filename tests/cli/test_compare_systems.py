"""``maxent compare systems``: what it prints and writes, its exit codes, and how it refuses."""

from pathlib import Path

import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.systems.compare_systems import run_means
from tests.helpers import sources

MEASURES = ["AP", "P@10"]


@pytest.fixture(scope="module")
def table(files: Path) -> pd.DataFrame:
    """The comparison by the library."""
    return me.compare_systems(
        sorted((files / "runs").iterdir()), files / "qrels.txt", measures=MEASURES, baseline="system1", depth=150
    ).table


def systems(files: Path, *more: str) -> list[str]:
    return ["compare", "systems", *sources(files), "--measures", *MEASURES, *more]


@pytest.mark.slow
def test_conditions_decide_the_exit_code(
    files: Path, table: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    means = table[table["measure"] == "P@10"].set_index("run_id")["mean"]
    worst, least = str(means.idxmin()), float(means.min())
    argv = systems(files, "--baseline", "system1", "--fail-under")
    assert main([*argv, "AP=0", f"P@10={least!r}"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*argv, f"P@10={least + 1e-6!r}", "--out", str(tmp_path)]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "failed" in line]
    assert said == [f"maxent compare: failed: run '{worst}': P@10 is {least:.6g}, under {least + 1e-6:g}"]
    assert (tmp_path / "systems.csv").exists()
    assert main(systems(files, "--baseline", worst, "--fail-under", f"P@10={least + 1e-6!r}")) == 0
    capsys.readouterr()
    by_ap = run_means(table)["AP"]
    worst, best = str(by_ap.idxmin()), str(by_ap.idxmax())
    worse = ["--fail-if-worse", "--correction", "none", "--alpha"]
    assert main(systems(files, "--baseline", best, *worse, "0.9")) == 1
    says = f"failed: run '{worst}': AP is {by_ap.min():.6g}, significantly worse than the {by_ap.max():.6g}"
    assert says in capsys.readouterr().err
    assert main(systems(files, "--baseline", best, *worse, "1e-9")) == 0
    assert main(systems(files, "--baseline", best, "--fail-if-worse", "1", *worse[1:], "0.9")) == 0


def test_a_difference_has_its_interval_and_p_value(
    files: Path, table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(systems(files, "--baseline", "system1")) == 0
    printed = capsys.readouterr().out
    for row in table.to_dict("records"):
        numbers = [f"{row[name]:.4f}" for name in ("mean", "difference", "low", "high", "p_value_corrected")]
        wanted = [row["run_id"], *numbers]
        assert any(line.translate({ord(c): None for c in "[],"}).split() == wanted for line in printed.splitlines())
    assert main(systems(files)) == 0
    printed += capsys.readouterr().out
    assert "The best run by each measure against the next" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_figures_escape_control_characters_of_names(files: Path, tmp_path: Path) -> None:
    """Else matplotlib warns that its font has no such letter."""
    argv = systems(files, "--baseline", "a\x1bb", "--out", str(tmp_path / "out"))
    argv.insert(argv.index("--depth"), f"a\x1bb={files / 'runs' / 'system1.gz'}")
    assert main([*argv, "--report", str(tmp_path / "report.html")]) == 0
    assert "a\\x1bb" in (tmp_path / "out" / "systems.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_notes(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--test", "permutation", "--replicates", "10", "--alpha", "0.01"]
    assert main(systems(files, *options)) == 0
    assert "no p-value is below 0.18 with 10 replicates" in capsys.readouterr().out
    runs = me.read_run(files / "runs" / "system1.gz")
    some = runs[runs["query_id"] != runs["query_id"].iloc[0]].assign(Q0="Q0", rank=0, tag="some")
    path = tmp_path / "some.txt"
    some[["query_id", "Q0", "doc_id", "rank", "score", "tag"]].to_csv(path, sep=" ", header=False, index=False)
    argv = systems(files, "--baseline", "system1")
    argv.insert(argv.index("--depth"), str(path))
    assert main(argv) == 0
    assert "topics without a list: some (1: 1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fail-if-worse"], "--fail-if-worse needs a baseline"),
        (["--fail-if-worse", "0.1"], "--fail-if-worse needs a baseline"),
        (["--fail-under", "nDCG=0.1"], "--fail-under nDCG: not among the measures AP, P@10"),
        (["--topics", "1"], "a test needs at least two of each"),
    ],
)
def test_wrong_input(files: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(systems(files, *options)) == 2
    assert says in capsys.readouterr().err
