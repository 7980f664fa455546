"""A report as one HTML page: no network, no other file, names of runs and topics are never markup."""

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from maxent.errors import InputError
from maxent.files import replace
from maxent.reports.content import Content

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = ("tables.js", "tips.js", "explorer.js")


def render(content: Content) -> str:
    """The page of a report.

    A content security policy lets the page load nothing, and run only the script whose hash it names.
    """
    from markupsafe import Markup

    environment = _environment()
    style, *scripts = (environment.loader.get_source(environment, name)[0] for name in ("report.css", *SCRIPTS))  # type: ignore[union-attr]
    script = "\n".join(scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("report.html").render(
        report=content,
        style=Markup(style),
        script=Markup(script),
        script_hash=digest,
        figures=[(Markup(figure.svg), figure) for figure in content.figures],  # matplotlib escapes their texts
    )


def write_report(content: Content, path: str | Path) -> Path:
    """Write the page of a report, whole or not at all.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
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
        loader=PackageLoader("maxent.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":"), "sort_keys": False}
    return environment
