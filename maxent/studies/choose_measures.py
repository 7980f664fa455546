"""The most informative small set of measures: greedy forward selection, evaluated on held-out topics."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import studied
from maxent.data.inputs import Qrels, Runs
from maxent.errors import ProblemError
from maxent.measures import Joint, Measure, parse_measure
from maxent.measures.joint import joint
from maxent.options import BootstrapKeywords, CandidatesInput, ChooseMeasuresQuestion, Sources, takes
from maxent.results.content import Drawing, Panel, Sheet, Table
from maxent.results.finding import Difference, Finding, reading_lines
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.stats.intervals import ROUNDING
from maxent.studies.columns import MAY_BE_BEST, interval_of
from maxent.studies.holdings import heading
from maxent.studies.informativeness import study_table
from maxent.studies.options import EVERY_RANK, SHORT_MEASURES, StudyOptions, are_short, expanded
from maxent.studies.same_lists import LIST, common_lists, compare_means, required_lists
from maxent.studies.study_tables import facts
from maxent.studies.used import ListCounts, few_found, other_limit
from maxent.texts import measure_label

CANDIDATES = ("AP", "nDCG@10", "nDCG(gain=exp2)", "P@10", "R@100", "RBP(p=0.8)", "GAP(g=even)")
HELPS, WITHIN_NOISE, WORSE, NO_INTERVAL = "helps", "within noise", "worse", "no interval"
NO_INTERVAL_MEANS = (
    f"{NO_INTERVAL}: fewer than two of the evaluation topics have a list solved for every measure, so the "
    "uncertainty of a change is unknown"
)
STEPS = Schema(
    Column("step", "number of measures given together"),
    Column("added", "measure added last", format="measure"),
    Column("measure", "all measures given together so far; counts: none", format="measure"),
    Column(
        "rms_training", "mean RMS error on the half of the topics used to choose", "RMS training", explained=True
    ),
    MAY_BE_BEST,
    Column("lists", "lists of the evaluation topics that are solved at every step"),
    Column("left_out", "excluded lists of the evaluation topics", "excluded"),
    Column("rms", "RMS error on the evaluation topics, mean over lists and thresholds", "RMS"),
    Column("rms_test", "on the other half, used to evaluate", "RMS test", explained=True),
    interval_of("rms"),
    Column("difference", "change of the RMS error from the step before"),
    Column("change", "of the RMS error from the step before", explained=True),
    interval_of("difference"),
    interval_of("change"),
    Column(
        "verdict",
        "helps: the interval of the change is below 0; within noise: it includes 0; worse: it is above 0; "
        "no interval: fewer than two topics",
    ),
)
"""Columns of the measures that are added one after the other."""


@answers
@takes(Sources, CandidatesInput, ChooseMeasuresQuestion)
def choose_measures(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    candidates: Sequence[Measure | str] | None = None,
    **options: Unpack[ChooseMeasuresQuestion],
) -> Result:
    """Which two or three measures together are the most informative about a list?

    Forward selection starts with the counts alone and adds one measure at a time. Each step adds the measure that,
    together with those chosen before, gives the smallest mean error of the inferred curves over the thresholds, on
    a random half of the topics and the lists solved for all candidates. The other half of the topics gives the
    errors of each step and their differences to the step before, with 95 % bootstrap intervals over topics. A step
    helps if the interval of its difference is below 0. Measures added after the last step that helps are not
    chosen.

    Up to depth 20 measures are chosen for what they say beside the number of relevant documents found, and with
    ``count="at_most"`` for what they say without that number, as in the second part of :func:`maxent.study`.
    R@1000 is no default candidate, because the number of retrieved documents fixes it. Three
    or more measures that are nearly redundant take a second per list, or longer.

    Returns
    -------
    Result
        ``table``: one row per step, the counts alone first, with rms on the training topics (NaN for the counts),
        may_be_best (the candidates among which the best one of the step is with 95 % confidence, by the training
        topics; empty over fewer than 15 of these),
        rms on the held-out lists that are solved for all steps, its difference from the step before with a paired
        interval, and a verdict: ``helps`` if this interval is below 0, ``within noise`` if it includes 0, ``worse``
        if it is above 0, ``no interval`` with fewer than two held-out topics, empty for the counts. Answer:
        ``measure`` (the chosen measures; None if no step helps).

    Notes
    -----
    Files: measures.csv and the figure measures.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> result = me.choose_measures(
    ...     runs, qrels, ["AP", "nDCG", "P@10"], size=2, min_retrieved=1, depth=100, progress=False
    ... )
    >>> result.table[["step", "added", "verdict", "measure", "rms"]].round(2)
       step added       verdict    measure   rms
    0     0                         counts  0.12
    1     1  nDCG  within noise       nDCG  0.08
    2     2    AP  within noise  nDCG & AP  0.07
    """
    collection = studied(runs, qrels, options, by_name=True)
    usual = SHORT_MEASURES if are_short(collection.depth, options["reading"]) else CANDIDATES
    measures = expanded(candidates or usual, collection.levels, options["g_steps"])
    study_options = StudyOptions.of(collection, options, measures=measures)
    head = heading(collection, runs, qrels, study_options.reading_text, title=options["title"], is_in_finding=True)
    samples: BootstrapKeywords = {"replicates": options["replicates"], "rng": options["rng"]}
    choice = choose_from_candidates(collection, study_options, size=options["size"], **samples)
    steps, last_step = choice.steps, choice.chosen
    legend_of_verdict = [NO_INTERVAL_MEANS] if NO_INTERVAL in set(steps["verdict"]) else []
    short_notes = _notes_on_short_lists(collection, options) if study_options.align == EVERY_RANK else []
    panel = Panel(Drawing("plot_steps", steps), "Mean RMS error with one more measure after the other.")
    return Result(
        finding=choice.finding,
        answers={"measure": None if last_step is None else parse_measure(last_step["measure"])},
        views=(Table(name="measures", title="Steps", frame=steps, shown=_step_view(steps), schema=STEPS),),
        sheets=(Sheet("measures", (panel,)),),
        notes=(
            *choice.lists(choice.training).excluded("lists of the training topics"),
            *choice.lists(choice.held_out).excluded("lists of the evaluation topics"),
            *other_limit(pd.concat([choice.training, choice.held_out]), collection, study_options),
            *short_notes,
        ),
        facts=facts(study_options),
        legend=(*legend_of_verdict, *study_options.legend),
        **head,
    )


def _notes_on_short_lists(collection: Collection, options: ChooseMeasuresQuestion) -> list[str]:
    """Notes for lists compared at every rank: why measures tie and, where no count was named, what is asked."""
    notes = [few_found(collection)]
    if not options["count"]:
        notes.append(
            "chosen for what a value says beside the number of relevant documents found; with count=at_most, for "
            "what it says without that number"
        )
    return [note for note in notes if note]


def _step_view(steps: pd.DataFrame) -> pd.DataFrame:
    """A row for each step: the measure it adds, and the errors on both halves of the topics."""
    shown = steps.assign(added=steps["added"].where(steps["step"] > 0, "counts alone"))
    shown = shown.rename(columns=lambda name: name.replace("difference", "change"))
    names = ["step", "added", "rms_training", "rms", "rms_low", "rms_high", "change", "change_low", "change_high"]
    return shown[[*names, "verdict"]].rename(columns={"rms": "rms_test"})


class MeasureChoice(NamedTuple):
    """The steps of :func:`choose_measures`, and the rows of the studies of both halves of the topics."""

    steps: pd.DataFrame
    training: pd.DataFrame
    held_out: pd.DataFrame
    scope: Mapping[str, str]
    cautions: tuple[str, ...] = ()  # about the collection

    @property
    def chosen(self) -> pd.Series | None:
        """The last step that helps; None if there is none."""
        helps = self.steps[self.steps["verdict"] == HELPS]
        return None if helps.empty else helps.iloc[-1]

    @staticmethod
    def lists(study: pd.DataFrame) -> ListCounts:
        """Numbers of lists of one half of the topics that are solved at every step and threshold."""
        return ListCounts.of(study, common_lists(study))

    @property
    def finding(self) -> Finding:
        """Finding: the chosen measures, and the steps whose improvement is uncertain."""
        last, steps = self.chosen, self.steps
        training, evaluation = self.lists(self.training), self.lists(self.held_out)
        if NO_INTERVAL in set(steps["verdict"]):
            few = f"only {evaluation.topics} of the evaluation topics has a list solved for every measure"
            sentence = f"chosen: none, as there is no interval: {few}, at least 2 are needed"
        elif last is None:
            sentence = "chosen: none, because none is certainly more informative than the counts alone"
        else:
            lists = f"on the {int(last['lists'])} lists of the evaluation topics"
            sentence = f"chosen: {measure_label(str(last['measure']))}, mean RMS {last['rms']:.4f} {lists}"
        added_steps = steps.iloc[1:].to_dict("records")  # without the counts alone
        lines = [
            *(_uncertain_step(row, last) for row in added_steps if row["verdict"] != HELPS),
            f"training topics: {training.text}",
            f"evaluation topics: {evaluation.text}",
        ]
        changes = steps[["added", "difference", "difference_low", "difference_high"]].iloc[1:]
        return Finding(
            sentence,
            (*lines, *reading_lines(self.scope)),
            (*evaluation.cautions, *self.cautions),
            best=None if last is None else str(last["measure"]),
            differences=tuple(Difference(*row) for row in changes.itertuples(index=False)),
            lists=evaluation.lists,
            topics=evaluation.topics,
            reading=self.scope,
        )


def _uncertain_step(row: Mapping[Hashable, Any], last: pd.Series | None) -> str:
    """Sentence on a step with uncertain improvement; ``last`` is the last certain step."""
    is_chosen = last is not None and row["step"] < last["step"]  # as a later step helps
    interval = f", 95 % [{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]"
    change = f"{row['difference']:+.4f}{'' if row['verdict'] == NO_INTERVAL else interval}"
    outcome = "" if is_chosen else ", so not chosen"
    return f"adding {measure_label(str(row['added']))}: {row['verdict']} ({change}){outcome}"


def choose_from_candidates(
    collection: Collection,
    options: StudyOptions,
    *,
    size: int = 3,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> MeasureChoice:
    """As :func:`choose_measures`, for a collection and options with the candidates as ``measures``."""
    candidates = list(dict.fromkeys(options.measures))
    if not 1 <= size <= len(candidates):
        raise ProblemError(f"size must be within 1..{len(candidates)}, the number of candidates, got {size}")
    if any(isinstance(measure, Joint) for measure in candidates):
        raise ProblemError("candidates are single measures: what is chosen together is the answer")
    # 1. two halves of the topics, at random: one to choose measures, the other to evaluate the choice
    generator = np.random.default_rng(rng)
    order = generator.permutation(len(collection.topics))
    half = (len(order) + 1) // 2
    if half == len(order):
        raise ProblemError("one topic has no halves: a choice needs at least two topics")
    training, held_out = (collection.part(topics=np.sort(part)) for part in (order[:half], order[half:]))
    # 2. forward selection: each step adds the candidate that, with those chosen before, has the smallest error
    chosen: list[Measure] = []
    errors: list[float] = []  # of each step
    best_sets: list[str] = []  # of each step: candidates of which one is the best with 95 % confidence
    tables: list[pd.DataFrame] = []  # of each step: the study of all candidates
    samples = generator.spawn(1)[0]
    for _ in range(size):
        joints = {measure: joint((*chosen, measure)) for measure in candidates}
        tables.append(study_table(training, replace(options, measures=tuple(joints.values()))))
        common = required_lists(tables[-1])
        means = common.groupby("measure")["rms"].mean()
        error_with = {measure: float(means[str(joints[measure])]) for measure in candidates}
        best_set = compare_means(common, replicates=replicates, rng=samples).best_set or ()
        best_sets.append("; ".join(str(measure) for measure in candidates if str(joints[measure]) in best_set))
        best = min(error_with, key=error_with.__getitem__)
        chosen.append(best)
        errors.append(error_with[best])
        candidates.remove(best)
    # 3. every step evaluated on the held-out topics, the counts alone first
    steps = tuple(joint(tuple(chosen[:k])) for k in range(size + 1))
    held_out_table = study_table(held_out, replace(options, measures=steps))
    table = _step_table(held_out_table, replicates=replicates, rng=generator)
    table.insert(1, "added", ["", *map(str, chosen)])
    table.insert(3, "rms_training", [np.nan, *errors])
    table.insert(4, "may_be_best", ["", *best_sets])
    return MeasureChoice(
        steps=table,
        training=pd.concat(tables, ignore_index=True),
        held_out=held_out_table,
        scope=options.scope,
        cautions=options.cautions,
    )


def _step_table(study: pd.DataFrame, **bootstrap: Any) -> pd.DataFrame:
    """Table of the steps with their errors and verdicts on the held-out topics; ``study`` has their errors."""
    # 1. numbers of lists
    common, steps = required_lists(study), study["measure"].unique().tolist()
    used, total = len(common.drop_duplicates(LIST)), len(study.drop_duplicates(LIST))
    table = pd.DataFrame({"step": range(len(steps)), "measure": steps, "lists": used, "left_out": total - used})
    # 2. error of each step, and its difference to the step before
    comparison = compare_means(common, **bootstrap)
    table = table.join(comparison.table, on="measure")
    table = table.join(comparison.differences(steps[1:], steps[:-1]), on="measure")
    # 3. verdict by the interval of the difference; one within rounding shows nothing, as where units change
    low, high = table["difference_low"], table["difference_high"]
    conditions = [high < -ROUNDING, low > ROUNDING, low.notna()]  # the first that holds decides
    table["verdict"] = np.select(conditions, [HELPS, WORSE, WITHIN_NOISE], NO_INTERVAL)
    table.loc[0, "verdict"] = ""
    return table
