"""What is in files of runs and judgments, and what is odd about them?

Prints the documents of each grade, a row for each run, and all errors and warnings: files that cannot be read,
topics that are missing or unknown, tied scores, documents without judgment. Ends with code 2 if there is an error,
with 0 otherwise.

Columns of a run: its topics and lines; topics of the judgments that are missing from it, and those that are unknown
to the judgments; documents of its shortest and longest list; share of judged documents among the first 10 and
within --depth (mean over lists); lists with tied scores; lists in which rank_differs from the order of the scores,
which alone counts, and those where it goes against scores that are not tied; lines that are repeated, that is, list
a document of the topic again (an error; --duplicates first makes it a warning).

Files in --out: findings.csv, runs.csv, grades.csv, topics.csv.

  maxent check --qrels qrels.txt --runs runs
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Table
from maxent.data.check import UNUSABLE, Check, check
from maxent.data.inspect_run import about_runs
from maxent.errors import visible
from maxent.result import Result
from maxent.study.finding import Finding
from maxent.texts import many


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=True)


def run(arguments: argparse.Namespace) -> Result:
    found = check(
        list(map(given.named, arguments.runs)),
        arguments.qrels,
        **given.list_options(arguments),
        **given.keywords(arguments, "grades", "bins"),
    )
    judged = many(int(found.grades["documents"].sum()), "judgment")
    return Result(
        title=arguments.qrels,
        finding=_finding(found),
        tables=(
            Table(name="findings", title="Findings", frame=found.findings, places=("file", "page")),
            Table(name="grades", title=f"qrels: {many(len(found.topics), 'topic')}, {judged}", frame=found.grades),
            Table(name="runs", title=many(len(found.runs), "run"), frame=found.runs,
                  shown=found.runs.drop(columns="file"),
                  meanings={"topics": "its topics", "missing": "topics of the judgments that it has not"}),
            Table(name="topics", title="Topics", frame=found.topics, places=("file", "page"), closed=True,
                  meanings={"judged": "documents with a grade of at least 0"}),
        ),
        main="findings",
        legend=('"maxent check --help" explains the columns',) if len(found.runs) else (),
        errors=f"{many(found.errors, 'error')}, see above" if found.errors else "",
    )  # fmt: skip


def _finding(found: Check) -> Finding:
    """What is odd, in words."""
    if found.findings.empty:
        return Finding("nothing odd")
    warnings = found.findings[found.findings["level"] == "warning"]
    kinds = f" of {many(warnings['finding'].nunique(), 'kind')}" if len(warnings) else ""
    odd = f"{many(found.errors, 'error')}, {many(len(warnings), 'warning')}{kinds}"
    return Finding(odd, tuple(_findings(found.findings)))


def _findings(findings: pd.DataFrame) -> list[str]:
    """Errors one by one, then warnings by kind, with the runs that they are about."""
    lines = []
    for level, rows in findings.groupby("level", sort=False):
        for finding, own in rows.groupby("finding", sort=False):
            about = [f"{source} ({detail})" for source, detail in zip(own["source"], own["detail"], strict=True)]
            about = list(map(visible, about))
            if level == "warning":
                lines.append(about_runs(str(finding), about))
            elif finding == UNUSABLE:  # the detail names the file
                lines += [f"error: {visible(detail)}" for detail in own["detail"]]
            else:
                lines += [f"error: {finding}: {one}" for one in about]
    return lines
