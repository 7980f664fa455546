"""Tables in every format, notes beside them, and completion of commands by the shell."""

import io
import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shtab

import maxent as me
from maxent.cli import command_parser, main
from maxent.cli.commands import COMMANDS
from maxent.results import FORMATS, Column, Schema, format_table, write_figure
from tests.golden.messages import refused
from tests.helpers import sources

TABLE = pd.DataFrame({"name": ["a|b", "50 %_x"], "count": [1, 20], "mean": [0.123456, np.nan]})
MADE = pd.DataFrame(
    {
        "measure": ["GAP(g=0.123456789,0.876543211)", "AP"],
        "rms t=2": [0.5, 0.25],
        "rms_low t=2": [0.4, np.nan],
        "rms_high t=2": [1.5, np.nan],
        "share_best": [0.75, 0.25],
        "p_value": [7.8e-14, 0.5],
        "reject": [True, False],
    }
)
SCHEMA = Schema(
    Column("measure", "the measure", format="measure"),
    Column("rms t={t}", "mean error", "RMS t={t}", explained=True),
    Column("rms_{end} t={t}", "{heading} interval", "95 %"),
    Column("share_best", "share of the samples", "best in", "share"),
    Column("p_value", "the p-value", "p", "p-value"),
    Column("reject", "whether it is small", "significant"),
    Column("{end}", "interval of the mean", "95 %"),
)


def test_a_table_is_aligned_by_default() -> None:
    assert format_table(TABLE) == "name    count    mean\na|b         1  0.1235\n50 %_x     20       -"
    assert format_table(TABLE, places=1).endswith("0.1\n50 %_x     20     -")


def test_people_get_headings_intervals_and_small_p_values() -> None:
    assert format_table(MADE, schema=SCHEMA).splitlines() == [
        "measure               RMS t=2  95 %              best in        p  significant",
        "GAP(g=0.1235,0.8765)   0.5000  [0.4000, 1.5000]    75.0%  7.8e-14  yes",
        "AP                     0.2500  -                   25.0%   0.5000  no",
    ]
    assert format_table(MADE, "csv").splitlines()[0] == ",".join(MADE.columns)
    assert me.parse_measure(json.loads(format_table(MADE, "jsonl").splitlines()[0])["measure"])
    assert SCHEMA.legend(MADE) == ["RMS: mean error"]
    assert SCHEMA.meaning("rms_high t=2") == "95 % interval"


def test_tables_for_papers_escape_names() -> None:
    assert format_table(TABLE, "markdown").splitlines() == [
        "| name | count | mean |",
        "|---|---:|---:|",
        r"| a\|b | 1 | 0.1235 |",
        "| 50 %_x | 20 | - |",
    ]
    tags = format_table(TABLE.assign(name=["<script>alert(1)</script>", "a < b & c"]), "markdown")
    assert "| &lt;script>alert(1)&lt;/script> |" in tags
    assert "| a &lt; b & c |" in tags
    assert "<" not in tags
    signed = TABLE.assign(low=[-0.5, 0.1], high=[0.25, 0.2], p_value=[7.8e-14, 0.5])
    assert format_table(signed, "latex", schema=SCHEMA, marked=[0], caption="5 % of it").splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
        r"\caption{5 \% of it}",
        r"\begin{tabular}{lrrlr}",
        r"\toprule",
        r"name & count & mean & 95 \% & p \\",
        r"\midrule",
        r"\textbf{a\textbar{}b} & \textbf{1} & \textbf{0.1235} & \textbf{[$-$0.5000, 0.2500]} & "
        r"\textbf{7.8e$-$14} \\",
        r"50 \%\_x & 20 & -- & [ 0.1000, 0.2000] & 0.5000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    negative = format_table(pd.DataFrame({"run_id": ["a-1"], "mean": [-0.5]}), "latex", places=2)
    assert r"a-1 & $-$0.50 \\" in negative
    wide = format_table(pd.DataFrame({"run_id": ["a"], "baseline": ["b" * 60]}), "latex")
    assert wide.count("{table*}") == 2  # a column has no room for it


def test_tables_for_programs_are_read_back() -> None:
    table = pd.DataFrame({"a": ['x,"y"', "t\tab"], "b": [1 / 3, np.nan], "c": [3, 4]})
    for form, separator in (("csv", ","), ("tsv", "\t")):
        found = pd.read_csv(io.StringIO(format_table(table, form, places=16)), sep=separator)
        pd.testing.assert_frame_equal(found, table)
    rows = [json.loads(line) for line in format_table(table, "jsonl").splitlines()]
    assert rows == [{"a": 'x,"y"', "b": 1 / 3, "c": 3}, {"a": "t\tab", "b": None, "c": 4}]
    assert json.loads(format_table(table, "jsonl", places=2).splitlines()[0])["b"] == 0.33


def test_an_empty_table_has_a_head() -> None:
    for form in set(FORMATS) - {"jsonl"}:
        assert "mean" in format_table(TABLE.head(0), form)
    assert format_table(TABLE.head(0), "jsonl") == ""


def test_means_follow_the_topics_of_their_run(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *sources(files), "--per-topic", "--format", "csv", "--places", "12"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype={"query_id": str})
    assert table.drop_duplicates(["run_id", "query_id"])["query_id"].tolist() == ["1", "2", "3", "4", "all"] * 3
    topics, means = table[table["query_id"] != "all"], table[table["query_id"] == "all"]
    expected = topics.groupby(["run_id", "measure"], sort=False)["value"].mean()
    np.testing.assert_allclose(means["value"], expected, rtol=1e-9)
    assert main(["evaluate", *sources(files), "--wide", "--format", "csv", "--places", "12"]) == 0
    wide = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="run_id")
    np.testing.assert_allclose(wide.to_numpy().ravel(), expected, rtol=1e-9)
    assert list(wide) == list(dict.fromkeys(table["measure"]))


def test_reasons_of_a_failure_are_printed_where_notes_are_left_out(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in (["--quiet"], ["--format", "csv"]):
        assert main(["study", *sources(files), "--measures", "AP", "--min-retrieved", "140", *more]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "excluded: 12 (too_few" in printed.err


@pytest.mark.parametrize("shell", shtab.SUPPORTED_SHELLS)
def test_shells_complete_all_commands(shell: str) -> None:
    script = shtab.complete(command_parser(), shell)
    assert all(command in script for command in (*COMMANDS, "discriminative"))
    assert "nRecall nPrecision RBP" in script or shell not in ("bash", "zsh", "tcsh")


HOSTILE = "a\x1b[2J\x9b\u202eb"


@pytest.mark.slow
def test_names_cannot_control_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name from a file clears no screen, in tables, notes and errors."""
    (tmp_path / HOSTILE).mkdir()
    (tmp_path / HOSTILE / "qrels").write_text(f"{HOSTILE} 0 d 1\n{HOSTILE} 0 e 1\n2 0 d 1\n", encoding="utf-8")
    (tmp_path / "run").write_text(f"{HOSTILE} Q0 d 1 1 {HOSTILE}\n{HOSTILE} Q0 f 2 1 {HOSTILE}\n", encoding="utf-8")
    files = ["--qrels", str(tmp_path / HOSTILE / "qrels"), "--runs", str(tmp_path / "run"), "--depth", "9"]
    commands = [
        ["check", *files],
        *(["evaluate", *files, "--measures", "AP", "--per-topic", "--format", form] for form in FORMATS),
        ["study", *files, "--measures", "AP", "--min-retrieved", "1"],
        ["explain", *files, "--topic", HOSTILE, "--measures", "AP"],
        ["explain", *files, "--topic", f"{HOSTILE}?"],
        ["compare", "judgments", "--qrels", files[1], files[1]],
        ["compare", "systems", *files, "--measures", "AP", "--fail-under", "AP=1"],
        ["study", *files, "--topics", f"{HOSTILE}?"],
        ["study", *files, "--runs", str(tmp_path / HOSTILE / "none")],
        ["explain", f"{HOSTILE}=1", "--relevant", "1"],
    ]
    for argv in commands:
        with suppress(SystemExit):  # of argparse
            main(argv)
        printed = capsys.readouterr()
        shown = printed.out + printed.err
        assert shown.translate({9: None, 10: None}).isprintable(), argv
        assert "[2J" in shown, argv
    with refused(me.errors.InputError):
        me.read_qrels(HOSTILE)


def test_a_figure_is_laid_out_once_for_all_its_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    laid_out: list[Figure] = []
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda self, figure: laid_out.append(figure))
    figure = Figure(layout="constrained")
    figure.subplots()
    write_figure(figure, tmp_path / "figure")
    assert laid_out == [figure]
    assert len(list(tmp_path.iterdir())) == 3
