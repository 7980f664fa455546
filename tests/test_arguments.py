"""Arguments of public functions that are of another type, or too large: one clear error, or one meaning."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from tests.golden.messages import refused

HUGE: Any = 10**400  # no float holds it
ANY: Any = 5
Collected = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def collection() -> Collected:
    return me.simulate(systems=2, topics=3, depth=20)


@pytest.mark.parametrize(
    "call",
    [
        lambda data: me.study(*data, title=ANY),
        lambda data: me.check(*data, title=ANY),
        lambda _: me.lists.solve_averages(ANY),
        lambda _: me.lists.solve_lists(ANY),
        lambda _: me.systems.discriminative_power(ANY),
        lambda data: me.compare_systems(*data, fail_under=ANY),
        lambda data: me.compare_systems(*data, fail_under={"AP": HUGE}),
        lambda data: me.compare_systems(*data, measures=["AP"], replicates=10**12),
        lambda data: me.compare_systems(*data, alpha=HUGE),
        lambda _: me.data.as_qrels({"q": {"d": 0.5}}, bins=[HUGE]),
        lambda data: me.predict(*data, band=HUGE),
        lambda _: me.Problem(me.AP(), value=0.3, relevant=(HUGE,)),
        lambda _: me.simulate(topics=10**7),
        lambda data: me.summarize(me.informativeness(*data, min_retrieved=0), replicates=10**12),
    ],
)
def test_what_makes_no_sense_is_one_error(call: Callable[[Collected], Any], collection: Collected) -> None:
    with refused(me.MaxentError) as raised:
        call(collection)
    assert "\n" not in str(raised.value)


def test_measures_are_texts_as_well() -> None:
    problem = me.Problem(me.AP(), value=0.3, relevant=(3,), retrieved=(3,), depth=10)
    assert me.Problem("AP", value=0.3, relevant=3, retrieved=3, depth=10) == problem
    assert me.Problem({"AP": 0.3}, relevant=3, retrieved=3, depth=10) == problem
    assert me.Problem.of_list("AP", [1, 0, 1], (2,)) == me.Problem.of_list(me.AP(), [1, 0, 1], (2,))
    changes = me.measures.value_changes("AP", [1, 0], (1,))
    np.testing.assert_array_equal(changes, me.measures.value_changes(me.AP(), [1, 0], (1,)))


def test_parameters_of_a_measure_of_ones_own_have_their_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxent.measures.names.MEASURES", dict(me.measures.MEASURES))

    @me.measures.register_measure
    @dataclass(frozen=True, kw_only=True)
    class CubeP(me.measures.Measure):
        """Precision of a kind."""

        a: float = 0.5
        depth_of: int = 3

        def _form(self, relevant: Any, depth: int) -> me.measures.Form:
            return me.measures.linear_form(np.full(depth, self.a), np.ones(len(relevant)))

    assert CubeP(a=1).a == 1.0
    for wrong in ({"a": "x"}, {"a": np.inf}, {"depth_of": "3"}, {"depth_of": 1.5}):
        with refused(me.errors.MeasureError):
            CubeP(**wrong)


def public_callables() -> Iterator[tuple[str, Any]]:
    """Functions and classes that users may call, and methods of these classes, by name.

    The docstring of the package lists those of its rooms.
    """
    listed = re.findall(r"^    (\w+)  +(\w.*(?:\n     +.*)*)", me.__doc__ or "", re.M)
    rooms = [(getattr(me, room), names.split()) for room, names in listed]
    figures = [name for name in dir(me.plot) if name.startswith("plot_")]
    for module, names in ((me, dir(me)), (me.plot, figures), *rooms):
        for name in names:
            part = getattr(module, name)
            if not getattr(part, "__module__", "").startswith("maxent"):  # a module, or another's function
                continue
            if inspect.isfunction(part):
                yield name, part
            elif inspect.isclass(part) and not issubclass(part, BaseException):
                yield name, part
                methods = inspect.getmembers(part, inspect.isfunction) + inspect.getmembers(part, inspect.ismethod)
                yield from ((f"{name}.{key}", method) for key, method in methods if not key.startswith("_"))


def test_a_signature_names_only_what_is_public() -> None:
    """Editors and Jupyter show it; numpy's ArrayLike is a union of private types unless it is quoted."""
    signatures = {name: str(inspect.signature(part)) for name, part in public_callables()}
    assert {"study", "plot_ternary", "Solution.log_likelihood"} <= set(signatures)
    private = re.compile(r"[\w.]*\b_\w+\b(?!\.)")  # numpy and matplotlib have public classes in private modules
    assert {name: names for name, text in signatures.items() if (names := private.findall(text))} == {}
    assert "._" not in signatures["study"]
