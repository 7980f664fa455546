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
from tests.golden.messages import as_golden
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


def error_of(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line in which a command is refused; it writes nothing."""
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
    assert len(errors[0]) < 5000
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before
    return errors[0]


BAD_RUNS: dict[str, str | bytes] = {
    "other topics": "9 Q0 a 1 2.0 tag\n",
    "truncated gzip": gzip.compress(RUN.encode() * 99)[:-9],
}


BAD_QRELS: dict[str, str | bytes] = {
    "empty": "",
    "a run file": RUN,
    "grade 101": QRELS + "2 0 d 101\n",
    "nothing relevant": "1 0 a 0\n2 0 c -1\n",
}


BAD_STUDIES: dict[str, list[str]] = {
    "no such run": ["--runs", "none"],
    "empty runs": ["--runs", ""],
    "empty out": ["--out", ""],
    "NUL in runs": ["--runs", "a\0b"],
    "file as out": ["--out", "run"],
    "below a file": ["--out", "run/below"],
    "name of a figure as out": ["--out", "new/x.SVG"],
    "long out": ["--out", "o" * 256],
    "long report": ["--report", "r" * 251 + ".html"],
    "device as out": ["--out", "/dev/full/out"],
    "pipe as run": ["--runs", "pipe"],
    "empty folder as runs": ["--runs", "folder"],
    "weight twice": ["--weights", "1=1,1=2"],
    "weights misspelt": ["--weights", "1:2"],
    "unknown topic": ["--topics", "9"],
    "no topic": ["--topics", ""],
    "depth 0": ["--depth", "0"],
    "depth of a billion": ["--depth", "1000000000"],
    "no jobs": ["--jobs", "0"],
    "negative seed": ["--seed", "-1"],
    "one step": ["--g-steps", "1"],
    "steps without a g": ["--measures", "AP", "--g-steps", "5"],
    "unknown measure": ["--measures", "MAX"],
    "all lists left out": ["--min-retrieved", "9"],
}


@pytest.mark.parametrize("kind", BAD_STUDIES)
def test_bad_arguments_of_a_study(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = BAD_STUDIES[kind]
    (folder / "folder").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    given = {"--qrels": ["qrels"], "--runs": ["run"], "--min-retrieved": ["1"], "--depth": ["10"]}
    given |= {more[0]: more[1:]}
    argv = ["study", *(word for option, values in given.items() for word in (option, *values))]
    as_golden(error_of(argv, capsys))


BAD_CLICKS: dict[str, str | bytes] = {
    "no column": "grade,clicks\n1,2\n",
    "int64 overflow": CLICKS + f"2,{2**62},5\n" * 2,
    "too many": CLICKS + f"2,{2**52},5\n" * 2,
    "grade of a billion": CLICKS + f"{10**9},10,5\n",
    "a fraction": CLICKS + "1,2.5,1\n",
}
TABLE = "run,AP,RR,team\nx,.3,.4,a\n"
BAD_TABLES: dict[str, str | bytes] = {
    "empty": "",
    "header only": "run,AP\n",
    "too wide": TABLE + "y,.3,.4,a,b\n",
    "too narrow": TABLE + "y,.3\n",
    "column twice": "run,AP,AP\nx,.3,.4\n",
    "measure twice": "run,AP,map\nx,.3,.4\n",
    "underscore": TABLE + "y,1_0,.4,a\n",
    "Arabic digit": TABLE + "y,.3,١,a\n",
    "decimal comma": TABLE + 'y,.3,"0,4",a\n',
    "Latin-1": TABLE.encode() + b"\xfc,.3,.4,a\n",
    "semicolons and decimal commas": "run;AP\nx;0,3\n",
    "bars": "run|AP\nx|.3\n",
    "open quotes": TABLE + '"y,.3,.4,a\nz,.3,.4,a\n',
    "system twice": TABLE + "x,.3,.4,a\n",
}
REFERENCE = "rank,1,2\n1,.5,.2\n"
BAD_REFERENCES: dict[str, str | bytes] = {
    "rank twice": REFERENCE + "1,.5,.2\n",
    "no such rank": REFERENCE + "3,.5,.2\n",
    "no rank": "1,2\n.5,.2\n",
    "order of grades": "rank,2,1\n1,.5,.2\n",
    "negative": REFERENCE + "2,.5,-1\n",
    "probabilities of fewer grades": "rank,0,1\n1,.5,.5\n",
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
    content = bad[kind]
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    as_golden(error_of([*argv, "--out", "out"], capsys))


BAD_COMMANDS: dict[str, list[str]] = {
    "explain: no number": ["explain", "AP=x", "--relevant", "3"],
    "explain: twice": ["explain", "AP=.3", "AP=.4", "--relevant", "3"],
    "explain: too many": ["explain", "AP=.3", "--relevant", "30", "--depth", "9"],
    "qrels alone": ["study", "--qrels", "qrels"],
    "average twice": ["reported", "--qrels", "qrels", "AP=.3", "AP=.2"],
    "address as table": ["reported", "--qrels", "qrels", "--table", "http://localhost/t.csv"],
    "no average": ["reported", "--qrels", "qrels"],
    "unknown command": ["studdy"],
    "kind as command": ["compare_systems"],
    "kind without compare": ["agreement"],
    "no command like it": ["xyz"],
    "unknown kind": ["compare", "sytems"],
    "unknown choice": ["study", "--count", "totl"],
    "option of another command": ["study", "--baseline", "a"],
    "measure of a missing file": ["study", "--measures", "own.py:CubeP@10"],
    "unknown measure": ["measures", "CubeP"],
    "cutoff without @": ["measures", "P10"],
    "file without a measure": ["measures", "own.py"],
    "another word": ["evaluate", "--metrics", "AP"],
    "choose-g: all lists left out": ["choose-g", "--qrels", "qrels", "--runs", "run", "--min-retrieved", "5"],
}


@pytest.mark.parametrize("kind", BAD_COMMANDS)
def test_bad_arguments(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_golden(error_of(BAD_COMMANDS[kind], capsys))


def test_an_unknown_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "'studdy'" in error_of(["studdy"], capsys)  # in words of Python


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_permission(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "locked").mkdir(mode=0o500)
    assert "permission" in error_of(["study", "--out", "locked/out"], capsys)


def test_a_folder_that_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system that is mounted read-only."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    as_golden(error_of(["study", "--out", "out"], capsys))


@pytest.mark.slow
def test_a_file_that_is_too_large(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxent.data.lines.SIZE", Limit("size", 1_000_000))
    large = RUN.encode() + b"\n" * 3_000_000
    (folder / "run").write_bytes(large)
    as_golden(error_of(STUDY, capsys))
    for compressed in (gzip.compress, bz2.compress, lzma.compress, zstandard.compress, lz4.frame.compress):
        (folder / "run").write_bytes(compressed(large))
        assert "decompressed" in error_of(STUDY, capsys)  # to a size that depends on the library
    (folder / "run").write_bytes(gzip.compress(RUN.encode()) + gzip.compress(b"\n" * 3_000_000))
    assert "decompressed" in error_of(STUDY, capsys)
    monkeypatch.setenv("MAXENT_LIMITS", "no-size")
    assert main(STUDY) == 0


def test_the_size_of_a_parquet_file_is_that_of_its_texts(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxent.data.parquet.SIZE", Limit("size", 1_000_000))
    table = pd.DataFrame({"query_id": map(str, range(50)), "doc_id": "a" * 100_000, "score": 1.0})
    table.to_parquet(folder / "run")
    assert (folder / "run").stat().st_size < 20_000
    as_golden(error_of(STUDY, capsys))
    (folder / "run").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    assert "truncated or corrupt" in error_of(STUDY, capsys)  # and then what pyarrow says


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
    assert "decompressed size is 1200" in error_of(STUDY, capsys)
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
    as_golden(done.stderr)


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
    "argv",
    [
        ["explain", "--run", "a", "--topics", "612"],
        ["evaluate", "--means"],
        ["compare", "measures", "--alligns=rank"],
        ["study", "--0"],
    ],
)
def test_an_unknown_option_is_named_with_the_one_like_it(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(argv)
    as_golden(capsys.readouterr().err.splitlines()[-1])


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
    argv = [
        "study",
        "--measures",
        "own.py:CubeP@10 & AP",
        "own.py:CubeP@10",
        "own.py:CubeP@2",
        "--topics",
        "1-2",
        "--depth",
        "20",
    ]
    assert (
        main([*argv, "--solver", "scipy", "--jobs", "2", "--format", "csv"]) == 0
    )  # in processes that lack the file
    assert re.search(r"^retrieved,CubeP@10,1,\d+,2,\d,0\.\d+,", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    "source",
    [
        f"{CUBE}\n1 / 0",
        "x = = 1",
        CUBE.replace("CubeP", "AP"),
        "import maxent as me\nCubeP = me.AP",
    ],
    ids=["error", "syntax", "another name", "not its own"],
)
def test_a_file_without_the_measure_is_refused(
    source: str, own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_file.write_text(source, encoding="utf-8")
    as_golden(error_of(["measures", "own.py:CubeP"], capsys))
