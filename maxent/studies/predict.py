"""Predictions of measures from the value of another measure."""

from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import studied
from maxent.data.inputs import Qrels, Runs
from maxent.lists.expected_precision import widened
from maxent.measures import AP, GAP, RBP, Measure, P, Rprec, nDCG
from maxent.measures.cascade import Expectation, evaluate_all
from maxent.options import PredictQuestion, Sources, takes
from maxent.problem import Solution
from maxent.results.content import Drawing, Panel, Sheet, Table
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.stats.intervals import ROUNDING
from maxent.stats.matrices import prediction_matrix
from maxent.studies.columns import CONSTANT, GIVEN, LISTS, RUN, STATUS, TOPIC, TOPICS, interval_of
from maxent.studies.holdings import heading
from maxent.studies.options import StudyOptions, expanded
from maxent.studies.same_lists import MOSTLY
from maxent.studies.study_tables import facts
from maxent.studies.summary import summarize_predictions
from maxent.studies.topic_groups import Topic
from maxent.studies.topics import (
    SOLVED,
    Results,
    checkpoint_file,
    each_topic,
    forgotten_on_error,
    solved_lists,
    statuses_of,
    values_of,
)
from maxent.studies.used import list_notes, require_solved
from maxent.texts import PREDICTED, measure_label, percent
from maxent.types import FloatArray

DRAWN = 199  # random lists from each distribution
DRAWN_PLACES = DRAWN + 1  # for one more list, all equally likely: a band of 90 % leaves out 10 on each side
NARROWER = 1e-9  # share of a place by which rounding may shift an end
SHOWN = {"rms": "Lower is better.", "tau_systems": "1: the systems are ranked alike."}
TARGET = Column("target", "measure whose value is predicted", "predicted", "measure")
RMS = Column("rms", "root mean square of predicted minus actual value over all lists", "RMS", explained=True)
PREDICTIONS = Schema(
    RUN,
    TOPIC,
    GIVEN,
    TARGET,
    STATUS,
    Column("actual", "value of the predicted measure for the list"),
    Column("predicted", "expected value of the predicted measure under the inferred distribution"),
    Column(
        "{end}",
        "band that contains the value of a random list with the probability given by the option band",
        "band",
    ),
)
"""Columns of the predictions."""
SUMMARY = Schema(
    GIVEN,
    TARGET,
    LISTS,
    TOPICS,
    CONSTANT,
    RMS,
    Column("mae", "mean absolute value of predicted minus actual value", "MAE"),
    interval_of("rms"),
    interval_of("mae"),
    Column("within", "share of the lists whose actual value is inside the predicted band"),
    Column(
        "tau",
        "Kendall's tau-b between predicted and actual values of the systems, mean over topics",
        explained=True,
    ),
    Column(
        "tau_systems",
        "Kendall's tau-b between predicted and actual means of the systems over topics",
        "tau of means",
    ),
)
"""Columns of the errors of the predictions."""


def default_predictors(levels: int) -> tuple[Measure, ...]:
    """GAP with equal g_k (for several grades), AP, nDCG (exponential gain, log2), P@10, R-precision and RBP."""
    even = (GAP(g=(1 / levels,) * levels),) if levels > 1 else ()
    return (*even, AP(), nDCG(gain="exp2", discount="log2"), P(cutoff=10), Rprec(), RBP())


@answers
@takes(Sources, PredictQuestion)
def predict(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[PredictQuestion],
) -> Result:
    """How well does the value of one measure predict the values of other measures for the same list?

    For every list and each of ``measures``, finds the most random list with that measure's value. The prediction of
    a target is its expected value for this random list. Shows two matrices with a row per given measure and a
    column per target: the RMS error over all lists, and Kendall's tau between the systems' mean predicted and mean
    actual values. With ``band``, a third matrix has the share of the lists whose actual value is within its band,
    which can be far from ``band``: a band is exact for lists drawn from the model only.
    Also shows how many lists were excluded and why.

    Returns
    -------
    Result
        ``table``: one row per measure and target, as from :func:`maxent.studies.summarize_predictions`
        (``prediction_summary``). ``tables["predictions"]``: one row per run, topic, measure and target, with the
        actual and the predicted value and, with ``band``, low and high. If ``status`` is ``constant``, the
        prediction follows from the counts alone.
        Predictions are NaN unless ``status`` is ``optimal``, ``boundary`` or ``constant``;
        :func:`maxent.left_out` explains the others.

    Notes
    -----
    Files: predictions.csv (one row per run, topic, measure and target), prediction_summary.csv (errors and
    Kendall's tau per measure and target) and the figure predictions (matrices of the errors and of tau). An
    interrupted command resumes when you repeat it.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> options = {"measures": ["AP", "nDCG"], "targets": ["P@10", "Rprec"], "min_retrieved": 1, "depth": 100}
    >>> result = me.predict(runs, qrels, band=0.9, **options)
    >>> predictions = result.tables["predictions"]
    >>> predictions[["run_id", "query_id", "measure", "target", "actual", "predicted"]].head(2).round(2)
        run_id query_id measure target  actual  predicted
    0  system1        1      AP   P@10    0.80       0.76
    1  system1        1      AP  Rprec    0.36       0.38
    >>> result.table[["measure", "target", "rms", "within", "tau"]].round(2)
      measure target   rms  within   tau
    0      AP   P@10  0.07    0.92  0.66
    1      AP  Rprec  0.02    1.00  0.95
    2    nDCG   P@10  0.04    1.00  0.66
    3    nDCG  Rprec  0.03    0.92  0.95
    """
    measures, targets, g_steps = options["measures"], options["targets"], options["g_steps"]
    collection = studied(runs, qrels, options, by_name=True)
    levels = collection.levels
    # 1. the measures whose values are given, and the targets: by default the same, or their parts
    usual = default_predictors(levels)
    predictors = expanded(usual if measures is None else measures, levels, g_steps, beside=targets or ())
    if targets is None:
        predicted = tuple(dict.fromkeys(part for measure in predictors for part in measure.parts))
    else:
        predicted = expanded(targets, levels, g_steps, beside=measures or ())
    study = StudyOptions.of(collection, options, measures=predictors, targets=predicted)
    # 2. the predictions, and their errors
    head = heading(collection, runs, qrels, study.reading_text, title=options["title"])
    table = prediction_table(collection, study)
    with forgotten_on_error(collection, study):
        require_solved(table, collection, study)
    summary = summarize_predictions(table, rng=options["rng"])
    within = ("within",) if study.band is not None else ()
    return Result(
        finding=_finding(summary, study.band, study.cautions),
        views=(
            *(_matrix(summary, value) for value in (*SHOWN, *within)),
            Table(name="predictions", frame=table, schema=PREDICTIONS, places=("file",)),
            Table(
                name="prediction_summary",
                title="Predictions",
                frame=summary,
                schema=SUMMARY,
                places=("file", "page"),
            ),
        ),
        sheets=(Sheet("predictions", tuple(_panel(summary, value) for value in SHOWN)),),
        facts=facts(study),
        notes=list_notes(table, collection, study),
        legend=(f"{RMS.heading}: {RMS.meaning}", *study.legend),
        main="prediction_summary",
        checkpoints=(checkpoint_file(collection, study),),
        **head,
    )


def _finding(summary: pd.DataFrame, band: float | None, cautions: tuple[str, ...]) -> Finding | None:
    """Finding: the best predictor of each target among the other measures; None without targets."""
    # 1. rows with a prediction: not of the measure itself, and not where the counts alone fix either measure
    is_other = summary["measure"] != summary["target"]
    is_ranked = summary["rms"].notna() & (summary["constant"] <= MOSTLY * summary["lists"])
    is_fixed = summary.groupby("target")["rms"].transform("max") <= ROUNDING  # whatever measure is given
    candidates = summary[is_other & is_ranked & ~is_fixed]
    if candidates.empty:
        return None
    # 2. the closest of each target, in the order of the targets
    closest = candidates.loc[candidates.groupby("target", sort=False)["rms"].idxmin()].set_index(
        "target", drop=False
    )
    closest = closest.loc[[target for target in summary["target"].unique() if target in closest.index]]
    lines = []
    for row in closest.to_dict("records"):
        line = f"{measure_label(row['target'])} from {measure_label(row['measure'])}, RMS {row['rms']:.4f}"
        if band is not None:
            line += f"; {100 * band:g} % bands contain {percent(row['within'])} of the values"
        lines.append(line)
    return Finding("closest predictions, from another measure:", tuple(lines), cautions)


def _matrix(summary: pd.DataFrame, value: str) -> Table:
    """Table that shows a column of the summary, such as rms, by given and predicted measure."""
    matrix = prediction_matrix(summary, value).rename(index=measure_label, columns=measure_label)
    shown = matrix.rename_axis(columns=None).reset_index(names="given")
    title = f"{PREDICTED[value]}; rows: given measure, columns: predicted measure"
    schema = Schema(*SUMMARY, GIVEN._replace(name="given"), Column("{target}", SUMMARY.meaning(value)))
    return Table(name=value, title=title, frame=summary, shown=shown, schema=schema, places=("text",))


def _panel(summary: pd.DataFrame, value: str) -> Panel:
    """Figure of a column of the summary as a matrix."""
    rows, columns = summary["measure"].nunique(), summary["target"].nunique()
    caption = f"{PREDICTED[value]}; rows: given measures, columns: predicted measures. {SHOWN[value]}"
    size = (4.1 if columns <= 8 else 2.6 + 0.62 * columns, 1.8 + 0.42 * rows)  # a phone shows eight columns whole
    return Panel(Drawing("plot_predictions", summary, value=value), caption, size=size, white=True)


def prediction_table(collection: Collection, options: StudyOptions) -> pd.DataFrame:
    """Values of measures predicted from the value of another measure, for every list."""
    return each_topic(_predict_topic, collection, options, {"target": map(str, options.targets)})


def _predict_topic(topic: Topic, options: StudyOptions) -> Results:
    """Results of a topic; rows of a list and measure are targets."""
    targets = [target.expectation(topic.relevant, topic.grades.shape[1]) for target in options.targets]
    # 1. actual values, (1, runs, targets)
    value_of = values_of(topic, options.targets)
    actual = np.array([value_of[target] for target in options.targets]).T[None]
    # 2. statuses (measures, runs, 1), predictions (measures, runs, targets), and ends of their bands (2, ...)
    measures, runs = len(options.measures), len(topic.runs)
    status = np.tile(topic.left_out(options)[None, :, None], (measures, 1, 1))
    predicted = np.full((measures, runs, len(targets)), np.nan)
    ends = np.full((2, *predicted.shape), np.nan)
    for lists in solved_lists(topic, options, values_of(topic, options.measures)):
        status[lists.measures, lists.runs, 0] = statuses_of(lists.solutions)
        predicted[lists.measures, lists.runs] = lists.solutions.expected(targets)
        if options.band is None:
            continue
        for measure, run, solution in zip(lists.measures, lists.runs, lists.solutions, strict=True):
            if solution.status in SOLVED:
                names = topic.query_id, topic.runs[run], str(options.measures[measure])
                ends[:, measure, run] = drawn_band(drawn_values(solution, targets, *names), options.band)
    # 3. bands contain their predictions; lists without a solution have none
    low, high = widened(ends, predicted)
    predicted[~np.isin(status[..., 0], SOLVED)] = np.nan
    columns = {"status": status, "actual": actual, "predicted": predicted}
    return columns if options.band is None else columns | {"low": low, "high": high}


def drawn_values(solution: Solution, targets: list[Expectation], *names: str) -> FloatArray:
    """Sorted values of measures for random lists, (measures, DRAWN).

    The seed is made of ``names``, so that it does not depend on other problems.
    """
    seed = list("\0".join(names).encode("utf-8", "surrogateescape"))
    lists = solution.sample(DRAWN, rng=np.random.default_rng(seed))
    values = evaluate_all(targets, lists, solution.problem.levels)
    return np.sort(np.array(values).reshape(len(targets), DRAWN))


def drawn_band(values: FloatArray, band: float) -> FloatArray:
    """Ends of the central ``band`` of sorted values (measures, DRAWN), (2, measures)."""
    place = max(1, int((1 - band) / 2 * DRAWN_PLACES + NARROWER))  # of the end, counted from either side
    return np.stack((values[:, place - 1], values[:, -place]))
