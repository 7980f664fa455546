"""The measures in PyTerrier: one value whatever the batches, and `pt.maxent`."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import maxent as me
import maxent.ir_measures as bridge

ROOT = Path(__file__).resolve().parents[1]
G = (0.2, 0.3, 0.5)


@pytest.fixture(scope="module")
def tables(clef: tuple[pd.DataFrame, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Topics, a run and judgments in PyTerrier's columns; no system is asked for the first topic."""
    run, qrels = (t.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}) for t in clef)
    asked = pd.DataFrame({"qid": qrels["qid"].unique()[1:], "query": "text"})
    return asked, run.assign(rank=run.groupby("qid").cumcount()), qrels


@pytest.mark.parametrize("batch_size", [None, 1, 4])
def test_values_do_not_depend_on_batches(
    batch_size: int | None,
    tables: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame],
    clef: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    topics, run, qrels = tables
    wanted = [bridge.GAP(g=G), bridge.Q(gain="exp2"), bridge.nRecall, ir_measures.AP(rel=2), ir_measures.nDCG @ 10]
    found = pt.Experiment(
        [pt.Transformer.from_df(run)],
        topics,
        qrels,
        eval_metrics=[*wanted, "map"],
        names=["system"],
        batch_size=batch_size,
        filter_by_topics=False,
        perquery=True,
    ).set_index(["qid", "measure"])["value"]
    assert len(found) == 12 * 6
    ours = [me.GAP(g=G), me.Q(gain="exp2"), me.nRecall(), me.AP(rel=2), me.nDCG(cutoff=10), me.AP()]
    table = me.evaluate({"system": clef[0]}, clef[1], measures=ours).tables["values"]
    names = dict(zip(table["measure"].unique(), [*map(str, wanted), "map"], strict=True))
    for row in table.itertuples(index=False):
        assert found[row.query_id, names[str(row.measure)]] == pytest.approx(row.value, abs=1e-12)
    assert len(table) == len(found)
    for topic in (qrels["qid"].iloc[0], topics["qid"].iloc[4]):  # missing; without relevant documents
        assert found.loc[topic].eq(0).all()


@pytest.mark.slow
def test_pyterrier_finds_the_module(tmp_path: Path) -> None:
    """It looks for an entry point among what is installed: here, a package that has nothing else."""
    group = "pyterrier.modules"
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][group]
    folder = tmp_path / "shown-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: shown\nVersion: 1\n")
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    code = "import pyterrier as pt; print(pt.maxent.GAP(g=(.5, .5)), pt.maxent.AP, 'GAP' in dir(pt.maxent))"
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True
    )
    assert done.stdout.split() == ["GAP(g='0.5,0.5')", "AP", "True"]
