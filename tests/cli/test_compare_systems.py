"""``maxent compare systems``: its exit codes, and how it refuses."""

from pathlib import Path

import pytest

from maxent.cli import main
from tests.golden.messages import as_golden
from tests.helpers import sources

MEASURES = ["AP", "P@10"]


def systems(files: Path, *more: str) -> list[str]:
    return ["compare", "systems", *sources(files), "--measures", *MEASURES, *more]


WORSE = ("--fail-if-worse", "--correction", "none", "--alpha")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-under", "AP=0", "P@10=0"], 0),
        (["--fail-under", "AP=0", "P@10=1"], 1),
        ([*WORSE, "0.9"], 1),
        ([*WORSE, "1e-9"], 0),
        (["--fail-if-worse", "1", *WORSE[1:], "0.9"], 0),
    ],
)
def test_conditions_decide_the_exit_code(options: list[str], code: int, files: Path) -> None:
    """Which runs fail: tests/systems."""
    assert main(systems(files, "--baseline", "system3", *options)) == code


@pytest.mark.slow
def test_figures_escape_control_characters_of_names(files: Path, tmp_path: Path) -> None:
    """Else matplotlib warns that its font has no such letter."""
    argv = systems(files, "--baseline", "a\x1bb", "--out", str(tmp_path / "out"))
    argv.insert(argv.index("--depth"), f"a\x1bb={files / 'runs' / 'system1.gz'}")
    assert main([*argv, "--report", str(tmp_path / "report.html")]) == 0
    assert "a\\x1bb" in (tmp_path / "out" / "systems.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-if-worse"],
        ["--fail-if-worse", "0.1"],
        ["--fail-under", "nDCG=0.1"],
        ["--topics", "1"],
    ],
)
def test_wrong_input(files: Path, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(systems(files, *options)) == 2
    as_golden(capsys.readouterr().err)
