"""The file of finished topics: what is not certainly of this study is never used."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import maxent as me
from maxent.studies.checkpoint import Checkpoint, Results

RESULTS = {"status": np.array(["optimal", ""]), "rms": np.array([0.1, np.nan]), "points": np.array([3, 0])}


def filled(path: Path, *topics: str, key: str = "k") -> Path:
    """File with these topics."""
    with Checkpoint(path, key=key) as checkpoint:
        for topic in topics:
            checkpoint.add(topic, RESULTS)
    assert checkpoint.file is not None
    return checkpoint.file


def read(path: Path, key: str = "k") -> dict[str, Results]:
    with Checkpoint(path, key=key) as checkpoint:
        return checkpoint.read()


def test_topics_come_back_exactly(tmp_path: Path) -> None:
    numbers = np.array([0.1, np.nextafter(0.1, 1), np.nan, -0.0, 1e-320, np.inf])
    with Checkpoint(tmp_path / "a.partial", key="k") as checkpoint:
        checkpoint.add('tópico "1"\n#2', {"rms": numbers, "status": np.array(["", "é"])})
    found = read(tmp_path / "a.partial")
    assert list(found) == ['tópico "1"\n#2']
    assert found['tópico "1"\n#2']["rms"].tobytes() == numbers.tobytes()
    assert found['tópico "1"\n#2']["status"].tolist() == ["", "é"]


def test_nothing_is_kept_without_a_path() -> None:
    with Checkpoint(None, key="k") as checkpoint:
        checkpoint.add("1", RESULTS)
        assert checkpoint.read() == {}


def test_studies_have_files_of_their_own(tmp_path: Path) -> None:
    one, two = (filled(tmp_path / "a.partial", "1", key=key) for key in ("k" * 64, "l" * 64))
    assert {p.name for p in tmp_path.iterdir()} == {"a-kkkkkkkkkkkk.partial", "a-llllllllllll.partial"}
    two.write_bytes(one.read_bytes())  # rows of another study under this name are not used either
    assert read(tmp_path / "a.partial", key="l" * 64) == {}


def cut(content: bytes) -> bytes:
    return content[: len(content.rstrip(b"\n")) - 40]


def flipped(content: bytes) -> bytes:
    place = content.rindex(b'"points"') + 20  # within a number
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def checksum_only(content: bytes) -> bytes:
    return content.rstrip(b"\n").rpartition(b" ")[0]


@pytest.mark.parametrize("damage", [cut, flipped, checksum_only])
def test_damaged_topics_are_dropped_and_said(
    damage: Callable[[bytes], bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = filled(tmp_path / "a.partial", "1", "2")
    file.write_bytes(damage(file.read_bytes()))
    with Checkpoint(tmp_path / "a.partial", key="k") as checkpoint:
        assert list(checkpoint.read()) == ["1"]
        assert caplog.messages == [f"{file}: 1 damaged part left out; the topics are solved again"]
        checkpoint.add("2", RESULTS)
    assert list(read(tmp_path / "a.partial")) == ["1", "2"]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"run_id,query_id\nA,1\n", bytes(5000), b"\xff" * 5000])
def test_what_is_no_checkpoint_is_left_out(content: bytes, tmp_path: Path) -> None:
    file = filled(tmp_path / "a.partial")
    file.write_bytes(content)
    filled(tmp_path / "a.partial", "1")
    assert list(read(tmp_path / "a.partial")) == ["1"]


LINK = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links can be followed here")


@LINK
def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    file = filled(tmp_path / "a.partial")
    file.unlink()
    for target in (tmp_path / "precious", tmp_path / "missing"):
        (tmp_path / "precious").write_text("precious")
        file.symlink_to(target)
        with pytest.raises(me.errors.InputError, match="symbolic link"):
            filled(tmp_path / "a.partial")
        file.unlink()
        assert (tmp_path / "precious").read_text() == "precious"
        assert not (tmp_path / "missing").exists()


def test_two_processes_that_add_to_a_file_keep_all_topics(tmp_path: Path) -> None:
    path = tmp_path / "a.partial"
    with Checkpoint(path, key="k") as one, Checkpoint(path, key="k") as two:
        for topic in "1234":
            (one if topic in "13" else two).add(topic, RESULTS)
    assert list(read(path)) == ["1", "2", "3", "4"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "a.partial", key="k") as checkpoint:
        assert checkpoint._opened is not None
        checkpoint._opened.close()
        checkpoint._opened = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115 (closed with the checkpoint)
        with pytest.raises(me.errors.InputError, match="a-k.partial: No space left on device"):
            checkpoint.add("1", RESULTS)
