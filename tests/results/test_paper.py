"""What a paper needs of a result: its paragraphs, its table, and figures for a column."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.text import Text

import maxent as me
from maxent.cli import main
from maxent.errors import ProblemError
from maxent.results import Column, Finding, Result, Schema, Table, bibtex, latex
from maxent.texts import measure_label
from tests.golden.messages import refused
from tests.questions import FEW, QRELS, RUNS, SHORT, STRICT


@pytest.fixture(scope="module")
def study() -> Result:
    runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    return me.study(runs, qrels, measures=["AP", "nDCG", "GAP"], g_steps=3, min_retrieved=1, depth=100)


@pytest.mark.slow
def test_a_paper_gets_methods_finding_references_and_table(study: Result) -> None:
    methods, finding, table, references = study.text().split("\n\n")
    assert study.finding is not None
    assert study.collection is not None
    package = rf"maxent {me.__version__}~\cite{{maxent}} (standard reading)"
    for part in (study.question, f", {study.collection.size}. ", package):
        assert part in methods
    assert "The model is given the number of retrieved documents of each grade. Before the values" in methods
    assert "Lists with fewer than 1 retrieved documents in some positive grade are excluded." in methods
    *support, scope = study.finding.support
    assert scope not in finding  # the methods have it, in words
    for line in (study.finding.sentence, *support):
        assert latex(line)[1:] in finding  # sentences begin with capitals, symbols do not
    assert r"GAP \cite[sec. 2.2]{robertson2010}, \cite[eq. 4]{ferrante2014}" in methods
    cited = dict.fromkeys(re.findall(r"\\cite(?:\[.*?\])?\{(\w+)\}", methods))
    assert set(cited) == set(re.findall(r"\\bibitem\{(\w+)\}", references))
    assert table.startswith("% \\usepackage{booktabs}")
    assert methods.startswith("% reading=standard")  # in a comment, for the author
    assert r"\label{tab:summary}" in table
    assert "{Measures. Lists: " in table
    assert f"Data: {latex(study.title)}. " in table


WORDS = re.compile(r"\\cite(\[.*?\])?{.*?}|^%.*$", re.M)  # what is no prose
PROSE: dict[str, Callable[[], Result]] = {
    "study": lambda: me.study(*SHORT, progress=False),
    "choose-g": lambda: me.choose_g(RUNS, QRELS, g_steps=3, refine=False, min_retrieved=5, progress=False),
    "choose-measures": lambda: me.choose_measures(RUNS, QRELS, ["AP", "nDCG"], size=2, progress=False),
    "predict": lambda: me.predict(RUNS, QRELS, measures=["AP", "P@10"], min_retrieved=5, progress=False),
    "explain": lambda: me.explain(RUNS, QRELS, run="system1", topic="1", progress=False),
    "values": lambda: me.explain(values={"AP": 0.35}, relevant=[40], retrieved=[20]),
    "evaluate": lambda: me.evaluate(RUNS, QRELS, measures=["AP"], progress=False),
    "check": lambda: me.check(RUNS, QRELS),
    "unjudged": lambda: me.unjudged(RUNS, QRELS, depth=20, progress=False),
    "reported": lambda: me.reported({"AP": ".31", "P@10": ".50"}, QRELS, depth=100, progress=False),
    "systems": lambda: me.compare_systems(RUNS, QRELS, measures=["AP"], progress=False),
    "agreement": lambda: me.compare_agreement(RUNS, QRELS, measures=["AP"], quantile=0.0, progress=False),
    "pools": lambda: me.compare_pools(RUNS, QRELS, measures=["AP"], repetitions=2, quantile=0.0, progress=False),
    "discriminative": lambda: me.compare_discriminative(RUNS, QRELS, measures=["AP", "P@10"], replicates=50),
    "measures": lambda: me.compare_measures(RUNS, QRELS, measures=["AP", "P@10"], min_retrieved=1, progress=False),
    "judgments": lambda: me.compare_judgments([QRELS, STRICT]),
}
"""Results of every command that infers, compares or counts."""


@pytest.mark.parametrize("name", PROSE)
def test_the_paragraphs_have_neither_options_nor_names_of_the_package(name: str) -> None:
    methods, finding, *_ = PROSE[name]().text().split("\n\n")
    prose = WORDS.sub("", f"{methods}\n{finding}").replace(r"trec\_eval", "")
    assert not re.search(r"\w\\_\w|-{}-|\b(?:reading|count|reference|align|depth|test|few|quantile)=", prose)
    assert not re.search(r"[:.]\. | \. |\.\.", prose)
    sentences = [line for line in re.split(r"(?<=\.) (?=[A-Z])", prose) if "In this reading" not in line]
    assert len(set(sentences)) == len(sentences)


def test_values_without_a_collection_have_their_reading_in_words() -> None:
    text = PROSE["values"]().text()
    assert "number of retrieved documents of each grade. Before the values are given, the odds" in text
    assert "Lists have 1000 documents." in text
    assert "The distribution is over whole lists" in PROSE["reported"]().text()


def test_figures_and_bibtex_are_beside_the_text(study: Result, tmp_path: Path) -> None:
    folder = study.save(tmp_path / "out", style="paper")
    text = study.text(folder)
    (figure,) = re.findall(r"\\includegraphics\[.*?\]{(.*)}", text)
    assert Path(f"{figure}.pdf").is_file()
    assert text.count("\\begin{") == text.count("\\end{")
    written = (folder / "references.bib").read_text(encoding="utf-8")
    cited = re.findall(r"\\cite(?:\[.*?\])?{(\w+)}", text)
    assert re.findall(r"^@\w+{(\w+),", written, re.M) == list(dict.fromkeys(["maxent", *cited]))
    assert rf"\bibliography{{{folder.as_posix()}/references}}" in text


def test_the_readme_has_these_entries() -> None:
    readme = Path(__file__).parents[2] / "README.md"
    (block,) = re.findall(r"```bibtex\n(.*?)```", readme.read_text(encoding="utf-8"), re.S)
    assert block == bibtex(re.findall(r"^@\w+{(\w+),", block, re.M))


def test_the_recommended_candidate_is_bold() -> None:
    choice = me.choose_g(RUNS, QRELS, g_steps=3, refine=False, min_retrieved=1, progress=False)
    assert choice.finding is not None
    assert re.findall(r"^\\textbf{(.*?)} &", choice.text(), re.M) == [
        measure_label(str(choice.finding.recommended))
    ]


def test_a_title_is_given_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "agreement", *FEW.split(), "--title", "TREC Robust 2003", "--text"]) == 0
    assert "Data: TREC Robust 2003, 20 runs x 3 topics" in capsys.readouterr().out


def test_a_paper_says_how_ties_are_broken_but_not_where() -> None:
    run = {"1": {"a": 1.0, "b": 1.0, "c": 0.5}}
    result = me.explain({"tied": run}, {"1": {"a": 1, "b": 0, "c": 1}}, run="tied", topic="1", progress=False)
    assert any("ordered by document id: tied" in note for note in result.notes)
    assert "ordered by document id." in result.text()
    assert "ordered by document id:" not in result.text()


def test_text_is_latex_that_loses_nothing() -> None:
    """A bare % would hide the rest of a paragraph, and < is another letter in old fonts."""
    text = latex("at_most 95 % of [-0.1, 0.2], topics 1-4, p <= .05 & a<b>c|d, --depth")
    assert text == (
        r"at\_most 95 \% of [$-$0.1, 0.2], topics 1-4, p $\leq$ .05 \& "
        r"a\textless{}b\textgreater{}c\textbar{}d, -{}-depth"
    )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_a_paper_compiles_as_it_is(tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=4, model="ten-documents")
    result = me.study(runs, qrels, progress=False)
    body = result.text(result.save(tmp_path, style="paper"))
    head = r"\documentclass[10pt,twocolumn]{article}\usepackage{booktabs}\usepackage{graphicx}\begin{document}"
    (tmp_path / "paper.tex").write_text(f"{head}\n{body}\n\\end{{document}}", encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_a_table_has_the_candidates_that_the_text_names() -> None:
    names = [f"GAP(g=0.{k},0.{10 - k})" for k in range(1, 6)]
    frame = pd.DataFrame({"measure": [*names, "GAP(g=1,0)", "P@10"], "mean": range(7), "lists": 9})
    schema = Schema(Column("measure", "the measure", format="measure"))
    view = Table(name="table", title="measures", frame=frame, schema=schema, marked=[1])
    finding = Finding("GAP(g=0.3,0.7) is near AP")
    table = Result(title="one", views=(view,), finding=finding).text().split("\n\n")[-2]
    assert r"\caption{Measures. 4 of 7 rows, those that the text names. Lists: 9. Data: one}" in table
    rows = re.findall(r"^(.*?) & ", table, re.M)
    assert rows == ["measure", r"\textbf{GAP(g=0.2,0.8)}", "GAP(g=0.3,0.7)", "AP", "P@10"]


def test_a_comparison_of_systems_has_the_tables_of_the_terminal() -> None:
    runs, qrels = me.simulate(systems=9, topics=8, depth=50)
    text = me.compare_systems(runs, qrels, measures=["AP"], depth=50).text()
    assert text.count("\\toprule") == 2  # not one with every pair of runs
    assert re.search(r"system\d and \d more\. Significant", text)
    assert re.findall(r"cite{(\w+)}", text) == ["maxent"]  # no curve is inferred


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
    assert re.findall(r"^\\textbf\{([\w@]+)\}", text, re.M) == ["nDCG", "nDCG@100"]


@pytest.mark.slow
def test_figures_for_a_paper_fit_a_column(study: Result, tmp_path: Path) -> None:
    figure = study.plot(style="paper")
    assert figure.get_size_inches()[0] == pytest.approx(6.99)  # both columns: one would be higher than seven inches
    assert figure.get_suptitle() == ""
    assert max(float(text.get_fontsize()) for text in figure.findobj(Text)) <= 8
    assert len({ax.get_ylim() for ax in figure.axes if ax.axison}) == 1
    study.save(tmp_path, style="paper")
    assert {path.suffix for path in tmp_path.glob("informativeness.*")} == {".csv", ".svg", ".pdf"}
    with refused(ProblemError):
        study.plot(style="poster")  # type: ignore[arg-type]


def _texts_apart(result: Result) -> bool:
    """Whether no legend of a figure for a paper is over the label of its axis or beyond the page."""
    figure = result.plot(style="paper")
    figure.draw_without_rendering()
    for ax in figure.axes:
        if (legend := ax.get_legend()) is not None:
            box = legend.get_window_extent()
            if box.y0 < 0 or box.y1 > ax.xaxis.label.get_window_extent().y0:
                return False
    return True


@pytest.mark.slow
def test_legends_of_figures_for_a_paper_are_below_the_labels() -> None:
    runs, qrels = me.simulate(systems=3, topics=8, depth=100)
    options: Any = {"min_retrieved": 1, "depth": 100, "progress": False}
    assert _texts_apart(me.choose_g(runs, qrels, g_steps=3, refine=False, **options))
    compared = me.compare_measures(runs, qrels, measures=["AP", "P@10"], depth=100, progress=False)
    assert _texts_apart(compared)
    legend = compared.plot(style="paper").axes[0].get_legend()
    assert legend is not None
    assert legend.get_title().get_text()  # what the readings differ in


@pytest.mark.slow
def test_many_panels_take_both_columns_of_a_page() -> None:
    runs, qrels = me.simulate(systems=3, topics=8, model="ten-documents")
    width, height = me.study(runs, qrels, progress=False).plot(style="paper").get_size_inches()
    assert width == pytest.approx(2 * 3.33 + 0.33)
    assert height <= 9


@pytest.mark.slow
def test_the_command_prints_the_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["study", "--depth", "50", "--topics", "1-4", "--measures", "AP", "--min-retrieved", "1", "--text"])
        == 0
    )
    printed = capsys.readouterr().out
    assert printed.partition("\n")[2].startswith("How informative are measures")
    assert "Computed with maxent" in printed
    assert "\\toprule" in printed
    assert "RMS t=1  95 %" not in printed
