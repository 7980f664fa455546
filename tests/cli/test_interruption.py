"""Commands that are killed, started twice, or cannot write: no result is lost, mixed with others, or half there."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.cli.process import Terminated, ended_by_signals, signals_waiting
from maxent.errors import WorkerError
from maxent.files import results
from maxent.results import Result, writers
from maxent.studies import StudyOptions, checkpoint_file, study_table
from tests.golden.messages import as_golden, refused
from tests.helpers import PATIENCE, contents, slow_but, sources, wait_for

RESUMES = "; finished topics are kept, the same command goes on from there"
SLOW_STUDY = """
import io, os, sys, time
from maxent.cli import main
from maxent.studies import checkpoint, informativeness

real_open, real_topic = checkpoint.opened, informativeness._study_topic

class Slow(io.FileIO):
    def write(self, content):  # in pieces, so that a kill hits the middle of a line
        time.sleep(0.02)
        return super().write(content[: len(content) // 2 + 1])

def slow_open(file):
    with real_open(file) as opened:
        return Slow(os.dup(opened.fileno()), "r+b")

def slow_topic(topic, options):
    time.sleep(0.1)
    while topic.query_id != "1" and os.path.exists(os.environ.get("HELD", "")):
        time.sleep(0.01)
    return real_topic(topic, options)

checkpoint.opened, informativeness._study_topic = slow_open, slow_topic
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def _control_c_has_its_usual_effect() -> Iterator[None]:
    """It is ignored, also in programs that are started, where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def argv(files: Path, out: Path, *more: str) -> list[str]:
    return ["study", *sources(files), *more, "--out", str(out)]


def start(arguments: Sequence[str], held: Path | None = None) -> subprocess.Popen[str]:
    """Start a study, which does not go on after its first topic while there is a file ``held``."""
    environment = {**os.environ, "HELD": str(held or "")}
    command = [sys.executable, "-c", SLOW_STUDY, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.slow
def test_results_appear_together_or_not_at_all(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full before the last file is written; then there is room again."""
    assert main(argv(files, tmp_path, "--measures", "AP", "P@10")) == 0
    before = contents(tmp_path)
    real = writers.write_figure

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writers, "write_figure", full)
    assert main(argv(files, tmp_path, "--align", "rank")) == 2
    as_golden(capsys.readouterr().err.splitlines()[-1])
    found = contents(tmp_path)
    (partial,) = found.keys() - before.keys()
    assert partial.endswith(".partial"), "the topics need not be solved again"
    assert {name: found[name] for name in before} == before
    monkeypatch.setattr(writers, "write_figure", real)
    monkeypatch.setattr("maxent.studies.topics.solve_arrays", lambda *_, **__: pytest.fail("solved again"))
    assert main(argv(files, tmp_path, "--align", "rank")) == 0
    assert contents(tmp_path).keys() == before.keys() | {"choice.csv"}


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_a_kill_between_renames_leaves_no_file_of_another_command(
    renamed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.csv", "b.csv", "c.csv", "kept"):
        (tmp_path / name).write_text("old")
    real = Path.replace
    done: list[str] = []

    def killed(file: Path, target: Path) -> Path:
        if len(done) == renamed:
            raise SystemExit
        done.append(target.name)
        return real(file, target)

    monkeypatch.setattr(Path, "replace", killed)
    with contextlib.suppress(SystemExit), results(tmp_path, stale=["c.csv"]) as folder:
        for name in ("a.csv", "b.csv", "d.csv"):
            (folder / name).write_text("new")
    assert len(done) == renamed
    assert contents(tmp_path) == {"kept": b"old"} | dict.fromkeys(done, b"new")


def test_a_folder_in_the_place_of_a_result_costs_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    (tmp_path / "b.csv").mkdir()

    def write() -> None:
        with results(tmp_path) as folder:
            (folder / "a.csv").write_text("new")
            (folder / "b.csv").write_text("new")

    with refused(me.MaxentError):
        write()
    assert (tmp_path / "a.csv").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "b.csv"]


def test_results_replace_links_instead_of_following_them(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").symlink_to(tmp_path / "precious")
    with results(tmp_path / "out") as folder:
        writers.write_csv(pd.DataFrame({"a": [1]}), folder / "a.csv")
    assert (tmp_path / "precious").read_text() == "precious"
    assert contents(tmp_path / "out") == {"a.csv": b"a\n1\n"}


def test_a_checkpoint_is_discarded_by_its_study_alone(tmp_path: Path) -> None:
    collection = me.collect(*me.simulate(systems=2, topics=2, depth=50), depth=50)
    options = [
        StudyOptions(measures=(me.AP(),), thresholds=(t,), checkpoint=tmp_path / "a", progress=False)
        for t in (1, 2)
    ]
    for one in options:
        study_table(collection, one)
    assert len(contents(tmp_path)) == 2
    result = Result(title="one", checkpoints=(checkpoint_file(collection, options[0]),))
    result.save(tmp_path / "out")
    assert len(list(tmp_path.glob("a-*"))) == 1


def test_topics_are_kept_only_where_some_are_finished(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def fail(*_: object, **__: object) -> None:
        raise WorkerError("gone")

    out = tmp_path / "out"
    (tmp_path / "study-0.partial").write_text("# a note\n")
    for folder in (out, tmp_path, tmp_path):
        monkeypatch.setattr("maxent.data.embedded.collect", interrupt)
        assert main(argv(files, folder)) == 130
        as_golden(capsys.readouterr().err)
        monkeypatch.setattr("maxent.data.embedded.collect", fail)
        assert main(argv(files, folder)) == 2
        as_golden(capsys.readouterr().err)
        if folder == tmp_path:
            (tmp_path / "study-0.partial").write_text("# a note\n\n0123 a topic\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_end_a_study_with_its_workers(number: int, code: int, files: Path, tmp_path: Path) -> None:
    """With processes as workers; nothing is left of them, and nothing but one line is said."""
    running = start(argv(files, tmp_path, "--solver", "scipy", "--measures", "AP", "--jobs", "2"))
    wait_for(lambda: any(p.stat().st_size > 60 for p in tmp_path.glob("*.partial")) or running.poll() is not None)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    wait_for(lambda: not children.exists() or len(children.read_text().split()) >= 1)
    pids = children.read_text().split() if children.exists() else []
    running.send_signal(number)
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == code
    says = "maxent study: interrupted; finished topics are kept, the same command goes on from there\n"
    assert errors == says
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_control_c_twice_as_a_terminal_sends_it(files: Path, tmp_path: Path) -> None:
    """To all processes of the command; without psutil joblib calls other programs to end its workers."""
    command = [sys.executable, "-c", f"import sys; sys.modules['psutil'] = None{SLOW_STUDY}"]
    command += argv(files, tmp_path, "--solver", "scipy", "--measures", "AP", "--jobs", "2")
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: any(p.stat().st_size > 60 for p in tmp_path.glob("*.partial")) or running.poll() is not None)
    try:
        for _ in range(2):
            os.killpg(running.pid, signal.SIGINT)
            time.sleep(0.01)
        _, errors = running.communicate(timeout=PATIENCE)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
    says = "maxent study: interrupted; finished topics are kept, the same command goes on from there\n"
    assert errors == says
    assert running.returncode in (130, -signal.SIGINT)  # the second may come when all is done


IMPORTED = """
import signal

class Name:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)

class Owner:
    name = Name()  # another exception, were one raised in it

complete = True
"""


def test_control_c_waits_until_a_module_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_when_interrupted.py").write_text(IMPORTED)
    monkeypatch.syspath_prepend(tmp_path)
    with ended_by_signals(), pytest.raises(Terminated), signals_waiting():
        import_module("imported_when_interrupted")
    assert import_module("imported_when_interrupted").complete


INTERRUPTED = """
import os, signal, sys, threading, time
from maxent.cli import main

usual = signal.getsignal(signal.SIGINT)

def interrupt():
    while signal.getsignal(signal.SIGINT) is usual:
        time.sleep(0.001)
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
sys.exit(main(["study"]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("seconds", slow_but([0.2], [0.0, 0.2, 0.5, 1.0]))
def test_control_c_while_libraries_are_loaded(seconds: float) -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED, str(seconds)], capture_output=True, text=True)
    assert ended.returncode == 130
    as_golden(ended.stderr)
