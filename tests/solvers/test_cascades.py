"""ERR, nERR, RR and Success are predicted and evaluated, but independent ranks cannot have their values."""

from pathlib import Path

import pytest

import maxent as me
from maxent.cli import main
from tests.golden.messages import as_golden, refused

TEXTS = ("ERR", "nERR(gain=1,5)@3", "RR", "RR(rel=2)@4", "Success@3")


@pytest.mark.parametrize("text", TEXTS)
def test_a_cascade_is_no_constraint(text: str) -> None:
    problem = me.Problem(me.parse_measure(text), value=0.5, relevant=(3, 2), depth=7, count="total")
    for ask in (lambda: me.solve(problem), lambda: me.solve(problem, solver="cvxpy"), lambda: problem.interval):
        with refused(me.errors.MeasureError):
            ask()


def test_commands_say_so_before_they_solve_anything(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "RR=0.5", "--relevant", "3,2", "--solver", "scipy"]) == 2
    as_golden(capsys.readouterr().err)
    runs = [str(path) for path in sorted((files / "runs").iterdir())[:2]]
    argv = ["study", "--qrels", str(files / "qrels.txt"), "--runs", *runs, "--measures", "ERR", "--topics", "1-2"]
    assert main(argv) == 2
    as_golden(capsys.readouterr().err)
