"""Notebooks run from top to bottom without a word on stderr, and are kept with the outputs of such a run.

``python -m tests.test_notebooks`` runs them and keeps their outputs.
"""

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
from ipykernel.kernelspec import write_kernel_spec
from nbclient import NotebookClient
from nbformat import NotebookNode

from maxent import plot
from maxent.types import FloatArray
from tests.helpers import PATIENCE

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = [pytest.param(path, id=path.stem) for path in sorted(FOLDER.glob("*.ipynb"))]

read: Callable[..., NotebookNode] = nbformat.read  # has no annotations of its own


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name of a kernel that is this very interpreter, without the settings of whoever runs the tests."""
    write_kernel_spec(tmp_path / "first" / "kernels" / "python3")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "first"))  # before every other place of kernels
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    return "python3"


def execute(path: Path, kernel: str) -> NotebookNode:
    """Notebook with the outputs of a fresh kernel started in its folder."""
    notebook = read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, kernel_name=kernel, resources=resources, timeout=PATIENCE)
    client.startup_timeout = PATIENCE
    client.execute()
    return notebook


PICTURE = re.compile(r'src="data:image/png;base64,[^"]+"')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")


def kept(notebook: NotebookNode) -> NotebookNode:
    """The notebook as it is kept: without what differs from run to run."""
    for cell in notebook.cells:
        cell.metadata.clear()
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
            if output.output_type == "execute_result":
                output.execution_count = None
        if cell.cell_type == "code":
            cell.execution_count = None
    return notebook


def texts(cell: NotebookNode) -> list[str]:
    """What the outputs of a cell say."""
    said = []
    for output in cell.outputs:
        data = output.get("data", {})
        said.append(data.get("text/html", data.get("text/plain", output.get("text", ""))))
    return [PICTURE.sub('src="a picture"', text) for text in said]


def wording(text: str) -> str:
    """A text without its numbers and the room that they take."""
    return re.sub(r"[\s-]+", " ", NUMBER.sub("#", text))


def numbers(text: str) -> FloatArray:
    return np.array(NUMBER.findall(text), dtype=float)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS)
def test_runs_and_says_what_it_is_kept_with(path: Path, kernel: str) -> None:
    if "import torch" in path.read_text(encoding="utf-8"):
        pytest.importorskip("torch")
    before = code(read(path, as_version=4))
    for cell, old in zip(code(kept(execute(path, kernel))), before, strict=True):
        assert [o.text for o in cell.outputs if o.get("name") == "stderr"] == [], cell.source
        drawn = any("image/png" in o.get("data", {}) for o in cell.outputs)
        assert drawn == any(call in cell.source for call in ("plt.subplots", "_figure(", ".plot(")), cell.source
        for new, known in zip(texts(cell), texts(old), strict=True):
            assert wording(new) == wording(known)
            # a processor's last digits decide where training and bootstraps end
            np.testing.assert_allclose(numbers(new), numbers(known), rtol=0.1, atol=0.02, err_msg=cell.source)


def test_results_are_shown_with_a_picture() -> None:
    cells = {cell.source: cell for cell in code(read(FOLDER / "results.ipynb", as_version=4))}
    for source in ("study", "me.choose_g(depth=100, g_steps=3, progress=False)", "me.compare_systems(depth=100)"):
        assert texts(cells[source])[0].count('src="a picture"') == 1
    assert [list(output.data) for output in cells["study.plot()"].outputs] == [["image/png", "text/plain"]]


def test_the_gallery_draws_every_figure() -> None:
    drawn = "".join(cell.source for cell in code(read(FOLDER / "gallery.ipynb", as_version=4)))
    parts = {"plot_heatmap", "plot_ternary"}  # of other figures
    names = {name for name in dir(plot) if "plot_" in name or "_figure" in name}
    assert {name for name in names if f"{name}(" not in drawn} == parts


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_labels_beside_axes_have_room(path: Path) -> None:
    for cell in code(read(path, as_version=4)):
        for call in re.findall(r"plt\.subplots\(.*", cell.source):
            assert 'layout="constrained"' in call, cell.source


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_is_kept_with_outputs_and_nothing_else(path: Path) -> None:
    notebook = read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert all(cell.metadata == {} for cell in notebook.cells)
    for cell in code(notebook):
        assert cell.execution_count is None, cell.source
    assert any(cell.outputs for cell in code(notebook))


if __name__ == "__main__":
    for place in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(kept(execute(place, "python3")), place)  # type: ignore[no-untyped-call]
