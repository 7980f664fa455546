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
    """A row for each measure, sorted by error, unranked ones last: mean RMS, and the RMS at each threshold."""
    names, by_lists = summary["measure"].unique(), summary.groupby("measure")["lists"].nunique().max() > 1
    wide = summary.set_index(["measure", "threshold"]).unstack("threshold").loc[names]
    sums = summary.groupby("measure")[["constant", "lists"]].sum().loc[names]
    columns = {"measure": names, "objective": wide["rms"][shares.index] @ shares}
    if may_be_best:
        columns["may_be_best"] = pd.Series(may_be_best, dtype="boolean").reindex(names)
    if sums["constant"].any():
        columns["constant"] = summary.groupby("measure")["constant"].max().loc[names].astype("Int64")
    columns |= {} if by_lists else {"lists": summary.groupby("measure")["lists"].first().loc[names]}
    for t in sorted(summary["threshold"].unique()):
        shown = [*(["lists"] if by_lists else []), "rms", "rms_low", "rms_high"]
        columns |= {f"{name} t={t}": wide[name, t] for name in shown}
    columns["last"] = sums["constant"] > MOSTLY * sums["lists"]
    rows = one_row_each(pd.DataFrame(columns).reset_index(drop=True))
    return rows.sort_values(["last", "objective"], kind="stable", ignore_index=True).drop(columns="last")


def other_lists(summary: pd.DataFrame, compared: Compared) -> str:
    """Note that summary and finding have means over different lists; empty if their means are the same."""
    means = summary.set_index(["threshold", "measure"])["rms"]
    parts = {} if compared.over is None else compared.over.parts
    on_same_lists = {t: comparison.means for t, comparison in parts.items()}
    if all((means[t][errors.index] - errors).abs().max() <= ROUNDING for t, errors in on_same_lists.items()):
        return ""
    return (
        "Means of the table: all lists solved for the measure. The finding: lists solved for every measure, "
        "without those in which the counts alone fix a value."
    )


def one_row_each(table: pd.DataFrame) -> pd.DataFrame:
    """One row for measures with the same label, such as AP and GAP(1, 0): the row with the shortest text form."""
    by_length = table["measure"].sort_values(key=lambda texts: texts.str.len(), kind="stable")
    return table[~by_length.map(measure_label).duplicated().sort_index()].reset_index(drop=True)


def league_tables(compared: Mapping[Count, Compared]) -> list[Table]:
    """A league table for each count with several measures and a list that is solved for all of them."""
    tables = []
    for count, comparison in compared.items():
        if len(comparison.names) + len(comparison.constant) < 2 or comparison.over is None:
            continue
        league = places(comparison, comparison.over)
        means = league[league["threshold"] == 0]
        columns = ["measure", "rms", "rms_low", "rms_high", "difference", "difference_low", "difference_high"]
        shown = means[[*columns, "share_best", "same"]].rename(columns={"rms": "objective"})
        note = f"On the {means['lists'].iloc[0]} lists of the comparison, with paired differences to the best."
        known = f", {count}" if len(compared) > 1 else ""
        tables.append(
            Table(
                name=f"league-{count}" if known else "league",
                title=f"Measures on the same lists{known}",
                frame=league,
                schema=LEAGUE,
                note=note,
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
    names = solved["measure"].unique()
    name = names[0] if choice is None else simplest(choice.table)
    rows, counts = solved[solved["measure"] == name], left_out(table)
    found = []
    tables = (("run_id", runs_table(collection), RUNS), ("query_id", topics_table(collection), JUDGED))
    for key, sizes, schema in tables:
        wide = rows.pivot_table(index=key, columns="threshold", values="rms", sort=False)
        wide.columns = [f"rms t={threshold}" for threshold in wide.columns]
        wide.insert(0, "used", rows.drop_duplicates(["run_id", "query_id"]).groupby(key).size())
        frame = sizes.frame.join(wide, on=key)
        frame["used"] = frame["used"].fillna(0).astype(np.int64)
        with_errors = Schema(*schema, *ERRORS_OF)
        found.append(replace(sizes, frame=frame, schema=with_errors, note=f"RMS of {measure_label(name)}."))
    left = counts[~counts["status"].isin(SOLVED)]
    distinct = one_row_each(left[["measure"]].drop_duplicates())["measure"]
    return [
        Table(
            name="left-out",
            title="Excluded lists",
            frame=left,
            shown=left[left["measure"].isin(distinct)],
            places=("page",),
            closed=True,
            schema=LEFT_OUT,
        ),
        *found,
    ]


def facts(options: StudyOptions, weights: Mapping[int, float] | None = None) -> tuple[Fact, ...]:
    """Facts on the options that determine the numbers."""
    declared = options_of(StudyQuestion)
    few = declared["min_retrieved"].fact.format(
        min_retrieved_by=declared["min_retrieved_by"].readings[options.min_retrieved_by]
    )
    found = [
        *(Fact(name, value, f"{READINGS[value]} (--{name})") for name, value in options.reading_parts.items()),
        Fact("min-retrieved", str(options.min_retrieved), few),
    ]
    if options.min_retrieved_total:
        total = declared["min_retrieved_total"].fact
        found.append(Fact("min-retrieved-total", str(options.min_retrieved_total), total))
    if weights is not None:
        text = ", ".join(f"{threshold}: {weight:g}" for threshold, weight in sorted(weights.items()))
        found.append(Fact("weights", text, declared["weights"].fact))
    return tuple(found)


def comparison_figure(summary: pd.DataFrame) -> Sheet:
    """Figure of measures without a sweep of g: errors for each count and threshold."""
    panels, last, counts = [], int(summary["threshold"].max()), "count" in summary
    limits = (0.0, 1.05 * float(summary["rms_high"].max()))
    size = (CURVE[0], 1.0 + 0.18 * max(5, summary["measure"].nunique()))
    for count, rows in summary.groupby("count", sort=False) if counts else [("", summary)]:
        known = [f"count={count}"] if counts else []
        by_threshold = {int(t): rows[rows["threshold"] == t] for t in sorted(rows["threshold"].unique())}
        for threshold, own in by_threshold.items():
            label = [threshold_label(threshold, last), *known]
            draw = Drawing("plot_measures", own, title="\n".join(label), limits=limits)
            caption = f"Mean RMS error of the inferred curves: {', '.join(label)}. Lower is more informative."
            panels.append(Panel(draw, caption, size))
    rows_of_panels = summary["count"].nunique() if counts else 1
    columns = len(panels) // rows_of_panels
    return Sheet("informativeness", tuple(panels), columns=2 if len(panels) == 4 else columns)


def error_figure(summary: pd.DataFrame, choice: GChoice | None) -> Sheet:
    """Figure of errors over g: a panel for each threshold, all on one scale, and a panel for the choice."""
    if choice is None:
        return comparison_figure(summary)
    solved = summary[summary["lists"] > 0]
    maps = any(len(g) == 3 for g in candidates_of(solved["measure"]).values())  # without intervals
    ends = solved[["rms"] if maps else ["rms", "rms_low", "rms_high"]].to_numpy()
    pad = 0.05 * (np.nanmax(ends) - np.nanmin(ends)) + 1e-3
    limits = (max(0.0, float(np.nanmin(ends)) - pad), float(np.nanmax(ends)) + pad)
    thresholds = [int(t) for t in sorted(solved["threshold"].unique())]
    panels = [
        Panel(
            Drawing("plot_informativeness", summary, threshold=t, limits=limits),
            f"Mean RMS error of the inferred curves: {threshold_label(t, thresholds[-1])}. Lower is more "
            "informative.",
            size=MAP if maps else CURVE,
        )
        for t in thresholds
    ]
    panels.append(choice_panel(choice, limits=None if maps else limits))
    return Sheet("informativeness", tuple(panels), columns=2 if len(panels) == 4 else None)


def choice_panel(choice: GChoice, *, limits: tuple[float, float] | None = None) -> Panel:
    """Panel with the figure of the choice of g, on the scale of the other panels if there are any."""
    caption = "The choice of g: mean RMS error over the thresholds. The star is the recommended g."
    draw = Drawing("plot_choice", choice.beside_null, limits=limits)
    return Panel(draw, caption, size=MAP if len(choice.g) == 3 else CURVE)


def parts_of(choice: GChoice) -> Parts:
    """The recommended g as bars: the share and meaning of each threshold."""
    recommended, last = choice.simplest, len(choice.g)
    shares = [
        Share(
            f"only grade {k} is relevant" if k == last else f"grade {k} and higher is relevant",
            g_label([share]),
            share,
            k,
        )
        for k, share in enumerate(recommended, 1)
    ]
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
