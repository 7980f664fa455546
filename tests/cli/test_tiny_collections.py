"""Every question has an answer for collections of a few documents, or says in a line why it has none."""

import contextlib
import io
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxent.cli import main

Grades = dict[str, dict[str, int]]  # or scores, of documents of topics
QUESTIONS = {
    "study": "--g-steps 3 --measures GAP AP",
    "choose-g": "--g-steps 3",
    "choose-measures": "--candidates AP P@1 nDCG",
    "predict": "--measures AP nDCG --targets P@1 RR",
    "explain": "",
    "evaluate": "--per-topic",
    "check": "",
    "unjudged": "",
    "reported": "AP=.5 --targets P@1 nDCG",
    "compare systems": "--replicates 20",
    "compare judgments": "--g-steps 3",
    "compare discriminative": "--replicates 20",
    "compare agreement": "--quantile 0",
    "compare pools": "--quantile 0 --repetitions 2",
    "compare measures": "--measures AP nDCG P@1 --references uniform",
}


class Tiny(NamedTuple):
    """A collection: grades by topic, and scores by run and topic."""

    qrels: Grades
    runs: dict[str, Grades]

    def write(self, folder: Path) -> None:
        """Write files in TREC's formats."""
        judged = [f"{topic} 0 {doc} {grade}\n" for topic, docs in self.qrels.items() for doc, grade in docs.items()]
        (folder / "qrels").write_text("".join(judged))
        for name, topics in self.runs.items():
            rows = [
                f"{topic} Q0 {doc} 0 {score} {name}\n"
                for topic, docs in topics.items()
                for doc, score in docs.items()
            ]
            (folder / name).write_text("".join(rows))


def documents(highest: int) -> st.SearchStrategy[dict[str, int]]:
    """One to three documents, each with a number."""
    names = st.sampled_from(["d0", "d1", "d2", "d3"])
    return st.dictionaries(names, st.integers(0, highest), min_size=1, max_size=3)


@st.composite
def tiny_collections(draw: st.DrawFn) -> Tiny:
    """One to three topics, runs, documents and grades; a run may lack topics, but not the first one."""
    topics = [f"q{n}" for n in range(draw(st.integers(1, 3)))]
    grades, scores = documents(draw(st.integers(1, 3))), documents(9)
    lists = st.fixed_dictionaries({"q0": scores}, optional=dict.fromkeys(topics[1:], scores))
    names = [f"r{n}" for n in range(draw(st.integers(1, 3)))]
    return Tiny(draw(st.fixed_dictionaries(dict.fromkeys(topics, grades))), {name: draw(lists) for name in names})


def ends_in_words(command: str, tiny: Tiny, folder: Path, *, text: bool = False, options: str = "") -> None:
    """The command answers, or its error is a line; an exception or a warning would end the test."""
    tiny.write(folder)
    qrels = [str(folder / "qrels")] * (2 if command == "compare judgments" else 1)
    runs = [] if command == "reported" else ["--runs", *(str(folder / name) for name in tiny.runs)]
    runs += ["--run", "r0", "--topic", "q0"] if command == "explain" else []
    output = ["--out", str(folder / "out"), "--report", str(folder / "report.html"), *(["--text"] if text else [])]
    asked = (options or QUESTIONS[command]).split()
    with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
        code = main([*command.split(), *asked, "--qrels", *qrels, *runs, *output])
    assert (folder / "report.html").exists() or (code == 2 and ": error: " in errors.getvalue())


@pytest.mark.parametrize("command", QUESTIONS)
@settings(max_examples=2)
@given(tiny=tiny_collections())
def test_every_question_answers_a_tiny_collection(
    command: str, tmp_path_factory: pytest.TempPathFactory, tiny: Tiny
) -> None:
    ends_in_words(command, tiny, tmp_path_factory.mktemp("tiny"))


@pytest.mark.slow
@pytest.mark.parametrize("command", QUESTIONS)
@settings(max_examples=15)
@given(tiny=tiny_collections(), text=st.booleans())
def test_every_question_answers_many_tiny_collections(
    command: str, tmp_path_factory: pytest.TempPathFactory, tiny: Tiny, text: bool
) -> None:
    ends_in_words(command, tiny, tmp_path_factory.mktemp("tiny"), text=text)


UNREACHED = Tiny({"q0": {"d0": 2, "d2": 1}}, {"r0": {"q0": {"d2": 18, "d4": 18}}})  # by the highest grade
ALONE = Tiny({"q0": {"d2": 1}}, {"r0": {"q0": {"d2": 76, "d3": 30, "d4": 14}}})
ONE_RANK = Tiny({"q0": {"d1": 1, "d2": 1}}, {"r0": {"q0": {"d2": 2}}})
HIGHEST_ELSEWHERE = Tiny({"q0": {"d1": 1}, "q1": {"d2": 2, "d1": 1}}, {"r0": {"q0": {"d0": 9, "d1": 7}}})
PERFECT = Tiny({"q0": {"d0": 1}, "q1": {"d0": 1}}, {"r0": {"q0": {"d0": 3, "d1": 1}, "q1": {"d0": 3, "d1": 2}}})


@pytest.mark.parametrize(
    ("command", "options", "tiny"),
    [
        ("choose-g", "--g-steps 3", UNREACHED),
        ("choose-g", "--g-steps 3 --model ranks", HIGHEST_ELSEWHERE),
        ("study", "--measures GAP", ALONE),
        ("study", "--measures GAP P@1", HIGHEST_ELSEWHERE),
        ("check", "--depth 1", ONE_RANK),
        ("explain", "--measures P@1", ONE_RANK),
        ("study", "--measures AP P@1", PERFECT),
    ],
)
def test_what_once_ended_in_a_traceback(command: str, options: str, tiny: Tiny, tmp_path: Path) -> None:
    ends_in_words(command, tiny, tmp_path, options=options)
