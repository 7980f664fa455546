"""Agreement of grades: kappa as in scikit-learn, alpha as over all pairs of judgments, and published examples."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from maxent.stats import ALPHAS, OF_PAIRS, coincidences

Document = list[int]  # the grades of its judgments
GRADES = 5
DOCUMENTS = st.lists(st.lists(st.integers(0, GRADES - 1), max_size=4), min_size=1, max_size=12)
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
WEIGHTS = {"kappa": None, "linear_kappa": "linear", "quadratic_kappa": "quadratic"}
PUBLISHED = {  # values of observers A, B, ... for units 1, 2, ..., and the three alphas
    "Krippendorff 2011, C": (
        ("123321412...", "1233224125.3", ".3332342251.", "12332441251."),
        {"nominal_alpha": 0.743, "ordinal_alpha": 0.815, "interval_alpha": 0.849},
    ),
    "three coders, of whom two or more have a value for 12 of 15 units": (
        (".....34121133.3", "1.213343.......", "..21344.21133.4"),
        {"nominal_alpha": 0.691, "ordinal_alpha": 0.807, "interval_alpha": 0.811},
    ),
}


def alpha_of(documents: list[Document], name: str) -> float:
    """Alpha from the coincidences of documents."""
    counts = np.array([np.bincount(grades, minlength=GRADES + 1) for grades in documents], dtype=float)
    return ALPHAS[name](coincidences(counts))


def alpha_over_all_pairs(documents: list[Document], name: str) -> float:
    """One minus the disagreement of pairs within documents over that of all pairs of judgments."""
    documents = [grades for grades in documents if len(grades) > 1]
    numbers = Counter(itertools.chain(*documents))

    def delta(c: int, k: int) -> float:
        if name == "nominal_alpha":
            return float(c != k)
        if name == "interval_alpha":
            return float((c - k) ** 2)
        between = sum(numbers[grade] for grade in range(min(c, k), max(c, k) + 1))
        return (between - (numbers[c] + numbers[k]) / 2) ** 2

    judgments = [grade for grades in documents for grade in grades]
    within = sum(
        delta(*pair) / (len(grades) - 1) for grades in documents for pair in itertools.permutations(grades, 2)
    )
    every = sum(delta(*pair) for pair in itertools.permutations(judgments, 2))
    return 1 - (within / len(judgments)) / (every / (len(judgments) * (len(judgments) - 1))) if every else np.nan


@given(DOCUMENTS)
def test_alpha_compares_all_pairs(documents: list[Document]) -> None:
    for name in ALPHAS:
        assert alpha_of(documents, name) == pytest.approx(alpha_over_all_pairs(documents, name), nan_ok=True)


@given(PAIRS)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    table = np.zeros((4, 4))
    np.add.at(table, tuple(np.array(pairs).T), 1)
    a, b = np.array(pairs).T
    assert OF_PAIRS["agreement"](table) == pytest.approx((a == b).mean())
    if len({*a, *b}) > 1:
        for name, weights in WEIGHTS.items():
            expected = cohen_kappa_score(a, b, weights=weights, labels=range(4))
            assert OF_PAIRS[name](table) == pytest.approx(expected)


@pytest.mark.parametrize("example", PUBLISHED)
def test_published_alphas(example: str) -> None:
    coders, alphas = PUBLISHED[example]
    documents = [[int(value) for value in unit if value != "."] for unit in zip(*coders, strict=True)]
    assert {name: round(alpha_of(documents, name), 3) for name in ALPHAS} == alphas
