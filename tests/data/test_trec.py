"""Reading run and qrels files: what is forgiven, and what is an error that names file, line and value."""

import gzip
import math
import re
import warnings
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent import read_qrels, read_run
from maxent.data import lines, trec
from maxent.errors import InputError, InputWarning
from tests.golden.messages import as_golden, refused, warned

RUN = "601 Q0 d1 1 2.5 tag\n602 Q0 d1 1 -3e-2 tag\n601 Q0 d2 2 1 tag\n"
QRELS = "601 0 d1 +02\n602 0 d1 -1\n601 0 d2 0\n"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(content: str | bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


def error(read: Callable[[Path], pd.DataFrame], path: Path) -> str:
    """The message of the error; it starts with the file and says what is expected, on one line."""
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert "\n" not in message
    return message.removeprefix(f"{path}:")


def test_run(write: Write) -> None:
    run = read_run(write(RUN))
    assert run.to_dict("list") == {
        "query_id": ["601", "602", "601"],
        "doc_id": ["d1", "d1", "d2"],
        "score": [2.5, -0.03, 1.0],
        "run_id": ["tag"] * 3,
    }
    assert run["score"].dtype == "float64"


def test_qrels(write: Write) -> None:
    qrels = read_qrels(write(QRELS))
    assert qrels.to_dict("list") == {
        "query_id": ["601", "602", "601"],
        "doc_id": ["d1", "d1", "d2"],
        "relevance": [2, -1, 0],
    }
    assert qrels["relevance"].dtype == "int64"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("602", "\ufeff602"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\n\n \t\n"),
        lambda text: "# made by hand\n" + text.replace("\n", "\n  # 601 0 d1 2\n#\n"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "  ").replace("\n", " \n "),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("Q0", "anything").replace(" d1 1 ", " d1 first ").replace(" d2 2 1", " d2 -7 1"),
    ],
)
@pytest.mark.parametrize(("read", "text"), [(read_run, RUN), (read_qrels, QRELS)], ids=["run", "qrels"])
def test_oddities_change_nothing(
    write: Write, read: Callable[[Path], pd.DataFrame], text: str, change: Callable[[str], str]
) -> None:
    pd.testing.assert_frame_equal(read(write(change(text))), read(write(text, "plain.txt")))


def test_ids_stay_text(write: Write) -> None:
    run = read_run(write("007 Q0 1e3 1 1 0\n7 Q0 документ-ü 2 0.5 0\n"))
    assert run["query_id"].tolist() == ["007", "7"]
    assert run["doc_id"].tolist() == ["1e3", "документ-ü"]
    assert run["run_id"].tolist() == ["0", "0"]


@pytest.mark.parametrize("score", ["9007199254740993", "-123456789012345678", "+9007199254740993"])
def test_whole_scores_that_would_tie_with_their_neighbours(write: Write, score: str) -> None:
    lines = f"1 Q0 a 1 9007199254740992 t\n1 Q0 b 2 {score} t\n"
    with refused(me.MaxentError):
        me.read_run(write(lines))
    table = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [2**53, int(score)]})
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    for scores in (table["score"], table["score"].astype(object)):
        with refused(me.MaxentError):
            me.evaluate(table.assign(score=scores), qrels, measures=["AP"])


@pytest.mark.parametrize(
    "score",
    ["1", "-1", "+1", "1.", ".5", "1e-305", "5e-324", "0.1", "44.34517184959609", "-0", "123456789012345680"],
)
def test_scores_are_correctly_rounded(write: Write, score: str) -> None:
    value = read_run(write(f"1 Q0 d 1 {score} tag"))["score"].iloc[0]
    assert value.hex() == float(score).hex()


@pytest.mark.parametrize(
    "score", ["nan", "NaN", "-nan", "inf", "-Infinity", "1e999", "1_000", "1,5", "x", "0x1p3", "\u0661", "--1"]
)
def test_bad_score(write: Write, score: str) -> None:
    path = write(f"# comment\n1 Q0 d1 1 2 tag\n\n1 Q0 d2 1 {score} tag\n")
    as_golden(error(read_run, path))


@pytest.mark.parametrize("grade", ["x", "nan", "1_0", "\u0661", "-", "1-", "0.7", "9" * 30, "1e18"])
def test_bad_grade(write: Write, grade: str) -> None:
    path = write(f"# comment\n1 0 d1 1\n\n1 0 d2 {grade}\n")
    as_golden(error(read_qrels, path))


@pytest.mark.parametrize("grade", ["2", "+2", "02", "2.0", "2.", "2e0", "20e-1", "-1.0", "0.0", "1e15"])
@pytest.mark.parametrize("line", ["1 0 d2 {}", "é 0 d2 {}"], ids=["fast path", "line by line"])
def test_a_whole_grade_in_any_notation(write: Write, grade: str, line: str) -> None:
    assert read_qrels(write(f"1 0 d1 1\n{line.format(grade)}\n"))["relevance"].tolist() == [1, int(float(grade))]


def test_column_count(write: Write) -> None:
    as_golden(error(read_run, write(RUN + "\n601 Q0 d3 3 1\n")))
    as_golden(error(read_run, write(RUN.replace("-3e-2 tag", "-3e-2 tag more"))))
    as_golden(error(read_run, write(QRELS)))
    as_golden(error(read_qrels, write(RUN)))
    as_golden(error(read_qrels, write("601\n")))


def test_long_lines_are_not_repeated_in_full(write: Write) -> None:
    assert len(error(read_run, write("word " * 100_000))) < 250
    assert len(error(read_run, write("word" * 100_000))) < 250


def test_document_twice_in_a_topic(write: Write) -> None:
    path = write("# comment\n" + RUN + "601 Q0 d1 3 0.1 tag\n")
    as_golden(error(read_run, path))
    path = write("\n" + QRELS + "\n601 0 d2 1\n602 0 d1 0\n")
    as_golden(error(read_qrels, path))


TAGGED_RUN = "#metoo Q0 d1 1 2.5 t\n  #blm Q0 d2 1 1.5 t\n#metoo Q0 d2 2 0 t\n"
TAGGED_QRELS = "#metoo 0 d1 1\n#blm 0 d2 0\n#metoo 0 d2 2\n"
REMARKS = (  # lines that do not have the columns of a run or of judgments
    "# 601 Q0 d1 1 2.5 t", "#", "# pool depth 100", "#one two three four five six", "# a b c 7 d", "#x\t0\td",
    "#a word",
)  # fmt: skip


@pytest.mark.parametrize("plain", [False, True], ids=["all with #", "one without"])
@pytest.mark.parametrize("strict", [False, True], ids=["fast path", "line by line"])
@pytest.mark.parametrize("size", [1 << 22, 40], ids=["one piece", "pieces"])
def test_topics_may_begin_with_a_hash_and_comments_are_counted(
    write: Write, monkeypatch: pytest.MonkeyPatch, plain: bool, strict: bool, size: int
) -> None:
    monkeypatch.setattr(lines, "PIECE", size)
    monkeypatch.setattr(lines, "_PART", size)
    if strict:
        monkeypatch.setattr(trec, "scan", lambda *_, **__: None)
    for read, text, last in ((read_run, TAGGED_RUN, "7 Q0 d 1 0 t\n"), (read_qrels, TAGGED_QRELS, "7 0 d 0\n")):
        rows = text + (last if plain else "")
        expected = [(line.split()[0], line.split()[2]) for line in rows.splitlines()]
        with warnings.catch_warnings():
            warnings.simplefilter("error", InputWarning)
            assert read(write(rows))[["query_id", "doc_id"]].apply(tuple, axis=1).tolist() == expected
        commented = "".join(
            f"{remark}\n{row}\n" for remark, row in zip_longest(REMARKS, rows.splitlines(), fillvalue="")
        )
        with warned(InputWarning):
            table = read(write(commented, "with-comments"))
        assert table[["query_id", "doc_id"]].apply(tuple, axis=1).tolist() == expected


@pytest.mark.parametrize(
    ("text", "documents"),
    [("#a d1\n#b d2\n# d3\n#c\n# of two\n", ["d1", "d2"]), ("# two words\nq d1\n#b d2\n", ["d1", "d2"])],
)
def test_hashes_in_two_columns(write: Write, text: str, documents: list[str]) -> None:
    assert read_qrels(write(text))["doc_id"].tolist() == documents


def test_hashes_in_three_columns(write: Write) -> None:
    run = read_run(write("# by rank\n#q d1 1\n#q d2 2\n# q 3\n"))
    assert run["query_id"].tolist() == ["#q", "#q"]


def test_a_line_with_a_hash_and_a_bad_number_is_refused_where_it_could_be_meant(write: Write) -> None:
    as_golden(error(read_run, write(TAGGED_RUN + "#q Q0 d 1 nan t\n")))
    as_golden(error(read_qrels, write(TAGGED_QRELS + "#q 0 d 1.5\n")))


def test_comments_in_files_are_notes_of_values_once(write: Write) -> None:
    run, qrels = write("# c\n# d\n" + TAGGED_RUN, "run"), write("# a b\n" + TAGGED_QRELS, "qrels")
    comments = "lines that begin with # and do not have the columns, skipped"
    for result in (me.evaluate(run, qrels, measures=["RR"]), me.compare_systems([run, ("u", run)], qrels)):
        assert result.notes.count(f"{qrels}: {comments}: 1 line") == 1
        assert sum(note.startswith(f"{comments}: t (2 lines)") for note in result.notes) == 1
    assert me.evaluate(run, qrels, measures=["RR"]).table["value"].tolist() == [0.5]
    finding = me.check(run, qrels).table.set_index("finding").loc[comments]
    assert (finding["source"], finding["detail"]) == ("t", "2 lines")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only\n\n# comments\n", "\ufeff".encode()])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("name", ["file.txt", "file.gz"])
def test_empty_file(write: Write, content: bytes, pack: Callable[[bytes], bytes], name: str) -> None:
    if name == "file.txt" or pack is not bytes or not content:
        for read in (read_run, read_qrels):
            as_golden(error(read, write(pack(content), name)))


@pytest.mark.parametrize(
    "content",
    [
        b"601 0 d1 1\n601 0 d\0 1\n",
        b"601 0 d1 1\n\n601 0 d\xff 1\n",
        "601 0 dü 1\n".encode("latin-1"),
        QRELS.encode("utf-16"),
        QRELS.encode("utf-16-le"),
        b"\x89PNG\r\n\x1a\n\x00\x00",
        gzip.compress(b"\x89PNG\r\n\x1a\n\x00\x00", mtime=0),
    ],
    ids=["NUL", "in the third line", "Latin-1", "UTF-16", "UTF-16 without a mark", "image", "compressed image"],
)
def test_binary_file(write: Write, content: bytes) -> None:
    as_golden(error(read_qrels, write(content)))


def test_truncated_and_corrupt_gzip(write: Write) -> None:
    packed = gzip.compress(RUN.encode())
    other_checksum = bytes([*packed[:-6], packed[-6] ^ 1, *packed[-5:]])
    bad = [other_checksum, packed[:10] + b"\xff" * 20, *(packed[:length] for length in range(2, len(packed)))]
    for path in (*map(write, bad), write(RUN, "plain.gz")):
        message = error(read_run, path)
        assert re.fullmatch(r" truncated or corrupt \(.+\), expected a gzip file", message)


def test_missing_file(tmp_path: Path) -> None:
    as_golden(error(read_run, tmp_path / "nowhere.txt"))
    as_golden(error(read_qrels, tmp_path))


LOOKS = (
    "{}", '{"a"', '{"a":{"b":1}}', '{"', "{", "[", "PAR1", "PAR12", "BZh", "BZh9", "qid", "docno",
    "query_id,doc_id,score", "qid:1", "%PDF", "1",
)  # fmt: skip
"""Ids that other formats, and headers of tables, begin with."""
IDS = st.sampled_from(LOOKS) | st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1
).filter(lambda text: text != "#")


@pytest.mark.slow
@given(
    rows=st.lists(
        st.tuples(IDS, IDS, st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        unique_by=lambda row: row[:2],
    ),
    run_id=IDS,
)
def test_what_is_written_is_read(write: Write, rows: list[tuple[str, str, float]], run_id: str) -> None:
    path = write("".join(f"{topic} Q0 {doc} 0 {score!r} {run_id}\n" for topic, doc, score in rows))
    run = read_run(path)
    assert list(run[["query_id", "doc_id"]].itertuples(index=False, name=None)) == [row[:2] for row in rows]
    assert [math.copysign(1, x) * x for x in run["score"]] == [math.copysign(1, row[2]) * row[2] for row in rows]
    assert (run["run_id"] == run_id).all()


@pytest.mark.parametrize("topic", LOOKS)
@pytest.mark.parametrize("blank", [" ", "\t", " \t"])
def test_lines_of_trec_are_told_from_other_formats(write: Write, topic: str, blank: str) -> None:
    for before in ("", "\n", " ", "\ufeff", "# \n"):
        for read, line in (
            (read_run, (topic, "docno", "docid", "0", "-1.5e-3", topic)),
            (read_qrels, (topic, "docno", "docid", "2.0")),
        ):
            table = read(write(before + blank.join(line) + "\n"))
            assert table[["query_id", "doc_id"]].to_numpy().tolist() == [[topic, "docid"]]


@pytest.mark.parametrize(
    ("folder", "run"),
    [
        ("robust03", "input.NLPR03vb10.gz"),
        ("covid-round4", "uab.run1.gz"),
        pytest.param("clef2014", "miracl_en_run.1.dat.gz", marks=pytest.mark.slow),
    ],
)
def test_real_files(data: Path, folder: str, run: str) -> None:
    for path, read, column, place in (
        (data / folder / "runs" / run, read_run, "score", 4),
        (data / folder / "qrels.txt", read_qrels, "relevance", 3),
    ):
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        fields = [line.split() for line in text.decode().splitlines()]
        table = read(path)
        assert table["query_id"].tolist() == [row[0] for row in fields]
        assert table["doc_id"].tolist() == [row[2] for row in fields]
        assert table[column].tolist() == [float(row[place]) for row in fields]


def test_real_file_with_junk_at_the_line_ends(data: Path) -> None:
    as_golden(error(read_run, data / "trec_eval" / "results.trunc.gz"))
