"""g from clicks: simulated users with a known g, the isotonic constraint, wrong input."""

import itertools
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.studies import clicks_table
from tests.golden.messages import refused


def simulate(g: tuple[float, ...], users: int, *, examined: float, accident: float, seed: int) -> pd.DataFrame:
    """One user after the other: a threshold, and for one document of each grade a click or none."""
    rng = np.random.default_rng(seed)
    clicks = np.zeros(len(g) + 1, dtype=int)
    for _ in range(users):
        threshold = 1 + rng.choice(len(g), p=g)
        for grade in range(len(g) + 1):
            wanted = grade >= threshold or rng.random() < accident
            clicks[grade] += wanted and rng.random() < examined
    return pd.DataFrame({"grade": range(len(g) + 1), "impressions": users, "clicks": clicks})


@pytest.mark.parametrize(
    ("g", "examined", "accident"),
    [((0.5, 0.5), 1.0, 0.0), ((0.2, 0.8), 0.4, 0.1), ((0.5, 0.0, 0.3, 0.2), 0.7, 0.05)],
)
def test_a_known_g_is_recovered(g: tuple[float, ...], examined: float, accident: float) -> None:
    clicks = simulate(g, 8_000, examined=examined, accident=accident, seed=1)
    found = clicks_table(clicks)
    np.testing.assert_allclose(found["g"], g, atol=0.03)
    assert found["g"].sum() == pytest.approx(1)
    assert ((found["low"] <= found["g"]) & (found["g"] <= found["high"])).all()
    assert ((found["low"] <= np.array(g)) & (np.array(g) <= found["high"])).all()
    without = clicks_table(clicks[clicks["grade"] > 0])
    if accident == 0:
        np.testing.assert_allclose(without["g"], found["g"])
    else:
        assert without["g"][0] > found["g"][0]


def sessions(users: int, topics: int, seed: int) -> pd.DataFrame:
    """Log of users with g = (.5, .5), each with a list of ten for every topic, who examine rank n with 1/n.

    The better documents are rather at the top, and 5 % of the clicks are accidents.
    """
    rng = np.random.default_rng(seed)
    ranks = np.arange(1, 11)
    grade = np.minimum(rng.poisson(2 / np.sqrt(ranks), (users, topics, 10)), 2)
    threshold = rng.integers(1, 3, (users, 1, 1))
    wanted = (grade >= threshold) | (rng.random(grade.shape) < 0.05)
    clicked = wanted & (rng.random(grade.shape) < 1 / ranks)
    user, _, place = np.indices(grade.shape)
    columns = {"user": user, "rank": ranks[place], "grade": grade, "clicked": clicked}
    return pd.DataFrame({name: array.ravel() for name, array in columns.items()})


def test_g_is_recovered_from_a_log_of_users_who_examine_by_rank() -> None:
    log = sessions(6_000, 1, seed=2).drop(columns="user")
    by_rank = log.assign(impressions=1).groupby(["grade", "rank"], as_index=False)[["impressions", "clicked"]].sum()
    table = by_rank.rename(columns={"clicked": "clicks"})
    for clicks in (log, table):
        for examination in (None, [3 / n for n in range(1, 12)]):  # estimated, and known on another scale
            found = clicks_table(clicks, examination=examination, replicates=200)
            assert found["g"][0] == pytest.approx(0.5, abs=0.03)
    alike = clicks_table(table.drop(columns="rank"))
    assert alike["g"][0] < 0.4
    one = clicks_table(table[table["rank"] == 1])  # no rank tells from another
    pd.testing.assert_frame_equal(one, clicks_table(table[table["rank"] == 1].drop(columns="rank")))


@pytest.mark.parametrize("method", ["rates", "shares"])
def test_intervals_are_wider_where_users_click_many_documents(method: Any) -> None:
    def width(log: pd.DataFrame) -> float:
        row = clicks_table(log, method=method, replicates=200).iloc[0]
        return float(row["high"] - row["low"])

    one, many = sessions(4_000, 1, seed=3), sessions(40, 100, seed=3)
    one = one[one["rank"] == 1]  # a document for each user
    assert width(one) == pytest.approx(width(one.drop(columns="user")), rel=0.25)
    assert width(many) > 1.5 * width(many.drop(columns="user"))
    few = pd.DataFrame({"user": ["a", "b", "b"], "grade": [1, 2, 2], "clicked": [1, 1, 0]})
    assert 0 <= width(few) <= 1  # samples without a user may lack a grade


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    inside = 0
    for k in range(200):
        clicks = rng.binomial(300, (0.05, 0.2, 0.35))  # g = (0.5, 0.5)
        table = clicks_table(
            pd.DataFrame({"grade": range(3), "impressions": 300, "clicks": clicks}), replicates=200, rng=k
        )
        inside += table["low"][0] <= 0.5 <= table["high"][0]
    assert 180 <= inside <= 199


def test_shares_of_clicks() -> None:
    """Table of clicks one after the other; grade 0, impressions and falling rates have no part in it."""
    log = [1, 2, 0, 1, 1, 2, 3, 0, 1, 1]
    counts = {grade: log.count(grade) for grade in range(4)}
    table = pd.DataFrame({"grade": counts.keys(), "impressions": [900, 10, 90, 50], "clicks": counts.values()})
    found = clicks_table(table, method="shares")
    assert list(found["g"]) == [5 / 8, 2 / 8, 1 / 8]
    assert found.columns.tolist() == clicks_table(table).columns.tolist()
    many = clicks_table(table.assign(impressions=10**6, clicks=table["clicks"] * 1000), method="shares")
    expected = 1.96 * np.sqrt(found["g"] * (1 - found["g"]) / 8000)  # the binomial distribution is nearly normal
    np.testing.assert_allclose((many["high"] - many["low"]) / 2, expected, rtol=0.1)
    with refused(me.errors.ProblemError):
        clicks_table(table.assign(clicks=[5, 0, 0, 0]), method="shares")
    with refused(me.errors.ProblemError):
        clicks_table(table, method="all")  # type: ignore[arg-type]


def test_the_constraint_is_the_best_of_all_increasing_rates() -> None:
    """Grade 2 is clicked less often than grade 1: likelihood over a grid of increasing rates."""
    shown, clicked = np.array([100, 50, 80]), np.array([40, 10, 60])
    table = pd.DataFrame({"grade": [1, 2, 3], "impressions": shown, "clicks": clicked})
    found = clicks_table(table)
    grid = np.linspace(0.01, 0.99, 50)
    rates = np.array([r for r in itertools.product(grid, repeat=3) if r[0] <= r[1] <= r[2]])
    best = rates[(clicked * np.log(rates) + (shown - clicked) * np.log(1 - rates)).sum(axis=1).argmax()]
    np.testing.assert_allclose(found["g"], np.diff(best, prepend=0) / best[-1], atol=0.03)
    assert found["g"][1] == 0
    assert found["rate"].tolist() == [0.4, 0.2, 0.75]


@pytest.mark.parametrize(
    "change",
    [
        {"clicks": [5.5, 1.0]},
        {"clicks": [11, 1]},
        {"impressions": [0, 10], "clicks": [0, 1]},
        {"grade": [1, 3]},
        {"grade": [0, 0]},
    ],
)
def test_wrong_clicks(change: dict[str, list[float]]) -> None:
    table = pd.DataFrame({"grade": [1, 2], "impressions": [10, 10], "clicks": [5, 8]}).assign(**change)
    with refused(me.errors.InputError):
        clicks_table(table)
    with refused(me.errors.InputError):
        clicks_table(table.drop(columns="clicks"))


def test_wrong_ranks_and_logs() -> None:
    table = pd.DataFrame({"grade": [1, 2], "rank": [1, 3], "impressions": [10, 10], "clicks": [5, 8]})
    with refused(me.errors.InputError):
        clicks_table(table.assign(rank=[0, 1]))
    with refused(me.errors.InputError):
        clicks_table(pd.DataFrame({"grade": [1, 2], "clicked": [1, 2]}))
    with refused(me.errors.ProblemError):
        clicks_table(table, examination=[1, 0.5])
    with refused(me.errors.ProblemError):
        clicks_table(table, examination=[1, 0, 1])
    with refused(me.errors.ProblemError):
        clicks_table(table)
    with refused(me.errors.ProblemError):
        clicks_table(table.drop(columns="rank"), examination=[1, 1, 1])


def test_counts_of_databases() -> None:
    """DuckDB has sums as floats, or as decimals."""
    table = pd.DataFrame({"grade": [0, 1, 2], "impressions": [99, 50, 50], "clicks": [5, 9, 20]})
    expected = clicks_table(table)
    for changed in (table.astype(float), table.map(Decimal), table.astype(str)):
        pd.testing.assert_frame_equal(clicks_table(changed), expected)


def test_nothing_to_learn() -> None:
    table = pd.DataFrame({"grade": [0, 1, 2], "impressions": 10, "clicks": [5, 5, 2]})
    with refused(me.errors.ProblemError):
        clicks_table(table)


def test_a_file_gives_what_its_table_gives(tmp_path: Path) -> None:
    file = tmp_path / "clicks.csv"
    file.write_text("grade,impressions,clicks\n1,500,100\n2,200,70\n")
    shares, rates = me.g_from_clicks(file, method="shares"), me.g_from_clicks(str(file))
    assert shares.g == pytest.approx((0.5882, 0.4118), abs=1e-4)
    assert rates.g == pytest.approx((0.5714, 0.4286), abs=1e-4)
    assert rates == me.g_from_clicks(pd.read_csv(file))
    assert rates.title == "clicks.csv"
    assert rates.finding
    assert shares.finding
    assert len(rates.finding.cautions) == 1, "examined alike"
    assert not shares.finding.cautions
    assert main(["g-from-clicks", str(file), "--out", str(tmp_path / "out")]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out" / "clicks.csv"), rates.table)


def test_ranks_and_their_examination_are_known(tmp_path: Path) -> None:
    file = tmp_path / "clicks.csv"
    file.write_text("grade,rank,impressions,clicks\n1,1,100,50\n2,1,100,100\n1,2,100,25\n2,2,50,25\n")
    for examination in (None, [1, 0.5]):
        result = me.g_from_clicks(file, examination=examination)
        assert result.g == pytest.approx((0.5, 0.5))
        assert result.finding is not None
        assert not result.finding.cautions
