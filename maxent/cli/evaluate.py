"""``maxent evaluate``: values of measures for runs."""

import argparse
import sys

from maxent.cli import arguments as shared
from maxent.cli.output import results, text_table, write_table
from maxent.data.collection import Collection
from maxent.data.evaluate import EMPTY, Empty, evaluate_collection
from maxent.measures import parse_measure

DESCRIPTION = """\
Values of measures for every run: means over topics, or every topic with --per-topic.  Ties are broken by document
id, descending, as in trec_eval.  Topics of the judgments that are missing from a run, or have no relevant document,
score 0 and count, as in ir_measures and "trec_eval -c".  File in --out: values.csv (every run and topic)."""


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
    parser.add_argument(
        "--empty", choices=EMPTY, default="zero",
        help="topics without relevant documents count 0 (zero, the default) or are left out (skip)",
    )  # fmt: skip
    shared.add_out(parser, "values.csv")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    measures = [parse_measure(text) for text in arguments.measures]
    collection, _ = shared.collection(arguments)
    values = evaluate_collection(collection, measures, empty=arguments.empty)
    rows = ["run_id", "query_id"] if arguments.per_topic else ["run_id"]
    wide = values.pivot_table(index=rows, columns="measure", values="value", sort=False)
    print(text_table(wide[[str(m) for m in measures]].reset_index()))
    print(f"\n{_topics(collection, arguments.empty)}", file=sys.stderr)
    if arguments.out is not None:
        with results(arguments.out) as out:
            write_table(values, out / "values.csv")


def _topics(collection: Collection, empty: Empty) -> str:
    """What the means are over, in words."""
    empties, missing = len(collection.without_relevant), int(collection.missing.sum())
    topics = len(collection.topics) + (empties if empty == "zero" else 0)
    text = f"{topics} topic{'s' if topics != 1 else ''}"
    if empties:
        rule = "count 0 (--empty skip leaves them out)" if empty == "zero" else "are left out"
        text += f"; those without relevant documents {rule}: {empties}"
    if missing:
        text += f"; lists that are missing from their run and count 0: {missing}"
    return text
