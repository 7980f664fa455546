"""Relevant documents of lists, one after the other, against the lists."""

import numpy as np
import pytest

import maxent as me
from maxent.measures import Documents, evaluate_all

RNG = np.random.default_rng(0)
LISTS = [RNG.choice(4, p=[0.7, 0.1, 0.1, 0.1], size=(5, 9)), np.zeros((2, 9), dtype=np.int64), np.eye(9, dtype=int)]


@pytest.mark.parametrize("grades", LISTS)
def test_documents_are_those_of_the_lists(grades: np.ndarray) -> None:
    documents = Documents.of(grades)
    np.testing.assert_array_equal(documents.rows(9), grades)
    for list_, rank, grade, before in zip(
        documents.lists, documents.ranks, documents.grades, documents.before.T, strict=True
    ):
        assert grades[list_, rank - 1] == grade
        assert before.tolist() == [(grades[list_, : rank - 1] == k).sum() for k in range(1, len(before) + 1)]


def test_joined_lists_and_parts_of_them() -> None:
    documents, rows = Documents.joined(list(map(Documents.of, LISTS))), np.concatenate(LISTS)
    np.testing.assert_array_equal(documents.rows(9), rows)
    chosen = np.array([12, 3, 3, 6])
    np.testing.assert_array_equal(documents.part(chosen).rows(9), rows[chosen])


@pytest.mark.parametrize("grades", LISTS)
@pytest.mark.parametrize("name", ["GAP(g=0.2,0.3,0.5)", "AP(rel=2)", "nDCG", "ERR", "xGAP(g=0.5,0.2,0.3)"])
def test_values_are_those_of_the_lists(grades: np.ndarray, name: str) -> None:
    measure = me.parse_measure(name)
    form = measure.expectation((4, 2, 3), 9)
    np.testing.assert_allclose(evaluate_all([form], grades, 3)[0], form.evaluate(grades), atol=1e-15)
