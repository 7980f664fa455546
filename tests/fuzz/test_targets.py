"""Files of the corpus and mutations of them: each is refused in one line or read, whoever reads it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import __main__ as fuzzer
from tests.fuzz.targets import TARGETS, attempt

PIECES = (
    b" ", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\x1b[2J", b"\x1f", b"\x85", b"#", b'"', b"'", b",", b";",
    b"{", b"}", b"(", b")", b"@", b"&", b"=", b":", b"\xff", b"\xef\xbb\xbf", b"\xc2\xa0", b"\xe2\x80\xa8",
    "١".encode(), b"nan", b"-inf", b"1e999", b"1_0", b"0x1", b"-0", b".", b"1e-320", b"9" * 20, b"9" * 5000,
    b"[" * 2000, b"{1: 2}", b"True", b"1=1", b"-1", b"\\ud800", b"query_id,doc_id,score\n",
    b"=cmd|' /C calc'!A0", b"%s%n",
)  # fmt: skip


def files(target: str) -> list[bytes]:
    """The corpus of a target."""
    return [path.read_bytes() for path in sorted(fuzzer.corpus(target).iterdir())]


def test_the_fuzzer_knows_all_targets_and_its_corpus_is_small() -> None:
    assert set(fuzzer.NAMES) == set(TARGETS)
    assert {path.name for path in fuzzer.CORPUS.iterdir()} == set(TARGETS) - {"check"}
    assert all(path.stat().st_size < 1024 for path in fuzzer.CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("target", TARGETS)
def test_promises_hold_for_the_corpus(target: str) -> None:
    for content in files(target):
        attempt(target, content)


def mutated(data: st.DataObject, contents: list[bytes]) -> bytes:
    """One of the contents with a few pieces cut out, put in, repeated or taken from another one."""
    content = data.draw(st.sampled_from(contents))
    for _ in range(data.draw(st.integers(1, 4))):
        start, end = sorted(data.draw(st.integers(0, len(content))) for _ in range(2))
        other = data.draw(st.sampled_from(contents))
        pieces = (b"", content[start:end] * 2, other[start:end], data.draw(st.sampled_from(PIECES)))
        piece = data.draw(st.sampled_from(pieces) | st.binary(max_size=3))
        content = content[:start] + piece + content[data.draw(st.sampled_from((start, end))) :]
    return content


@pytest.mark.parametrize("target", TARGETS)
@given(data=st.data())
def test_promises_hold_for_mutations(target: str, data: st.DataObject) -> None:
    attempt(target, mutated(data, files(target)))


def test_a_broken_promise_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As one that the fuzzer found: digits that are too many for Python's integers."""
    monkeypatch.setattr("maxent.data.trec.scan", lambda *_, **__: [][0])
    with pytest.raises(IndexError):
        TARGETS["run"](b"1 Q0 a 1 1 t\n", tmp_path)
