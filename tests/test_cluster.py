"""Studies on a real cluster: a Dask scheduler and two workers, each a process of its own."""

import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import joblib
import pandas as pd
import pytest
from distributed import Client

import maxent as me
from maxent.cli import main
from maxent.cli.cluster import silenced
from maxent.studies import Results, StudyOptions, Topic, informativeness, topics
from maxent.workers import workers
from tests.conftest import Script
from tests.golden.messages import as_golden
from tests.helpers import PATIENCE, contents, slow_but, sources, wait_for

RESUMES = "; finished topics are kept, the same command goes on from there"
SLOW_STUDY = """
import sys
from maxent.cli import cluster, main
from maxent.studies import informativeness, topics
from tests.helpers import PATIENCE
from tests.test_cluster import slow_topic

informativeness._study_topic, topics.BLOCK, cluster.SECONDS = slow_topic, 1, PATIENCE
sys.exit(main(sys.argv[1:]))
"""
real_topic = informativeness._study_topic


def slow_topic(topic: Topic, options: StudyOptions) -> Results:
    """After the first topic, wait until a study is no longer held (by a file beside that of the scheduler)."""
    wait_for(lambda: topic.query_id == "1" or not os.path.exists(os.environ.get("HELD", "")))
    return real_topic(topic, options)


class Cluster:
    """A scheduler and its workers as processes."""

    def __init__(self, folder: Path) -> None:
        self.file, self.held = folder / "scheduler.json", folder / "held"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_for(self.file.exists)
        with self.client() as client:
            self.address = client.scheduler.address

    def start(self, program: str, *options: str, path: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs."""
        given = ["--scheduler-file", str(self.file), "--no-dashboard", *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*path, *sys.path]), "HELD": str(self.held)}
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *given],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def worker(self, path: Sequence[str] = (), threads: int = 1) -> subprocess.Popen[bytes]:
        """Start a worker, and nothing that would start it again."""
        return self.start("dask_worker", "--no-nanny", "--nthreads", str(threads), path=path)

    def client(self) -> Client:
        """Connect."""
        return Client(scheduler_file=str(self.file), timeout=PATIENCE)

    def end(self) -> None:
        """Kill all that still runs."""
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of two workers."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        for _ in range(2):
            found.worker()
        with found.client() as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        yield found
    finally:
        found.end()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler of a test's own, without workers."""
    (tmp_path / "cluster").mkdir()
    found = Cluster(tmp_path / "cluster")
    try:
        yield found
    finally:
        found.end()


@pytest.fixture(autouse=True)
def lists_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block has one run, so that a small collection has many; a scheduler may take its time."""
    monkeypatch.setattr(topics, "BLOCK", 1)
    monkeypatch.setattr("maxent.cli.cluster.SECONDS", PATIENCE)


@pytest.fixture
def only_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is solved in this process."""
    monkeypatch.setattr("maxent.studies.topics.solve_arrays", lambda *_, **__: pytest.fail("solved here"))
    monkeypatch.setattr("maxent.studies.refine_g.solved_lists", lambda *_, **__: pytest.fail("solved here"))


def argv(command: str, files: Path, out: Path, *more: str) -> list[str]:
    grid = [] if command == "predict" else ["--g-steps", "2"]
    return [command, *sources(files), *grid, *more, "--out", str(out)]


@pytest.fixture(scope="module")
def whole(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the commands on this machine."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topics, "BLOCK", 1)
        for command in ("study", "choose-g", "predict"):
            assert main(argv(command, files, folder / command)) == 0
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("only_there")
@pytest.mark.parametrize("command", ["study", "choose-g", "predict"])
def test_the_same_bytes_as_on_one_machine(
    command: str, shared: Cluster, files: Path, whole: Path, tmp_path: Path
) -> None:
    assert main(argv(command, files, tmp_path, "--cluster", shared.address)) == 0
    assert contents(tmp_path) == contents(whole / command)


@pytest.mark.slow
def test_the_same_text_as_on_one_machine(
    shared: Cluster, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Announcements and warnings of the package are printed whatever Dask logs."""
    assert main(argv("study", files, tmp_path)) == 0
    here = capsys.readouterr()
    assert main(argv("study", files, tmp_path, "--cluster", shared.address)) == 0
    there = capsys.readouterr()
    assert "3 runs x 4 topics" in here.out.splitlines()[0]
    assert (there.out, there.err) == (here.out, here.err)


def test_only_the_logs_of_the_named_packages_are_silenced(caplog: pytest.LogCaptureFixture) -> None:
    ours, theirs = logging.getLogger("maxent"), logging.getLogger("distributed.client")
    with silenced(["distributed"]):
        ours.warning("a damaged part")
        theirs.warning("lost connection")
    theirs.warning("later")
    assert caplog.messages == ["a damaged part", "later"]


def study() -> pd.DataFrame:
    runs, qrels = me.simulate(systems=2, topics=3, depth=50)
    return me.informativeness(runs, qrels, measures=["AP", "P@10"], depth=50, min_retrieved=1, progress=False)


@pytest.mark.slow
def test_the_back_end_of_joblib_is_enough(shared: Cluster, request: pytest.FixtureRequest) -> None:
    here = study()
    with shared.client() as client:
        with joblib.parallel_config("threading"):
            pd.testing.assert_frame_equal(study(), here)
        request.getfixturevalue("only_there")
        with joblib.parallel_config("dask", client=client):
            assert workers(1) == 1, "threads of this machine that read files are not those of the cluster"
            pd.testing.assert_frame_equal(study(), here)
        with pytest.raises(pytest.fail.Exception):
            study()


def start_slow(files: Path, out: Path, address: str) -> subprocess.Popen[str]:
    """A study of twelve blocks that takes its time; its first topics are kept while others are being solved."""
    return subprocess.Popen(
        [sys.executable, "-c", SLOW_STUDY, *argv("study", files, out, "--cluster", address)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


def topics_kept(out: Path) -> int:
    """Finished topics in the checkpoint; lines that begin with # are notes."""
    lines = [line for p in out.glob("*.partial") for line in p.read_bytes().splitlines()]
    return sum(not line.startswith(b"#") for line in lines if line)


@pytest.mark.slow
def test_a_worker_killed_midway_changes_nothing_but_the_time(
    shared: Cluster, files: Path, whole: Path, tmp_path: Path
) -> None:
    out, killed = tmp_path / "out", shared.worker()
    shared.held.touch()
    with shared.client() as client:
        client.wait_for_workers(3, timeout=PATIENCE)
        running = start_slow(files, out, shared.address)
        wait_for(lambda: topics_kept(out) > 0 or running.poll() is not None)
        killed.kill()  # all of them are at work
        kept = topics_kept(out)
        wait_for(lambda: len(client.ncores()) == 2)
    shared.held.unlink()
    _, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors.strip()) == (0, f"written to {out}/")
    assert 0 < kept < 4
    assert contents(out) == contents(whole / "study")


@pytest.mark.slow
def test_a_scheduler_that_goes_away_leaves_a_checkpoint_that_goes_on(
    alone: Cluster, files: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workers come when the study has begun, as on a cluster with a queue."""
    out, scheduler = tmp_path / "out", f"the Dask scheduler at {alone.address}"
    alone.held.touch()
    running = start_slow(files, out, alone.address)
    assert running.stderr is not None
    assert running.stderr.readline() == f"{scheduler} has no workers yet: waiting for them\n"
    for _ in range(2):
        alone.worker(threads=6)  # for twelve blocks: those of the first topic do not wait behind others
    wait_for(lambda: topics_kept(out) > 0 or running.poll() is not None)
    alone.scheduler.kill()
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert errors.startswith("maxent study: error: ")
    assert errors.endswith(f"scheduler is gone, or its workers ended, perhaps for lack of memory{RESUMES}\n")
    assert errors.count("\n") == 1
    kept, solved = topics_kept(out), []
    assert 0 < kept < 4

    def noted(topic: Topic, options: StudyOptions) -> Results:
        solved.append(topic.query_id)
        return real_topic(topic, options)

    monkeypatch.setattr(informativeness, "_study_topic", noted)
    assert main(argv("study", files, out)) == 0
    assert len(set(solved)) == 4 - kept
    assert contents(out) == contents(whole / "study")


@pytest.mark.slow
@pytest.mark.parametrize(
    "address", slow_but(["nonsense"], ["tcp://127.0.0.1:1", "nonsense", "foo://host:1", "tls://127.0.0.1:1"])
)
def test_a_wrong_address_is_one_line(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxent.cli.cluster.SECONDS", 1)
    assert main(["study", "--cluster", address]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"maxent study: error: no Dask scheduler answers at {address}: ")
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("answer", [b"HTTP/1.0 400 Bad Request\r\n\r\n", b""])
def test_something_else_that_listens_is_no_scheduler(
    answer: bytes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A web server, whose first letters are the length of a message, if read as a number; one that says nothing."""
    monkeypatch.setattr("maxent.cli.cluster.SECONDS", 1)

    def serve() -> None:
        with suppress(OSError):  # closed
            while True:
                found, _ = server.accept()
                kept.append(found)
                found.sendall(answer)

    kept: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert main(["study", "--cluster", address]) == 2
    for found in kept:
        found.close()
    error = capsys.readouterr().err
    assert error.startswith(f"maxent study: error: no Dask scheduler answers at {address}: ")
    assert error.count("\n") == 1


@pytest.mark.slow
def test_without_dask_the_error_names_the_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["predict", "--cluster", "tcp://127.0.0.1:1"]) == 2
    as_golden(capsys.readouterr().err)
    assert issubclass(me.errors.MissingPackageError, me.MaxentError)


def test_what_a_study_costs_is_measured(script: Script) -> None:
    found = script("benchmarks/cluster").figures(systems=3, queries=1)
    assert (found[found.index.str.startswith("bytes")] > 0).all()
