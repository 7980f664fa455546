"""Sorted lists against sorting one document after the other."""

import numpy as np
import pytest

from maxent.measures import parse_measure
from maxent.problem import end_values, ends, sorting


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize(
    "text", ["AP", "GAP(g=.3,.7)", "nDCG(gain=exp2)@5", "P@5", "nRecall", "RBP", "wAP", "xGAP(g=.5,.5)"]
)
def test_values_are_those_of_the_distributions(text: str, at_most: bool) -> None:
    """Of lists of parts of documents as well."""
    form, rng = parse_measure(text).form((9, 4), 20), np.random.default_rng(0)
    counts = np.concatenate((rng.random((20, 2)) * (9, 4), np.array([[9, 4], [0.5, 4], [9, 0.5]])))
    (many,) = end_values([(form, counts)], at_most=at_most)
    for k, own in enumerate(counts):
        for above, end in enumerate(ends(form, own, at_most=at_most)):
            assert end.listed == many[2 + above, k]
            assert end.value == many[above, k]
            assert form.expected(end.p) == pytest.approx(end.listed, rel=1e-12, abs=1e-15)
            np.testing.assert_allclose(end.p.sum(axis=1), 1, atol=1e-12)
            excess = end.p[:, 1:].sum(axis=0) - own
            assert (excess if at_most else np.abs(excess)).max() < 1e-9


def test_forms_that_are_sorted_alike_share_lists() -> None:
    """Of GAPs, AP and xGAP, in any topic; each with the counts that it is asked for."""
    texts, topics = ("AP", "GAP(g=0,1)", "GAP(g=.3,.7)", "xGAP(g=.5,.5)"), ((9, 4), (30, 2))
    forms = [parse_measure(text).form(relevant, 20) for text in texts for relevant in topics]
    counts, rows = np.array([[2.0, 1.0], [9.0, 2.0], [0.5, 1.5]]), [[0, 1, 2], [2], [1, 0]] * 3
    assert len({sorting(form) for form in forms}) == 1
    asked = [(form, counts[own]) for form, own in zip(forms, rows, strict=False)]
    for own, together in zip(asked, end_values(asked, at_most=False), strict=True):
        np.testing.assert_array_equal(together, end_values([own], at_most=False)[0])
