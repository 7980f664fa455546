"""Measures from outside: registered by a decorator or by an entry point of another package."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import maxent as me
from maxent.cli import main
from maxent.measures import MEASURES, as_measures
from tests.golden.messages import refused

pytestmark = pytest.mark.usefixtures("registry")


def shares(**namespace: Any) -> type[me.measures.Measure]:
    """A new class of this name, not registered."""

    @dataclass(frozen=True, kw_only=True)
    class Shares(me.measures.Measure):
        """Share of the documents up to a rank that have an even grade."""

        cutoff: int = 10
        mode: str = "even"
        weight: float = 1.0
        pair: tuple[int, ...] = (1,)
        reference: ClassVar[str] = "nobody"

        def _form(self, relevant: np.ndarray, depth: int) -> me.measures.Form:
            grades = np.arange(1, len(relevant) + 1)
            return me.measures.linear_form(
                (np.arange(depth) < self.cutoff) / self.cutoff, self.weight * (grades % 2 == 0)
            )

    for name, value in namespace.items():
        setattr(Shares, name, value)
    return Shares


def test_a_registered_measure_is_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    cls: Any = me.measures.register_measure(shares())
    measure = cls(cutoff=4, weight=0.5)
    assert me.parse_measure("Shares(weight=0.5)@4") == measure
    assert measure.evaluate([2, 1, 0, 2, 2], (1, 3)) == pytest.approx(0.5 * 2 / 4)
    solution = me.solve(me.Problem.of_list(measure, [2, 1, 0, 0, 2], (1, 3)))
    assert solution.certificate is not None
    assert solution.certificate.accepted
    runs, qrels = me.simulate(systems=2, topics=2, depth=60)
    table = me.informativeness(runs, qrels, measures=["Shares@4"], min_retrieved=1, depth=60, progress=False)
    assert set(table["measure"]) == {"Shares@4"}
    assert main(["measures", "Shares"]) == 0
    assert "Share of the documents" in capsys.readouterr().out
    with refused(me.errors.MeasureError):
        me.parse_measure("Share@3")
    with refused(me.errors.MeasureError):
        me.RHL().form((1,), 3)


@pytest.mark.parametrize(
    "parameters",
    [
        *({"mode": mode} for mode in ("even", "odd-or-even", "two words, 'quoted' \"twice\"", "10", "None", "")),
        *({"pair": pair} for pair in ((), (2,), (1, 2, 3), ((1, 2), ("a", "b")))),
        {"weight": 1e-300, "cutoff": 3},
    ],
)
def test_its_text_form_reads_back(parameters: dict[str, Any]) -> None:
    measure = me.measures.register_measure(shares())(**parameters)
    assert me.parse_measure(str(measure)) == measure


def test_parameters_with_known_names_are_checked() -> None:
    cls: Any = me.measures.register_measure(shares())
    assert str(cls(cutoff=np.int64(3))) == "Shares@3"
    with refused(me.errors.MeasureError):
        cls(cutoff=0)
    assert cls.usage() == "Shares(mode=even,weight=1,pair=(1,))[@k]"


class Plain:
    pass


@dataclass(frozen=True)
class Empty(me.measures.Measure):
    """No method."""


@dataclass
class Copied(Plain):
    pass


def not_frozen() -> type:
    class Loose(me.measures.Measure):
        def _form(self, relevant: np.ndarray, depth: int) -> me.measures.Form:
            raise NotImplementedError

    return Loose


def named(name: str) -> type:
    cls = shares()
    cls.__name__ = cls.__qualname__ = name
    return cls


@pytest.mark.parametrize(
    "make",
    [
        lambda: Plain,
        lambda: me.AP(),
        lambda: Empty,
        not_frozen,
        lambda: named("AP"),
        lambda: named("MAP"),
        lambda: named("recall"),
    ],
)
def test_what_cannot_be_registered(make: Callable[[], Any]) -> None:
    before = dict(MEASURES)
    with refused(me.errors.MeasureError):
        me.measures.register_measure(make())
    assert before == MEASURES


def test_a_cell_of_a_notebook_can_be_run_again() -> None:
    first, second = me.measures.register_measure(shares()), me.measures.register_measure(shares())
    assert type(me.parse_measure("Shares")) is second is not first


MODULE = """
from dataclasses import dataclass
import numpy as np
import maxent as me

@dataclass(frozen=True, kw_only=True)
class Elsewhere(me.measures.Measure):
    "Share of relevant documents, from elsewhere."
    rel: int = 1
    def _form(self, relevant, depth):
        return me.measures.linear_form(np.full(depth, 1 / depth), np.arange(1, len(relevant) + 1) >= self.rel)

Broken = 3
"""


def install(folder: Path, points: str) -> None:
    """A package with a measure, as pip would leave it there."""
    (folder / "elsewhere.py").write_text(MODULE)
    info = folder / "elsewhere-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[maxent.measures]\n{points}\n")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(tmp_path, "Elsewhere = elsewhere:Elsewhere")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "elsewhere", raising=False)
    return tmp_path


def test_measures_of_other_packages_are_found(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    me.parse_measure("AP")
    assert "elsewhere" not in sys.modules
    (measure,) = as_measures(["Elsewhere(rel=2)"])
    assert measure.evaluate([0, 2, 1, 2], (1, 2)) == 0.5
    assert main(["measures"]) == 0
    assert "\nElsewhere(rel=1) " in capsys.readouterr().out
    assert main(["measures", "elsewhere"]) == 0


@pytest.mark.parametrize(
    ("points", "name"),
    [
        ("Nowhere = elsewhere:Nowhere", "Nowhere"),
        ("Broken = elsewhere:Broken", "Broken"),
        ("Other = elsewhere:Elsewhere", "Other"),
    ],
)
def test_what_is_wrong_with_an_entry_point(
    points: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, points)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "elsewhere", raising=False)
    with refused(me.errors.MeasureError):
        me.parse_measure(name)
    assert me.parse_measure("AP") == me.AP()  # what is known needs no other package


def in_a_new_process(folder: Path, *arguments: str) -> str:
    """What Python prints, on both streams, where a package in the folder is installed."""
    path = {"PYTHONPATH": f"{folder}:{Path(me.__file__).parents[1]}"}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=path)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_other_packages_are_known_first_thing_whatever_one_of_them_does(tmp_path: Path) -> None:
    """To the command line and to ir_measures, whose module PyTerrier imports at its start."""
    install(tmp_path, "Elsewhere = elsewhere:Elsewhere")
    code = "import sys; from maxent.cli import main; sys.exit(main(['measures']))"
    assert "Share of relevant documents, from elsewhere" in in_a_new_process(tmp_path, "-c", code)
    (tmp_path / "elsewhere-1.0.dist-info" / "entry_points.txt").write_text(
        "[maxent.measures]\nNowhere = elsewhere:Nowhere\nElsewhere = elsewhere:Elsewhere\n"
    )
    code = "import maxent.ir_measures as m; print(m.Elsewhere(rel=2), m.GAP)"
    printed = in_a_new_process(tmp_path, "-c", code)
    assert "Elsewhere(rel=2) GAP\n" in printed
    assert "RuntimeWarning: the entry point Nowhere = elsewhere:Nowhere" in printed


SCRIPT = """
from dataclasses import dataclass
import numpy as np
import maxent as me

@me.measures.register_measure
@dataclass(frozen=True, kw_only=True)
class Own(me.measures.Measure):
    cutoff: int
    def _form(self, relevant, depth):
        return me.measures.linear_form((np.arange(depth) < self.cutoff) / self.cutoff, np.ones(len(relevant)))

runs, qrels = me.simulate(systems=2, topics=2, depth=30)
options = {"depth": 30, "progress": False, "min_retrieved": 1}
for jobs, solver in ((1, "auto"), (2, "scipy")):
    table = me.informativeness(runs, qrels, measures=["Own@5", "P@5"], jobs=jobs, solver=solver, **options)
    print(table.groupby("measure")["rms"].mean().round(6).to_json())
"""


@pytest.mark.slow
def test_a_measure_of_a_script_is_known_to_its_processes(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    one, two = map(json.loads, in_a_new_process(tmp_path, str(tmp_path / "script.py")).splitlines())
    for found in (one, two):
        assert found["Own@5"] == pytest.approx(found["P@5"], abs=1e-4)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_a_form_may_have_numbers_of_any_type(kind: type) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Found(me.measures.Measure):
        """Documents found among the first three."""

        def _form(self, relevant: np.ndarray, depth: int) -> me.measures.Form:
            form = me.measures.linear_form(np.arange(depth) < 3, np.ones(len(relevant)))
            return me.measures.Form(a=form.a.astype(kind), d=form.d.astype(kind), K=form.K.astype(kind))

    me.measures.register_measure(Found)
    problem = me.Problem(me.parse_measure("Found"), value=2.0, relevant=(4,), depth=10, count="total")
    for model in ("ranks", "lists"):
        assert me.solve(problem, model=model).status == "optimal"
