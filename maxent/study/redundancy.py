"""What a measure adds to others whose values are known: nothing, if it only repeats what they say."""

from collections.abc import Iterable, Iterator
from typing import Unpack

import pandas as pd

from maxent.errors import ProblemError, require_columns
from maxent.measures.joint import COUNTS_ALONE
from maxent.options import takes
from maxent.study.compare import LIST, ROUNDING, STUDY, bootstrapped, interval, p_values, required_lists
from maxent.study.corrections import corrected
from maxent.study.options import BootstrapKeywords


@takes(BootstrapKeywords)
def redundancy(table: pd.DataFrame, **options: Unpack[BootstrapKeywords]) -> pd.DataFrame:
    """How much a measure adds to others: the mean decrease of the RMS error where its value is known as well.

    A measure that adds nothing to another is redundant beside it. That is not symmetric: AP may add much to P@10
    while P@10 adds little to AP. All measures and joints of the table are compared on the same lists, those that
    every one of them solves: joints of closely related measures are harder to solve, and what they leave out must
    not pass for information.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness` with joints, and with what they are without one of their measures: AP,
        P@10 and ``AP & P@10``; a pair and its triples; ``counts`` and single measures.

    Returns
    -------
    DataFrame
        Rows for the mean over all thresholds (threshold 0), then for each threshold, in the order of the table:
        threshold, known (what is known: a measure, a joint, or ``counts``), added (a measure), measure (all of
        them together), lists, topics, rms_known, rms (mean errors without and with the added measure), gain (their
        difference, positive where the measure helps), gain_low, gain_high (its 95 % bootstrap interval, paired; NaN
        with fewer than two topics), p_value and p_value_corrected (of no gain, by Holm for all rows of the table:
        where it is above .05, a gain or a harm may be one of chance among so many), worse (share of the lists whose
        error is larger with the added measure).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> measures = ["AP", "P@10", "AP & P@10"]
    >>> table = me.informativeness(runs, qrels, measures=measures, min_retrieved=1, depth=100)
    >>> gains = me.study.redundancy(table).query("threshold == 0")
    >>> gains[["known", "added", "lists", "rms_known", "rms", "gain"]].round(2)
      known added  lists  rms_known   rms  gain
    0  P@10    AP     18       0.19  0.09   0.1
    1    AP  P@10     18       0.10  0.09   0.0
    """
    require_columns(table, STUDY, "table of a study")
    measures = table["measure"].unique().tolist()
    steps = pd.DataFrame(_steps(measures), columns=["known", "added", "measure"])
    if steps.empty:
        raise ProblemError(
            "no joint of the table stands there with one measure less: study, say, AP, P@10 and AP & P@10"
        )
    common = required_lists(table, [*LIST, "threshold"])
    errors = common.pivot(index=[*LIST, "threshold"], columns="measure", values="rms")[measures]
    frames = {}
    for threshold, compared in sorted(bootstrapped(common, **options).items()):
        of_lists = errors.groupby(LIST).mean() if threshold == 0 else errors.xs(threshold, level="threshold")
        (before, after), (old, new), (without, beside) = (
            [found[steps[name]].to_numpy() for name in ("known", "measure")]
            for found in (compared.means, compared.samples, of_lists)
        )
        gains = pd.DataFrame({"rms_known": before, "rms": after, "gain": before - after})
        sampled = pd.DataFrame(old - new)
        gains = gains.join(interval(sampled, "gain", compared.topics))
        gains["p_value"] = p_values(gains["gain"], sampled, compared.topics)
        gains["worse"] = (beside - without > ROUNDING).mean(axis=0)
        own = steps.assign(lists=len(of_lists), topics=of_lists.index.unique("query_id").size)
        frames[threshold] = own.join(gains)
    found = pd.concat(frames, names=["threshold"]).reset_index("threshold").reset_index(drop=True)
    found.insert(found.shape[1] - 1, "p_value_corrected", corrected(found["p_value"], "holm"))
    return found


def _steps(measures: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """What is known, the measure added, and both together, for each way in which two of the texts differ by one."""
    known = {_parts(text): text for text in measures}
    for parts, text in known.items():
        for added in () if text == COUNTS_ALONE else text.split(" & "):
            rest = parts - {added}
            if rest in known:
                yield known[rest], added, text


def _parts(text: str) -> frozenset[str]:
    return frozenset(() if text == COUNTS_ALONE else text.split(" & "))
