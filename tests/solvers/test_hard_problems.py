"""Problems that failed once, each for a reason of its own: all have a strict maximum."""

import dataclasses

import pytest

from maxent.measures import GAP, NDCNG, RBP, Measure, Q, eGAP, muAP, nRecall, parse_measure, wAP
from maxent.problem import Count, Problem
from maxent.solvers import solve, solve_many


def within(
    measure: Measure, share: float, counts: tuple[float, ...], *, depth: int = 1000, count: Count = "retrieved"
) -> Problem:
    """Problem whose value lies at ``share`` of the attainable interval."""
    problem = Problem(measure, value=0.5, relevant=counts, retrieved=counts, depth=depth, count=count)
    low, high = (end.listed for end in problem.ends)
    return dataclasses.replace(problem, value=low + share * (high - low))


LOW = (
    *((0.07, (9, 3)), (0.02, (9, 3)), (0.04, (5, 4, 3)), (0.03, (5, 4, 3))),
    *((0.1, (3,)), (0.05, (2, 1)), (0.003, (100, 50))),
)
SCARCE = (8.709229608935988, 0.8663439255464529, 5.449557536213562, 11.155447539366449, 1.6350000000000002)
FULL = (3.4643537401480975, 17.792923590940863, 16.83983974760707, 2.902882921262969)
HARD = [
    # Newton's method does not arrive from the uniform distribution
    *(within(wAP(), share, counts) for share, counts in LOW),
    Problem(
        muAP(levels=(0.001, 0.002, 0.003, 8.669163382470401, 9.669163382470401)),
        value=0.99999411414941,
        relevant=SCARCE,
        depth=1195,
        count="at_most",
    ),
    Problem(
        muAP(levels=(1.0, 1.001, 1.0019999999999998, 6.246094613372226, 11.490189226744452, 12.490189226744452)),
        value=0.19320727928621645,
        relevant=(3.139, 1.254, 3.411, 3.913, 3.811, 1.701),
        retrieved=(1, 0, 3, 1, 1, 0),
        depth=10,
    ),
    # errors halve after 10 to 12 iterations, just below the upper end
    Problem(
        eGAP(g=(0.00286989, 0.00111757, 0.78471112, 0.00475532, 0.07733385, 0.12921225)),
        value=0.9999952648895369,
        relevant=(26, 26, 2, 13, 24, 4),
        depth=1365,
        count="at_most",
    ),
    Problem(
        GAP(g=(0.16045100327152004, 0.33395991638830747, 0.0, 0.45982797773710615, 0.045761102603066386)),
        value=0.24271205240300261,
        relevant=(21.67, 12.7, 10.86, 10.32, 32.42),
        retrieved=(7, 1, 9, 3, 5),
        depth=360,
    ),
    # logits of thousands: where the list at the end leaves 1800 nats, values close to it leave 4100
    within(RBP(p=0.8, rel=2), 1 - 5e-11, (230, 78, 3, 836, 364), depth=3819, count="at_most"),
    # a share of 1e-12 of the ranks is left to grade 0, which matters where the measure is steep
    Problem(NDCNG(gain=(0.0, 1.0, 1.0, 2.0)), value=0.9999999999551117, relevant=FULL, retrieved=FULL, depth=41),
    # weights that differ in their last digits only, as the database has a million documents
    Problem(
        nRecall(rel=3, size=1_000_003),
        value=0.999999777972149,
        relevant=(0.862, 1.558, 0.556),
        depth=3,
        count="total",
    ),
    Problem(
        nRecall(size=1_000_003),
        value=0.9999977820168684,
        relevant=(0.5640058477115862,),
        depth=3,
        count="total",
    ),
    # 1e-307 documents are left of those that are worth as little as irrelevant ones
    Problem(
        parse_measure("Q(beta=0.7317226905392302,gain=0.001,0.002,0,0.001,0.001)"),
        value=0.021413276230985177,
        relevant=(28.66, 20.49, 18.42, 22.98, 21.27),
        depth=2,
        count="at_most",
    ),
    # a perfect list has the value to the last digit, and stays itself however large the multiplier is
    Problem(
        Q(gain="exp2"),
        value=0.9999999999999999,
        relevant=(1.0, 1.0, 14.0, 3.0, 0.0, 5.0),
        depth=369,
        count="at_most",
    ),
]


@pytest.mark.parametrize("problem", HARD, ids=lambda problem: f"{problem.measure}-{problem.value:.4g}")
def test_there_is_a_certified_maximum(problem: Problem) -> None:
    low, high = problem.interval
    for solution in (solve(problem), *solve_many([problem], progress=False)):
        assert solution.status == "optimal", solution.message
        assert solution.certificate.accepted
        assert abs(problem.form.expected(solution.p) - problem.value) <= 1e-9 * (high - low) + 1e-15
        assert solution.p.min() >= 0
