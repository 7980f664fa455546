"""Progress bars: where they are shown, and as what."""

import sys
import warnings
from types import ModuleType
from typing import Any

import pytest

from maxent.progress import progress_bar


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process stands for the kernel of a notebook."""

    class Shell:
        kernel = object()

    ipython = ModuleType("IPython")
    ipython.get_ipython = Shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "ipykernel.zmqshell", ModuleType("ipykernel.zmqshell"))


class Widget:
    """Stands for tqdm's bar in a notebook."""

    def __init__(self, iterable: object, **options: Any) -> None:
        self.options = options


@pytest.mark.usefixtures("notebook")
@pytest.mark.parametrize(("shown", "disable"), [(True, False), (False, True)])
def test_notebooks_show_widgets(shown: bool, disable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tqdm.autonotebook")
    module.tqdm = Widget  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm.autonotebook", module)
    bar: Any = progress_bar(range(3), unit="topic", shown=shown)
    assert isinstance(bar, Widget)
    assert bar.options["disable"] is disable


@pytest.mark.usefixtures("notebook")
@pytest.mark.parametrize("shown", [True, False])
def test_a_notebook_without_widgets_shows_text_and_no_warning(
    shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ipywidgets", "IPython.display", "IPython.html"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("tqdm.autonotebook", "tqdm.notebook"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with warnings.catch_warnings(record=True) as found:  # as an error it would be swallowed
        warnings.simplefilter("always")
        bar = progress_bar(range(3), unit="topic", shown=shown)
    assert not found
    assert bar.disable is not shown
    bar.delay = 0  # seconds
    assert list(bar) == [0, 1, 2]
    said = capsys.readouterr()
    assert ("3/3" in said.out) == shown
    assert not said.err


def test_bars_are_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress_bar(total=2, unit="topic", shown=True)
    assert bar.disable  # standard error is captured here
    bar.update()
    assert capsys.readouterr().err == ""
