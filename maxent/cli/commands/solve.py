"""Which list is the most random one with this value of a measure?

The most random probability-at-rank distribution for a measure's value, or for the values of several measures
(--measure "AP & P@10" --value 0.35,0.6). Prints the status, the entropy in nats, the multipliers of the values
(minus the change of entropy per unit of a measure) and the certificate: residuals recomputed from the problem,
whatever the solver reports. Files in --out: p.csv (measure, rank, grade, p), the figure profile.
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Panel, Sheet, Table, plotted
from maxent.curves import profile
from maxent.measures import parse_measure
from maxent.problem import Problem, Solution
from maxent.result import Result
from maxent.solvers import solve
from maxent.study.topics import SOLVED


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--measure", required=True, metavar="M", help="e.g. GAP(g=0.5,0.5)")
    parser.add_argument(
        "--value", default=(), type=shared.numbers, metavar="V1,V2,...", help="value of each measure"
    )
    parser.add_argument(
        "--relevant", required=True, type=shared.numbers, metavar="R1,R2,...", help="judged documents of each grade"
    )
    parser.add_argument(
        "--retrieved", type=shared.numbers, metavar="C1,C2,...", help="those in the list (default: all of them)"
    )
    shared.add_options(parser, *shared.PROBLEM, depth=shared.NO_RUNS)


def run(arguments: argparse.Namespace) -> Result:
    problem = Problem(
        parse_measure(arguments.measure),
        retrieved=arguments.retrieved or arguments.relevant,
        **given.keywords(arguments, "value", "relevant", "depth", "count", "reference"),
    )
    solution = solve(problem, solver=arguments.solver, model=arguments.model)
    pairs = zip(problem.measure.parts, problem.values, strict=True)
    tables = [Table(name="solution", title="Solution", frame=_rows(solution), places=("text", "page"))]
    figures: tuple[Sheet, ...] = ()
    if solution.status in SOLVED:
        table = profile(solution)
        tables.append(Table(name="p", frame=table, places=("file",)))
        panel = Panel(plotted("plot_profile", table), "Probability of each grade at each rank.")
        figures = (Sheet("profile", (panel,)),)
    return Result(
        title=", ".join(f"{part} = {value:g}" for part, value in pairs),
        tables=tuple(tables),
        figures=figures,
    )


def _rows(solution: Solution) -> pd.DataFrame:
    """What there is to know of a solution, as names and texts."""
    rows = [
        ("status", f"{solution.status}{f': {solution.message}' if solution.message else ''}"),
        ("solver", f"{solution.solver}, {solution.iterations} iterations"),
    ]
    if solution.status in SOLVED:
        pairs = zip(solution.multipliers.values, solution.problem.measure.parts, strict=True)
        rows.append(("entropy", f"{solution.entropy:.10f} nats"))
        rows += [("multiplier", f"{multiplier:.10g} nats per unit of {part}") for multiplier, part in pairs]
        rows += [(name, str(value)) for name, value in solution.certificate._asdict().items()]
    return pd.DataFrame(rows, columns=["quantity", "is"])
