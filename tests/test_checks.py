"""Checks of sizes: what counts as a number, and how limits are lifted."""

import re
from pathlib import Path

import numpy as np
import pytest

import maxent as me
from maxent.checks import Limit, too_large, whole_number


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float64(3), np.uint64(3)])
def test_whole_numbers_of_any_type(value: object) -> None:
    found = whole_number("size", value, raises=me.errors.InputError, limit=Limit("three", 3))
    assert (type(found), found) == (int, 3)


@pytest.mark.parametrize("value", [0, 1.5, "3", None, True, float("nan"), float("inf"), [3], -1])
def test_what_is_no_whole_number(value: object) -> None:
    with pytest.raises(me.errors.InputError, match="size must be a whole number, 1 or more, got "):
        whole_number("size", value, raises=me.errors.InputError)


def test_limits_are_named_and_can_be_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    three = Limit("three", 3)
    assert too_large("size", 3, three) == ""
    says = "size is 4, more than 3; if this is intended, set MAXENT_LIMITS=no-three in the environment"
    for others in ("", "no-four", "three"):
        monkeypatch.setenv("MAXENT_LIMITS", others)
        assert too_large("size", 4, three) == says
        with pytest.raises(me.errors.ProblemError, match=says):
            whole_number("size", 4, raises=me.errors.ProblemError, limit=three)
    for lifted in ("off", "no-three", "no-four, no-three"):
        monkeypatch.setenv("MAXENT_LIMITS", lifted)
        assert whole_number("size", 4, raises=me.errors.ProblemError, limit=three) == 4


def test_every_limit_is_in_the_table_of_limits() -> None:
    root = Path(me.__file__).parent
    names = {
        name
        for file in root.rglob("*.py")
        for name in re.findall(r'^[A-Z]+ = Limit\("(\w+)"', file.read_text(), re.M)
    }
    table = (root.parent / "docs/files_in.md").read_text().partition("| limit |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.M)) == names
