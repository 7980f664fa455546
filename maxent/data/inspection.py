"""Contents and oddities of runs and judgments, to be checked before a study."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.checks import check_choice, whole_number
from maxent.data.inputs import Qrels, Runs, graded_columns, is_file
from maxent.data.inspect_run import ODD_LISTS, REPEATED, InspectedRun, inspected_run, listed, oddities
from maxent.data.judgments import Judgments
from maxent.data.lengths import mixed_lengths, typical_length
from maxent.data.line_arrays import Columns
from maxent.data.lines import as_text
from maxent.data.sources import Source, read_source, run_names, sources
from maxent.data.trec import DUPLICATES
from maxent.errors import InputError
from maxent.limits import DEPTH, GRADE, LONGEST
from maxent.options import CollectOptions
from maxent.progress import progress_bar
from maxent.texts import many

RUN_COLUMNS = (
    *("run_id", "file", "topics", "lines", "missing", "unknown", "shortest", "longest"),
    *("judged_10", "judged", "tied", "rank_differs", "rank_against", "repeated"),
)
UNUSABLE = "cannot be used"
LEVELS = {True: "error", False: "warning"}  # by whether a study refuses it


class Finding(NamedTuple):
    """An oddity of a source, such as a run."""

    level: str  # "error" or "warning"
    finding: str
    source: str
    detail: str


class Inspection(NamedTuple):
    """Tables of the contents and oddities of runs and judgments; :func:`maxent.check` explains their columns."""

    findings: pd.DataFrame
    grades: pd.DataFrame
    runs: pd.DataFrame
    topics: pd.DataFrame

    @property
    def errors(self) -> int:
        """Number of errors."""
        return int((self.findings["level"] == "error").sum())


def inspection(runs: Runs, qrels: Qrels, options: CollectOptions) -> Inspection:
    """Contents and oddities of runs and judgments; an oddity that a study would refuse is an error."""
    # 1. options
    duplicates, levels, topics = options["duplicates"], options["levels"], options["topics"]
    check_choice("duplicates", duplicates, DUPLICATES, raises=InputError)
    depth = LONGEST if options["depth"] is None else options["depth"]
    depth = whole_number("depth", depth, raises=InputError, limit=DEPTH)
    if levels is not None:
        levels = whole_number("levels", levels, raises=InputError, limit=GRADE)
    # 2. judgments: of all topics, which decide whether a run is refused, and of the chosen ones
    findings: list[Finding] = []
    judged, ratings = None, None
    try:
        ratings = graded_columns(qrels, grades=options["grades"], bins=options["bins"], duplicates=duplicates)
        judged = Judgments.of(ratings)
        judged.count(levels)
    except InputError as error:
        source = as_text(qrels) if is_file(qrels) else "qrels"
        findings.append(Finding("error", UNUSABLE, source, str(error)))
    judged_of_all, chosen = judged, None
    if topics is not None and judged is not None and ratings is not None:
        levels = levels or max(int(judged.grades.max()), 1)  # the scale is that of all topics
        chosen = set(judged.topics[judged.select(topics)])
        ratings = ratings.of_topics(chosen)
        judged = Judgments.of(ratings)
    # 3. runs
    inspected, run_errors = _inspected_runs(runs, judged_of_all, chosen, depth, options)
    findings += run_errors
    # 4. oddities of judgments, of lists, of names, and of each run
    topic_rows = _topic_table(judged, inspected, levels)
    if judged is not None:
        findings += _judgment_findings(topic_rows, levels or int(judged.grades.max(initial=0)))
    findings += _length_findings(topic_rows, inspected, options["depth"])
    names, name_findings = _names(inspected)
    findings += name_findings
    refused = {"duplicates": duplicates == "error", "unjudged": not options["allow_unjudged"]}
    is_gold = judged is not None and judged.is_gold
    for name, run in zip(names, inspected, strict=True):
        findings += _run_findings(name, run, refused, is_gold=is_gold)
    run_rows = _run_table(names, inspected, judged)
    return Inspection(_finding_table(findings), _grade_table(ratings), run_rows, topic_rows)


def _inspected_runs(
    runs: Runs, judged: Judgments | None, topics: set[str] | None, depth: int, options: CollectOptions
) -> tuple[list[InspectedRun], list[Finding]]:
    """The runs that can be used, and the errors of the others; ``judged`` are the judgments of all topics."""
    inspected: list[InspectedRun] = []
    errors: list[Finding] = []
    listed_runs = list(_sources_or_errors(runs))
    if not listed_runs:
        errors.append(Finding("error", "no runs", "runs", "expected at least one"))
    for source in progress_bar(listed_runs, desc="checking", unit="run", shown=options["progress"]):
        try:
            if isinstance(source, InputError):
                raise source
            inspected += [
                inspected_run(
                    run,
                    judged,
                    depth=depth,
                    topics=topics,
                    queries=not options["ignore_identical_ids"],
                    float32=options["float32"],
                )
                for run in read_source(source, "keep")
            ]
        except InputError as error:
            title = as_text(source.run) if isinstance(source, Source) and is_file(source.run) else "runs"
            errors.append(Finding("error", UNUSABLE, title, str(error)))
    return inspected, errors


def _sources_or_errors(runs: Runs) -> Iterator[Source | InputError]:
    """Every run, or an error in place of one that cannot be read; several paths are read one by one."""
    parts: list[Runs] = [runs]
    if isinstance(runs, list | tuple) and all(is_file(run) or isinstance(run, tuple) for run in runs):
        parts = [[run] for run in runs]
    for part in parts:
        try:
            yield from sources(part)
        except InputError as error:
            yield error


def _topic_table(judged: Judgments | None, runs: Sequence[InspectedRun], levels: int | None) -> pd.DataFrame:
    """Numbers of documents and runs of each topic; ``top`` is that of documents of the highest grade."""
    if judged is None:
        return pd.DataFrame(columns=["query_id", "judged", "relevant", "top", "negative", "runs"])
    highest = int(judged.grades.max(initial=0))
    counts = judged.count(None if levels is None or highest > levels else levels)  # (topics, levels + 1)
    topic_of_judgment = judged.keys.to_numpy() // len(judged.docs)
    documents = np.bincount(topic_of_judgment, minlength=len(judged.topics))  # those of negative grades, too
    lists = Counter(topic for run in runs for topic in run.topics)
    return pd.DataFrame(
        {
            "query_id": judged.topics.to_numpy(dtype=object),
            "judged": counts.sum(axis=1),
            "relevant": counts[:, 1:].sum(axis=1),
            "top": counts[:, -1] if counts.shape[1] > 1 else 0,
            "negative": documents - counts.sum(axis=1),
            "runs": [lists[topic] for topic in judged.topics],
        }
    )


def _grade_table(ratings: Columns | None) -> pd.DataFrame:
    topics_and_grades = pd.DataFrame({"query_id": [], "relevance": []})
    if ratings is not None:
        topics_and_grades = pd.DataFrame({"query_id": ratings.topics.codes, "relevance": ratings.values})
    groups = topics_and_grades.groupby("relevance")["query_id"]
    table = pd.DataFrame({"documents": groups.size(), "topics": groups.nunique()})
    return table.rename_axis("grade").reset_index()


def _run_table(names: Sequence[str], runs: Sequence[InspectedRun], judged: Judgments | None) -> pd.DataFrame:
    rows = []
    for name, run in zip(names, runs, strict=True):
        missing, unknown = (None, None) if judged is None else (len(run.missing), len(run.unknown))
        rows.append({"run_id": name, "file": run.file, **run.facts, "missing": missing, "unknown": unknown})
    table = pd.DataFrame(rows, columns=RUN_COLUMNS)
    return table.astype(dict.fromkeys(("missing", "unknown", "rank_differs", "rank_against"), "Int64"))


def _names(runs: Sequence[InspectedRun]) -> tuple[Sequence[str], list[Finding]]:
    """Names of the runs as in a study, and findings about these names."""
    findings = []
    tags = Counter(run.name for run in runs if run.tagged)
    for tag, number in tags.items():
        if number > 1:
            files = ", ".join(run.file for run in runs if run.tagged and run.name == tag)
            findings.append(Finding("warning", "tag of several files: all are called by their names", tag, files))
    try:
        names = run_names([run.name for run in runs], [Path(run.file) if run.tagged else None for run in runs])
    except InputError as error:
        findings.append(Finding("error", "name", "runs", str(error)))
        return [run.file or run.name for run in runs], findings
    return names, findings


def _judgment_findings(topics: pd.DataFrame, top: int) -> Iterator[Finding]:
    """Findings about judgments from the table of topics; ``top`` is the highest grade."""
    without_relevant = topics.loc[topics["relevant"] == 0, "query_id"].tolist()
    if len(without_relevant) == len(topics):
        yield Finding("error", "no topic has a relevant document", "qrels", "")
    elif without_relevant:
        yield Finding("warning", "topics without relevant documents", "qrels", listed(without_relevant))
    without_top = topics.loc[(topics["relevant"] > 0) & (topics["top"] == 0), "query_id"].tolist()
    if without_top:
        yield Finding("warning", f"topics without documents of grade {top}", "qrels", listed(without_top))
    if negative := int(topics["negative"].sum()):
        text = "negative grades: unjudged for Bpref, 0 elsewhere"
        yield Finding("warning", text, "qrels", many(negative, "document"))


def _length_findings(topics: pd.DataFrame, runs: Sequence[InspectedRun], depth: int | None) -> Iterator[Finding]:
    """Findings about the lengths of the lists that a study takes, at its depth."""
    studied = set(topics.loc[topics["relevant"] > 0, "query_id"])
    studied_lengths: list[int] = []
    for run in runs:
        studied_lengths += [
            length for topic, length in zip(run.topics, run.lengths, strict=True) if topic in studied
        ]
    lengths = np.array(studied_lengths, dtype=np.int64)
    typical = typical_length(lengths)
    if depth is None and (longer := int((lengths > typical).sum())):
        text = "lists longer than the typical length, to which studies cut them"
        yield Finding("warning", text, "runs", f"{longer} of {len(lengths)}: {typical}")
    if mixed := mixed_lengths(lengths, depth or typical):
        yield Finding("warning", "lists of mixed lengths", "runs", mixed)


def _run_findings(name: str, run: InspectedRun, refused: Mapping[str, bool], *, is_gold: bool) -> Iterator[Finding]:
    """Oddities of a run, by its name in a study; ``refused`` says which ones are errors."""
    facts = {fact: run.facts[fact] for fact in ("judged_10", "tied", "comments", *ODD_LISTS)}
    if repeated := run.facts["repeated"]:
        yield Finding(LEVELS[refused["duplicates"]], REPEATED, name, many(repeated, "line"))
    if run.unmatched:
        finding, _, detail = run.unmatched.partition(": ")
        yield Finding(LEVELS[refused["unjudged"]], finding, name, detail)
        return
    facts |= {"unknown": run.unknown, "unlike": run.unlike, "gold": is_gold}
    for finding, detail in oddities(run.missing, lists=len(run.topics), **facts):
        yield Finding("warning", finding, name, detail)
    if run.by_ties:
        yield Finding("warning", "lowest and highest means over all orders of tied documents", name, run.by_ties)


def _finding_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Table of findings, errors first."""
    table = pd.DataFrame(findings, columns=Finding._fields)
    return table.sort_values("level", kind="stable", ignore_index=True)
