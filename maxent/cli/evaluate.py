"""``maxent evaluate``: values of measures for runs."""

import argparse

from maxent.cli import arguments as shared
from maxent.cli.output import results, text_table, write_table
from maxent.data.evaluate import evaluate_collection
from maxent.measures import parse_measure

DESCRIPTION = """\
Values of measures for every run: means over topics, or every topic with --per-topic.  Ties are broken by document
id and a topic missing from a run scores 0, as in trec_eval.  File in --out: values.csv (every run and topic)."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=True)
    parser.add_argument(
        "--measures", nargs="+", metavar="M", default=["AP", "nDCG", "P@10", "Rprec"],
        help="default: AP nDCG P@10 Rprec",
    )  # fmt: skip
    parser.add_argument("--per-topic", action="store_true", help="print every topic, not the means")
    parser.add_argument(
        "--float32", action="store_true", help="compare scores in single precision as trec_eval <= 9 does"
    )
    shared.add_out(parser, "values.csv")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    measures = [parse_measure(text) for text in arguments.measures]
    collection, _ = shared.collection(arguments)
    values = evaluate_collection(collection, measures)
    rows = ["run_id", "query_id"] if arguments.per_topic else ["run_id"]
    wide = values.pivot_table(index=rows, columns="measure", values="value", sort=False)
    print(text_table(wide[[str(m) for m in measures]].reset_index()))
    if arguments.out is not None:
        with results(arguments.out) as out:
            write_table(values, out / "values.csv")
