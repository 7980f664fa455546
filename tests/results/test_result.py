"""One result, shown three ways: what is in it is there on a terminal, in files, on a page and in a notebook."""

import argparse
import dataclasses
import json
import pickle
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.axes import Axes

import maxent as me
from maxent.cli.deliver import deliver
from maxent.results import Column, Fact, Finding, Panel, Printer, Schema, Sheet, Table
from maxent.results.page import render
from tests.golden.messages import as_golden, refused

FRAME = pd.DataFrame({"measure": ["AP", "P@10"], "rms": [0.5, 0.25], "rms_low": [0.4, 0.1], "rms_high": [0.6, 0.3]})
RAW = pd.DataFrame({"run_id": ["<b>run</b>", "=1+1"], "p_value": [7.8e-14, 0.5]})
MEANS = Schema(
    Column("measure", "the measure", format="measure"),
    Column("rms", "mean error", "RMS", explained=True),
    Column("rms_{end}", "{heading} bootstrap interval over topics", "95 %", explained=True),
)
P_VALUES = Schema(Column("run_id", "the run", "run", "name"), Column("p_value", "the p-value", "p", "p-value"))


def draw(*, ax: Axes) -> None:
    ax.plot([0, 1], [0, 1])


RESULT = me.results.Result(
    kind="try_it",
    title="a $ <collection>",
    question="Does it work?",
    finding=Finding("it <does>", ("on 2 lists",), ("2 lists are few",)),
    introduction="2 runs",
    reading="count=total, depth=10",
    views=(
        Table(name="raw", frame=RAW, schema=P_VALUES, places=("file", "page"), closed=True, title="All"),
        Table(
            name="means",
            frame=FRAME,
            shown=FRAME[::-1],
            schema=MEANS,
            title="Means",
            marked=(0,),
            note="over lists",
        ),
        Table(name="empty", frame=FRAME[:0], title="Nothing"),
    ),
    sheets=(Sheet(name="line", panels=(Panel(draw=draw, caption="a line"), Panel(draw=draw, caption="again"))),),
    facts=(Fact("alpha", "0.05", "the level"),),
    notes=("2 lists used",),
    legend=("alpha: the level",),
)


def arguments(**more: object) -> argparse.Namespace:
    printed = {"format": "table", "places": None, "quiet": False, "text": False, "style": "screen"}
    written: dict[str, object] = {"out": None, "tables": "csv", "report": None, "flags": {}}
    return argparse.Namespace(**printed | written | more)


ARGV = ("try", "--all")


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
        "RMS: mean error",
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


def test_files_are_written_if_the_reader_of_the_output_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(Printer, "show", stopped)
    with pytest.raises(BrokenPipeError):
        deliver(RESULT, arguments(out=tmp_path), ARGV)
    assert (tmp_path / "means.csv").exists()


@pytest.mark.slow
def test_files_are_tables_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("empty.csv", "kept.csv"):
        (tmp_path / name).write_text("of an earlier result")
    assert deliver(RESULT, arguments(out=tmp_path), ARGV) == 0
    written = {"raw.csv", "means.csv", f"{RESULT.kind}_columns.csv", "line.png", "line.svg", "line.pdf"}
    assert {path.name for path in tmp_path.iterdir()} == written | {"references.bib", "kept.csv"}
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "means.csv"), FRAME)
    assert (tmp_path / "raw.csv").read_text().splitlines()[2] == "'=1+1,0.5"
    printed = capsys.readouterr()
    assert f"written to {tmp_path}/" in printed.err
    assert "removed empty.csv" in printed.err
    assert deliver(RESULT, arguments(out=tmp_path, tables="parquet"), ARGV) == 0
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "means.parquet"), FRAME)
    assert not (tmp_path / "means.csv").exists()


@pytest.mark.slow
def test_a_report_has_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "report.html"
    assert deliver(RESULT, arguments(report=path), ARGV) == 0
    assert f"report written to {path}" in capsys.readouterr().err
    page = path.read_text(encoding="utf-8")
    assert '<p class="kind">maxent try-it</p>' in page
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


@pytest.mark.slow
def test_a_notebook_shows_finding_and_tables() -> None:
    html = RESULT._repr_html_()
    assert html.startswith("<p><b>it &lt;does&gt;</b></p><p>on 2 lists</p>")
    assert html.count('<img alt="" src="data:image/png;base64,iVBOR') == 1
    assert "<td>[0.1000, 0.3000]</td>" in html
    assert "a $ <collection>" not in html


def test_tables_of_a_notebook_have_their_headings_and_their_own_tooltips() -> None:
    means = dataclasses.replace(RESULT.views[1], schema=Schema(Column("rms", "of <this> table", "RMS")))
    both = (means, Table(name="other", frame=FRAME, schema=MEANS, title="Others"))
    html = dataclasses.replace(RESULT, sheets=(), views=both)._repr_html_()
    first, second = html.split("<p><b>Others</b></p>")
    assert "<p><b>Means</b></p><table>" in first
    assert '<th title="of &lt;this&gt; table">RMS</th>' in first
    assert "<p>over lists</p>" in first
    assert '<th title="mean error">RMS</th>' in second
    alone = dataclasses.replace(RESULT, sheets=(), views=(means,))._repr_html_()
    assert "<b>Means</b>" not in alone, "as on a terminal"


def test_hidden_columns_are_in_files_only() -> None:
    hidden = [column._replace(hidden=column.name == "rms_{end}", explained=True) for column in MEANS]
    views = (dataclasses.replace(RESULT.views[1], schema=Schema(*hidden)),)
    result = dataclasses.replace(RESULT, sheets=(), views=views)
    assert result.columns["column"].tolist() == list(result.table) == list(FRAME)
    for shown in (str(result), result._repr_html_(), result.text(), render(result)):
        assert "RMS" in shown
        assert "bootstrap interval" not in shown


def test_figures_are_drawn_if_wanted() -> None:
    sheet = RESULT.plot()
    assert len(sheet.axes) == 2
    (title,) = RESULT.plot("line").texts
    assert title.get_text() == "a $ <collection>\nit <does>\ncount=total, depth=10"
    assert not title.get_parse_math()
    long = dataclasses.replace(RESULT, finding=Finding("AP is more informative than P@10. " * 40))
    _, sentence, _ = long.plot("line").texts[0].get_text().splitlines()
    assert len(sentence) <= 1000
    assert sentence.endswith("AP is more …")
    with refused(me.errors.ProblemError):
        RESULT.plot("none")


def test_failures_and_errors_decide_how_a_command_ends(capsys: pytest.CaptureFixture[str]) -> None:
    failed = me.results.Result(kind="k", title="t", failures=("AP is too low",))
    assert deliver(failed, arguments(), ARGV) == 1
    as_golden(capsys.readouterr().err)
    with refused(me.errors.InputError):
        deliver(me.results.Result(kind="k", title="t", errors="2 errors, see above"), arguments(), ARGV)


def test_what_is_printed_is_text_too(capsys: pytest.CaptureFixture[str]) -> None:
    RESULT.show()
    assert capsys.readouterr().out == f"{RESULT}\n"
    assert repr(RESULT) == "Result(try_it: it <does>)"


def test_tables_and_answers_by_name() -> None:
    assert RESULT.table is FRAME
    assert list(RESULT.tables) == ["raw", "means", "empty"]
    assert me.results.Result(title="t", answers={"g": (1.0, 0.0)}).g == (1.0, 0.0)
    with refused(AttributeError):
        RESULT.groupby  # type: ignore[attr-defined]  # noqa: B018
    with refused(TypeError):
        RESULT["AP"]
    with pytest.raises(TypeError, match="not iterable"):
        list(RESULT)  # type: ignore[call-overload]
    with refused(AttributeError):
        RESULT.other  # type: ignore[attr-defined]  # noqa: B018
    with refused(me.errors.ProblemError):
        me.results.Result(title="t").table  # noqa: B018


def test_results_are_equal_by_finding_and_tables() -> None:
    assert dataclasses.replace(RESULT, title="another") == RESULT
    assert dataclasses.replace(RESULT, finding=None) != RESULT
    assert dataclasses.replace(RESULT, views=RESULT.views[:2]) != RESULT
    changed = dataclasses.replace(RESULT.views[0], frame=RAW.assign(p_value=1.0))
    assert dataclasses.replace(RESULT, views=(changed, *RESULT.views[1:])) != RESULT


def test_a_figure_goes_on_axes_of_somebody_else() -> None:
    ax = plt.figure().subplots()
    assert RESULT.plot(ax=ax) is ax.figure
    assert len(ax.lines) == 1
    assert RESULT.plot()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


@pytest.mark.parametrize("panels", [1, 3])
@pytest.mark.parametrize("word", ["nDCG@10", "WWWW", "iii"])
def test_the_title_of_a_figure_is_whole_and_on_the_figure(panels: int, word: str) -> None:
    sentence = " ".join([word] * 60)
    sheets = (Sheet(name="line", panels=RESULT.sheets[0].panels[:1] * panels),)
    figure = dataclasses.replace(RESULT, finding=Finding(sentence), sheets=sheets).plot()
    figure.draw_without_rendering()
    title = next(text for text in figure.texts if text.get_text() == figure.get_suptitle())
    assert sentence in figure.get_suptitle()
    box = title.get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert figure.bbox.y0 < box.y0 < box.y1 <= figure.bbox.y1
    for panel in figure.axes:
        assert panel.bbox.y1 <= box.y0
        assert panel.bbox.height > 0.7 * figure.dpi * RESULT.sheets[0].panels[0].size[1]


@pytest.mark.slow
def test_a_study_answers_in_one_call(tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    study = me.study(runs, qrels, min_retrieved=1, depth=100, progress=False)
    table = me.informativeness(runs, qrels, min_retrieved=1, depth=100, progress=False)
    rows = study.tables["informativeness"]
    assert set(rows["measure"]) - set(table["measure"]) == {"BrokenStick(gain=linear)"}
    ranked = rows[rows["measure"].isin(table["measure"].unique())].reset_index(drop=True)
    pd.testing.assert_frame_equal(ranked, table)
    pd.testing.assert_frame_equal(study.tables["league"], me.league(table))
    assert study.tables["left-out"].empty
    choice = me.studies.choose_from(table)
    reading = "reading=standard, count=retrieved, reference=log-uniform, align=expected, depth=100"
    assert (study.g, study.simplest) == (choice.g, choice.simplest)
    assert study.plot().get_suptitle().endswith(f"\n{reading}")
    again = pickle.loads(pickle.dumps(study))
    assert again == study
    assert again.report(tmp_path / "a.html").read_bytes() == study.report(tmp_path / "b.html").read_bytes()
    assert str(study.origin) == f"me.study(runs, qrels, depth=100, min_retrieved=1)  # {reading}"
    assert me.study(runs, qrels, measures=["AP"], min_retrieved=1, depth=100, progress=False).g is None
    cell = study.explore()._repr_html_()
    assert cell.startswith("<iframe srcdoc=")
    assert "explorer-data" in cell
