"""What notebooks show of values."""

import maxent as me
from maxent.texts import html_facts

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
    assert "<th>status</th><td>optimal</td>" in html
    assert "<th>documents of each grade (retrieved)</th><td>30</td>" in html
    nothing = me.solve(me.Problem(me.AP(), value=1.5, relevant=(3,), retrieved=(3,), depth=10))
    assert repr(nothing) == "Solution(AP = 1.5: infeasible)"
    assert nothing.message.replace(">", "&gt;") in nothing._repr_html_()


def test_texts_are_escaped() -> None:
    assert html_facts("<a>", {"<b>": "<c>"}) == (
        "<p><b>&lt;a&gt;</b></p><table><tr><th>&lt;b&gt;</th><td>&lt;c&gt;</td></tr></table>"
    )
