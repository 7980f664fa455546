"""What the report of a study says: the most informative g, and how informative other measures are."""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.measures.labels import CANDIDATE, candidate_g, g_label, measure_label, threshold_label
from maxent.reports.content import Answer, Content, Figure, Provenance, Share
from maxent.reports.data import (
    errors_by,
    judgments,
    left_out_table,
    runs_table,
    sizes,
    topics_table,
    used_lists,
)
from maxent.reports.explorer import explorer_data
from maxent.reports.figures import figure
from maxent.reports.tables import LEGENDS, SPACE, number_text, table_of
from maxent.study.bootstrap import few_topics
from maxent.study.choose_g import GChoice
from maxent.study.options import READINGS, StudyOptions
from maxent.study.summary import summarize
from maxent.study.topics import SOLVED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUESTION = (
    "Of a ranked list only the value of a measure is known: how well does its precision-recall curve follow from "
    "this number? The smaller the RMS error of the inferred curve, the more informative is the measure."
)


def several_candidates(options: StudyOptions) -> bool:
    """Whether a study has several g to choose from."""
    return sum(re.fullmatch(CANDIDATE, str(measure)) is not None for measure in options.measures) > 1


def study_content(
    kind: str,
    title: str,
    collection: Collection,
    options: StudyOptions,
    table: pd.DataFrame,
    choice: GChoice | None,
    made: Provenance,
    *,
    weights: Mapping[int, float] | None = None,
    rng: int = 0,
) -> Content:
    """Report of a finished study.

    Parameters
    ----------
    kind, title : str
        The command, and the collection.
    collection, options, table
        A collection, what was studied, and its table.
    choice : GChoice, optional
        The choice of g among the candidates.
    made : Provenance
        Where the numbers come from.
    weights, rng
        As for the choice; the bootstrap of the means uses the same seed.
    """
    summary = summarize(table, rng=rng)
    errors = _by_list(table, choice)
    shown = str(errors["measure"].iloc[0])
    note = f"RMS of {measure_label(shown)}."
    left = left_out_table(table)
    columns = ["measure", "threshold", "rms", "rms_low", "rms_high", "mae", "lists", "topics"]
    tables = [table_of(summary[columns], "measures", "Measures", note=_different_lists(summary))]
    if choice is not None:
        candidates = choice.table.drop(columns=choice.table.filter(regex="^g_").columns)
        tables.append(
            table_of(
                candidates,
                "candidates",
                "Candidates for g",
                note="All candidates are compared on the same lists: those that are solved for every candidate.",
                meanings={"measure": "GAP with the g of the candidate"},
            )
        )
    return Content(
        kind=kind,
        title=title,
        question=QUESTION,
        facts=(*sizes(collection), used_lists(table), *_options(options, weights)),
        provenance=made,
        answer=_best_measure(summary, options) if choice is None else _best_g(choice, options),
        figures=tuple(_figures(summary, choice)),
        explorer=None if choice is None else explorer_data(table, summary, collection, options, choice),
        tables=tuple(tables),
        judgments=judgments(collection),
        details=(
            *([] if left is None else [left]),
            runs_table(collection, errors_by(errors, "run_id"), note=note),
            topics_table(collection, errors_by(errors, "query_id"), note=note),
        ),
    )


def _options(options: StudyOptions, weights: Mapping[int, float] | None) -> list[tuple[str, str, str]]:
    few = "lists with fewer retrieved documents in some positive grade are left out"
    found = [
        ("count", options.count, f"{READINGS[options.count]} (--count)"),
        ("align", options.align, f"{READINGS[options.align]} (--align)"),
        ("min-retrieved", str(options.min_retrieved), few),
    ]
    if options.min_retrieved_total:
        total = "lists with fewer retrieved documents in all positive grades are left out"
        found.append(("min-retrieved-total", str(options.min_retrieved_total), total))
    if weights is not None:
        text = ", ".join(f"{threshold}: {weight:g}" for threshold, weight in sorted(weights.items()))
        found.append(("weights", text, "how much the error for each threshold counts in the choice of g"))
    return found


def _reading(options: StudyOptions, what: str) -> str:
    return (
        f"The {what} holds for this reading: count={options.count} ({READINGS[options.count]}), "
        f"align={options.align} ({READINGS[options.align]})."
    )


def _best_g(choice: GChoice, options: StudyOptions) -> Answer:
    """The chosen g with its interval and the candidates that cannot be told from it."""
    row = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
    rivals = choice.table[(choice.table["excess_low"] <= 0) & (choice.table["measure"] != row["measure"])]
    interval = "a single topic: no interval"
    numbers = [("mean RMS", number_text(row["objective"]), LEGENDS["objective"][1])]
    if np.isfinite(row["low"]):
        interval = f"{number_text(row['low'])} to {number_text(row['high'])}"
        numbers.append(("best in", number_text(row["share_best"], share=True), LEGENDS["share_best"][1]))
    meaning = "of the mean RMS, from bootstrap samples of the topics"
    if caution := few_topics(int(row["topics"])):
        interval, meaning = f"{interval} (few topics)", f"{meaning}; {caution}"
    numbers.insert(1, ("95 % interval", interval, meaning))
    lists = f"{number_text(int(row['lists']))} of {number_text(int(row['topics']))} topics"
    numbers.append(("lists", lists, "lists that are solved for every candidate"))
    levels = len(choice.g)
    return Answer(
        label="The most informative g",
        value=g_label(choice.g),
        parts=tuple(
            Share(f"of the users {_found_relevant(k, levels)}", f"{100 * share:.4g}{SPACE}%", share, k)
            for k, share in enumerate(choice.g, 1)
        ),
        numbers=tuple(numbers),
        rivals=tuple(g_label(candidate_g(text)) for text in rivals["measure"]),
        reading=_reading(options, "recommendation"),
    )


def _found_relevant(threshold: int, levels: int) -> str:
    """What users with this threshold do."""
    if threshold == levels:
        return f"find only grade {threshold} relevant"
    return f"find grade {threshold} and higher relevant"


def _best_measure(summary: pd.DataFrame, options: StudyOptions) -> Answer | None:
    """The measure with the smallest error, if all are compared on the same lists."""
    means = summary.groupby("measure", sort=False)["rms"].mean()
    if len(means) < 2 or summary["lists"].nunique() > 1:
        return None
    best = str(means.idxmin())
    lists = number_text(int(summary["lists"].iloc[0]))
    return Answer(
        label="The most informative of these measures",
        value=measure_label(best),
        numbers=(
            ("mean RMS", number_text(means.min()), "RMS averaged over the thresholds"),
            ("lists", lists, LEGENDS["lists"][1]),
        ),
        reading=_reading(options, "finding"),
    )


def _different_lists(summary: pd.DataFrame) -> str:
    if summary["lists"].nunique() == 1:
        return "All means are over the same number of lists."
    return "The means are over different lists: compare them with care."


def _by_list(table: pd.DataFrame, choice: GChoice | None) -> pd.DataFrame:
    """Rows of solved lists of one measure: the best candidate of the table, or else the first measure."""
    solved = table[table["status"].isin(SOLVED)]
    name = solved["measure"].iloc[0]
    if choice is not None:
        own = choice.table[choice.table["measure"].isin(solved["measure"])]  # a refined g is not in the table
        name = own["measure"].iloc[own["objective"].to_numpy().argmin()]
    own_rows: pd.DataFrame = solved[solved["measure"] == name]
    return own_rows


def _figures(summary: pd.DataFrame, choice: GChoice | None) -> list[Figure]:
    """A figure for each threshold, on one scale, and one of the choice."""
    from maxent.plot.study import plot_choice  # loads matplotlib

    solved = summary[summary["lists"] > 0]
    gap = solved[solved["measure"].str.fullmatch(CANDIDATE)]
    levels = len(candidate_g(str(gap["measure"].iloc[0]))) if len(gap) else 0
    ends = solved[["rms", "rms_low", "rms_high"]].to_numpy()
    pad = 0.05 * (np.nanmax(ends) - np.nanmin(ends)) + 1e-3
    scale = (max(0.0, float(np.nanmin(ends)) - pad), float(np.nanmax(ends)) + pad)
    limits = (float(gap["rms"].min()), float(gap["rms"].max())) if levels == 3 else None
    size = (5.0, 4.1) if levels == 3 else (5.0, 4.0)

    thresholds = [int(t) for t in sorted(solved["threshold"].unique())]
    found = [
        figure(
            f"rms{t}",
            partial(_draw_threshold, summary, t, limits, scale),
            size=size,
            caption=f"Mean RMS error of the inferred curves: {threshold_label(t, thresholds[-1])}. Lower is more "
            "informative.",
        )
        for t in thresholds
    ]
    if choice is not None:
        layout: Literal["half", "beside"] = "half" if len(found) % 2 else "beside"
        caption = "The choice of g: mean RMS error over the thresholds. The star is the chosen g."
        found.append(
            figure("choice", partial(plot_choice, choice.table), size=size, caption=caption, layout=layout)
        )
    return found


def _draw_threshold(
    summary: pd.DataFrame,
    threshold: int,
    limits: tuple[float, float] | None,
    scale: tuple[float, float],
    *,
    ax: "Axes",
) -> None:
    """A map with these limits of its colours, or lines with this scale of the errors."""
    from maxent.plot.study import plot_informativeness  # loads matplotlib

    plot_informativeness(summary, threshold=threshold, limits=limits, ax=ax)
    if limits is None:
        ax.set_ylim(scale)
