"""``maxent check``: what is in files, and what is odd about them."""

import argparse
import json
import sys

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli.formats import format_table, json_records
from maxent.cli.terminal import Screen
from maxent.data.check import UNUSABLE, Check, check
from maxent.errors import InputError, visible
from maxent.texts import many

SHOWN = 8  # runs that a line names
DESCRIPTION = """\
What is in files of runs and judgments, and what is odd about them: to be run before a study.  Prints the documents
of each grade, a row for each run, and all errors and warnings: files that cannot be read, topics that are missing
or unknown, tied scores, documents without judgment.  Ends with code 2 if there is an error, with 0 otherwise.

Columns of a run: its topics and lines; topics of the judgments that are missing from it, and those that are unknown
to the judgments; documents of its shortest and longest list; share of judged documents among the first 10 and
within --depth (mean over lists); lists with tied scores; lists in which rank_differs from the order of the scores,
which alone counts, and those where it goes against scores that are not tied; lines that are repeated, that is, list
a document of the topic again (an error; --duplicates first makes it a warning).

  maxent check --qrels qrels.txt --runs runs"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=True)
    parser.add_argument("--json", action="store_true", help="print one JSON document with all tables")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    found = check(
        list(map(shared.named, arguments.runs)),
        arguments.qrels,
        depth=arguments.depth,
        topics=arguments.topics,
        levels=arguments.levels,
        grades=arguments.grades,
        bins=arguments.bins,
        duplicates=arguments.duplicates,
        progress=not arguments.quiet,
    )
    print(json.dumps(_document(found), indent=1) if arguments.json else _text(found, Screen.of(sys.stdout)))
    if found.errors:
        raise InputError(f"{many(found.errors, 'error')}, see above")


def _document(found: Check) -> dict[str, list[dict[str, object]]]:
    tables = {"runs": found.runs, "topics": found.topics, "grades": found.grades, "findings": found.findings}
    return {name: json_records(table) for name, table in tables.items()}


def _text(found: Check, screen: Screen) -> str:
    """What is odd comes first, then what is there."""
    runs = found.runs.drop(columns="file")
    errors, warnings = found.errors, len(found.findings) - found.errors
    verdict = f"{many(errors, 'error')}, {many(warnings, 'warning')}" if len(found.findings) else "nothing odd"
    judgments = (
        f"qrels: {many(len(found.topics), 'topic')}, {many(int(found.grades['documents'].sum()), 'judgment')}"
    )
    parts = [
        screen.styled(verdict, "bad" if errors else "bold" if warnings else "good"),
        *(screen.wrapped(line) for line in _findings(found.findings)),
        screen.styled(f"\n{judgments}", "bold"),
        format_table(found.grades, screen=screen) if len(found.grades) else "",
        screen.styled(f"\n{many(len(runs), 'run')}", "bold"),
        format_table(runs, screen=screen) if len(runs) else "",
        screen.styled('\n"maxent check --help" explains the columns', "dim") if len(runs) else "",
    ]
    return "\n".join(part for part in parts if part)


def _findings(findings: pd.DataFrame) -> list[str]:
    """Errors one by one, then warnings by kind, with the runs that they are about."""
    lines = []
    for level, rows in findings.groupby("level", sort=False):
        for finding, own in rows.groupby("finding", sort=False):
            about = [f"{source} ({detail})" for source, detail in zip(own["source"], own["detail"], strict=True)]
            about = list(map(visible, about))
            if level == "warning":
                more = f", and {len(about) - SHOWN} more" if len(about) > SHOWN else ""
                lines.append(f"  {finding}: {', '.join(about[:SHOWN])}{more}")
            elif finding == UNUSABLE:  # the detail names the file
                lines += [f"  error: {visible(detail)}" for detail in own["detail"]]
            else:
                lines += [f"  error: {finding}: {one}" for one in about]
    return lines
