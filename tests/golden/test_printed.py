"""Every command prints what it printed before, of the embedded collection at a small depth.

The files in ``printed`` hold it. This rewrites the files:

    python -m tests.golden.test_printed
"""

import contextlib
import io
import shlex
import tempfile
from pathlib import Path

import pytest

import maxent as me
from maxent.cli import main
from tests.collections import write_collection
from tests.golden.texts import assert_same_text
from tests.helpers import slow_but
from tests.questions import FUNCTIONS, QUESTIONS

PRINTED = Path(__file__).parent / "printed"
FOLDER = "collection"  # whose name is printed
CALLS = {command: QUESTIONS[function].command for command, function in FUNCTIONS.items()}
QUICK = ("study", "explain", "reported", "evaluate", "check", "measures", "compare judgments", "g-from-clicks")


def write_files(folder: Path) -> None:
    """The files that commands name."""
    runs, qrels = me.simulate(systems=4, topics=4, depth=50)
    write_collection(folder, runs, qrels)
    lines = (f"{q} 0 {d} {min(g, 1)}\n" for q, d, g in qrels.itertuples(index=False))
    (folder / "binary.txt").write_text("".join(lines))
    (folder / "clicks.csv").write_text("grade,impressions,clicks\n0,100,5\n1,100,20\n2,100,50\n")


def printed(command: str) -> str:
    """What a command prints in the current folder."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*command.split(), *shlex.split(CALLS[command])]) == 0
    return out.getvalue()


def golden(command: str) -> Path:
    return PRINTED / f"{command.replace(' ', '-')}.txt"


@pytest.mark.parametrize("command", slow_but(QUICK, CALLS))
def test_a_command_prints_what_it_printed(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / FOLDER)
    monkeypatch.chdir(tmp_path / FOLDER)
    monkeypatch.setenv("COLUMNS", "40")  # for terminals: pipes get whole lines
    assert_same_text(printed(command), golden(command).read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        write_files(Path(place, FOLDER))
        with contextlib.chdir(FOLDER):
            for name in CALLS:
                golden(name).write_text(printed(name), encoding="utf-8")
