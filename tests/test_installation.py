"""The package as a folder without an installation, and as what it cannot be."""

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import maxent

HIDDEN = """
import importlib.metadata as metadata
installed = metadata.version
def version(name):
    if name == "maxent":
        raise metadata.PackageNotFoundError(name)
    return installed(name)
metadata.version = version
"""


def python(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_study_from_sources_that_are_not_installed(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    study = f"main(['study', '--measures', 'AP', '--jobs', '1', '--report', {str(report)!r}])"
    code = f"{HIDDEN}import sys; from maxent.cli import main; sys.exit({study})"
    ran = python(code, Path(maxent.__file__).parents[1])
    assert ran.returncode == 0, ran.stderr
    assert f"maxent {maxent.__version__}" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["zip", "bytecode"])
def test_one_line_where_sources_are_not_files(form: str, tmp_path: Path) -> None:
    package = tmp_path / "site" / "maxent"
    shutil.copytree(Path(maxent.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    if form == "zip":
        path = Path(shutil.make_archive(str(tmp_path / "maxent"), "zip", package.parent))
    else:
        path = package.parent
        compileall.compile_dir(package, quiet=1, legacy=True)
        for file in package.rglob("*.py"):
            file.unlink()
    ran = python("import maxent", path)
    last = "ImportError: maxent compiles its own sources: install it as files, not as a zip or as bytecode alone"
    assert ran.stderr.splitlines()[-1] == last
