"""The command line through ``main(argv)``: what it prints, what it writes, and how it refuses."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import maxent as me
from maxent.cli import main
from maxent.cli.commands import COMMANDS, KINDS, Command
from maxent.cli.option_readers import READERS
from maxent.cli.process import in_options
from maxent.curves import ALIGNS
from maxent.options import REQUIRED, CompareMeasuresQuestion, OutputOptions, Reader, options_of
from maxent.problem import COUNTS, MODELS
from maxent.results import FORMATS, TABLE_FILES
from maxent.solvers import BACKENDS
from tests.golden.messages import as_golden, refused
from tests.helpers import PROGRAM, sources


@pytest.mark.parametrize("command", [listed for listed in (*COMMANDS.values(), *KINDS.values()) if listed.target])
def test_options_of_a_command_are_those_of_its_function(command: Command) -> None:
    """They are declared without importing it; choices stand in the docstring and in the type."""
    options, signature = options_of(*command.takes), inspect.signature(command.function).parameters
    assert [name for name, option in options.items() if not option.stands_for] == list(signature)
    for name, parameter in signature.items():
        option = options[name]
        if name == "qrels" and option.default is REQUIRED:  # a command has no Collection, which has the judgments
            assert parameter.default in (None, inspect.Parameter.empty)
        else:
            default = REQUIRED if parameter.default is inspect.Parameter.empty else parameter.default
            assert option.default in (default,)
        if parameter.default is True:
            assert option.help or option.group == "library", f"{name}: says what it does, not --no-{name}"
        if option.choices:
            words = ", ".join(f'"{word}"' for word in option.choices)
            assert f"{{{words}}}" in option.kind


def test_choices_are_those_of_the_library() -> None:
    options = options_of(CompareMeasuresQuestion, OutputOptions)
    assert options["counts"].choices == COUNTS
    assert options["models"].choices == MODELS
    assert options["aligns"].choices == ALIGNS
    assert options["solver"].choices == ("auto", *BACKENDS)
    assert options["format"].choices == FORMATS
    assert options["tables"].choices == tuple(TABLE_FILES)


def test_every_way_of_reading_a_text_is_there() -> None:
    assert tuple(READERS) == get_args(Reader)


def study(files: Path, *more: str) -> list[str]:
    return ["study", *sources(files), *more]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("P@10", "P(rel=1,judged_only=False)@k"),
        ("ndcg", "nDCG(gain=linear"),
        ("GAP(g=0.5,0.5)", "GAP(g=...)"),
        ("NDGC", "unknown measure 'NDGC'; did you mean nDCG or NDCNG or mnDCG?"),
        ("gap", "unknown measure 'gap'; did you mean GAP?"),
        ("Map", "unknown measure 'Map'; did you mean MAP?"),
    ],
)
def test_measures_are_found_by_their_text_forms(text: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", text]) == (2 if "unknown" in says else 0)
    printed = capsys.readouterr()
    assert says in printed.err if "unknown" in says else printed.out.startswith(says)


@pytest.mark.slow
def test_no_results_of_an_earlier_study_stay(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):  # the second time nothing changes
        assert main(study(files, "--g-steps", "2", "--out", str(tmp_path))) == 0
        assert "earlier results" not in capsys.readouterr().err
    assert (tmp_path / "choice.csv").exists()
    assert main(study(files, "--measures", "AP", "--out", str(tmp_path))) == 0
    assert not (tmp_path / "choice.csv").exists()
    names = ", ".join(f"informativeness.{end}" for end in ("csv", "pdf", "png", "svg"))
    told = f"replaced {names}, references.bib, study_columns.csv, summary.csv; removed choice.csv\n"
    assert f"earlier results in {tmp_path}/ with other numbers: {told}" in capsys.readouterr().err
    assert main(study(files, "--measures", "P@10", "--out", str(tmp_path), "--quiet")) == 0
    assert capsys.readouterr().err == ""


def listed(help_text: str) -> list[str]:
    """The commands and options of a help, one after the other."""
    return re.findall(r"^  +(--?\w[\w-]*(?:, --\w+)?|[a-z][a-z-]+)(?=  |$|\n)", help_text, re.M)


@pytest.mark.parametrize(("argv", "names"), [([], list(COMMANDS)), (["compare"], list(KINDS))])
def test_without_a_command_the_help_lists_them(
    argv: list[str], names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert [name for name in listed(printed) if name in names] == names
    assert ("more questions" in printed) == (not argv)


def test_a_help_begins_with_the_files_and_ends_with_what_is_seldom_needed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["study", "--help"])
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", capsys.readouterr().out, re.M)
    assert options[:2] == ["--qrels", "--runs"]
    assert options[-4:] == ["--solver", "--cluster", "--seed", "--tables"]
    first = options.index("--min-retrieved")
    assert options[first : first + 3] == ["--min-retrieved", "--min-retrieved-by", "--min-retrieved-total"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"maxent {me.__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize("options", [["measures"], ["--help"], ["study", "--help"]])
def test_a_reader_that_has_seen_enough_ends_a_command_quietly(options: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as pipe:
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, *options], stdout=pipe, stderr=subprocess.PIPE, text=True
        )
    assert ended.stderr == ""
    # argparse itself ignores closed pipes, from Python 3.11.3 on
    assert ended.returncode in ((0, 141) if "--help" in options else (141,))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "compare measures --topics 1",
        "compare measures --measures AP AP",
        "study --measures RR@10",
        "compare measures --measures RR@10 AP",
        "study --measures AP --model lists --solver scipy",
        "study --measures AP --topics 1 --reference topics",
        "study --levels 1",
        "study --measures AP --min-retrieved 999",
    ],
)
def test_messages_name_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    as_golden(lines[0])


def test_messages_of_the_library_name_parameters() -> None:
    runs, qrels = me.simulate(systems=2, topics=3, depth=50)
    with refused(me.MaxentError):
        me.study(runs, qrels, measures=["AP"], min_retrieved=40)
    with refused(me.MaxentError):
        me.informativeness(runs, qrels, measures=["RR@10"])


def test_names_of_files_are_no_options() -> None:
    text = "min_retrieved/min_retrieved: count='total', levels=2. my-count=1, 'levels=2' and min_retrieved_by"
    flags = {
        "count": "--count",
        "levels": "--levels",
        "min_retrieved_by": "--by",
        "min_retrieved": "--min-retrieved",
    }
    expected = "min_retrieved/min_retrieved: --count total, --levels 2. my-count=1, 'levels=2' and --by"
    assert in_options(text, flags) == expected
