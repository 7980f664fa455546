"""``maxent solve``: one maximum-entropy problem."""

import argparse
import sys

from maxent.cli import arguments as shared
from maxent.cli.output import new_figure, results, write_figure, write_table
from maxent.curves import profile
from maxent.measures import parse_measure
from maxent.problem import Problem, Solution
from maxent.solvers import solve
from maxent.study.topics import SOLVED

DESCRIPTION = """\
The most random probability-at-rank distribution for a measure's value, or for the values of several measures
(--measure "AP & P@10" --value 0.35,0.6).  Prints the status, the entropy in nats, the multipliers of the values
(minus the change of entropy per unit of a measure) and the certificate: residuals recomputed from the problem,
whatever the solver reports.  Files in --out: p.csv (measure, rank, grade, p), profile.png and .svg."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
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
    parser.add_argument("--depth", type=shared.positive, default=1000, metavar="N", help="default: 1000")
    shared.add_problem(parser)
    shared.add_out(parser, "p.csv and the profile")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    problem = Problem(
        parse_measure(arguments.measure),
        value=arguments.value,
        relevant=arguments.relevant,
        retrieved=arguments.retrieved or arguments.relevant,
        depth=arguments.depth,
        count=arguments.count,
    )
    solution = solve(problem, solver=arguments.solver)
    print(_report(solution))
    if arguments.out is not None and solution.status in SOLVED:
        from maxent.plot.curves import plot_profile  # loads matplotlib

        with results(arguments.out, say=lambda text: print(text, file=sys.stderr)) as out:
            table = profile(solution)
            write_table(table, out / "p.csv")
            figure = new_figure(6, 4)
            plot_profile(table, ax=figure.subplots())
            pairs = zip(problem.measure.parts, problem.values, strict=True)
            figure.suptitle(", ".join(f"{part} = {value:g}" for part, value in pairs), fontsize=11)
            write_figure(figure, out / "profile")


def _report(solution: Solution) -> str:
    certificate = solution.certificate
    lines = [
        f"status        {solution.status}{f': {solution.message}' if solution.message else ''}",
        f"solver        {solution.solver}, {solution.iterations} iterations",
    ]
    if solution.status in SOLVED:
        pairs = zip(solution.multipliers.values, solution.problem.measure.parts, strict=True)
        lines += [
            f"entropy       {solution.entropy:.10f} nats",
            *(f"multiplier    {multiplier:.10g} nats per unit of {part}" for multiplier, part in pairs),
        ]
        lines += [f"{name:<22}{value}" for name, value in zip(certificate._fields, certificate, strict=True)]
    return "\n".join(lines)
