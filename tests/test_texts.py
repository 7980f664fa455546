"""What notebooks show of values."""

from decimal import Decimal
from typing import Any

import pytest

import maxent as me
from maxent.texts import html_facts, threshold_label

RUNS, QRELS = me.simulate(systems=3, topics=4, depth=100)
NAMED = RUNS.assign(run_id=RUNS["run_id"].replace("system1", "<i>&run"))
SHORT = 200  # characters of a line in a traceback or a notebook


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
    assert "<th>status</th><td>optimal</td>" in html
    assert "<th>documents of each grade (retrieved)</th><td>30</td>" in html
    nothing = me.solve(me.Problem(me.AP(), value=1.5, relevant=(3,), retrieved=(3,), depth=10))
    assert repr(nothing) == "Solution(AP = 1.5: infeasible)"
    assert nothing.message.replace(">", "&gt;") in nothing._repr_html_()


def test_solutions_of_joint_problems_say_all_values() -> None:
    counts: dict[str, Any] = {"relevant": (30, 10), "retrieved": (24, 9), "depth": 100}
    pair = {me.AP(): 0.31, me.P(cutoff=10): 0.6}
    solution = me.solve(me.Problem(pair, **counts))
    assert repr(solution) == f"Solution(AP = 0.31 & P@10 = 0.6: optimal, entropy {solution.entropy:.6g} nats)"
    shown = ", ".join(f"{own:.6g}" for own in solution.multipliers.values)
    assert f"<th>multipliers of the values</th><td>{shown}</td>" in solution._repr_html_()
    alone = me.solve(me.Problem(**counts))
    assert repr(alone) == f"Solution(counts: optimal, entropy {alone.entropy:.6g} nats)"
    assert "<th>multipliers of the values</th><td>-</td>" in alone._repr_html_()
    never = me.solve(me.Problem({me.AP(): 0.01, me.P(cutoff=10): 1.0}, **counts))
    assert repr(never) == f"Solution(AP = 0.01 & P@10 = 1: {never.status})"
    assert never.status in {"failed", "infeasible"}


def test_choices_of_g_say_their_error() -> None:
    choice = me.choose_g(RUNS, QRELS, steps=3, refine=False, min_retrieved=1, depth=100, progress=False)
    best = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
    assert repr(choice).startswith(f"GChoice(g=(0.5, 0.5))\n{choice.finding.sentence}\n")
    assert f"mean RMS error of the best {best['objective']:.4f}" in repr(choice)
    assert choice.finding.sentence in choice._repr_html_()
    assert "<td>GAP(g=0.5,0.5)</td>" in choice._repr_html_()
    assert "g_1" not in choice._repr_html_()


def test_discrimination_says_its_power() -> None:
    values = me.evaluate(RUNS, QRELS, measures=["AP", "P@10"], depth=100)
    found = me.discriminative_power(values, replicates=50, progress=False)
    shares = ", ".join(f"{m} {p:.0%}" for m, p in zip(found.power["measure"], found.power["power"], strict=True))
    assert repr(found) == f"Discrimination(significant of 3 pairs: {shares})"
    own = me.discriminative_power(values[values["measure"] == "AP"].assign(measure="<b>"), progress=False)
    assert "&lt;b&gt;" in own._repr_html_()


def test_values_are_short_in_a_line() -> None:
    collection = me.collect(RUNS, QRELS, depth=100)
    solution = me.solve(me.Problem.of_list(me.AP(), collection.grades[0, 0], collection.relevant[0]))
    assert all(len(repr(value)) < SHORT and "\n" not in repr(value) for value in (collection, solution))


def test_texts_are_escaped() -> None:
    assert html_facts("<a>", {"<b>": "<c>"}) == (
        "<p><b>&lt;a&gt;</b></p><table><tr><th>&lt;b&gt;</th><td>&lt;c&gt;</td></tr></table>"
    )


def test_thresholds_are_whole_numbers() -> None:
    assert threshold_label(2, 3) == "only grade ≥ 2"
    for threshold, highest in ((Decimal("nan"), 2), (2, Decimal("nan")), ("2", QRELS), (2.0, 3)):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            threshold_label(threshold, highest)  # type: ignore[arg-type]
