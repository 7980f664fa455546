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

Finding = tuple[str, str, str, str]
"""Level, finding, source, detail."""
RUN_COLUMNS = (
    *("run_id", "file", "topics", "lines", "missing", "unknown", "shortest", "longest"),
    *("judged_10", "judged", "tied", "rank_differs", "rank_against", "repeated"),
)
UNUSABLE = "cannot be used"
LEVELS = {True: "error", False: "warning"}  # by whether a study refuses it


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
        findings.append(("error", UNUSABLE, as_text(qrels) if is_file(qrels) else "qrels", str(error)))
    judged_of_all, chosen = judged, None
    if topics is not None and judged is not None and ratings is not None:
        levels = levels or max(int(judged.grades.max()), 1)  # the scale is that of all topics
        chosen = set(judged.topics[judged.select(topics)])
        ratings = ratings.of_topics(chosen)
        judged = Judgments.of(ratings)
    # 3. runs
    inspected: list[InspectedRun] = []
    listed_runs = list(_sources_or_errors(runs))
    if not listed_runs:
        findings.append(("error", "no runs", "runs", "expected at least one"))
    for source in progress_bar(listed_runs, desc="checking", unit="run", shown=options["progress"]):
        try:
            if isinstance(source, InputError):
                raise source
            inspected += [
                inspected_run(
                    run,
                    judged_of_all,
                    depth=depth,
                    topics=chosen,
                    queries=not options["ignore_identical_ids"],
                    float32=options["float32"],
                )
                for run in read_source(source, "keep")
            ]
        except InputError as error:
            title = as_text(source.run) if isinstance(source, Source) and is_file(source.run) else "runs"
            findings.append(("error", UNUSABLE, title, str(error)))
    # 4. oddities of judgments, of lists, of names, and of each run
    topic_rows = _topic_table(judged, inspected, levels)
    if judged is not None:
        findings += _judgment_findings(topic_rows, levels or int(judged.grades.max(initial=0)))
    findings += _length_findings(topic_rows, inspected, options["depth"])
    names, name_findings = _names(inspected)
    findings += name_findings
    refused = {"duplicates": duplicates == "error", "unjudged": not options["allow_unjudged"]}
    gold = judged is not None and judged.is_gold
    for name, run in zip(names, inspected, strict=True):
        findings += [(level, text, name, detail) for level, text, detail in _run_findings(run, refused, gold)]
    run_rows = _run_table(names, inspected, judged)
    return Inspection(_finding_table(findings), _grade_table(ratings), run_rows, topic_rows)


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
            findings.append(("warning", "tag of several files: all are called by their names", tag, files))
    try:
        names = run_names([run.name for run in runs], [Path(run.file) if run.tagged else None for run in runs])
    except InputError as error:
        return [run.file or run.name for run in runs], [*findings, ("error", "name", "runs", str(error))]
    return names, findings


def _judgment_findings(topics: pd.DataFrame, top: int) -> Iterator[Finding]:
    """Findings about judgments from the table of topics; ``top`` is the highest grade."""
    without = topics.loc[topics["relevant"] == 0, "query_id"].tolist()
    if len(without) == len(topics):
        yield "error", "no topic has a relevant document", "qrels", ""
    elif without:
        yield "warning", "topics without relevant documents", "qrels", listed(without)
    lacking = topics.loc[(topics["relevant"] > 0) & (topics["top"] == 0), "query_id"].tolist()
    if lacking:
        yield "warning", f"topics without documents of grade {top}", "qrels", listed(lacking)
    if negative := int(topics["negative"].sum()):
        yield "warning", "negative grades: unjudged for Bpref, 0 elsewhere", "qrels", many(negative, "document")


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
        yield "warning", text, "runs", f"{longer} of {len(lengths)}: {typical}"
    if mixed := mixed_lengths(lengths, depth or typical):
        yield "warning", "lists of mixed lengths", "runs", mixed


def _run_findings(run: InspectedRun, refused: Mapping[str, bool], gold: bool) -> Iterator[tuple[str, str, str]]:
    """Level, finding and detail of each oddity of a run; ``refused`` says which ones are errors."""
    facts = {name: run.facts[name] for name in ("judged_10", "tied", "comments", *ODD_LISTS)}
    if repeated := run.facts["repeated"]:
        yield LEVELS[refused["duplicates"]], REPEATED, many(repeated, "line")
    if run.unmatched:
        finding, _, detail = run.unmatched.partition(": ")
        yield LEVELS[refused["unjudged"]], finding, detail
        return
    facts |= {"unknown": run.unknown, "unlike": run.unlike, "gold": gold}
    for finding, detail in oddities(run.missing, lists=len(run.topics), **facts):
        yield "warning", finding, detail
    if run.by_ties:
        yield "warning", "lowest and highest means over all orders of tied documents", run.by_ties


def _finding_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Table of findings, errors first."""
    table = pd.DataFrame(findings, columns=["level", "finding", "source", "detail"])
    return table.sort_values("level", kind="stable", ignore_index=True)
