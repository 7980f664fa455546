"""A report as one self-contained HTML page, in which names of runs and topics are never markup."""

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from maxent.errors import InputError, visible
from maxent.files import replace
from maxent.results.content import Content
from maxent.results.page.figures import page_figures
from maxent.results.page.html_tables import page_table
from maxent.results.page.provenance import provenance

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = ("tables.js", "tips.js", "explorer.js")


def render(content: Content, *, bare: bool = False) -> str:
    """Page of a report, whose content policy forbids loading and allows only the script with the given hash.

    A ``bare`` page has only the explorer.
    """
    from markupsafe import Markup

    # 1. style and script
    environment = _environment()
    style, *scripts = (environment.loader.get_source(environment, name)[0] for name in ("report.css", *SCRIPTS))  # type: ignore[union-attr]
    script = "\n".join(scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # 2. tables of the result, those of its collection unless it has them, and figures
    tables = content.at("page")
    names = {table.name for table in tables}
    tables += [table for table in content.holdings.tables if table.name not in names]
    shown = [page_table(table) for table in tables]
    figures = page_figures(content.sheets)
    # 3. the page
    return environment.get_template("report.html").render(
        report=content,
        name=f"maxent {content.kind.replace('compare_', 'compare ').replace('_', '-')}",
        notes=[visible(note).strip() for note in content.notes],
        tables=[table for table in shown if not table.closed],
        details=[table for table in shown if table.closed],
        facts=[*content.holdings.sizes, *content.facts],
        judgments=content.holdings.grades,
        explorer=None if content.explorer is None else content.explorer(),
        provenance=provenance(content.origin, content.collection),
        bare=bare,
        style=Markup(style),
        script=Markup(script),
        script_hash=digest,
        figures=[(Markup(figure.svg), figure) for figure in figures],  # matplotlib escapes their texts
    )


def write_report(content: Content, path: str | Path) -> Path:
    """Write the page of a report, completely or not at all; InputError if the file cannot be written."""
    path, page = Path(path), render(content).encode("utf-8", "backslashreplace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, page)
    except OSError as error:
        raise InputError(f"cannot write the report {path}: {error.strerror}") from None
    return path


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("maxent.results.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":"), "sort_keys": False}
    return environment
