"""Python blocks of the README and docs, and commands of the recipes, run on a small collection.

After a line that begins with "It prints" stands what the block before prints, or some of its lines.
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.types import FloatArray
from tests.conftest import skip_without_torch

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]
OTHER_PAGES = [
    *(f"{folder}/README.md" for folder in ("analyses", "benchmarks")), "CONTRIBUTING.md", "CHANGELOG.md",
    *(f"notebooks/{page.name}" for page in sorted((ROOT / "notebooks").glob("*.ipynb"))),
]  # fmt: skip
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```$(?:\n\nIt prints[^\n]*:\n\n```text\n(.*?)^```$)?", re.M | re.S)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d*\.\d+")
COMMANDS = ["docs/recipes.md"]
"""Pages whose commands are run as well."""


def write_runs(folder: Path) -> None:
    runs, qrels = me.simulate(systems=4, topics=8, depth=200)
    runs, qrels = (
        table.assign(query_id=(600 + table["query_id"].astype(int)).astype(str)) for table in (runs, qrels)
    )
    qrels.assign(iteration=0)[["query_id", "iteration", "doc_id", "relevance"]].to_csv(
        folder / "qrels.txt", sep=" ", header=False, index=False
    )
    ratings = qrels.assign(iteration=0, relevance=(qrels["relevance"] + qrels.index % 2).clip(upper=2) + 1)
    ratings[["query_id", "iteration", "doc_id", "relevance"]].to_csv(
        folder / "model.txt", sep=" ", header=False, index=False
    )
    words = ratings["relevance"].map({1: "Irrelevant", 2: "Partial", 3: "Exact"})
    labels = pd.DataFrame({"Query ID": qrels["query_id"], "Product ID": qrels["doc_id"], "Label": words})
    labels.to_csv(folder / "labels.csv", index=False)
    (folder / "runs").mkdir()
    for name, (tag, rows) in zip("abcd", runs.groupby("run_id"), strict=True):
        lines = rows.assign(Q0="Q0", rank=0, tag=tag)[["query_id", "Q0", "doc_id", "rank", "score", "tag"]]
        for path in (folder / "runs" / f"{tag}.gz", folder / f"{name}.run.gz"):
            lines.to_csv(path, sep=" ", header=False, index=False)


def write_letor(folder: Path) -> None:
    """Scores of simulated systems as features of judged documents."""
    runs, qrels = me.simulate(systems=6, topics=24, depth=40, rng=1)
    table = qrels.merge(
        runs.pivot(index=["query_id", "doc_id"], columns="run_id", values="score"),
        on=["query_id", "doc_id"],
    ).fillna(0.0)  # fmt: skip
    parts = np.array_split(table["query_id"].unique(), 3)
    for name, topics in zip(("training", "validation", "test"), parts, strict=True):
        with (folder / f"{name}.txt").open("w") as file:
            for row in table[table["query_id"].isin(topics)].itertuples(index=False):
                features = " ".join(f"{k}:{value}" for k, value in enumerate(row[3:], 1))
                file.write(f"{row.relevance} qid:{row.query_id} {features} #docid = {row.doc_id}\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages name."""
    found = tmp_path_factory.mktemp("docs")
    write_runs(found)
    write_letor(found)
    clicks = pd.DataFrame({"grade": [0, 1, 2], "impressions": 1000, "clicks": [50, 200, 500]})
    clicks.to_csv(found / "clicks.csv", index=False)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    for language, block, shown in BLOCK.findall((ROOT / page).read_text()):
        capsys.readouterr()
        if language == "python":
            with skip_without_torch():
                exec(compile(block, page, "exec"), names)  # our own documents
        elif shown:
            assert main(shlex.split(block.rpartition("maxent ")[2])) == 0
        elif page in COMMANDS:
            for line in block.splitlines():
                program, *arguments = shlex.split(line)
                assert program == "maxent"
                assert main(arguments) == 0, line
        if shown:
            assert_printed(shown, capsys.readouterr().out)


def assert_printed(shown: str, out: str) -> None:
    """Each line that a page shows is printed, with numbers that differ in their last digits at most."""
    for line in shown.splitlines():
        alike = [own for own in out.splitlines() if NUMBER.sub("#", own) == NUMBER.sub("#", line)]
        assert any(np.allclose(numbers_of(own), numbers_of(line), atol=2e-4) for own in alike), line


def numbers_of(line: str) -> FloatArray:
    return np.array(NUMBER.findall(line), dtype=float)


def prose(path: Path) -> str:
    """A page, or the Markdown of a notebook, without its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


@pytest.mark.parametrize("page", [*PAGES, *OTHER_PAGES])
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", prose(path)):
        place = path.parent / target if target else path
        assert place.exists(), target
        headings = re.findall(r"^#+ (.+)$", prose(place), re.M) if anchor else []
        names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
        assert not anchor or anchor in names, f"{target}#{anchor}"
