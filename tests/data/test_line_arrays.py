"""The fast path for well-formed files against the strict reader: same tables, same grades, same refusals."""

import bz2
import gzip
import lzma
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lz4.frame
import numpy as np
import pandas as pd
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.data import EXACT, Judgments, clean, run_columns, trec
from tests.fuzz.targets import attempt
from tests.golden.messages import refused

USUAL = ("q1 Q0 {} 1 2.5 tag", "q1\tQ0\t{}\t2\t-1e-3\ttag", "q2 Q0 {} 3 00012 tag", " q2  Q0 {} 4 .5   tag ")
ODD = (
    *("", " ", "# c", "#q Q0 {} 1 1 tag", "q3 Q0 {} 1 nan tag", "q3 Q0 {} 1 1_0 tag", "q3 Q0 {} 1 1e400 tag"),
    *("q3 Q0 {} 1 +7 tag", "q3 Q0 {} 1 0x10 tag", "q3 Q0 {} 1 5.", "q3 Q0 {} 1 5. tag x", "é Q0 {} 1 2 tag"),
    *("q\x00 Q0 {} 1 2 tag", "q4\x0bQ0 {} 1 2 tag", "q4 Q0 {} 1 1e-320 tag", "q4 Q0 {} 1 1E5 other"),
    "\ufeffq1 Q0 {} 1 1 tag",
    *("q5 Q0 {} 1 -.5e+2 tag", "q5 Q0 {} 1 e5 tag", "q5 Q0 {} 1 . tag", "q5 Q0 {} 1 1e tag", "q5 Q0 {} 1 --1 tag"),
    *("q5 Q0 {} 1 0.1000000000000000055511151231257827 tag", "q5 Q0 {} 1 123456789012345678901234567890 tag"),
    *("q6 Q0 same 1 1 tag", "q6 Q0 " + "x" * 70 + "{} 1 3 tag", "q6 Q0 {}\x1f 1 3 tag", "q6\xa0Q0 {} 1 3 tag"),
)  # fmt: skip
ids = st.sampled_from(["d1", "d2", "d10", "D1", "document-10", "document-1", "clueweb09-en0000-00-00000"])


def lines_like(patterns: Sequence[str]) -> st.SearchStrategy[list[str]]:
    drawn = st.tuples(st.sampled_from(patterns), ids, st.integers(0, 30))
    line = drawn.map(lambda drawn: drawn[0].replace("{}", f"{drawn[1]}-{drawn[2]}"))
    return st.lists(line, min_size=1, max_size=6)


contents = st.tuples(
    lines_like(USUAL) | lines_like((*USUAL, *USUAL, *ODD)),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\n\n"]),
).map(lambda drawn: (drawn[1].join(drawn[0]) + drawn[2]).encode())


@pytest.mark.slow
@given(contents)
def test_what_one_accepts_or_refuses_the_other_does(content: bytes) -> None:
    attempt("run", content)


def test_well_formed_files_take_the_fast_path(data: Path) -> None:
    def taken(content: bytes, value: str) -> bool:
        return trec.scan("run", 1, content, value) is not None

    for name in ("covid-round4", "robust03"):
        for path in sorted((data / name / "runs").iterdir())[::18]:
            assert taken(gzip.decompress(path.read_bytes()), "score"), path
        assert taken((data / name / "qrels.txt").read_bytes(), "relevance"), name


def test_comments_are_not_read_line_by_line() -> None:
    rows = trec.scan("run", 1, b"# aaa\n\n#\n", "score")
    assert rows is not None
    assert not len(rows)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_scores_are_the_nearest_numbers(scores: list[float]) -> None:
    scores = [score for score in scores if abs(score) < EXACT]
    text = "".join(f"q Q0 d{k} 1 {score!r} t\nq Q0 e{k} 1 {score:.25e} t\n" for k, score in enumerate(scores))
    rows = trec.scan("run", 1, f"q Q0 d 1 0 t\n{text}".encode(), "score")
    assert rows is not None
    np.testing.assert_array_equal(clean(rows, "score").values[1:], np.repeat(scores, 2))


def test_threads_that_read_the_first_runs_at_once_look_up_the_same_judgments(tmp_path: Path) -> None:
    topics, docs = [f"q{k}" for k in range(50)], [f"document-{k:05}" for k in range(2000)]
    lines = [f"{topic} Q0 {doc} 1 {-n} tag\n" for topic in topics for n, doc in enumerate(docs[:60])]
    path = tmp_path / "run"
    path.write_text("".join(lines))
    pairs = [(topic, doc) for topic in topics for doc in docs]
    qrels = pd.DataFrame(pairs, columns=["query_id", "doc_id"]).assign(relevance=1)

    def all_found(judged: Judgments, together: threading.Barrier) -> bool:
        together.wait()
        topics, docs = judged.positions(run_columns("run", path))
        return bool((judged.look_up(topics, docs) == 1).all())

    for _ in range(5):
        judged, together = Judgments.of(qrels), threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(all_found, judged, together) for _ in range(4)]
        assert all(future.result() for future in futures)


COMPRESSORS = (
    *(gzip.compress, bz2.compress, lzma.compress, lz4.frame.compress, zstandard.ZstdCompressor().compress),
    zstandard.ZstdCompressor(write_content_size=False).compress,
)


@pytest.mark.parametrize("name", ["run", "run.gz", "run.txt"])
@pytest.mark.parametrize("compress", COMPRESSORS)
def test_compression_is_known_by_content(compress: Callable[[bytes], bytes], name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    frames = [compress(b"q1 Q0 d1 1 2.5 tag\n"), compress(b"q1 Q0 d2 2 1 tag\n")]
    path.write_bytes(b"".join(frames))
    assert me.read_run(path)["score"].tolist() == [2.5, 1]
    path.write_bytes(compress(b"q1 Q0 d1 1 2.5 tag\n" * 9)[:-6])
    with refused(me.errors.InputError):
        me.read_run(path)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    path = tmp_path / "run"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"q1 Q0 d1 1 2.5 tag\n"))
    with refused(me.errors.MissingPackageError):
        me.read_run(path)


def test_files_are_called_by_their_tags_or_all_by_their_names(tmp_path: Path) -> None:
    qrels = pd.DataFrame([("1", "a", 1)], columns=["query_id", "doc_id", "relevance"])
    paths = [tmp_path / name for name in ("x.gz", "y.txt", "z")]
    for path, tag in zip(paths, ("one", "two", "two"), strict=True):
        text = f"1 Q0 a 1 1 {tag}\n".encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    assert me.collect(paths[:2], qrels, depth=5).runs == ("one", "two")
    assert me.collect(paths, qrels, depth=5, jobs=2).runs == ("x", "y.txt", "z")
    assert me.collect({"A": paths[0], "B": paths[1]}, qrels, depth=5).runs == ("A", "B")
    assert me.collect(paths[0], qrels, depth=5).runs == ("one",)
    nested = [tmp_path / name for name in ("f1/a/run.gz", "f1/b/run", "f2/b/run")]
    for path in nested:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(paths[0 if path.suffix else 2].read_bytes().replace(b"two", b"one"))
    assert me.collect(nested, qrels, depth=5).runs == ("f1/a/run", "f1/b/run", "f2/b/run")
    assert me.collect(nested[:2], qrels, depth=5).runs == ("a/run", "b/run")
    assert me.check(nested, qrels, depth=5).tables["runs"]["run_id"].tolist() == [
        "f1/a/run",
        "f1/b/run",
        "f2/b/run",
    ]
    with refused(me.errors.InputError):
        me.collect([nested[1], nested[1]], qrels, depth=5)
    with refused(me.errors.InputError):
        me.collect(paths[2], qrels.assign(query_id="9"))
