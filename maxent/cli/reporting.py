"""``--report``: what the commands found as one HTML file."""

import argparse
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli.printing import Printer
from maxent.data.collection import Collection
from maxent.study.choose_g import GChoice
from maxent.study.options import StudyOptions
from maxent.systems.compare_judgments import JudgmentComparison
from maxent.systems.discrimination import Discrimination

if TYPE_CHECKING:
    from maxent.reports.content import Content, Provenance

    Made: TypeAlias = Callable[[tuple[str, str], Provenance], Content]
    """A report, given its title (command and collection) and where its numbers come from."""


def study(
    arguments: argparse.Namespace,
    name: str,
    collection: Collection,
    options: StudyOptions,
    table: pd.DataFrame,
    choice: GChoice | None,
) -> None:
    """Write the report of ``maxent study`` or ``maxent choose-g``, if one is wanted."""

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.study import study_content  # here and below: loads matplotlib

        weights = shared.weights(arguments.weights, options.thresholds)
        return study_content(*title, collection, options, table, choice, made, weights=weights, rng=arguments.seed)

    _write(arguments, name, collection, content)


def predictions(
    arguments: argparse.Namespace, name: str, collection: Collection, table: pd.DataFrame, summary: pd.DataFrame
) -> None:
    """Write the report of ``maxent predict``, if one is wanted."""

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.comparisons import predictions_content

        return predictions_content(title, collection, table, summary, made, count=arguments.count)

    _write(arguments, name, collection, content)


def discrimination(arguments: argparse.Namespace, name: str, collection: Collection, found: Discrimination) -> None:
    """Write the report of ``maxent compare discriminative``, if one is wanted."""

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.comparisons import discrimination_content

        options = {"method": arguments.method, "alpha": arguments.alpha}
        return discrimination_content(title, collection, found.pairs, found.power, made, **options)

    _write(arguments, name, collection, content)


def agreement(arguments: argparse.Namespace, name: str, collection: Collection, table: pd.DataFrame) -> None:
    """Write the report of ``maxent compare agreement``, if one is wanted."""

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.comparisons import agreement_content

        return agreement_content(title, collection, table, made, facts=_ranked(arguments))

    _write(arguments, name, collection, content)


def pools(
    arguments: argparse.Namespace, name: str, collection: Collection, table: pd.DataFrame, summary: pd.DataFrame
) -> None:
    """Write the report of ``maxent compare pools``, if one is wanted."""

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.comparisons import pools_content

        facts = [*_ranked(arguments), ("repetitions", str(arguments.repetitions), "random samples of each share")]
        return pools_content(title, collection, table, summary, made, facts=facts)

    _write(arguments, name, collection, content)


def systems(
    arguments: argparse.Namespace,
    name: str,
    collection: Collection,
    table: pd.DataFrame,
    overview: pd.DataFrame | None,
) -> None:
    """Write the report of ``maxent compare systems``, if one is wanted."""
    facts = [
        ("test", arguments.test, "paired test over topics"),
        ("correction", arguments.correction, "of the p-values for the number of comparisons by a measure"),
        ("alpha", f"{arguments.alpha:g}", "significance level; intervals have level 1 - alpha"),
        ("empty", arguments.empty, "topics without relevant documents count 0 (zero) or do not count (skip)"),
    ]

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.comparisons import systems_content

        return systems_content(title, collection, table, overview, made, facts=facts)

    _write(arguments, name, collection, content)


def judgments(arguments: argparse.Namespace, found: JudgmentComparison) -> None:
    """Write the report of ``maxent compare judgments``, if one is wanted."""

    def content(title: tuple[str, str], made: "Provenance") -> "Content":
        from maxent.reports.judgments import judgments_content

        return judgments_content(title, found, made, names=arguments.qrels)

    _write(arguments, " and ".join(arguments.qrels), None, content)


def _ranked(arguments: argparse.Namespace) -> list[tuple[str, str, str]]:
    return [
        ("quantile", f"{arguments.quantile:g}", "only runs above this quantile of mean AP take part"),
        ("few", f"{arguments.few:g}", "topics have few documents of grade k if R_1 >= few R_k > 0"),
    ]


def _write(arguments: argparse.Namespace, name: str, collection: Collection | None, content: "Made") -> None:
    """Write the report of a command, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.page import write_report
    from maxent.reports.provenance import provenance

    kind = " ".join(["maxent", arguments.command, *([arguments.kind] if arguments.command == "compare" else [])])
    runs = [shared.named(text) for text in arguments.runs or ()]
    command = shlex.join(["maxent", *arguments.given])
    made = provenance(command, collection, qrels=arguments.qrels, runs=runs)
    path = write_report(content((kind, name), made), arguments.report)
    Printer.of(arguments).aside(f"\nreport written to {path}")
