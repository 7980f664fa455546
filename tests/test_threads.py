"""Public functions return the same bytes when threads call them at once as in a process with one thread.

``nox -s threads`` runs each test in two threads at once, with another collection in each; elsewhere there is one
thread. ``python -m tests.test_threads`` prints the digests that are expected.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import maxent as me
from tests.questions import CLICKS, OPTIONS

SEEDS = range(2)
RELEVANT = (5, 3)


def collection(seed: int) -> Any:
    return me.simulate(systems=3, topics=4, depth=30, rng=seed)


def asked(name: str, seed: int) -> str:
    """Everything that a question shows, figures included."""
    result = getattr(me, name)(*collection(seed), depth=30, progress=False, **OPTIONS[name])
    return "\n".join([str(result), result._repr_html_(), *(table.to_csv() for table in result.tables.values())])


def solved(model: Any, seed: int) -> str:
    """Distributions, samples, and errors of curves."""
    grades = np.roll([2, 0, 1, 1, 0, 2, 0, 0, 1, 0], seed)
    shown = []
    for measure in ("GAP(g=.5,.5)", "nDCG", "AP"):
        solution = me.solve(me.Problem.of_list(measure, grades, RELEVANT), model=model)
        error = me.curve_error(me.actual_curve(grades, RELEVANT), me.inferred_curve(solution))
        shown.append(f"{solution!r} {solution.p.tolist()} {error} {solution.sample(3, rng=seed).tolist()}")
    return "\n".join(shown)


def averaged(seed: int) -> str:
    row = me.Averages({"AP": 0.4 + seed / 10, "P@2": 0.6}, [[3], [2]], depth=10)
    return str(me.lists.solve_averages(row).sample(3, rng=seed).tolist())


CALLS: dict[str, Callable[[int], str]] = {
    **{name: partial(asked, name) for name in OPTIONS},
    **{f"solve, {model}": partial(solved, model) for model in ("ranks", "lists")},
    "reported": lambda seed: str(me.reported({"AP": ".31", "P@10": ".5"}, collection(seed)[1], depth=30)),
    "g_from_clicks": lambda seed: str(me.g_from_clicks(CLICKS.assign(clicks=CLICKS["clicks"] + seed))),
    "averages": averaged,
}


def digest(name: str, seed: int) -> str:
    return hashlib.sha256(CALLS[name](seed).encode()).hexdigest()


@pytest.fixture(scope="module")
def digests() -> dict[str, list[str]]:
    """Digests of all calls, one after the other in a process of its own, so that caches are empty here."""
    command = [sys.executable, "-m", "tests.test_threads"]
    return dict(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))


@pytest.fixture
def thread_index() -> int:
    """Number of the thread, as pytest-run-parallel has it."""
    return 0


@pytest.fixture(scope="module", autouse=True)
def _frequent_switches() -> Iterator[None]:
    """Let threads take turns as often as they can, so that they meet in many ways."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_threads_return_the_same_bytes(name: str, digests: dict[str, list[str]], thread_index: int) -> None:
    try:
        here = digest(name, thread_index)
    except Warning as warning:  # pytest-run-parallel passes over it
        raise AssertionError(repr(warning)) from warning
    assert here == digests[name][thread_index]


if __name__ == "__main__":
    print(json.dumps({name: [digest(name, seed) for seed in SEEDS] for name in CALLS}))
