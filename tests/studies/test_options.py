"""Options of a study: what determines a result, and what makes no sense."""

from collections.abc import Callable
from pathlib import Path

import pytest

import maxent as me
from maxent.studies import StudyOptions
from tests.golden.messages import refused

OPTIONS = StudyOptions(measures=(me.AP(),), thresholds=(1,))


def test_how_the_work_is_done_is_no_part_of_what_comes_out() -> None:
    other = StudyOptions(measures=(me.AP(),), thresholds=(1,), jobs=2, progress=False, checkpoint=Path("x"))
    assert other == OPTIONS
    assert repr(other) == repr(OPTIONS)  # checkpoints are known by it
    assert StudyOptions(measures=(me.AP(),), thresholds=(1,), align="rank") != OPTIONS


@pytest.mark.parametrize(
    "options",
    [
        {"measures": ()},
        {"thresholds": ()},
        {"count": "some"},
        {"reference": "flat"},
        {"min_retrieved_total": -1},
        {"align": "left"},
        {"min_retrieved_by": "list"},
        {"thresholds": (1, 1)},
        {"thresholds": (1.5,)},
        {"thresholds": 1},
        {"measures": (me.AP(), me.AP(rel=1))},
        {"jobs": 0},
        {"checkpoint": 5},
        {"solver": "magic"},
    ],
)
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    with refused(me.errors.ProblemError):
        StudyOptions(**({"measures": (me.AP(),), "thresholds": (1,)} | options))  # type: ignore[arg-type]


def test_predictions_may_keep_lists_without_relevant_documents() -> None:
    assert StudyOptions(measures=(me.AP(),), targets=(me.P(cutoff=10),), min_retrieved=0).min_retrieved == 0


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (me.informativeness, {"thresholds": [3]}),
        (me.informativeness, {"measures": ["GAP(g=1)"]}),
        (me.informativeness, {"measures": ["AP & ERR"]}),
        (me.predict, {"targets": ["AP", "RHL"]}),
        (me.predict, {"targets": ["AP & P@10"]}),
        (me.predict, {"targets": []}),
        (me.predict, {"measures": []}),
        (me.choose_g, {"weights": {1: float("inf")}}),
    ],
)
def test_what_does_not_fit_the_collection_is_an_error_before_the_work(
    function: Callable[..., object],
    options: dict[str, object],
    arrays: me.data.Collection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maxent.studies.topics.solve_arrays", lambda *_, **__: pytest.fail("solved"))
    with refused(me.MaxentError):
        function(arrays, progress=False, **options)
