"""Differences of pairs of measures in every reading, and verdicts on the more informative measure."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from maxent.results.finding import Finding
from maxent.stats.bootstrap import error_ratios
from maxent.stats.intervals import ROUNDING
from maxent.studies.same_lists import LIST, common_lists, reading_comparisons
from maxent.studies.topics import RANKED
from maxent.texts import MEAN, READING, is_without_content, many, measure_label

ALIKE = {"at_most": "total"}  # counts whose readings count as one, because nearly all upper limits are reached
SIGNS = ["ahead", "told", "opposite"]  # the first has the smaller error; the interval confirms it, or the opposite
ENDS = ["difference_low", "difference_high"]
PAIR = ["first", "second"]
AHEAD, TOLD = 0.95, 0.5  # least shares of readings with the smaller error, and with an interval that confirms it
RULE = (
    "rule, not a test: a verdict stands if the first measure has the smaller mean error in at least "
    f"{100 * AHEAD:g} % of the readings, at least {100 * TOLD:g} % of their intervals confirm it, and none shows "
    "the opposite; readings share lists"
)
STANDS = "stands"
FIRST = "stands for threshold 1"
NOTHING = "counts alone"
NO_INTERVAL = "no interval"
YES, NO_LIST, ONE_TOPIC = "yes", "no list", "one topic"  # whether a pair is compared in a reading, or why it is not
CERTAIN = {0: STANDS, 1: FIRST}  # by threshold; 0: the mean over all
MEANINGS = {
    STANDS: "by the rule, for the mean error over all thresholds",
    FIRST: "by the rule, for all relevant documents (threshold 1), but not for the mean over all thresholds",
    "depends": "on choices that reverse the order: intervals of some readings show it, of others the opposite",
    "open": "the rule does not hold, and no two intervals contradict each other",
    NOTHING: "in every list of every reading these fix the value of one of the two measures",
    NO_INTERVAL: "no reading has lists of two topics to compare",
}
"""Meanings of the verdicts."""
PARTS = {"count": "counts", "align": "alignment"}  # names of parts of a reading in sentences


def differences(
    table: pd.DataFrame, reading: Sequence[str], pairs: Sequence[tuple[str, ...]], **options: Any
) -> pd.DataFrame:
    """Differences of the mean errors of pairs in each reading, on the same lists in all readings of a count.

    One row per reading x threshold (0: mean over the thresholds) x pair: the reading, threshold, first, second,
    compared (``yes``, or why not), lists (in which the counts fix neither measure), solved (lists solved for every
    measure), topics (of the lists), difference (negative if the first is more informative), the ends difference_low
    and difference_high of its interval, and error_ratio (standard error by topic and run divided by the one by
    topic alone). An interval needs lists of two topics; a pair without lists has one row per reading.
    """
    rows = chain.from_iterable(_pair_rows(table, reading, pair, len(pairs), **options) for pair in pairs)
    return _table(rows, reading).assign(solved=len(table.drop_duplicates(LIST)))


def without_lists(table: pd.DataFrame, reading: Sequence[str], pairs: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    """As :func:`differences`, for the readings of a table in which no list is solved for every measure."""
    rows = chain.from_iterable(_rows_without_lists(table, reading, pair, NO_LIST) for pair in pairs)
    return _table(rows, reading).assign(solved=0)


def _table(rows: Iterable[dict[Hashable, Any]], reading: Sequence[str]) -> pd.DataFrame:
    """Table of differences from its rows."""
    numbers = ["lists", "solved", "topics", "difference", *ENDS, "error_ratio"]
    return pd.DataFrame(rows, columns=[*reading, "threshold", *PAIR, "compared", *numbers])


def _pair_rows(
    table: pd.DataFrame, reading: Sequence[str], pair: tuple[str, ...], pairs: int, **options: Any
) -> Iterator[dict[Hashable, Any]]:
    """Rows of the differences of a pair, with intervals corrected for the number of pairs.

    A count fixes values in its own readings only, so that each count has its own lists.
    """
    rows = table[table["measure"].isin(pair)]
    has_both = rows.groupby(list(reading))["measure"].transform("nunique") == 2  # in the reading of the row
    rows = rows[has_both]
    rows_by_count = [part for _, part in rows.groupby("count", sort=False)] if "count" in reading else [rows]
    for count_rows in rows_by_count:
        compared = common_lists(count_rows, among=RANKED)
        if compared.empty:
            yield from _rows_without_lists(count_rows, reading, pair, NOTHING)
        else:
            yield from _rows_of_lists(compared, reading, pair, pairs, **options)


def _rows_without_lists(
    table: pd.DataFrame, reading: Sequence[str], pair: tuple[str, ...], reason: str
) -> Iterator[dict[Hashable, Any]]:
    """A row for each reading of a table, with the reason why it has no list to compare."""
    names = dict(zip(PAIR, pair, strict=True))
    readings = table[list(reading)].drop_duplicates()
    yield from readings.assign(threshold=0, **names, compared=reason, lists=0, topics=0).to_dict("records")


def _rows_of_lists(
    rows: pd.DataFrame, reading: Sequence[str], pair: tuple[str, ...], pairs: int, **options: Any
) -> Iterator[dict[Hashable, Any]]:
    """Rows of the differences of a pair on its lists, for each reading and threshold."""
    first, second = pair
    # 1. what all rows have in common
    topics = rows["query_id"].nunique()
    in_common: dict[str, Any] = {
        "first": first,
        "second": second,
        "compared": YES if topics > 1 else ONE_TOPIC,
        "lists": len(rows.drop_duplicates(LIST)),
        "topics": topics,
    }
    # 2. ratios of standard errors, by reading and threshold
    keys = [*reading, "threshold"]
    errors = rows.set_index([*keys, *LIST, "measure"])["rms"].unstack("measure")
    ratios = error_ratios((errors[first] - errors[second]).rename("gap").reset_index(), keys, "gap")
    # 3. the differences
    for names, comparison in reading_comparisons(rows, reading, **options):
        difference = comparison.between(first, second, pairs=pairs)
        yield names | in_common | difference | {"error_ratio": ratios[tuple(names.values())]}


def verdicts(rows: pd.DataFrame, reading: Sequence[str] = READING) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row for each pair in a table of differences as from :func:`maxent.compare_measures`, and these differences.

    The first measure of a pair is the one for which a verdict stands, or that is ahead more often.
    """
    frames, records = [], []
    for _, pair_rows in rows.groupby(PAIR, sort=False):
        # of both orders of the pair, the one with the better verdict for its first measure
        orders = [(_verdict(ordered, reading), ordered) for ordered in (pair_rows, _turn(pair_rows))]
        verdict, ordered = min(orders, key=lambda order: _place(order[0]))
        frames.append(ordered)
        records.append({name: ordered[name].iloc[0] for name in PAIR} | verdict)
    table = pd.DataFrame(records)
    whole = table.columns.intersection(["solved", "topics"])  # missing for NOTHING
    return table.astype(dict.fromkeys(whole, "Int64")), pd.concat(frames, ignore_index=True)


def _place(verdict: Mapping[str, Any]) -> tuple[int, int]:
    """Place of a verdict for the first measure of a pair; the smallest is the best.

    It stands for the mean over thresholds (0), for threshold 1, or for neither (2); then, the readings it is ahead.
    """
    thresholds = {verdict: threshold for threshold, verdict in CERTAIN.items()}
    return thresholds.get(verdict["verdict"], 2), -verdict["ahead"]


def _turn(rows: pd.DataFrame) -> pd.DataFrame:
    """The same differences with the measures of each pair swapped."""
    numbers = -rows[["difference", *reversed(ENDS)]].set_axis(["difference", *ENDS], axis=1)
    return rows.assign(first=rows["second"], second=rows["first"], **numbers)


def _verdict(rows: pd.DataFrame, reading: Sequence[str]) -> dict[str, Any]:
    """Verdict on a pair, and the number of distinct readings that support it."""
    if reason := _reason(rows):
        lists = rows["lists"].min()
        return {"verdict": reason, "threshold": 0, "readings": 0, **dict.fromkeys(SIGNS, 0), "lists": lists}
    # 1. the threshold at which the rule holds: the mean over all (0) comes first, and is taken if it holds at none
    compared = rows[rows["compared"] == YES]
    signs_at = {threshold: _signs(compared, reading, threshold) for threshold in CERTAIN}
    standing = [threshold for threshold in CERTAIN if _stands(signs_at[threshold])]
    threshold = standing[0] if standing else 0
    verdict = CERTAIN[threshold] if threshold else _overall_verdict(signs_at[0], reading)
    # 2. the numbers behind it
    signs, at_threshold = signs_at[threshold], compared[compared["threshold"] == threshold]
    return {
        "verdict": verdict,
        "threshold": threshold,
        "readings": len(signs),
        **{name: int(signs[name].sum()) for name in SIGNS},
        "difference_min": at_threshold["difference"].min(),
        "difference_max": at_threshold["difference"].max(),
        **{name: at_threshold[name].min() for name in ("lists", "solved", "topics")},
        "error_ratio": at_threshold["error_ratio"].max(),
    }


def _reason(rows: pd.DataFrame) -> str:
    """Verdict on a pair that is compared in no reading; empty for others."""
    if (rows["compared"] == YES).any():
        return ""
    return NOTHING if (rows["compared"] == NOTHING).all() else NO_INTERVAL


def _signs(rows: pd.DataFrame, reading: Sequence[str], threshold: int) -> pd.DataFrame:
    """Signs and significance of a pair's differences at a threshold, a row for each distinct reading.

    Readings that count as one are ahead, or confirmed, if all of them are, and opposite if one is.
    """
    rows = rows[(rows["threshold"] == threshold) & (rows["compared"] == YES)]
    signs = pd.DataFrame(
        {
            "ahead": rows["difference"] < -ROUNDING,
            "told": rows["difference_high"] < -ROUNDING,
            "opposite": rows["difference_low"] > ROUNDING,
        }
    )
    distinct = rows.replace({"count": ALIKE}) if "count" in reading else rows
    groups = distinct[list(reading)].join(signs).groupby(list(reading), sort=False)
    return groups.agg({"ahead": "all", "told": "all", "opposite": "any"}).reset_index()


def _stands(signs: pd.DataFrame) -> bool:
    """Whether ``RULE`` holds, from the signs of a pair in each reading."""
    is_ahead = signs["ahead"].mean() >= AHEAD
    is_confirmed = signs["told"].mean() >= TOLD
    return bool(is_ahead and is_confirmed and not signs["opposite"].any())


def _overall_verdict(signs: pd.DataFrame, reading: Sequence[str]) -> str:
    """Verdict from the signs of the mean over the thresholds."""
    if _stands(signs):
        return STANDS
    if turning := [name for name in reading if _turns(signs, name, reading)]:
        return f"depends on {', '.join(turning)}"
    return "depends on the reading" if signs["told"].any() and signs["opposite"].any() else "open"


def _turns(signs: pd.DataFrame, name: str, reading: Sequence[str]) -> bool:
    """Whether a change of this part of the reading alone reverses a significant difference."""
    other_parts = [part for part in reading if part != name]
    shown = signs.groupby(other_parts, sort=False)[
        ["told", "opposite"]
    ].any()  # by readings that differ in it alone
    return bool((shown["told"] & shown["opposite"]).any())


def finding_of(table: pd.DataFrame, rows: pd.DataFrame, sets: pd.DataFrame) -> Finding:
    """Finding: the more informative measure of each pair, in how many readings, and by how much.

    ``table`` has the verdicts, from ``rows``, the differences of the same pairs in the same order; ``sets`` has the
    set of best measures in each reading.
    """
    # 1. the verdicts that stand, without those for a broken stick
    thresholds = sorted(set(rows["threshold"]) - {0})
    over_all = [
        _reason(pair_rows) or _overall_verdict(_signs(pair_rows, READING, 0), READING)
        for _, pair_rows in rows.groupby(PAIR, sort=False)
    ]
    standing = table.assign(over_all=over_all)[table["verdict"].isin(CERTAIN.values())]
    standing = standing[~standing["first"].map(is_without_content).astype(bool)]
    # 2. their sentences: one for all measures that the same first measure is ahead of
    claims: dict[str, list[str]] = {verdict: [] for verdict in CERTAIN.values()}
    for (verdict, _, _), group in standing.groupby(["verdict", "first", "over_all"], sort=False):
        claims[str(verdict)].append(_claim(group, thresholds))
    # 3. the sentence: verdicts over all thresholds, or else for threshold 1, which are support where there are both
    sentence = ". ".join(claims[STANDS] or claims[FIRST]) or _nothing(set(over_all))
    support = claims[FIRST] if claims[STANDS] else []
    not_ahead = _not_ahead(table)
    if len(not_ahead) == len(_with_content(table)):
        sentence = f"no measure is ahead of the broken stick, a measure without content, by the rule. {sentence}"
    elif not_ahead:
        labels = ", ".join(map(measure_label, not_ahead))
        line = f"not ahead of the broken stick (no content) by the rule, over all thresholds: {labels}"
        support = [*support, line]
    # 4. the numbers behind it
    best_set = _in_every_set(sets)
    lines = (*support, *_best_lines(best_set, sets), *map(_support, standing.to_dict("records")), RULE)
    return Finding(sentence, lines, best=_ahead_of_all(table), set=best_set)


def _with_content(table: pd.DataFrame) -> list[str]:
    """Measures of the pairs that are no broken stick."""
    names = dict.fromkeys(chain.from_iterable(table[PAIR].to_numpy().tolist()))
    return [name for name in names if not is_without_content(name)]


def _not_ahead(table: pd.DataFrame) -> list[str]:
    """Measures that do not stand ahead of the broken stick; none if it is in no pair."""
    is_stick = table[PAIR].map(is_without_content)
    if not is_stick.any(axis=None):
        return []
    ahead = table[is_stick["second"] & (table["verdict"] == STANDS)]["first"].tolist()
    return [name for name in _with_content(table) if name not in ahead]


def _ahead_of_all(table: pd.DataFrame) -> str | None:
    """The measure that stands ahead of all others with content; None if there is none."""
    stands = table[table["verdict"] == STANDS]
    behind = {str(first): set(rows["second"]) for first, rows in stands.groupby("first", sort=False)}
    names = _with_content(table)
    ahead = [name for name in names if behind.get(name, set()) >= {*names} - {name}]
    return ahead[0] if ahead else None


def _in_every_set(sets: pd.DataFrame) -> tuple[str, ...] | None:
    """The measures that may be the best in every reading that has a set; None if no reading has one."""
    inside = [set(text.split("; ")) for text in sets["may_be_best"] if text]
    return tuple(sorted(set.intersection(*inside))) if inside else None


def _best_lines(best_set: Sequence[str] | None, sets: pd.DataFrame) -> Iterator[str]:
    """Line on the measures that may be the best in every reading that has a set."""
    if best_set is not None:
        which = ", ".join(map(measure_label, best_set)) or "none"
        number = int((sets["may_be_best"] != "").sum())
        yield f"may be the best in each of {many(number, 'reading')}, by 95 % sets: {which}"


def _claim(rows: pd.DataFrame, thresholds: Sequence[int]) -> str:
    """Sentence that a measure is more informative than others, for rows of :func:`verdicts`.

    The rows have the same first measure and verdict. ``ahead`` counts the readings in which its error is smaller.
    """
    first, verdict, over_all = rows.iloc[0][["first", "verdict", "over_all"]]
    # 1. the measures, and what they are informative about
    *labels, last_label = map(measure_label, rows["second"])
    seconds = f"{', '.join(labels)} and {last_label}" if labels else last_label
    subject = _subject([1] if verdict == FIRST else thresholds)
    sentence = f"{measure_label(first)} is more informative than {seconds}{subject}"
    # 2. in how many readings: pairs may have different numbers of readings
    ahead, readings = rows["ahead"].min(), rows["readings"].max()
    if (rows["ahead"] == rows["readings"]).all() and ahead < readings:
        sentence += f", in all their {ahead} to {readings} readings"
    else:
        sentence += f", {'at least ' if rows['ahead'].nunique() > 1 else ''}{ahead} of {readings} readings"
    # 3. by how much: differences are negative, as the error is smaller
    sizes = -rows["difference_max"].max(), -rows["difference_min"].min()
    least, largest = (f"{size:.3f}".replace("0.", ".", 1) for size in sizes)
    sentence += f", {least} to {largest}"
    return f"{sentence}; {MEAN}: {_predicate(over_all)}" if verdict == FIRST else sentence


def _subject(thresholds: Sequence[int]) -> str:
    """Words for the subject of an error at some thresholds."""
    if len(thresholds) > 1:
        return f", {MEAN}"
    documents = "relevant documents" if thresholds[0] == 1 else f"documents of grade {thresholds[0]} and higher"
    return f" about {documents}"


def _predicate(verdict: str) -> str:
    """Predicate of the sentence on a verdict that does not hold in all readings."""
    if not verdict.startswith("depends on "):
        return verdict
    names = verdict.removeprefix("depends on ").removeprefix("the ").split(", ")
    return f"depends on the {' and the '.join(PARTS.get(name, name) for name in names)}"


def _nothing(over_all: set[str]) -> str:
    """Sentence that no verdict holds, with the reason if it is the same for all pairs."""
    first, *others = sorted(over_all)
    reason = f": it {_predicate(first)}" if first.startswith("depends") and not others else ""
    return f"no difference between these measures stands in the readings compared{reason}"


def _support(row: Mapping[Hashable, Any]) -> str:
    """Line with the numbers behind a verdict."""
    threshold = ", threshold 1" if row["verdict"] == FIRST else ""
    claim = f"{measure_label(row['first'])} before {measure_label(row['second'])}{threshold}"
    counted = (
        f"ahead in {row['ahead']:.0f} of {row['readings']:.0f} readings, confirmed by {row['told']:.0f} intervals"
    )
    lists = f"on at least {row['lists']:.0f} of {row['solved']:.0f} lists, {row['topics']:.0f} topics"
    ratio = f"standard errors by topic and run are up to {row['error_ratio']:.2f} times those by topic"
    size = f"difference {row['difference_min']:+.4f} to {row['difference_max']:+.4f}"
    return f"{claim}: {size}, {counted}; {lists}; {ratio}"


def legend(table: pd.DataFrame) -> Iterator[str]:
    """Meanings of the kinds of verdict in a table, a line for each."""
    kinds = {verdict.partition(" on ")[0] for verdict in table["verdict"]}
    yield from (f"{kind}: {meaning}" for kind, meaning in MEANINGS.items() if kind in kinds)
