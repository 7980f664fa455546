"""One smoke run of every analysis, on a small collection in files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from tests.conftest import Script, write_collection

FOLDER = Path(__file__).resolve().parents[1] / "analyses"


@pytest.mark.parametrize("name", ["figure2", "ndcg_variants"])
def test_analysis(name: str, files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--out", str(tmp_path)]
    script(f"analyses/{name}").main([*argv, "--g-steps", "3"] if name == "figure2" else argv)
    table = pd.read_csv(tmp_path / f"{name}.csv")
    assert (table["lists"] > 0).all()
    assert table["rms"].between(0, 1).all()
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    if name == "ndcg_variants":
        assert len(table) == 9 * 2
        paper = table[(table["gain"] == "exp2") & (table["discount"] == "log2")]
        assert (paper[["excess", "excess_low", "excess_high"]] == 0).all().all()


def test_ternary(tmp_path: Path, script: Script) -> None:
    """The small collection has two grades; this one has three."""
    runs, qrels = me.simulate(systems=3, topics=4, depth=1000, rng=1)
    third = qrels[qrels["relevance"] == 2].groupby("query_id").head(8).index
    qrels.loc[third, "relevance"] = 3
    write_collection(tmp_path / "three", runs, qrels)
    argv = ["--data", str(tmp_path), "--collections", "three", "--jobs", "1", "--g-steps", "3"]
    script("analyses/ternary").main([*argv, "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "ternary.csv")
    assert len(table) == (6 + 2) * 3
    assert (table["lists"] > 0).all()
    parts = table[table["objective"].notna()].groupby("measure")[["rms", "objective"]].mean()
    np.testing.assert_allclose(parts["objective"], parts["rms"])
    assert (tmp_path / "ternary.png").read_bytes().startswith(b"\x89PNG")


def test_prediction(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--out", str(tmp_path)]
    script("analyses/prediction").main(argv)
    table = pd.read_csv(tmp_path / "prediction.csv")
    assert len(table) == (1 + len(script("analyses/prediction").MEASURES)) ** 2
    itself = table["measure"] == table["target"]
    assert (table.loc[itself, "rms"] < 1e-7).all()
    assert (table.loc[~itself, "rms"] > 1e-4).all()
    assert (tmp_path / "prediction.png").read_bytes().startswith(b"\x89PNG")


def test_league(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--g-steps", "3"]
    script("analyses/league").main([*argv, "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "league.csv")
    assert set(table["threshold"]) == {0, 1, 2}
    assert table.groupby("threshold").size().eq(9 + len(script("analyses/league").OTHERS)).all()
    same = table[table["measure"].isin(["AP", "GAP(g=1,0)", "xGAP(g=1,0)", "eGAP(g=1,0)"])]
    np.testing.assert_allclose(same.groupby("threshold")["rms"].agg(np.ptp), 0, atol=1e-9)
    assert (tmp_path / "league.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "league_left_out.csv").exists()


@pytest.mark.parametrize(("name", "argv"), [("kishida", []), ("kishida_judgments", ["--seeds", "3"])])
def test_kishida(name: str, argv: list[str], tmp_path: Path, script: Script) -> None:
    """Their numbers: test_published.py."""
    script(f"analyses/{name}").main([*argv, "--out", str(tmp_path)])
    assert len(pd.read_csv(tmp_path / f"{name}.csv")) == {"kishida": 67, "kishida_judgments": 14}[name]
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_every_analysis_has_a_row_in_the_readme() -> None:
    text = (FOLDER / "README.md").read_text()
    for script in FOLDER.glob("*.py"):
        assert f"`{script.name}`" in text, script.name
