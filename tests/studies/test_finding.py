"""What a study found: no more certain than it is, and the same everywhere."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.results import Finding
from maxent.studies import StudyOptions, compare, measures_table, simplest, study_finding
from maxent.texts import measure_label

OPTIONS = StudyOptions(measures=(me.AP(), me.nDCG(gain="exp2")), thresholds=(1, 2), depth=1000)


def study(errors: Mapping[str, float], *, topics: int = 20, noise: float = 0.02, unsolved: int = 0) -> pd.DataFrame:
    """Rows of a study with these mean errors, two runs, two thresholds and noise from topic to topic."""
    rng = np.random.default_rng(1)
    rows = []
    for topic in range(topics):
        for measure, mean in errors.items():
            error = mean + noise * rng.standard_normal()
            for run in ("a", "b"):
                status = "too_few" if topic < unsolved else "optimal"
                rms = error if status == "optimal" else np.nan
                rows += [(run, str(topic), measure, t, status, 0.5, rms, rms, 10, 1.0) for t in (1, 2)]
    names = ["run_id", "query_id", "measure", "threshold", "status", "value", "rms", "mae", "points", "entropy"]
    return pd.DataFrame(rows, columns=names)


def centred(errors: Mapping[str, float], **options: float) -> pd.DataFrame:
    """As :func:`study`, with exactly these means."""
    table = study(errors, **options)  # type: ignore[arg-type]
    return table.assign(
        rms=table["rms"] - table.groupby("measure")["rms"].transform("mean") + table["measure"].map(errors)
    )


def finding(
    table: pd.DataFrame, candidates: pd.DataFrame | None = None, weights: Mapping[int, float] | None = None
) -> Finding:
    """What a study of these errors found."""
    return study_finding(table, OPTIONS, compare(table, weights=weights, rng=0), candidates)


def test_what_cannot_be_told_apart_is_not_called_the_best() -> None:
    table = centred({"AP": 0.105, "GAP(g=0.75,0.25)": 0.1, "nDCG(gain=exp2)": 0.3})
    choice = me.studies.choose_from(
        pd.concat([table, table[table["measure"] == "AP"].assign(measure="GAP(g=1,0)")])
    )
    found = finding(table, choice.table)
    assert (found.best, found.set) == ("GAP(g=0.75,0.25)", ("GAP(g=0.75,0.25)", "AP"))
    places = me.league(table).query("threshold == 0").set_index("measure")
    ends = ["difference", "difference_low", "difference_high"]
    assert found.differences is not None
    assert [tuple(row) for row in found.differences] == [
        (name, *places.loc[name, ends]) for name in ("AP", "nDCG(gain=exp2)")
    ]
    assert [row.difference for row in found.differences] == pytest.approx([0.005, 0.2])
    assert found.differences[0].low < 0 < found.differences[0].high
    assert choice.g == (0.75, 0.25)
    assert choice.simplest == (1, 0)
    assert found.recommended == choice.finding.recommended == "GAP(g=1,0)"
    assert choice.finding.best == "GAP(g=0.75,0.25)"
    assert choice.finding.set == ("GAP(g=0.75,0.25)", "GAP(g=1,0)")
    assert (found.lists, found.topics) == ((40, 40, {}), 20)
    assert found.reading == OPTIONS.scope
    assert found.cautions == ()


def test_first_comes_what_cannot_be_told_from_the_best_then_the_first_that_can() -> None:
    """The third may be the best, as it varies more; the second may not."""
    table = centred({"AP": 0.1, "nDCG": 0.12, "P@10": 0.13, "P@20": 0.3})
    swings = table["measure"].map({"P@10": 0.2}).fillna(0) * (-1) ** table["query_id"].astype(int)
    found = finding(table.assign(rms=table["rms"] + swings))
    assert (found.best, found.set) == ("AP", ("AP", "P@10"))
    names = [line.partition(" ")[0] for line in found.support[1:]]
    assert names == ["P@10", "nDCG"]


def test_a_study_and_its_choice_of_g_are_on_the_same_lists() -> None:
    """A list without AP counts for neither, nor does one without a document for a threshold leave the others."""
    errors = {"GAP(g=0.25,0.75)": 0.2, "GAP(g=0.75,0.25)": 0.201, "AP": 0.4}
    table = centred(errors, topics=10)
    odd, topic = table["measure"] == "GAP(g=0.25,0.75)", table["query_id"].astype(int)
    table["rms"] = table["rms"].mask(odd & (topic < 6), 0.3).mask(odd & (topic >= 6), 0.0)
    table["status"] = table["status"].mask((table["measure"] == "AP") & (topic >= 6), "failed")
    table["status"] = table["status"].mask((table["threshold"] == 2) & (topic < 2), "too_few")
    ranked, choice = me.league(table).query("threshold == 0"), me.studies.choose_from(table)
    assert set(choice.table["lists"]) == set(ranked["lists"]) == {12}
    objectives = choice.table.set_index("measure")["objective"]
    assert objectives.to_dict() == pytest.approx(ranked.set_index("measure")["rms"][objectives.index].to_dict())
    assert choice.g == (0.75, 0.25)


def test_the_best_measure_is_the_best_of_all_not_of_the_candidates_for_g() -> None:
    table = centred({"GAP(g=0.25,0.75)": 0.2, "GAP(g=0.75,0.25)": 0.3, "AP": 0.4, "nDCG": 0.1, "P@10": 0.5})
    found = finding(table, me.studies.choose_from(table).table)
    assert (found.best, found.set) == ("nDCG", ("nDCG",))
    assert found.recommended == "GAP(g=0.25,0.75)"
    assert sum(": larger by" in line for line in found.support) == 2  # the next best, and AP


def test_weights_of_thresholds_count() -> None:
    table = centred({"AP": 0.1, "nDCG": 0.2})
    swapped = table["measure"].map({"AP": 0.3, "nDCG": 0}).where(table["threshold"] == 2, 0)
    table = table.assign(rms=table["rms"] + swapped)
    assert finding(table, weights={1: 1}).best == "AP"
    assert finding(table, weights={1: 1, 2: 3}).best == "nDCG"


@pytest.mark.parametrize(
    ("topics", "unsolved", "cautions"),
    [
        (20, 0, []),
        (7, 0, ["with 7 topics"]),
        (50, 26, ["more than half of the lists are excluded, 52 of 100: 52 (too_few: fewer retrieved"]),
        (9, 6, ["more than half", "with 3 topics"]),
        (1, 0, ["a single topic: no interval"]),
    ],
)
def test_every_caution_once(topics: int, unsolved: int, cautions: list[str]) -> None:
    table = study({"AP": 0.1, "GAP(g=0.5,0.5)": 0.2, "GAP(g=0,1)": 0.3}, topics=topics, unsolved=unsolved)
    choice = me.studies.choose_from(table)
    for found in (finding(table, choice.table), choice.finding):
        assert len(found.cautions) == len(cautions)
        assert all(text.startswith(start) for text, start in zip(found.cautions, cautions, strict=True))
        excluded = {"too_few": 2 * unsolved} if unsolved else {}
        assert found.lists == (2 * (topics - unsolved), 2 * topics, excluded)
        assert found.topics == topics - unsolved
    assert all(repr(choice).count(text) == 1 for text in found.cautions)


def test_a_single_topic_tells_nothing_apart() -> None:
    table = study({"AP": 0.1, "nDCG": 0.2, "GAP(g=0.5,0.5)": 0.3, "GAP(g=1,0)": 0.4}, topics=1)
    choice = me.studies.choose_from(table)
    found = finding(table, choice.table)
    assert (found.best, found.set) == ("AP", None)
    assert found.differences is not None
    assert np.isnan([(row.low, row.high) for row in found.differences]).all()
    assert "95 % [" not in str(found)
    assert choice.simplest == choice.g == (0.5, 0.5)


def test_measures_without_a_common_list() -> None:
    table = study({"AP": 0.1, "nDCG": 0.2}, topics=2)
    table["status"] = table["status"].where((table["query_id"] == "0") == (table["measure"] == "AP"), "failed")
    found = finding(table)
    assert (found.best, found.set, found.differences) == (None, None, None)
    assert found.lists == (0, 4, {"failed": 4})
    assert len(found.cautions) == 1


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ([(0.625, 0.375), (1, 0), (0.5, 0.5), (0.25, 0.75)], (1, 0)),
        ([(0.625, 0.375), (0.5, 0.5), (0, 1), (0.25, 0.75)], (0.5, 0.5)),
        ([(0.625, 0.375), (0.25, 0.75), (0.2, 0.8)], (0.2, 0.8)),
        ([(0.7973, 0.2027), (0.25, 0.75), (0.75, 0.25)], (0.75, 0.25)),
        ([(0.2, 0.3, 0.5), (1 / 3, 1 / 3, 1 / 3), (0, 0.5, 0.5)], (1 / 3, 1 / 3, 1 / 3)),
    ],
)
def test_simple_is_ap_then_equal_then_few_decimals(
    grid: list[tuple[float, ...]], expected: tuple[float, ...]
) -> None:
    table = centred({str(me.GAP(g=g)): 0.2 - 0.0001 * place for place, g in enumerate(grid)})
    choice = me.studies.choose_from(table)
    assert choice.g == grid[-1]
    assert choice.simplest == expected
    assert simplest(choice.table) == str(me.GAP(g=expected))


def test_only_what_cannot_be_told_from_the_best_is_simple() -> None:
    choice = me.studies.choose_from(
        centred({"GAP(g=1,0)": 0.5, "GAP(g=0.75,0.25)": 0.1, "GAP(g=0.625,0.375)": 0.099})
    )
    assert choice.g == (0.625, 0.375)
    assert choice.simplest == (0.75, 0.25)


def test_names_for_people() -> None:
    assert measure_label("GAP(g=1,0)") == "AP"
    assert measure_label("GAP(g=1,0,0)@10") == "AP@10"
    assert measure_label("GAP(g=0,1)") == "GAP(g=0,1)"
    assert measure_label("GAP(g=0.333333333,0.666666667)") == "GAP(g=0.3333,0.6667)"
    assert measure_label("GAP(g=even)") == "GAP(g=even)"
    assert measure_label("GAP(g=1,0) & P@10") == "GAP(g=1,0) & P@10"
    assert measure_label("from elsewhere") == "from elsewhere"


def test_ap_among_candidates_has_one_row_for_people() -> None:
    table = study({"GAP(g=1,0)": 0.1, "GAP(g=0,1)": 0.2, "AP": 0.1, "nDCG": 0.3}, topics=2)
    shown = measures_table(me.summarize(table), pd.Series({1: 0.5, 2: 0.5}), {})
    assert sorted(shown["measure"]) == ["AP", "GAP(g=0,1)", "nDCG"]
