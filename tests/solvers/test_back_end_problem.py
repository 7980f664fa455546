"""What general back ends get."""

import pytest

from maxent.measures import P
from maxent.solvers.back_end_problem import ReducedProblem
from maxent.solvers.restart import sorted_list
from tests.helpers import at


def test_back_ends_see_a_scaled_interior_problem() -> None:
    reduced = ReducedProblem.of(at(P(cutoff=10), 0.25))
    low, high = (reduced.form.expected(sorted_list(reduced, above=above)[:, 1:]) for above in (False, True))
    assert reduced.value - low == pytest.approx(0.25)
    assert high - low == pytest.approx(1.0)
