"""How frequent is each grade at each rank, before anything else is known of a list?

Prints the share of each grade at some ranks over all lists, smoothed over the logarithm of the rank.

Files in --out: profile.csv (columns rank, 0, 1, ...: the shares of the grades at each rank), the figure profile.
The table is a reference for lists of other collections of the same --depth and grades:

  maxent profile --qrels qrels.txt --runs runs --out profile
  maxent study --qrels other.txt --runs others --reference profile/profile.csv
"""

import argparse

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.results.content import Panel, Sheet, Table, plotted
from maxent.results.result import Result
from maxent.studies.rank_profile import rank_profile

SHOWN = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # ranks that people read


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_options(parser, "seed")


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments, by_name=True)
    head = given.heading(arguments, collection, name, "all lists of all topics")
    profile = rank_profile(collection)
    ranks = profile.index.intersection([*SHOWN, collection.depth])
    shown = profile.loc[ranks].add_prefix("grade ").rename_axis("at rank").reset_index()
    long = profile.reset_index().melt("rank", var_name="grade", value_name="p").assign(measure=name)
    table = profile.rename(columns=str).reset_index()
    caption = "Share of each positive grade at each rank over all lists; the axis of ranks is logarithmic."
    panel = Panel(plotted("plot_profile", long), caption)
    return Result(
        tables=(Table(name="profile", title="Share of each grade", frame=table, shown=shown),),
        figures=(Sheet("profile", (panel,)),),
        **head,
    )
