"""A result as a paper needs it: a paragraph on methods and finding, references, and a table for LaTeX."""

import platform
from collections.abc import Iterator
from importlib.metadata import version

import pandas as pd

import maxent
from maxent.errors import visible
from maxent.measures import parse_measure
from maxent.results.content import Content
from maxent.results.formats import format_table
from maxent.results.words import legend
from maxent.texts import measure_label

LIBRARIES = ("numpy", "scipy", "pandas")  # whose versions a paper names; a report has all of them
MANY = 3  # measures of one name that a sentence lists one by one
COMPARED = ("measure", "first", "second", "target", "measure_a", "measure_b")  # columns of measures
METHOD = "Aslam, Yilmaz and Pavlu, The Maximum Entropy Method for Analyzing Retrieval Measures, SIGIR 2005"
PAPERS = {
    "xGAP paper": "Ferrante, Ferro and Maistro, on xGAP and eGAP",
    "muAP paper": "the paper on muAP and NDCNG",
    "GAP paper": (
        "Robertson, Kanoulas and Yilmaz, Extending Average Precision to Graded Relevance Judgments, SIGIR 2010"
    ),
    "Kishida": "Kishida, Property of Average Precision and its Generalization, NII-2005-014E",
}
"""Papers by the names that the sources of measures have for them; a name within another comes behind it."""


def paper_text(content: Content, *, places: int | None = None) -> str:
    """The paragraphs, and the main table with booktabs."""
    view = content.main_view
    paragraphs = [_methods(content), _finding(content)]
    if references := list(_references(content)):
        paragraphs.append("\n".join(("References:", *(f"- {reference}" for reference in references))))
    if view is not None and len(view.people):
        caption = ". ".join(text.rstrip(".") for text in (view.title, view.note, content.reading) if text)
        paragraphs.append(format_table(view.people, "latex", places=places, marked=view.marked, caption=caption))
    return visible("\n\n".join(filter(None, paragraphs)), keep="\n")


def _methods(content: Content) -> str:
    """What was asked, of what, how, and with which versions."""
    size = f" ({content.collection.size})" if content.collection is not None else ""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    sentences = [
        content.question,
        f"Data: {content.title}{size}.",
        f"Reading: {content.reading}." if content.reading else "",
        f"Measures: {', '.join(_families(content))}." if _measures(content) else "",
        *(f"{_capital(line)}." for line in content.legend),
        f"Computed with maxent {maxent.__version__} (Python {platform.python_version()}, {libraries}).",
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


def _finding(content: Content) -> str:
    """What was found, over which lists, and what the numbers of the table mean."""
    finding, view = content.finding, content.main_view
    lines = () if finding is None else (finding.sentence, *finding.support, *finding.cautions)
    meanings = [] if view is None else legend(view.people, view.meanings)
    return " ".join(f"{_capital(line.strip())}." for line in (*lines, *content.notes, *meanings) if line.strip())


def _references(content: Content) -> Iterator[str]:
    """Where the method and the measures of the main table are defined, each once."""
    if not content.reading.startswith("count="):
        return
    yield METHOD
    measures = map(parse_measure, _measures(content))
    parts = {type(part).__name__: part.reference for measure in measures for part in measure.parts}
    for measure, source in parts.items():
        yield f"{measure}: {source}"
    sources = " ".join(parts.values())
    for paper, citation in PAPERS.items():
        if paper in sources:
            yield f"{paper}: {citation}"
            sources = sources.replace(paper, "")


def _capital(line: str) -> str:
    """A sentence that begins with a capital, unless it begins with a symbol or the name of an option or measure."""
    word = line.split(" ")[0].rstrip(",:;")
    return line[:1].upper() + line[1:] if word.isalpha() and word.islower() and len(word) > 1 else line
