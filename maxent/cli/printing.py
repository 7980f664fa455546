"""What commands print: tables on standard output, and notes beside them."""

import argparse
import sys
from collections.abc import Collection as Container
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from maxent.cli.arguments import natural
from maxent.cli.formats import FORMATS, PLACES, TIDY, format_table
from maxent.cli.terminal import Screen
from maxent.data.collection import Collection
from maxent.errors import ProblemError, visible
from maxent.measures.labels import g_label, measure_label
from maxent.study.bootstrap import few_topics
from maxent.study.choose_g import GChoice
from maxent.study.options import READINGS, StudyOptions
from maxent.study.summary import left_out
from maxent.study.topics import SOLVED, discard_checkpoint, lists_kept
from maxent.texts import many


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add --format, --places and --quiet."""
    printed = parser.add_argument_group("what is printed")
    printed.add_argument(
        "--format", choices=FORMATS, default="table",
        help="of the table; with any but the default, table, nothing else is on standard output, and notes go to "
        "standard error; tsv, csv and jsonl have a row for each number",
    )  # fmt: skip
    printed.add_argument(
        "--places", type=natural, metavar="N", help="decimals (default: 4; all digits with --format jsonl)"
    )
    printed.add_argument("-q", "--quiet", action="store_true", help="only the table: no notes, no progress bars")


@dataclass(frozen=True)
class Printer:
    """Where tables and notes of a command go.

    Attributes
    ----------
    form : str
        Format of tables.
    places : int or None
        Decimals; None stands for the format's default.
    quiet : bool
        Whether notes are left out.
    """

    form: str
    places: int | None
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "Printer":
        """As the arguments of :func:`add_format` say."""
        return cls(arguments.format, arguments.places, arguments.quiet)

    @property
    def tidy(self) -> bool:
        """Whether tables are for programs, with a row for each number."""
        return self.form in TIDY

    @property
    def decimals(self) -> int:
        """Decimals of tables for people."""
        return PLACES if self.places is None else self.places

    @property
    def screen(self) -> Screen:
        """Where notes are shown; only a table for people has a look."""
        return Screen.of(sys.stdout) if self.form == "table" else Screen()

    def table(self, table: pd.DataFrame, *, keys: int = 1, marked: Container[int] = ()) -> None:
        """Print a table; names of measures are shortened where people read them, and some rows marked."""
        if not self.tidy and "measure" in table:
            table = table.assign(measure=table["measure"].map(measure_label))
        text = format_table(table, self.form, places=self.places, screen=self.screen, keys=keys, marked=marked)
        print(text)

    def note(self, text: str, style: str = "") -> None:
        """Print what is no table, unless notes are left out."""
        if not self.quiet:
            screen = self.screen
            styled = screen.styled(screen.wrapped(text), style)
            print(styled, file=sys.stdout if self.form == "table" else sys.stderr)

    def answer(self, text: str) -> None:
        """Print the finding, which comes first: a line that stands out, and lines that say how certain it is."""
        first, _, rest = text.partition("\n")
        self.note(first, "good")
        self.note(f"{rest}\n" if rest else "")

    def title(self, text: str) -> None:
        """Print what the table below it is."""
        self.note(text, "bold")

    def legend(self, *lines: str) -> None:
        """Print what the numbers are, below the tables."""
        self.note("\n".join(("", *lines)), "dim")

    def lists(self, table: pd.DataFrame, collection: Collection, options: StudyOptions) -> None:
        """Print how many lists a study used, and where many are left out what another limit would keep."""
        self.note(lists_used(table))
        self.limits(table, collection, options)

    def limits(self, table: pd.DataFrame, collection: Collection, options: StudyOptions) -> None:
        """Print what another limit would keep, where many lists of a study have too few documents."""
        few = table.loc[table["status"] == "too_few", ["run_id", "query_id"]].drop_duplicates()
        many_few = len(few) >= MANY * len(table.drop_duplicates(["run_id", "query_id"]))
        if len(few) and many_few and not options.min_retrieved_total and (kept := kept_by_limit(collection)):
            self.note(f"  {kept}")

    def aside(self, text: str) -> None:
        """Print a note on standard error, whatever the format."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def written(self, folder: Path) -> None:
        """Print where files are."""
        self.aside(f"\nwritten to {folder}/")

    def require_solved(self, table: pd.DataFrame, collection: Collection, options: StudyOptions) -> None:
        """Raise ProblemError if every list of a study is left out: why, and what other options would keep."""
        if table["status"].isin(SOLVED).any():
            return
        discard_checkpoint(collection, options)
        shown = self.form == "table" and not self.quiet
        print(lists_used(table), file=sys.stdout if shown else sys.stderr)
        message = "no list could be used (the reasons are above)"
        if kept := kept_by_limit(collection):
            message += f"; {kept}"
        elif any(part.any() for part in collection.grades):
            message += "; try --min-retrieved 0 --min-retrieved-total 1"
        raise ProblemError(message)


RMS = "RMS: root mean square error of the inferred curve's precision, mean over lists; lower is more informative"
THRESHOLD = "t: lowest grade that counts as relevant"
MANY = 0.25  # share of the lists; where as many have too few documents, another limit may be wanted
INTERVAL = "95 %: bootstrap interval over topics"


def reading_text(options: StudyOptions) -> str:
    """The reading of a study as options: ``count=retrieved, align=recall``."""
    return ", ".join(f"{name}={value}" for name, value in options.reading.items())


def reading_legend(options: StudyOptions) -> list[str]:
    """What the reading of a study is, in words."""
    return [f"{name}={value}: {READINGS[value]}" for name, value in options.reading.items()]


def introduction(collection: Collection, name: str, options: str) -> str:
    """What is studied, to be printed before the work starts."""
    return f"{visible(name)}: {collection.size}; {options}\n"


def kept_by_limit(collection: Collection) -> str:
    """How many lists each --min-retrieved would keep, in words; empty if none does."""
    kept = lists_kept(collection)
    limits = zip(kept["min_retrieved"], kept["lists"], strict=True)
    counts = ", ".join(f"{limit}: {lists}" for limit, lists in limits)
    return f"lists that --min-retrieved would keep: {counts}" if (kept["lists"] > 0).any() else ""


def lists_used(table: pd.DataFrame) -> str:
    """How many lists the means are over, how many were left out, and why."""
    counts = left_out(table)
    lists = len(table.drop_duplicates(["run_id", "query_id"]))
    solved = counts[counts["status"].isin(SOLVED)].groupby("measure", sort=False)["lists"].sum()
    most, fewest = (int(solved.max()), int(solved.min())) if len(solved) else (0, 0)
    if len(solved) < counts["measure"].nunique():
        fewest = 0
    topics = table.loc[table["status"].isin(SOLVED), "query_id"].nunique()
    used = f"{most} used" if most == fewest else f"{fewest} to {most} used"
    lines = [f"\n{lists} lists; {used}, of {many(topics, 'topic')}", *_reasons(counts), *_at_thresholds(table)]
    if caution := few_topics(topics):
        lines.append(f"  {caution}")
    if most != fewest:
        lines.append("  the means of different measures are over different lists: compare them with care")
    return "\n".join(lines)


def _at_thresholds(table: pd.DataFrame) -> Iterator[str]:
    """A line for each higher threshold with fewer lists, as topics or lists may have no document of such grades."""
    solved = table[table["status"].isin(SOLVED)]
    if solved.empty or "threshold" not in table:
        return
    measure = solved["measure"].iloc[0]
    own = solved[solved["measure"] == measure].groupby("threshold")["query_id"].agg(["size", "nunique"])
    first = own["size"].iloc[0]
    for threshold, lists, topics in own.iloc[1:].itertuples(name=None):
        if lists < first:
            fewer = f"{first - lists} have no document of grade {threshold} or higher to draw a curve of"
            yield f"  t={threshold}: {lists} used, of {many(topics, 'topic')}; {fewer}"


def _reasons(counts: pd.DataFrame) -> Iterator[str]:
    """A line for each reason why lists are left out, from counts as of :func:`left_out`."""
    rest = counts[~counts["status"].isin(SOLVED)]
    for (status, reason), rows in rest.groupby(["status", "reason"], sort=False):
        number = rows["lists"]
        every = number.nunique() == 1 and len(rows) == counts["measure"].nunique()
        if every:
            yield f"  left out: {number.iloc[0]} ({status}: {reason})"
        else:
            detail = ", ".join(f"{m} {n}" for m, n in zip(rows["measure"], number, strict=True))
            yield f"  left out: {status} ({reason}), by measure: {detail}"


def recommendation(choice: GChoice, reading: str, *, among: str = "") -> str:
    """The chosen g in words: how certain it is, its rivals, and the reading for which it holds."""
    row = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
    rivals = choice.table[(choice.table["excess_low"] <= 0) & (choice.table["measure"] != row["measure"])]
    lines = [f"most informative: g = ({g_label(choice.g)}){f' {among}' if among else ''}"]
    topics = int(row["topics"])
    where = f"on the {many(int(row['lists']), 'list')} that all candidates and thresholds have in common"
    error = f"  mean RMS {row['objective']:.4f} over the thresholds, {where}"
    if row["low"] != row["low"]:
        lines += [error, "  (a single topic: no interval, and no telling how certain this is)"]
    else:
        ends = f"95 % [{row['low']:.4f}, {row['high']:.4f}]"
        lines += [error, f"  {ends}; best in {row['share_best']:.0%} of resampled sets of {topics} topics"]
        if caution := few_topics(topics):
            lines.append(f"  {caution}")
    if len(rivals):
        names = ", ".join(measure_label(m) for m in rivals["measure"])
        lines.append(f"  not distinguishable from it (95 %): {names}")
    elif row["low"] == row["low"]:
        lines.append("  every other candidate is distinguishably worse (95 %)")
    return "\n".join((*lines, scope(reading)))


def best_measure(summary: pd.DataFrame, reading: str) -> str:
    """The measure with the smallest error in words; empty unless several are compared on the same lists."""
    means = summary.groupby("measure", sort=False)["rms"].mean()
    if len(means) < 2 or summary["lists"].nunique() > 1:
        return ""
    best = str(means.idxmin())
    first = f"smallest error: {measure_label(best)}, mean RMS {means[best]:.4f} over the thresholds"
    return "\n".join((first, scope(reading)))


def scope(reading: str) -> str:
    """That a finding holds for a reading, and what changes it."""
    return f"  for this reading only ({reading}): --count and --align change it"
