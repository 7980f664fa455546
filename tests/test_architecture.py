"""Imports point only downwards, starting up is light, and the public names are the agreed ones."""

import ast
import graphlib
import inspect
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import get_args

import pytest

import maxent
from maxent.cli.commands import COMMANDS, KINDS, Command
from maxent.measures import MEASURES
from maxent.options import GROUPS, ClusterOptions, NameInput, Option, OutputOptions, Reader, options_of

PACKAGE = Path(maxent.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
FLOORS = (
    ("__main__",),
    ("cli",),
    ("systems",),
    ("studies",),
    ("results",),
    ("plot",),
    ("judgments",),
    ("stats",),
    ("curves",),
    ("solvers",),
    ("lists",),
    ("problem",),
    ("ltr", "ir_measures"),
    ("kernels",),
    ("data",),
    ("options",),
    ("measures",),
    ("checks", "progress", "shown", "texts", "workers"),
    ("files",),
    ("errors", "limits", "types"),
)
"""The rooms, from the top: a file imports its own room and rooms below."""
PUBLIC = """
parse_measure Joint g_grid read_run read_qrels simulate collect report informativeness summarize league left_out
Problem Solution Averages solve solve_many actual_curve inferred_curve graded_curve curve_error MaxentError
"""
LISTED = (*COMMANDS.values(), *KINDS.values())
BY_TARGET = {command.target: command for command in LISTED if command.target}
QUESTIONS = {target.partition(":")[2] for target in BY_TARGET} - {"measures"}
"""The functions of the commands, which are public, too."""
LEVEL = {room: level for level, rooms in enumerate(reversed(FLOORS)) for room in rooms}


NAMED = re.compile(r"maxent\.(\w*)")


def imports(file: Path) -> set[str]:
    """Parts of the package that a file imports, or names in a text, as for ``import_module``."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "maxent":
            found.add(node.module.split(".")[1] if "." in node.module else "__init__")
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("maxent.")}
        elif isinstance(node, ast.Constant) and (named := NAMED.match(str(node.value))):
            found.add(named[1])
    return found


@pytest.mark.parametrize(
    "code",
    [
        "from maxent.plot.curves import plot_curves",
        "import maxent.plot.curves",
        "import_module('maxent.plot.curves')",
        "import_module(f'maxent.plot.{name}')",
        "TABLE = {'curves': 'maxent.plot.curves:plot_curves'}",
    ],
)
def test_imports_are_seen_by_name_too(code: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(code)
    assert imports(tmp_path / "planted.py") == {"plot"}


def test_every_room_has_a_floor() -> None:
    parts = {p.stem for p in PACKAGE.glob("*.py")} | {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    assert parts - {"__init__"} == set(LEVEL)


def test_imports_point_downwards() -> None:
    for file in FILES:
        part = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        for other in imports(file) - {part}:
            assert LEVEL[other] < LEVEL[part], f"{file.name} ({part}) imports {other}, which is not below it"


def test_results_read_no_input() -> None:
    nodes = [node for file in (PACKAGE / "results").rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))]
    of_data = [
        node for node in nodes if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("maxent.data.")
    ]
    names = {alias.name for node in of_data for alias in node.names}
    assert names <= {"Collection", "run_files", "guarded", "TEXT"}  # a type, names of files, formulas in CSV, text


def test_methods_call_functions_above_them_in_one_way() -> None:
    """``import maxent`` names no room: below the analyses only ``shown.public`` asks for what users call so."""
    top = LEVEL["solvers"]
    asking = {
        file.name
        for file in FILES
        if LEVEL.get(file.relative_to(PACKAGE).parts[0].removesuffix(".py"), top + 1) <= top
        and any(
            isinstance(node, ast.Import) and "maxent" in [alias.name for alias in node.names]
            for node in ast.walk(ast.parse(file.read_text()))
        )
    }
    assert asking == {"shown.py"}


def test_no_file_imports_itself_through_others() -> None:
    modules = {".".join(("maxent", *file.relative_to(PACKAGE).with_suffix("").parts)): file for file in FILES}
    modules = {name.removesuffix(".__init__"): file for name, file in modules.items()}
    graph = {}
    for name, file in modules.items():
        nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
        found = {(node.module or "", f"{node.module}.{alias.name}") for node in nodes for alias in node.names}
        graph[name] = {inner if inner in modules else outer for outer, inner in found} & set(modules)
    assert list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def test_filters_of_warnings_are_left_alone() -> None:
    """They are of the whole process: a thread that restores them takes the warnings of another."""
    assert not [file for file in FILES if "catch_warnings" in file.read_text(encoding="utf-8")]


def test_files_stay_small() -> None:
    for file in FILES:
        assert len(file.read_text().splitlines()) <= 600, file


EXTRAS = {"lightgbm", "torch", "distributed"}
TOOLS = {"ir_measures", "ir_datasets"}  # of users who have them
THROUGH = {"markupsafe"}  # jinja2 comes with it


@pytest.mark.slow
def test_the_wheel_requires_what_it_imports_and_nothing_else() -> None:
    nodes = [node for file in FILES for node in ast.walk(ast.parse(file.read_text()))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    imported = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"maxent"}
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    assert set(re.findall(r"^\w+", "\n".join(project["dependencies"]), re.M)) == imported - EXTRAS - TOOLS - THROUGH


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other wheels")
def test_the_readme_says_how_large_an_installation_is() -> None:
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    said = float(re.findall(r"dependencies take ([\d,]+) MB", readme)[0].replace(",", ""))
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    wanted, found = [re.split(r"[^\w.-]", line)[0] for line in project["dependencies"]], set[Path]()
    for name in wanted:
        own = distribution(name)
        found |= {Path(str(own.locate_file(file))) for file in own.files or ()}
        required = [line for line in own.requires or () if ";" not in line]
        wanted += [other for line in required if (other := re.split(r"[^\w.-]", line)[0]) not in wanted]
    size = sum(file.stat().st_size for file in found if file.is_file())
    assert abs(size / 1e6 / said - 1) < 0.1, f"{size / 1e6:.0f} MB"


HEAVY = """
scipy scipy.stats scipy.optimize cvxpy matplotlib jinja2 llvmlite clarabel lightgbm torch
distributed
"""


def loaded(code: str, names: str) -> list[str]:
    """Which of these modules a new process has loaded after some code."""
    code = f"{code}; import sys; print(*sorted({set(names.split())} & set(sys.modules)), file=sys.stderr)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr.split()


@pytest.mark.slow
def test_importing_is_light() -> None:
    """No modelling language, plotting library or compiler before somebody needs it."""
    assert loaded("import maxent", HEAVY + " numpy pandas") == []
    for part in (
        "maxent.ir_measures",
        "maxent.ltr",
        "maxent.ltr.lightgbm",
        "maxent.solvers",
        "maxent.studies.study",
    ):
        assert loaded(f"import {part}", HEAVY) == [], part
    names = "maxent.AP, maxent.collect, maxent.informativeness, maxent.choose_g, maxent.Problem, maxent.solve"
    assert loaded(f"import maxent; {names}", HEAVY + " tqdm") == []


@pytest.mark.parametrize("command", ["", *COMMANDS, *(f"compare {kind}" for kind in KINDS)])
def test_help_is_quick(command: str) -> None:
    argv = [*command.split(), "--help"]
    code = f"import contextlib, maxent.cli\nwith contextlib.suppress(SystemExit): maxent.cli.main({argv})\npass"
    assert loaded(code, f"{HEAVY} numpy pandas pyarrow joblib asyncio") == []


BY_NAME = {  # options with a task of their own on the command line
    *("runs", "qrels", "clicks", "grades"),  # files, which are looked for before the work; grades or bins
    *("jobs", "solver", "cluster"),  # with the first two, there is the third
    *("progress", "checkpoint"),  # --quiet, and a file in --out
    *("counts", "models", "references", "aligns"),  # errors name one of them
    *("out", "report"),  # paths, which are looked at before the work
}


def declarations() -> dict[str, list[str]]:
    """Files with a field that declares an option, by its name."""
    places: dict[str, list[str]] = {}
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AnnAssign) and re.search(r"\bOption\(", ast.unparse(node.annotation)):
                places.setdefault(ast.unparse(node.target), []).append(file.name)
    return places


def all_options() -> dict[str, Option]:
    """Every option of a command by its name."""
    declared = [options_of(*question.takes) for question in BY_TARGET.values()]
    return {name: option for each in declared for name, option in each.items()} | options_of(
        ClusterOptions, OutputOptions
    )


def test_every_option_of_a_command_is_declared_in_the_room_of_options_and_nowhere_else() -> None:
    places = declarations()
    assert set(places) == set(all_options())
    assert {name for names in places.values() for name in names} <= {p.name for p in PACKAGE.glob("options/*.py")}


@pytest.mark.parametrize("command", BY_TARGET.values(), ids=list(BY_TARGET))
def test_a_question_has_no_option_beside_those_that_are_declared(command: Command) -> None:
    """Its own parameters are what it is about, such as runs and judgments."""
    *inputs, question = command.takes
    known = {name for name, option in options_of(*inputs).items() if not option.stands_for}
    if question is NameInput:
        known = {"name"}
    parameters = inspect.signature(inspect.unwrap(command.function)).parameters.values()
    assert {p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD} == known


def test_the_command_line_knows_few_options_by_name() -> None:
    words = {*BY_NAME, *GROUPS, *get_args(Reader), *COMMANDS, *KINDS}
    names = set(all_options()) - words
    for file in PACKAGE.glob("cli/*.py"):
        if file.stem == "list_measures":  # a question
            continue
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
        assert not names & texts, file


def test_public_names() -> None:
    """They are imported as themselves, so that type checkers and readers take them for public."""
    found: dict[str | None, list[str]] = {}
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom):
            assert all(alias.asname == alias.name for alias in node.names)
            found.setdefault(node.module, []).extend(alias.name for alias in node.names)
    rooms = found.pop(None)
    top = [name for names in found.values() for name in names]
    assert sorted(top) == sorted([*MEASURES, *QUESTIONS, *PUBLIC.split()])
    for name in top:
        assert getattr(maxent, name).__doc__, f"{name} has no docstring"
        assert not (PACKAGE / f"{name}.py").exists(), f"{name} would be hidden by a file of this name"
    listed = re.findall(r"^    (\w+)  +(\w.*(?:\n     +.*)*)", maxent.__doc__ or "", re.M)
    assert [room for room, _ in listed] == [room for room in rooms if room != "plot"]
    for room, names in listed:
        for name in names.split():
            assert getattr(getattr(maxent, room), name).__doc__, f"{room}.{name} has no docstring"
            assert name not in top, f"{name} is there twice"


SECTION = re.compile(
    r"^(Parameters|Attributes|Other Parameters)\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]+\n-{3,}|\Z)", re.M | re.S
)


def entries(docstring: str) -> list[tuple[str, bool]]:
    """Entries of the lists of parameters and attributes, and whether they say anything."""
    found: list[tuple[str, bool]] = []
    for _, body in SECTION.findall(inspect.cleandoc(docstring)):
        lines = [line for line in body.split("\n") if line.strip()]
        for line, after in zip(lines, [*lines[1:], "end"], strict=True):
            if not line.startswith(" "):
                found.append((line, after.startswith(" ")))
    return found


def test_no_parameter_is_listed_without_a_word() -> None:
    """A name with its type alone repeats the signature. Types that say it all may stand alone in some places."""
    empty = []
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                listed = entries(ast.get_docstring(node) or "")
                empty += [f"{file.name}: {entry}" for entry, says in listed if not says and not telling(entry)]
    assert not empty, "\n".join(empty)


def telling(entry: str) -> bool:
    """Whether the type alone says what it is: a class of this package, or an array of a shape."""
    _, _, kind = entry.partition(" : ")
    return bool(re.search(r"[A-Z]\w+", kind)) or kind.startswith("(")


LAYOUT = re.compile(r"^\| `([^|]*)` \| (.*) \|$", re.MULTILINE)


def layout() -> dict[str, set[str]]:
    """Rooms and files in the table of CONTRIBUTING.md, with the names of files that stand beside each."""
    rows = LAYOUT.findall((PACKAGE.parent / "CONTRIBUTING.md").read_text())
    return {name: set(re.findall(r"`(\w+)/?`", text)) for names, text in rows for name in names.split("`, `")}


def test_the_layout_names_every_room() -> None:
    rooms = {f"{folder.parent.name}/" for folder in PACKAGE.glob("*/__init__.py")}
    files = {file.name for file in PACKAGE.glob("*.py")} - {"__init__.py"}
    assert set(layout()) == rooms | files


@pytest.mark.parametrize("room", sorted(folder.parent.name for folder in PACKAGE.glob("*/__init__.py")))
def test_the_layout_names_the_files_of_a_room_and_no_other(room: str) -> None:
    places = [
        path for path in (PACKAGE / room).rglob("*") if path.suffix in (".py", "") and path.name[0] not in "_."
    ]
    top = {path.stem for path in places if path.parent.name == room}
    questions = {target.partition(":")[0].split(".")[-1] for target in BY_TARGET}  # whose modules the commands name
    assert top - questions - layout()[f"{room}/"] == set()
    assert layout()[f"{room}/"] - {path.stem for path in places} == set()


def test_every_file_name_stands_in_one_room_only() -> None:
    """A name says where to look."""
    names = [file.name for file in FILES if file.name != "__init__.py"]
    assert [name for name in sorted(set(names)) if names.count(name) > 1] == []
