"""The examples in docstrings print what they say, and scripts import what the package has."""

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


ROOT = PACKAGE.parent
SCRIPTS = sorted(
    file
    for folder in ("analyses", "benchmarks", "tests/evidence", "tests/fuzz")
    for file in (ROOT / folder).rglob("*.py")
)
IMPORTED = re.compile(r"^[ \t]*from (maxent[\w.]*) import (\([^)]*\)|[^\n#]+)", re.M)  # also in code within strings


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_scripts_import_what_the_package_has(file: Path) -> None:
    for module, names in IMPORTED.findall(file.read_text(encoding="utf-8")):
        for name in re.findall(r"(?:^|[,(])\s*(\w+)", names):
            try:
                assert hasattr(importlib.import_module(module), name)
            except AssertionError:
                importlib.import_module(f"{module}.{name}")  # a module of the room


@pytest.mark.slow
@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
