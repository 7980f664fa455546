"""LaTeX for a paper from a result: paragraphs on methods and finding, figures, tables and references."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import PurePath

import pandas as pd

import maxent
from maxent.measures import Measure, parse_measure
from maxent.measures.candidates import candidates_of
from maxent.options import CountOptions, CurveOptions, options_of
from maxent.results.content import Content, Fact, Sheet, Table
from maxent.results.finding import reading_lines, text_of
from maxent.results.formats import format_table, latex
from maxent.results.references import KEYS, METHOD, PACKAGE, bibliography_item, bibtex
from maxent.texts import g_label, is_without_content, measure_label

LIBRARIES = ("numpy", "scipy", "pandas")  # whose versions a paper names; a report has all of them
MANY = 3  # measures of one name that a sentence or a table has one by one
COMPARED = ("measure", "first", "second", "target", "measure_a", "measure_b")  # columns of measures
SAMPLES = re.compile(r"(lists|topics|missing)( t=\d+)?")  # columns that a caption has where all rows are alike
NAMES = "|".join(map(re.escape, KEYS))
SOURCE = re.compile(rf"\b({NAMES})\b(?:,? ([^;()]*[^;() ]))?")  # a name, and the place in the paper
OPTION = re.compile(r"(\w+)=([\w-]+): ")  # begins a line of a legend that explains an option
OPTIONS = re.compile(r"[;:] [^;:()]*\b(?:min_retrieved|(?:depth|count|levels)=)[^;:()]*")  # clause on options
STATUS = re.compile(r"(?<=\d \()\w+: ")  # name of a reason for which lists are excluded
COLUMN, PANEL, PAGE = 3.33, 4.1, 7  # inches of a column, of a panel that is as wide, and of a page with some text
READINGS = {
    (name, value): meaning
    for name, option in options_of(CountOptions, CurveOptions).items()
    for value, meaning in option.readings.items()
}
"""What a value of an option of readings means, by option and value."""
SENTENCES = {
    "min-retrieved": "",  # of the filters, whose meanings say it
    "test": "",  # the finding has test and correction
    "correction": "",
    "alpha": "The significance level is {value}",
    "method=bootstrap": "Pairs of systems are tested by the bootstrap",
    "method=hsd": "Pairs of systems are tested by Tukey's HSD",
    "empty=zero": "Topics without relevant documents count 0",
    "empty=skip": "Topics without relevant documents are excluded",
    "unjudged=zero": "Unjudged documents are not relevant",
    "unjudged=model": "Unjudged documents have probabilities of grades",
    "unjudged=bounds": "Values for unjudged documents are bounded",
    "few": "Topics have few documents of a grade if those of grade 1 are {value} times as many",
    "quantile": "Only runs above quantile {value} of mean AP take part",
    "repetitions": "",
    "judgments": "The judgments are those of {value}",
    "depth": "Lists have {value} documents",
    "band": "Intervals have probability {value}",
    "weights": "The errors for the thresholds have the weights {value}",
    "A": "",  # the title has the sets
    "B": "",
    "topics": "Both sets have {value} topics",
    "documents": "Both sets have judgments of {value} documents",
    "penalty": "",
}
"""Facts as sentences, by name or by name and value; empty: said elsewhere, or a detail of the computation."""


def paper_text(content: Content, *, places: int | None = None, folder: str = "") -> str:
    """The paragraphs with citations, figures of a folder, tables with booktabs, and the references cited."""
    methods = f"{_methods(content)} {_citations(content)}".strip()
    figures = [_figure(sheet, content, folder) for sheet in content.sheets] if folder else []
    tables = [_table(view, content, places) for view in _views(content)]
    reading = f"% {_reading(content)}\n" if _reading(content) else ""
    paragraphs = (f"{reading}{methods}", latex(_finding(content)))
    return "\n\n".join(filter(None, (*paragraphs, *figures, *tables, _references(content, folder))))


def references(content: Content) -> str:
    """BibTeX of the papers that the paragraphs cite, and of this package."""
    return bibtex(_cited_keys(content))


def columns_of(sheet: Sheet) -> int:
    """Columns of a page that a figure for a paper takes: both if one has no room for its panels."""
    return 1 if sum(panel.size[1] for panel in sheet.panels) * COLUMN / PANEL <= PAGE else 2


def _reading(content: Content) -> str:
    """Reading under which the numbers hold: that of the finding if there is one, else that of the result."""
    reading = content.finding.reading if content.finding is not None else None
    return text_of(reading) if reading else content.reading


def _references(content: Content, folder: str) -> str:
    """The papers that are cited, as they compile without BibTeX, and how the file of the folder is used instead."""
    items = map(bibliography_item, _cited_keys(content))
    file = f"% or: \\bibliographystyle{{plain}}\\bibliography{{{PurePath(folder).as_posix()}/references}}\n"
    begin, end = r"\begin{thebibliography}{9}", r"\end{thebibliography}"
    return (file if folder else "") + "\n".join((begin, *items, end))


def _cited_keys(content: Content) -> list[str]:
    """Keys of the papers that are cited, in the order of the text."""
    cited = re.findall(r"\\cite(?:\[.*?\])?{(\w+)}", _citations(content))
    return list(dict.fromkeys((PACKAGE, *cited)))


def _methods(content: Content) -> str:
    """Question, data, methods and versions."""
    size = f", {content.collection.size}" if content.collection is not None else ""
    reading = content.finding.reading or {} if content.finding is not None else {}
    name = f" ({reading['reading']} reading)" if "reading" in reading else ""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    facts = filter(None, map(_fact, content.facts))
    others = [line for line in content.legend if not OPTION.match(line) and "--help" not in line]
    sentences = [
        content.question,
        f"Data: {content.title}{size}.",
        f"Measures: {', '.join(_families(content))}." if _measures(content) else "",
        *(f"{_capital(line)}." for line in dict.fromkeys((*_readings(content), *facts, *others))),
    ]
    package = rf"Computed with maxent {maxent.__version__}~\cite{{{PACKAGE}}}"
    python = f"{name}, Python {platform.python_version()}, {libraries}."
    return f"{latex(' '.join(filter(None, sentences)))} {package}{python}"


def _readings(content: Content) -> Iterator[str]:
    """Meanings of options without their names; those of several readings in one sentence."""
    values = [match.groups() for line in content.legend if (match := OPTION.match(line))]
    if content.collection is None:  # which says the depth
        values += re.findall(r"(\w+)=([\w-]+)", _reading(content))
    meanings: dict[str, list[str]] = {}
    for name, value in dict.fromkeys(values):
        if name != "reading" and (name, value) in READINGS:
            meanings.setdefault(name, []).append(READINGS[name, value])
        elif name == "depth":
            meanings[name] = [SENTENCES[name].format(value=value)]
    yield from map("; in other readings, ".join, meanings.values())


def _fact(fact: Fact) -> str:
    """A fact as a sentence; empty if the text has it elsewhere."""
    name, value, meaning = fact
    if name.startswith("min-retrieved"):
        return meaning.replace("fewer", f"fewer than {value}", 1) if value != "0" else ""
    if not meaning or "(--" in meaning:  # a number for pages, or an option that the legend explains
        return ""
    return SENTENCES.get(f"{name}={value}", SENTENCES.get(name, f"{meaning}: {{value}}")).format(value=value)


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


def _finding_lines(content: Content) -> list[str]:
    """The lines of the finding without its reading, which the methods have, each a sentence."""
    finding = content.finding
    if finding is None:
        return []
    reading = reading_lines(finding.reading)
    support = [line for line in finding.support if line not in reading]
    if finding.sentence.endswith(":"):  # which the support completes
        return [f"{finding.sentence} {'; '.join(support)}", *finding.cautions]
    return [*finding.sentence.split(".\n"), *support, *finding.cautions]


def _finding(content: Content) -> str:
    """Finding, and lists behind it."""
    finding = _finding_lines(content)
    notes = [note for note in content.notes if note not in finding]
    lines = dict.fromkeys((*finding, *_short_notes(content, notes)))
    texts = (OPTIONS.sub("", STATUS.sub("", line)).strip() for line in lines)
    return " ".join(f"{_capital(text)}." for text in texts if text)


def _short_notes(content: Content, notes: list[str]) -> Iterator[str]:
    """The notes without the runs that notes on the input name, without options, and without details, indented."""
    of_input = () if content.collection is None else content.collection.notes
    for note in notes:
        if not note.startswith(" ") or "excluded" in note:
            short = note.partition(":")[0] if note in of_input else note
            yield short.removeprefix(f"{content.reading}; ")


def _citations(content: Content) -> str:
    """Citations of the method and of the measures in the main table, if curves are inferred."""
    if "reference=" not in " ".join((_reading(content), *content.legend)):
        return ""
    measures = map(parse_measure, _measures(content))
    parts = {_name_of(part): part.reference for measure in measures for part in measure.parts}
    sources = [f"{name} {SOURCE.sub(_cited, latex(source)).replace(';', ',')}" for name, source in parts.items()]
    defined = f" Definitions: {'; '.join(sources)}." if sources else ""
    return rf"Method: maximum entropy~\cite{{{METHOD}}}.{defined}"


def _name_of(part: Measure) -> str:
    """What a measure without parameters is called."""
    return "broken stick" if is_without_content(str(part)) else type(part).__name__


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


def _figure(sheet: Sheet, content: Content, folder: str) -> str:
    """A figure that :meth:`Result.save` writes to a folder, over both columns if one is too narrow."""
    environment = "figure" if columns_of(sheet) == 1 else "figure*"
    captions = " ".join(dict.fromkeys(panel.caption for panel in sheet.panels))
    lines = (
        "% \\usepackage{graphicx}",
        rf"\begin{{{environment}}}",
        r"\centering",
        rf"\includegraphics[width=\linewidth]{{{PurePath(folder, sheet.name).as_posix()}}}",
        rf"\caption{{{latex(f'{captions} Data: {content.title}.')}}}",
        rf"\label{{fig:{sheet.name}}}",
        rf"\end{{{environment}}}",
    )
    return "\n".join(lines)


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
            named = (content.finding.best, content.finding.recommended) if content.finding is not None else ()
            unnamed = {
                name
                for name, g in candidates.items()
                if name not in named and measure_label(name) not in text and f"({g_label(g)})" not in text
            }
        rows = [row for row, name in enumerate(names) if row in view.marked or name not in unnamed]
    table = people.iloc[rows]
    # 2. columns: numbers of lists that are the same in all rows are said once, in the caption
    alike = [key for key in table if SAMPLES.fullmatch(str(key)) and len(table) > 1 and table[key].nunique() == 1]
    # 3. caption
    some = f"{len(rows)} of {len(people)} rows, those that the text names" if unnamed else ""
    sizes = ", ".join(f"{key}: {table[key].iloc[0]}" for key in alike)
    meanings = view.schema.legend(table.drop(columns=alike))
    sentences = (view.title, view.note, some, sizes, f"Data: {content.title}", *meanings)
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
