"""What do the values of measures say about one list?

Prints the errors of the precision-recall curves inferred from the values, per measure and threshold. Files in
--out: curves.csv, profiles.csv (the inferred distributions), the figures curves and profiles.
"""

import argparse
from dataclasses import replace

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.results.result import Result
from maxent.studies.explain import explain


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=True, topics=False)
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="name of the run (default: the only one)")
    parser.add_argument("--topic", required=True, metavar="ID", help="topic of the list")
    shared.add_measures(parser, 'GAP with equal g, AP and "nDCG(gain=exp2)"')
    shared.add_options(parser, *shared.PROBLEM, "align", "band")


def run(arguments: argparse.Namespace) -> Result:
    arguments.topics = arguments.topic
    collection, _ = given.collection(arguments)
    texts = arguments.measures
    found = explain(
        collection,
        run=arguments.run_name,
        measures=None if texts is None else given.measures(texts, collection.levels),
        **given.keywords(arguments, "topic", "count", "model", "reference", "align", "band", "solver"),
    )
    given.printer(arguments).note(found.result.introduction)
    return replace(found.result, collection=collection)
