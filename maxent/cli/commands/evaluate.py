"""How good are runs by these measures?

Values of measures for every run: means over topics, or every topic with --per-topic. Ties are broken by document
id, descending, as in trec_eval. Topics of the judgments that are missing from a run, or have no relevant document,
score 0 and count, as in ir_measures and "trec_eval -c". --format jsonl prints an object per value, with run_id and
the keys of ir_measures: query_id, measure, value. File in --out: values.csv (every run and topic).

  maxent evaluate --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)@10" --per-topic --format csv -q
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Table
from maxent.data.collection import Collection
from maxent.data.evaluate import Empty, by_measure, evaluate
from maxent.measures import as_measures
from maxent.result import Result
from maxent.texts import many


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=True)
    shared.add_measures(parser, "AP nDCG P@10 Rprec", default=["AP", "nDCG", "P@10", "Rprec"])
    parser.add_argument("--per-topic", action="store_true", help="print every topic, and the means as topic all")
    columns = "with --format tsv, csv or jsonl print a column for each measure"
    parser.add_argument("--wide", action="store_true", help=columns)
    single = "compare scores in single precision as trec_eval <= 9 does"
    parser.add_argument("--float32", action="store_true", help=single)
    shared.add_options(parser, "empty")


def run(arguments: argparse.Namespace) -> Result:
    measures = as_measures(arguments.measures)
    collection, name = given.collection(arguments)
    values = evaluate(collection, measures=measures, empty=arguments.empty)
    means = values.groupby(["run_id", "measure"], sort=False)[["value"]].mean().reset_index()
    tidy = _with_means(values, means) if arguments.per_topic else means
    keys = ["run_id", "query_id"] if arguments.per_topic else ["run_id"]
    wide = by_measure(tidy, keys)
    return Result(
        title=name,
        tables=(
            Table(name="values", frame=values, places=("file",)),
            Table(
                name="means", title="Values", frame=wide if arguments.wide else tidy, shown=wide, keys=len(keys),
                places=("text", "page"),
            ),
        ),
        notes=(_topics(collection, arguments.empty),),
        collection=collection,
    )  # fmt: skip


def _with_means(values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Values with the means of a run after its topics, as rows of a topic ``all``, as in trec_eval."""
    together = pd.concat([values, means.assign(query_id="all")], ignore_index=True)
    place = {run: k for k, run in enumerate(means["run_id"].unique())}
    return together.sort_values("run_id", key=lambda runs: runs.map(place), kind="stable", ignore_index=True)


def _topics(collection: Collection, empty: Empty) -> str:
    """What the means are over, in words."""
    empties, missing = len(collection.without_relevant), int(collection.missing.sum())
    topics = len(collection.topics) + (empties if empty == "zero" else 0)
    text = f"{many(topics, 'topic')}, depth {collection.depth}"
    if empties:
        text += f"; those without relevant documents {given.without_relevant(empty)}: {empties}"
    if missing:
        text += f"; lists that are missing from their run and count 0: {missing}"
    return text
