"""What studies, choices and comparisons of measures say where the commands of ``test_printed`` say something else.

``findings.txt`` holds it, for small tables with known errors. This rewrites the file:

    python -m tests.golden.test_findings
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.problem import Count
from maxent.results import Finding
from maxent.studies import (
    GChoice,
    MeasureChoice,
    StudyOptions,
    best_sets,
    compare,
    finding_of,
    joined_finding,
    study_finding,
    with_refined,
)
from tests.golden.test_printed import PRINTED
from tests.golden.texts import assert_same_text
from tests.studies.test_compare_measures import CHANGES, NO_SETS, judged, table_of
from tests.studies.test_finding import OPTIONS, centred, study

GOLDEN = PRINTED.parent / "findings.txt"
FLAT, LINEAR = "BrokenStick", "BrokenStick(gain=linear)"
PAPERS = replace(OPTIONS, reading="papers", reference="uniform", align="recall", min_retrieved=5)
SIMPLE = {"GAP(g=0.75,0.25)": 0.1, "GAP(g=1,0)": 0.101, "GAP(g=0.5,0.5)": 0.3}
GAINS = {"nDCG(gain=0,1)": 0.3, "nDCG(gain=0.5,1)": 0.1, "nDCG(gain=1,1)": 0.101}


def of_study(
    table: pd.DataFrame,
    choice: GChoice | None = None,
    weights: Mapping[int, float] | None = None,
    options: StudyOptions = OPTIONS,
    ties: str = "",
) -> Finding:
    """The finding of a study with these rows."""
    candidates = None if choice is None else choice.table
    finding = study_finding(table, options, compare(table, weights=weights, rng=0), candidates)
    return joined_finding({"retrieved": finding}, ties)


def two_counts() -> Finding:
    """The finding of a study that asks two questions."""
    tables: dict[Count, pd.DataFrame] = {
        "retrieved": centred({"AP": 0.1, "nDCG": 0.2}),
        "at_most": centred({"AP": 0.2, "nDCG": 0.1}, topics=5),
    }
    findings: dict[str, Finding] = {
        count: study_finding(table, replace(OPTIONS, count=count), compare(table, rng=0))
        for count, table in tables.items()
    }
    return joined_finding(findings, "a line on ties")


def failed(
    errors: Mapping[str, float], lost: Callable[[pd.DataFrame], Any], status: str = "failed"
) -> pd.DataFrame:
    """A study that has this status where ``lost`` says so."""
    table = centred(errors)
    return table.assign(status=table["status"].mask(lost(table), status))


def refined() -> Finding:
    """The finding of a choice with a refined candidate."""
    table = centred(SIMPLE)
    best = table[table["measure"] == "GAP(g=0.75,0.25)"]
    both = pd.concat([table, best.assign(measure="GAP(g=0.7,0.3)", rms=best["rms"] - 0.01)], ignore_index=True)
    choice = me.studies.choose_from(table)
    return with_refined(choice, both, "GAP(g=0.7,0.3)", replicates=1000, rng=0).finding


def of_steps(*verdicts: str) -> Finding:
    """The finding of a choice of measures whose steps have these verdicts."""
    number, topics = len(verdicts) + 1, 1 if "no interval" in verdicts else 5
    training, held_out = centred({"AP": 0.1}), centred({"AP": 0.1}, topics=topics)
    steps = pd.DataFrame({
        "step": range(number),
        "added": ["", *("AP", "nDCG")[: number - 1]],
        "measure": ["counts", "AP", "AP & nDCG"][:number],
        "verdict": ["", *verdicts],
        "lists": 10,
        "rms": [0.3, 0.2, 0.1][:number],
        "difference": [np.nan, -0.1, -0.1][:number],
        "difference_low": [np.nan, -0.15, -0.15][:number],
        "difference_high": [np.nan, -0.05, 0.05][:number],
    })  # fmt: skip
    return MeasureChoice(steps, training, held_out, OPTIONS.scope, ("a caution",)).finding


def of_verdicts(*tables: pd.DataFrame, sets: pd.DataFrame | None = None) -> Finding:
    """The finding of a comparison of measures with these readings."""
    table = pd.concat(tables, ignore_index=True)
    return finding_of(*judged(table), best_sets(table, replicates=1000, rng=0) if sets is None else sets)


def renamed(measure: str, name: str, less: float = 0.0) -> pd.DataFrame:
    """The rows of a measure of ``table_of("stands")`` under another name, with a smaller error."""
    rows = table_of("stands").query("measure == @measure")
    return rows.assign(measure=name, rms=rows["rms"] - less)


CASES: dict[str, Callable[[], Finding]] = {
    "study: a set of two": lambda: of_study(
        centred({"AP": 0.105, "GAP(g=0.75,0.25)": 0.1, "nDCG(gain=exp2)": 0.3})
    ),
    "study: the best for certain": lambda: of_study(centred({"AP": 0.1, "nDCG": 0.2})),
    "study: any": lambda: of_study(study({"AP": 0.1, "nDCG": 0.1, "P@10": 0.1})),
    "study: many": lambda: of_study(study({**{f"P@{k}": 0.1 for k in range(5, 12)}, "AP": 0.3})),
    "study: the only measure": lambda: of_study(centred({"AP": 0.1})),
    "study: few topics": lambda: of_study(centred({"AP": 0.1, "nDCG": 0.2}, topics=5)),
    "study: one topic": lambda: of_study(study({"AP": 0.1, "nDCG": 0.2, FLAT: 0.3}, topics=1)),
    "study: weights": lambda: of_study(centred({"AP": 0.1, "nDCG": 0.2}), weights={1: 1, 2: 3}),
    "study: equal measures": lambda: of_study(
        pd.concat([study({"AP": 0.1}), study({"AP": 0.1}).assign(measure="RR@1000")])
    ),
    "study: the broken stick is behind": lambda: of_study(centred({"AP": 0.1, "nDCG": 0.5, FLAT: 0.3})),
    "study: the broken stick may do as well": lambda: of_study(centred({"AP": 0.1, "nDCG": 0.5, FLAT: 0.1001})),
    "study: the broken stick does as well": lambda: of_study(centred({"AP": 0.1001, "nDCG": 0.5, FLAT: 0.1})),
    "study: the broken stick does better": lambda: of_study(centred({"AP": 0.3, "nDCG": 0.5, LINEAR: 0.1})),
    "study: another reading": lambda: of_study(centred({"AP": 0.3, FLAT: 0.1}), options=PAPERS),
    "study: a measure that the counts fix": lambda: of_study(
        failed({"AP": 0.1, "nDCG": 0.2, "P@10": 0.1}, lambda rows: rows["measure"] == "P@10", "constant")
    ),
    "study: every measure fixed": lambda: of_study(
        failed({"P@10": 0.1}, lambda rows: rows["measure"] == "P@10", "constant")
    ),
    "study: no common list": lambda: of_study(
        failed({"AP": 0.1, "nDCG": 0.2}, lambda rows: (rows["query_id"] < "15") == (rows["measure"] == "AP"))
    ),
    "study: most lists excluded": lambda: of_study(study({"AP": 0.1, "nDCG": 0.2}, topics=50, unsolved=26)),
    "study: two counts": two_counts,
    "study: ties": lambda: of_study(centred({"AP": 0.1, "nDCG": 0.2}), ties="a line on ties"),
    "study: a recommended g": lambda: of_study(centred(SIMPLE), me.studies.choose_from(centred(SIMPLE))),
    "choice: the simplest": lambda: me.studies.choose_from(centred(SIMPLE)).finding,
    "choice: the best": lambda: me.studies.choose_from(centred({**SIMPLE, "GAP(g=1,0)": 0.3})).finding,
    "choice: simplest and best of a set": lambda: me.studies.choose_from(
        centred({"GAP(g=1,0)": 0.1, "GAP(g=0,1)": 0.101, "GAP(g=0.5,0.5)": 0.3})
    ).finding,
    "choice: few topics": lambda: me.studies.choose_from(centred(SIMPLE, topics=10)).finding,
    "choice: one topic": lambda: me.studies.choose_from(study(SIMPLE, topics=1)).finding,
    "choice: refined": refined,
    "choice: gains": lambda: me.studies.choose_from(centred(GAINS), measure="nDCG").finding,
    "choice: the broken stick": lambda: me.studies.choose_from(centred({**SIMPLE, FLAT: 0.1005})).finding,
    "measures: a step that helps": lambda: of_steps("helps", "within noise"),
    "measures: none helps": lambda: of_steps("within noise", "worse"),
    "measures: a step that helps after one that does not": lambda: of_steps("within noise", "helps"),
    "measures: no interval": lambda: of_steps("no interval"),
    **{f"verdicts: {kind}": lambda kind=kind: of_verdicts(table_of(kind)) for kind in CHANGES},  # type: ignore[misc]
    "verdicts: threshold 1 alone": lambda: of_verdicts(table_of("stands").query("threshold == 1")),
    "verdicts: of three": lambda: of_verdicts(table_of("stands"), renamed("AP", "nDCG"), sets=NO_SETS),
    "verdicts: the broken stick is best": lambda: of_verdicts(table_of("stands"), renamed("AP", FLAT, 0.05)),
    "verdicts: ahead of the broken stick": lambda: of_verdicts(table_of("stands"), renamed("P@10", FLAT)),
    "verdicts: sets": lambda: of_verdicts(
        table_of("stands"), sets=pd.DataFrame({"best": ["AP", "AP"], "may_be_best": ["AP; P@10", "P@10; AP"]})
    ),
}  # fmt: skip


def section(case: str) -> str:
    """The name of a case, and its finding with cautions."""
    finding = CASES[case]()
    lines = [case, str(finding), *(f"  {caution}" for caution in finding.cautions)]
    return "\n".join(lines)


@pytest.mark.parametrize("case", CASES)
def test_a_finding_says_what_it_said(case: str) -> None:
    sections = {text.partition("\n")[0]: text for text in GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")}
    assert_same_text(section(case), sections[case])


if __name__ == "__main__":
    GOLDEN.write_text("\n\n".join(map(section, CASES)) + "\n", encoding="utf-8")
