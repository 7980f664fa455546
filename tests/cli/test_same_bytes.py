"""Equal input gives equal bytes, whatever the hash seed, workers, processors, and order of the files."""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from maxent.cli import main
from maxent.cli.process import THREADS
from tests.helpers import PROGRAM, contents, slow_but

STUDIES = {
    "study": ["--g-steps", "3", "--measures", "GAP", "P@10", "AP & P@10"],
    "choose-g": ["--g-steps", "3", "--no-refine"],
    "choose-measures": ["--candidates", "AP", "P@10", "nDCG"],
    "predict": ["--measures", "AP", "P@10"],
}


def argv(command: str, files: Path, out: Path | str, *more: str, backwards: bool = False) -> list[str]:
    runs = sorted(map(str, (files / "runs").iterdir()), reverse=backwards)
    given = ["--qrels", str(files / "qrels.txt"), "--runs", *runs, "--depth", "60"]
    return [command, *given, *STUDIES[command], *more, "--out", str(out)]


@pytest.mark.slow
@pytest.mark.parametrize("command", slow_but(["study"], STUDIES))
def test_order_of_files_and_threads_change_no_byte(command: str, files: Path, tmp_path: Path) -> None:
    assert main(argv(command, files, tmp_path / "one")) == 0
    assert main(argv(command, files, tmp_path / "two", "--jobs", "2", backwards=True)) == 0
    assert len(contents(tmp_path / "one")) > 1
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    if command == "study":  # rows are by topic of the judgments, then by name of the run
        table = pd.read_csv(tmp_path / "two" / "informativeness.csv", dtype={"query_id": str})
        keys = table[["query_id", "run_id"]].drop_duplicates().itertuples(index=False, name=None)
        assert list(keys) == [(topic, f"system{s}") for topic in ("1", "2", "3", "4") for s in (1, 2, 3)]


def run(argv: Sequence[str], folder: Path, **environment: str) -> None:
    """Run a command in a process of its own, in which nothing is loaded yet."""
    command = [sys.executable, "-c", PROGRAM, *argv]
    subprocess.run(command, cwd=folder, env=os.environ | environment, check=True, capture_output=True)


@pytest.mark.slow
def test_forty_runs_at_once_by_fours_print_and_write_the_same_bytes(tmp_path: Path) -> None:
    """Of lists with ties, of which notes tell."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 2\n2 0 a 1\n2 0 c 2\n")
    for name in ("r", "s"):
        lists = (f"{topic} Q0 {doc} 0 1 {name}\n" for topic in "12" for doc in "abc")
        (tmp_path / name).write_text("".join(lists))
    words = ["study", "--measures", "GAP", "AP", "--qrels", "../qrels", "--runs", "../r", "../s", "--out", "out"]
    words += ["--report", "report.html", "--jobs", "2"]

    def outcome(number: int) -> tuple[bytes, bytes, dict[str, bytes]]:
        folder = tmp_path / str(number)
        folder.mkdir()
        command = [sys.executable, "-c", PROGRAM, *words]
        ended = subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return ended.stdout, ended.stderr, contents(folder) | contents(folder / "out")

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(outcome, range(40))
    assert b"lists with tied scores, ordered by document id: r (2 of 2), s (2 of 2)" in first[0]
    assert all(other == first for other in others)


@pytest.mark.slow
def test_hash_seeds_and_libraries_change_no_byte_not_even_of_a_report(files: Path, tmp_path: Path) -> None:
    found = []
    for number in ("1", "2"):
        folder = tmp_path / number
        folder.mkdir()
        arguments = argv("study", files, "out", "--report", "report.html")
        run(arguments, folder, PYTHONHASHSEED=number, OPENBLAS_NUM_THREADS=number)
        found.append(contents(folder / "out") | {"report": (folder / "report.html").read_bytes()})
    assert found[0] == found[1]


@pytest.mark.slow
def test_worker_processes_change_no_byte(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    few = ["--solver", "cvxpy", "--topics", "1-2", "--depth", "20", "--min-retrieved", "1"]
    run(argv("choose-g", files, tmp_path / "one", *few, "--jobs", "1"), tmp_path)
    assert main(argv("choose-g", files, tmp_path / "two", *few, "--jobs", "2")) == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
