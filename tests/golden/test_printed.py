"""Every command prints what it printed before, of the embedded collection at a small depth.

The files in ``printed`` hold it. Words are compared to the letter, numbers to a unit of their last printed digit:
what rounds up on one processor may round down on another. This rewrites the files:

    python -m tests.golden.test_printed
"""

import contextlib
import io
import re
import shlex
import tempfile
from pathlib import Path

import pytest

import maxent as me
from maxent.cli import main
from tests.collections import write_collection
from tests.helpers import slow_but
from tests.questions import FUNCTIONS, QUESTIONS

PRINTED = Path(__file__).parent / "printed"
FOLDER = "collection"  # whose name is printed
CALLS = {command: QUESTIONS[function].command for command, function in FUNCTIONS.items()}
QUICK = ("study", "explain", "reported", "evaluate", "check", "measures", "compare judgments", "g-from-clicks")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")


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


def last_digit(number: str) -> float:
    """By how much a printed number may differ: a unit of its last digit, and a whole number not at all."""
    _, point, digits = number.partition(".")
    return 1.01 * 10.0 ** -len(digits) if point else 0.0


@pytest.mark.parametrize("command", slow_but(QUICK, CALLS))
def test_a_command_prints_what_it_printed(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / FOLDER)
    monkeypatch.chdir(tmp_path / FOLDER)
    monkeypatch.setenv("COLUMNS", "40")  # for terminals: pipes get whole lines
    found, expected = printed(command), golden(command).read_text(encoding="utf-8")
    assert NUMBER.sub("#", found).split() == NUMBER.sub("#", expected).split()
    for number, known in zip(NUMBER.findall(found), NUMBER.findall(expected), strict=True):
        assert abs(float(number) - float(known)) <= last_digit(known), (number, known)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        write_files(Path(place, FOLDER))
        with contextlib.chdir(FOLDER):
            for name in CALLS:
                golden(name).write_text(printed(name), encoding="utf-8")
