"""What a paper needs of a result: its paragraphs, its table, and figures for a column."""

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.text import Text

import maxent as me
from maxent.cli import main
from maxent.errors import ProblemError
from maxent.results.content import Table
from maxent.results.result import Result


@pytest.fixture(scope="module")
def study() -> Result:
    runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    return me.study(runs, qrels, measures=["AP", "nDCG", "GAP"], g_steps=3, min_retrieved=1, depth=100)


def test_a_paper_gets_methods_finding_references_and_table(study: Result) -> None:
    methods, finding, references, table = study.text().split("\n\n")
    assert study.finding is not None
    assert study.collection is not None
    for part in (study.question, study.collection.size, study.reading, f"maxent {me.__version__}"):
        assert part in methods
    for line in (study.finding.sentence, *study.finding.support, *study.notes):
        assert line.strip()[1:] in finding  # sentences begin with capitals, symbols do not
    assert "Aslam, Yilmaz and Pavlu" in references
    assert "Robertson, Kanoulas and Yilmaz" in references
    assert table.startswith("% \\usepackage{booktabs}")
    assert study.reading.replace("_", "\\_") in table


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        ({"measure": ["AP", "GAP(g=1,0)", "nDCG", "AP"]}, "Measures: AP, nDCG."),
        (
            {"measure": [str(me.GAP(g=g)) for g in me.g_grid(steps=6)]},
            "Measures: GAP with 5 choices of its parameters, AP.",
        ),
        ({"first": ["AP", "AP"], "second": ["P@10", "RR"]}, "Measures: AP, P@10, RR."),
        ({"run_id": ["a"]}, "Data: one."),
    ],
)
def test_a_paper_names_the_measures_compared(frame: dict[str, list[str]], sentence: str) -> None:
    result = Result(title="one", views=(Table(name="table", frame=pd.DataFrame(frame)),))
    assert f"{sentence} Computed" in result.text()


def test_every_row_with_the_smallest_error_is_bold() -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    text = me.study(runs, qrels, measures=["nDCG", "nDCG@100", "AP"], min_retrieved=1, depth=100).text()
    assert re.findall(r"^\\textbf\{([\w@]+)\}", text, re.M) == ["nDCG@100", "nDCG"]


def test_figures_for_a_paper_fit_a_column(study: Result, tmp_path: Path) -> None:
    figure = study.plot(style="paper")
    assert figure.get_size_inches()[0] == pytest.approx(3.33)
    assert figure.get_suptitle() == ""
    assert max(float(text.get_fontsize()) for text in figure.findobj(Text)) <= 8
    study.save(tmp_path, style="paper")
    assert {path.suffix for path in tmp_path.glob("informativeness.*")} == {".csv", ".svg", ".pdf"}
    with pytest.raises(ProblemError, match="unknown style 'poster'; known: screen, paper"):
        study.plot(style="poster")  # type: ignore[arg-type]


def test_the_command_prints_the_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["study", "--depth", "50", "--topics", "1-4", "--measures", "AP", "--min-retrieved", "1", "--text"])
        == 0
    )
    printed = capsys.readouterr().out
    assert "Computed with maxent" in printed
    assert "\\toprule" in printed
    assert "RMS t=1  95 %" not in printed
