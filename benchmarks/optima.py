"""Is the structured Newton solver's point the global maximum of the entropy? Two answers.

``scip``: small problems against SCIP's proven bound (spatial branch and bound), and the best point it found.
``ipopt``: moderate ones against IPOPT from the uniform distribution.

A problem that the solver gives up on is listed as failed, not as a disagreement; exits 1 if there is any of those.
Values are anywhere in the interval or close to an end; in its lowest hundredth better maxima are to be expected.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

import cvxpy as cp
import numpy as np
import pandas as pd
import pyscipopt as scip
from peers import nonlinear_problem
from tqdm import tqdm

import maxent as me
from maxent.kernels.batch import single
from maxent.solvers.back_end_problem import ReducedProblem, claimed_solution
from maxent.solvers.restart import ascend

AGREE = 1e-5  # nats
GAP = 1e-4  # relative gap at which SCIP may stop
FEASIBLE = 1e-7  # SCIP's feasibility tolerance, in the scaled value
SECONDS = 5.0  # time limit of SCIP for one problem
COLUMNS = ["depth", "levels", "measure", "where", "status", "entropy", "other", "by", "better"]


def draw(depths: tuple[int, int], levels: int, closest: float, rng: np.random.Generator) -> me.Problem:
    """Random problem: AP or GAP, whole or fractional counts, and a value anywhere or close to an end."""
    while True:
        depth = round(np.exp(rng.uniform(*np.log(depths))))
        c = int(rng.integers(1, levels + 1))
        counts = rng.dirichlet(np.ones(c + 1) * (1 + rng.random() * 4))[1:] * depth * rng.uniform(0.2, 1)
        counts = np.maximum(np.floor(counts), 1.0) if rng.random() < 0.6 else counts
        if counts.min() > 0.05 and counts.sum() <= 0.95 * depth:
            break
    measure = me.AP() if c == 1 else me.GAP(g=tuple(rng.dirichlet(np.full(c, 2.0)).tolist()))
    share = rng.uniform(0.1, 0.9) if rng.random() < 0.4 else 10 ** rng.uniform(np.log10(closest), -1)
    share = 1 - share if rng.random() < 0.4 else share
    known = {"relevant": tuple(np.ceil(counts)), "retrieved": tuple(counts), "depth": depth}
    low, high = (end.listed for end in me.Problem(measure, value=0.5, **known).ends)
    return me.Problem(measure, value=float(low + share * (high - low)), **known)


def row(problem: me.Problem, solution: me.problem.Solution, other: float, by: str) -> tuple[object, ...]:
    """What all parts report; ``better`` is how much more entropy the other found."""
    low, high = (end.listed for end in problem.ends)
    share = (problem.value - low) / (high - low)
    name = str(problem.measure).split("(")[0]
    better = other - solution.entropy if solution.status == "optimal" else np.nan
    return problem.depth, problem.levels, name, share, solution.status, solution.entropy, other, by, better


def model(reduced: ReducedProblem) -> tuple[scip.Model, np.ndarray]:
    """SCIP's model: -p log p as expressions, cumulative sums as variables, the value as a quadratic equality.

    With K = L L', y_n = L' p_n and Y_n their cumulative sums, 2 d_n p_n' K S_n = d_n (Y_n^2 - Y_{n-1}^2 - y_n^2):
    squares of single variables, which SCIP bounds far better than products.
    """
    form = reduced.form
    (depth, c), grades = form.a.shape, range(form.a.shape[1])
    root = np.linalg.cholesky(form.K)
    falls = form.d - np.append(form.d[1:], 0.0)
    task = scip.Model()
    task.hideOutput()
    task.setParams({"limits/time": SECONDS, "limits/gap": GAP, "numerics/feastol": FEASIBLE})
    p = np.array([[task.addVar(lb=1e-12, ub=1) for _ in range(c + 1)] for _ in range(depth)])
    parts, value = [], []
    sums = [0.0 for _ in grades]
    for n in range(depth):
        parts.append(task.addVar(lb=0, ub=float(np.log(c + 1))))
        task.addCons(parts[n] <= scip.quicksum(-x * scip.log(x) for x in p[n]))
        task.addCons(scip.quicksum(p[n]) == 1)
        value += [form.a[n, i] * p[n, 1 + i] for i in grades]
        for i in grades:
            bound = float(root[:, i].max())
            y, following = task.addVar(lb=0, ub=bound), task.addVar(lb=0, ub=float(root[:, i] @ reduced.counts))
            task.addCons(y == scip.quicksum(root[k, i] * p[n, 1 + k] for k in grades))
            task.addCons(following == sums[i] + y)
            value.append(falls[n] / 2 * following * following - form.d[n] / 2 * y * y)
            sums[i] = following
    for i in grades:
        task.addCons(scip.quicksum(p[:, 1 + i]) == reduced.counts[i])
    task.addCons(scip.quicksum(value) == reduced.value)
    task.setObjective(scip.quicksum(parts), "maximize")
    return task, p


def part_scip(number: int, rng: np.random.Generator) -> pd.DataFrame:
    """``other``: the maximum near SCIP's point; ``bound``: proven; ``below``: Newton above the bound.

    SCIP's equalities hold to a tolerance only; times the multipliers, that is entropy (``slack``).
    """
    rows = []
    for _ in tqdm(range(number), desc="SCIP", disable=None):
        problem = draw((2, 10), 3, 1e-4, rng)
        solution, reduced = me.solve(problem), ReducedProblem.of(problem)
        task, p = model(reduced)
        task.optimize()
        other = -np.inf
        if task.getNSols():
            best = task.getBestSol()
            other = polished(reduced, np.array([[task.getSolVal(best, x) for x in r] for r in p]))
        slack = 0.0
        if solution.status == "optimal":
            multipliers = np.nan_to_num(
                [solution.multipliers.value * reduced.arrays.scale.item(), *solution.multipliers.counts]
            )
            slack = 4 * FEASIBLE * problem.depth * float(np.abs(multipliers[np.abs(multipliers) < 1e100]).sum())
        bound = task.getDualbound()
        closed = task.getStatus() in ("optimal", "gaplimit")
        below = solution.status == "optimal" and bound < solution.entropy - AGREE - slack
        rows.append((*row(problem, solution, other, "SCIP"), bound, closed, below))
    return pd.DataFrame(rows, columns=[*COLUMNS, "bound", "closed", "below"])


def polished(reduced: ReducedProblem, p: np.ndarray) -> float:
    """Entropy of the certified maximum that an ascent from p (depth, c + 1) leads to; minus infinity if none."""
    safe = np.maximum(p, 1e-12)
    start = np.log(safe[:, 1:] / safe[:, :1]), reduced.arrays.fitted(safe)
    arrays = reduced.arrays
    solution = claimed_solution(
        reduced, ascend(single(arrays.batch, arrays.scale), *start, quadratic=not reduced.linear), "peer"
    )
    return solution.entropy if solution.certificate.accepted else -np.inf


def part_ipopt(number: int, rng: np.random.Generator) -> pd.DataFrame:
    """``other``: IPOPT's certified entropy (CVXPY's nonlinear mode), polished by Newton from where it stopped."""
    rows = []
    for _ in tqdm(range(number), desc="IPOPT", disable=None):
        problem = draw((30, 200), 3, 1e-3, rng)
        solution, reduced = me.solve(problem), ReducedProblem.of(problem)
        model, p = nonlinear_problem(reduced)
        model.solve(solver=cp.IPOPT, nlp=True, tol=1e-10, print_level=0, sb="yes")
        other = -np.inf if p.value is None else polished(reduced, np.asarray(p.value))
        rows.append((*row(problem, solution, other, "IPOPT"), model.status))
    return pd.DataFrame(rows, columns=[*COLUMNS, "peer_status"])


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Problems by where the value lies: solved, failed, agreeing, with a better maximum elsewhere, by how much."""
    edges = [0, 1e-4, 1e-3, 1e-2, 0.1, 0.9, 0.99, 0.999, 1]
    names = ["<1e-4", "<1e-3", "<.01", "<.1", "middle", ">.9", ">.99", ">.999"]
    table = table.assign(
        failed=table["status"] == "failed",
        no_answer=np.isneginf(table["other"]),
        worse_there=table["better"].between(-1e300, -AGREE),
        agree=table["better"].abs() <= AGREE,
        beaten=table["better"] > AGREE,
    )
    grouped = table.groupby(pd.cut(table["where"], edges, labels=names), observed=True)
    counts = grouped[["failed", "no_answer", "worse_there", "agree", "beaten"]].sum()
    extra = {"closed": "sum", "below": "sum"}
    for name in extra.keys() & set(table.columns):
        counts[name] = grouped[name].agg(extra[name])
    counts.insert(0, "problems", grouped.size())
    counts["most_better"] = grouped["better"].max()
    return counts


PARTS: dict[str, tuple[Callable[[int, np.random.Generator], pd.DataFrame], int]] = {
    "scip": (part_scip, 200),
    "ipopt": (part_ipopt, 500),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if something better than the solver's point exists, or a bound lies below it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=list(PARTS), action="append", help="default: all")
    parser.add_argument("--number", type=int, help="problems per part (default: 500, scip: 200)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    disagreements = 0
    for part in arguments.part or PARTS:
        compute, usual = PARTS[part]
        table = compute(arguments.number or usual, np.random.default_rng(arguments.seed))
        wrong = table["better"] > AGREE
        if "below" in table:
            wrong |= table["below"]
        print(f"\n{part}: {wrong.sum()} disagreements in {len(table)} problems")
        print(summary(table).to_string(float_format=lambda x: f"{x:.2g}"))
        print(table[wrong].to_string(float_format=lambda x: f"{x:.6g}") if wrong.any() else "none better")
        disagreements += int(wrong.sum())
    return int(disagreements > 0)


if __name__ == "__main__":
    sys.exit(main())
