"""Every command in one run: it is its function, and the report has its finding."""

import pickle
import re
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import maxent as me
from maxent.cli import command_parser, main
from maxent.cli.deliver import call
from maxent.cli.process import in_options
from tests.collections import write_collection
from tests.golden.messages import as_golden
from tests.helpers import contents, slow_but

CLICKS = "grade,impressions,clicks\n0,100,5\n1,100,20\n2,100,50\n"
DATA = {  # commands that read runs and judgments, with their finding
    "study": (["--g-steps", "3"], "of 4 measures"),
    "choose-g": (["--g-steps", "3", "--weights", "1=1,2=3", "--no-refine"], "recommended g"),
    "choose-measures": (["--candidates", "AP", "P@10", "--min-retrieved", "1"], "chosen: "),
    "predict": (["--measures", "AP", "P@10"], "closest predictions"),
    "evaluate": (["--per-topic"], ""),
    "explain": (["--run", "system1", "--topic", "1"], "closest curves"),
    "check": ([], "no errors, no warnings"),
    "compare discriminative": (
        ["--measures", "AP", "P@10", "--replicates", "50", "--top", "2", "--by", "both"],
        "largest share of pairs",
    ),
    "compare agreement": (
        ["--quantile", "0", "--few", "1", "--measures", "AP"],
        "rankings most similar to that by GAP",
    ),
    "compare pools": (["--quantile", "0", "--measures", "AP", "--repetitions", "2"], "the most robust"),
    "compare measures": (["--measures", "AP", "P@10", "--min-retrieved", "1"], "stands in the readings compared"),
    "compare systems": (["--baseline", "system1"], "significantly better"),
    "compare judgments": (["--g-steps", "3"], "100.0% of the documents judged in both sets have the same grade"),
}
FILES = {  # .* stands for the formats of a figure
    "study": "informativeness.csv summary.csv choice.csv informativeness.*",
    "choose-g": "choose-g.csv choose-g.*",
    "choose-measures": "measures.csv measures.*",
    "predict": "predictions.csv prediction_summary.csv predictions.*",
    "evaluate": "values.csv",
    "explain": "curves.csv profiles.csv curves.* profiles.*",
    "check": "runs.csv topics.csv grades.csv profile.csv profile.*",
    "compare measures": "verdicts.csv differences.csv sets.csv verdicts.*",
    "compare discriminative": "pairs.csv power.csv discriminative.*",
    "compare agreement": "agreement.csv agreement.*",
    "compare pools": "pools.csv pools_summary.csv pools.*",
    "compare systems": "systems.csv systems.*",
    "compare judgments": "agreement.csv confusion.csv confusion.* means.csv rankings.csv assessors.csv "
    "by_topic.csv",
}
QUICK = ("evaluate", "check")
OTHERS = {
    "measures": [],
    "g-from-clicks": ["clicks.csv"],
}


def argv(files: Path, command: str, report: Path) -> list[str]:
    qrels = [str(files / "qrels.txt")] * (2 if command == "compare judgments" else 1)
    runs = [str(p) for p in sorted((files / "runs").iterdir())]
    data = ["--qrels", *qrels, "--runs", *runs, "--depth", "150"]
    return [*command.split(), *data, *DATA[command][0], "--report", str(report)]


@pytest.mark.slow
@pytest.mark.parametrize("command", slow_but(QUICK, DATA))
def test_a_command_is_its_function(
    command: str, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints, writes and reports the result that the function returns."""
    words = argv(files, command, tmp_path / "report.html")
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    arguments = command_parser(command.split()[0]).parse_args(words)
    result = call(arguments.command.function, arguments, "")
    in_words = partial(in_options, flags=arguments.flags)
    assert in_words(printed) == in_words(f"{result}\n")
    assert pickle.loads(pickle.dumps(result)) == result
    result.save(tmp_path / "same")
    assert contents(tmp_path / "same") == contents(tmp_path / "out")
    names = {re.sub(r"(png|svg|pdf)$", "*", name) for name in contents(tmp_path / "out")}
    assert names == {*FILES[command].split(), f"{result.kind}_columns.csv", "references.bib"}
    for text in result.table.get("measure", []):
        assert str(me.parse_measure(text)) == text or " & " in text or text == "counts"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f'<p class="kind">maxent {command}</p>' in page
    assert f"maxent {' '.join(words[:3])}" in page
    assert DATA[command][1] in ("" if result.finding is None else result.finding.sentence)
    assert result.finding is None or result.finding.sentence in page
    assert page.count('<section class="data"') >= 2
    assert "None" not in page
    assert "qrels.txt" in page


@pytest.mark.slow
@pytest.mark.parametrize("command", slow_but(("evaluate", "explain"), [name for name in DATA if name != "check"]))
def test_every_command_says_once_what_is_odd_about_runs(
    command: str, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, qrels = pd.concat(map(me.read_run, (files / "runs").iterdir())), me.read_qrels(files / "qrels.txt")
    first = (runs["run_id"] == "system1") & (runs["query_id"] == "1")  # the list that explain explains
    runs.loc[first, "score"] = runs.loc[first, "score"].round()
    write_collection(tmp_path, runs[["run_id", "query_id", "doc_id", "score"]], qrels)
    tied = "lists with tied scores, ordered by document id: system1 (1 of "
    assert main([*argv(tmp_path, command, tmp_path / "report.html"), "--format", "csv"]) == 0
    assert capsys.readouterr().err.count(tied) == 1
    assert (tmp_path / "report.html").read_text(encoding="utf-8").count(tied) == 1
    assert main([*argv(tmp_path, command, tmp_path / "report.html"), "--quiet"]) == 0
    assert "tied" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("command", OTHERS)
def test_so_do_the_others(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("clicks.csv").write_text(CLICKS)
    assert main([command, *OTHERS[command], "--report", "report.html", "--format", "csv"]) == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert f'<p class="kind">maxent {command}</p>' in page
    assert page.count('<section class="data"') == 1


def test_where_no_report_can_be_written_is_said_before_the_work(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv(files, "study", tmp_path)) == 2
    as_golden(capsys.readouterr().err)
    assert main(argv(files, "study", tmp_path / "report.txt")) == 2
    as_golden(capsys.readouterr().err)
    (tmp_path / "file").write_text("")
    assert main(argv(files, "study", tmp_path / "file" / "report.html")) == 2
    printed = capsys.readouterr()
    as_golden(printed.err)
    assert printed.out == ""
