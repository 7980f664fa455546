"""``--report`` of every command that has it."""

from pathlib import Path

import pytest

from maxent.cli import main

COMMANDS = {
    "study": ["--g-steps", "3"],
    "choose-g": ["--g-steps", "3", "--weights", "1=1,2=3"],
    "predict": ["--measures", "AP", "P@10"],
    "compare discriminative": ["--measures", "AP", "P@10", "--replicates", "50"],
    "compare agreement": ["--quantile", "0", "--few", "1"],
    "compare pools": ["--quantile", "0", "--measures", "AP", "--shares", "1", "0.2", "--repetitions", "2"],
    "compare systems": [],
    "compare judgments": ["--g-steps", "3", "--choose-g"],
}


def argv(files: Path, command: str, report: Path) -> list[str]:
    runs = [str(p) for p in sorted((files / "runs").iterdir())]
    qrels = [str(files / "qrels.txt")] * (2 if command == "compare judgments" else 1)
    data = ["--qrels", *qrels, "--runs", *runs, "--depth", "150"]
    return [*command.split(), *data, *COMMANDS[command], "--report", str(report)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_a_report(
    command: str, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = argv(files, command, tmp_path / "new" / "report.html")
    assert main(given) == 0
    page = (tmp_path / "new" / "report.html").read_text(encoding="utf-8")
    assert f'<p class="kind">maxent {command}</p>' in page
    assert f"maxent {' '.join(given[:3])}" in page
    assert page.count("<svg") >= 1
    assert page.count('<section class="data"') >= 3
    assert "None" not in page
    assert "qrels.txt" in page
    printed = capsys.readouterr()
    assert f"report written to {tmp_path / 'new' / 'report.html'}" in printed.err
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["report.html"]


def test_systems_against_a_baseline(files: Path, tmp_path: Path) -> None:
    given = argv(files, "compare systems", tmp_path / "report.html")
    assert main([*given, "--baseline", "system1"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "differences to system1" in page


def test_judgments_alone(files: Path, tmp_path: Path) -> None:
    qrels, report = str(files / "qrels.txt"), tmp_path / "report.html"
    assert main(["compare", "judgments", "--qrels", qrels, qrels, "--report", str(report)]) == 0
    page = report.read_text(encoding="utf-8")
    assert '<p class="value">100\N{NO-BREAK SPACE}%</p>' in page
    assert "Rankings of the runs" not in page
    assert "SHA-256 of the names" not in page
    assert page.count("<b>qrels.txt</b>") == 2


def test_where_no_report_can_be_written_is_said_before_the_work(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv(files, "study", tmp_path)) == 2
    assert "it is a folder, expected a file" in capsys.readouterr().err
    assert main(argv(files, "study", tmp_path / "report.txt")) == 2
    assert "a report is an HTML file, expected a name that ends in .html" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(argv(files, "study", tmp_path / "file" / "report.html")) == 2
    printed = capsys.readouterr()
    assert f"{tmp_path / 'file'} is not a folder" in printed.err
    assert printed.out == ""
