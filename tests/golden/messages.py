"""The words of messages that tests provoke: of errors, of warnings, and of what is printed or returned.

A test writes ``with refused(InputError):`` itself, or ``with warned(InputWarning):``, or ``as_golden(text)``. The
message, whole and with the name of its class, is compared with the next one of the test in the file of its room:
``messages/data.txt`` for ``tests/data``, ``messages/tests.txt`` for files of ``tests`` itself. So words stand there
alone, and tests assert fields. What differs between machines is replaced first: paths by the names of the fixtures
that gave them, addresses of objects, digits after the sixth, by how much a solver that failed missed a bound, and
what a library says of a corrupt file. This writes what tests of these files, or of all files, provoke now, and
removes what no test provokes:

    python -m tests.golden.test_messages [FILE ...]
"""

import functools
import inspect
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest

from tests.golden.texts import assert_same_text

CALLS = re.compile(r"\b(?:refused|warned|as_golden)\(")
FOLDER = Path(__file__).parent / "messages"
TESTS = FOLDER.parents[1]
COMMAND = "python -m tests.golden.test_messages"
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
CORRUPT = re.compile(r"(?<=truncated or corrupt \()(?!it ends)[^)]+")
MISSED = re.compile(r"\S+(?= \(accepted up to )")
SHAPE_TYPE = "ndarray[tuple[typing.Any, ...], "  # before numpy 2.2 the type of shapes is typing.Any
LONG = re.compile(r"(?<![.\d])\d+\.\d{6,}(?:e[+-]?\d+)?")

Error = TypeVar("Error", bound=BaseException)
Messages = dict[str, tuple[str, ...]]
"""The messages of tests by their ids."""


@dataclass(frozen=True)
class Recording:
    """What one test provokes: its id, names of paths, the messages so far; golden ones, but not for rewriting."""

    test: str
    paths: dict[str, str]
    golden: tuple[str, ...] | None
    messages: list[str] = field(default_factory=list)


CURRENT: ContextVar[Recording] = ContextVar("CURRENT")
REWRITING, COLLECTED = pytest.StashKey[Messages](), pytest.StashKey[set[str]]()


@contextmanager
def refused(
    error: type[Error] | tuple[type[Error], ...],
) -> Iterator[pytest.ExceptionInfo[Error]]:
    """The block raises this error, with the golden words."""
    with pytest.raises(error) as caught:
        yield caught
    as_golden(f"{caught.type.__name__}: {caught.value}")


@contextmanager
def warned(category: type[Warning]) -> Iterator[pytest.WarningsRecorder]:
    """The block warns so, with the golden words: of each warning, in their order."""
    with pytest.warns(category) as caught:
        yield caught
    for warning in caught:
        if issubclass(warning.category, category):
            as_golden(f"{warning.category.__name__}: {warning.message}")


def as_golden(text: str) -> None:
    """The text is the next golden one of the running test."""
    __tracebackhide__ = True
    recording = CURRENT.get()
    text = normalised(text, recording.paths)
    recording.messages.append(text)
    if recording.golden is None:
        return
    number = len(recording.messages)
    if number > len(recording.golden):
        pytest.fail(f"no golden message {number} of {recording.test}; `{COMMAND}` writes it: {text}")
    try:
        assert_same_text(text, recording.golden[number - 1])
    except AssertionError as error:
        error.add_note(
            f"golden: {recording.golden[number - 1]}\nnow:    {text}\n`{COMMAND}` writes what it says now"
        )
        raise


def normalised(text: str, paths: dict[str, str]) -> str:
    """A text without what differs between machines and runs."""
    for path in sorted(paths, key=len, reverse=True):
        text = text.replace(path, paths[path])
    text = ADDRESS.sub("0x...", text)
    text = text.replace(SHAPE_TYPE, "ndarray[typing.Any, ")
    text = CORRUPT.sub("...", MISSED.sub("...", text))
    text = LONG.sub(lambda number: f"{float(number[0]):.6g}", text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


# the golden files


def file_of(test: str) -> Path:
    """The golden file that has the messages of a test."""
    _, room, *below = test.partition("::")[0].split("/")
    return FOLDER / f"{room if below else 'tests'}.txt"


@functools.cache
def read(file: Path) -> Messages:
    """The messages in a golden file.

    A section has the ids of tests, a line each, and then the messages that each of them provokes: ``- `` before the
    first line of a message, and two spaces before others.
    """
    messages: Messages = {}
    for section in file.read_text(encoding="utf-8").strip().split("\n\n") if file.exists() else ():
        tests, *texts = section.split("\n- ")
        for test in tests.split("\n"):
            messages[test] = tuple(text.replace("\n  ", "\n") for text in texts)
    return messages


def write(file: Path, messages: Messages) -> None:
    """Write a golden file, in the order of ids; cases of a test that provoke the same share a section.

    A file without messages is removed.
    """
    if not messages:
        file.unlink(missing_ok=True)
        return
    sections: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for test in sorted(messages):
        sections.setdefault((test.partition("[")[0], messages[test]), []).append(test)
    lines = [
        "\n".join([*tests, *("- " + text.replace("\n", "\n  ") for text in texts)])
        for (_, texts), tests in sections.items()
    ]
    file.write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def golden_messages() -> Messages:
    """The messages of all golden files."""
    return {test: messages for file in FOLDER.glob("*.txt") for test, messages in read(file).items()}


def orphans(tests: set[str]) -> list[str]:
    """Tests that golden files name, but that are not among the collected ones of their file, or have none."""
    files = {file_name(test) for test in tests}
    return [
        test
        for test in golden_messages()
        if test not in tests and (file_name(test) in files or not (TESTS.parent / file_name(test)).exists())
    ]


def file_name(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


# hooks of pytest, which conftest.py takes over


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Remember the tests of every file before some are left out."""
    config.stash[COLLECTED] = {item.nodeid for item in items}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Record what a test provokes; one that passed has provoked every golden message."""
    rewritten = item.config.stash.get(REWRITING, None)
    golden = read(file_of(item.nodeid)).get(item.nodeid, ()) if rewritten is None else None
    fixtures = getattr(item, "funcargs", {}).items()
    paths = {str(value): f"<{name}>" for name, value in fixtures if isinstance(value, Path)}
    recording = Recording(item.nodeid, {str(item.config.rootpath): "<root>", **paths}, golden)
    token = CURRENT.set(recording)
    try:
        result = yield
    finally:
        CURRENT.reset(token)
    if rewritten is not None:
        rewritten[item.nodeid] = tuple(recording.messages)
    elif golden and len(recording.messages) < len(golden):
        missing = golden[len(recording.messages)]
        pytest.fail(f"{item.nodeid} provokes a golden message no more; `{COMMAND}` removes it: {missing}")
    return result


def source(item: pytest.Item) -> str:
    """The source of a test."""
    return inspect.getsource(item.function) if isinstance(item, pytest.Function) else ""


class Rewriting:
    """A plugin for one run, which writes the golden files in place of comparing with them."""

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[REWRITING] = {}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Run the tests alone that provoke messages, or did so."""
        before = golden_messages()
        items[:] = [item for item in items if item.nodeid in before or CALLS.search(source(item))]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        rewritten = session.config.stash[REWRITING]
        gone = orphans(session.config.stash[COLLECTED])
        messages = {
            test: texts for test, texts in (golden_messages() | rewritten).items() if texts and test not in gone
        }
        files = {file_of(test) for test in messages} | set(FOLDER.glob("*.txt"))
        for file in files:
            write(file, {test: texts for test, texts in messages.items() if file_of(test) == file})


def rewrite(files: Iterable[str]) -> int:
    """Run the tests of these files, or of all that provoke messages, and write these."""
    return pytest.main(["-q", *files], plugins=[Rewriting()])
