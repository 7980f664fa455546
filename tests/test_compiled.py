"""Compiled kernels: the code for some grades and lanes is the code as written."""

import ast
import math
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxent
from maxent.compiled import Workspace, newton, state, steps, system
from maxent.compiled.exponential import exp
from maxent.compiled.fields import FIELDS, run
from maxent.compiled.machine import _compile_for, compile_for
from maxent.compiled.unroll import unroll
from maxent.statement import Lot, Statement

SOURCES = (state, system, steps, newton)
QUADRATIC = ("softmax", "gradient", "residuals", "forward", "backward", "negative_eigenvalues")
OTHERS = ("fastest_growth", "move", "forward_linear", "backward_linear", "deviation", "implied")


def filled(depth: int, c: int, lanes: int) -> Workspace:
    """A workspace of random problems."""
    work = Workspace(depth, c, lanes)
    rng = np.random.default_rng(c)
    for name in ("theta", "a", "K", "d", "size", "offset", "change", "counts", "fresh", "share", "value"):
        work[name][...] = rng.random(work[name].shape)
    work["fresh"][...] = 1
    work["theta"][...] -= 1
    work["multipliers"][...] = rng.normal(size=work["multipliers"].shape) + 1
    return work


@pytest.mark.parametrize(("c", "lanes"), [*((c, 1) for c in range(1, 8)), (1, 8), (2, 8), (3, 8)])
def test_kernels_equal_their_sources(c: int, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Straight-line code on vectors against the plain Python functions with ``c`` filled in."""
    for module in SOURCES:
        monkeypatch.setattr(module, "c", c)
        monkeypatch.setattr(module, "exp", math.exp, raising=False)
    depth = 9
    work = filled(depth, c, lanes)
    plain = [{name: work[name][..., lane].copy() for name in FIELDS} for lane in range(lanes)]
    for name in (*QUADRATIC, *OTHERS):
        work.run(name)
        source: Any = next(getattr(m, name) for m in SOURCES if hasattr(m, name))
        for lane, fields in enumerate(plain):
            source(*(fields[parameter] for parameter in source.__code__.co_varnames[: source.__code__.co_argcount]))
            for field, values in fields.items():
                np.testing.assert_allclose(work[field][..., lane], values, rtol=1e-9, atol=1e-11, err_msg=name)


def test_the_exponential() -> None:
    """Against numpy over its range, in units of the last place."""
    x = -np.random.default_rng(0).gamma(0.5, 100, size=5000)
    x[:3] = 0, -299, -1e-300
    work = Workspace(len(x), 1)
    work["theta"][:, 0, 0] = x
    work.run("softmax")
    ours = work["p"][:, 0, 0] / work["reference"][:, 0]
    np.testing.assert_allclose(ours, np.exp(np.maximum(x, -300)), rtol=1e-15)
    assert exp.__doc__


def test_numbers_stay_normal() -> None:
    """Processors take a hundred times as long for products too small to have all their digits."""
    work = filled(9, 3, 1)
    work["theta"][::2] = -1e4
    work["theta"][1::3, :2] = -400
    for name in ("softmax", "gradient", "residuals", "forward"):
        work.run(name)
    variances = work["p"][:, :, None] * work["p"][:, None] * work["d"][:, None, None]
    for numbers in (variances, *(work[name] for name in ("p", "reference", "Y", "X", "U", "G"))):
        size = np.abs(numbers[numbers != 0])
        assert size.min() > np.finfo(float).tiny
    assert work["p"].min() > 0


def test_a_step_may_lead_from_nothing_to_something() -> None:
    """A probability of exp(-10,000) may grow by all of that, one of a third by a little more than its own."""
    work = Workspace(3, 2)
    work["theta"][:, :, 0] = (-1e4, 0), (3e3, 0), (0, 0)
    work["step"][:, :, 0] = (1e4, 0), (-3e3, 0), (0, 0)
    work.run("softmax")
    work.run("fastest_growth")
    assert work.run("step_length", 0, 2.0) == 1.0
    work["step"][2, 0] = 9
    work.run("fastest_growth")
    assert work.run("step_length", 0, 2.0) == pytest.approx((2 + math.log(3)) / (9 - 9 / 3))


def test_the_newton_system_is_solved() -> None:
    """Forward and backward pass against dense linear algebra, for a kernel without symmetry."""
    c, depth, lam = 3, 7, 2.5
    rng = np.random.default_rng(0)
    K, d = rng.random((c, c)), rng.random(depth)
    reference, *grades = rng.dirichlet(np.ones(c + 1), depth).T
    p = np.column_stack(grades)
    w, r, change = rng.random((depth, c)), rng.random((depth, c)), rng.normal(size=c + 1)
    dense, hessian = np.zeros((depth, c, depth, c)), np.zeros((depth, c, depth, c))
    for n in range(depth):
        hessian[n, :, n] = np.diag(1 / p[n]) + 1 / (1 - p[n].sum())
        for m in range(n):
            dense[n, :, m] -= lam * d[n] * K
            dense[m, :, n] -= lam * d[n] * K.T
    matrix = (dense + hessian).reshape(depth * c, depth * c)
    border = np.column_stack((w.ravel(), np.tile(np.eye(c), (depth, 1))))
    work = Workspace(depth, c)
    given = {"K": K, "d": d, "p": p, "reference": reference, "w": w, "r": r, "change": change, "fresh": np.ones(())}
    for name, values in given.items():
        work[name][..., 0] = values
    work["multipliers"][0] = lam
    work["size"][:] = 1.0
    work.run("forward")
    schur = border.T @ np.linalg.solve(matrix, np.column_stack((border, r.ravel())))
    np.testing.assert_allclose(work["G"][..., 0], schur, rtol=1e-9)
    work.run("backward")
    step = np.linalg.solve(matrix, r.ravel() + border @ change)
    logits = hessian.reshape(matrix.shape) @ step
    np.testing.assert_allclose(work["step"][..., 0].ravel(), logits, rtol=1e-9)
    work.run("negative_eigenvalues")
    assert work["negative"][0] == (np.linalg.eigvalsh(matrix) < 0).sum()


def test_no_digits_are_lost_next_to_certainty() -> None:
    """One rank that is relevant but for 3e-13: its variance to the last digits."""
    work = Workspace(1, 2)
    work["reference"][0], work["p"][0, :, 0] = 1e-13, (1 - 3e-13, 2e-13)
    work["K"][:], work["size"][:], work["d"][:] = 0.0, 1.0, 1.0
    work.run("forward")
    p, q = 1 - 3e-13, 2e-13
    expected = [[p * 3e-13, -p * q], [-p * q, q * (1 - q)]]
    np.testing.assert_allclose(work["G"][1:, 1:3, 0], expected, rtol=1e-14)


@pytest.mark.parametrize("lanes", [1, 8])
def test_problems_go_into_lanes_and_out_of_them(lanes: int) -> None:
    """Different forms, values, counts and grades present, another one than 0 eliminated among them."""
    depth, problems = 6, []
    for lane in range(lanes):
        measure, counts = maxent.GAP(g=(0.05 * lane, 0.5, 0.5 - 0.05 * lane)), (1.0, 0.0, 2.5)
        counts = counts if lane % 2 else (2.0, 1.0, 3.0)
        problems.append(maxent.Problem(measure, value=0.1 * lane, relevant=counts, depth=depth, count="total"))
    work, statement, scale = (
        Workspace(depth, 2, lanes),
        Statement.of([Lot.of([problem]) for problem in problems]),
        np.arange(1.0, lanes + 1),
    )
    assert {problem.present for problem in problems} == {(1, 2, 3), (0, 1, 3)} or lanes == 1
    which, a, d, K, grades, *given = statement
    work.run("load_problems", which, a, d, K, *given, scale)
    for lane, problem in enumerate(problems):
        reduced, constant = problem.form.eliminate(problem.present)
        np.testing.assert_allclose(work["a"][..., lane], reduced.a / scale[lane], atol=1e-15)
        np.testing.assert_allclose(work["K"][..., lane], reduced.K / scale[lane], atol=1e-15)
        np.testing.assert_array_equal(work["d"][..., lane], reduced.d)
        np.testing.assert_array_equal(work["counts"][:, lane], problem.counts[[i - 1 for i in problem.present[1:]]])
        assert work["value"][lane] == pytest.approx((problem.value - constant) / scale[lane])
    p = np.random.default_rng(0).dirichlet(np.ones(4), (lanes, depth))
    total, violation, claimed = (
        np.empty((lanes, 2)),
        np.empty(lanes),
        np.random.default_rng(1).normal(size=(lanes, 3)),
    )
    out, found, steps, converged = (
        np.full_like(p, np.nan),
        np.empty((lanes, 3)),
        np.empty(lanes),
        np.ones(lanes, dtype=bool),
    )
    work.run("read_claims", grades, p, claimed, 1e-7, total, violation)
    work.run("write_solutions", grades, out, found, steps, converged)
    np.testing.assert_array_equal(found, claimed)
    assert not converged.any()
    for lane, problem in enumerate(problems):
        present = list(problem.present)
        absent = [i for i in range(4) if i not in present]
        np.testing.assert_array_equal(out[lane][:, present], p[lane][:, present])
        assert (out[lane][:, absent] == 0).all()
        np.testing.assert_allclose(total[lane], p[lane][:, present[1:]].sum(axis=0))
        assert violation[lane] == pytest.approx(p[lane][:, absent].sum())


def test_several_problems_need_unrolled_code() -> None:
    with pytest.raises(ValueError, match="at most 6 grades"):
        Workspace(5, 7, 8)


def test_numbers_of_a_loop_get_names_of_their_own() -> None:
    """Sums that go on from round to round, numbers read before they are written, after the loop, or never again."""
    source = """
def kernel(x, y):
    total, last = 1.0, 0.0
    for n in range(len(x)):
        t = 0.5 * last
        t += x[n] * total
        total += t
        last = t
        t = total - last
        y[n] = t
    return total, last
"""
    function = unroll(ast.parse(source).body[0], {})  # type: ignore[arg-type]
    renamed = ast.unparse(ast.fix_missing_locations(function))
    loop = next(node for node in ast.walk(function) if isinstance(node, ast.For))
    written = [line.targets[0].id for line in loop.body if isinstance(line.targets[0], ast.Name)]  # type: ignore[attr-defined]
    assert len(written) == len(set(written)), renamed
    assert "t" not in written, "nothing needs it any more"
    spaces: list[dict[str, Any]] = [{}, {}]
    for text, space in zip((source, renamed), spaces, strict=True):
        exec(text, space)
        space["y"] = np.zeros(5)
        space["found"] = space["kernel"](np.arange(1.0, 6), space["y"])
    assert spaces[0]["found"] == spaces[1]["found"]
    np.testing.assert_array_equal(spaces[0]["y"], spaces[1]["y"])


def test_sources_are_not_called() -> None:
    with pytest.raises(NotImplementedError, match="softmax exists in compiled form only"):
        run(state.softmax)


def test_machine_code_is_kept_where_the_package_cannot_be_written(tmp_path: Path) -> None:
    """The first process compiles, the second reads from the user's cache; the package's folder stays as it is.

    So it is with the sources written out, until any file beside them changes.
    """
    package = tmp_path / "site" / "maxent"
    shutil.copytree(Path(maxent.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in {file.parent for file in package.rglob("*.py")}:
        (folder / "__pycache__").write_text("in the way of a folder")  # read-only, for a superuser as well
    code = (
        "import maxent as me; from maxent.compiled import Workspace;"
        "from maxent.compiled.machine import _kept; from maxent.compiled.write import write;"
        "print(_kept(write).check_call_in_cache(1, 1),"
        "me.solve(me.Problem(me.AP(), value=.4, relevant=(5,), depth=20, count='total')).status,"
        "sum(Workspace(20, 1).compiled.solve_all.stats.cache_hits.values()))"
    )
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "HOME": str(tmp_path)}
    for seed, says in (("3", "False optimal 0"), ("4", "True optimal 1"), ("5", "False optimal 1")):
        environment["PYTHONHASHSEED"] = seed  # in which a set is in another order
        if seed == "5":
            with (package / "compiled" / "chain.py").open("a") as file:
                file.write("# changed")
        command = [sys.executable, "-c", code]
        ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == says
    assert list((tmp_path / "cache").rglob("*.nbi"))


def test_threads_share_what_is_compiled() -> None:
    _compile_for.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(compile_for, [2] * 8)
    assert all(other is first for other in others)
