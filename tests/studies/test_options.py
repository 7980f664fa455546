"""Options of a study: what determines a result, and what makes no sense."""

from collections.abc import Callable
from pathlib import Path

import pytest

import maxent as me
from maxent.studies import StudyOptions

OPTIONS = StudyOptions(measures=(me.AP(),), thresholds=(1,))


def test_how_the_work_is_done_is_no_part_of_what_comes_out() -> None:
    other = StudyOptions(measures=(me.AP(),), thresholds=(1,), jobs=2, progress=False, checkpoint=Path("x"))
    assert other == OPTIONS
    assert repr(other) == repr(OPTIONS)  # checkpoints are known by it
    assert StudyOptions(measures=(me.AP(),), thresholds=(1,), align="rank") != OPTIONS


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"measures": ()}, "at least one measure"),
        ({"thresholds": ()}, "at least one threshold"),
        ({"count": "some"}, "unknown count 'some'"),
        ({"reference": "flat"}, "unknown reference 'flat'; known: uniform, log-uniform"),
        ({"min_retrieved_total": -1}, "min_retrieved_total must be a whole number, 0 or more, got -1"),
        ({"align": "left"}, "unknown alignment 'left'"),
        ({"min_retrieved_by": "list"}, "unknown min_retrieved_by 'list'; known: grade, threshold"),
        ({"thresholds": (1, 1)}, "thresholds has 1 twice"),
        ({"thresholds": (1.5,)}, "a threshold must be a whole number, 1 or more, got 1.5"),
        ({"thresholds": 1}, "thresholds must be a list, got 1"),
        ({"measures": (me.AP(), me.AP(rel=1))}, "measures has AP twice"),
        ({"jobs": 0}, "jobs must be a whole number"),
        ({"checkpoint": 5}, "checkpoint must be a path, got 5"),
        ({"solver": "magic"}, "unknown solver 'magic'"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], says: str) -> None:
    with pytest.raises(me.errors.ProblemError, match=says):
        StudyOptions(**({"measures": (me.AP(),), "thresholds": (1,)} | options))  # type: ignore[arg-type]


def test_predictions_may_keep_lists_without_relevant_documents() -> None:
    assert StudyOptions(measures=(me.AP(),), targets=(me.P(cutoff=10),), min_retrieved=0).min_retrieved == 0


@pytest.mark.parametrize(
    ("function", "options", "says"),
    [
        (me.informativeness, {"thresholds": [3]}, r"within 1\.\.2, got \(3,\)"),
        (me.informativeness, {"measures": ["GAP(g=1)"]}, "1 threshold probabilities, but the topic has 2"),
        (me.informativeness, {"measures": ["AP & ERR"]}, "not a pairwise form"),
        (me.predict, {"targets": ["AP", "RHL"]}, "target RHL has no expected value to predict"),
        (me.predict, {"targets": ["AP & P@10"]}, "target AP & P@10 has no expected value to predict"),
        (me.predict, {"targets": []}, "a prediction at least one target"),
        (me.predict, {"measures": []}, "at least one measure"),
        (me.choose_g, {"weights": {1: float("inf")}}, "their sum finite"),
    ],
)
def test_what_does_not_fit_the_collection_is_an_error_before_the_work(
    function: Callable[..., object],
    options: dict[str, object],
    says: str,
    arrays: me.data.Collection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maxent.studies.topics.solve_arrays", lambda *_, **__: pytest.fail("solved"))
    with pytest.raises(me.MaxentError, match=says):
        function(arrays, progress=False, **options)
