"""Candidates for g: the measure of a g, and the g of a measure or of its text in a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.measures.candidates import KINDS, Kind, candidate, candidates_of, g_of

SHARES = st.lists(st.integers(0, 20), min_size=1, max_size=4).filter(any)


@pytest.mark.parametrize("kind", KINDS)
@given(SHARES)
def test_the_g_of_a_candidate_is_that_from_which_it_was_made(kind: Kind, shares: list[int]) -> None:
    g = tuple(share / sum(shares) for share in shares)
    made = candidate(kind, g)
    assert g_of(made) == pytest.approx(g, abs=1e-12)
    assert candidates_of([str(made)], kind) == {str(made): g_of(made)}


@pytest.mark.parametrize("steps", [3, 9])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_grid_is_made_of_candidates(levels: int, steps: int) -> None:
    grid = me.g_grid(levels=levels, steps=steps)
    texts = [str(me.GAP(g=g)) for g in grid]
    assert candidates_of([*texts, "AP", *texts]) == dict(zip(texts, grid, strict=True))


@pytest.mark.parametrize(
    ("text", "kind", "g"),
    [
        ("GAP(g=.5,.5)", "GAP", (0.5, 0.5)),
        ("GAP(g=1)", "GAP", (1.0,)),
        ("GAP(g=even)", "GAP", None),
        ("GAP(g=0.5,0.5)@10", "GAP", None),
        ("GAP(g=0.5,0.5) & AP", "GAP", None),
        ("xGAP(g=0.5,0.5)", "GAP", None),
        ("GAP(g=0.5,0.5)", "nDCG", None),
        ("nDCG(gain=1,3)", "nDCG", (round(1 / 3, 12), round(2 / 3, 12))),
        ("nDCG(gain=3,1)", "nDCG", None),  # falls
        ("nDCG(gain=3,0)", "nDCG", None),
        ("nDCG(gain=1,3,discount=jk)", "nDCG", None),
        ("nDCG(gain=1,3)@20", "nDCG", None),
        ("nDCG(gain=exp2)", "nDCG", None),
        ("nDCG", "nDCG", None),
        ("no measure", "GAP", None),
    ],
)
def test_texts_of_tables(text: str, kind: Kind, g: tuple[float, ...] | None) -> None:
    assert candidates_of([text], kind) == ({} if g is None else {text: g})
