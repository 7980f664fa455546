"""Comparison of sets of judgments of one collection: their agreement, and their rankings of systems."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from maxent.checks import whole_number
from maxent.data.collection import Collection
from maxent.data.embedded import collected
from maxent.data.inputs import Qrels, Runs, as_qrels
from maxent.data.select_topics import wanted_topics
from maxent.data.values import values_by_topic
from maxent.errors import InputError, ProblemError, quoted, visible
from maxent.judgments.assessors import assessor_tables
from maxent.limits import REPETITIONS
from maxent.measures import Measure
from maxent.measures.candidates import candidates_of
from maxent.options import CompareJudgmentsQuestion, JudgmentsInput, ScaleOptions, takes
from maxent.results.content import Drawing, Fact, Panel, Sheet, Table
from maxent.results.finding import Finding
from maxent.results.question import announce, answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.stats.grade_agreement import ALPHAS, OF_PAIRS, coincidences
from maxent.stats.intervals import interval
from maxent.stats.matrices import confusion_matrix
from maxent.studies.columns import INTERVAL, RUN, TOPIC
from maxent.studies.options import expanded
from maxent.studies.study_tables import one_row_each
from maxent.systems.rankings import DECIMALS, tau, tau_ap
from maxent.texts import many, measure_label, percent
from maxent.types import FloatArray, IntArray

GRID = "GAP(g=...): one row for each g of the grid; with all of g at grade 1 it is AP"
SCALES = """\
the highest grades differ: if the scales differ, make all sets binary with --binary, or take the coarser
one as A and map B to it with --grades; without this, grades of different scales are compared"""
CONFUSION = Schema(
    Column("grade_a", "grade in A; empty if not judged"),
    Column("grade_b", "grade in B; empty if not judged"),
    Column("documents", "documents with this pair of grades"),
    Column("A \\ B", "grade in A"),
    Column("{k}", "documents with grade {k} in B"),
    Column("not judged", "documents that B does not judge"),
)
"""Columns of the documents with each pair of grades."""
AGREEMENT = Schema(
    Column(
        "statistic",
        "agreement: share of documents with the same grade; kappa: agreement beyond chance, also weighted by the "
        "distance of the grades (linear) or its square (quadratic); alpha: Krippendorff's, for grades without an "
        "order (nominal), with an order (ordinal) and with distances (interval); 1: perfect",
        explained=True,
    ),
    Column("value", "value of the statistic; 1: perfect agreement"),
    INTERVAL,
    Column("documents", "documents judged in both sets, or in two or more", hidden=True),
    Column("topics", "topics of these documents", hidden=True),
)
"""Columns of the agreement of the grades."""
RANKS = (
    Column("rank_a", "rank of the run with A", "rank, A"),
    Column("rank_b", "rank of the run with B", "rank, B"),
)
RANKED_BY = Column("measure", "measure that ranks the runs", format="measure")
RANKINGS = Schema(
    RANKED_BY,
    Column(
        "tau",
        "Kendall's tau-b between the rankings of the runs with A and with B; 1: same order",
        explained=True,
    ),
    Column(
        "tau_ap",
        "AP correlation of B's ranking with A's: like tau, but the top counts more",
        "tau AP",
        explained=True,
    ),
    Column("drop", "largest number of ranks that a run loses from A to B"),
    Column("run_id", "run that loses these ranks", "run", "name"),
    *RANKS,
    Column(
        "falls",
        "run that loses the most ranks from A to B; -: no run loses any",
        "falls the most",
        explained=True,
    ),
)
"""Columns of the rankings of the runs by each measure."""
MEANS = Schema(
    RANKED_BY,
    RUN,
    Column("mean_a", "mean of the run over the topics with A", "mean, A"),
    Column("mean_b", "mean of the run over the topics with B", "mean, B"),
    *RANKS,
)
"""Columns of the means of the runs."""
VALUED_BY = Column("measure", "measure of the values", format="measure")
ASSESSORS = Schema(
    VALUED_BY,
    RUN,
    Column("mean", "mean of the run over topics and assessors"),
    Column("variance_topics", "variance of the effects of topics (sigma_t^2); below 0 by chance"),
    Column(
        "variance_assessors",
        "variance of assessors' leniency, common to all topics (sigma_a^2); below 0 by chance",
    ),
    Column("variance_rest", "variance of an assessor's other deviations, topic by topic (sigma_e^2)"),
    Column(
        "error", "standard error of the mean, if every assessor judges all topics; none if its square is below 0"
    ),
    Column("kishida_topics", "variance of the true values over topics (Kishida's sigma_mu^2)", hidden=True),
    Column(
        "kishida_assessors",
        "variance of a topic's value over assessors, mean over topics (Kishida's sigma_d^2)",
        hidden=True,
    ),
    Column("kishida_error", "Kishida's standard error of the mean, if each topic has assessors of its own"),
    Column(
        "topics_needed",
        "topics that would halve the standard error, with the same assessors; none if no number would",
    ),
    Column("assessors_needed", "assessors that would halve it, with the same topics; none if no number would"),
)
"""Columns of the parts of the variance."""
BY_TOPIC = Schema(
    RUN,
    TOPIC,
    VALUED_BY,
    Column("mean", "mean of the run for the topic, over assessors (mu_h)"),
    Column("variance", "variance of the run's values for the topic, over assessors (sigma_h^2)"),
)
"""Columns of the values of a run and topic over the assessors."""


class Judged(NamedTuple):
    """A set of judgments: name, table, and the lowest relevant grade if grades were made binary."""

    name: str
    table: pd.DataFrame
    lowest: int | None


@answers
@takes(JudgmentsInput, CompareJudgmentsQuestion)
def compare_judgments(
    qrels: Sequence[Qrels],
    runs: Runs | None = None,
    **options: Unpack[CompareJudgmentsQuestion],
) -> Result:
    """Do sets of judgments of the same topics agree in their grades and in their rankings of systems?

    The result counts the documents with each pair of grades in the first set (A) and the second (B). The share of
    equal grades, Cohen's kappa, unweighted and weighted, and Krippendorff's alpha of the documents in both sets
    have 95 % bootstrap intervals over topics. With runs, the result also has Kendall's tau-b and the AP correlation
    between the systems' means (with A as the truth), the run that loses the most ranks from A to B, and the
    variances of values over topics and over assessors, with each set as an assessor who judges all topics; beside
    them Kishida's (3.3), for topics with assessors of their own. With more than two sets, it has only alpha, over
    the documents that two sets or more judge, and with runs these variances. Only topics in all sets count; with
    more than two sets and no runs, those in two or more.

    Returns
    -------
    Result
        ``tables["confusion"]``: one row per pair of grades; a grade is missing where only the other set judges the
        documents. ``tables["agreement"]``, the main table without runs: one row per statistic of the documents in
        both sets; of more than two sets, the rows of alpha. Kappa and alpha are NaN if all documents have the same
        grade, and the interval if there is only one topic.
        ``tables["rankings"]``, the main table with runs: one row per measure. ``tables["means"]``: one row per
        measure and run. ``tables["assessors"]``, the main table of more than two sets, with runs and at least two
        topics: one row per measure and run. ``tables["by_topic"]``: one row per run, topic and measure, with mean
        (mu_h) and variance (sigma_h^2) over assessors.

    Notes
    -----
    Files: confusion.csv, agreement.csv, the figure confusion; with runs also means.csv, rankings.csv,
    assessors.csv (parts of the variance), by_topic.csv; with more than two sets, agreement.csv and the last two.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels.index % 3 > 0, 0))
    >>> result = me.compare_judgments([qrels, strict], runs, measures=["AP", "P@10"], depth=100)
    >>> result.tables["agreement"][["statistic", "value", "low", "high"]].round(2)
             statistic  value   low  high
    0        agreement   0.77  0.73  0.82
    1            kappa   0.65  0.60  0.71
    2     linear_kappa   0.63  0.56  0.70
    3  quadratic_kappa   0.61  0.53  0.69
    4    nominal_alpha   0.64  0.58  0.70
    5    ordinal_alpha   0.58  0.50  0.66
    6   interval_alpha   0.59  0.50  0.68
    """
    replicates = whole_number("replicates", options["replicates"], raises=ProblemError, limit=REPETITIONS)
    # 1. the grades
    sets = _graded(qrels, options)
    tables, names = [one.table for one in sets], [one.name for one in sets]
    having = 2 if runs is None else len(sets)  # so many sets have each topic that counts
    topics = shared_topics(tables, options["topics"], sets=having)
    judged = [table[table["query_id"].isin(topics)] for table in tables]
    judged = [table.assign(relevance=table["relevance"].clip(lower=0)) for table in judged]
    highest = [int(table["relevance"].to_numpy().max(initial=1)) for table in judged]
    options["levels"] = levels = max(options["levels"] or 1, *highest)
    # 2. the lists
    runs = list(runs) if isinstance(runs, Iterator) else runs  # they are collected twice
    reading = {**options, "topics": topics, "grades": None, "bins": None}  # the tables have the grades of A
    collections = [collected(runs, table, reading) for table in judged if runs is not None]
    topics_used = f"topics in {_sets_in_words(len(sets), having)}: {len(topics)}"
    introduction = _introduction(sets, highest, topics_used, collections)
    announce(introduction)
    title = options["title"] or " and ".join(names)
    chosen = expanded(options["measures"], levels, options["g_steps"] if "GAP" in options["measures"] else None)
    # 3. the answer
    views = _assessors(collections, topics, chosen)
    counts = _judgments_of_grades(judged, topics, levels)
    together, documents = np.stack([coincidences(of_topic) for of_topic in counts]), sum(map(len, counts))
    rng = np.random.default_rng(options["rng"])
    if len(sets) > 2:
        agreement = _agreement(dict.fromkeys(ALPHAS, together), documents, replicates, rng)
        if runs is not None and not views:
            raise InputError("the qrels have one topic in common; variance over topics needs two")
        of_values = _finding_of_assessors(views[0].frame, len(collections)) if views else None
        return Result(
            title=title,
            introduction=introduction,
            finding=_finding_of_alpha(agreement, of_values),
            views=(*views, _agreement_view(agreement, "two sets or more")),
            main="assessors" if views else "agreement",
        )
    cells = _cells(judged, topics, levels)
    confusion, of_both = _confusion(cells.sum(axis=0)), cells[:, :-1, :-1].astype(float)
    statistics = dict.fromkeys(OF_PAIRS, of_both) | dict.fromkeys(ALPHAS, together)
    agreement = _agreement(statistics, documents, replicates, rng)
    means = pd.DataFrame(columns=["measure", "run_id", "mean_a", "mean_b", "rank_a", "rank_b"])
    if collections:
        means = _means(collections, chosen)
    rankings = _rankings(means)
    return Result(
        title=title,
        introduction=introduction,
        finding=_finding(agreement, rankings),
        views=(
            *_views(confusion, agreement, rankings, means),
            *(replace(v, places=("file", "page")) for v in views),
        ),
        sheets=(_sheet(confusion, names),),
        facts=(
            Fact("A", names[0], "the first set of judgments"),
            Fact("B", names[1], "the second set"),
            Fact("topics", str(len(topics)), "topics in both sets"),
            Fact("documents", str(agreement["documents"].iloc[0]), "documents judged in both sets"),
        ),
        main="agreement" if runs is None else "rankings",
    )


def _graded(qrels: Sequence[Qrels], options: CompareJudgmentsQuestion) -> list[Judged]:
    """The sets of judgments, two or more, on the scale on which they are compared."""
    if not isinstance(qrels, list | tuple) or len(qrels) < 2:
        raise InputError(f"qrels {quoted(qrels)}: expected a list of two sets of judgments, or more")
    as_it_is: ScaleOptions = {"grades": None, "bins": None}
    scale: ScaleOptions = {"grades": options["grades"], "bins": options["bins"]}
    binary = options["binary"]
    lowest: list[int | None] = [*binary] if isinstance(binary, list | tuple) else [binary]  # type: ignore[list-item]
    if len(lowest) not in (1, len(qrels)):
        raise ProblemError(f"binary has {len(lowest)} grades: give one for all {len(qrels)} sets, or one for each")
    lowest = lowest * len(qrels) if len(lowest) == 1 else lowest
    sets = []
    for number, (one, grade) in enumerate(zip(qrels, lowest, strict=True)):
        name = str(one) if isinstance(one, str | PathLike) else "a table"
        table = as_qrels(one, **(scale if number else as_it_is), duplicates=options["duplicates"])
        sets.append(Judged(name, table, None) if grade is None else _binary(name, table, grade))
    return sets


def _binary(name: str, table: pd.DataFrame, lowest: int) -> Judged:
    """Judgments with the grades 0 and 1; the lowest relevant grade becomes 1."""
    lowest = whole_number("binary", lowest, raises=ProblemError)
    if (highest := int(table["relevance"].max())) < lowest:
        text = f"no document has grade {lowest} or higher (binary); the highest is {highest}"
        raise InputError(f"{visible(name)}: {text}")
    return Judged(name, table.assign(relevance=(table["relevance"] >= lowest).astype(np.int64)), lowest)


def _assessors(
    collections: Sequence[Collection], topics: Sequence[str], measures: Sequence[Measure]
) -> tuple[Table, ...]:
    """Parts of the variance over topics and assessors; none without runs, or for one topic."""
    if not collections or len(topics) < 2:
        return ()
    table, by_topic = assessor_tables(collections, topics, measures)
    return (
        Table(
            name="assessors",
            title="Variance over topics and assessors",
            frame=table,
            schema=ASSESSORS,
            keys=2,
            closed=len(collections) == 2,
        ),
        Table(name="by_topic", frame=by_topic, schema=BY_TOPIC, places=("file",)),
    )


def _finding_of_assessors(table: pd.DataFrame, number: int) -> Finding:
    """Finding: the share of assessors in the variance of values, and what halves the error, by each measure.

    Candidates for g, which are much alike, are only in the table, unless there are no other measures.
    """
    shares, support = [], []
    others = table[~table["measure"].isin(candidates_of(table["measure"]))]
    for measure, rows in (others if len(others) else table).groupby("measure", sort=False):
        name = measure_label(str(measure))
        means = rows.filter(regex="^variance_|error$").clip(lower=0).mean()
        of_assessors = means["variance_assessors"] + means["variance_rest"]
        share = of_assessors / max(means["variance_topics"] + of_assessors, 1e-300)
        shares.append(f"{share:.0%} by {name}")
        error = f"{means['error']:.4f}" if pd.notna(means["error"]) else "not estimated"
        needed = (_halving(rows[f"{what}_needed"], what) for what in ("topics", "assessors"))
        support.append(
            f"by {name}, the standard error of a mean over {number} assessors who all judge every topic is {error} "
            f"({means['kishida_error']:.4f} if each topic has assessors of its own: Kishida); "
            f"{' and '.join(needed)} would halve it"
        )
    return Finding(f"share of assessors in the variance of a value: {', '.join(shares)}", tuple(support))


def _halving(numbers: pd.Series, what: str) -> str:
    """How many topics or assessors would halve the standard errors of runs."""
    if numbers.notna().all():
        return f"{numbers.median():.0f} {what} (median over runs)"
    return f"no number of {what} (in {numbers.isna().sum()} of {many(len(numbers), 'run')})"


def shared_topics(tables: Sequence[pd.DataFrame], topics: Iterable[str] | None = None, *, sets: int) -> list[str]:
    """Chosen topics among those in at least so many tables of judgments, in the order of the tables."""
    by_table = [topic for table in tables for topic in table["query_id"].unique()]
    shared = [topic for topic, number in Counter(by_table).items() if number >= sets]
    if not shared:
        first = " and ".join(repr(table["query_id"].iloc[0]) for table in tables)
        raise InputError(f"the qrels have no topic in common; their first ones are {first}")
    if topics is None:
        return shared
    wanted = wanted_topics(topics, shared, f"{_sets_in_words(len(tables), sets)} share")
    return [topic for topic in shared if topic in wanted]


def _sets_in_words(number: int, sets: int) -> str:
    """Sets that have something in common: all of them, or at least two."""
    every = "both sets" if number == 2 else "all sets"
    return every if sets == number else "two sets or more"


def _introduction(
    sets: Sequence[Judged], highest: Sequence[int], topics_used: str, collections: Sequence[Collection]
) -> str:
    """Introduction: the sets of judgments with their highest, or lowest relevant, grades; the topics; the runs."""
    lines = []
    for letter, (name, table, lowest), high in zip(ascii_uppercase, sets, highest, strict=False):
        scale = f"grades 0 to {high}" if lowest is None else f"relevant from grade {lowest}"
        lines.append(f"{letter}: {visible(name)}, {many(table['query_id'].nunique(), 'topic')}, {scale}")
    runs = [f"; {many(len(one.runs), 'run')} to depth {one.depth}" for one in collections[:1]]
    lines.append("".join((topics_used, *runs)))
    return "\n".join((*lines, *([SCALES] if len(set(highest)) > 1 else []), ""))


def _finding(agreement: pd.DataFrame, rankings: pd.DataFrame) -> Finding:
    """Finding: agreement of two sets of judgments, in grades and in rankings of systems."""
    values = agreement.set_index("statistic")
    kappa = values.loc["quadratic_kappa"]
    lines = []
    if pd.notna(kappa["value"]):
        ends = f", 95 % [{kappa['low']:.4f}, {kappa['high']:.4f}]" if pd.notna(kappa["low"]) else ""
        weighted = "" if kappa["value"] == values["value"]["kappa"] else "quadratically weighted "  # two grades
        lines.append(f"{weighted}kappa {kappa['value']:.4f}{ends}")
    if rankings["tau"].notna().any():
        worst = rankings.sort_values("tau", kind="stable").iloc[0]
        name = measure_label(worst["measure"])
        lines.append(f"lowest tau between the two rankings of the runs: {worst['tau']:.4f}, by {name}")
    same = percent(values["value"]["agreement"])
    return Finding(f"{same} of the documents judged in both sets have the same grade", tuple(lines))


def _finding_of_alpha(agreement: pd.DataFrame, of_values: Finding | None) -> Finding:
    """Finding: alpha of more than two sets; with runs, first that of the values."""
    rows = agreement.set_index("statistic")
    last = rows.loc["interval_alpha"]
    ends = f", 95 % [{last['low']:.4f}, {last['high']:.4f}]" if pd.notna(last["low"]) else ""
    others = ", ".join(f"{scale} {rows['value'][f'{scale}_alpha']:.4f}" for scale in ("nominal", "ordinal"))
    scales = f" (interval scale; {others})" if rows["value"].nunique() > 1 else ""  # two grades have one alpha
    alpha = f"Krippendorff's alpha of the grades {last['value']:.4f}{ends}{scales}"
    if pd.isna(last["value"]):
        alpha = "all documents have the same grade: Krippendorff's alpha is not defined"
    documents = f"{many(int(last['documents']), 'document')} judged in two sets or more"
    if of_values is None:
        return Finding(alpha, (documents,))
    return replace(of_values, support=(*of_values.support, f"{alpha}, {documents}"))


def _views(
    confusion: pd.DataFrame, agreement: pd.DataFrame, rankings: pd.DataFrame, means: pd.DataFrame
) -> tuple[Table, ...]:
    """Tables of grades and agreement and, with runs, of rankings and means."""
    crossed = confusion_matrix(confusion).rename_axis(columns=None).reset_index(names="A \\ B")
    return (
        Table(
            name="confusion",
            title="documents by their grades in A (rows) and B (columns)",
            frame=confusion,
            shown=crossed.rename(columns=str),
            schema=CONFUSION,
        ),
        _agreement_view(agreement, "both sets"),
        Table(
            name="rankings",
            frame=rankings,
            shown=one_row_each(changes(rankings)),
            schema=RANKINGS,
            title=f"rankings of {many(means['run_id'].nunique(), 'run')} by each measure, with A and with B",
            note=GRID if candidates_of(rankings["measure"]) else "",
        ),
        Table(
            name="means",
            title="Means of the runs",
            frame=means,
            places=("file", "page"),
            closed=True,
            schema=MEANS,
        ),
    )


def _agreement_view(agreement: pd.DataFrame, sets: str) -> Table:
    documents = many(int(agreement["documents"].iloc[0]), "document")
    title = f"agreement on the {documents} judged in {sets}"
    return Table(name="agreement", title=title, frame=agreement, schema=AGREEMENT)


def _sheet(confusion: pd.DataFrame, names: Sequence[str]) -> Sheet:
    """Figure of the documents by both grades."""
    first, second = (f"{letter}: {Path(name).name}" for letter, name in zip("AB", names, strict=True))
    size = len(confusion_matrix(confusion))
    panel = Panel(
        draw=Drawing("plot_confusion", confusion, names=(first, second)),
        caption="Documents by their grades in A (rows) and in B (columns), as shares of the row.",
        size=(max(4.1, 0.5 * size), 1.6 + 0.5 * size),
        white=True,
    )
    return Sheet("confusion", (panel,))


def changes(rankings: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure: tau between the two rankings of runs, and the run that loses the most ranks."""
    falls = [
        "-" if row["drop"] == 0 else f"{row['run_id']}: {row['rank_a']} to {row['rank_b']}"
        for row in rankings.to_dict("records")
    ]
    return rankings[["measure", "tau", "tau_ap"]].assign(falls=falls)


def _judgments_of_grades(tables: Sequence[pd.DataFrame], topics: Sequence[str], levels: int) -> list[FloatArray]:
    """Number of judgments of each grade, (documents, levels + 1) for each topic, of documents with two or more."""
    judged = pd.concat(tables, ignore_index=True)
    documents = judged.groupby(["query_id", "doc_id"], sort=False).ngroup().to_numpy()
    counts = np.zeros((documents.max() + 1, levels + 1))
    np.add.at(counts, (documents, judged["relevance"].to_numpy()), 1)
    of_document = np.empty(len(counts), dtype=np.int64)
    of_document[documents] = pd.Index(topics).get_indexer(pd.Index(judged["query_id"]))
    has_two = counts.sum(axis=1) > 1
    if not has_two.any():
        sets = "both sets" if len(tables) == 2 else "two sets"
        raise InputError(f"no document is judged in {sets}: are these judgments of one collection?")
    return [counts[has_two & (of_document == place)] for place in range(len(topics))]


def _cells(tables: Sequence[pd.DataFrame], topics: Sequence[str], levels: int) -> IntArray:
    """Documents by topic and grades, (topics, levels + 2, levels + 2); the last grade means no judgment."""
    a, b = tables
    both = a.merge(b, on=["query_id", "doc_id"], how="outer", suffixes=("_a", "_b"))
    codes = both[["relevance_a", "relevance_b"]].fillna(levels + 1).to_numpy(dtype=np.int64).T
    cells = np.zeros((len(topics), levels + 2, levels + 2), dtype=np.int64)
    np.add.at(cells, (pd.Index(topics).get_indexer(pd.Index(both["query_id"])), *codes), 1)
    return cells


def _confusion(cells: IntArray) -> pd.DataFrame:
    grades = pd.array([*range(len(cells) - 1), None], dtype="Int64")
    places = np.indices(cells.shape).reshape(2, -1)[:, :-1]  # all but those that neither judges
    return pd.DataFrame(
        {"grade_a": grades[places[0]], "grade_b": grades[places[1]], "documents": cells.ravel()[:-1]}
    )


def _agreement(
    tables: Mapping[str, FloatArray], documents: int, replicates: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Statistics with intervals, each by name from a table for each topic, (topics, grades, grades)."""
    statistics = OF_PAIRS | ALPHAS
    topics = len(next(iter(tables.values())))
    counts = rng.multinomial(topics, np.full(topics, 1 / topics), size=replicates)
    samples = pd.DataFrame(
        {
            name: [statistics[name](sample) for sample in np.tensordot(counts, table, axes=1)]
            for name, table in tables.items()
        }
    )
    ends = interval(samples, "value", topics, within=(-1, 1))
    return pd.DataFrame(
        {
            "statistic": list(tables),
            "value": [statistics[name](table.sum(axis=0)) for name, table in tables.items()],
            "low": ends["value_low"].to_numpy(),
            "high": ends["value_high"].to_numpy(),
            "documents": documents,
            "topics": topics,
        }
    )


def _means(collections: Sequence[Collection], measures: Sequence[Measure]) -> pd.DataFrame:
    """Means and ranks of the runs by each measure, with the judgments of a and of b."""
    first = collections[0]
    if len(first.runs) < 2:
        raise InputError(f"{len(first.runs)} run, expected at least two to rank")
    keys = pd.MultiIndex.from_product([map(str, measures), first.runs], names=["measure", "run_id"])
    means = pd.DataFrame(index=keys)
    for end, collection in zip("ab", collections, strict=True):
        values = values_by_topic(collection, measures=measures, empty="zero")
        means[f"mean_{end}"] = values.groupby(["measure", "run_id"])["value"].mean()
    ranks = means.round(DECIMALS).groupby("measure", sort=False).rank(ascending=False, method="min").astype(int)
    return means.join(ranks.set_axis(["rank_a", "rank_b"], axis=1)).reset_index()


def _rankings(means: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for measure, rows_of_measure in means.groupby("measure", sort=False):
        a, b = rows_of_measure["mean_a"].to_numpy(), rows_of_measure["mean_b"].to_numpy()
        fallen = (rows_of_measure["rank_b"] - rows_of_measure["rank_a"]).to_numpy()
        worst = rows_of_measure.iloc[fallen.argmax()]
        last = (worst["run_id"], worst["rank_a"], worst["rank_b"]) if fallen.max() else (None, None, None)
        rows.append((measure, tau(a, b), tau_ap(b, a), fallen.max(), *last))
    table = pd.DataFrame(rows, columns=["measure", "tau", "tau_ap", "drop", "run_id", "rank_a", "rank_b"])
    return table.astype({"rank_a": "Int64", "rank_b": "Int64"})
