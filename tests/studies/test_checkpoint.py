"""The file of finished topics: what is not certainly of this study is never used."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.errors import ProblemError
from maxent.files import digest_of_sources
from maxent.measures import Cascade
from maxent.measures.cascade import cascade
from maxent.studies import Checkpoint, Results
from tests.golden.messages import as_golden, refused

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
        as_golden("\n".join(caplog.messages))
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
        with refused(me.errors.InputError):
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
        with refused(me.errors.InputError):
            checkpoint.add("1", RESULTS)


def mine(exponent: float) -> me.measures.Measure:
    """A measure of a class of its own: rank n weighs n to the power -exponent, which its text does not say."""

    @dataclass(frozen=True, kw_only=True)
    class Mine(me.measures.Measure):
        """Weighted precision."""

        def _form(self, relevant: np.ndarray, depth: int) -> me.measures.Form:
            weights = np.arange(1.0, depth + 1) ** -exponent
            return me.measures.linear_form(weights / weights.sum(), np.ones(len(relevant)))

    return Mine()


def mine_for_users(patience: float) -> me.measures.Measure:
    """The same for a cascade."""

    @dataclass(frozen=True, kw_only=True)
    class Mine(me.measures.Measure):
        """Weighted rank of the first relevant document."""

        def _cascade(self, relevant: np.ndarray, depth: int) -> Cascade:
            return cascade(np.arange(1.0, depth + 1) ** -patience, np.ones(len(relevant)))

    return Mine()


QUESTIONS: dict[str, Callable[[me.data.Collection, me.measures.Measure, Path | None], pd.DataFrame]] = {
    "measure": lambda lists, mine, path: me.informativeness(
        lists, measures=[mine], checkpoint=path, progress=False
    ),
    "part of a joint": lambda lists, mine, path: me.informativeness(
        lists, measures=[me.Joint((me.AP(), mine))], checkpoint=path, progress=False
    ),
    "target": lambda lists, mine, path: me.predict(
        lists, measures=["AP"], targets=[mine], checkpoint=path, progress=False
    ).tables["predictions"],
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_edited_measure_is_not_answered_from_its_old_topics(
    question: str, arrays: me.data.Collection, tmp_path: Path
) -> None:
    ask = QUESTIONS[question]
    for formula in (1.0, 0.5):
        table = ask(arrays, mine(formula), tmp_path / "a.partial")
        pd.testing.assert_frame_equal(table, ask(arrays, mine(formula), None))


def test_an_edited_cascade_is_not_answered_from_its_old_topics(arrays: me.data.Collection, tmp_path: Path) -> None:
    for formula in (1.0, 0.5):
        table = QUESTIONS["target"](arrays, mine_for_users(formula), tmp_path / "a.partial")
        pd.testing.assert_frame_equal(table, QUESTIONS["target"](arrays, mine_for_users(formula), None))


def test_an_unchanged_measure_of_ones_own_goes_on(
    arrays: me.data.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"checkpoint": tmp_path / "a.partial", "progress": False}
    table = me.informativeness(arrays, measures=[mine(1.0)], **options)
    monkeypatch.setattr("maxent.studies.topics.solve_arrays", lambda *_, **__: pytest.fail("solved"))
    pd.testing.assert_frame_equal(me.informativeness(arrays, measures=[mine(1.0)], **options), table)


def test_edited_sources_have_another_digest(tmp_path: Path) -> None:
    digests = set()
    for name, text in (("a.py", "x = 1\n"), ("b/c.py", ""), ("a.py", "x = 2\n"), ("notes.txt", "no source")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        digests.add(digest_of_sources.__wrapped__(tmp_path))
    assert len(digests) == 3


def test_a_program_with_other_sources_solves_again(
    arrays: me.data.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"measures": ["AP"], "checkpoint": tmp_path / "a.partial", "progress": False}
    for digest in (b"before", b"after"):
        monkeypatch.setattr("maxent.studies.topics.digest_of_sources", lambda _, digest=digest: digest)
        me.informativeness(arrays, **options)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("question", [me.study, me.choose_g, me.predict])
def test_a_question_that_no_list_answers_leaves_no_finished_topics(
    question: Callable[..., me.results.Result], tmp_path: Path
) -> None:
    runs, qrels = me.simulate(systems=2, topics=3, depth=20)
    with refused(ProblemError):
        question(runs, qrels, depth=20, min_retrieved=99, checkpoint=tmp_path / "a.partial", progress=False)
    assert not list(tmp_path.iterdir())
