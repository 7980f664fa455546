"""For which threshold probabilities g is GAP(g), or for which gains is nDCG, the most informative?

Those for which inferred curves have the smallest mean RMS error over the thresholds, which --weights may weight.
With --measure nDCG, its gains: those of GAP(g), g_1 + ... + g_i for grade i. Prints every candidate with its 95 %
bootstrap interval over topics, and how often it is the best in bootstrap samples of the topics. A local
optimisation then looks for a better g between the points of the grid; if it finds one, that is the last candidate.

Files in --out: choose-g.csv, and the figure choose-g. An interrupted study goes on when started again.

"maxent measures" lists the measures and how they are written; "maxent measures GAP" explains g.

  maxent choose-g --qrels qrels.txt --runs runs --weights 1=1,2=3 --out choose-g
"""

import argparse

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.measures import g_grid
from maxent.results.result import Result
from maxent.studies.refine_g import KINDS, candidate
from maxent.studies.study import choice_result


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_options(parser, *shared.STUDY)
    parser.add_argument("--measure", choices=KINDS, default="GAP", help="choose its g or gains (default: GAP)")
    parser.add_argument("--no-refine", dest="refine", action="store_false",
                        help="only the points of the grid (default: refine the best one)")  # fmt: skip


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments, by_name=True)
    grid = g_grid(levels=collection.levels, steps=arguments.g_steps or shared.G_STEPS)
    candidates = tuple(candidate(arguments.measure, g) for g in grid)
    options = given.options(arguments, collection, measures=candidates)
    head = given.heading(arguments, collection, name, options.reading_text)
    of_choice = given.keywords(arguments, "measure", "refine")
    more = given.keywords(arguments, "weights", "rng")
    return choice_result(options=options, of_choice=of_choice, **more, **head)
