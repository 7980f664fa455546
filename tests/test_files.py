"""Files that are replaced: whole or not at all, and no link is followed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import maxent as me
from maxent import files
from maxent.files import replace
from maxent.kernels import machine
from maxent.results.page import write_report
from tests.golden.messages import refused


def test_a_file_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ("n" * 255)  # as long as a name may be
    replace(file, b"old")
    replace(file, b"new")
    assert file.read_bytes() == b"new"

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        replace(file, b"newer")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [(file.name, b"new")]


def test_a_link_in_the_place_of_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "page.html").symlink_to(tmp_path / "precious")
    replace(tmp_path / "page.html", b"page")
    assert (tmp_path / "precious").read_text() == "precious"
    assert (tmp_path / "page.html").read_bytes() == b"page"


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_the_users_mask_decides_who_may_read(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        replace(tmp_path / "page", b"")
        replace(tmp_path / "code", b"", mode=0o600)
    finally:
        os.umask(mask)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("page", "code")] == [0o640, 0o600]


@pytest.mark.parametrize("use", ["report", "machine code"])
def test_planted_links_are_not_written_through(use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder that others can write to; the name of the new file may even be guessed."""
    (tmp_path / "precious").write_text("precious")
    monkeypatch.setattr(files, "token_hex", lambda _: "guessed", raising=False)
    for name in (".rep.html.part", ".guessed.part"):
        (tmp_path / name).symlink_to(tmp_path / "precious")
    if use == "report":
        monkeypatch.setattr("maxent.results.page.page.render", lambda _: "page")
        with refused(me.errors.InputError):
            write_report(None, tmp_path / "rep.html")  # type: ignore[arg-type]
    else:
        machine._write(tmp_path / "unit.o", b"key", b"code")  # is compiled again
        assert not (tmp_path / "unit.o").exists()
    assert (tmp_path / "precious").read_text() == "precious"
    assert (tmp_path / ".rep.html.part").is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="processes that have ended are not known")
def test_folders_of_killed_commands_are_removed_by_a_later_one(tmp_path: Path) -> None:
    """Those of running processes, of other machines, and of users stay."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = files._machine()
    gone = tmp_path / f".maxent.{ended.pid}@{here}.abc"
    others = [f".maxent.{os.getpid()}@{here}.abc", f".maxent.{ended.pid}@{here}x.abc", ".maxent.mine", ".other"]
    for folder in (gone, *(tmp_path / name for name in others)):
        folder.mkdir()
        (folder / "table.csv").write_text("1")
    with files.results(tmp_path) as part:
        assert files.OWNED.fullmatch(part.name)
        assert not files._abandoned(part)
        (part / "table.csv").write_text("2")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*others, "table.csv"])
