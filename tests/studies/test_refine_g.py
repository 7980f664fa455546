"""The choice of g between the points of a grid."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.curves import ALIGNS, Align
from maxent.measures.candidates import KINDS, Kind, candidate
from maxent.problem import Count
from maxent.studies import (
    DECIMALS,
    StudyOptions,
    Topic,
    list_errors,
    observed_lists,
    rounded,
    threshold_shares,
)
from maxent.studies.refine_g import refine_g
from tests.helpers import slow_but

Files = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def two_grades() -> Files:
    """A small simulated collection."""
    return me.simulate(systems=3, topics=4, depth=200, rng=3)


@pytest.fixture(scope="module")
def three_grades() -> Files:
    """Lists that rank high grades high, with noise."""
    rng = np.random.default_rng(5)
    judged, ranked = [], []
    for topic in "1234":
        grades = rng.permutation([0] * 60 + [1] * 20 + [2] * 12 + [3] * 8)
        judged += [(topic, f"d{k}", int(g)) for k, g in enumerate(grades)]
        for run in "AB":
            ranked += [(topic, f"d{k}", g + 1.5 * rng.normal(), run) for k, g in enumerate(grades)]
    return (
        pd.DataFrame(ranked, columns=["query_id", "doc_id", "score", "run_id"]),
        pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
    )


def lists_of(files: Files, options: StudyOptions) -> list[Topic]:
    """Every list with enough documents of each grade."""
    collection = me.collect(*files, depth=200)
    table = me.informativeness(*files, measures=options.measures, depth=200, progress=False)
    solved = table[table["status"].isin(("optimal", "boundary"))]
    return observed_lists(collection, solved, options.reference)


def mean_error(
    lists: list[Topic], g: np.ndarray, shares: pd.Series, options: StudyOptions, kind: Kind = "GAP"
) -> tuple[float, np.ndarray]:
    found = (list_errors(own, tuple(g / g.sum()), shares, options, kind) for own in lists)
    errors, slopes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return float(np.mean(errors)), np.mean(slopes, axis=0)


@pytest.mark.parametrize("align", ALIGNS)
@pytest.mark.parametrize("name", slow_but(["two_grades"], ["two_grades", "three_grades"]))
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_of_the_objective(name: str, align: Align, kind: Kind, request: pytest.FixtureRequest) -> None:
    levels = 2 if name == "two_grades" else 3
    g = np.arange(1.0, levels + 1) / (levels * (levels + 1) / 2)
    measures = (candidate(kind, g),)
    options = StudyOptions(measures=measures, thresholds=tuple(range(1, levels + 1)), align=align)
    lists = lists_of(request.getfixturevalue(name), options)
    assert sum(len(own.runs) for own in lists) >= 6
    shares = threshold_shares({t: float(t) for t in options.thresholds}, options.thresholds)
    gradient = mean_error(lists, g, shares, options, kind)[1]
    for k, step in enumerate(1e-5 * np.eye(levels)):
        up, down = (mean_error(lists, g + s, shares, options, kind)[0] for s in (step, -step))
        change = up - down
        assert gradient[k] == pytest.approx(change / 2e-5, abs=1e-6)
    assert np.abs(gradient).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("weights", slow_but([None], [None, {1: 1.0}, {2: 1.0}, {1: 1.0, 2: 3.0}]))
def test_refining_never_loses(two_grades: Files, weights: dict[int, float] | None) -> None:
    options: dict[str, Any] = {"g_steps": 4, "depth": 200, "weights": weights, "progress": False}
    grid = me.choose_g(*two_grades, refine=False, **options)
    choice = me.choose_g(*two_grades, **options)
    of_grid, refined = (result.table.dropna(subset="g_1") for result in (grid, choice))
    assert refined["objective"].min() <= of_grid["objective"].min()
    assert choice.g is not None
    assert sum(choice.g) == pytest.approx(1)
    assert min(choice.g) >= 0
    # the grid's rows are the same, but for what compares them with the chosen g
    columns = ["measure", "g_1", "g_2", "objective", "low", "high", "rms_t2" if weights != {1: 1.0} else "rms_t1"]
    pd.testing.assert_frame_equal(refined.iloc[: len(of_grid)][columns], of_grid[columns])
    if len(refined) > len(of_grid):
        assert refined["measure"].iloc[-1] == str(choice.measure)
        assert refined["lists"].nunique() == 1
    else:
        assert choice.g == grid.g


@pytest.mark.slow
@pytest.mark.parametrize("measure", KINDS)
def test_the_refined_g_is_a_local_minimum_of_a_fine_grid(two_grades: Files, measure: Kind) -> None:
    options: dict[str, Any] = {"measure": measure, "reading": "papers", "depth": 200, "progress": False}
    choice = me.choose_g(*two_grades, g_steps=4, **options)
    assert "refined" in set(choice.table["role"]), "this collection's best g lies between the points"
    assert choice.g is not None
    near = [choice.g, *((choice.g[0] + d, choice.g[1] - d) for d in (-0.03, -0.01, 0.01, 0.03))]
    fine = me.choose_g(*two_grades, candidates=near, refine=False, **options)
    assert fine.g == choice.g


@pytest.mark.slow
def test_three_grades_are_refined_in_two_directions(three_grades: Files) -> None:
    grid = me.choose_g(*three_grades, g_steps=3, depth=200, refine=False, progress=False)
    choice = me.choose_g(*three_grades, g_steps=3, depth=200, progress=False, jobs=2)
    refined = choice.table.set_index("role")["objective"]["refined"]
    assert [c for c in choice.table.columns if c.startswith("rms_t")] == ["rms_t1", "rms_t2", "rms_t3"]
    assert refined < grid.table.dropna(subset="g_1")["objective"].min()
    assert choice.g is not None
    assert sum(choice.g) == pytest.approx(1)


def test_one_grade_has_nothing_to_refine() -> None:
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abcdefgh"), "relevance": [1] * 6 + [0] * 2})
    run = pd.DataFrame({"query_id": "1", "doc_id": list("abgcdefh"), "score": np.arange(8.0)[::-1]})
    choice = me.choose_g(run, qrels, depth=20, progress=False)
    assert choice.g == (1.0,)
    assert choice.table["role"].tolist() == ["recommended", "no content"]


@pytest.mark.slow
@pytest.mark.parametrize("g", [(0.0, 1.0), (1.0, 0.0)])
def test_the_border_of_the_simplex_is_a_start_like_any_other(two_grades: Files, g: tuple[float, ...]) -> None:
    options = StudyOptions(measures=(me.GAP(g=g),), thresholds=(1, 2), progress=False)
    lists = lists_of(two_grades, options)
    shares = threshold_shares(None, options.thresholds)
    found = refine_g(g, lists, shares, options)
    before, after = (mean_error(lists, np.array(x), shares, options)[0] for x in (g, found))
    assert after <= before


def test_perfect_and_impossible_lists_have_no_slope() -> None:
    """The first list is sorted; the second cannot have the documents that the topic has."""
    grades = np.array([[2, 2, 1, 0, 0], [0, 0, 0, 0, 1]])
    shares, none = threshold_shares(None, (1, 2)), np.zeros(1, dtype=bool)
    counts: tuple[Count, ...] = ("retrieved", "total")
    for own, relevant, count in zip(grades, ((3, 2), (1, 3)), counts, strict=True):
        topic = Topic("1", ("a",), own[None], np.array(relevant), none, np.ones(2, dtype=bool))
        options = StudyOptions(
            measures=(me.GAP(g=(0.5, 0.5)),),
            thresholds=(1, 2),
            count=count,
            min_retrieved=0,
            min_retrieved_total=1,
        )
        (error,), slopes = list_errors(topic, (0.5, 0.5), shares, options)
        assert error == 1.0 if count == "total" else 0 <= error < 1
        assert (slopes == 0).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda g: sum(g) > 1e-3))
def test_rounding_keeps_the_sum(g: list[float]) -> None:
    shares = np.array(g) / sum(g)
    found = rounded(shares)
    assert round(sum(found) * 10**DECIMALS) == 10**DECIMALS
    assert np.abs(np.array(found) - shares).max() <= 10.0**-DECIMALS
    assert me.GAP(g=found).g == found
