"""Checks of sizes: what counts as a number, and how limits are lifted."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import maxent as me
from maxent import limits
from maxent.checks import whole_number
from maxent.limits import Limit, too_large
from tests.golden.messages import refused

ROOT = Path(me.__file__).parents[1]
SIZE = re.compile(r"(?P<number>\d[\d,]*|\ba)(?: (?P<unit>million|MiB))?")


def size_in_words(match: re.Match[str]) -> int:
    """Number in a text for people: ``400 MiB``, ``a million``, ``20,000``."""
    number = 1 if match["number"] == "a" else int(match["number"].replace(",", ""))
    return number * {"million": 10**6, "MiB": 1 << 20}.get(match["unit"], 1)


def places_of_limits(root: Path) -> set[str]:
    """Files that make a limit."""
    calls = [
        (file.name, ast.unparse(node.func).rpartition(".")[2])
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    return {name for name, function in calls if function == "Limit"}


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float64(3), np.uint64(3)])
def test_whole_numbers_of_any_type(value: object) -> None:
    found = whole_number("size", value, raises=me.errors.InputError, limit=Limit("three", 3))
    assert (type(found), found) == (int, 3)


@pytest.mark.parametrize("value", [0, 1.5, "3", None, True, float("nan"), float("inf"), [3], -1])
def test_what_is_no_whole_number(value: object) -> None:
    with refused(me.errors.InputError):
        whole_number("size", value, raises=me.errors.InputError)


def test_limits_are_named_and_can_be_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    three = Limit("three", 3)
    assert too_large("size", 3, three) == ""
    says = "size is 4, more than 3; if this is intended, set MAXENT_LIMITS=no-three in the environment"
    for others in ("", "no-four", "three"):
        monkeypatch.setenv("MAXENT_LIMITS", others)
        assert too_large("size", 4, three) == says
        with refused(me.errors.ProblemError):
            whole_number("size", 4, raises=me.errors.ProblemError, limit=three)
    for lifted in ("off", "no-three", "no-four, no-three"):
        monkeypatch.setenv("MAXENT_LIMITS", lifted)
        assert whole_number("size", 4, raises=me.errors.ProblemError, limit=three) == 4


def test_every_limit_is_in_the_table_of_limits() -> None:
    page = (ROOT / "docs/files_in.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page.partition("| limit |")[2].partition("\n\n")[0], re.M))
    sizes = {name: set(map(size_in_words, SIZE.finditer(row))) for name, row in rows.items()}
    every = [limit for limit in vars(limits).values() if isinstance(limit, Limit)]
    assert {limit.name for limit in every} == set(rows)
    assert [limit for limit in every if limit.most not in sizes[limit.name]] == []
    assert limits.HIGHEST in sizes["grade"]


def test_every_limit_is_in_one_file() -> None:
    assert places_of_limits(ROOT / "maxent") == {"limits.py"}


def test_a_limit_in_another_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text('_TABLE: Limit = limits.Limit("size", 12)')
    assert places_of_limits(tmp_path) == {"planted.py"}
