"""Tables, facts and figures of a study."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.measures.candidates import candidates_of
from maxent.options import StudyQuestion, options_of
from maxent.problem import Count
from maxent.results.content import Drawing, Fact, Panel, Parts, Share, Sheet, Table
from maxent.results.schema import Column, Schema
from maxent.stats.intervals import ROUNDING
from maxent.studies.columns import (
    GIVEN,
    INTERVAL,
    LISTS,
    MAY_BE_BEST,
    MEAN_RMS,
    RMS,
    RMS_AT_THRESHOLD,
    SHARE_BEST,
    STATUS,
    THRESHOLD,
    TOPICS,
    interval_of,
)
from maxent.studies.g_choice import GChoice
from maxent.studies.holdings import RUNS, runs_table, topics_table
from maxent.studies.holdings import TOPICS as JUDGED
from maxent.studies.options import StudyOptions
from maxent.studies.reading_words import READINGS
from maxent.studies.same_lists import MOSTLY
from maxent.studies.study_finding import BEST, REFINED, simplest
from maxent.studies.summary import Compared, left_out, places
from maxent.studies.topics import SOLVED
from maxent.texts import g_label, measure_label, threshold_label

CURVE, MAP = (4.1, 3.5), (4.1, 4.9)  # inches of a panel
LEAGUE = Schema(
    THRESHOLD,
    GIVEN,
    LISTS,
    TOPICS,
    RMS,
    MEAN_RMS,
    interval_of("rms"),
    Column("difference", "mean RMS error minus that of the best"),
    interval_of("difference"),
    MAY_BE_BEST,
    SHARE_BEST,
    Column("rank", "place among the measures by mean RMS error", "place"),
    interval_of("rank"),
    Column("same", "measures with the same error on every list", "same as", "measure"),
)
"""Columns of the measures compared on the same lists."""
CANDIDATES = (
    Column(
        "role",
        "recommended: the simplest that may be the best; best: the smallest error of the grid, if another is "
        "recommended; refined: by local optimisation on the same lists, no reference for differences; no content: "
        "a measure without content, the level that a measure should be below",
        explained=True,
    ),
    MEAN_RMS,
    INTERVAL,
    Column(
        "excess_{end}",
        "unadjusted 95 % interval of the error above that of the best of the grid",
        "above best (95 %)",
        explained=True,
    ),
    MAY_BE_BEST,
    SHARE_BEST,
    RMS_AT_THRESHOLD._replace(name="rms_t{t}"),
    LISTS._replace(hidden=True),
    TOPICS._replace(hidden=True),
)
CANDIDATES_OF = {
    "GAP": Schema(
        Column("measure", "GAP with the g of the candidate", format="measure"),
        Column("g_{k}", "threshold probability of grade {k}", hidden=True),
        *CANDIDATES,
    ),
    "nDCG": Schema(
        Column("measure", "nDCG with the gains of the candidate", format="measure"),
        Column("g_{k}", "gain of grade {k} minus that of the grade below, divided by the last gain", hidden=True),
        *CANDIDATES,
    ),
}
"""Columns of the candidates for g of GAP or gains of nDCG."""
LEFT_OUT = Schema(
    GIVEN,
    STATUS,
    Column("lists", "how many lists were excluded for this reason"),
    Column("reason", "why lists are excluded"),
)
"""Columns of the excluded lists."""
ERRORS_OF = (Column("used", "lists used in this report"), RMS_AT_THRESHOLD)
"""Columns of the errors of a run or topic."""


def measures_table(summary: pd.DataFrame, shares: pd.Series, may_be_best: Mapping[str, bool]) -> pd.DataFrame:
    """A row for each measure, sorted by error, unranked ones last: mean RMS, and the RMS at each threshold.

    ``shares`` has the weights of the thresholds.
    """
    # 1. the summary with a row for each measure, and its columns for each threshold
    names, by_measure = summary["measure"].unique(), summary.groupby("measure")
    wide = summary.set_index(["measure", "threshold"]).unstack("threshold").loc[names]
    columns = {"measure": names, "objective": wide["rms"][shares.index] @ shares}
    # 2. columns that have something to say
    if may_be_best:
        columns["may_be_best"] = pd.Series(may_be_best, dtype="boolean").reindex(names)
    numbers = by_measure[["constant", "lists"]].sum().loc[names]
    if numbers["constant"].any():
        columns["constant"] = by_measure["constant"].max().loc[names].astype("Int64")
    has_own_lists = by_measure["lists"].nunique().max() > 1  # thresholds of a measure have different lists
    if not has_own_lists:
        columns["lists"] = by_measure["lists"].first().loc[names]
    at_threshold = [*(["lists"] if has_own_lists else []), "rms", "rms_low", "rms_high"]
    for t in sorted(summary["threshold"].unique()):
        columns |= {f"{name} t={t}": wide[name, t] for name in at_threshold}
    # 3. the order of the rows
    columns["unranked"] = numbers["constant"] > MOSTLY * numbers["lists"]
    rows = one_row_each(pd.DataFrame(columns).reset_index(drop=True))
    return rows.sort_values(["unranked", "objective"], kind="stable", ignore_index=True).drop(columns="unranked")


def other_lists(summary: pd.DataFrame, compared: Compared) -> str:
    """Note that summary and finding have means over different lists; empty if their means are the same."""
    summary_means = summary.set_index(["threshold", "measure"])["rms"]
    comparisons = {} if compared.over is None else compared.over.parts  # by threshold
    if all(
        (summary_means[threshold][comparison.means.index] - comparison.means).abs().max() <= ROUNDING
        for threshold, comparison in comparisons.items()
    ):
        return ""
    return (
        "Means of the table: all lists solved for the measure. The finding: lists solved for every measure, "
        "without those in which the counts alone fix a value."
    )


def one_row_each(table: pd.DataFrame) -> pd.DataFrame:
    """One row for measures with the same label, such as AP and GAP(1, 0): the row with the shortest text form."""
    by_length = table["measure"].sort_values(key=lambda texts: texts.str.len(), kind="stable")
    is_repeated = by_length.map(measure_label).duplicated().sort_index()  # in the order of the table again
    return table[~is_repeated].reset_index(drop=True)


def league_tables(compared: Mapping[Count, Compared]) -> list[Table]:
    """A league table for each count with several measures and a list that is solved for all of them."""
    columns = ["measure", "rms", "rms_low", "rms_high", "difference", "difference_low", "difference_high"]
    columns += ["share_best", "same"]
    several_counts = len(compared) > 1
    tables = []
    for count, comparison in compared.items():
        if len(comparison.names) + len(comparison.constant) < 2 or comparison.over is None:
            continue
        league = places(comparison, comparison.over)
        over_thresholds = league[league["threshold"] == 0]
        shown = over_thresholds[columns].rename(columns={"rms": "objective"})
        lists = over_thresholds["lists"].iloc[0]
        tables.append(
            Table(
                name=f"league-{count}" if several_counts else "league",
                title="Measures on the same lists" + (f", {count}" if several_counts else ""),
                frame=league,
                schema=LEAGUE,
                note=f"On the {lists} lists of the comparison, with paired differences to the best.",
                places=("page",),
                shown=shown.sort_values("objective", kind="stable", ignore_index=True),
            )
        )
    return tables


def candidates_table(name: str, choice: GChoice, **others: Any) -> Table:
    """Candidates for g, sorted by error."""
    frame = choice.beside_null
    shown = frame.sort_values("objective", kind="stable", ignore_index=True)
    return Table(
        name=name,
        title="Candidates for g" if choice.kind == "GAP" else "Candidates for gains",
        frame=frame,
        shown=shown,
        marked=np.flatnonzero(shown["measure"] == simplest(choice.table)).tolist(),
        note=f"All on the {frame['lists'].iloc[0]} lists on which the measures are compared.",
        schema=CANDIDATES_OF[choice.kind],
        **others,
    )


def details(table: pd.DataFrame, collection: Collection, choice: GChoice | None) -> list[Table]:
    """Excluded lists, and runs and topics with their mean errors by one measure."""
    solved = table[table["status"].isin(SOLVED)]
    name = solved["measure"].iloc[0] if choice is None else simplest(choice.table)
    rows = solved[solved["measure"] == name]
    return [
        _excluded_lists(table),
        _with_errors(runs_table(collection), RUNS, rows, by="run_id"),
        _with_errors(topics_table(collection), JUDGED, rows, by="query_id"),
    ]


def _excluded_lists(table: pd.DataFrame) -> Table:
    """How many lists are excluded for each measure and reason; people see measures with the same label once."""
    counts = left_out(table)
    excluded = counts[~counts["status"].isin(SOLVED)]
    distinct = one_row_each(excluded[["measure"]].drop_duplicates())["measure"]
    return Table(
        name="left-out",
        title="Excluded lists",
        frame=excluded,
        shown=excluded[excluded["measure"].isin(distinct)],
        places=("page",),
        closed=True,
        schema=LEFT_OUT,
    )


def _with_errors(sizes: Table, schema: Schema, rows: pd.DataFrame, *, by: str) -> Table:
    """Table of the runs or topics of a collection with their mean errors, from the ``rows`` of one measure.

    The column ``by`` names the run or topic of a row.
    """
    errors = rows.pivot_table(index=by, columns="threshold", values="rms", sort=False)
    errors.columns = [f"rms t={threshold}" for threshold in errors.columns]
    errors.insert(0, "used", rows.drop_duplicates(["run_id", "query_id"]).groupby(by).size())
    frame = sizes.frame.join(errors, on=by)
    frame["used"] = frame["used"].fillna(0).astype(np.int64)
    note = f"RMS of {measure_label(rows['measure'].iloc[0])}."
    return replace(sizes, frame=frame, schema=Schema(*schema, *ERRORS_OF), note=note)


def facts(options: StudyOptions, weights: Mapping[int, float] | None = None) -> tuple[Fact, ...]:
    """Facts on the options that determine the numbers."""
    declared = options_of(StudyQuestion)
    by = declared["min_retrieved_by"].readings[options.min_retrieved_by]
    min_retrieved = declared["min_retrieved"].fact.format(min_retrieved_by=by)
    all_facts = [
        *(Fact(name, value, f"{READINGS[value]} (--{name})") for name, value in options.reading_parts.items()),
        Fact("min-retrieved", str(options.min_retrieved), min_retrieved),
    ]
    if options.min_retrieved_total:
        total = declared["min_retrieved_total"].fact
        all_facts.append(Fact("min-retrieved-total", str(options.min_retrieved_total), total))
    if weights is not None:
        text = ", ".join(f"{threshold}: {weight:g}" for threshold, weight in sorted(weights.items()))
        all_facts.append(Fact("weights", text, declared["weights"].fact))
    return tuple(all_facts)


def comparison_figure(summary: pd.DataFrame) -> Sheet:
    """Figure of measures without a sweep of g: a panel for each count and threshold, all on one scale."""
    last_threshold = int(summary["threshold"].max())
    limits = (0.0, 1.05 * float(summary["rms_high"].max()))
    size = (CURVE[0], 1.0 + 0.18 * max(5, summary["measure"].nunique()))
    has_counts = "count" in summary
    of_counts = list(summary.groupby("count", sort=False)) if has_counts else [("", summary)]
    panels = []
    for count, of_count in of_counts:
        for threshold in sorted(of_count["threshold"].unique()):
            rows = of_count[of_count["threshold"] == threshold]
            label = [threshold_label(int(threshold), last_threshold)]
            if has_counts:
                label.append(f"count={count}")
            draw = Drawing("plot_measures", rows, title="\n".join(label), limits=limits)
            caption = f"Mean RMS error of the inferred curves: {', '.join(label)}. Lower is more informative."
            panels.append(Panel(draw, caption, size))
    columns = len(panels) // len(of_counts)  # a row of panels for each count
    return Sheet("informativeness", tuple(panels), columns=2 if len(panels) == 4 else columns)


def error_figure(summary: pd.DataFrame, choice: GChoice | None) -> Sheet:
    """Figure of errors over g: a panel for each threshold, all on one scale, and a panel for the choice.

    Without a choice, the figure compares the measures.
    """
    if choice is None:
        return comparison_figure(summary)
    # 1. the scale of the panels
    solved = summary[summary["lists"] > 0]
    are_maps = any(len(g) == 3 for g in candidates_of(solved["measure"]).values())  # maps show no intervals
    ends = solved[["rms"] if are_maps else ["rms", "rms_low", "rms_high"]].to_numpy()
    lowest, highest = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = 0.05 * (highest - lowest) + 1e-3
    limits = (max(0.0, lowest - margin), highest + margin)
    # 2. the panels
    thresholds = [int(t) for t in sorted(solved["threshold"].unique())]
    panels = [
        Panel(
            Drawing("plot_informativeness", summary, threshold=t, limits=limits),
            f"Mean RMS error of the inferred curves: {threshold_label(t, thresholds[-1])}. Lower is more "
            "informative.",
            size=MAP if are_maps else CURVE,
        )
        for t in thresholds
    ]
    panels.append(choice_panel(choice, limits=None if are_maps else limits))
    return Sheet("informativeness", tuple(panels), columns=2 if len(panels) == 4 else None)


def choice_panel(choice: GChoice, *, limits: tuple[float, float] | None = None) -> Panel:
    """Panel with the figure of the choice of g, on the scale of the other panels if there are any."""
    caption = "The choice of g: mean RMS error over the thresholds. The star is the recommended g."
    draw = Drawing("plot_choice", choice.beside_null, limits=limits)
    return Panel(draw, caption, size=MAP if len(choice.g) == 3 else CURVE)


def parts_of(choice: GChoice) -> Parts:
    """The recommended g as bars: the share and meaning of each threshold."""
    recommended, last = choice.simplest, len(choice.g)
    shares = []
    for k, share in enumerate(recommended, 1):
        grades = f"only grade {k}" if k == last else f"grade {k} and higher"
        shares.append(Share(f"{grades} is relevant", g_label([share]), share, k))
    labels = map(g_label, choice.table.filter(regex="^g_").to_numpy().tolist())
    by_role = dict(zip(choice.table["role"], labels, strict=True))
    remarks = []
    if BEST in by_role:
        remarks.append(f"The simplest g that may be the best; the smallest error of the grid has {by_role[BEST]}.")
    if REFINED in by_role:
        remarks.append(f"Refined from the best of the grid: {by_role[REFINED]}.")
    meaning = (
        "g is a parameter of GAP, chosen because its value is then the most informative about a list. "
        "It is no observation of users."
    )
    return Parts("recommended g", g_label(recommended), tuple(shares), (*remarks, meaning))
