from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.errors import InputError, ProblemError
from maxent.systems.reported import completed, documents_behind

DEPTH = 60
FIGURES = [f"levels.{kind}" for kind in ("png", "svg", "pdf")]


def row_of(collection: me.data.Collection, run: str, measures: list[str], digits: int = 3) -> dict[str, str]:
    """Averages of a run as a paper would print them."""
    means = me.evaluate(collection, measures=measures, means=True).set_index("run_id").loc[run]
    return {name: f"{value:.{digits}f}" for name, value in zip(measures, means, strict=True)}


def averages(qrels: Any, known: Any, run: Any = None, **options: Any) -> me.Averages:
    """Averages over the topics of judgments."""
    options = {"depth": DEPTH} | options
    return me.Averages(known, **documents_behind(qrels, None, run, options["depth"]), **options)


@pytest.mark.slow
def test_a_table_is_completed_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    given = ["reported", "--qrels", str(tmp_path / "qrels.csv"), "--depth", str(DEPTH)]
    targets = ["--targets", "AP", "nDCG@10"]
    assert main([*given, "--table", str(tmp_path / "table.csv"), *targets, "--out", str(tmp_path / "out")]) == 0
    assert "2 of 3 rows can be averages of lists" in capsys.readouterr().out
    assert me.reported(tmp_path / "table.csv", qrels, targets=["AP", "nDCG@10"], depth=DEPTH) == result
    with pytest.raises(ProblemError, match="counts is the run of one system"):
        me.reported(table, qrels, counts=runs)
    written = pd.read_csv(tmp_path / "out" / "reported.csv")
    pd.testing.assert_frame_equal(written, found, check_exact=False)
    swapped = found[found["run_id"] == "swapped"].set_index("measure")
    possible = me.lists.solve_averages(averages(qrels, {name: rows["swapped"][name] for name in names})).possible()
    assert swapped["nearest"].tolist() == possible["nearest"].tolist()
    assert found.loc[found["status"] != "impossible", "nearest"].isna().all()
    with pytest.raises(InputError, match="no column is a measure that can be known, got team, bpref"):
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
def test_no_interval_is_stated_where_none_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a mapping, as of the command, and a recall is reached where the numbers of documents are known."""
    runs, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    names = ["P@20", "R@60", "RR"]
    found = me.reported({"MAP": ".40", me.P(cutoff=10): 0.7}, qrels, targets=names, depth=DEPTH).table
    assert found["status"].tolist() == ["given", "given", "predicted", "not reached", "not reached"]
    assert found.loc[found["status"] == "not reached", ["value", "low", "high", "rounding"]].isna().all(axis=None)
    assert found[found["status"] == "predicted"][["value", "low", "high"]].notna().all(axis=None)
    given = ["reported", "--qrels", str(tmp_path / "qrels.csv"), "--depth", str(DEPTH), "--out", str(tmp_path)]
    assert main([*given, "MAP=.40", "P@10=.7", "--targets", *names]) == 0
    written = pd.read_csv(tmp_path / "reported.csv")
    same = me.reported({"MAP": ".40", "P@10": ".7"}, qrels, targets=names, depth=DEPTH)
    pd.testing.assert_frame_equal(written, same.table)
    printed = capsys.readouterr().out
    assert "these averages imply P@20 of" in printed
    assert "not reached: R@60, RR" in printed
    report = tmp_path / "report.html"
    assert main([*given, "R@60=.40", "--targets", "P@10", "--report", str(report)]) == 0
    assert "and they imply none of the targets" in capsys.readouterr().out
    assert "high levels of recall are a guess" in report.read_text(encoding="utf-8")
    row = averages(qrels, {"AP": 0.2}, run=runs[runs["run_id"] == "system1"], depth=DEPTH)
    assert row.reaches(me.R(cutoff=DEPTH))


def test_averages_that_lists_only_just_have_leave_no_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """RR is at most 2 P@2 in lists of two documents, and here it is equal to that."""
    pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "b"], "relevance": [1, 1]}).to_csv(
        tmp_path / "qrels.csv", index=False
    )
    given = ["reported", "--qrels", str(tmp_path / "qrels.csv"), "--depth", "2", "--out", str(tmp_path)]
    assert main([*given, "RR=.50", "P@2=.25", "--targets", "P@1"]) == 0
    assert "not determined: P@1" in capsys.readouterr().out
    row = pd.read_csv(tmp_path / "reported.csv").iloc[2]
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


def test_the_command_says_what_a_row_implies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    given = ["reported", "--qrels", str(tmp_path / "qrels.csv"), "--depth", str(DEPTH)]
    targets = ["--targets", "nDCG@10"]
    report, out = tmp_path / "report.html", tmp_path / "out"
    more = ["--out", str(out), "--report", str(report)]
    assert main([*given, "AP=.40", "P@10=.70", "R@60=.60", *targets, *more]) == 0
    printed = capsys.readouterr().out
    system = me.lists.solve_averages(averages(qrels, {"AP": ".40", "P@10": ".70", "R@60": ".60"}, depth=DEPTH))
    row = system.predict(["nDCG@10"]).iloc[0]
    finding = f"these averages imply nDCG@10 of {row['expected']:.3f}, {row['low']:.3f} to {row['high']:.3f}"
    assert finding in printed
    assert finding in report.read_text(encoding="utf-8")
    assert "high levels of recall are a guess" not in report.read_text(encoding="utf-8")
    assert {path.name for path in out.iterdir()} == {"reported.csv", "levels.csv", *FIGURES}
    assert len(pd.read_csv(out / "levels.csv")) == 11
    assert "94 to 100 %" in printed
    assert main([*given]) == 2
    assert "such as AP=.31, or a table with a row for each system" in capsys.readouterr().err


def test_where_every_target_is_known_nothing_is_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    given = ["reported", "--qrels", str(tmp_path / "qrels.csv"), "--depth", str(DEPTH)]
    assert main([*given, "AP=.40", "--targets", "AP"]) == 0
    assert "can have the averages together, and every target is one of them" in capsys.readouterr().out
    table = pd.DataFrame({"AP": [".40", None], "RR": [".70", ".70"]}, index=["all", "some"])
    found = me.reported(table, qrels, targets=["AP"], depth=DEPTH).table
    assert found["status"].tolist() == ["given", "given", "given", "not reached"]


def test_counts_of_a_run_and_a_uniform_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    run = runs[runs["run_id"] == "system1"]
    for name, table in (("run", run), ("qrels", qrels)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    options = ["--qrels", str(tmp_path / "qrels.csv"), "--depth", str(DEPTH), "--out", str(tmp_path)]
    beside = ["--counts", str(tmp_path / "run.csv"), "--reference", "uniform", "--targets", "R@60"]
    assert main(["reported", "AP=.20", *options, *beside]) == 0
    assert "count=retrieved, model=lists, reference=uniform, depth=60" in capsys.readouterr().out
    row = averages(qrels, {"AP": ".20"}, run=run, depth=DEPTH, reference=None)
    found = pd.read_csv(tmp_path / "reported.csv").set_index("measure")["value"]
    np.testing.assert_allclose(found["R@60"], me.lists.solve_averages(row).expected(["R@60"]))
    assert found["R@60"] == pytest.approx(me.evaluate(run, qrels, measures=["R@60"], depth=DEPTH)["value"].mean())


@pytest.mark.slow
def test_the_odd_average_is_the_one_that_changes_least(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its nearest end in its place the row is possible, and so is the nearest row; the command names both."""
    _, qrels = me.simulate(systems=2, topics=5, depth=DEPTH, rng=1)
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    known = {"AP": ".900", "P@10": ".700", "R@60": ".600"}
    options = ["reported", "--qrels", str(tmp_path / "qrels.csv"), "--depth", str(DEPTH), "--out", str(tmp_path)]
    assert main([*options, *(f"{name}={value}" for name, value in known.items())]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    changes = {}
    for row in pd.read_csv(tmp_path / "reported.csv").dropna(subset="low").to_dict("records"):
        end = row["high"] if row["high"] < row["value"] else row["low"]
        changes[row["measure"]] = abs(end - row["value"]) / row["value"], end
    odd, (_, end) = min(changes.items(), key=lambda pair: pair[1])
    assert f"can have these averages together: the odd one is {odd}, which would have to be {end:.4f}" in printed
    nearest = me.lists.solve_averages(averages(qrels, known)).possible().set_index("measure")["nearest"]
    pairs = ", ".join(f"{name} {value:.4f}" for name, value in nearest.items())
    assert f"nearest possible row: {pairs}" in printed
    for possible in (known | {odd: f"{end:.3f}"}, {name: f"{value:.3f}" for name, value in nearest.items()}):
        assert me.lists.solve_averages(averages(qrels, possible, depth=DEPTH)).status in ("optimal", "boundary")
