"""The compiler knows neither the passes nor the loops that it compiles, nor what their records hold."""

import ast
import re
from pathlib import Path

import pytest

from maxent.kernels.compiler import trace

COMPILER = sorted(Path(trace.__file__).parent.glob("*.py"))
ALLOWED = ("maxent.kernels.compiler", "maxent.types")
MATHEMATICS = re.compile(r"measure|grade|problem|document|entrop|multiplier|topic|lists? of", re.IGNORECASE)


def imports(text: str) -> set[str]:
    """Modules of the package that a text imports."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    return {node.module for node in nodes if node.module and node.module.startswith("maxent")}


@pytest.mark.parametrize("file", COMPILER, ids=lambda file: file.stem)
def test_the_compiler_imports_itself_alone(file: Path) -> None:
    assert not {name for name in imports(file.read_text()) if not name.startswith(ALLOWED)}


@pytest.mark.parametrize("file", COMPILER, ids=lambda file: file.stem)
def test_the_compiler_knows_no_measure_no_grade_and_no_problem(file: Path) -> None:
    assert not MATHEMATICS.findall(file.read_text())
