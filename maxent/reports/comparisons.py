"""What the reports of predictions and of comparisons of systems say."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from maxent.data.collection import Collection
from maxent.measures.labels import PREDICTED, measure_label
from maxent.reports.content import Content, Figure, Provenance, Table
from maxent.reports.data import judgments, left_out_table, runs_table, sizes, topics_table, used_lists
from maxent.reports.figures import figure
from maxent.reports.tables import table_of
from maxent.study.options import READINGS

Fact = tuple[str, str, str]
Title = tuple[str, str]  # the command, and the collection


def predictions_content(
    title: Title,
    collection: Collection,
    table: pd.DataFrame,
    summary: pd.DataFrame,
    made: Provenance,
    *,
    count: str,
) -> Content:
    """Report of predictions: what the value of a measure says about others."""
    from maxent.plot.study import plot_predictions  # loads matplotlib

    rows, columns = summary["measure"].nunique(), summary["target"].nunique()
    figures = [
        figure(
            value.replace("_", "-"),
            partial(plot_predictions, summary, value=value),
            size=(2.6 + 0.62 * columns, 1.8 + 0.42 * rows),
            caption=f"{PREDICTED[value]}; known measures down, predicted ones across. "
            + ("Lower is better." if value == "rms" else "1: the systems are ranked alike."),
            white=True,
            layout="half" if columns < 9 else "wide",
        )
        for value in ("rms", "tau_systems")
    ]
    meanings = {
        "rms": "root mean square of predicted minus actual value, over all lists",
        "rms_low": "lower end of its 95 % bootstrap interval over topics",
        "rms_high": "upper end of its 95 % bootstrap interval over topics",
        "mae": "mean absolute value of predicted minus actual value",
        "tau": "Kendall's tau-b between predicted and actual values of a topic's systems, mean over topics",
    }
    left = left_out_table(table)
    return _content(
        title,
        "The value of one measure is known for a list, and the most random list with this value is taken in its "
        "place. How close are the values of other measures there to the actual ones, and do they rank the systems "
        "alike?",
        collection,
        made,
        facts=(used_lists(table), ("count", count, f"{READINGS[count]} (--count)")),
        figures=figures,
        tables=[table_of(summary, "predictions", "Predictions", meanings=meanings)],
        details=[] if left is None else [left],
    )


def discrimination_content(
    title: Title,
    collection: Collection,
    pairs: pd.DataFrame,
    power: pd.DataFrame,
    made: Provenance,
    *,
    method: str,
    alpha: float,
) -> Content:
    """Report of discriminative power: the pairs of systems that each measure tells apart."""
    from maxent.plot.systems import plot_discrimination  # loads matplotlib

    caption = (
        "Achieved significance levels of all pairs of systems, in descending order: the nearer a curve is to the "
        "origin, the more pairs its measure tells apart."
    )
    levels = figure(
        "levels",
        partial(plot_discrimination, pairs, alpha=alpha),
        size=(8, 4.8),
        caption=caption,
        layout="wide",
    )
    wide = pairs.pivot(index=["run_a", "run_b"], columns="measure", values="asl")[list(pairs["measure"].unique())]
    apart = (wide < alpha).sum(axis=1)
    disputed = apart.clip(upper=wide.shape[1] - apart)
    order = disputed.sort_values(ascending=False, kind="stable").index
    wide.insert(0, "told_apart", apart)
    wide = wide.loc[order].rename(columns=lambda name: measure_label(str(name))).reset_index()
    meanings = {name: f"achieved significance level of the pair by {name}" for name in wide.columns[3:]}
    return _content(
        title,
        "Every pair of systems is tested with every measure. Which measure tells the most pairs apart, and how "
        "large must a difference of means be for that?",
        collection,
        made,
        facts=(
            ("method", method, "paired studentised bootstrap, or randomised Tukey test (hsd)"),
            ("alpha", f"{alpha:g}", "significance level"),
        ),
        figures=[levels],
        tables=[
            table_of(power, "power", "Measures", meanings={"measure": "the measure that compares the systems"}),
            table_of(
                wide,
                "pairs",
                "Pairs of systems",
                note="Achieved significance levels; the pairs on which the measures disagree come first.",
                meanings=meanings,
            ),
        ],
    )


def agreement_content(
    title: Title, collection: Collection, table: pd.DataFrame, made: Provenance, *, facts: Sequence[Fact]
) -> Content:
    """Report of the agreement of GAP, xGAP and eGAP with other measures."""
    from maxent.plot.systems import plot_agreement  # loads matplotlib

    columns, rows = 3 * table["measure_b"].nunique(), table["g"].nunique()
    figures = [
        figure(
            f"agreement{k}",
            partial(plot_agreement, table, topics=topics),
            size=(2.6 + 0.55 * columns, 2 + 0.3 * rows),
            caption=f"Kendall's tau-b between rankings of the systems, topics: {topics}.",
            white=True,
            layout="wide",
        )
        for k, topics in enumerate(table["topics"].unique())
    ]
    return _content(
        title,
        "GAP, xGAP and eGAP rank the systems, and so do other measures. How well do the rankings agree, and how "
        "does that depend on g?",
        collection,
        made,
        facts=facts,
        figures=figures,
        tables=[table_of(table, "agreement", "Agreement", meanings={"topics": "the set of topics"})],
    )


def pools_content(
    title: Title, collection: Collection, table: pd.DataFrame, summary: pd.DataFrame, made: Provenance, *,
    facts: Sequence[Fact],
) -> Content:  # fmt: skip
    """Report of reduced pools: the agreement of rankings with fewer judgments."""
    from maxent.plot.systems import plot_pools  # loads matplotlib

    figures = [
        figure(
            f"pools{k}",
            partial(plot_pools, table, topics=topics),
            size=(5.2, 4.2),
            caption=f"Agreement with the ranking that has all judgments, topics: {topics}. The flatter and the "
            "closer to 1 a line is, the more robust is the measure.",
        )
        for k, topics in enumerate(table["topics"].unique())
    ]
    meanings = {"topics": "the set of topics", "measure": "the measure that ranks the systems"}
    return _content(
        title,
        "Only a part of the judgments is kept. Does a measure still rank the systems as it does with all of them?",
        collection,
        made,
        facts=facts,
        figures=figures,
        tables=[table_of(summary, "pools", "Agreement by share of the judgments", meanings=meanings)],
    )


def systems_content(
    title: Title,
    collection: Collection,
    table: pd.DataFrame,
    overview: pd.DataFrame | None,
    made: Provenance,
    *,
    facts: Sequence[Fact],
) -> Content:
    """Report of significance tests: runs against baselines, or all pairs of runs (``overview`` has their means)."""
    from maxent.plot.systems import plot_comparison  # loads matplotlib

    measures = list(map(str, table["measure"].unique()))
    if overview is None:
        panels = [(m, str(b)) for b in table["baseline"].unique() for m in measures]
    else:
        panels = [(m, _best(table[table["measure"] == m])) for m in measures]
    runs = len(collection.runs)
    figures = [
        figure(
            f"difference{k}",
            partial(plot_comparison, table, measure=m, baseline=b),
            size=(5.0, 1.3 + 0.17 * runs),
            caption=f"{measure_label(m)}: differences to {b} with their intervals; in colour if significant.",
        )
        for k, (m, b) in enumerate(panels)
    ]
    meanings = {"measure": "the measure that compares the systems", "topics": "number of topics",
                "low": "lower end of the interval of the difference", "high": "its upper end"}  # fmt: skip
    tests = table_of(table, "tests", "Tests", meanings=meanings, closed=overview is not None)
    first = [] if overview is None else [_overview(overview)]
    return _content(
        title,
        "Systems are compared by the means of measures over the same topics. Which differences are larger than "
        "what chance explains?",
        collection,
        made,
        facts=facts,
        figures=figures,
        tables=[*first, tests],
    )


def _overview(frame: pd.DataFrame) -> Table:
    """Means of the runs; after each measure the numbers of runs that are worse and better, with its name."""
    names, meanings = ["run"], {}
    for measure in map(str, frame.columns[1::3]):
        names += [measure, f"better, {measure}", f"worse, {measure}"]
        meanings[measure] = f"mean of {measure} over topics"
        meanings[names[-2]] = f"than how many runs it is significantly better by {measure}"
        meanings[names[-1]] = f"than how many runs it is significantly worse by {measure}"
    return table_of(frame.set_axis(names, axis=1), "overview", "Runs by their means", meanings=meanings)


def _best(rows: pd.DataFrame) -> str:
    """The run with the largest mean."""
    means = pd.concat([rows.set_index("baseline")["mean_baseline"], rows.set_index("run_id")["mean"]])
    return str(means.idxmax())


def _content(
    title: Title,
    question: str,
    collection: Collection,
    made: Provenance,
    *,
    facts: Sequence[Fact],
    figures: Sequence[Figure],
    tables: Sequence[Table],
    details: Sequence[Table] = (),
) -> Content:
    return Content(
        kind=title[0],
        title=title[1],
        question=question,
        facts=(*sizes(collection), *facts),
        provenance=made,
        figures=tuple(figures),
        tables=tuple(tables),
        judgments=judgments(collection),
        details=(*details, runs_table(collection), topics_table(collection)),
    )
