"""Names that a spreadsheet would take for formulas are texts in what is written, and themselves when it is read."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.data import guarded, unguarded
from maxent.results import format_table, write_csv

FORMULAS = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "'=1", "''-1", "\uff1d1")
TEXTS = ("AP", "GAP(g=0.5,0.5)", "'tis", "", " =1", "a=b", "'")


def test_formulas_get_an_apostrophe_and_nothing_else_does() -> None:
    table = pd.DataFrame({"=a": [*FORMULAS, *TEXTS], "b": -1.5, "c": -2})
    found = guarded(table)
    assert found["'=a"].tolist() == [*(f"'{text}" for text in FORMULAS), *TEXTS]
    pd.testing.assert_frame_equal(found[["b", "c"]], table[["b", "c"]])
    assert list(map(unguarded, found["'=a"])) == [*FORMULAS, *TEXTS]


def test_control_characters_become_escapes() -> None:
    (found,) = guarded(pd.DataFrame({"a": ["\x1b[31mred\\"]}))["a"]
    assert found == r"'\x1b[31mred\\"


@given(st.text("'=+-@\t\rab,\"\n\x1b\x00\x7f\x9b\\x1"))
def test_every_text_comes_back(text: str) -> None:
    (found,) = guarded(pd.DataFrame({"a": [text]}))["a"]
    assert unguarded(found) == text


def test_columns_of_one_name_and_missing_texts_stay() -> None:
    table = pd.DataFrame([["=1", None, np.nan]], columns=["a", "a", "b"])
    assert guarded(table).iloc[0].tolist()[:2] == ["'=1", None]
    assert list(guarded(table).columns) == ["a", "a", "b"]


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_what_is_printed_is_no_formula_and_reads_back(form: str, tmp_path: Path) -> None:
    run = pd.DataFrame({"query_id": ["-1", "2"], "doc_id": ["=1+1", "'@a"], "score": [2.0, -1.0], "run_id": "+x"})
    text = format_table(run, form)
    cells = [
        cell for row in csv.reader(io.StringIO(text), delimiter="," if form == "csv" else "\t") for cell in row
    ]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "@") or (cell[:1] == "-" and cell != "-1.0000")]
    (tmp_path / "run").write_text(text)
    pd.testing.assert_frame_equal(me.read_run(tmp_path / "run"), run, check_dtype=False)


def test_what_is_written_is_no_formula_and_reads_back(tmp_path: Path) -> None:
    run = pd.DataFrame({"query_id": ["1"], "doc_id": ["=1+1"], "score": [-2.0], "run_id": "@x"})
    write_csv(run, tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text() == "query_id,doc_id,score,run_id\n1,'=1+1,-2.0,'@x\n"
    pd.testing.assert_frame_equal(me.read_run(tmp_path / "run.csv"), run, check_dtype=False)


def test_what_is_written_is_what_pandas_writes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.integers(-9, 18, 1000)
    table = pd.DataFrame({"a,b": rng.normal(size=1000) * sizes, "c": (3 * rng.random(1000) * sizes).round(3)})
    table = table.assign(d=rng.integers(-9, 10**12, 1000), e=rng.random(1000) > 0.5, f="GAP(g=0,1)")
    table.loc[:9, "a,b"] = [np.nan, np.inf, -np.inf, 0, -0.0, 1e-4, 1e9, 1e16, 1, -2]
    table["g"] = pd.Series([1, True, 1.0, 0.1, None, "", 'x"y', "x\ny", "caf\udce9", " z "] * 100, dtype=object)
    write_csv(table, tmp_path / "own.csv")
    guarded(table).to_csv(tmp_path / "pandas.csv", index=False, errors="backslashreplace", lineterminator="\n")
    assert (tmp_path / "own.csv").read_bytes() == (tmp_path / "pandas.csv").read_bytes()
