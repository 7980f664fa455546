"""Every question with calls that together show all columns of its tables, and the command whose text is golden."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

import maxent as me
from maxent.cli.commands import COMMANDS, KINDS
from maxent.cli.list_measures import measures
from maxent.results import Result

RUNS, QRELS = me.simulate(systems=4, topics=6, depth=100)
SHORT = me.simulate(systems=3, topics=6, model="ten-documents")
STRICT = QRELS.assign(relevance=QRELS["relevance"].where(QRELS.index % 3 > 0, 0))
HALF = QRELS.sample(frac=0.5, random_state=0)
CLICKS = pd.DataFrame({"grade": [0, 1, 2], "impressions": [100, 100, 100], "clicks": [5, 20, 50]})
ROWS = pd.DataFrame({"AP": [".31", ".9"], "P@10": [".5", ".1"]}, index=["a", "b"])
TWO: dict[str, Any] = {"measures": ["AP", "P@10"], "depth": 100, "progress": False}
FILTER: dict[str, Any] = {"min_retrieved": 1}
KINDS_OF_TOPICS: dict[str, Any] = {"by": {str(topic): "odd" if topic % 2 else "even" for topic in range(1, 7)}}
FEW = "--depth 50 --topics 1-3"


class Question(NamedTuple):
    """A question."""

    command: str  # arguments of its command, for a collection in the current folder or the embedded one
    options: dict[str, Any] | None = None  # of a function of runs and judgments; None for other functions
    calls: tuple[Callable[[], Result], ...] = ()  # more, for columns that a call with these options has not
    figure: bool = True  # whether its result has one
    finding: bool = True  # whether its result has one, and an introduction before the work
    ids: bool = False  # whether it needs those of the documents, which a Collection has not


QUESTIONS = {
    "study": Question(
        f"{FEW} --g-steps 3 --min-retrieved 1",
        {"measures": ["AP", "P@10", "GAP"], "g_steps": 3} | FILTER,
        (
            lambda: me.study(RUNS, QRELS, thresholds=[1], align="recall", **TWO, **FILTER),
            lambda: me.study(*SHORT, progress=False),
        ),
    ),
    "choose_g": Question(
        "--depth 10 --topics 1-8 --g-steps 3 --no-refine --min-retrieved 0 --min-retrieved-total 2",
        {"g_steps": 3, "refine": False} | FILTER,
        (lambda: me.choose_g(*SHORT, measure="nDCG", g_steps=3, refine=False, progress=False),),
    ),
    "choose_measures": Question("--depth 50 --candidates AP P@10 nDCG", {"candidates": ["AP", "P@10"]} | FILTER),
    "explain": Question(
        "--depth 50",
        {"run": "system1", "topic": "1", "measures": ["AP", "P@10"]},
        (lambda: me.explain(values={"AP": 0.35}, relevant=[40], retrieved=[20]),),
    ),
    "predict": Question("--depth 50", {"measures": ["AP", "P@10"], "band": 0.9} | FILTER),
    "check": Question(
        "--qrels qrels.txt --runs runs", {}, (lambda: me.check({"a": {"1": {"x": 1.0}}}, STRICT),), ids=True
    ),
    "unjudged": Question(FEW, {}, figure=False, ids=True),
    "compare_systems": Question(
        f"{FEW} --baseline system01",
        {"measures": ["AP"], "baseline": ["system1"]},
        (
            lambda: me.compare_systems(RUNS, QRELS, **TWO),
            lambda: me.compare_systems(RUNS, QRELS, **TWO, **KINDS_OF_TOPICS),
        ),
    ),
    "compare_measures": Question("--depth 50 --measures AP P@10 nDCG", {"measures": ["AP", "P@10"]} | FILTER),
    "compare_pools": Question(
        f"{FEW} --repetitions 2", {"measures": ["AP"], "repetitions": 2, "quantile": 0.0}, ids=True
    ),
    "compare_agreement": Question(FEW, {"measures": ["AP"], "quantile": 0.0}),
    "compare_discriminative": Question(f"{FEW} --replicates 50", {"measures": ["AP", "P@10"], "replicates": 50}),
    "compare_judgments": Question(
        "--qrels qrels.txt binary.txt --runs runs",
        calls=(
            lambda: me.compare_judgments([QRELS, STRICT], RUNS, **TWO),
            lambda: me.compare_judgments([QRELS, HALF]),
        ),
    ),
    "g_from_clicks": Question("clicks.csv", calls=(lambda: me.g_from_clicks(CLICKS),), figure=False),
    "reported": Question(
        "--qrels qrels.txt AP=.40 P@10=.70 --depth 60 --targets nDCG@10",
        calls=(
            lambda: me.reported({"AP": ".31", "P@10": ".50"}, QRELS, depth=100),
            lambda: me.reported(ROWS, QRELS, depth=100, progress=False),
        ),
    ),
    "evaluate": Question(
        "--qrels qrels.txt --runs runs",
        {"measures": ["AP", "ERR", "Bpref"]},
        (
            lambda: me.evaluate(RUNS, QRELS, per_topic=True, **TWO),
            lambda: me.evaluate(RUNS, QRELS, interval=0.95, **TWO, **KINDS_OF_TOPICS),
            lambda: me.evaluate(RUNS, HALF, unjudged="model", **TWO),
            lambda: me.evaluate(RUNS, HALF, unjudged="all", **TWO),
            lambda: me.evaluate(RUNS, HALF, unjudged="bounds", measures=["P@10"], depth=100),
        ),
        figure=False,
        finding=False,  # which means differ is the question of compare_systems
    ),
    "measures": Question("", calls=(measures,)),
}
OPTIONS = {name: question.options for name, question in QUESTIONS.items() if question.options is not None}
"""Options of the functions of runs and judgments."""
FUNCTIONS = {  # by command
    command: entry.target.partition(":")[2]
    for command, entry in (*COMMANDS.items(), *((f"compare {kind}", entry) for kind, entry in KINDS.items()))
    if entry.target
}
"""The function of each command."""


def answers_of(name: str) -> list[Callable[[], Result]]:
    """Calls of a question that together show all columns of its tables."""
    options, calls = QUESTIONS[name].options, list(QUESTIONS[name].calls)
    if options is None:
        return calls
    return [lambda: getattr(me, name)(RUNS, QRELS, **{"depth": 100, "progress": False} | options), *calls]
