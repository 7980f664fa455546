"""Files are read in pieces: where they are cut makes no difference."""

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import lz4.frame
import numpy as np
import pandas as pd
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.data import Rows, clean, delimited, line_arrays, lines, numbered
from maxent.limits import Limit
from tests.data.test_line_arrays import contents
from tests.golden.messages import refused

QRELS = "1 0 a 1\n1 0 b 0\n# c\n\n2 0 é 2\n2 0 a-long-id 1\n"
TABLE = 'topic,doc_id,score,tag\n1,a,1,x\n\n1,"b\nc",2,x\n2,é,0.5,x\n'
LETOR = "2 qid:1 1:0.5 2:1 #docid = d1\n\n# c\n0 qid:1 2:0.25 #docid = d2\n0 qid:2 #docid = d1\n1 qid:2 3:1\n"


def outcome(read: Callable[[Path], pd.DataFrame], path: Path) -> pd.DataFrame | None:
    try:
        return read(path)
    except me.errors.InputError:
        return None


def cut(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read files in pieces of a few bytes, as if they were large."""
    patch.setattr(lines, "PIECE", size)
    patch.setattr(lines, "_PART", size)


def alike(read: Callable[[Path], pd.DataFrame], path: Path, size: int) -> bool:
    whole = outcome(read, path)
    with pytest.MonkeyPatch.context() as patch:
        cut(patch, size)
        patch.setattr(line_arrays, "_LOOK", 2)
        patch.setattr(delimited, "_MOST", 2)
        parts = outcome(read, path)
    if whole is None or parts is None:
        return whole is parts
    pd.testing.assert_frame_equal(whole, parts, check_exact=True)
    return True


@pytest.mark.slow
@given(contents, st.integers(8, 90), st.booleans())
def test_runs_in_pieces(tmp_path: Path, content: bytes, size: int, compressed: bool) -> None:
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(content) if compressed else content)
    assert alike(me.read_run, path, size)
    assert alike(lambda file: me.read_run(file, duplicates="first"), path, size)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("read", "text"),
    [(me.read_qrels, QRELS), (me.read_run, TABLE), (me.data.read_letor, LETOR)],
    ids=["qrels", "csv", "letor"],
)
def test_other_files_in_pieces(
    read: Callable[[Path], pd.DataFrame], text: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.replace("\n", ending).encode())
    assert outcome(read, path) is not None
    for size in range(30, len(text) + 2, 3):  # the first piece says what format it is
        assert alike(read, path, size)


def test_the_lines_of_later_pieces_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    cut(monkeypatch, 64)
    good = "# comment\n" + "".join(f"1 Q0 d{k} 1 2.5 tag\n\n" for k in range(100))
    for line in (
        "1 Q0 d7 1 2.5 tag",
        "1 Q0 e 1 x tag",
        "1 Q0 e 1 1 other",
        "1 Q0 e\0 1 1 tag",
        "1 Q0 e 1 1",
    ):
        path.write_text(f"{good}{line}\n1 Q0 z 1 1 tag\n")
        with refused(me.errors.InputError):
            me.read_run(path)


def test_the_first_byte_that_no_text_has_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with refused(me.errors.InputError):
        me.read_run(path)
    monkeypatch.setenv("MAXENT_LIMITS", "no-size")
    with refused(me.errors.InputError):
        me.read_qrels(path)


BOMB = b"\n" * (32 << 20)
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda text: lzma.compress(text, preset=0),
    "zstandard": zstandard.compress,
    "lz4": lz4.frame.compress,
}


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_compressed_file_takes_little_more_memory_than_its_limit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    path.write_bytes(COMPRESSORS[name](BOMB))
    monkeypatch.setattr(lines, "SIZE", Limit("size", 1 << 20))
    tracemalloc.start()
    try:
        with refused(me.errors.InputError):
            list(lines.chunks(path))
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_step_of_decompression_may_end_anywhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    text = np.random.default_rng(0).integers(0, 7, 5000, dtype=np.uint8).tobytes() + b"x" * 5000
    path.write_bytes(COMPRESSORS[name](text) + bytes(9) + COMPRESSORS[name](b"") + COMPRESSORS[name](text))
    kinds = lines._COMPRESSIONS
    for size, most in ((1, 1), (7, 64), (100, 9)):
        smaller = [kind._replace(step=size, most=(most,) if kind.most else ()) for kind in kinds]
        monkeypatch.setattr(lines, "_COMPRESSIONS", smaller)
        assert b"".join(lines.chunks(path)) == 2 * text


def test_large_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"1": {"a": 1.5' + " " * (10 << 20) + "}}")
    with refused(me.errors.InputError):
        me.read_run(path)
    monkeypatch.setenv("MAXENT_LIMITS", "no-json")
    assert me.read_run(path)["score"].tolist() == [1.5]


@pytest.mark.slow
def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"x" * (40 << 20))
    with refused(me.errors.InputError):
        me.read_run(path)
    path.write_bytes(b"1 0 d" + b" " * (20 << 20) + b"1\n")
    monkeypatch.setenv("MAXENT_LIMITS", "no-size")
    assert me.read_qrels(path)["relevance"].tolist() == [1]


@pytest.mark.parametrize("size", [200, 5000])
@pytest.mark.parametrize("where", ["topic", "document"])
def test_long_ids(where: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "run"
    topic, doc = ("t" * size, "d") if where == "topic" else ("t", "d" * size)
    path.write_text(f"{topic} Q0 {doc} 1 2 x\n")
    assert me.read_run(path)["doc_id"].tolist() == [doc]
    path.write_text(f"1 Q0 b 1 1 x\n{topic} Q0 {doc} 1 2 x\n1 Q0 a 1 1 x\n")
    found = me.read_run(path)
    assert found["query_id"].tolist() == ["1", topic, "1"]
    assert found["doc_id"].tolist() == ["b", doc, "a"]
    collected = me.collect(path, {"1": {"a": 1, "b": 2}, topic: {doc: 1, "e" * 300: 2}}, depth=2)
    assert collected.grades[:, 0].tolist() == [[2, 1], [1, 0]]  # of the same score: b before a


def test_a_repeated_line_is_noticed_before_the_file_ends() -> None:
    ids, scores = numbered([""] * 50_000), numbered(["0"] * 50_000)
    cells = {"query_id": ids, "doc_id": ids, "score": scores}

    def parts() -> Iterator[line_arrays.Columns]:
        for k in range(10**9):
            seen.append(k)
            yield clean(Rows("run", ", row ", np.arange(50_000), cells), "score")

    seen: list[int] = []
    with refused(me.errors.InputError):
        line_arrays.joined(parts(), "error")
    assert len(seen) < 20
