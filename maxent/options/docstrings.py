"""Docstrings whose parameters are explained elsewhere."""

import inspect
import re
from collections.abc import Iterable, Mapping

SECTIONS = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")


def entries_of(docstring: str | None) -> dict[str, str]:
    """Entries of names with an explanation in a docstring; ``runs, qrels`` is the entry of ``runs``."""
    parts = _unindented(inspect.cleandoc(docstring or ""))
    explained = [part for part in parts if re.match(r".+\n    ", part)]
    return {_name_of(entry): entry.rstrip() for entry in explained}


def fill_sections(docstring: str, entries: Mapping[str, str], names: Iterable[str], **usual: str) -> str:
    """Add ``entries`` for parameters that a docstring does not explain, and sections that it lacks.

    ``names`` are all parameters in order; ``usual`` has the text of sections by heading.
    """
    # 1. sections by heading
    text, *parts = re.split(r"\n\n(?=[A-Z]\w+\n---)", inspect.cleandoc(docstring))
    sections = usual | {part.partition("\n")[0]: part for part in parts}
    # 2. entries, of which those that the docstring has take precedence
    heading, *listed = _unindented(sections.get("Parameters", "Parameters\n----------"))
    entries = {**entries, **{_name_of(entry): entry for entry in listed}}
    sections["Parameters"] = "\n".join([heading, *(entries[name] for name in names if name in entries)])
    return "\n\n".join([text, *(sections[name] for name in sorted(sections, key=SECTIONS.index))])


def _unindented(text: str) -> list[str]:
    """A text in parts, each of which begins with an unindented line."""
    return re.split(r"\n(?=\w)", text)


def _name_of(entry: str) -> str:
    """Name of the parameter of an entry, the first of several."""
    return re.split(r"\W", entry)[0]
