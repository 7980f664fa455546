"""How the command line is given runs and judgments: names, patterns, the standard input, scales of grades."""

import io
import os
from pathlib import Path

import pandas as pd
import pytest

from maxent.cli import main
from tests.golden.messages import as_golden, refused

QRELS = "1 0 a 2\n1 0 b 1\n2 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 b 1 2.0 tag\n1 Q0 a 2 1.0 tag\n2 Q0 x 1 1.0 tag\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one.run").write_text(RUN)
    return tmp_path


def evaluate(folder: Path, *more: str, qrels: str = "", runs: tuple[str, ...] = ()) -> pd.DataFrame:
    """Values that ``maxent evaluate`` writes."""
    out = folder / "out"
    sources = ["--qrels", qrels or str(folder / "qrels"), "--runs", *(runs or (str(folder / "runs"),))]
    assert main(["evaluate", *sources, "--measures", "AP", "--depth", "5", "--out", str(out), *more]) == 0
    return pd.read_csv(out / "values.csv", dtype={"query_id": str})


def test_runs_have_the_names_they_are_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(folder / "runs" / "one.run")
    assert set(evaluate(folder, runs=(f"first={path}", f"second={path}"))["run_id"]) == {"first", "second"}
    assert set(evaluate(folder, runs=(str(folder / "runs" / "*.run"),))["run_id"]) == {"tag"}
    (folder / "a=b").write_text(RUN.replace("tag", "own"))  # a file may be called so
    assert set(evaluate(folder, runs=(str(folder / "a=b"),))["run_id"]) == {"own"}
    for rate in ("lr=0.1", "lr=0.2"):
        (folder / rate).mkdir()
        (folder / rate / "run.txt").write_text(RUN)
    (folder / "lr=0.3").mkdir()
    monkeypatch.chdir(folder)
    assert set(evaluate(folder, runs=("lr=*/run.txt",))["run_id"]) == {"lr=0.1/run.txt", "lr=0.2/run.txt"}


def test_the_standard_input_is_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = evaluate(folder)
    for option, text in ((("--qrels", "-"), QRELS), (("--runs", "-"), RUN)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        given = {"qrels": "-"} if option[0] == "--qrels" else {"runs": ("-",)}
        pd.testing.assert_frame_equal(evaluate(folder, **given), expected)


def test_one_standard_input_cannot_be_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--qrels", "-", "--runs", "-"]) == 2
    as_golden(capsys.readouterr().err)


def test_ratings_become_grades(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(folder, "--grades", "1=0,2=1")["value"].tolist() == [0.5, 0, 0]
    (folder / "real").write_text("1 0 a .9\n1 0 b .3\n2 0 c .6\n")
    qrels = str(folder / "real")
    assert evaluate(folder, "--bins", ".5,.75", qrels=qrels)["value"].tolist() == [0.5, 0]
    with refused(SystemExit):
        main(["evaluate", "--qrels", qrels, "--runs", str(folder / "runs"), "--grades", "1:0"])
    as_golden(capsys.readouterr().err.splitlines()[-1])  # what is before it depends on Python


@pytest.mark.slow
def test_names_of_files_that_are_no_utf8(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in any old archive; pandas gives its texts to pyarrow, which has to be installed to see this fail."""
    pytest.importorskip("pyarrow")
    runs, out = folder / "runs", folder / "out"
    for name in (b"x\xff", b"y\xfe"):  # of one tag: they are called by their names
        with open(os.path.join(os.fsencode(runs), name), "wb") as file:
            file.write(RUN.encode())
    sources = ["--qrels", str(folder / "qrels"), "--runs", str(runs)]
    few = ["--depth", "5", "--out", str(out)]
    assert main(["evaluate", *sources, *few, "--measures", "AP"]) == 0
    assert main(["check", *sources]) == 0
    report = ["--report", str(folder / "report.html")]
    assert main(["study", *sources, *few, *report, "--measures", "AP", "P@2", "--min-retrieved", "1"]) == 0
    assert main(["compare", "systems", *sources, *few, "--measures", "AP"]) == 0
    assert "x\\xff" in capsys.readouterr().out
    assert "x\\xff" in (folder / "report.html").read_text(encoding="utf-8")
    named = f"n\udcc3\udca9={runs}/one.run"  # "né", as a POSIX locale gives it
    assert main(["evaluate", "--qrels", str(folder / "qrels"), "--runs", named, "--measures", "AP"]) == 0
    assert "né" in capsys.readouterr().out
    with open(os.path.join(os.fsencode(runs), b"z\xff"), "wb") as file:
        file.write(b"one word\n")
    assert main(["check", *sources]) != 0


def test_a_repeated_option_adds_its_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for name in "xyz":
        (tmp_path / name).write_text(f"1 Q0 a 1 1.0 {name}\n")
    runs = [f"--runs={tmp_path / name}" for name in "xy"]
    argv = ["evaluate", "--qrels", str(tmp_path / "qrels"), *runs, "--runs", str(tmp_path / "z")]
    assert main([*argv, "--measures", "AP", "--measures", "P@1", "--format", "csv", "--wide", "-q"]) == 0
    assert capsys.readouterr().out.splitlines() == ["run_id,AP,P@1", *(f"{name},1.0000,1.0000" for name in "xyz")]
