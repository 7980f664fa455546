"""Reading LETOR files: what is forgiven, and what is an error that names file, line and value."""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from tests.golden.messages import refused

TEXT = (
    "2 qid:7 1:0.5 2:-3e-2 #docid = d1\n0 qid:7 1:1 2:0 #docid = d2 inc = 1 prob = 0.1\n1 qid:8 1:4 2:5 #docid=d1\n"
)
FRAME = pd.DataFrame(
    {
        "query_id": ["7", "7", "8"],
        "doc_id": ["d1", "d2", "d1"],
        "relevance": [2, 0, 1],
        "f1": [0.5, 1.0, 4.0],
        "f2": [-0.03, 0.0, 5.0],
    }
)


def read(folder: Path, content: str | bytes) -> pd.DataFrame:
    path = folder / "letor.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return me.data.read_letor(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "# features of\n\n" + text.replace("\n", "\n \n"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" 2:0 ", " "),  # SVMlight leaves zeros out
        lambda text: text.replace("1:0.5 2:-3e-2", "2:-3e-2 1:0.5"),
        lambda text: gzip.compress(text.encode()),
    ],
)
def test_read(change: Callable[[str], str | bytes], tmp_path: Path) -> None:
    pd.testing.assert_frame_equal(read(tmp_path, change(TEXT)), FRAME)


def test_documents_without_name_are_called_by_their_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "\n0 qid:1 1:2\n1 qid:1 3:2 # no name\n")
    assert found["doc_id"].tolist() == ["2", "3"]
    assert list(found.columns[3:]) == ["f1", "f2", "f3"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1:0.5", "1:nan"),
        ("1:0.5", "1:NULL"),
        ("2:5", "2:inf"),
        ("1:1", "1:1_0"),
        ("1:1", "1:"),
        ("2:5", "0:5"),
        ("2:5", "5"),
        ("2:5", "1000000000:5"),
        ("2:5", "1:5"),
        ("1 qid:8", "1.5 qid:8"),
        ("1 qid:8", "1 8"),
        ("1 qid:8", "1 qid:"),
        ("docid = d2", "docid = d1"),
        (TEXT, "# nothing\n"),
        (TEXT, b"\xff\x00"),
    ],
)
def test_bad_input(old: str, new: str | bytes, tmp_path: Path) -> None:
    with refused(me.errors.InputError):
        read(tmp_path, new if isinstance(new, bytes) else TEXT.replace(old, new))


def test_a_number_of_features(tmp_path: Path) -> None:
    table = read(tmp_path, TEXT)
    path = tmp_path / "letor.txt"
    width = table.shape[1] - 3
    wider = me.data.read_letor(path, features=width + 2)
    assert list(wider.columns) == [*table.columns, f"f{width + 1}", f"f{width + 2}"]
    assert (wider.iloc[:, -2:] == 0).all().all()
    pd.testing.assert_frame_equal(wider[table.columns], table)
    with refused(me.errors.InputError):
        me.data.read_letor(path, features=width - 1)


def test_it_serves_as_judgments_and_as_runs(tmp_path: Path) -> None:
    table = read(tmp_path, TEXT)
    found = me.evaluate({"f2": table.rename(columns={"f2": "score"})}, table, measures=["AP"])
    assert found.tables["values"]["value"].tolist() == [0.5, 1.0]


@pytest.mark.slow
def test_ohsumed(data: Path) -> None:
    files = sorted((data / "ohsumed").glob("Fold*/test.txt.gz"))
    table = pd.concat(map(me.data.read_letor, files), ignore_index=True)
    assert table.shape == (16_140, 3 + 25)
    assert table["query_id"].nunique() == 106
    assert table["f1"].nunique() == 9
    assert np.corrcoef(table["f1"], table["f9"])[0, 1] == pytest.approx(0.96, abs=5e-3)  # as the muAP paper says
    assert table.groupby("query_id")["relevance"].max().eq(0).sum() == 1
