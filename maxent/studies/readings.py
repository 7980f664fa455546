"""A study under all its readings: what is known, what has a distribution, where curves are compared, how deep."""

from collections.abc import Sequence
from itertools import product
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.curves.error import Align
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.errors import ProblemError, require_columns
from maxent.measures import Measure, as_measures
from maxent.options import takes
from maxent.problem import COUNTS, Count
from maxent.problem.reference import Reference
from maxent.problem.solution import Model
from maxent.results.question import collected
from maxent.stats.corrections import corrected
from maxent.studies.compare import LIST, STUDY, by_reading, measures_in, required_lists
from maxent.studies.informativeness import default_measures, reading_topic
from maxent.studies.options import ReadingsKeywords, ResampleKeywords, StudyOptions
from maxent.studies.reading_words import reference_name
from maxent.studies.topics import each_topic
from maxent.texts import READING

PAPER_ALIGNS: tuple[Align, ...] = ("recall", "rank")  # those of the papers; one curve of expectations for both


@takes(ReadingsKeywords, min_retrieved=1)
def readings(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    counts: Sequence[Count] = COUNTS,
    models: Sequence[Model] = ("ranks",),
    references: Sequence[Reference] = (None,),
    aligns: Sequence[Align] = PAPER_ALIGNS,
    depths: Sequence[int] | None = None,
    **options: Unpack[ReadingsKeywords],
) -> pd.DataFrame:
    """A study of informativeness under several readings of everything that a finding depends on.

    Every list is solved once for each count, model, reference and depth; alignments and filters use the same
    solutions. The rows of one reading are a study that :func:`maxent.summarize`, :func:`maxent.league` and
    :func:`maxent.studies.choose_from` take.

    Parameters
    ----------
    runs, qrels, measures
        As for :func:`maxent.informativeness`.
    counts : sequence of {"retrieved", "total", "at_most"}
        The readings of the counts, see :class:`maxent.Problem`.
    models : sequence of {"ranks", "lists"}
        What has a distribution, see :func:`maxent.solve`.
    references : sequence of {None, "log-uniform", "topics"} or table
        What is known before anything else; at most one table.
    aligns : sequence of {"recall", "rank", "expected"}
        How curves are compared; by default the two ways of the papers.
    depths : sequence of int, optional
        Lengths of the lists; by default ``depth`` alone.

    Returns
    -------
    DataFrame
        One row per reading x run x topic x measure x threshold: count, model, reference (``uniform`` for None) and
        depth, then the columns of :func:`maxent.informativeness` with align among them, log_likelihood (of the
        list under p, in nats; -inf where the value is that of the worst list but for rounding) and fewest
        (retrieved documents of the positive grade of which the list has the fewest, for stronger filters than
        ``min_retrieved``). The measure ``counts`` has the entropy without any value.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.studies.readings(
    ...     runs, qrels, measures=["AP", "GAP(g=0.5,0.5)"], thresholds=[1], counts=["retrieved"],
    ...     references=[None, "log-uniform"], depths=[50, 100],
    ... )  # fmt: skip
    >>> table.groupby(["reference", "align", "depth", "measure"], as_index=False)["rms"].mean().head(6).round(3)
         reference   align  depth         measure    rms
    0  log-uniform    rank     50              AP  0.036
    1  log-uniform    rank     50  GAP(g=0.5,0.5)  0.035
    2  log-uniform    rank    100              AP  0.041
    3  log-uniform    rank    100  GAP(g=0.5,0.5)  0.039
    4  log-uniform  recall     50              AP  0.046
    5  log-uniform  recall     50  GAP(g=0.5,0.5)  0.048
    """
    names = [reference_name(reference) for reference in references]
    for name, given in (
        ("counts", counts), ("models", models), ("references", names), ("aligns", aligns), ("depths", depths),
    ):  # fmt: skip
        if given is not None and (not given or len(set(given)) < len(given)):
            raise ProblemError(f"{name} needs at least one reading, and none twice, got {list(given)}")
    longest = {} if depths is None or isinstance(runs, Collection) else {"depth": max(depths)}
    collection = collected(runs, qrels, {**options, **longest})
    known_depths = [collection.depth] if depths is None else depths
    if max(known_depths) > collection.depth:
        raise ProblemError(
            f"depths are at most {collection.depth}, that of the collection, got {max(known_depths)}"
        )
    known = default_measures(collection.levels) if measures is None else as_measures(measures)
    tables = {}
    for count, model, reference, depth in product(counts, models, references, known_depths):
        others = {"count": count, "model": model, "reference": reference, "asked": ", ".join(aligns)}
        reading = StudyOptions.of(collection, options, measures=known, **others)
        rows = {"threshold": reading.thresholds, "align": aligns}
        key = count, model, reference_name(reference), depth
        tables[key] = each_topic(reading_topic, collection.part(depth=depth), reading, rows, tuple(aligns))
    keys = ["count", "model", "reference", "depth"]
    return pd.concat(tables, names=keys).reset_index(keys).reset_index(drop=True)


@takes(ResampleKeywords)
def summarize_readings(
    table: pd.DataFrame,
    *,
    baselines: Sequence[Measure | str] = ("AP",),
    min_retrieved: Sequence[int] = (1, 5, 10),
    **options: Unpack[ResampleKeywords],
) -> pd.DataFrame:
    """Mean errors under every reading, and paired differences to some measures, all on the same lists.

    The lists are those that are solved for every measure in every reading of the table, and every reading sees the
    same bootstrap samples. So a difference between two rows of the same filter is never one of lists.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.studies.readings`.
    baselines : sequence of Measure or text
        Measures of the table whose error is subtracted, one after another.
    min_retrieved : sequence of int
        Filters: lists with at least so many retrieved documents in each positive grade.

    Returns
    -------
    DataFrame
        One row per filter x reading x threshold (0: mean over the thresholds) x baseline x measure: min_retrieved,
        count, model, reference, align, depth, threshold, baseline, measure, lists, topics, rms, rms_low, rms_high,
        difference (of rms to the baseline: negative where the measure says more), difference_low, difference_high,
        p_value and p_value_corrected (of no difference, by Holm for all rows of the table; NaN for the baseline
        itself). Filters that leave no list have no rows. A filter holds at every depth.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.studies.readings(runs, qrels, measures=["AP", "nDCG"], counts=["retrieved"], depth=100)
    >>> rows = me.studies.summarize_readings(table, min_retrieved=[1]).query("threshold == 0 and measure == 'nDCG'")
    >>> rows[["count", "align", "lists", "difference", "difference_low", "difference_high"]].round(2)
           count   align  lists  difference  difference_low  difference_high
    1  retrieved  recall     12       -0.05           -0.15             0.04
    7  retrieved    rank     12       -0.05           -0.14             0.03
    """
    require_columns(table, (*STUDY, *READING, "fewest"), "table of readings")
    bases = measures_in(table, baselines, "the baseline ")
    common = required_lists(table)
    frames = []
    for least in min_retrieved:
        kept = common[common.groupby(LIST)["fewest"].transform("min") >= least]
        if kept.empty:
            continue
        numbers = {"lists": len(kept.drop_duplicates(LIST)), "topics": kept["query_id"].nunique()}
        for reading, compared in by_reading(kept, READING, **options):
            means = compared.table.assign(min_retrieved=least, **numbers, **reading)
            for base in bases:
                to_base = means.join(compared.to(base)).assign(baseline=base)
                frames.append(to_base.assign(p_value=compared.p_values(base), p_value_corrected=np.nan))
    found = pd.concat(frames).rename_axis("measure").reset_index()
    told = found["p_value"].notna()
    found.loc[told, "p_value_corrected"] = corrected(found.loc[told, "p_value"], "holm")
    first = ["min_retrieved", *READING, "threshold", "baseline", "measure", "lists", "topics"]
    return found[[*first, *(name for name in found.columns if name not in first)]]
