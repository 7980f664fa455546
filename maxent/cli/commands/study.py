"""How informative are measures: how well does the precision-recall curve of a list follow from a value alone?

Compares the precision-recall curves of lists with the curves inferred from a measure's value alone. Prints the most
informative measure and g, the mean RMS errors per measure and threshold with 95 % bootstrap intervals over topics,
and how many lists were left out and why.

Files in --out: informativeness.csv (a row per run, topic, measure and threshold), summary.csv (means), choice.csv
(candidate g), the figure informativeness (with three positive grades a triangular map of g for each threshold).
Rows are by topic in the order of the judgments, by run name, by measure, by threshold: neither the order of the
files nor --jobs changes a byte. An interrupted study goes on when started again.

"maxent measures" lists the measures and how they are written.

  maxent study --qrels qrels.txt --runs runs --measures GAP AP "nDCG(gain=exp2)@10" --out study
"""

import argparse

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.results.result import Result
from maxent.studies.study import study_result

DEFAULT = ("GAP", "AP", "nDCG(gain=exp2)")


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_options(parser, *shared.STUDY)
    shared.add_measures(parser, f"{' '.join(DEFAULT)}; plain GAP stands for the whole g grid")


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments, by_name=True)
    texts = arguments.measures or DEFAULT
    chosen = given.measures(texts, collection.levels, given.steps(arguments, texts))
    options = given.options(arguments, collection, measures=chosen)
    head = given.heading(arguments, collection, name, options.reading_text)
    return study_result(options=options, weights=arguments.weights, rng=arguments.rng, **head)
