"""Values of the runs that are compared: of runs and judgments, with drawn grades, or from another tool."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import collected, embedded_or
from maxent.data.inputs import Qrels, Runs
from maxent.data.select_topics import wanted_topics
from maxent.data.value_files import values_of
from maxent.data.values import empty_note, unjudged_note, values_by_topic
from maxent.errors import InputError, visible
from maxent.judgments.estimates import cautions_of, drawn_values, model_of
from maxent.judgments.pools import pools_of
from maxent.measures import parse_measure
from maxent.options import CollectOptions, CompareSystemsQuestion, part_of
from maxent.results.question import announce
from maxent.stats.paired_tests import value_tables
from maxent.studies.holdings import heading
from maxent.studies.options import expanded
from maxent.texts import many
from maxent.types import BoolArray, FloatArray

MEASURES = ("AP", "nDCG@10", "P@10")


class Scores(NamedTuple):
    """Values of the runs by each measure, and what a result says of them."""

    tables: list[tuple[str, pd.DataFrame]]  # by measure: a row for each topic, a column for each run
    missing: BoolArray  # (topics, runs): topics with relevant documents for which a run has no list
    heading: dict[str, Any]  # title, introduction, reading, collection
    notes: tuple[str, ...] = ()
    draws: FloatArray | None = None  # (measures, topics, runs, draws): values for drawn grades, if these are drawn
    cautions: tuple[str, ...] = ()  # reasons to doubt the means


def scores_of_runs(runs: Runs | Collection | None, qrels: Qrels | None, options: CompareSystemsQuestion) -> Scores:
    """Values of runs, read or drawn."""
    drawn = options["unjudged"] == "model"
    if drawn:
        reading = part_of(CollectOptions, options)
        pools = pools_of(*embedded_or(runs, qrels, options), reading, labels=options["labels"])
    collection = pools.collection if drawn else collected(runs, qrels, options)
    measures = expanded(MEASURES if options["measures"] is None else options["measures"], collection.levels)
    empty, draws = options["empty"], None
    cautions: tuple[str, ...] = ()
    if drawn and (model := model_of(pools, options["rng"])) is not None:
        if model.withheld:
            raise InputError(f'unjudged="model": {model.withheld}')
        jobs, progress, cautions = options["jobs"], options["progress"], cautions_of(model)
        draws = drawn_values(pools, model, measures, empty=empty, jobs=jobs, progress=progress)
    rules = f"test={options['test']}, correction={options['correction']}" + ", unjudged=model" * drawn
    head = heading(collection, runs, qrels, rules, title=options["title"], is_in_finding=not drawn)
    tables = value_tables(values_by_topic(collection, measures=measures, empty=empty))
    missing = np.zeros(tables[0][1].shape, dtype=np.bool_)  # topics without relevant documents come last
    missing[: len(collection.missing)] = collection.missing
    notes = (*empty_note(collection, empty), *unjudged_note(collection))
    return Scores(tables, missing, head, notes, draws, cautions)


def scores_given(runs: Runs | Collection | None, options: CompareSystemsQuestion) -> Scores:
    """Values that exist already."""
    if runs is not None or options["unjudged"] != "zero":
        raise InputError("values are given: leave out runs, and options about their documents")
    table = values_of(options["values"])
    if options["measures"] is not None:
        wanted = [str(parse_measure(measure)) for measure in options["measures"]]
        absent = [measure for measure in wanted if measure not in set(table["measure"])]
        if absent:
            known = ", ".join(map(str, table["measure"].unique()))
            raise InputError(f"values: no value of {', '.join(absent)}; there are those of {known}")
        table = table[table["measure"].isin(wanted)]
    if options["topics"] is not None:
        ids = table["query_id"].astype(str)
        table = table[ids.isin(wanted_topics(options["topics"], list(ids.unique()), "the values have"))]
    tables = value_tables(table)
    shape = tables[0][1].shape  # (topics, runs)
    rules = f"test={options['test']}, correction={options['correction']}"
    title = options["title"] or "values"
    introduction = f"{visible(title)}: {many(shape[1], 'run')} x {many(shape[0], 'topic')}\n"
    announce(introduction)
    head = {"title": title, "introduction": introduction, "reading": rules}
    return Scores(tables, np.zeros(shape, dtype=np.bool_), head)
