"""Machine code on disk: whatever happens to it, problems are solved."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import maxent
from maxent.kernels import machine
from tests.golden.messages import as_golden, refused

SOLVE = (
    "import sys, maxent as me;"
    "found = me.solve(me.Problem(me.AP(), value=.4, relevant=(5,), depth=20, count='total'));"
    "print(found.status, f'{found.entropy:.9f}', 'maxent.kernels.compiler.translate' in sys.modules)"
)


def process(cache: Path, package: Path | None = None, code: str = SOLVE) -> subprocess.Popen[str]:
    """A new process that solves a problem, with a cache folder of its own."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    if package:
        environment["PYTHONPATH"] = str(package.parent)
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        env=environment, cwd=cache if cache.is_dir() else None, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def output(started: subprocess.Popen[str], *, says: str = "") -> str:
    out, err = started.communicate()
    assert started.returncode == 0, err
    assert len(err.splitlines()) == bool(says)
    assert says in err
    return out.strip()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache folder after the first process, and what that printed."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, output(process(folder))


@pytest.mark.slow
def test_the_second_process_loads_what_the_first_compiled(compiled: tuple[Path, str]) -> None:
    folder, first = compiled
    assert first.startswith("optimal ")
    assert first.endswith("True"), "it compiles"
    assert output(process(folder)) == first.replace("True", "False")
    files = list((folder / "maxent").iterdir())
    assert {file.name.rsplit("-", 1)[0] for file in files} == {"native", "passes-1-1-1"}


@pytest.mark.slow
def test_whole_lists_are_compiled_once(tmp_path: Path) -> None:
    code = SOLVE.replace("count='total')", "count='total'), model='lists'")
    first, second = (output(process(tmp_path, code=code)) for _ in range(2))
    assert first.endswith("True"), "it compiles"
    assert second == first.replace("True", "False")
    assert "lists" in {file.name.rsplit("-", 1)[0] for file in (tmp_path / "maxent").iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["truncated", "flipped", "foreign"])
def test_damaged_machine_code_is_compiled_again(compiled: tuple[Path, str], tmp_path: Path, damage: str) -> None:
    folder, first = compiled
    shutil.copytree(folder / "maxent", tmp_path / "maxent")
    for file in (tmp_path / "maxent").iterdir():
        content = bytearray(file.read_bytes())
        if damage == "flipped":
            content[len(content) // 2] ^= 1
        elif damage == "foreign":  # of another key, under this name
            content[:32] = bytes(32)
        file.write_bytes(content[: len(content) // 2] if damage == "truncated" else content)
    assert output(process(tmp_path)) == first
    for file in (tmp_path / "maxent").iterdir():
        assert file.read_bytes() == (folder / "maxent" / file.name).read_bytes(), "as it was"


@pytest.mark.slow
def test_processes_that_start_together(tmp_path: Path) -> None:
    started = [process(tmp_path) for _ in range(4)]
    assert len({output(p).rsplit(" ", 1)[0] for p in started}) == 1
    assert len(list((tmp_path / "maxent").iterdir())) == 2, "no half-written files are left"


@pytest.mark.slow
def test_nothing_is_loaded_from_where_others_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = machine._folder()
    assert folder == tmp_path / "maxent"
    for mode in (0o770, 0o707, 0o722):
        folder.chmod(mode)
        assert (machine._folder() is None) == bool(mode & 0o022)
    says = f"machine code is not kept on disk, every process compiles anew (others can write to {folder}"
    assert output(process(tmp_path), says=says).endswith("True")
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_file_that_somebody_else_may_have_written_is_not_loaded(compiled: tuple[Path, str]) -> None:
    folder, _ = compiled
    file = next((folder / "maxent").glob("passes-*"))
    key = hashlib.sha256(machine._key() + b"passes-1-1-1").digest()
    assert machine._read(file, key) is not None
    file.chmod(0o666)
    assert machine._read(file, key) is None
    file.chmod(0o600)
    assert machine._read(file, machine._key()) is None, "of another unit"


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["/proc/nowhere", "/dev/null/cache"])
def test_without_a_cache_folder(cache: str) -> None:
    assert output(process(Path(cache)), says="every process compiles anew").endswith("True")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_code_is_kept_for_the_user_alone_whatever_the_mask(tmp_path: Path) -> None:
    mask = os.umask(0o002)
    try:
        output(process(tmp_path))
    finally:
        os.umask(mask)
    assert output(process(tmp_path)).endswith("False"), "loaded"
    for path in (tmp_path / "maxent", *(tmp_path / "maxent").iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.slow
def test_an_installation_stays_as_it_is_and_its_sources_are_the_key(tmp_path: Path) -> None:
    package = tmp_path / "site" / "maxent"
    shutil.copytree(Path(maxent.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(package.rglob("*"))
    cache = tmp_path / "cache"
    cache.mkdir()
    output(process(cache, package))
    assert sorted(package.rglob("*")) == before
    with (package / "kernels" / "passes" / "state.py").open("a") as file:
        file.write("# changed\n")
    assert output(process(cache, package)).endswith("True")
    assert len(list((cache / "maxent").iterdir())) == 4


@pytest.mark.slow
def test_threads_share_what_is_compiled(tmp_path: Path) -> None:
    """Eight that start together, with nothing on disk."""
    code = (
        "from concurrent.futures import ThreadPoolExecutor; import maxent as me;"
        "problem = me.Problem(me.AP(), value=.4, relevant=(5,), depth=20, count='total');"
        "found = list(ThreadPoolExecutor(8).map(me.solve, [problem] * 64));"
        "print({(s.status, s.entropy) for s in found} == {(found[0].status, found[0].entropy)})"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_forked_while_a_thread_compiles_can_compile(tmp_path: Path) -> None:
    code = (
        "import os, sys, threading, time; from maxent.kernels import machine\n"
        "begun = threading.Event()\n"
        "def compiled(*name): begun.set(); time.sleep(.5); return b''\n"
        "machine._folder, machine._load = lambda: None, bytes\n"
        "thread = threading.Thread(target=machine._unit, args=(compiled, 'one')); thread.start(); begun.wait()\n"
        "child = os.fork()\n"
        "machine._unit(compiled, 'two' if child else 'three')\n"
        "if child == 0: os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.returncode) == ("7\n", 0), ran.stderr


def test_a_word_before_a_long_compilation(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(machine, "_folder", lambda: None)
    monkeypatch.setattr(machine, "_load", lambda code: None)
    monkeypatch.setattr(machine, "_compile", lambda *_, **speed: b"")
    monkeypatch.setattr("maxent.kernels.compiler.trace.assembly", lambda *_: "")
    machine._say_once.cache_clear()
    machine._load_or_compile.__wrapped__(machine._compile_passes, "passes", 5, 1, 8)
    assert caplog.messages == []
    machine._load_or_compile.__wrapped__(machine._compile_passes, "passes", 23, 1, 1)
    as_golden("\n".join(caplog.messages))


@pytest.mark.slow
def test_nobody_waits_for_a_hundred_grades() -> None:
    problem = maxent.Problem(maxent.nDCG(), value=0.8, relevant=(1,) * 99, depth=200, count="total")
    assert problem.location == "inside"
    with refused(maxent.errors.ProblemError):
        maxent.solve(problem)
    binary = maxent.Problem(maxent.AP(), value=0.5, relevant=(1,) * 99, depth=200, count="total")
    assert maxent.solve(binary).status == "optimal", "AP tells two grades apart"
