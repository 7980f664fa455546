from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.errors import InputError, ProblemError
from maxent.systems import completed, documents_behind
from tests.golden.messages import as_golden, refused

DEPTH = 60


def row_of(collection: me.data.Collection, run: str, measures: list[str], digits: int = 3) -> dict[str, str]:
    """Averages of a run as a paper would print them."""
    means = me.evaluate(collection, measures=measures, wide=True).table.set_index("run_id").loc[run]
    return {name: f"{value:.{digits}f}" for name, value in zip(measures, means, strict=True)}


def averages(qrels: Any, known: Any, run: Any = None, **options: Any) -> me.Averages:
    """Averages over the topics of judgments."""
    options = {"depth": DEPTH} | options
    return me.Averages(known, **documents_behind(qrels, None, run, options["depth"]), **options)


@pytest.mark.slow
def test_a_table_is_completed_and_checked(tmp_path: Path) -> None:
    """Of two true rows and one in which columns are swapped, the latter alone is impossible."""
    runs, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    collection = me.collect(runs, qrels, depth=DEPTH)
    names = ["map", "P@10", "R@60"]
    rows = {run: row_of(collection, run, names) | {"team": "x", "bpref": ".5"} for run in collection.runs}
    true = rows["system1"]
    rows["swapped"] = true | {"map": "0.950", "P@10": "0.200"}
    table = pd.DataFrame.from_dict(rows, orient="index")
    result = me.reported(table, qrels, targets=["AP", "nDCG@10"], depth=DEPTH)
    found = result.table
    status = found.groupby("run_id", sort=False)["status"].agg(lambda own: " ".join(dict.fromkeys(own)))
    assert status.to_dict() == {"system1": "given predicted", "system2": "given predicted", "swapped": "impossible"}
    predicted = found[found["status"] == "predicted"]
    assert (predicted["measure"] == "nDCG@10").all()
    assert ((predicted["low"] < predicted["value"]) & (predicted["value"] < predicted["high"])).all()
    table.to_csv(tmp_path / "table.csv")
    assert me.reported(tmp_path / "table.csv", qrels, targets=["AP", "nDCG@10"], depth=DEPTH) == result
    with refused(ProblemError):
        me.reported(table, qrels, counts=runs)
    swapped = found[found["run_id"] == "swapped"].set_index("measure")
    possible = me.lists.solve_averages(averages(qrels, {name: rows["swapped"][name] for name in names})).possible()
    assert swapped["nearest"].tolist() == possible["nearest"].tolist()
    assert found.loc[found["status"] != "impossible", "nearest"].isna().all()
    with refused(InputError):
        me.reported(table[["team", "bpref"]], qrels)


def test_documents_of_all_topics_keep_their_name_and_size() -> None:
    _, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    for ap in (".40", ".99"):
        table = pd.DataFrame({"AP": [ap], "num_rel_ret": ["60"]})
        rows = me.reported(table, qrels, targets=["RR"], depth=DEPTH).table
        own = rows.set_index("measure").loc["num_rel_ret"]
        assert own["value"] == 60
        assert own["low"] <= 60 <= own["high"] or own["nearest"] > 60
    assert own["status"] == "impossible"


REACHED = {
    "AP": "P@5 P@10 P@20 nDCG@10 nDCG@20 ERR RBP Rprec",
    "P@10": "P@5 nDCG@10 ERR RBP",
    "nDCG@10": "P@5 P@10 ERR RBP",
    "nDCG@100": "",
    "R@60": "",
    "GAP(g=.5,.5)": "",
    "AP(rel=2)": "",
    "AP R@20": "P@5 P@10 P@20 nDCG@10 nDCG@20 ERR RBP Rprec",
    "P@10 R@60": "P@5 nDCG@10 ERR RBP",
    "AP R@60": "P@5 P@10 P@20 nDCG@10 nDCG@20 ERR RBP Rprec R@20 nDCG",
    "AP num_rel_ret": "P@5 P@10 P@20 nDCG@10 nDCG@20 ERR RBP Rprec R@20 nDCG",
}
WANTED = "P@5 P@10 P@20 P@60 nDCG@10 nDCG@20 ERR RBP Rprec AP R@20 R@60 nDCG RR Success@10 P(rel=2)@5"


@pytest.mark.parametrize(("known", "reached"), REACHED.items(), ids=REACHED)
def test_which_averages_are_reached(known: str, reached: str) -> None:
    row = me.Averages(dict.fromkeys(known.split(), 0.1), [[0, 1]], depth=DEPTH)
    others = [name for name in WANTED.split() if name not in known.split()]
    assert {name for name in others if row.reaches(me.parse_measure(name))} == set(reached.split()) - set(
        known.split()
    )


@pytest.mark.slow
def test_no_interval_is_stated_where_none_held() -> None:
    """A recall is reached where the numbers of documents are known."""
    runs, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    names = ["P@20", "R@60", "RR"]
    found = me.reported({"MAP": ".40", me.P(cutoff=10): 0.7}, qrels, targets=names, depth=DEPTH).table
    assert found["status"].tolist() == ["given", "given", "predicted", "not reached", "not reached"]
    assert found.loc[found["status"] == "not reached", ["value", "low", "high", "rounding"]].isna().all(axis=None)
    assert found[found["status"] == "predicted"][["value", "low", "high"]].notna().all(axis=None)
    none = me.reported({"R@60": ".40"}, qrels, targets=["P@10"], depth=DEPTH).table
    assert none["status"].tolist() == ["given", "not reached"]
    row = averages(qrels, {"AP": 0.2}, run=runs[runs["run_id"] == "system1"], depth=DEPTH)
    assert row.reaches(me.R(cutoff=DEPTH))


def test_averages_that_lists_only_just_have_leave_no_interval() -> None:
    """RR is at most 2 P@2 in lists of two documents, and here it is equal to that."""
    result = me.reported(
        {"RR": ".50", "P@2": ".25"}, {"1": {"a": 1}, "2": {"b": 1}}, targets=["P@1"], depth=2, progress=False
    )
    row = result.table.iloc[2]
    assert (row["measure"], row["status"]) == ("P@1", "not determined")
    assert row[["low", "high"]].isna().all()


@pytest.mark.slow
def test_only_what_no_lists_have_is_impossible() -> None:
    """A mixture of lists that is at an edge of what is possible: its distribution is a limit, hard to find."""
    _, qrels = me.simulate(systems=2, topics=4, depth=30, rng=1)
    known = {"Rprec": ".24077792327", "ERR": ".07065278390", "AP": ".10756773223", "RR": ".08522727273"}
    system = me.lists.solve_averages(averages(qrels, known, depth=30))
    assert system.status != "infeasible"
    np.testing.assert_allclose(system.possible()["nearest"], system.averages.values, atol=1e-5)
    found = completed(system.without("failed", "a reason"), ["nDCG"], 0.9)
    assert (found["status"] == "failed").all()


def test_where_every_target_is_known_nothing_is_predicted() -> None:
    _, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    table = pd.DataFrame({"AP": [".40", None], "RR": [".70", ".70"]}, index=["all", "some"])
    found = me.reported(table, qrels, targets=["AP"], depth=DEPTH).table
    assert found["status"].tolist() == ["given", "given", "given", "not reached"]


def test_counts_of_a_run_and_a_uniform_reference() -> None:
    runs, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    run = runs[runs["run_id"] == "system1"]
    result = me.reported({"AP": ".20"}, qrels, counts=run, reference=None, targets=["R@60"], depth=DEPTH)
    row = averages(qrels, {"AP": ".20"}, run=run, depth=DEPTH, reference=None)
    found = result.table.set_index("measure")["value"]
    np.testing.assert_allclose(found["R@60"], me.lists.solve_averages(row).expected(["R@60"]))
    [mean] = me.evaluate(run, qrels, measures=["R@60"], depth=DEPTH).table["value"]
    assert found["R@60"] == pytest.approx(mean)


@pytest.mark.slow
def test_each_average_that_is_named_repairs_the_row_alone() -> None:
    """With its nearest end in its place the row is possible, and so is the nearest row."""
    _, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    known = {"AP": ".500", "P@10": ".100", "R@60": ".600"}
    result = me.reported(known, qrels, depth=DEPTH)
    assert len(result.failures) == 1, "the exit code is 1"
    assert result.finding is not None
    as_golden(result.finding.sentence)
    repairs = {}
    for row in result.table.dropna(subset="low").to_dict("records"):
        repairs[row["measure"]] = row["high"] if row["high"] < row["value"] else row["low"]
        assert f"{row['measure']} within [{row['low']:.4f}, {row['high']:.4f}]" in result.finding.support[0]
    assert len(repairs) > 1, "the row does not say which of them is wrong"
    nearest = (
        me.lists.solve_averages(averages(qrels, known, depth=DEPTH)).possible().set_index("measure")["nearest"]
    )
    rows = [known | {name: f"{end:.3f}"} for name, end in repairs.items()]
    for possible in (*rows, {name: f"{value:.3f}" for name, value in nearest.items()}):
        assert me.lists.solve_averages(averages(qrels, possible, depth=DEPTH)).status != "infeasible"


TWO = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}


QRELS = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "c"], "relevance": [1, 1, 1]}


def test_an_impossible_row_of_a_table_names_no_culprit() -> None:
    """With P@2 of .15, a list has one among the first two with probability .3, and else RR is at most 1/3."""
    table = pd.DataFrame({"RR": [".9"], "P@2": [".1"]}, index=["theirs"])
    finding = me.reported(table, TWO, depth=5, targets=["AP"], progress=False).finding
    assert finding is not None
    as_golden(finding.support[0])


@pytest.mark.parametrize("shape", ["row", "table"])
@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"MAP": "31.0", "P@2": "52"}, "are AP 31, P@2 52 percentages?"),
        ({"MAP": "31.0", "P@2": ".52"}, "is AP 31 a percentage?"),
        ({"MAP": ".31", "P@2": "1.2"}, "is P@2 1.2 a percentage?"),
        ({"P@2": ".9", "num_rel_ret": "70"}, ""),
    ],
)
def test_a_row_above_1_may_be_of_percentages(row: dict[str, str], named: str, shape: str) -> None:
    result = me.reported(
        row if shape == "row" else pd.DataFrame(row, index=["theirs"]), TWO, depth=5, targets=["AP"], progress=False
    )
    assert result.finding is not None
    assert named in str(result.finding)
    assert ("percentage" in str(result)) == bool(named)


def test_averages_need_the_judgments_behind_them(capsys: pytest.CaptureFixture[str]) -> None:
    """Averages of a paper say nothing about lists of another collection."""
    with refused(SystemExit):
        main(["reported", "MAP=.31", "P@10=.52"])
    assert "--qrels" in capsys.readouterr().err
    with pytest.raises(TypeError, match="qrels"):
        me.reported({"MAP": ".31"})  # type: ignore[call-arg]


def test_its_first_line_and_its_text_name_the_judgments(tmp_path: Path) -> None:
    pd.DataFrame(QRELS).to_csv(tmp_path / "qrels.csv", index=False)
    result = me.reported({"AP": ".5"}, tmp_path / "qrels.csv", depth=5, targets=["P@1"])
    name = f"{tmp_path.name}/qrels.csv"
    assert str(result).startswith(f"AP=.5: averages over 2 topics of {name}, depth 5\n")
    assert name in result.text().replace(r"\_", "_")


def test_topics_of_a_collection_are_not_chosen_again() -> None:
    """They were ignored, and the answer was about all topics of the collection."""
    collection = me.collect(*me.simulate(systems=2, topics=5, depth=DEPTH, rng=1))
    with refused(me.errors.InputError):
        me.reported({"AP": ".40"}, collection, topics="1-2", depth=DEPTH)
    assert me.reported({"AP": ".40"}, collection, topics=collection.topics, depth=DEPTH).table is not None
