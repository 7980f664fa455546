"""Tables and figures of comparisons: of systems by measures, and of two sets of judgments."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from maxent.content import Panel, Sheet, Table, plotted
from maxent.study_tables import one_row_each
from maxent.systems.compare_judgments import JudgmentComparison, changes, confusion_matrix
from maxent.systems.comparison import by_run, marked_differences, run_means, wide_comparison, won_and_lost
from maxent.texts import candidates_of, many, measure_label
from maxent.words import JUDGMENTS, SYSTEMS

WON = {"better": "than how many runs it is significantly better", "worse": "or worse"}
GRID = "GAP(g=...): one row for each g of the grid; with all of g at grade 1 it is AP"


def systems_tables(table: pd.DataFrame, baselines: Sequence[str], places: int) -> tuple[Table, ...]:
    """A table for people for each baseline, or one for all pairs; and all tests, the best runs first."""
    overviews = [
        Table(
            name=f"overview{number}", title=f"Runs by their means, against {baseline}", frame=table,
            shown=marked_differences(table, baseline, places), places=("text",),
        )
        for number, baseline in enumerate(baselines)
    ]  # fmt: skip
    if not baselines:
        counts = won_and_lost(table)
        meanings = dict.fromkeys(counts["measure"], "mean over topics") | WON
        overviews = [
            Table(
                name="overview", title="Runs by their means", frame=counts, shown=by_run(counts),
                meanings=meanings, places=("text", "page"),
            )
        ]  # fmt: skip
    measures = table.groupby("measure", sort=False)
    tests = pd.concat([rows.sort_values("mean", ascending=False, kind="stable") for _, rows in measures])
    return (
        *overviews,
        Table(
            name="systems", title="Tests", frame=table, shown=tests, meanings=SYSTEMS, places=("file", "page"),
            closed=not baselines,
        ),
        Table(name="systems_wide", frame=wide_comparison(table), places=("file",)),
    )  # fmt: skip


def systems_figure(table: pd.DataFrame, baselines: Sequence[str]) -> Sheet:
    """A panel for each baseline and measure, or for each measure and its best run."""
    means = run_means(table)
    pairs = [(str(m), b) for b in baselines for m in means] or [(str(m), str(means[m].idxmax())) for m in means]
    panels = [
        Panel(
            draw=plotted("plot_comparison", table, measure=measure, baseline=baseline),
            caption=f"{measure_label(measure)}: differences to {baseline} with their intervals; in colour if "
            "significant.",
            size=(4.1, 1.3 + 0.17 * len(means)),
        )
        for measure, baseline in pairs
    ]
    return Sheet(name="systems", panels=tuple(panels), columns=means.shape[1])


def judgments_tables(found: JudgmentComparison) -> tuple[Table, ...]:
    """Grades and agreement; rankings and choices of g if they were asked for."""
    crossed = confusion_matrix(found.confusion).rename_axis(columns=None).reset_index(names="A \\ B")
    documents = many(int(found.agreement["documents"].iloc[0]), "document")
    tables = [
        Table(
            name="confusion", title="documents by their grades in A (rows) and B (columns)", frame=found.confusion,
            shown=crossed.rename(columns=str),
        ),
        Table(
            name="agreement", title=f"agreement of the {documents} that both judge", frame=found.agreement,
            shown=found.agreement[["statistic", "value", "low", "high"]], meanings=JUDGMENTS,
        ),
    ]  # fmt: skip
    if len(found.rankings):
        runs = many(found.means["run_id"].nunique(), "run")
        tables += [
            Table(
                name="rankings", title=f"rankings of {runs} by each measure, with A and with B",
                frame=found.rankings, shown=one_row_each(changes(found.rankings)), meanings=JUDGMENTS,
                note=GRID if candidates_of(found.rankings["measure"]) else "",
            ),
            Table(
                name="means", title="Means of the runs", frame=found.means, places=("file", "page"), closed=True,
                meanings=JUDGMENTS,
            ),
        ]  # fmt: skip
    if len(found.choices):
        names = ["judgments", "measure", "objective", "low", "high", "other", "other_objective"]
        shown = found.choices.assign(judgments=found.choices["judgments"].str.upper())
        tables.append(Table(
            name="choices", title="most informative g, by mean RMS error", frame=found.choices,
            shown=shown[[*names, "excess_low", "excess_high", "lists"]],
            meanings={"measure": "GAP with the g that the set chooses"},
        ))  # fmt: skip
    return tuple(tables)


def judgments_figure(found: JudgmentComparison, names: Sequence[str]) -> Sheet:
    """Documents by their grades."""
    first, second = (f"{letter}: {Path(name).name}" for letter, name in zip("AB", names, strict=True))
    size = len(confusion_matrix(found.confusion))
    panel = Panel(
        draw=plotted("plot_confusion", found.confusion, names=(first, second)),
        caption="Documents by their grades in A (rows) and in B (columns), as shares of the row.",
        size=(max(4.1, 0.5 * size), 1.6 + 0.5 * size),
        white=True,
    )
    return Sheet(name="confusion", panels=(panel,))
