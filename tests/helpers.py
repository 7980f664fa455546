"""What tests share: problems, cases of large grids, patience with other processes."""

import dataclasses
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from maxent import measures
from maxent.measures import GAP, Measure, parse_measure
from maxent.problem import Count, IndependentRanks, Problem, Solution
from maxent.types import FloatArray

REFERENCE = Problem(GAP(g=(0.5, 0.5)), value=0.35, relevant=(30, 10), retrieved=(30, 10), depth=1000)

NEEDED = {"g": (0.5, 0.5), "cutoff": 10}
PICKED = (
    "AP", "AP(rel=2)", "GAP(g=.5,.5)", "GAP(g=0,1)", "nDCG(gain=exp2)", "nDCG@10", "DCG(discount=inverse)", "P@10",
    "Rprec", "RBP(p=.9)", "xGAP(g=.5,.5)", "eGAP(g=.3,.7)", "muAP", "muAP(levels=1,5)", "gAP", "wAP",
    "wAP(gain=exp2)", "Q", "Q(beta=100)", "NDCNG", "mnDCG", "SR@20", "mSR@10", "CG@5", "gP@10", "gR@20", "nRecall",
    "nPrecision(rel=2)", "AP@10", "GAP(g=.5,.5)@20", "xGAP(g=.5,.5)@15", "gAP@10", "Q@10", "wAP@8", "R@10",
    "RBP(p=.9,gain=exp2)",
)  # fmt: skip


def plain(cls: type[Measure], needed: dict[str, Any] = NEEDED) -> Measure:
    """Measure with its defaults, and these values of parameters that have none."""
    return cls(**{f.name: needed[f.name] for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING})


MEASURES = (
    *PICKED,
    *(
        str(plain(cls))
        for cls in measures.MEASURES.values()
        if cls.is_form() and cls not in {type(parse_measure(text)) for text in PICKED}
    ),
)
"""Pairwise forms, at least one of every kind."""
SHARES = (0.02, 0.3, 0.5, 0.8, 0.97)


def at(measure: str | Measure, share: float, *, count: Count = "retrieved", depth: int = 60) -> Problem:
    """Problem whose value lies at ``share`` of the attainable interval."""
    m = parse_measure(measure) if isinstance(measure, str) else measure
    problem = Problem(m, value=0.5, relevant=(9, 6), retrieved=(7, 5), depth=depth, count=count)
    low, high = (end.listed for end in problem.ends)
    return dataclasses.replace(problem, value=low + share * (high - low))


def with_p(solution: Solution, p: FloatArray) -> Solution:
    """The same claim of another distribution."""
    return dataclasses.replace(solution, distribution=IndependentRanks(solution.problem, p))


def slow_but(quick: Collection[Any], cases: Collection[Any]) -> list[Any]:
    """Cases of a grid, of which only the quick ones run with ``-m "not slow"``."""
    assert all(case in cases for case in quick), "a quick case is none of the grid"
    return [case if case in quick else pytest.param(case, marks=pytest.mark.slow) for case in cases]


PROGRAM = "import sys; from maxent.cli import main; sys.exit(main())"
"""The command line in a process of its own: ``[sys.executable, "-c", PROGRAM, ...]``."""


def sources(files: Path, depth: int = 150) -> list[str]:
    """Arguments that give a command the small collection of the fixture ``files``."""
    return ["--qrels", str(files / "qrels.txt"), "--runs", str(files / "runs"), "--depth", str(depth)]


def contents(folder: Path) -> dict[str, bytes]:
    """Files of a folder by their names; a command that is killed while it writes may leave a folder in it."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


PATIENCE = 600  # seconds, also on a busy machine: what takes longer hangs


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until another process has done something."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
