"""Progress bars: where they are shown, and as what."""

import io
import sys
import warnings
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.progress import progress_bar
from maxent.studies.refine_g import MOST


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
    monkeypatch.setattr("tqdm.notebook.tqdm", Widget)
    monkeypatch.setattr("tqdm.notebook.IProgress", Widget)
    bar: Any = progress_bar(range(3), unit="topic", shown=shown)
    assert isinstance(bar, Widget)
    assert bar.options["disable"] is disable
    assert not bar.options["leave"]


@pytest.mark.usefixtures("notebook")
@pytest.mark.parametrize("shown", [True, False])
def test_a_notebook_without_widgets_shows_text_and_no_warning(
    shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ipywidgets", "IPython.display", "IPython.html"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "tqdm.notebook", raising=False)
    with warnings.catch_warnings(record=True) as found:  # as an error it would be swallowed
        warnings.simplefilter("always")
        bar = progress_bar(range(3), unit="topic", shown=shown)
    assert not found
    assert bar.disable is not shown
    bar.delay = bar.mininterval = 0  # seconds
    assert list(bar) == [0, 1, 2]
    said = capsys.readouterr()
    assert ("/3" in said.out) == shown
    assert not said.err


def test_bars_are_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress_bar(total=2, unit="topic", shown=True)
    assert bar.disable  # standard error is captured here
    bar.update()
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    """Standard error of a terminal, which keeps what is written."""

    def isatty(self) -> bool:
        return True


def test_slow_work_has_a_bar_before_its_first_part_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    for slow in (True, False):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        with progress_bar(total=3, unit="topic", shown=True, slow=slow):
            assert ("0/3" in terminal.getvalue()) == slow


@pytest.mark.slow
def test_every_bar_has_a_total(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all work that reads, solves, refines or compares; bars of whole lists are there from the start."""
    from tqdm.std import tqdm

    bars: dict[str, tuple[int, float, float]] = {}
    close = tqdm.close

    def closed(bar: Any) -> None:
        if not bar.disable and bar.total != 0:
            bars.setdefault(bar.desc, (bar.n, bar.total, bar.delay))
        close(bar)

    monkeypatch.setattr(tqdm, "close", closed)
    monkeypatch.setattr("sys.stderr", Terminal())
    runs, qrels = me.simulate(systems=3, topics=4, depth=50)
    by_name: dict[str, Any] = {str(name): rows for name, rows in runs.groupby("run_id")}
    me.check(by_name, qrels)
    few: dict[str, Any] = {"depth": 50, "min_retrieved": 1}
    me.choose_g(by_name, qrels, g_steps=4, measure="nDCG", **few)
    reading, solving, refining = (bars[name] for name in ("reading runs", "solving", "refine g, at most"))
    assert reading == (3, 3, 2)
    assert solving == (4, 4, 2)
    assert 0 < refining[0] == refining[1] <= MOST, "else a notebook takes it for a failure and leaves it there"
    bars.clear()
    me.informativeness(by_name, qrels, measures=["AP"], model="lists", **few)
    assert bars["solving"] == (4, 4, 0)
    me.solve_many([me.Problem(me.AP(), value=0.5, relevant=(3,), retrieved=(3,), depth=9)], model="lists")
    assert bars[""] == (1, 1, 0)
    options: dict[str, Any] = {"measures": ["AP"], "depth": 50}
    me.compare_systems(by_name, qrels, **options)
    me.compare_discriminative(by_name, qrels, **options)
    me.compare_agreement(by_name, qrels, quantile=0, **options)
    me.compare_pools(by_name, qrels, quantile=0, repetitions=1, **options)
    me.studies.predict_averages(by_name, qrels, targets=["P@10"], **options)
    me.reported(pd.DataFrame({"AP": [".3"]}, index=["x"]), qrels, depth=50)
    assert all(n == total for n, total, _ in bars.values()), bars
    assert len(bars) > 6
