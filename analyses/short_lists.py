"""Which measure is the most informative about ten documents, and which answers depend on how that is asked.

Two questions: what does a value say beside the number of relevant documents found, and what alone?  The criterion
is the error of precision at every rank, which no measure's own constraint fixes.  Each pair of measures is compared
over whole lists and independent ranks, with three references, on lists of 5, 10 and 20 documents of three
collections, with one grade and two, and on simulated topics with one to three relevant documents; and with
precision that is learned from the lists of other topics.  Intervals are Student's over topics, paired, and
corrected for the number of pairs.  Then the two columns that a leaderboard should print.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import ALL, given, in_processes, options, read, spaced, started, write
from inferences import merged, predicted
from matplotlib.figure import Figure

from maxent import Joint, choose_measures, collect, informativeness, parse_measure
from maxent.data.collection import Collection
from maxent.problem import Count
from maxent.problem.solution import Model
from maxent.stats.intervals import ROUNDING
from maxent.studies.compare_measures import readings
from maxent.studies.options import BOTH, EVERY_RANK
from maxent.studies.rank_profile import FOLDS
from maxent.studies.same_lists import LIST
from maxent.studies.topics import CONSTANT, SOLVED
from maxent.studies.verdicts import differences, verdicts
from maxent.types import FloatArray, IntArray

MEASURES = ("AP", "nDCG@{k}", "P@{k}", "P@{half}", "RR@{k}", "RBP(p=0.8)", "RBP(p=0.5)")
CASCADE = "RR@{k}"  # which only whole lists can have
BOUNDED = "AP by min(R, {k})"  # AP times a constant of the topic: a problem of its own for what is learned alone
REFERENCES = {"uniform": "uniform", "1/n": "log-uniform", "topics": "topics"}
CHOSEN = ("uniform", "1/n")  # references with which columns are chosen
MODELS: tuple[Model, ...] = ("lists", "ranks")
LEARNED = ("ridge", "nearest lists")
FEW_GOLD = "few gold"
DEPTHS = (5, 10, 20)
READING = ["collection", "depth", "grades", "inference"]
OWN = ["count", "inference"]  # of a reading, within a collection of some depth and grades
COUNTED: dict[tuple[str, Count, str], tuple[str, str]] = {
    ("robust03", "retrieved", "lists, uniform"): (
        ".178 .123 .103 .074 .067 .078 .066", "0 .78 .53 .95 1.02 .96 1.06"
    ),
    ("robust03", "retrieved", "lists, 1/n"): (
        ".145 .109 .086 .073 .068 .078 .067", "0 .60 .49 .72 .73 .69 .77"
    ),
    ("robust03", "at_most", "lists, uniform"): (
        ".178 .163 .182 .134 .130 .117 .104", "2.19 1.55 1.50 2.24 2.22 2.25 2.42"
    ),
    ("robust03", "at_most", "lists, 1/n"): (
        ".145 .157 .263 .106 .111 .105 .107", "4.11 2.32 .82 3.91 4.04 3.83 3.41"
    ),
    (FEW_GOLD, "retrieved", "lists, uniform"): (
        ".146 .122 .059 .056 .055 .063 .055", "0 .57 .66 .71 .73 .81 .74"
    ),
    (FEW_GOLD, "at_most", "lists, uniform"): (
        ".146 .139 .067 .079 .082 .084 .067", "1.10 .64 1.36 1.32 1.32 1.34 1.37"
    ),
}  # fmt: skip
"""Mean error and nats by collection, count and inference: 1,024 lists of one grade counted, with a solver apart."""
COUNTED_MEASURES = ("P@{k}", "P@{half}", "RR@{k}", "AP", "nDCG@{k}", "RBP(p=0.8)", "RBP(p=0.5)")


def texts(depth: int) -> dict[str, str]:
    """The text form of every measure at a depth, and what it is called at all of them."""
    places = {"k": depth, "half": depth // 2}
    return {str(parse_measure(name.format(**places))): name for name in MEASURES}


def compute(
    data: Path,
    *,
    collections: Sequence[str] = (*ALL, FEW_GOLD),
    depths: Sequence[int] = DEPTHS,
    runs: int | None = None,
    jobs: int = 2,
) -> dict[str, pd.DataFrame]:
    """Tables: ``""``: verdicts by question (count) and collection. ``_differences``: what they rest on.

    ``_holding``: in how many readings the first of each pair is ahead. ``_means``: errors of every measure in every
    reading. ``_columns``: the measures that are chosen one after the other at ten documents. ``_counted``:
    numbers that were counted before, beside those of this package.
    """
    pieces = [
        (data, name, runs, depth, grades)
        for name in collections
        for depth in sorted(depths, reverse=True)
        for grades in (1, 2)
        if name != FEW_GOLD or (grades == 1 and depth <= 10)
    ]
    compared = in_processes(compared_piece, pieces, jobs=jobs, desc="comparing", unit="study")
    choices = [(data, name, runs, count, of) for name in collections for count in BOTH for of in CHOSEN]
    chosen = in_processes(chosen_columns, choices, jobs=jobs, desc="choosing", unit="choice")
    rows = pd.concat([rows for _, rows in compared], ignore_index=True)
    before = [(data, name) for name in collections if name in {key[0] for key in COUNTED}]
    tables = {
        "": verdicts_by_question(rows),
        "_holding": holding(rows),
        "_differences": rows,
        "_means": pd.concat([means for means, _ in compared], ignore_index=True),
        "_columns": pd.concat(chosen, ignore_index=True),
    }
    if before:
        own = in_processes(counted, before, jobs=jobs, desc="counting", unit="collection")
        tables["_counted"] = pd.concat(own, ignore_index=True)
    return tables


def collection_of(data: Path, name: str, runs: int | None, depth: int, grades: int) -> Collection:
    """A collection cut to a depth, in which higher grades count as the highest of ``grades``."""
    if name == FEW_GOLD:
        return few_gold().part(depth=depth)
    files, qrels = read(data / name)
    return collect(spaced(files, runs), merged(qrels, grades), depth=1000, progress=False).part(depth=depth)


def few_gold(topics: int = 600) -> Collection:
    """Two runs of ten documents for topics with one to three relevant ones, most of which are near the top."""
    rng = np.random.default_rng(1)
    relevant = rng.choice([1, 1, 1, 2, 3], topics)
    grades = np.zeros((topics, 2, 10), dtype=np.int16)
    for topic, system in np.ndindex(topics, 2):
        for _ in range(relevant[topic]):
            if rng.random() < 0.6:
                grades[topic, system, min(9, int(rng.exponential(2.5)))] = 1
    same = np.ones((topics, 2))
    return Collection(
        runs=("system1", "system2"), topics=tuple(map(str, range(topics))), grades=grades, nonrelevant=grades == 0,
        relevant=relevant[:, None], judged_nonrelevant=0 * relevant, lengths=10 * same.astype(int), judged_10=same,
        tied=same == 0, without_relevant=(),
    )  # fmt: skip


def compared_piece(
    data: Path, name: str, runs: int | None, depth: int, grades: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Means of every measure, and differences of every pair, in all readings of a collection."""
    table = errors(collection_of(data, name, runs, depth, grades))
    table["status"] = table["status"].replace(CONSTANT, SOLVED[0])  # a value that the counts fix counts, too
    solved = table[table["status"].isin(SOLVED)]
    means = solved.groupby(["count", "inference", "measure", "threshold"], sort=False)["rms"].mean()
    pairs = [*combinations(MEASURES, 2), (BOUNDED, "AP")]
    rows = differences(table, OWN, pairs, replicates=1000, rng=0)
    names: dict[str, Any] = {"collection": name, "depth": depth, "grades": grades}
    return means.reset_index().assign(**names), rows.assign(**names)


def errors(collection: Collection) -> pd.DataFrame:
    """Errors of every list, by count, inference, measure and threshold."""
    names, frames = texts(collection.depth), []
    for count in BOTH:
        for model in MODELS:
            measures = [text for text, name in names.items() if model == "lists" or name != CASCADE]
            for reference, option in REFERENCES.items():
                table = informativeness(
                    collection, measures=measures, count=count, model=model, reference=option, align=EVERY_RANK,
                    min_retrieved=0, progress=False,
                )  # fmt: skip
                table["measure"] = table["measure"].map(names)
                frames.append(table.assign(count=count, inference=f"{model}, {reference}"))
                if (model, reference) == ("lists", "uniform"):
                    frames.append(learned(collection, table, count))
    return pd.concat(frames, ignore_index=True)


def learned(collection: Collection, table: pd.DataFrame, count: Count) -> pd.DataFrame:
    """Errors of precision at every rank that is learned from the values and counts of lists of other topics."""
    relevant = pd.Series(collection.relevant.sum(axis=1), index=list(collection.topics))
    ap = table[table["measure"] == "AP"]
    of_topic = ap["query_id"].map(relevant)
    bounded = ap["value"] * of_topic / of_topic.clip(upper=collection.depth)
    table = pd.concat([table, ap.assign(measure=BOUNDED, value=bounded)])
    frames = []
    for (_, threshold), rows in table.groupby(["measure", "threshold"], sort=False):
        rows = rows[rows["status"].isin(SOLVED)]
        topics = pd.Index(collection.topics).get_indexer(pd.Index(rows["query_id"]))
        grades = collection.grades[topics, pd.Index(collection.runs).get_indexer(pd.Index(rows["run_id"]))]
        precision = (grades >= int(str(threshold))).cumsum(axis=1) / np.arange(1, collection.depth + 1)
        counts = counts_of(grades, collection.relevant[topics], count)
        for way in LEARNED:
            value = rows["value"].to_numpy()
            known = np.column_stack((value, *([value**2] if way == "ridge" else []), counts))
            curves = predicted(way, known, precision, topics % FOLDS).clip(0, 1)
            rms = np.sqrt(np.mean((curves - precision) ** 2, axis=1))
            frames.append(rows.assign(rms=rms, count=count, inference=way))
    return pd.concat(frames, ignore_index=True)


def counts_of(grades: IntArray, relevant: IntArray, count: Count) -> FloatArray:
    """What is known of lists beside values, (lists, numbers): documents of each grade, found or of the topic."""
    found = [(grades == grade).sum(axis=1) for grade in range(1, relevant.shape[1] + 1)]
    return np.asarray(np.log1p(np.column_stack((relevant, *(found if count == "retrieved" else [])))))


def verdicts_by_question(rows: pd.DataFrame) -> pd.DataFrame:
    """Verdicts on all pairs for each count: on each collection, and on those with many relevant documents."""
    frames = []
    for count in BOTH:
        own = rows[rows["count"] == count]
        many = own[own["collection"] != FEW_GOLD]
        groups = {"many relevant": many} if many["collection"].nunique() > 1 else {}
        for name, group in (groups | dict(list(own.groupby("collection", sort=False)))).items():
            frames.append(verdicts(group, READING)[0].assign(count=count, collection=name))
    return pd.concat(frames, ignore_index=True)


def holding(rows: pd.DataFrame) -> pd.DataFrame:
    """Readings of each pair by count, collection and way to infer, over all thresholds, and what they say.

    Columns ahead (smaller error of the first), told (the interval says so) and opposite (it says the
    opposite); the measure that is ahead more often comes first.
    """
    over = rows[(rows["threshold"] == 0) & (rows["first"] != BOUNDED)]
    signs = pd.DataFrame({
        "ahead": over["difference"] < 0,
        "told": over["difference_high"] < -ROUNDING,
        "opposite": over["difference_low"] > ROUNDING,
    })  # fmt: skip
    over = over.assign(way=over["inference"].isin(LEARNED).map({True: "learned", False: "entropy"}))
    groups = signs.groupby([over[name] for name in ("count", "first", "second", "collection", "way")], sort=False)
    table = groups.sum().assign(readings=groups.size()).reset_index()
    turned = table.assign(
        first=table["second"], second=table["first"], ahead=table["readings"] - table["ahead"],
        told=table["opposite"], opposite=table["told"],
    )  # fmt: skip
    wins = table.groupby(["count", "first", "second"])[["ahead", "readings"]].transform("sum")
    behind = 2 * wins["ahead"] < wins["readings"]
    return table.where(~behind, turned[table.columns])


def chosen_columns(data: Path, name: str, runs: int | None, count: Count, reference: str) -> pd.DataFrame:
    """The steps of the choice of two measures at ten documents."""
    collection = collection_of(data, name, runs, 10, 2)
    found = choose_measures(collection, count=count, reference=REFERENCES[reference], progress=False)
    return found.table.assign(collection=name, count=count, reference=reference)


def counted(data: Path, name: str) -> pd.DataFrame:
    """The numbers that were counted before, beside those of this package: as printed then, and the same or not."""
    collection, records = collection_of(data, name, None, 10, 1), []
    for of, count, inference in (key for key in COUNTED if key[0] == name):
        own = numbers_of(collection, count, REFERENCES[inference.removeprefix("lists, ")])
        for criterion, digits, numbers in zip(own, (3, 2), COUNTED[of, count, inference], strict=True):
            for measure, number in zip(COUNTED_MEASURES, numbers.split(), strict=True):
                here = abs(round(own[criterion][measure], digits))
                records.append((of, count, inference, measure, criterion, float(number), here))
    columns = ["collection", "count", "inference", "measure", "criterion", "counted", "here"]
    table = pd.DataFrame(records, columns=columns)
    return table.assign(same=np.isclose(table["counted"], table["here"], atol=1e-9))


def numbers_of(collection: Collection, count: Count, reference: str) -> pd.DataFrame:
    """Mean error of each measure over whole lists of ten, and nats: the log-likelihood that its value adds."""
    table = readings(
        collection, [Joint(), *texts(10)], counts=[count], models=["lists"], references=[reference],
        aligns=[EVERY_RANK], min_retrieved=0, progress=False,
    )  # fmt: skip
    likely = table.pivot(index=LIST, columns="measure", values="log_likelihood")
    nats = likely.sub(likely.pop(str(Joint())), axis=0).mean()
    rms = table.groupby("measure")["rms"].mean()[nats.index]
    return pd.DataFrame({"rms": rms, "nats": nats}).rename(index=texts(10))


def draw(table: pd.DataFrame) -> Figure:
    """Readings in which the first measure of a pair is ahead: a row for each pair, a panel for each question."""
    collections = [name for name in dict.fromkeys(table["collection"]) if name != "many relevant"]
    pairs = list(combinations(MEASURES, 2))
    figure = Figure(figsize=(3 + 2.2 * len(collections), 2 + 0.25 * len(pairs)), layout="constrained")
    for ax, count in zip(figure.subplots(1, len(BOTH), sharey=True), BOTH, strict=True):
        own = table[table["count"] == count].set_index("collection")
        shares = np.full((len(pairs), len(collections)), np.nan)
        for column, name in enumerate(collections):
            for row in own.loc[[name]].to_dict("records"):
                pair, net = (row["first"], row["second"]), (row["told"] - row["opposite"]) / max(row["readings"], 1)
                for place, sign in ((pair, 1), (pair[::-1], -1)):
                    if place in pairs:
                        shares[pairs.index(place), column] = sign * net
        image = ax.imshow(shares, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
        ax.set_xticks(range(len(collections)), collections, rotation=90, fontsize=7)
        ax.set_yticks(range(len(pairs)), [" before ".join(map(label, pair)) for pair in pairs], fontsize=6)
        ax.set_title(count, fontsize=9)
    figure.colorbar(
        image, ax=figure.axes, label="readings whose interval says so, less those that say the opposite"
    )
    return figure


def label(name: str) -> str:
    """A measure as it is called at ten documents."""
    return name.format(k=10, half=5)


def report(found: dict[str, pd.DataFrame]) -> None:
    """Print means, verdicts, chosen columns, and what was counted before."""
    means = found["_means"]
    own = means[(means["depth"] == 10) & (means["threshold"] == 1)]
    wide = own.pivot_table(
        index=["count", "grades", "inference", "collection"], columns="measure", values="rms", sort=False
    )
    print(f"mean RMS error, ten documents\n{wide.rename(columns=label).to_string(float_format='%.3f')}\n")
    shown = found[""].assign(**{name: found[""][name].map(label) for name in ("first", "second")})
    for (count, name), rows in shown.groupby(["count", "collection"], sort=False):
        print(f"{count}, {name}\n{rows.drop(columns=['count', 'collection']).to_string(index=False)}\n")
    table = found["_holding"]
    said = table[["ahead", "readings", "told", "opposite"]].astype(str).agg("/".join, axis=1)
    pairs = table["first"].map(label) + " before " + table["second"].map(label)
    wide = table.assign(said=said, pair=pairs).pivot_table(
        index=["count", "pair"], columns=["way", "collection"], values="said", aggfunc="first", sort=False
    )
    print(f"ahead / readings / intervals that say so / that say the opposite\n{wide.to_string()}", end="\n\n")
    print(found["_columns"].to_string(index=False), end="\n\n")
    if "_counted" in found:
        table = found["_counted"]
        print(f"of {len(table)} numbers counted before, {table['same'].sum()} are the same as printed")
        print(table[~table["same"]].to_string(index=False))


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__, collections=(*ALL, FEW_GOLD), depth=False)
    parser.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS))
    parser.add_argument("--runs", type=int, default=6, help="runs of each collection, evenly spaced by name")
    with started(parser, argv) as arguments:
        found = compute(**given(arguments))
        report(found)
        write(arguments.out, "short_lists", draw(found[""]), found)


if __name__ == "__main__":
    main()
