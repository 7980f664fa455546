"""One result, shown three ways: what is in it is there on a terminal, in files, on a page and in a notebook."""

import argparse
import json
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes

import maxent as me
from maxent.cli.output import deliver
from maxent.console.show import Printer
from maxent.content import Fact, Panel, Sheet, Table
from maxent.reports.page import render
from maxent.study.finding import Finding

FRAME = pd.DataFrame({"measure": ["AP", "P@10"], "rms": [0.5, 0.25], "rms_low": [0.4, 0.1], "rms_high": [0.6, 0.3]})
RAW = pd.DataFrame({"run_id": ["<b>run</b>", "=1+1"], "p_value": [7.8e-14, 0.5]})


def draw(*, ax: Axes) -> None:
    ax.plot([0, 1], [0, 1])


RESULT = me.result.Result(
    kind="maxent try",
    title="a $ <collection>",
    question="Does it work?",
    finding=Finding("it <does>", ("on 2 lists",), ("2 lists are few",)),
    introduction="2 runs",
    reading="count=total, depth=10",
    tables=(
        Table(name="raw", frame=RAW, places=("file", "page"), closed=True, title="All"),
        Table(name="means", frame=FRAME, shown=FRAME[::-1], title="Means", marked=(0,), note="over lists"),
        Table(name="empty", frame=FRAME[:0], title="Nothing"),
    ),
    figures=(Sheet(name="line", panels=(Panel(draw=draw, caption="a line"), Panel(draw=draw, caption="again"))),),
    facts=(Fact("alpha", "0.05", "the level"),),
    notes=("2 lists used",),
    legend=("alpha: the level",),
)


def given(**more: object) -> argparse.Namespace:
    printed = {"format": "table", "places": None, "quiet": False}
    written: dict[str, object] = {
        "out": None,
        "tables": "csv",
        "report": None,
        "kind": "try",
        "question": "",
        "given": ["try", "--all"],
        "flags": {},
    }
    return argparse.Namespace(**printed | written | more)


def test_a_terminal_gets_the_finding_the_tables_and_what_numbers_mean(capsys: pytest.CaptureFixture[str]) -> None:
    RESULT.show()
    assert capsys.readouterr().out.splitlines() == [
        "2 runs",
        "it <does>",
        "  on 2 lists",
        "  2 lists are few",
        "",
        "measure     RMS  95 %",
        "P@10     0.2500  [0.1000, 0.3000]",
        "AP       0.5000  [0.4000, 0.6000]",
        "over lists",
        "",
        "2 lists used",
        "",
        "RMS: root mean square error of the inferred curve's precision, mean over lists; lower is more informative",
        "95 %: bootstrap interval over topics",
        "alpha: the level",
    ]


def test_programs_get_one_tidy_table_and_notes_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    Printer("jsonl").show(RESULT)
    printed = capsys.readouterr()
    assert [json.loads(line) for line in printed.out.splitlines()] == FRAME.to_dict("records")
    assert "it <does>" in printed.err
    Printer("csv", quiet=True).show(RESULT)
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == "measure,rms,rms_low,rms_high"
    assert printed.err == ""


def test_files_are_tables_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("empty.csv", "kept.csv"):
        (tmp_path / name).write_text("of an earlier result")
    assert deliver(RESULT, given(out=tmp_path)) == 0
    written = {"raw.csv", "means.csv", "line.png", "line.svg", "line.pdf"}
    assert {path.name for path in tmp_path.iterdir()} == written | {"kept.csv"}
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "means.csv"), FRAME)
    assert (tmp_path / "raw.csv").read_text().splitlines()[2] == "'=1+1,0.5"
    printed = capsys.readouterr()
    assert f"written to {tmp_path}/" in printed.err
    assert "removed empty.csv" in printed.err
    assert deliver(RESULT, given(out=tmp_path, tables="parquet")) == 0
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "means.parquet"), FRAME)
    assert not (tmp_path / "means.csv").exists()


def test_a_report_has_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "report.html"
    assert deliver(RESULT, given(report=path)) == 0
    assert f"report written to {path}" in capsys.readouterr().err
    page = path.read_text(encoding="utf-8")
    assert '<p class="kind">maxent try</p>' in page
    assert "<h1>a $ &lt;collection&gt;</h1>" in page
    assert '<p class="sentence">it &lt;does&gt;</p>' in page
    assert "<li>on 2 lists</li>" in page
    assert '<p class="remark">2 lists are few</p>' in page
    assert page.index('id="figure-line1"') < page.index('id="means-table"') < page.index('id="raw-table"')
    assert '<tr class="marked"><td>P@10</td>' in page
    assert ">0.1000 to 0.3000<" in page
    assert ">7.8e−14<" in page
    assert "&lt;b&gt;run&lt;/b&gt;" in page
    assert "maxent try --all" in page
    assert "<li>2 lists used</li>" in page
    assert 'data-tip="the level"' in page
    assert "Nothing" not in page
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
    assert me.report(RESULT, tmp_path / "again.html").read_text(encoding="utf-8") == render(RESULT)


def test_a_notebook_shows_finding_and_tables() -> None:
    html = RESULT._repr_html_()
    assert html.startswith("<p><b>it &lt;does&gt;</b></p><p>on 2 lists</p>")
    assert "<td>[0.1000, 0.3000]</td>" in html
    assert "a $ <collection>" not in html


def test_figures_are_drawn_if_wanted() -> None:
    sheet = RESULT.plot()
    assert len(sheet.axes) == 2
    (title,) = RESULT.plot("line").texts
    assert title.get_text() == "a $ <collection>\nit <does>\ncount=total, depth=10"
    assert not title.get_parse_math()
    with pytest.raises(me.errors.ProblemError, match="no figure none; there are: line"):
        RESULT.plot("none")


def test_failures_and_errors_decide_how_a_command_ends(capsys: pytest.CaptureFixture[str]) -> None:
    failed = me.result.Result(kind="k", title="t", failures=("AP is too low",))
    assert deliver(failed, given()) == 1
    assert capsys.readouterr().err == "maxent try: failed: AP is too low\n"
    with pytest.raises(me.errors.InputError, match="2 errors"):
        deliver(me.result.Result(kind="k", title="t", errors="2 errors, see above"), given())


def test_a_study_in_one_call(tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    study = me.study_measures(runs, qrels, min_retrieved=1, depth=100, progress=False)
    table = me.informativeness(runs, qrels, min_retrieved=1, depth=100, progress=False)
    pd.testing.assert_frame_equal(study.frames["informativeness"], table)
    pd.testing.assert_frame_equal(study.league, me.league(table))
    assert study.left_out.empty
    assert study.choice is not None
    assert study.choice.g == me.study.choose_from(table).g
    assert study.finding is not None
    assert study.finding.sentence in study._repr_html_()
    assert study.finding.sentence.replace("'", "&#39;") in study.report(tmp_path / "study.html").read_text("utf-8")
    assert study.plot().get_suptitle().endswith("\ncount=retrieved, align=recall, depth=100")
    with pytest.raises(me.errors.ProblemError, match="no table league; there are: raw, means, empty"):
        RESULT.league  # noqa: B018
    one = me.study_measures(runs, qrels, measures=["AP"], min_retrieved=1, depth=100, progress=False)
    assert one.choice is None
