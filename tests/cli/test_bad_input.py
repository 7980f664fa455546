"""What is wrong with files and arguments is said in one line that names the place, the value and what is expected.

Every case goes through ``main``, as a user meets it: exit code 2, one line of error, nothing written.
"""

import bz2
import gzip
import lzma
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lz4.frame
import pandas as pd
import pytest
import zstandard

import maxent as me
from maxent.cli import main
from maxent.limits import Limit
from tests.helpers import PROGRAM, slow_but

RUN = "1 Q0 a 1 3.0 tag\n1 Q0 b 2 2.0 tag\n2 Q0 c 1 1.0 tag\n"
QRELS = "1 0 a 1\n1 0 b 2\n2 0 c 1\n"
CLICKS = "grade,impressions,clicks\n0,100,5\n1,100,20\n2,100,50\n"
NOTHING_ELSE = ["--min-retrieved", "1", "--depth", "10"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with files that can be studied."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "clicks").write_text(CLICKS)
    return tmp_path


def refused(argv: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    try:
        code = main(argv)
    except SystemExit as stop:  # of argparse
        code = int(str(stop.code))
    printed = capsys.readouterr()
    errors = [line for line in printed.err.splitlines() if ": error: " in line]
    assert "usage: " not in printed.err
    assert (code, len(errors)) == (2, 1), printed
    assert printed.err.endswith(f"{errors[0]}\n"), "the last line, and nothing after it"
    assert says in errors[0]
    assert len(errors[0]) < 5000
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before


BAD_RUNS: dict[str, tuple[str | bytes, str]] = {
    "other topics": ("9 Q0 a 1 2.0 tag\n", "no topic in common with the qrels: the run has '9'"),
    "truncated gzip": (gzip.compress(RUN.encode() * 99)[:-9], "run: truncated or corrupt"),
}


BAD_QRELS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "qrels: empty, expected lines"),
    "a run file": (RUN, "expected the 4"),
    "grade 101": (QRELS + "2 0 d 101\n", "the highest grade is 101, more than 100; if this is intended, set"),
    "nothing relevant": ("1 0 a 0\n2 0 c -1\n", "no topic has a relevant document"),
}


BAD_STUDIES: dict[str, tuple[list[str], str]] = {
    "no such run": (["--runs", "none"], "none: no such file"),
    "empty runs": (["--runs", ""], "--runs '': expected a path"),
    "empty out": (["--out", ""], "--out '': expected a path"),
    "NUL in runs": (["--runs", "a\0b"], "--runs 'a\\x00b': expected a path"),
    "file as out": (["--out", "run"], "cannot write to run: run is not a folder"),
    "below a file": (["--out", "run/below"], "cannot write to run/below:"),
    "name of a figure as out": (
        ["--out", "new/x.SVG"],
        "--out new/x.SVG: expected a folder, this is the name of a file",
    ),
    "long out": (["--out", "o" * 256], "File name too long"),
    "long report": (["--report", "r" * 251 + ".html"], "File name too long"),
    "device as out": (["--out", "/dev/full/out"], "cannot write to /dev/full/out: /dev/full is not a folder"),
    "pipe as run": (["--runs", "pipe"], "pipe: a pipe or a device, expected a file"),
    "empty folder as runs": (["--runs", "folder"], "no run files in folder"),
    "weight twice": (["--weights", "1=1,1=2"], "argument --weights: '1=1,1=2' has one twice"),
    "weights misspelt": (["--weights", "1:2"], "argument --weights: '1:2' is not pairs such as 1=1,2=3"),
    "unknown topic": (["--topics", "9"], "no topic is '9'"),
    "no topic": (["--topics", ""], "no topic is ''"),
    "depth 0": (["--depth", "0"], "argument --depth: 0 is not a positive number"),
    "depth of a billion": (
        ["--depth", "1000000000"],
        "depth is 1000000000, more than 1000000; if",
    ),
    "no jobs": (["--jobs", "0"], "argument --jobs: 0 is not a positive number"),
    "negative seed": (["--seed", "-1"], "argument --seed: -1 is negative"),
    "one step": (["--g-steps", "1"], "argument --g-steps: 1 is too few"),
    "steps without a g": (["--measures", "AP", "--g-steps", "5"], "no measure is plain GAP, which stands for the"),
    "unknown measure": (["--measures", "MAX"], "unknown measure 'MAX'"),
    "all lists left out": (["--min-retrieved", "9"], "no list could be used"),
}


@pytest.mark.parametrize("kind", BAD_STUDIES)
def test_bad_arguments_of_a_study(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more, says = BAD_STUDIES[kind]
    (folder / "folder").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    given = {"--qrels": ["qrels"], "--runs": ["run"], "--min-retrieved": ["1"], "--depth": ["10"]}
    given |= {more[0]: more[1:]}
    refused(["study", *(word for option, values in given.items() for word in (option, *values))], says, capsys)


BAD_CLICKS: dict[str, tuple[str | bytes, str]] = {
    "no column": ("grade,clicks\n1,2\n", "clicks: no column 'impressions'"),
    "int64 overflow": (CLICKS + f"2,{2**62},5\n" * 2, "clicks:5: impressions '4611686018427387904', expected an"),
    "too many": (CLICKS + f"2,{2**52},5\n" * 2, "more than 2^53 impressions or clicks"),
    "grade of a billion": (CLICKS + f"{10**9},10,5\n", "the highest grade is 1000000000, more than 100"),
    "a fraction": (CLICKS + "1,2.5,1\n", "clicks:5: impressions '2.5', expected an integer"),
}
TABLE = "run,AP,RR,team\nx,.3,.4,a\n"
BAD_TABLES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "table:1: header []"),
    "header only": ("run,AP\n", "table: empty after its header"),
    "too wide": (TABLE + "y,.3,.4,a,b\n", "table:3: 5 columns, expected 4 as in the header"),
    "too narrow": (TABLE + "y,.3\n", "table:3: 2 columns, expected 4 as in the header"),
    "column twice": ("run,AP,AP\nx,.3,.4\n", "table:1: header ['run', 'AP', 'AP'], expected different names"),
    "measure twice": ("run,AP,map\nx,.3,.4\n", "an average is given twice: AP, map"),
    "underscore": (TABLE + "y,1_0,.4,a\n", "table:3: AP '1_0', expected a finite number"),
    "Arabic digit": (TABLE + "y,.3,١,a\n", "table:3: RR '١', expected a finite number"),
    "decimal comma": (TABLE + 'y,.3,"0,4",a\n', "table:3: RR '0,4', expected a finite number"),
    "Latin-1": (TABLE.encode() + b"\xfc,.3,.4,a\n", "table:3: byte 0xfc"),
    "semicolons and decimal commas": ("run;AP\nx;0,3\n", "table:2: AP '0,3', expected a finite number"),
    "bars": (
        "run|AP\nx|.3\n",
        "table:1: header ['run|AP'], expected different names that tabs, semicolons or commas",
    ),
    "open quotes": (TABLE + '"y,.3,.4,a\nz,.3,.4,a\n', "table:3: unexpected end of data, expected a row with its"),
    "system twice": (TABLE + "x,.3,.4,a\n", "table:3: 'x' twice, expected one row for a system"),
}
REFERENCE = "rank,1,2\n1,.5,.2\n"
BAD_REFERENCES: dict[str, tuple[str | bytes, str]] = {
    "rank twice": (REFERENCE + "1,.5,.2\n", "reference:3: rank 1, expected 1 to 2, each once"),
    "no such rank": (REFERENCE + "3,.5,.2\n", "reference:3: rank 3, expected 1 to 2, each once"),
    "no rank": ("1,2\n.5,.2\n", "reference: columns ['1', '2'], expected rank, 0, 1, ... or rank, 1, 2, ..."),
    "order of grades": ("rank,2,1\n1,.5,.2\n", "reference: columns ['rank', '2', '1'], expected rank, 0, 1"),
    "negative": (REFERENCE + "2,.5,-1\n", "reference:3: 2 '-1', expected a positive number"),
    "probabilities of fewer grades": ("rank,0,1\n1,.5,.5\n", "a reference has shape (1, 2) or (1, 3), got (1, 1)"),
}


STUDY = ["study", "--qrels", "qrels", "--runs", "run", *NOTHING_ELSE]
BAD_FILES = {
    "run": (BAD_RUNS, STUDY),
    "qrels": (BAD_QRELS, [*STUDY, "--measures", "AP"]),
    "clicks": (BAD_CLICKS, ["g-from-clicks", "clicks"]),
    "table": (BAD_TABLES, ["reported", "--qrels", "qrels", "--table", "table"]),
    "reference": (
        BAD_REFERENCES,
        ["reported", "--qrels", "qrels", "--depth", "1", "P@1=.5", "--reference", "reference"],
    ),
}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, (bad, _) in BAD_FILES.items() for kind in bad])
def test_bad_files(name: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, argv = BAD_FILES[name]
    content, says = bad[kind]
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused([*argv, "--out", "out"], says, capsys)


BAD_COMMANDS: dict[str, tuple[list[str], str]] = {
    "explain: no number": (["explain", "AP=x", "--relevant", "3"], "'AP=x': write measure=value"),
    "explain: twice": (["explain", "AP=.3", "AP=.4", "--relevant", "3"], "AP is given twice"),
    "explain: too many": (
        ["explain", "AP=.3", "--relevant", "30", "--depth", "9"],
        "30 relevant documents in a list of 9",
    ),
    "qrels alone": (["study", "--qrels", "qrels"], "runs: none given; give runs and qrels, or neither"),
    "average twice": (
        ["reported", "--qrels", "qrels", "AP=.3", "AP=.2"],
        "AP is given twice",
    ),
    "address as table": (
        ["reported", "--qrels", "qrels", "--table", "http://localhost/t.csv"],
        "http://localhost/t.csv: no such file",
    ),
    "no average": (["reported", "--qrels", "qrels"], "such as AP=.31, or a table with a row for each system"),
    "unknown command": (["studdy"], "maxent: error: no command 'studdy'; did you mean study? (see maxent --help)"),
    "kind as command": (["compare_systems"], "no command 'compare_systems'; did you mean compare systems?"),
    "kind without compare": (["agreement"], "no command 'agreement'; did you mean compare agreement?"),
    "no command like it": (["xyz"], "no command 'xyz'; known: study, explain, "),
    "unknown kind": (["compare", "sytems"], "maxent compare: error: no kind 'sytems'; did you mean systems?"),
    "unknown choice": (
        ["study", "--count", "totl"],
        "argument --count: 'totl' is none of retrieved, total, at_most; did you mean total?",
    ),
    "option of another command": (
        ["study", "--baseline", "a"],
        "no option --baseline; it is an option of compare systems (see maxent study --help)",
    ),
    "measure of a missing file": (
        ["study", "--measures", "own.py:CubeP@10"],
        "argument --measures: own.py: no such file",
    ),
    "unknown measure": (["measures", "CubeP"], "one of your own: register_measure, or FILE.py:NAME in a command"),
    "choose-g: all lists left out": (
        ["choose-g", "--qrels", "qrels", "--runs", "run", "--min-retrieved", "5"],
        "no list could be used: 2 lists; 0 solved for every measure, of 0 topics; excluded: 2 (too_few: ",
    ),
}


@pytest.mark.parametrize("kind", BAD_COMMANDS)
def test_bad_arguments(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(*BAD_COMMANDS[kind], capsys)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_permission(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "locked").mkdir(mode=0o500)
    refused(["study", "--out", "locked/out"], "no permission to write to", capsys)


def test_a_folder_that_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system that is mounted read-only."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(["study", "--out", "out"], f"cannot write to out: no permission to write to {folder}", capsys)


@pytest.mark.slow
def test_a_file_that_is_too_large(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxent.data.lines.SIZE", Limit("size", 1_000_000))
    large = RUN.encode() + b"\n" * 3_000_000
    (folder / "run").write_bytes(large)
    refused(STUDY, f"run: its size is {len(large)}, more than 1000000; if this is intended, set", capsys)
    for compressed in (gzip.compress, bz2.compress, lzma.compress, zstandard.compress, lz4.frame.compress):
        (folder / "run").write_bytes(compressed(large))
        refused(STUDY, "run: its decompressed size is ", capsys)
    (folder / "run").write_bytes(gzip.compress(RUN.encode()) + gzip.compress(b"\n" * 3_000_000))
    refused(STUDY, "more than 1000000; if this is intended, set MAXENT_LIMITS=no-size", capsys)
    monkeypatch.setenv("MAXENT_LIMITS", "no-size")
    assert main(STUDY) == 0


def test_the_size_of_a_parquet_file_is_that_of_its_texts(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxent.data.parquet.SIZE", Limit("size", 1_000_000))
    table = pd.DataFrame({"query_id": map(str, range(50)), "doc_id": "a" * 100_000, "score": 1.0})
    table.to_parquet(folder / "run")
    assert (folder / "run").stat().st_size < 20_000
    refused(
        STUDY,
        "run: its size as text is 5000640, more than 1000000; if this is intended, set",
        capsys,
    )
    (folder / "run").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    refused(STUDY, "run: truncated or corrupt (", capsys)


@pytest.mark.parametrize(
    "documents", [["a" * 1_200_000], ["a" * 600_000, "b" * 600_000]], ids=["value", "row groups"]
)
def test_the_size_of_a_parquet_file_is_known_before_it_is_decompressed(
    documents: list[str],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maxent.data.parquet.SIZE", Limit("size", 1_000_000))
    table = pd.DataFrame({"query_id": "1", "doc_id": documents, "score": 1.0, "text": "x" * 2_000_000})
    table.to_parquet(folder / "run", compression="zstd", row_group_size=1)
    assert (folder / "run").stat().st_size < 20_000
    refused(STUDY, "run: its decompressed size is 1200", capsys)
    table.assign(doc_id=["a", "b"][: len(table)]).to_parquet(folder / "run")
    assert me.read_run(folder / "run")["doc_id"].tolist() == ["a", "b"][: len(table)]


@pytest.mark.slow
@pytest.mark.parametrize("stream", slow_but(["stdout"], ["stdout", "stderr", "stdin"]))
def test_closed_streams(stream: str, folder: Path) -> None:
    """As a daemon has them."""
    closed = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-"}[stream]
    for argv, expected in (
        (["measures"], 0),
        (["measures", "nope"], 2),
        (["check", "--qrels", "-", "--runs", "-"], 2),
    ):
        command = " ".join(map(shlex.quote, [sys.executable, "-c", PROGRAM, *argv]))
        ended = subprocess.run(
            ["sh", "-c", f"{command} {closed}"], capture_output=True, text=True, input="", check=False
        )
        assert ended.returncode == expected
        assert "Traceback" not in ended.stderr


ODD_NAMES = ("$\\frac$", "a$b", "$x^2$", "é\u4e2d", "naïve\udce9")


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but(ODD_NAMES[-1:], ODD_NAMES))
def test_names_are_text_and_no_formulas(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / name).mkdir()
    (folder / name / "qrels").write_text(QRELS)
    (folder / "run").write_bytes(RUN.replace("tag", name).encode("utf-8", "replace"))
    given = ["--qrels", f"{name}/qrels", "--runs", "run", "--depth", "10", "--out", "out"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # the font has few Chinese letters
        assert main(["study", *given, "--measures", "AP", "P@2", "--min-retrieved", "1"]) == 0
        assert main(["explain", *given, "--topic", "1"]) == 0
    assert (folder / "out" / "curves.svg").exists()


def process(argv: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PROGRAM, *argv], text=True, stderr=subprocess.PIPE, **more)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = process(["measures"], stdout=full)
    assert done.returncode == 2
    assert done.stderr == "maxent measures: error: cannot write the output: No space left on device\n"


@pytest.mark.slow
def test_output_in_another_encoding(folder: Path) -> None:
    (folder / "run").write_text(RUN.replace("tag", "é"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    argv = ["evaluate", "--qrels", "qrels", "--runs", "run", "--out", "out"]
    done = process(argv, stdout=subprocess.PIPE, env=environment)
    assert done.returncode == 0, done.stderr
    assert "\\xe9" in done.stdout
    assert "é" in (folder / "out" / "values.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["explain", "--run", "a", "--topics", "612"], "no option --topics; did you mean --topic?"),
        (["evaluate", "--means"], "no option --means; did you mean --measures?"),
        (["compare", "measures", "--alligns=rank"], "no option --alligns; did you mean --aligns?"),
        (["study", "--0"], "maxent study: error: no option --0 (see maxent study --help)\n"),
    ],
)
def test_an_unknown_option_is_named_with_the_one_like_it(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(argv)
    assert says in capsys.readouterr().err


def test_none_leaves_out_the_bands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--depth", "50", "--band", "None"]) == 0
    assert "bands" not in capsys.readouterr().out


CUBE = """
from dataclasses import dataclass
import numpy as np
import maxent as me
@dataclass(frozen=True, kw_only=True)
class CubeP(me.measures.Measure):
    "Precision whose ranks weigh 1/n^3."
    cutoff: int
    def _form(self, relevant, depth):
        weights = (np.arange(depth) < self.cutoff) / np.arange(1, depth + 1) ** 3
        return me.measures.linear_form(weights / weights.sum(), np.ones(len(relevant)))
"""


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file with a measure, which is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.py"
    path.write_text(CUBE, encoding="utf-8")
    yield path
    me.measures.MEASURES.pop("CubeP", None)
    sys.modules.pop(str(path), None)


def test_a_command_takes_measures_of_a_file(own_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "own.py:CubeP@2=.5", "--relevant", "2", "--depth", "5", "--format", "csv"]) == 0
    assert "CubeP@2" in capsys.readouterr().out
    argv = ["study", "--measures", "own.py:CubeP@10", "own.py:CubeP@2", "--topics", "1-2", "--depth", "20"]
    assert (
        main([*argv, "--solver", "scipy", "--jobs", "2", "--format", "csv"]) == 0
    )  # in processes that lack the file
    assert re.search(r"^retrieved,CubeP@10,1,\d+,2,\d,0\.\d+,", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (f"{CUBE}\n1 / 0", "own.py: cannot be loaded: line 13: ZeroDivisionError: division by zero"),
        ("x = = 1", "own.py: cannot be loaded: line 1: SyntaxError: invalid syntax"),
        (CUBE.replace("CubeP", "AP"), "own.py: no measure 'CubeP'; it has AP"),
        ("import maxent as me\nCubeP = me.AP", "own.py: no measure 'CubeP'; it has none"),
    ],
    ids=["error", "syntax", "another name", "not its own"],
)
def test_a_file_without_the_measure_is_refused(
    source: str, says: str, own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_file.write_text(source, encoding="utf-8")
    refused(["measures", "own.py:CubeP"], says, capsys)
