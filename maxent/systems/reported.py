"""Rows of published averages: predictions of other averages, or proof that no lists have them together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

import numpy as np
import pandas as pd

import maxent.lists as lists
from maxent.data.cells import numbers_of, read_cells
from maxent.data.collect import collect
from maxent.data.collection import Collection
from maxent.data.embedded import collection_name
from maxent.data.inputs import Qrels, Run, as_qrels, qrels_columns
from maxent.data.judgments import Judgments
from maxent.data.lines import title_of as table_title
from maxent.data.numbers import finite_number
from maxent.errors import InputError, ProblemError, quoted, visible
from maxent.lists.averages import RETRIEVED, Averages, Known, documents_of_any_grade
from maxent.lists.system import ImpliedSystem
from maxent.measures import DCG, Measure, as_measures, nDCG
from maxent.measures.form import grade_counts
from maxent.measures.parse import measure_or_none
from maxent.options import AveragesInput, ReportedQuestion, takes
from maxent.progress import progress_bar
from maxent.results.content import Drawing, Fact, Panel, Sheet, Table, facts_of
from maxent.results.finding import Finding, reading_lines
from maxent.results.question import announce, answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.columns import RUN
from maxent.studies.reading_words import reference_name
from maxent.studies.topics import SOLVED
from maxent.texts import many, measure_label

ENDS = ("low", "high", "nearest")
FROM_TO = {"low": "from", "high": "to"}  # headings of intervals that no bootstrap gave
MISSING = ("", "-", "NA", "NaN", "nan")  # cells without an average
LAST = ["status", "rounding", "nearest"]  # columns of the table that is shown
UNREACHED, UNDETERMINED = "not reached", "not determined"
MODEL = (
    "intervals reflect only the model (random lists, equally good or bad in all topics) and the rounding of the "
    "averages"
)
REAL = (
    "on three collections, 90 % intervals contained 94 to 100 % of the averages of real runs that are reached "
    "(80 % with AP and nDCG@10 on one), and 12 to 86 % of the others"
)
UNKNOWN = "which of the averages is wrong does not follow from a contradiction"
RANGE = (
    "of a predicted average: its interval; of a given one: the average; in an impossible or failed row: what the "
    "other averages allow"
)
REPORTED = Schema(
    RUN,
    Column("measure", "measure of the average", format="measure"),
    Column("value", "average over topics: as given, or expected; none if not reached"),
    Column("status", "given, predicted, not reached, not determined, impossible or failed"),
    *(Column(end, RANGE, heading) for end, heading in FROM_TO.items()),
    Column("nearest", "in a row that is impossible or failed: the same average in the nearest possible row"),
    Column("rounding", "how far the rounding of the given averages can move a predicted one"),
)
"""Columns of the averages."""
LEVELS = Schema(
    Column("recall", "level of recall"),
    Column("precision", "mean interpolated precision over topics"),
    *(Column(end, "band of the precision", heading) for end, heading in FROM_TO.items()),
    Column("curve", "averages from which it is inferred", hidden=True),
)
"""Columns of the mean curve that they imply."""


@answers
@takes(AveragesInput, ReportedQuestion)
def reported(
    averages: Known | pd.DataFrame | str | PathLike[str],
    qrels: Qrels | Collection,
    **options: Unpack[ReportedQuestion],
) -> Result:
    """What do averages over topics, as printed in papers and on leaderboards, imply about the lists behind them?

    The model needs only averages over topics and the judgments, no run. Of all distributions of lists with these
    averages, it takes the one of largest entropy, and gives its averages of other measures, its mean
    precision-recall curve, and bands. If no lists can have the averages together, the result has the nearest
    averages that are possible, and each change that alone makes the row possible. A printed number covers its
    rounding: ``AP=.31`` is .305 to .315. The model is one of whole lists, with any number of documents or with
    those of a run (``counts``).

    Returns
    -------
    Result
        ``table``: one row per system and measure: run_id (of a table), measure, value, status, low, high, nearest,
        rounding. The status is one of

        - ``given``: an average of the table.
        - ``predicted``: the expected average, its interval, and how far the ``rounding`` of the given numbers can
          move it.
        - ``not reached``: neither value nor interval, because intervals of such averages did not hold for real runs
          (see :meth:`maxent.Averages.reaches`).
        - ``not determined``: a value without an interval, because the averages are at the limit of what lists can
          have.
        - ``impossible``: an average of a row that no lists can have, the ends that are possible given the others of
          the row (NaN if the others contradict each other), and the ``nearest`` averages that are possible
          together, as in :meth:`maxent.lists.ImpliedSystem.possible`.
        - ``failed``: the same for a row that lists could have, but whose distribution the solver did not find.

        A single row that is possible also has ``tables["levels"]``, the mean interpolated precision; an impossible
        one has ``failures``.

    Raises
    ------
    InputError
        If no column is a measure, or a cell is not a number.
    ProblemError, MeasureError
        As for :class:`maxent.Averages`.

    Notes
    -----
    Bands assume lists that are good or bad in all topics alike. On runs of three collections, bands of 90 % covered
    94 to 100 % of the averages that the given ones reach (80 % with AP and nDCG@10 on one collection). AP reaches
    the first 20 ranks and R-precision; P@k and nDCG@k reach the first k ranks; AP with R@1000 reaches the rest of
    the list. What is not reached has no band. The default reference, 1/n, is the safe choice: the uniform reference
    is closer on two of three collections if AP and R@1000 are given, but far off if only the first ranks and R@1000
    are.

    Files: reported.csv; for a single row also levels.csv (mean interpolated precision at eleven levels of recall)
    and the figure levels.

    Examples
    --------
    >>> import maxent as me
    >>> import pandas as pd
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> table = pd.DataFrame({"AP": [".45", ".61"], "P@10": [".70", ".05"]}, index=["ours", "theirs"])
    >>> result = me.reported(table, qrels, targets=["nDCG@10"], depth=100)
    >>> result.table.round(2)
       run_id  measure  value      status   low  high  nearest  rounding
    0    ours       AP   0.45       given  0.45  0.45      NaN       NaN
    1    ours     P@10   0.70       given  0.70  0.70      NaN       NaN
    2    ours  nDCG@10   0.56   predicted  0.42  0.80      NaN      0.01
    3  theirs       AP   0.61  impossible  0.00  0.57     0.57       NaN
    4  theirs     P@10   0.05  impossible  0.15  1.00     0.06       NaN
    >>> print(result.finding.sentence)
    1 of 2 rows can be averages of lists
    """
    counts, targets, depth = options["counts"], options["targets"], options["depth"]
    band = options["band"]
    name = options["title"] or _title(averages)
    if isinstance(averages, str | PathLike):
        averages = read_averages(averages)
    if not isinstance(averages, Mapping | pd.DataFrame) or not len(averages):
        raise InputError(
            "averages: expected numbers by measures, such as AP=.31, or a table with a row for each system, "
            f"got {quoted(averages)}"
        )
    if counts is not None and not isinstance(averages, Mapping):
        raise ProblemError("counts is the run of one system, but a table has several")
    judged = qrels if isinstance(qrels, Collection) else as_qrels(qrels)
    behind = documents_behind(judged, options["topics"], counts, depth)
    behind |= {"depth": depth, "reference": options["reference"]}
    source = collection_name(None, qrels)
    size = many(len(behind["topics"]), "topic")
    introduction = f"{visible(name)}: averages over {size} of {visible(source)}, depth {depth}\n"
    announce(introduction)
    head: dict[str, Any] = {
        "title": name,
        "introduction": introduction,
        "facts": (
            Fact("judgments", source, "with the topics of the averages"),
            *facts_of(ReportedQuestion, options, "depth", "band"),
        ),
    }
    if isinstance(averages, Mapping):
        system = lists.solve_averages(Averages(averages, **behind))
        return Result(**_row_content(system, targets, band), **head)
    rows = []
    columns = measure_columns(averages)
    systems = [(system, row.dropna().to_dict()) for system, row in averages[columns].iterrows()]
    for system, values in progress_bar(systems, unit="row", total=len(systems), shown=options["progress"]):
        rows.append(completed(lists.solve_averages(Averages(values, **behind)), targets, band))
        rows[-1].insert(0, "run_id", system)
    table = pd.concat(rows, ignore_index=True)
    return Result(finding=table_finding(table), views=(_view(table, 2),), **head)


def documents_behind(
    qrels: Qrels | Collection, topics: Iterable[str] | None, run: Run | None, depth: int
) -> dict[str, Any]:
    """Topics with relevant documents, and their documents of each grade in the judgments and in a run's lists.

    They are keywords of :class:`maxent.Averages`: topics, relevant (topics, levels) and, with a run, retrieved
    (topics, levels).
    """
    if isinstance(qrels, Collection) and run is None:
        collection = collect(qrels, topics=topics)  # an error if it has other topics
        return {"topics": collection.topics, "relevant": collection.relevant}
    if run is not None:
        read = collect(run, qrels, topics=topics, depth=depth, progress=False)
        of_run = read.grades[:, 0]  # (topics, depth): the only run
        retrieved = grade_counts(of_run, read.levels)
        return {"topics": read.topics, "relevant": read.relevant, "retrieved": retrieved}
    judged = Judgments.of(qrels_columns(qrels))
    chosen, relevant = judged.select(topics), judged.count(None)[:, 1:]
    positions = chosen[relevant[chosen].any(axis=1)]
    if not len(positions):
        raise ProblemError("none of the topics has a relevant document in the qrels")
    return {"topics": judged.topics[positions], "relevant": relevant[positions]}


def _title(averages: object) -> str:
    """Default title: the path of a table, or the averages themselves."""
    if isinstance(averages, Mapping):
        return ", ".join(f"{name}={value}" for name, value in averages.items())
    return str(averages) if isinstance(averages, str | PathLike) else "a table of results"


def read_averages(path: str | PathLike[str]) -> pd.DataFrame:
    """Printed averages in a file by the names of systems; InputError names a cell that is not a number."""
    cells = read_cells(path)
    cells = cells.mask(cells.isin(MISSING))
    names = cells.pop(cells.columns[0])
    for column in measure_columns(cells):
        numbers_of(path, cells[column].dropna(), finite_number, "a finite number")
    for line, name in names[names.duplicated()].items():
        raise InputError(f"{table_title(path)}:{line}: {name!r} twice, expected one row for a system")
    return cells.set_index(names)


def _row_content(system: ImpliedSystem, targets: Sequence[Measure | str], band: float) -> dict[str, Any]:
    """Parts of the result for a single row: predicted averages and the mean curve, or a failure."""
    rows = completed(system, targets, band)
    finding = row_finding(system, rows)
    if system.status not in SOLVED:
        return {"finding": finding, "views": (_view(rows),), "failures": (finding.sentence,)}
    levels = system.levels(band=band).assign(curve=" & ".join(map(str, system.averages.measures)))
    caption = "Mean interpolated precision of all relevant documents at eleven levels of recall, and its band."
    if not system.averages.reaches(nDCG()):
        caption += " The averages do not say how many documents the lists have: high levels of recall are a guess."
    curve = Table(
        name="levels",
        title="Mean curve",
        frame=levels,
        schema=LEVELS,
        places=("file", "page"),
    )
    sheet = Sheet("levels", (Panel(Drawing("plot_curves", levels), caption),))
    return {"finding": finding, "views": (_view(rows), curve), "sheets": (sheet,)}


def _view(rows: pd.DataFrame, keys: int = 1) -> Table:
    shown = rows[[*rows.columns.drop(LAST), *LAST]].dropna(axis=1, how="all")
    return Table(name="reported", title="Averages", frame=rows, shown=shown, schema=REPORTED, keys=keys)


def completed(system: ImpliedSystem, targets: Sequence[Measure | str], band: float) -> pd.DataFrame:
    """Given and predicted averages of a system; for an impossible row, the range of each given the others."""
    averages = system.averages
    row = pd.DataFrame({"measure": [str(measure) for measure in averages.measures], "value": averages.values})
    if system.status not in SOLVED:
        status = "impossible" if system.status == "infeasible" else system.status
        possible = system.possible()
        table = row.assign(status=status, **{name: possible[name] for name in ENDS}, rounding=np.nan)
    else:
        wanted = [measure for measure in as_measures(list(targets)) if measure not in averages.measures]
        table = row.assign(status="given", low=row["value"], high=row["value"], nearest=np.nan, rounding=np.nan)
        if wanted:
            predicted = system.predict(wanted, band=band).rename(columns={"expected": "value"})
            reached = predicted.pop("reached")
            predicted["status"] = np.where(predicted["low"].isna(), UNDETERMINED, "predicted")
            predicted.loc[~reached, "status"] = UNREACHED
            predicted.loc[~reached, ["value", "low", "high", "rounding"]] = np.nan
            table = pd.concat([table, predicted], ignore_index=True)
    total = table["measure"] == str(documents_of_any_grade(averages.levels))
    table.loc[total, "measure"] = RETRIEVED
    table.loc[total, ["value", *ENDS]] *= len(averages.topics)
    return table


def measure_columns(table: pd.DataFrame) -> list[Any]:
    """Names of the columns whose averages :class:`maxent.Averages` accepts."""
    columns = [name for name in table.columns if name == RETRIEVED or _can_be_known(name)]
    if not columns:
        names = ", ".join(map(str, table.columns)) or "none"
        raise InputError(f"no column is a measure whose average can be given, got {names}")
    return columns


def _can_be_known(name: Any) -> bool:
    """Whether this is the name of a measure whose average :class:`maxent.Averages` accepts."""
    measure = measure_or_none(str(name))
    return measure is not None and len(measure.parts) == 1 and (measure.is_form() or measure.is_cascade())


def row_finding(system: ImpliedSystem, rows: pd.DataFrame) -> Finding:
    """Finding for one row: predicted averages, or the contradiction and the nearest possible row."""
    averages = system.averages
    if system.status == "failed":
        return Finding(system.message)
    if system.status == "infeasible":
        sentence, repair = _contradiction(rows)
        nearest = ", ".join(f"{row.measure} {row.nearest:.4f}" for row in rows.itertuples())
        return Finding(sentence, (repair, f"nearest possible row: {nearest}"), (UNKNOWN,))
    order = rows[rows["status"] == "predicted"].sort_values(
        "measure", key=lambda names: names != "nDCG@10", kind="stable"
    )
    implied = [
        f"{measure_label(str(row.measure))} of {row.value:.3f}, {row.low:.3f} to {row.high:.3f}"
        for row in order.head(4).itertuples()
    ]
    together = f"lists of {averages.depth:,} documents can have these averages together"
    reading: dict[str, object] = {} if averages.retrieved is None else {"count": "retrieved"}
    reading |= {"model": "lists", "reference": reference_name(averages.reference), "depth": averages.depth}
    names = {status: rows.loc[rows["status"] == status, "measure"] for status in (UNREACHED, UNDETERMINED)}
    left = tuple(
        f"{status}: {', '.join(map(measure_label, measures))}"
        for status, measures in names.items()
        if len(measures)
    )
    if implied:
        also = (text.replace(" of ", ": ", 1) for text in implied[1:])
        support = (*also, *left, together, *reading_lines(reading))
        return Finding(f"these averages imply {implied[0]}", support, (MODEL, REAL), reading=reading)
    none = "they imply none of the targets" if left else "every target is one of them"
    support = (*left, *reading_lines(reading))
    return Finding(f"{together}, and {none}", support, (MODEL, REAL), reading=reading)


def table_finding(rows: pd.DataFrame) -> Finding:
    """Finding for a table: number of possible rows, and the contradictions in the others."""
    impossible = rows[rows["status"] == "impossible"]
    names, number = impossible["run_id"].unique(), rows["run_id"].nunique()
    contradictions = [(name, *_contradiction(impossible[impossible["run_id"] == name])) for name in names]
    support = tuple(f"{name}: {sentence}; {repair}" for name, sentence, repair in contradictions)
    failed = rows.loc[rows["status"] == "failed", "run_id"].unique()
    support += tuple(f"{name}: possible, but no distribution was found" for name in failed)
    cautions = (MODEL, REAL, *([UNKNOWN] if len(names) else []))
    return Finding(f"{number - len(names)} of {many(number, 'row')} can be averages of lists", support, cautions)


def _contradiction(rows: pd.DataFrame) -> tuple[str, str]:
    """Texts on an impossible row: its averages, perhaps percentages, and the changes that alone would repair it."""
    sentence = f"these cannot all hold: {_averages_text(rows)}"
    above = rows[(rows["value"] > 1) & (rows["value"] <= 100) & (rows["nearest"] <= 1)]
    if len(above):
        are, kind = ("are", "percentages") if len(above) > 1 else ("is", "a percentage")
        sentence += f"; {are} {_averages_text(above)} {kind}?"
    cumulated = [measure for measure in map(measure_or_none, rows["measure"]) if isinstance(measure, DCG | nDCG)]
    others = [str(replace(measure, gain="exp2")) for measure in cumulated if measure.gain == "linear"]
    if others:
        sentence += f"; gains are linear here, and exponential in {' and '.join(others)}"
    able = rows[rows["low"].notna()]
    changes = [f"{row.measure} within [{row.low:.4f}, {row.high:.4f}]" for row in able.itertuples()]
    if not changes:
        return sentence, "no single change would repair the row"
    return sentence, f"one change alone would repair the row: {', or '.join(changes)}"


def _averages_text(rows: pd.DataFrame) -> str:
    """Measures with their averages."""
    return ", ".join(f"{row.measure} {row.value:.4g}" for row in rows.itertuples())
