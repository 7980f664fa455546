"""One smoke run of every analysis, on a small collection in files."""

from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import Script

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


def test_every_analysis_has_a_row_in_the_readme() -> None:
    text = (FOLDER / "README.md").read_text()
    for script in FOLDER.glob("*.py"):
        assert f"`{script.name}`" in text, script.name
