"""The examples in docstrings print what they say."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import maxent

PACKAGE = Path(maxent.__file__).parent
MODULES = [
    ".".join(("maxent", *file.relative_to(PACKAGE).with_suffix("").parts))
    for file in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^ *>>> ", file.read_text(), re.M)
]


@pytest.mark.slow
@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
