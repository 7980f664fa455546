"""A question is a function whose result has finding, tables, figures, files and report; its command prints it."""

import pickle
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

import maxent as me
from maxent.data import run_columns
from maxent.errors import InputWarning, warn_of_input
from tests.golden.messages import as_golden
from tests.helpers import PATIENCE
from tests.questions import FUNCTIONS, OPTIONS, QUESTIONS, answers_of

OTHERS = sorted({*QUESTIONS} - {*OPTIONS} - {"measures"})  # this one is a command alone


def result_of(name: str, files: Path) -> me.results.Result:
    if name in OTHERS:
        return answers_of(name)[0]()
    runs = sorted((files / "runs").iterdir())
    function: Callable[..., me.results.Result] = getattr(me, name)
    return function(runs, files / "qrels.txt", depth=100, progress=False, **OPTIONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OPTIONS, *OTHERS])
def test_every_function_returns_one_result(name: str, files: Path, tmp_path: Path) -> None:
    result = result_of(name, files)
    assert isinstance(result, me.results.Result)
    if QUESTIONS[name].finding:
        assert result.finding is not None
        assert result.finding.sentence in str(result)
    assert isinstance(result.table, pd.DataFrame)
    assert str(result.origin).startswith(f"me.{name}(")
    assert result.report(tmp_path / "report.html").stat().st_size > 10_000
    saved = pd.read_csv(result.save(tmp_path / "saved") / f"{name}_columns.csv")
    for table, frame in saved.groupby("table"):
        assert frame["column"].tolist() == [*map(str, result.tables[str(table)])]
    assert not saved[saved["meaning"].isna()]["column"].tolist()
    assert {f"{table}.csv" for table in saved["table"]} <= {file.name for file in (tmp_path / "saved").iterdir()}
    assert pickle.loads(pickle.dumps(result)) == result
    if QUESTIONS[name].figure:
        assert isinstance(result.plot(), Figure)
        assert "data:image/png" in result._repr_html_()


@pytest.mark.parametrize("name", ["study", "choose_g", "choose_measures", "explain", "predict", "compare_measures"])
def test_a_finding_of_lists_that_are_mostly_padding_says_so(name: str) -> None:
    collection = me.collect(*me.simulate(systems=3, topics=4, depth=20), depth=50)
    finding = getattr(me, name)(collection, progress=False, **OPTIONS[name]).finding
    assert collection.cautions[0] in finding.cautions


@pytest.mark.parametrize("name", [name for name in OPTIONS if not QUESTIONS[name].ids and name != "explain"])
def test_a_collection_of_ones_own_is_not_called_simulated(name: str) -> None:
    collection = me.collect(*me.simulate(systems=3, topics=4, depth=20), depth=20)
    result = getattr(me, name)(collection, progress=False, **OPTIONS[name])
    assert result.introduction.startswith("collection: ") or not QUESTIONS[name].finding


TIED = {"1": {"a": 1.0, "b": 1.0}}


def test_a_note_is_not_lost_where_another_thread_restores_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    """What matplotlib does while it is imported, from before the question until its runs are read."""
    importing = warnings.catch_warnings()

    def read(*arguments: Any, **options: Any) -> Any:
        importing.__exit__(None, None, None)
        return run_columns(*arguments, **options)

    monkeypatch.setattr("maxent.data.sources.run_columns", read)
    importing.__enter__()
    result = me.evaluate({"tied": TIED}, {"1": {"a": 1, "b": 0}})
    as_golden(result.notes[-1])


def test_questions_of_several_threads_keep_their_notes() -> None:
    def notes(name: str) -> tuple[str, ...]:
        result = me.explain({name: TIED}, {"1": {"a": 1, "b": 0}}, run=name, topic="1", measures=["P@1"])
        return result.notes

    names = [f"tied{n}" for n in range(16)]
    with ThreadPoolExecutor(4) as pool:
        for name, of_name in zip(names, pool.map(notes, names), strict=True):
            assert of_name == (f"lists with tied scores, ordered by document id: {name} (1 of 1)",)


def test_notes_of_reading_threads_are_in_the_order_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run is read last."""
    second = threading.Event()

    def read(title: str, *arguments: Any, **options: Any) -> Any:
        if "a" in title:
            assert second.wait(PATIENCE)
        warn_of_input(f"note on {title}")
        second.set()
        return run_columns(title, *arguments, **options)

    monkeypatch.setattr("maxent.data.sources.run_columns", read)
    run = {"1": {"x": 2.0, "y": 1.0}}
    with pytest.warns(InputWarning) as warned:
        me.collect({"a": run, "b": run}, {"1": {"x": 1, "y": 0}}, jobs=2)
    assert [str(warning.message) for warning in warned] == ["note on run 'a'", "note on run 'b'"]


def test_every_command_is_a_question_and_the_other_way_round() -> None:
    assert set(QUESTIONS) == set(FUNCTIONS.values())
