"""What people see on a terminal: its width, its colours, the finding before the tables."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from maxent.cli import main
from maxent.results import Column, Schema, Screen, cells, format_table
from tests.helpers import slow_but, sources

ANSI = re.compile(r"\x1b\[[0-9;]*m")
TABLE = pd.DataFrame(
    {
        "run": ["a", "b"],
        "AP": [0.1, 0.2],
        "95 %": ["[0, 1]", "[1, 2]"],
        "P@10": [0.3, 0.4],
        "what it is": ["many words that say all of it", "few words"],
    }
)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> pytest.MonkeyPatch:
    """Captured standard output that says it is a terminal with colours, 80 columns wide."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True)  # the test gets another one
    return monkeypatch


def study(files: Path, *more: str) -> list[str]:
    return ["study", *sources(files), "--g-steps", "3", *more]


@pytest.mark.parametrize("width", slow_but([60], [60, 80, 120]))
def test_no_line_is_wider_than_the_terminal(
    width: int, files: Path, terminal: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal.setenv("COLUMNS", str(width))
    for argv in (
        ["measures"],
        ["compare", "systems", *study(files)[1:-2], "--measures", "AP", "P@10", "nDCG@10", "Rprec", "RBP"],
        ["check", *study(files)[1:-2]],
    ):
        assert main(argv) == 0
        printed = ANSI.sub("", capsys.readouterr().out)
        assert max(map(cells, printed.splitlines())) <= width
        if argv[0] == "compare":
            assert printed.count("\nsystem2 ") == (3 if width == 60 else 2)  # the names are there in each block
            assert re.search(r"^run( +\S+ +better +worse)+$", printed, re.M)


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_can_be_refused(
    variables: dict[str, str], coloured: bool, terminal: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in variables.items():
        terminal.setenv(name, value)
    assert main(["measures"]) == 0
    assert (ANSI.search(capsys.readouterr().out) is not None) == coloured


def test_columns_that_do_not_fit_go_on_below() -> None:
    schema = Schema(Column("95 %", "of AP", attached=True))
    assert format_table(TABLE.iloc[:, :4], schema=schema, screen=Screen(width=22)).splitlines() == [
        "run      AP  95 %",
        "a    0.1000  [0, 1]",
        "b    0.2000  [1, 2]",
        "",
        "run    P@10",
        "a    0.3000",
        "b    0.4000",
    ]
    assert format_table(TABLE[["run", "what it is"]], screen=Screen(width=30)).splitlines() == [
        "a",
        "  what it is  many words that",
        "              say all of it",
        "b",
        "  what it is  few words",
    ]


def test_what_names_rows_is_said_once() -> None:
    table = pd.DataFrame({"g": ["0,1", "0,1", "1,0"], "measure": ["GAP", "xGAP", "GAP"], "AP": [1.0, 0.5, 0.0]})
    assert format_table(table, places=1, keys=2).splitlines() == [
        "g    measure   AP",
        "0,1  GAP      1.0",
        "     xGAP     0.5",
        "1,0  GAP      0.0",
    ]


def test_names_of_files_can_neither_colour_nor_misalign() -> None:
    table = pd.DataFrame({"run": ["\x1b[31mred", "検索"], "AP": [0.1, 0.2]})
    lines = format_table(table).splitlines()
    assert lines[1].startswith(r"\x1b[31mred  0.1")
    assert {cells(line) for line in lines[1:]} == {cells(lines[0])}
