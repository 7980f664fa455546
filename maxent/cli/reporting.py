"""``--report``: what the commands found as one HTML file."""

import argparse
import shlex
from typing import TYPE_CHECKING

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli.printing import Printer
from maxent.data.collection import Collection
from maxent.study.choose_g import GChoice
from maxent.study.options import StudyOptions
from maxent.systems.discrimination import Discrimination

if TYPE_CHECKING:
    from maxent.reports.content import Content, Provenance


def study(
    arguments: argparse.Namespace,
    name: str,
    collection: Collection,
    options: StudyOptions,
    table: pd.DataFrame,
    choice: GChoice | None,
) -> None:
    """Write the report of ``maxent study`` or ``maxent choose-g``, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.study import study_content  # here and below: loads jinja2

    kind, made = _kind(arguments), _made(arguments, collection)
    weights = shared.weights(arguments.weights, options.thresholds)
    content = study_content(
        kind, name, collection, options, table, choice, made, weights=weights, rng=arguments.seed
    )
    _write(arguments, content)


def predictions(
    arguments: argparse.Namespace, name: str, collection: Collection, table: pd.DataFrame, summary: pd.DataFrame
) -> None:
    """Write the report of ``maxent predict``, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.comparisons import predictions_content

    title, made = (_kind(arguments), name), _made(arguments, collection)
    _write(arguments, predictions_content(title, collection, table, summary, made, count=arguments.count))


def discrimination(arguments: argparse.Namespace, name: str, collection: Collection, found: Discrimination) -> None:
    """Write the report of ``maxent compare discriminative``, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.comparisons import discrimination_content

    title, made = (_kind(arguments), name), _made(arguments, collection)
    content = discrimination_content(
        title, collection, found.pairs, found.power, made, method=arguments.method, alpha=arguments.alpha
    )
    _write(arguments, content)


def agreement(arguments: argparse.Namespace, name: str, collection: Collection, table: pd.DataFrame) -> None:
    """Write the report of ``maxent compare agreement``, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.comparisons import agreement_content

    title, made = (_kind(arguments), name), _made(arguments, collection)
    _write(arguments, agreement_content(title, collection, table, made, facts=_ranked(arguments)))


def pools(
    arguments: argparse.Namespace, name: str, collection: Collection, table: pd.DataFrame, summary: pd.DataFrame
) -> None:
    """Write the report of ``maxent compare pools``, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.comparisons import pools_content

    title, made = (_kind(arguments), name), _made(arguments, collection)
    facts = [*_ranked(arguments), ("repetitions", str(arguments.repetitions), "random samples of each share")]
    _write(arguments, pools_content(title, collection, table, summary, made, facts=facts))


def systems(
    arguments: argparse.Namespace,
    name: str,
    collection: Collection,
    table: pd.DataFrame,
    overview: pd.DataFrame | None,
) -> None:
    """Write the report of ``maxent compare systems``, if one is wanted."""
    if arguments.report is None:
        return
    from maxent.reports.comparisons import systems_content

    title, made = (_kind(arguments), name), _made(arguments, collection)
    facts = [
        ("test", arguments.test, "paired test over topics"),
        ("correction", arguments.correction, "of the p-values for the number of comparisons by a measure"),
        ("alpha", f"{arguments.alpha:g}", "significance level; intervals have level 1 - alpha"),
        ("empty", arguments.empty, "topics without relevant documents count 0 (zero) or do not count (skip)"),
    ]
    _write(arguments, systems_content(title, collection, table, overview, made, facts=facts))


def _kind(arguments: argparse.Namespace) -> str:
    return " ".join(["maxent", arguments.command, *([arguments.kind] if arguments.command == "compare" else [])])


def _made(arguments: argparse.Namespace, collection: Collection) -> "Provenance":
    from maxent.reports.provenance import provenance

    runs = [shared.named(text) for text in arguments.runs or ()]
    command = shlex.join(["maxent", *arguments.given])
    return provenance(command, collection, qrels=arguments.qrels, runs=runs)


def _ranked(arguments: argparse.Namespace) -> list[tuple[str, str, str]]:
    return [
        ("quantile", f"{arguments.quantile:g}", "only runs above this quantile of mean AP take part"),
        ("few", f"{arguments.few:g}", "topics have few documents of grade k if R_1 >= few R_k > 0"),
    ]


def _write(arguments: argparse.Namespace, content: "Content") -> None:
    from maxent.reports.page import write_report

    Printer.of(arguments).aside(f"\nreport written to {write_report(content, arguments.report)}")
