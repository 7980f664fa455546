"""Values of wrong types are refused in a clear line by every function that reads or simulates."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from tests.golden.messages import refused

RUN = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
QRELS = {"1": {"a": 1}}
WRONG = (
    10**30, -1, 1.5, float("nan"), None, True, b"x", "", "\0", ["x"], ("a",), {"a": 1}, {1, 2}, object(), pickle,
    np.zeros(3), RUN["score"],
)  # fmt: skip
FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "read_run": me.read_run,
    "read_qrels": me.read_qrels,
    "read_letor": me.data.read_letor,
    "as_run": me.data.as_run,
    "as_run, duplicates": lambda wrong: me.data.as_run(RUN, duplicates=wrong),
    "as_qrels": me.data.as_qrels,
    "as_qrels, grades": lambda wrong: me.data.as_qrels(QRELS, grades=wrong),
    "as_qrels, bins": lambda wrong: me.data.as_qrels(QRELS, bins=wrong),
    "collect, runs": lambda wrong: me.collect(wrong, QRELS),
    "collect, qrels": lambda wrong: me.collect(RUN, wrong),
    "collect, depth": lambda wrong: me.collect(RUN, QRELS, depth=wrong),
    "collect, topics": lambda wrong: me.collect(RUN, QRELS, topics=wrong),
    "collect, levels": lambda wrong: me.collect(RUN, QRELS, levels=wrong),
    "collect, duplicates": lambda wrong: me.collect(RUN, QRELS, duplicates=wrong),
    "evaluate, measures": lambda wrong: me.evaluate(RUN, QRELS, measures=wrong),
    "evaluate, empty": lambda wrong: me.evaluate(RUN, QRELS, measures=["AP"], empty=wrong),
    "check, depth": lambda wrong: me.check(RUN, QRELS, depth=wrong),
    "check, topics": lambda wrong: me.check(RUN, QRELS, topics=wrong),
    "check, levels": lambda wrong: me.check(RUN, QRELS, levels=wrong),
    "check, duplicates": lambda wrong: me.check(RUN, QRELS, duplicates=wrong),
    "select_topics": lambda wrong: me.data.select_topics(wrong, ["1"]),
    "select_topics, available": lambda wrong: me.data.select_topics("1", wrong),
    "simulate": lambda wrong: me.simulate(systems=wrong, topics=1, depth=5),
    "simulate, rng": lambda wrong: me.simulate(systems=1, topics=1, depth=5, rng=wrong),
    "simulate, model": lambda wrong: me.simulate(systems=1, topics=1, depth=5, model=wrong),
}
MEANT = {  # values that these functions take
    "as_qrels, grades": (None, {"a": 1}), "as_qrels, bins": (None, WRONG[-1]), "collect, topics": (None,),
    "collect, levels": (None,), "collect, depth": (None,), "check, depth": (None,),
    "check, topics": (None,), "check, levels": (None,), "simulate, rng": (10**30,), "simulate": (None,),
    "as_run": ({"a": 1},),
}  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_wrong_types_are_refused_in_a_clear_line(function: str) -> None:
    for wrong in WRONG:
        if any(wrong is meant for meant in MEANT.get(function, ())):
            continue
        with pytest.raises((me.MaxentError, TypeError)) as caught:
            FUNCTIONS[function](wrong)
        said = str(caught.value)
        assert said.isprintable(), (wrong, said)
        assert "has no attribute" not in said, (wrong, said)
        assert "ambiguous" not in said, (wrong, said)


def test_a_check_finds_what_a_study_refuses() -> None:
    for wrong in WRONG:
        assert me.check(wrong, QRELS).errors, wrong
        assert me.check(RUN, wrong).errors, wrong


@pytest.mark.parametrize("features", ["x", -1, 1.5, [1]])
def test_a_wrong_number_of_features(features: Any, tmp_path: Path) -> None:
    path = tmp_path / "letor"
    path.write_text("1 qid:1 1:1\n")
    with refused(me.errors.InputError):
        me.data.read_letor(path, features=features)


def test_an_absurd_number_of_features(tmp_path: Path) -> None:
    path = tmp_path / "letor"
    path.write_text("".join(f"0 qid:{k} 99999:1\n" for k in range(10_000)))
    with refused(me.errors.InputError):
        me.data.read_letor(path)
