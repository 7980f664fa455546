"""Pages that are made from the package: the commands from their parsers, the names from the stub files.

They are written to ``docs/reference/``, which is not committed, before Sphinx looks for pages. Figures come from
the outputs of the gallery. A name's page ends with the pages that use it.
"""

import argparse
import ast
import importlib
import json
import pydoc
import re
import textwrap
from base64 import b64decode
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.ext.autodoc.mock import mock
from sphinx.util.rst import escape

import maxent
from maxent.cli import command_parser

PACKAGE = Path(maxent.__file__).parent
ROOT = Path(__file__).parents[2]
ROOMS = {  # of the package, in the order of the page
    "measures": "Measures",
    "data": "Runs and judgments",
    "problem": "Problems and solutions",
    "lists": "Averages of a system",
    "solvers": "Solving",
    "curves": "Curves, their errors and derivatives",
    "studies": "Studies: how informative are measures?",
    "systems": "Values of measures, and systems compared",
    "results": "What every question returns",
    "errors": "Errors",
}
MODULES = {  # that `import maxent` does not load
    "maxent.plot": "Figures",
    "maxent.ltr.lightgbm": "Learning to rank: LightGBM",
    "maxent.ltr.soft": "Learning to rank: SoftRank",
    "maxent.ltr.swaps": "Learning to rank: swaps",
}


def public_names() -> dict[str, list[str]]:
    """Names of ``maxent/__init__.pyi`` by room, then those that are public in the room."""
    found: dict[str, list[str]] = {room: [] for room in ROOMS}
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found[node.module.partition(".")[0]].extend(alias.name for alias in node.names)
    for room, names in re.findall(r"^    (\w+)  +(\w.*(?:\n     +.*)*)", maxent.__doc__ or "", re.M):
        found[room].extend(f"{room}.{name}" for name in names.split())
    return found


def names_of(module: str) -> list[str]:
    """Public functions and classes of a module: those defined there, or in a package those it takes in."""
    with mock(["torch"]):
        loaded = importlib.import_module(module)
    home = f"{module}." if hasattr(loaded, "__path__") else module
    found = [name for name, value in vars(loaded).items() if callable(value) and not name.startswith("_")]
    return sorted(name for name in found if getattr(vars(loaded)[name], "__module__", "").startswith(home))


def title(text: str, line: str) -> str:
    """Heading in reStructuredText."""
    return f"{text}\n{line * len(text)}\n"


def names_page() -> str:
    """Overview of all names; autosummary makes a page for each."""
    parts = [
        title("Names", "="),
        "All under ``import maxent as me`` (``me.studies.held_out``), and the modules loaded on their own.\n",
    ]
    tables = [(ROOMS[room], "maxent", names) for room, names in public_names().items()]
    tables += [(text, module, names_of(module)) for module, text in MODULES.items()]
    for text, module, names in tables:
        parts += [title(text, "-"), f".. currentmodule:: {module}\n"]
        rows = "\n".join(f"   {name}" for name in names)
        parts.append(f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{rows}\n")
    return "\n".join(parts)


def literal(text: str) -> str:
    """Text as it is printed."""
    lines = textwrap.indent(textwrap.dedent(text.strip("\n")), "   ")
    return f".. code-block:: text\n\n{lines}\n"


def prose(text: str) -> Iterator[str]:
    """Paragraphs; those with indented lines or columns as they are printed."""
    for paragraph in filter(None, text.strip("\n").split("\n\n")):
        aligned = re.search(r"^ |\S {3,}\S", paragraph, re.M)
        yield literal(paragraph) if aligned else f"{escape(' '.join(paragraph.split()))}\n"


def command_pages() -> dict[str, str]:
    """A page for each command, and an overview with the question that each answers."""
    whole, rows, texts = command_parser(None), ["command\n     - question"], dict[str, str]()
    for parser in commands_of(whole):
        name = "commands/" + "_".join(parser.prog.split()[1:]).replace("-", "_")
        texts[f"{name}.rst"] = "\n".join(page_of(parser, parser.prog))
        question = " ".join((parser.description or "").partition("\n\n")[0].split())
        rows.append(f":doc:`{parser.prog} <{name}>`\n     - {escape(question)}")
    table = ".. list-table::\n   :header-rows: 1\n   :widths: 3 7\n\n" + "\n".join(f"   * - {row}" for row in rows)
    toctree = ".. toctree::\n   :hidden:\n\n" + "\n".join(f"   {name.removesuffix('.rst')}" for name in texts)
    texts["command_line.rst"] = "\n".join(page_of(whole, "The command line", f"{table}\n\n{toctree}\n"))
    return texts


def commands_of(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """All commands of a parser that have no commands themselves."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [leaf for group in groups for own in group.choices.values() for leaf in commands_of(own)] or [parser]


def page_of(parser: argparse.ArgumentParser, heading: str, overview: str = "") -> Iterator[str]:
    """What a command does, and its options."""
    parser.formatter_class = partial(argparse.RawDescriptionHelpFormatter, width=76)
    formatter: Any = parser._get_formatter()
    yield title(heading, "=")
    yield from prose(parser.description or "")
    yield overview
    yield literal(parser.format_usage())
    yield f".. program:: {parser.prog}\n"
    for action in parser._actions:
        if (
            isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
            or action.help == argparse.SUPPRESS
        ):
            continue
        text = escape(formatter._expand_help(action)) if action.help else ""
        yield f".. option:: {formatter._format_action_invocation(action)}\n\n   {' '.join(text.split())}\n"
    yield from prose(parser.epilog or "")


@cache
def figures() -> dict[str, tuple[bytes, str]]:
    """The figure that the gallery draws with each function of ``maxent.plot``, as PNG, and its code."""
    found: dict[str, tuple[bytes, str]] = {}
    for cell in json.loads((ROOT / "notebooks" / "gallery.ipynb").read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                code = "".join(cell["source"])
                for name in re.findall(r"plot_\w+|\w+_figure", code):
                    found.setdefault(name, (b64decode(output["data"]["image/png"]), code))
    return {name: found[name] for name in found if name in names_of("maxent.plot")}


def figures_page() -> str:
    """Thumbnails of all figures with their captions, each with a link to the page that has its code."""
    card = (
        "   .. grid-item-card:: {0}\n      :img-top: figures/{0}.png\n      :link: names/maxent.plot.{0}\n"
        "      :link-type: doc\n\n      {1}\n"
    )
    captions = {name: (pydoc.locate(f"maxent.plot.{name}").__doc__ or "").partition("\n")[0] for name in figures()}
    cards = "\n".join(card.format(name, escape(caption)) for name, caption in captions.items())
    links = "Each figure links to its code. :doc:`The gallery </notebooks/gallery>` has all code in one notebook."
    return f"{title('Figures', '=')}\n{links}\n\n.. grid:: 1 2 3 3\n   :gutter: 3\n\n{cards}"


@cache
def pages() -> dict[str, str]:
    """Texts of the guide's pages and the notebooks, by the names that Sphinx has for them."""
    files = [*(ROOT / "docs").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    known = {path: path.relative_to(ROOT).with_suffix("").as_posix() for path in sorted(files)}
    return {name: path.read_text(encoding="utf-8") for path, name in known.items() if path.stem != "README"}


def say_where_it_is_used(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """End the description of a public name with its figure and code, and the pages that use it."""
    module, _, short = name.rpartition(".")
    if module == "maxent.plot" and short in figures():
        lines += ["", f".. image:: /docs/reference/figures/{short}.png", f"   :alt: {short}", ""]
        lines += ["From :doc:`the gallery </notebooks/gallery>`:", "", ".. code-block:: python", ""]
        lines += [*textwrap.indent(figures()[short][1], "   ").splitlines(), ""]
    if module in ("maxent", *MODULES, *(f"maxent.{room}" for room in ROOMS)):
        call = re.compile(rf"\b{short}\b" if module in MODULES else rf"\bme{name.removeprefix('maxent')}\b")
        if used := [f":doc:`/{page}`" for page, text in pages().items() if call.search(text)]:
            lines += ["", f".. seealso:: {', '.join(used)}", ""]


def write_pages(app: Sphinx, _: Any) -> None:
    """Write the pages; files that would stay the same are not touched, so that they need not be read again."""
    texts = command_pages() | {"names.rst": names_page(), "figures.rst": figures_page()}
    files = {name: text.encode() for name, text in texts.items()}
    files |= {f"figures/{name}.png": image for name, (image, _) in figures().items()}
    for name, content in files.items():
        path = Path(app.confdir) / "reference" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def public_reference(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Node | None:
    """Target of a reference to something by the module that defines it.

    That is where it is documented, if it is; else its name as text, if there is such a thing.
    """
    target, domain = node["reftarget"], env.domains.python_domain
    if node["refdomain"] != "py" or pydoc.locate(target) is None:
        return None
    for module in ("maxent", "maxent.plot", *(f"maxent.{room}" for room in ROOMS)):
        public = f"{module}.{target.rpartition('.')[2]}"
        if public != target and public in domain.objects:
            return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", public, node, content)
    return content


def hide_fields(app: Sphinx, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Leave fields of named tuples to the section on attributes."""
    return True if type(value).__name__ == "_tuplegetter" else None


class NamesFoundOnce(PythonDomain):
    """Names of Python; the search lists the page of a name, and not the name itself beside it."""

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """Name, name shown, type, page, anchor and priority of each object; -1 keeps it out of the search."""
        for name, shown, kind, page, anchor, priority in super().get_objects():
            yield name, shown, kind, page, anchor, -1 if page.endswith(f"/{name}") else priority


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect all of this."""
    app.add_domain(NamesFoundOnce, override=True)
    app.connect("config-inited", write_pages)
    app.connect("missing-reference", public_reference)
    app.connect("autodoc-process-docstring", say_where_it_is_used)
    app.connect("autodoc-skip-member", hide_fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
