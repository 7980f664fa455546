"""Contents and oddities of files of runs and judgments, to be checked before a study."""

from collections.abc import Iterator
from typing import Any, Unpack

import pandas as pd

from maxent.data.collect import collect
from maxent.data.embedded import collection_name
from maxent.data.inputs import Qrels, Runs, is_file
from maxent.data.inspect_run import about_runs
from maxent.data.inspection import UNUSABLE, Inspection, inspection
from maxent.data.lines import STDIN
from maxent.errors import input_notes, visible
from maxent.options import CheckQuestion, CollectOptions, RequiredSources, part_of, takes
from maxent.results.content import Drawing, Panel, Sheet, Table
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.columns import GRADE, RANK, RUN, TOPIC
from maxent.studies.rank_profile import rank_profile
from maxent.texts import RANKS, many

FINDINGS = Schema(
    Column("level", "error: the input cannot be used; warning: it may not be what was meant"),
    Column("finding", "what is odd"),
    Column("source", "the judgments or the run"),
    Column("detail", "how often, where or in which topics"),
)
"""Columns of the errors and warnings."""
GRADES = Schema(
    GRADE, Column("documents", "documents with this grade"), Column("topics", "topics with such a document")
)
"""Columns of the grades of the judgments."""
RUNS = Schema(
    RUN,
    Column("file", "file of the run", format="name", hidden=True),
    Column("topics", "its topics"),
    Column("lines", "lines of the run"),
    Column("missing", "topics of the judgments that it lacks"),
    Column("unknown", "topics that the judgments do not have"),
    Column("shortest", "documents of the shortest list"),
    Column("longest", "documents of the longest list"),
    Column("judged_10", "share of judged documents among the first 10, mean over lists", "judged 10"),
    Column("judged", "share of judged documents within the depth, mean over lists"),
    Column("tied", "lists with tied scores"),
    Column(
        "rank_differs",
        "lists whose rank column differs from the order of the scores, which alone counts",
        "rank differs",
    ),
    Column("rank_against", "lists whose rank column contradicts scores that are not tied", "rank against"),
    Column("repeated", "lines that repeat a document of the topic"),
)
"""Columns of the runs."""
JUDGED = Schema(
    TOPIC,
    Column("judged", "documents with a grade of at least 0"),
    Column("relevant", "documents of grade 1 or more"),
    Column("top", "documents of the highest grade of the judgments"),
    Column("negative", "judgments below 0, which count as 0"),
    Column("runs", "runs with documents for the topic"),
)
"""Columns of the topics of the judgments."""
PROFILE = Schema(
    RANK._replace(heading="at rank"),
    Column("{k}", "share of documents of grade {k} at the rank, smoothed", "grade {k}"),
)
"""Columns of the share of each grade at each rank."""


@answers
@takes(RequiredSources, CheckQuestion)
def check(
    runs: Runs,
    qrels: Qrels,
    **options: Unpack[CheckQuestion],
) -> Result:
    """What do files of runs and judgments contain, and what is odd about them?

    The result counts the documents of each grade, describes each run, and lists all errors and warnings: files that
    cannot be read, missing or unknown topics, tied scores and the means that their order can change, documents
    without judgment, ids that would match judgments in another form. Whatever a study would refuse is an error
    among the findings. The function does not raise it; the command ends with code 2.

    Returns
    -------
    Result
        ``table``: one row per error (the source cannot be used) or warning. ``tables["runs"]``: one row per run
        that can be read. ``tables["topics"]`` and ``tables["grades"]``: one row per topic and per grade of the
        judgments. ``tables["profile"]``: the share of each grade at each rank over all lists, as from
        :func:`maxent.studies.rank_profile`; empty if there is an error, or if the input is the standard input,
        which can be read only once. ``errors``: a text with the number of errors, empty if there are none.

    Raises
    ------
    InputError
        If ``depth`` is not positive, or a topic is unknown.

    Notes
    -----
    Columns of a run: numbers of its topics and lines; topics of the judgments that it lacks (missing); its topics
    without judgments (unknown); documents in its shortest and longest list; share of judged documents among the
    first 10 (judged_10) and within the depth (judged), as means over its lists of topics in the judgments; lists
    with tied scores (tied); lists whose ranks differ from the order of the scores, which is the order that counts
    (rank_differs), also where scores are not tied (rank_against); lines that repeat a document of the topic
    (repeated), which is an error, or a warning with ``duplicates=first``.

    The lowest and highest means over all orders of tied documents are those of ties in ascending and in descending
    order of grades. They are exact, as AP and nDCG do not fall where a document changes places with a better one
    below it.

    Files: findings.csv, runs.csv, grades.csv, topics.csv; profile.csv, the share of each grade at each rank,
    smoothed over the logarithm of the rank, and the figure profile. The profile can be the reference for lists of
    other collections with the same depth and grades: maxent study --reference check/profile.csv

    Examples
    --------
    >>> import maxent as me
    >>> run = {"1": {"a": 2.0, "b": 1.0, "c": 1.0}, "3": {"a": 1.0}}
    >>> result = me.check({"mine": run}, {"1": {"a": 2, "b": 0}, "2": {"a": 1}})
    >>> print(result.finding.sentence)
    0 errors, 4 warnings of 4 kinds
    >>> for finding in result.table.itertuples(index=False):
    ...     print(finding.source, "-", finding.finding, "-", finding.detail)
    qrels - topics without documents of grade 2 - 1: 2
    mine - topics without a list - 1: 2
    mine - lists with tied scores, ordered by document id - 1 of 2
    mine - lists of topics without judgments - 1: 3
    """
    runs = list(runs) if isinstance(runs, Iterator) else runs  # they are read twice
    tables = inspection(runs, qrels, options)
    name = options["title"] or collection_name(runs, qrels)
    once = STDIN in (str(qrels) if is_file(qrels) else "", *tables.runs["file"])
    profile = {} if tables.errors or once else _profile(runs, qrels, name, part_of(CollectOptions, options))
    return Result(
        title=name,
        finding=_finding(tables),
        views=(*_views(tables), *profile.get("views", ())),
        sheets=profile.get("sheets", ()),
        reading=profile.get("reading", ""),
        main="findings",
        legend=('"maxent check --help" explains the columns',) if len(tables.runs) else (),
        errors=f"{many(tables.errors, 'error')}, see above" if tables.errors else "",
    )


def _views(tables: Inspection) -> tuple[Table, ...]:
    judged = many(int(tables.grades["documents"].sum()), "judgment")
    return (
        Table(
            name="findings",
            title="Findings",
            frame=tables.findings,
            schema=FINDINGS,
            places=("file", "page"),
        ),
        Table(
            name="grades",
            title=f"qrels: {many(len(tables.topics), 'topic')}, {judged}",
            frame=tables.grades,
            schema=GRADES,
        ),
        Table(
            name="runs",
            title=many(len(tables.runs), "run"),
            frame=tables.runs,
            schema=RUNS,
        ),
        Table(
            name="topics",
            title="Topics",
            frame=tables.topics,
            places=("file", "page"),
            closed=True,
            schema=JUDGED,
        ),
    )


def _profile(runs: Runs, qrels: Qrels, name: str, options: CollectOptions) -> dict[str, Any]:
    """Table and figure of the share of each grade at each rank."""
    with input_notes():  # what is odd about runs is among the findings
        collection = collect(runs, qrels, **options)
    profile = rank_profile(collection)
    frame = profile.rename(columns=str).reset_index()
    shown = frame[frame["rank"].isin([*RANKS, len(profile)])]
    long = profile.reset_index().melt("rank", var_name="grade", value_name="p").assign(measure=name)
    caption = "Share of each positive grade at each rank over all lists; the axis of ranks is logarithmic."
    table = Table(
        name="profile",
        title="Share of each grade",
        frame=frame,
        shown=shown,
        schema=PROFILE,
        places=("file", "page"),
    )
    sheet = Sheet("profile", (Panel(Drawing("plot_profile", long), caption),))
    return {"views": (table,), "sheets": (sheet,), "reading": f"all lists of all topics, depth={len(profile)}"}


def _finding(tables: Inspection) -> Finding:
    """Finding: numbers of errors and warnings, with a line for each error and each kind of warning."""
    if tables.findings.empty:
        return Finding("no errors, no warnings")
    warnings = tables.findings[tables.findings["level"] == "warning"]
    kinds = f" of {many(warnings['finding'].nunique(), 'kind')}" if len(warnings) else ""
    odd = f"{many(tables.errors, 'error')}, {many(len(warnings), 'warning')}{kinds}"
    return Finding(odd, tuple(_findings(tables.findings)))


def _findings(findings: pd.DataFrame) -> list[str]:
    """Errors one by one, then warnings by kind, with the runs they concern."""
    lines = []
    for level, rows in findings.groupby("level", sort=False):
        for finding, alike in rows.groupby("finding", sort=False):
            about = [
                f"{source} ({detail})" for source, detail in zip(alike["source"], alike["detail"], strict=True)
            ]
            about = list(map(visible, about))
            if level == "warning":
                lines.append(about_runs(str(finding), about))
            elif finding == UNUSABLE:  # the detail names the file
                lines += [f"error: {visible(detail)}" for detail in alike["detail"]]
            else:
                lines += [f"error: {finding}: {one}" for one in about]
    return lines
