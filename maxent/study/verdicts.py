"""Which of two measures says more, whatever the inference: their differences in every reading, and a verdict."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import pandas as pd

from maxent.errors import ProblemError, require_columns
from maxent.measures import Measure
from maxent.options import takes
from maxent.study.bootstrap import error_ratios
from maxent.study.compare import LIST, ROUNDING, STUDY, by_reading, common_lists, measures_in
from maxent.study.finding import Finding
from maxent.study.options import ResampleKeywords
from maxent.study.readings import READING
from maxent.study.topics import RANKED
from maxent.texts import measure_label

ALIKE = {"at_most": "total"}  # counts whose readings are counted once: nearly all bounds are reached
ENDS = ["difference_low", "difference_high"]
AHEAD, SAID = 0.95, 0.5  # shares of the readings with the smaller error, and whose intervals say so
RULE = (
    f"rule, not a test: a verdict stands if the first measure has the smaller mean error in {100 * AHEAD:g} % of "
    f"the readings, the intervals of {100 * SAID:g} % say so, and none the opposite; readings share their lists"
)
NOTHING = "counts alone"  # in every list they fix the value of one of the two measures
CERTAIN = {0: "stands", 1: "stands for threshold 1"}  # by threshold; 0: the mean over all


class Verdicts(NamedTuple):
    """Verdicts on pairs of measures, and what they rest on.

    Attributes
    ----------
    table : DataFrame
        One row per pair: first (the measure for which a verdict stands, or that is ahead more often), second,
        verdict, readings (distinct ones), ahead (readings in which the first has the smaller mean error over the
        thresholds, or for threshold 1 if the verdict is for that), told and opposite (readings in which the
        interval says so, or the opposite), difference_min and difference_max (the size of the effect: the range of
        the differences), lists, solved and topics (as below; the fewest), error_ratio (as below; the largest).
    differences : DataFrame
        One row per reading x threshold (0: mean over the thresholds) x pair: the reading, threshold, first,
        second, lists (in which the counts fix neither measure), solved (lists that every measure solves), topics
        (of the lists), difference (of the mean errors; negative where the first says more), its ends difference_low
        and difference_high, and error_ratio (standard error by topic and run over that by topic alone).
    """

    table: pd.DataFrame
    differences: pd.DataFrame

    @property
    def finding(self) -> Finding:
        """What stands, in words."""
        rows = self.table[self.table["verdict"] == CERTAIN[0]]
        claims = [
            f"{measure_label(first)} before {measure_label(second)}"
            for first, second in zip(rows["first"], rows["second"], strict=True)
        ]
        support = [f"{claim}: {_support(row)}" for claim, row in zip(claims, rows.to_dict("records"), strict=True)]
        if NOTHING in set(self.table["verdict"]):
            support.append(f"{NOTHING}: in every list these fix the value of one of the two measures")
        support.append(RULE)
        if claims:
            return Finding(f"stands in the readings compared: {', '.join(claims)}", tuple(support))
        return Finding("no difference between these measures stands in the readings compared", tuple(support))


@takes(ResampleKeywords)
def verdicts(
    table: pd.DataFrame,
    *,
    pairs: Sequence[tuple[Measure | str, Measure | str]] | None = None,
    **options: Unpack[ResampleKeywords],
) -> Verdicts:
    """Which measure says more, in each pair of measures and in every reading of a study.

    Measures are compared on the lists of a depth that are solved for every measure in every other reading, but for
    those in which the counts alone fix one of the two. Intervals are paired, Student's over topics (over the fewer
    of topics and runs, if runs are resampled, too), and corrected for the number of pairs (Bonferroni). By a rule,
    which is no test, a verdict *stands* if the first measure has the smaller error in 95 % of the readings, half of
    the intervals say so and none the opposite; it *stands for threshold 1* if that holds for this threshold; it
    *depends on* readings that turn it round, or else is *open*. It is *counts alone* where these fix one of the
    measures in every list.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.study.readings`.
    pairs : sequence of pairs of Measure or text, optional
        Default: all pairs of the measures in the table.

    Returns
    -------
    Verdicts

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> table = me.study.readings(
    ...     runs, qrels, measures=["AP", "P@10"], counts=["retrieved"], references=[None, "log-uniform"],
    ...     aligns=["recall", "expected"], depth=100,
    ... )  # fmt: skip
    >>> found = me.verdicts(table)
    >>> found.table[["first", "second", "verdict", "readings", "ahead", "told", "opposite", "lists", "topics"]]
      first second verdict  readings  ahead  told  opposite  lists  topics
    0    AP   P@10  stands         4      4     3         0     18       6
    >>> print(found.finding.sentence)
    stands in the readings compared: AP before P@10
    """
    require_columns(table, (*STUDY, *READING), "table of readings")
    asked = list(combinations(table["measure"].unique().tolist(), 2))
    if pairs is not None:
        asked = [(first, second) for first, second in (measures_in(table, pair) for pair in pairs)]
    frames = []
    for _, own in table.groupby("depth", sort=False):
        common = common_lists(own)
        if common["query_id"].nunique() == 1:
            raise ProblemError("the lists solved for every measure are of one topic: intervals need at least two")
        if not common.empty:
            frames.append(differences(common, READING, asked, **options))
    if not frames:
        raise ProblemError("no list is solved for every measure in every reading: nothing to compare")
    return judged(pd.concat(frames, ignore_index=True), READING)


def differences(
    table: pd.DataFrame,
    reading: Sequence[str],
    pairs: Sequence[tuple[str, ...]],
    **options: Unpack[ResampleKeywords],
) -> pd.DataFrame:
    """Differences in each reading, columns as of ``Verdicts.differences``; none where a pair has no lists.

    All readings of a pair have the same lists.
    """
    rows = [row for pair in pairs for row in _of_pair(table, reading, pair, len(pairs), **options)]
    numbers = ["lists", "solved", "topics", "difference", *ENDS, "error_ratio"]
    columns = [*reading, "threshold", "first", "second", *numbers]
    return pd.DataFrame(rows, columns=columns).assign(solved=len(table.drop_duplicates(LIST)))


def _of_pair(
    table: pd.DataFrame, reading: Sequence[str], pair: tuple[str, ...], pairs: int, **options: Any
) -> list[dict[Hashable, Any]]:
    """Rows of the differences of a pair, corrected for so many pairs."""
    first, second = pair
    rows = common_lists(table[table["measure"].isin(pair)], among=RANKED)
    names: dict[str, Any] = {"first": first, "second": second}
    names |= {"lists": len(rows.drop_duplicates(LIST)), "topics": rows["query_id"].nunique()}
    if rows.empty:
        return table[list(reading)].drop_duplicates().assign(threshold=0, **names).to_dict("records")
    keys = [*reading, "threshold"]
    errors = rows.set_index([*keys, *LIST, "measure"])["rms"].unstack("measure")
    ratios = error_ratios((errors[first] - errors[second]).rename("gap").reset_index(), keys, "gap")
    return [
        at | names | comparison.between(first, second, pairs=pairs) | {"error_ratio": ratios[tuple(at.values())]}
        for at, comparison in by_reading(rows, reading, **options)
    ]


def judged(rows: pd.DataFrame, reading: Sequence[str]) -> Verdicts:
    """Verdicts on the pairs of a table of differences, each in the order of its measures that says more."""
    frames, found, order = [], [], {verdict: threshold for threshold, verdict in CERTAIN.items()}
    for _, own in rows.groupby(["first", "second"], sort=False):
        both = [(_verdict(each, reading), each) for each in (own, _turned(own))]
        verdict, chosen = min(both, key=lambda each: (order.get(each[0]["verdict"], 2), -each[0]["ahead"]))
        frames.append(chosen)
        found.append({"first": chosen["first"].iloc[0], "second": chosen["second"].iloc[0], **verdict})
    return Verdicts(pd.DataFrame(found), pd.concat(frames, ignore_index=True))


def _turned(rows: pd.DataFrame) -> pd.DataFrame:
    """The same differences with the measures of each pair exchanged."""
    numbers = -rows[["difference", *reversed(ENDS)]].set_axis(["difference", *ENDS], axis=1)
    return rows.assign(first=rows["second"], second=rows["first"], **numbers)


def _verdict(rows: pd.DataFrame, reading: Sequence[str]) -> dict[str, Any]:
    """Verdict on a pair, and in how many distinct readings it holds."""
    rows = rows[rows["lists"] > 0]
    if rows.empty:
        return {"verdict": NOTHING, "readings": 0, "ahead": 0, "told": 0, "opposite": 0, "lists": 0}
    distinct = rows.replace({"count": ALIKE}) if "count" in reading else rows
    signs = distinct.assign(
        ahead=rows["difference"] < ROUNDING,
        told=rows["difference_high"] < -ROUNDING,
        opposite=rows["difference_low"] > ROUNDING,
    )
    groups = signs.groupby([*reading, "threshold"], sort=False)
    said = groups.agg({"ahead": "all", "told": "all", "opposite": "any"}).reset_index()
    at = {threshold: said[said["threshold"] == threshold] for threshold in CERTAIN}
    standing = next((threshold for threshold in CERTAIN if _stands(at[threshold])), None)
    shown = at[standing or 0]
    if standing is not None:
        verdict = CERTAIN[standing]
    elif turning := [name for name in reading if _turns(shown, name, reading)]:
        verdict = f"depends on {', '.join(turning)}"
    else:
        verdict = "depends on the reading" if shown["told"].any() and shown["opposite"].any() else "open"
    counted = {name: int(shown[name].sum()) for name in ("ahead", "told", "opposite")}
    own = rows[rows["threshold"] == (standing or 0)]
    size = {"difference_min": own["difference"].min(), "difference_max": own["difference"].max()}
    size |= {name: own[name].min() for name in ("lists", "solved", "topics")}
    return {"verdict": verdict, "readings": len(shown), **counted, **size, "error_ratio": own["error_ratio"].max()}


def _support(row: Mapping[Hashable, Any]) -> str:
    """What a verdict rests on, in words."""
    counted = (
        f"ahead in {row['ahead']:.0f} of {row['readings']:.0f} readings, intervals say so in {row['told']:.0f}"
    )
    lists = f"on at least {row['lists']:.0f} of {row['solved']:.0f} lists, {row['topics']:.0f} topics"
    ratio = f"standard errors by topic and run are up to {row['error_ratio']:.2f} times those by topic"
    return f"difference {row['difference_min']:+.4f} to {row['difference_max']:+.4f}, {counted}; {lists}; {ratio}"


def _stands(rows: pd.DataFrame) -> bool:
    return bool(rows["ahead"].mean() >= AHEAD and rows["told"].mean() >= SAID and not rows["opposite"].any())


def _turns(rows: pd.DataFrame, name: str, reading: Sequence[str]) -> bool:
    """Whether one part of a reading alone turns a difference round that intervals tell from 0 both times."""
    others = [other for other in reading if other != name]
    both = rows.groupby(others, sort=False)[["told", "opposite"]].any()
    return bool((both["told"] & both["opposite"]).any())
