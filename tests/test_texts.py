"""What notebooks show of values."""

import re
from typing import Any

import matplotlib.pyplot as plt
import pytest

import maxent as me
from maxent.problem import MODELS, Model

RUNS, QRELS = me.simulate(systems=3, topics=4, depth=100)
NAMED = RUNS.assign(run_id=RUNS["run_id"].replace("system1", "<i>&run"))


def test_collections_say_their_size() -> None:
    collection = me.collect(NAMED, QRELS, depth=100)
    assert repr(collection) == "Collection(3 runs x 4 topics, depth 100, grades 1 to 2)"
    html = collection._repr_html_()
    assert "&lt;i&gt;&amp;run, system2, system3" in html
    assert "<i>" not in html
    assert "<td>132, 276</td>" in html


def test_solutions_say_their_status() -> None:
    solution = me.solve(me.Problem(me.AP(), value=0.35, relevant=(40,), retrieved=(30,), depth=100))
    assert repr(solution) == f"Solution(AP = 0.35: optimal, entropy {solution.entropy:.6g} nats)"
    html = solution._repr_html_()
    assert re.search(r"<td>status</td>\s*<td>optimal</td>", html)
    assert html.count("<img") == 1
    nothing = me.solve(me.Problem(me.AP(), value=1.5, relevant=(3,), retrieved=(3,), depth=10))
    assert repr(nothing) == "Solution(AP = 1.5: infeasible)"
    assert nothing.message.replace(">", "&gt;") in nothing._repr_html_()
    assert "<img" not in nothing._repr_html_()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("values", "active"),
    [
        ({me.AP(): ".5", me.P(cutoff=10): (0.6, None)}, "AP >= 0.45"),
        ({me.AP(): (0.45, 1), me.nDCG(): (0.2, 0.6)}, "AP >= 0.45, nDCG <= 0.6"),
        ({me.AP(): (0.01, 0.99), me.P(cutoff=10): 0.3}, "none"),
        ({me.AP(): 0.4}, ""),
        ({me.AP(): (1.5, None)}, ""),
    ],
)
def test_solutions_say_which_bounds_are_active(values: dict[Any, Any], active: str, model: Model) -> None:
    solution = me.solve(me.Problem(values, **KNOWN), model=model)
    assert repr(solution).rpartition("active bounds: ")[2] == (f"{active})" if active else repr(solution))
    assert dict(solution.to_frame().to_numpy().tolist()).get("active bounds", "") == active


KNOWN: dict[str, Any] = {"relevant": (30, 10), "retrieved": (24, 9), "depth": 100}
SOLUTION = me.solve(me.Problem({me.AP(): ".5", me.P(cutoff=10): (0.6, None)}, **KNOWN))
SYSTEM = me.lists.solve_averages(me.Averages({"AP": ".4", "P@2": 0.6}, [[3], [2]], depth=10))
OBJECTS: dict[str, tuple[Any, str, list[str], int]] = {
    "problem": (
        SOLUTION.problem,
        "Problem(AP = 0.45 to 0.55 & P@10 = 0.6 or more; retrieved 24 + 9 of 30 + 10 relevant, 100 ranks)",
        ["measure", "low", "high"],
        0,
    ),
    "counts": (
        me.Problem(**KNOWN),
        "Problem(counts; retrieved 24 + 9 of 30 + 10 relevant, 100 ranks)",
        ["measure", "low", "high"],
        0,
    ),
    "total": (
        me.Problem(**KNOWN | {"count": "total"}),
        "Problem(counts; total 30 + 10, 100 ranks)",
        ["measure", "low", "high"],
        0,
    ),
    "solution": (SOLUTION, "Solution(AP = 0.45 to 0.55 & P@10 = 0.6 or more: optimal", ["quantity", "is"], 1),
    "curve": (SOLUTION.curve(2), "Curve(AP & P@10: 100 points)", ["rank", "recall", "precision"], 1),
    "band": (SOLUTION.curve(band=0.9), "Curve(AP", ["rank", "recall", "precision", "low", "high"], 1),
    "actual": (me.actual_curve([1, 0, 1], (3,)), "Curve(actual: 2 points)", ["rank", "recall", "precision"], 1),
    "no point": (me.actual_curve([0, 0], (3,)), "Curve(actual: 0 points)", ["rank", "recall", "precision"], 0),
    "multipliers": (SOLUTION.multipliers, "Multipliers(value=(", ["constraint", "multiplier"], 0),
    "certificate": (SOLUTION.certificate, "Certificate(accepted)", ["quantity", "is"], 0),
    "averages": (SYSTEM.averages, "Averages(AP = 0.4 & P@2 = 0.6", ["measure", "value", "rounding"], 0),
    "system": (SYSTEM, "ImpliedSystem(AP = 0.4", ["measure", "value", "low", "high", "multiplier"], 1),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_show_themselves(name: str) -> None:
    thing, text, columns, pictures = OBJECTS[name]
    assert repr(thing).startswith(text)
    assert len(repr(thing)) < 120
    assert list(thing.to_frame()) == columns
    html = thing._repr_html_()
    assert html.count("data:image/png") == pictures
    assert all(f"<th>{column}</th>" in html for column in columns)
    if pictures:
        axes = plt.subplots()[1]
        assert thing.plot(ax=axes) is axes
        assert axes.lines
        plt.close("all")


def test_methods_are_short_forms_of_functions() -> None:
    assert SOLUTION.curve(2).to_frame().equals(me.inferred_curve(SOLUTION, threshold=2).to_frame())
    assert SOLUTION.profile().equals(me.curves.profile(SOLUTION))
    assert SOLUTION.multipliers.to_frame()["constraint"].tolist() == ["value 1", "value 2", "grade 1", "grade 2"]


def test_a_certificate_says_what_speaks_against_it() -> None:
    wrong = me.Solution.of(SOLUTION.problem, SOLUTION.p[::-1])
    words = "Certificate(not accepted: value violation 0.38 (accepted up to 1e-07); slack 0.38 (accepted up to"
    assert repr(wrong.certificate).startswith(words)
    assert "none" not in me.solve(me.Problem(me.AP(), value=0.5, **KNOWN)).certificate._repr_html_().lower()
