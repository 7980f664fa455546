"""Numbers that the papers print for their own small examples."""

import itertools

import numpy as np
import pytest

import maxent as me

KISHIDA = {"mSR": me.mSR(), "mnDCG": me.mnDCG(b=2), "Q": me.Q(beta=1), "gAP": me.gAP(), "AP": me.AP()}
RATINGS = [1, 0, 3, 3, 2, 0, 1, 4]  # muAP paper, tables 1 and 2
USED = (2, 1, 2, 1)


@pytest.fixture(scope="module")
def patterns() -> np.ndarray:
    """Values (5 measures, 136 patterns): lists of five from three relevant documents of grades 3, 2, 1."""
    lists = [x for x in itertools.product(range(4), repeat=5) if all(x.count(i) <= 1 for i in (1, 2, 3))]
    assert len(lists) == 136
    return np.array([m.evaluate(np.array(lists), (1, 1, 1)) for m in KISHIDA.values()])


def test_kishidas_table_3(patterns: np.ndarray) -> None:
    np.testing.assert_allclose(patterns[:4].mean(axis=1), (0.488, 0.443, 0.503, 0.410), atol=5.01e-4)
    np.testing.assert_allclose(patterns[:4].std(axis=1, ddof=1), (0.245, 0.250, 0.240, 0.228), atol=5.01e-4)


def test_kishidas_table_4(patterns: np.ndarray) -> None:
    printed = [[0.969, 0.885, 0.963, 0.857], [0.840, 0.940, 0.829], [0.961, 0.928], [0.894]]
    found = np.corrcoef(patterns)
    for i, row in enumerate(printed):
        np.testing.assert_allclose(found[i, i + 1 :], row, atol=5.01e-4)


@pytest.mark.parametrize(
    ("pattern", "printed"),
    [
        ("32000", (0.923, 0.933, 0.667, 0.733)),
        ("00123", (0.331, 0.184, 0.513, 0.304)),
        ("03210", (0.558, 0.610, 0.750, 0.622)),
        ("30000", (0.692, 0.640, 0.333, 0.400)),
        ("00003", (0.138, 0.046, 0.121, 0.080)),
    ],
)
def test_kishidas_table_5(pattern: str, printed: tuple[float, ...]) -> None:
    found = [float(KISHIDA[name].evaluate([int(x) for x in pattern], (1, 1, 1))) for name in list(KISHIDA)[:4]]
    np.testing.assert_allclose(found, printed, atol=5.01e-4)


def test_kishidas_table_1() -> None:
    """Equation 17: AP changes by 1/101 - v/(R + 1) when the document at rank 101 turns out to be relevant too."""
    printed = {10: (0.00081, -0.01737, -0.03555), 50: (0.00794, 0.00402, 0.00010), 100: (0.00891, 0.00693, 0.00495)}
    for total, row in printed.items():
        np.testing.assert_allclose([1 / 101 - v / (total + 1) for v in (0.1, 0.3, 0.5)], row, atol=5.01e-6)
        grades = np.zeros(101, dtype=int)
        grades[np.random.default_rng(0).choice(100, total, replace=False)] = 1
        before = float(me.AP().evaluate(grades, (total,)))
        grades[100] = 1
        after = float(me.AP().evaluate(grades, (total + 1,)))
        assert after - before == pytest.approx(1 / 101 - before / (total + 1), abs=1e-12)


def test_kishidas_sliding_ratios() -> None:
    """Section 4.1.2: two systems that only the modified ratio tells apart."""
    lists, relevant = [[1, 2, 3, 0], [3, 2, 1, 0]], (1, 2, 1)
    np.testing.assert_allclose(me.SR().evaluate(lists, relevant), 0.75)
    np.testing.assert_allclose(me.mSR().evaluate(lists, relevant), (0.61, 0.88), atol=5.01e-3)


def test_kishidas_ranked_half_life() -> None:
    """Section 4.1.3: 3.0, and the same where the last two documents come at ranks 100 and 1000."""
    lists = np.zeros((2, 1000), dtype=int)
    lists[0, [0, 2, 8, 13]] = lists[1, [0, 2, 99, 999]] = (1, 2, 2, 1)
    np.testing.assert_allclose(me.RHL(gain=(0.5, 1.0)).evaluate(lists, (2, 2)), 3.0)


def test_mu_ap_table_1() -> None:
    found = [float(me.AP(rel=t).evaluate(RATINGS, USED)) for t in (4, 3, 2, 1)]
    np.testing.assert_allclose(found, (0.125, 0.403, 0.483, 0.780), atol=5.01e-4)
    assert me.muAP().evaluate(RATINGS, USED) == pytest.approx(0.448, abs=5.01e-4)


def test_mu_ap_table_2() -> None:
    """nDCG at ranks 1..8 and its mean, for gains i, 2i and the normalised ones of NDCNG."""
    printed = {
        "nDCG(gain=1,3,7,15)": (0.07, 0.05, 0.20, 0.31, 0.35, 0.35, 0.36, 0.55, 0.28),
        "nDCG(gain=3,15,63,255)": (0.01, 0.01, 0.11, 0.19, 0.20, 0.20, 0.20, 0.44, 0.17),
        "NDCNG": (0.19, 0.13, 0.30, 0.42, 0.49, 0.47, 0.50, 0.65, 0.39),
    }
    for text, row in printed.items():
        found = [float(me.parse_measure(f"{text}@{k}").evaluate(RATINGS, USED)) for k in range(1, 9)]
        np.testing.assert_allclose([*found, sum(found) / 8], row, atol=5.01e-3)


def test_mu_aps_table_2_gains_are_the_exponential_ones() -> None:
    first = me.nDCG(gain="exp2", cutoff=8).evaluate(RATINGS, USED)
    assert first == me.nDCG(gain=(1, 3, 7, 15), cutoff=8).evaluate(RATINGS, USED)
