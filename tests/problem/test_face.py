"""What values at the ends of their intervals leave open."""

import numpy as np
import pytest

from maxent.measures import AP, CG, Joint, Measure, P, Rprec, nDCG, parse_measure
from maxent.problem import Face, Problem
from maxent.solvers import solve

KNOWN = {"relevant": (9, 6), "retrieved": (7, 5), "depth": 60}


def joint(values: dict[Measure, float], **known: object) -> Problem:
    return Problem(values, **{**KNOWN, **known})  # type: ignore[arg-type]


@pytest.mark.parametrize("count", ["retrieved", "at_most"])
def test_values_inside_leave_everything(count: str) -> None:
    face = Face(joint({AP(): 0.3, P(cutoff=10): 0.4}, count=count))
    assert face.support.all()
    assert face.constraining == (0, 1)
    assert face.ends == ()
    assert face.bounded.all() == (count == "at_most")
    assert not face.empty
    assert len(face.free) == 60


def test_upper_bounds_are_fixed_where_an_end_needs_all_documents() -> None:
    """CG@5 is largest if all three documents of grade 2 are among five ranks, and two of ten of grade 1."""
    known = {"relevant": (10, 3), "depth": 20, "count": "at_most"}
    most = Problem(CG(cutoff=5), value=8.0, **known)  # type: ignore[arg-type]
    face = Face(Problem({CG(cutoff=5): 8.0, nDCG(): 0.5}, **known))  # type: ignore[arg-type]
    assert most.location == "high"
    assert face.bounded.tolist() == [True, False]
    np.testing.assert_array_equal(face.support, [[False, True, True]] * 5 + [[True, True, False]] * 15)
    assert face.batch.bounded.tolist() == [True, False]
    none = Face(Problem({CG(cutoff=5): 0.0}, **known))  # type: ignore[arg-type]
    assert none.bounded.all()
    np.testing.assert_array_equal(none.free, np.arange(5, 20))
    every = Face(Problem({AP(): 1.0}, **known))  # type: ignore[arg-type]
    assert not every.bounded.any()


def test_no_document_among_the_first_ranks() -> None:
    """P@10 = 0: the first ten ranks are fixed, and the form of AP on the others is AP with nothing before them."""
    problem = joint({AP(): 0.05, P(cutoff=10): 0.0})
    face = Face(problem)
    assert face.constraining == (0,)
    np.testing.assert_array_equal(face.free, np.arange(10, 60))
    np.testing.assert_array_equal(face.fixed[:10], np.eye(3)[[0] * 10])
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    whole, batch = face.with_fixed_ranks(p), face.batch
    (own,) = batch.topics
    a, d, K = own.a[:, 0], own.d[:, 0], own.K[0]
    before = np.cumsum(p[:, 1:], axis=0) - p[:, 1:]
    found = np.sum(p[:, 1:] * (a + d[:, None] * (before @ K.T)))
    assert found - batch.value[0, 0] == pytest.approx(AP().expected(whole, problem.relevant) - 0.05)


def test_more_documents_than_the_first_ranks_hold() -> None:
    """P@10 = 1 with twelve documents: some positive grade at the first ten ranks, anything at the others."""
    face = Face(joint({nDCG(): 0.8, P(cutoff=10): 1.0}))
    assert not face.support[:10, 0].any()
    assert face.support[:10, 1:].all()
    assert face.support[10:].all()
    assert len(face.free) == 60
    assert face.ends == (1,)
    assert face.batch.offset is not None
    assert (face.batch.offset[0, :10] > 0).all()
    assert (face.batch.offset[0, 10:] == 0).all()


def test_contradicting_ends_leave_nothing() -> None:
    """Documents of the first ten ranks, sorted by nDCG, are none of the last ten."""
    assert Face(joint({nDCG(): 1.0, P(cutoff=10): 0.0}, retrieved=(9, 6), relevant=(9, 6))).empty
    solution = solve(joint({P(cutoff=20): 0.0, Rprec(): 12 / 15}))
    assert (solution.status, solution.certificate.accepted) == ("infeasible", False)
    assert not Face(joint({P(cutoff=20): 0.0, P(cutoff=10): 0.0})).empty


def test_documents_without_ranks_leave_nothing() -> None:
    """Two documents are among the first three ranks, and none among the first two."""
    problem = joint({P(cutoff=2): 0.0, P(cutoff=3): 2 / 3, nDCG(): 0.6}, relevant=(1, 1), count="total", depth=5)
    assert Face(problem).empty
    assert solve(problem).status == "infeasible"


def test_documents_that_the_free_ranks_cannot_hold() -> None:
    """No document among the first 20 ranks, and all twelve among the first 30."""
    solution = solve(joint({P(cutoff=20): 0.0, P(cutoff=30): 12 / 30}))
    assert (solution.status, solution.certificate.accepted) == ("infeasible", False)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("AP & GAP(g=1,0)", (0,)),
        ("AP & AP(rel=2) & eGAP(g=.3,.7)", (0, 1)),
        ("P@10 & CG@10 & gP@10", (0, 1)),
        ("AP & AP(rel=2) & GAP(g=.3,.7) & P@5", (0, 1, 3)),
        ("P@60 & AP", (1,)),
        ("nDCG & nDCG(gain=exp2)", (0, 1)),
    ],
)
def test_measures_that_follow_from_others(text: str, kept: tuple[int, ...]) -> None:
    measure = parse_measure(text)
    grades = [1, 0, 2, 0, 0, 1, 0, 2, 1, 0, *[0] * 20, *[2, 0, 1] * 3, 1, *[0] * 20]
    assert Face(Problem.of_list(measure, grades, (9, 6))).constraining == kept


def test_parts_have_their_own_intervals() -> None:
    problem = joint({AP(): 0.3, P(cutoff=10): 0.0})
    assert [part.location for part in problem.parts] == ["inside", "low"]
    assert [part.measure for part in problem.parts] == [AP(), P(cutoff=10)]
    assert Problem.of_list(Joint(), [1, 0, 0], (1,)).parts == ()
