"""Everything a change must pass: ``nox`` runs it, ``nox --list`` explains it, ``nox -s NAME`` runs one session.

PyPI's PyTorch for Linux comes with gigabytes of CUDA. With TORCH_INDEX_URL=https://download.pytorch.org/whl/cpu in
the environment, PyTorch comes from its own index, and nothing else does.
"""

import os
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

import nox

LOCK, RELEASE = "requirements-dev.lock", "requirements-release.lock"
PROJECT = nox.project.load_toml("pyproject.toml")["project"]
VERSIONED = ("maxent/__init__.py", "CITATION.cff", "CHANGELOG.md")
PARALLEL = ("-n", "auto", "--dist", "loadfile")  # a process for each processor; fixtures of a file are made once
COVERAGE = ("--cov=maxent", "--cov-report=term:skip-covered", "--cov-fail-under=97")  # per cent of the lines
JOB = ("study", "--topics", "1-2", "--depth", "50", "--g-steps", "3", "--out", "out")

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "tests", "threads", "lowest", "docs", "build"]
nox.options.default_venv_backend = "virtualenv"  # and so pip, with its settings of where PyTorch comes from
nox.options.error_on_missing_interpreters = True  # a session that was skipped has shown nothing


def install(session: nox.Session, *arguments: str, networks: bool = True) -> None:
    """Install the package in place and all that its tests need, by default PyTorch included."""
    if not networks:
        session.install("--editable", ".", "--group", "test", *arguments)
        return
    if index := os.environ.get("TORCH_INDEX_URL"):
        session.install("--index-url", index, "--group", "networks")
    session.install("--editable", ".", "--group", "test", "--group", "networks", *arguments)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types: ruff and mypy, in the versions of the lock file."""
    install(session, "--group", "lint", "--constraint", LOCK)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the whole suite in the versions of the lock file; what follows ``--`` goes to pytest."""
    install(session, "--constraint", LOCK)
    session.run("pytest", *PARALLEL, *session.posargs)


@nox.session
def threads(session: nox.Session) -> None:
    """Call public functions from two threads at once; what follows ``--`` goes to pytest."""
    install(session, "--group", "threads", "--constraint", LOCK, networks=False)
    session.run("pytest", "tests/test_threads.py", "--parallel-threads=2", "--iterations=3", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Search for what the examples of the tests miss: others at random, then guided by coverage (Linux).

    What follows ``--`` goes to pytest.
    """
    session.install("--constraint", LOCK, "--editable", ".", "--group", "test", "--group", "fuzz")
    session.run("pytest", *PARALLEL, "-m", "hypothesis", "--hypothesis-profile", "search", *session.posargs)
    if sys.platform == "linux":
        session.run("python", "-m", "tests.fuzz")


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """Run the tests that are not slow with the lowest version of every dependency that pyproject.toml allows.

    The tests must run most lines of the package. What follows ``--`` goes to pytest in place of this condition.
    """
    allowed = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    # PyTorch stays at the version of the tests: its old releases for Linux come with gigabytes of CUDA
    pins = [name.replace(">=", "==", 1) for names in allowed for name in names if not name.startswith("torch")]
    # pyparsing 3.3 deprecates what matplotlib calls up to 3.10.7: a warning, and so an error here, but no harm
    install(session, *pins, "pyparsing<3.3", "--group", "coverage")
    session.run("pytest", "-m", "not slow", *PARALLEL, *(session.posargs or COVERAGE))


@nox.session
def newest(session: nox.Session) -> None:
    """Run the tests that are not slow with the newest version of everything, pre-releases included."""
    install(session, "--upgrade", "--pre")
    session.run("pytest", "-m", "not slow", *PARALLEL, *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Make the site in build/site; warnings and references to nothing are errors."""
    install(session, "--group", "docs", "--constraint", LOCK, networks=False)
    for folder in ("build/site", "docs/reference"):
        shutil.rmtree(folder, ignore_errors=True)
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "--nitpicky", "-c", "docs", ".", "build/site")


@nox.session
def build(session: nox.Session) -> None:
    """Build wheel and sdist into dist/, check them, and run the main job of each as a stranger would install it."""
    for file in VERSIONED:
        if PROJECT["version"] not in Path(file).read_text(encoding="utf-8"):
            session.error(f"{file} does not have the version of pyproject.toml, {PROJECT['version']}")
    shutil.rmtree("dist", ignore_errors=True)
    session.install("--require-hashes", "--requirement", RELEASE)
    session.run("python", "-m", "build", "--no-isolation")  # with the hatchling of the lock file
    wheel, sdist = (next(Path("dist").resolve().glob(name)) for name in ("*.whl", "*.tar.gz"))
    session.run("twine", "check", "--strict", str(wheel), str(sdist))

    # whoever has the sdist can run the tests: it has every file of the repository but the hidden ones
    tracked = session.run("git", "ls-files", "[!.]*", external=True, silent=True).split()
    with tarfile.open(sdist) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    if missing := set(tracked) - shipped:
        session.error(f"not in the sdist: {', '.join(sorted(missing))}")

    for archive in (wheel, sdist):
        with tempfile.TemporaryDirectory() as folder, session.chdir(folder):
            session.run("python", "-m", "venv", "fresh")
            scripts = Path(sysconfig.get_path("scripts", "venv", {"base": f"{folder}/fresh"}))
            session.run(str(scripts / "python"), "-m", "pip", "install", "--quiet", str(archive), external=True)
            session.run(str(scripts / "maxent"), "--version", external=True)
            session.run(str(scripts / "maxent"), *JOB, external=True)


@nox.session
def lock(session: nox.Session) -> None:
    """Renew both lock files: the newest versions that go together, for every Python and system at once."""
    session.install("uv")
    options = ("--universal", "--python-version", "3.11", "--no-header", "--no-annotate", "--quiet")
    compiler = ("uv", "pip", "compile", *options)
    groups = ("--all-extras", "--group", "dev", "--group", "networks")
    compiled = session.run(*compiler, "pyproject.toml", *groups, silent=True)
    # CUDA is PyTorch's own affair, and absent from its builds for processors
    lines = [line for line in compiled.splitlines() if not line.startswith(("cuda-", "nvidia-", "triton="))]
    Path(LOCK).write_text("\n".join(["# written by nox -s lock; used as pip's --constraint", *lines, ""]))
    # hashes stand in a file of their own: as a constraint they would refuse the package itself, which has none
    compiled = session.run(*compiler, "--group", "release", "--constraint", LOCK, "--generate-hashes", silent=True)
    Path(RELEASE).write_text("\n".join(["# written by nox -s lock; what a release is built with", compiled]))
