"""The page: complete in itself, safe with any name, the same for the same input."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import maxent as me
from maxent.results.page import cell_of
from tests.golden.messages import refused
from tests.results.page.conftest import EVIL, EVIL_TOPIC


class Parsed(HTMLParser):
    """Tags with their attributes, the text of the page, and the contents of scripts."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.scripts, self.within = "", list[str](), ""
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.within = tag
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within == "script":
            self.scripts[-1] += data
        elif self.within != "style":
            self.text += data


@pytest.fixture(scope="module")
def parsed(page: Path) -> Parsed:
    return Parsed(page)


@pytest.mark.slow
def test_names_stay_text(parsed: Parsed) -> None:
    names = {tag for tag, _ in parsed.tags}
    assert not names & {"img", "iframe", "object", "embed", "link"}
    assert len(parsed.scripts) == 2
    assert not any(name.startswith("on") for _, attributes in parsed.tags for name in attributes)
    for name in (*EVIL.values(), EVIL_TOPIC, "Names & <tags>"):
        assert name in parsed.text
    lists = json.loads(parsed.scripts[0])["lists"]
    assert {one["run"] for one in lists} <= {*EVIL.values()}
    assert EVIL_TOPIC in {one["topic"] for one in lists}


def test_the_policy_names_the_script_and_nothing_from_elsewhere(parsed: Parsed) -> None:
    policy = next(a["content"] for tag, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[1].encode()).digest()).decode()
    assert policy is not None
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy
    for _, attributes in parsed.tags:
        for name in ("src", "href", "xlink:href", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:image/png;base64,"))


def test_ids_are_unique_and_references_lead_to_them(page: Path, parsed: Parsed) -> None:
    ids = [a["id"] for _, a in parsed.tags if "id" in a]
    assert len(set(ids)) == len(ids)
    wanted = {
        a[name] for _, a in parsed.tags for name in ("href", "xlink:href") if (a.get(name) or "").startswith("#")
    }
    wanted |= {f"#{found}" for found in re.findall(r"url\(#([^)]+)\)", page.read_text(encoding="utf-8"))}
    assert {str(target)[1:] for target in wanted} <= {*ids}
    for _, attributes in parsed.tags:
        for name in ("aria-labelledby", "aria-controls", "for"):
            assert attributes.get(name) in {None, *ids}


RESULT = me.results.Result(kind="try", title="a \udcff title")


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused(me.errors.InputError):
        RESULT.report(tmp_path / "file" / "report.html")


def test_a_report_of_no_result(tmp_path: Path) -> None:
    with refused(me.errors.InputError):
        me.report(pd.DataFrame(), tmp_path / "report.html")  # type: ignore[arg-type]


def test_what_is_no_text_is_escaped(tmp_path: Path) -> None:
    """Names of files may have bytes that are no text."""
    assert r"<h1>a \udcff title</h1>" in RESULT.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert cell_of("name", "\x1b[31mred").text == r"\x1b[31mred"
