"""The command line through ``main(argv)``: what it prints, what it writes, and how it refuses."""

import argparse
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.cli.commands import COMMANDS, KINDS, Command
from maxent.cli.option_texts import SETTINGS
from maxent.cli.process import in_options
from maxent.cli.signatures import REQUIRED, parameters_of
from maxent.curves.error import ALIGNS
from maxent.measures import MEASURES
from maxent.problem import COUNTS
from maxent.problem.solution import MODELS
from maxent.results.files import TABLE_FILES
from maxent.results.formats import FORMATS
from maxent.solvers import BACKENDS
from tests.conftest import write_collection
from tests.helpers import PROGRAM, sources


@pytest.mark.parametrize("command", [listed for listed in (*COMMANDS.values(), *KINDS.values()) if listed.target])
def test_options_of_a_command_are_those_of_its_function(command: Command) -> None:
    """They are read from its file, without importing it; types and choices stand in the docstring."""
    options, function = parameters_of(command.target), command.function
    kinds, signature = get_type_hints(inspect.unwrap(function)), inspect.signature(function).parameters
    assert list(options) == list(signature)
    for name, option in options.items():
        usual = signature[name].default
        assert option.default in (REQUIRED if usual is inspect.Parameter.empty else usual, argparse.SUPPRESS)
        kind = kinds.get(name, signature[name].annotation)
        if get_origin(kind) is Literal:
            assert option.choices == get_args(kind)


def test_choices_are_those_of_the_library() -> None:
    options = parameters_of(KINDS["measures"].target)
    assert options["counts"].choices == COUNTS
    assert options["models"].choices == MODELS
    assert options["aligns"].choices == ALIGNS
    assert options["solver"].choices == ("auto", *BACKENDS)
    assert SETTINGS["format"]["choices"] == FORMATS
    assert SETTINGS["tables"]["choices"] == tuple(TABLE_FILES)


def run_files(files: Path) -> list[str]:
    return [str(p) for p in sorted((files / "runs").iterdir())]


def study(files: Path, *more: str) -> list[str]:
    return ["study", *sources(files), *more]


def test_a_choice_counts_the_lists_that_it_compares(capsys: pytest.CaptureFixture[str]) -> None:
    """Lists without a document of the top grade have no curve for it, and are not compared."""
    small = ["--depth", "10", "--topics", "1-8", "--g-steps", "3", "--no-refine"]
    assert main(["choose-g", *small, "--min-retrieved", "0", "--min-retrieved-total", "2"]) == 0
    out = capsys.readouterr().out
    finding = re.search(r"on (\d+) of (\d+) lists, (\d+) of", out)
    notes = re.search(r"(?m)^(\d+) lists; (\d+) solved for every measure, of (\d+) topics", out)
    assert finding is not None
    assert notes is not None
    assert finding.groups() == (notes[2], notes[1], notes[3])


def test_measures_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["measure", "constraint", "what", "it", "is", "defined", "in"]
    assert [line.split("  ")[0].strip() for line in lines[1:]] == [cls.usage() for cls in MEASURES.values()]
    for line, cls in zip(lines[1:], MEASURES.values(), strict=True):
        assert line.endswith(cls.reference)
        assert (" yes " in line) == cls.is_form()
        assert (" target " in line) == cls.is_cascade()
    for name, cls in MEASURES.items():
        assert main(["measures", name]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith(cls.usage())
        assert f"Defined in: {cls.reference}" in printed


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


def test_thresholds_that_fewer_lists_reach_and_few_topics_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    some = qrels["query_id"].unique()[:2]
    qrels.loc[qrels["query_id"].isin(some), "relevance"] = qrels["relevance"].clip(upper=1)
    write_collection(tmp_path, runs, qrels)
    limits = ["--min-retrieved", "0", "--min-retrieved-total", "1"]
    assert main(study(tmp_path, "--measures", "GAP", "--g-steps", "2", *limits)) == 0
    printed = capsys.readouterr().out
    assert "18 lists; 12 solved for every measure, of 4 topics" in printed
    assert "left out: 6 (constant: the counts alone fix the value of a measure)" in printed  # of GAP(0, 1)
    assert printed.count("4 topics are few: 95 % intervals over them may cover 90 %") == 1
    table = next(line.split() for line in printed.splitlines() if line.startswith("AP "))
    assert (table[3], table[7]) == ("18", "12")


@pytest.mark.slow
def test_study_without_files_uses_the_embedded_collection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "--g-steps", "3", "--jobs", "2", "--out", str(tmp_path)]) == 0
    assert "embedded collection (simulated): 20 runs x 30 topics, depth 1000" in capsys.readouterr().out
    assert (pd.read_csv(tmp_path / "summary.csv")["lists"] > 400).all()


@pytest.mark.slow
def test_a_profile_is_a_reference(files: Path, tmp_path: Path) -> None:
    profile = me.studies.rank_profile(run_files(files), files / "qrels.txt", depth=150)
    profile.to_csv(tmp_path / "profile.csv")
    argv = study(files, "--measures", "AP", "--reference", str(tmp_path / "profile.csv"))
    assert main([*argv, "--out", str(tmp_path / "study")]) == 0
    expected = me.informativeness(
        {f"system{k}": path for k, path in enumerate(run_files(files), 1)},
        files / "qrels.txt",
        measures=["AP"],
        reference=profile,
        depth=150,
    )
    found = pd.read_csv(tmp_path / "study" / "informativeness.csv", dtype={"query_id": str})
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)


def test_values_without_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "GAP(g=0.5,0.5)=0.35", "--relevant", "30,10", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^status +optimal$", printed, re.M)
    assert "158.8122194697 nats" in printed
    assert {p.name for p in tmp_path.iterdir()} == {"p.csv", "profile.pdf", "profile.png", "profile.svg"}
    p = pd.read_csv(tmp_path / "p.csv").pivot_table(index="rank", columns="grade", values="p")
    np.testing.assert_allclose(p.sum(), [960, 30, 10], rtol=1e-9)


def test_runs_with_one_tag_are_called_by_their_files(files: Path, tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        (tmp_path / name).write_bytes(Path(run_files(files)[0]).read_bytes())
    argv = ["evaluate", "--qrels", str(files / "qrels.txt"), "--runs", str(tmp_path)]
    assert main([*argv, "--out", str(tmp_path / "out")]) == 0
    assert set(pd.read_csv(tmp_path / "out" / "values.csv")["run_id"]) == {"a", "b"}


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
    told = f"replaced {names}, summary.csv; removed choice.csv\n"
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
    assert ("special questions" in printed) == (not argv)


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


def test_few_relevant_documents_get_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n2 0 c 1\n")
    (tmp_path / "run").write_text("1 0 a 1 3 t\n1 0 x 2 2 t\n1 0 b 3 1 t\n2 0 c 1 1 t\n")
    argv = ["--qrels", str(tmp_path / "qrels"), "--runs", str(tmp_path / "run"), "--depth", "5"]
    for command in ("study", "choose-g", "predict"):
        assert main([command, *argv, "--min-retrieved", "5"]) == 2
        printed = capsys.readouterr()
        assert "lists that --min-retrieved would keep: 1: 2, 2: 1, 3: 0, 4: 0, 5: 0" in printed.err
        assert "NaN" not in printed.out
        assert " - " not in printed.out
    assert main(["study", *argv, "--min-retrieved", "1"]) == 0
    assert main(["study", *argv, "--min-retrieved", "0", "--min-retrieved-total", "2"]) == 0
    assert "2 lists; 1 solved" in capsys.readouterr().out


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


@pytest.fixture
def short(tmp_path: Path) -> list[str]:
    """Options that name runs of 20 documents a list."""
    write_collection(tmp_path, *me.simulate(systems=3, topics=4, depth=20))
    return ["--qrels", str(tmp_path / "qrels.txt"), "--runs", str(tmp_path / "runs"), "--min-retrieved", "1"]


def test_short_lists_are_studied_as_long_as_they_are(
    short: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, report = ["study", *short, "--measures", "AP", "nDCG"], tmp_path / "report.html"
    assert main([*study, "--report", str(report)]) == 0
    usual = capsys.readouterr().out
    assert "depth 20, grades" in usual.splitlines()[0]
    assert "half of the depth" not in usual
    assert f"--report {report} --depth 20<" in report.read_text(encoding="utf-8"), "the command gives it again"
    assert main([*study, "--depth", "20"]) == 0
    assert capsys.readouterr().out == usual
    assert main([*study, "--depth", "41"]) == 0
    assert "no list reaches half of the depth, 41: the longest has 20 documents" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        "choose-g --g-steps 3", "choose-measures --candidates AP P@10", "predict --measures AP P@10",
        "compare measures --measures AP P@10",
        "explain --topic 1 --run system1",
    ],
)  # fmt: skip
def test_a_finding_of_lists_that_are_mostly_padding_says_so(
    command: str, short: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    files = short[:-2] if command.startswith("explain") else short
    assert main([*command.split(), *files]) == 0
    usual = capsys.readouterr().out
    assert "half of the depth" not in usual
    assert re.search("depth.20", usual.splitlines()[0])
    assert main([*command.split(), *files, "--depth", "50"]) == 0
    assert "no list reaches half of the depth, 50" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "part"), [(100, 10), (99, 49), (20, 10), (1, 1)])
def test_measures_are_compared_at_the_whole_depth_and_a_part(
    depth: int, part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", "measures", "--depth", str(depth), "--measures", "AP", "P@10", "--min-retrieved", "0"]
    command += ["--min-retrieved-total", "1", "--min-retrieved-by", "threshold", "--out", str(tmp_path)]
    assert main(command) == 0
    at = " and ".join(map(str, sorted({part, depth})))
    assert f"to depth {at}\n" in capsys.readouterr().out
    assert set(pd.read_csv(tmp_path / "differences.csv")["depth"]) == {part, depth}
    assert "whatever" not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("compare measures --topics 1", "a comparison needs at least two measures and two topics"),
        ("compare measures --measures AP AP", "a comparison needs at least two measures and two topics"),
        ("study --measures RR@10", "of independent ranks (--model lists takes it)"),
        ("compare measures --measures RR@10 AP", "of independent ranks (--models lists takes it)"),
        ("study --measures AP --model lists --solver scipy", "--model lists has a solver of its own, got --solver"),
        ("study --measures AP --topics 1 --reference topics", "--reference topics needs lists of other topics"),
        ("study --levels 1", "expected at most --levels 1"),
        ("study --measures AP --min-retrieved 999", "lists that --min-retrieved would keep: 1: "),
    ],
)
def test_messages_name_options(command: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert says in lines[0]


def test_messages_of_the_library_name_parameters() -> None:
    runs, qrels = me.simulate(systems=2, topics=3, depth=50)
    with pytest.raises(me.MaxentError, match="than min_retrieved or min_retrieved_total"):
        me.study(runs, qrels, measures=["AP"], min_retrieved=40)
    with pytest.raises(me.MaxentError, match=r'\(model="lists" takes it\)'):
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
