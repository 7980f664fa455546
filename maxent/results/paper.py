"""LaTeX for a paper from a result: a paragraph on methods and finding, references, and tables."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import version

import pandas as pd

import maxent
from maxent.measures import parse_measure
from maxent.measures.candidates import candidates_of
from maxent.results.content import Content, Table
from maxent.results.finding import reading_lines, text_of
from maxent.results.formats import format_table, latex
from maxent.texts import measure_label

LIBRARIES = ("numpy", "scipy", "pandas")  # whose versions a paper names; a report has all of them
MANY = 3  # measures of one name that a sentence or a table has one by one
COMPARED = ("measure", "first", "second", "target", "measure_a", "measure_b")  # columns of measures
SAMPLES = re.compile(r"(lists|topics|missing)( t=\d+)?")  # columns that a caption has where all rows are alike
METHOD = "aslam2005"
KEYS = {
    "xGAP paper": "ferrante2014",
    "muAP paper": "scheel2011",
    "GAP paper": "robertson2010",
    "Kishida": "kishida2005",
}
"""Keys of papers by the names that the sources of measures have for them."""
SOURCE = re.compile(rf"\b({'|'.join(KEYS)})\b(?: ([^;(]*[^;( ]))?")  # a name, and the place in the paper
PAPERS = f"""\
{METHOD} Aslam, Yilmaz and Pavlu, The Maximum Entropy Method for Analyzing Retrieval Measures, SIGIR 2005.
robertson2010 Robertson, Kanoulas and Yilmaz, Extending Average Precision to Graded Relevance Judgments, SIGIR 2010.
ferrante2014 Ferrante, Ferro and Maistro, Rethinking How to Extend Average Precision to Graded Relevance, CLEF 2014.
scheel2011 Scheel, Lommatzsch and Albayrak, Performance Measures for Multi-Graded Relevance, CEUR-WS 781, 2011.
kishida2005 Kishida, Property of Average Precision and its Generalization, NII-2005-014E, 2005.
"""


def paper_text(content: Content, *, places: int | None = None) -> str:
    """The paragraphs with citations, the tables with booktabs, and the references cited."""
    citations = _citations(content)
    methods = f"{latex(_methods(content))} {citations}".strip()
    tables = [_table(view, content, places) for view in _views(content)]
    parts = (methods, latex(_finding(content)), *tables, _references(citations))
    return "\n\n".join(part for part in parts if part)


def _references(citations: str) -> str:
    """The papers that are cited; empty if none is."""
    papers = [paper.partition(" ") for paper in PAPERS.splitlines()]
    items = [rf"\bibitem{{{key}}} {paper}" for key, _, paper in papers if f"{{{key}}}" in citations]
    if not items:
        return ""
    return "\n".join((r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}"))


def _reading(content: Content) -> str:
    """Reading under which the numbers hold: that of the finding if there is one, else that of the result."""
    reading = content.finding.reading if content.finding is not None else None
    return text_of(reading) if reading else content.reading


def _methods(content: Content) -> str:
    """Question, data, methods and versions."""
    size = f": {content.collection.size}" if content.collection is not None else ""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    explained = {line.partition("=")[0] for line in content.legend}  # options that lines such as count=... explain
    sentences = [
        content.question,
        f"Data: {content.title}{size}.",
        f"Reading: {_reading(content)}." if content.reading else "",
        f"Measures: {', '.join(_families(content))}." if _measures(content) else "",
        *(f"{_capital(line)}." for line in content.legend),
        *(f"{f.name}={f.value}: {f.meaning}." for f in content.facts if f.meaning and f.name not in explained),
        f"Computed with maxent {maxent.__version__}, Python {platform.python_version()}, {libraries}.",
    ]
    return " ".join(filter(None, sentences))


def _measures(content: Content) -> list[str]:
    """Text forms of the measures in the main table, in its order."""
    frame = content.main_view.frame if content.main_view is not None else pd.DataFrame()
    columns = [frame[name] for name in COMPARED if name in frame]
    return list(dict.fromkeys(text for column in columns for text in column))


def _families(content: Content) -> Iterator[str]:
    """The measures as a sentence lists them; many with the same name and other parameters are counted."""
    families: dict[str, list[str]] = {}
    for label in dict.fromkeys(map(measure_label, _measures(content))):
        families.setdefault(label.partition("(")[0], []).append(label)
    for name, labels in families.items():
        yield from labels if len(labels) <= MANY else [f"{name} with {len(labels)} choices of its parameters"]


def _finding_lines(content: Content) -> tuple[str, ...]:
    """The lines of the finding without its reading, which the methods have."""
    finding = content.finding
    if finding is None:
        return ()
    reading = reading_lines(finding.reading)
    support = (line for line in finding.support if line not in reading)
    return finding.sentence, *support, *finding.cautions


def _finding(content: Content) -> str:
    """Finding, lists behind it, and meanings of the numbers in the tables."""
    meanings = dict.fromkeys(line for view in _views(content) for line in view.schema.legend(view.people))
    lines = (line.strip() for line in (*_finding_lines(content), *_short_notes(content), *meanings))
    return " ".join(f"{_capital(line)}." for line in lines if line)


def _short_notes(content: Content) -> Iterator[str]:
    """The notes without the runs that notes on the input name, and without details, which are indented."""
    of_input = () if content.collection is None else content.collection.notes
    for note in content.notes:
        if not note.startswith(" "):
            yield note.partition(":")[0] if note in of_input else note


def _citations(content: Content) -> str:
    """Citations of the method and of the measures in the main table, if curves are inferred."""
    if "count=" not in " ".join((content.reading, *content.legend)):
        return ""
    measures = map(parse_measure, _measures(content))
    parts = {type(part).__name__: part.reference for measure in measures for part in measure.parts}
    sources = [f"{name} {SOURCE.sub(_cited, latex(source)).replace(';', ',')}" for name, source in parts.items()]
    defined = f" Definitions: {'; '.join(sources)}." if sources else ""
    return rf"Method: maximum entropy~\cite{{{METHOD}}}.{defined}"


def _cited(match: re.Match[str]) -> str:
    """A citation with the place in the paper; a bare number is a section."""
    paper, place = match.groups()
    if not place:
        return rf"\cite{{{KEYS[paper]}}}"
    kind = "sec. " if place[0].isdigit() else ""
    return rf"\cite[{kind}{place}]{{{KEYS[paper]}}}"


def _views(content: Content) -> list[Table]:
    """The main table if a terminal shows it, else all tables that it shows."""
    main = content.main_view
    views = [main] if main and "text" in main.places else content.at("text")
    return [view for view in views if len(view.people)]


def _table(view: Table, content: Content, places: int | None) -> str:
    """A table with booktabs; of many candidates for g or gains, only those marked or named in the text."""
    # 1. rows
    people = view.people
    unnamed: set[str] = set()
    rows = list(range(len(people)))
    if "measure" in people:
        names = people["measure"].tolist()
        candidates = candidates_of(names) | candidates_of(names, "nDCG")
        if len(candidates) > MANY:
            text = " ".join(_finding_lines(content))
            unnamed = {name for name in candidates if measure_label(name) not in text}
        rows = [row for row, name in enumerate(names) if row in view.marked or name not in unnamed]
    table = people.iloc[rows]
    # 2. columns: numbers of lists that are the same in all rows are said once, in the caption
    alike = [key for key in table if SAMPLES.fullmatch(str(key)) and len(table) > 1 and table[key].nunique() == 1]
    # 3. caption
    some = f"{len(rows)} of {len(people)} rows, those that the text names" if unnamed else ""
    sizes = ", ".join(f"{key}: {table[key].iloc[0]}" for key in alike)
    sentences = (view.title, view.note, some, sizes, _reading(content))
    caption = ". ".join(_capital(sentence.rstrip(".")) for sentence in sentences if sentence)
    return format_table(
        table.drop(columns=alike),
        "latex",
        schema=view.schema,
        places=places,
        marked=[rows.index(row) for row in view.marked],
        caption=caption,
        label=f"tab:{view.name}",
    )


def _capital(line: str) -> str:
    """A sentence that begins with a capital, unless it begins with a symbol or the name of an option or measure."""
    word = line.split(" ")[0].rstrip(",:;")
    return line[:1].upper() + line[1:] if word.isalpha() and word.islower() and len(word) > 1 else line
