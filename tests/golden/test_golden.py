"""Small studies give the numbers that they gave before, on every processor, system and version of libraries.

The files beside this one hold the tables of two studies, of simulated and of real lists. Their numbers are rounded
so far that what processors and versions differ by (up to 3e-13) does not show. A change that changes more has to
say why: it changes the results of every user. This rewrites the files:

    python -m tests.golden.test_golden
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import maxent as me
from tests.conftest import DATA

Study = Callable[[], Iterator[tuple[str, pd.DataFrame]]]
HERE = Path(__file__).parent
MEASURES = ("GAP(g=0.5,0.5)", "AP", "nDCG(gain=exp2)", "P@10", "RBP(p=0.8)", "AP & P@10")
DIGITS = 6  # significant
DECIMALS = 9


def simulated() -> Iterator[tuple[str, pd.DataFrame]]:
    """Tables of a study of simulated lists."""
    runs, qrels = me.simulate(systems=3, topics=3, depth=100)
    options: dict[str, Any] = {"measures": MEASURES, "reading": "papers", "depth": 100, "progress": False}
    yield from tables("simulated", me.informativeness(runs, qrels, **options))


def covid() -> Iterator[tuple[str, pd.DataFrame]]:
    """Tables of a study of three lists on three topics of TREC-COVID."""
    folder = DATA / "covid-round4"
    runs = [folder / "runs" / f"{name}.gz" for name in ("BITEM_BERT4", "CSIROmedNIR", "ILPS_UvA_allrounds_c")]
    topics = ("1", "2", "3")
    options: dict[str, Any] = {"measures": MEASURES, "reading": "papers", "topics": topics, "progress": False}
    table = me.informativeness(runs, folder / "qrels.txt", **options)
    yield from tables("covid", table)


def tables(name: str, table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The table of a study, and its means, with the names of their files."""
    yield f"{name}.csv", table
    yield f"{name}_summary.csv", me.summarize(table)


def text(table: pd.DataFrame) -> str:
    """CSV with rounded numbers."""
    numbers = table.select_dtypes("float").columns
    rounded = {name: [f"{round(x, DECIMALS) + 0.0:.{DIGITS}g}" for x in table[name]] for name in numbers}
    return table.assign(**rounded).to_csv(index=False, lineterminator="\n")


@pytest.mark.parametrize("study", [simulated, covid])
def test_the_numbers_are_those_of_the_golden_files(study: Study, request: pytest.FixtureRequest) -> None:
    if study is covid:
        request.getfixturevalue("data")
    for name, table in study():
        assert text(table) == (HERE / name).read_text(encoding="utf-8"), name


if __name__ == "__main__":
    for study in (simulated, covid):
        for name, table in study():
            (HERE / name).write_text(text(table), encoding="utf-8")
