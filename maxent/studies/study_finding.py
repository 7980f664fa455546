"""Findings of studies and their certainty, in the sentences that terminal, report, figure and notebook share."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from maxent.results.finding import Difference, Finding, Level, reading_lines
from maxent.stats.confidence_set import ENOUGH
from maxent.stats.intervals import ROUNDING
from maxent.studies.options import StudyOptions, is_standard
from maxent.studies.same_lists import no_common_list
from maxent.studies.summary import Compared
from maxent.studies.used import ListCounts
from maxent.texts import g_label, many, measure_label

SIMPLE = "the simplest is AP, or else equal g, or else the g with the fewest decimals; ties go to the smaller error"
SIMPLE_GAINS = (
    "the simplest are flat gains, or else linear ones, or else those with the fewest decimals; "
    "ties go to the smaller error"
)
QUESTIONS = {
    "retrieved": "beside the number of relevant documents found",
    "total": "where all relevant documents are found",
    "at_most": "alone, without the number found",
}
"""What a study with several counts asks, by count."""
RECOMMENDED, BEST, REFINED, NO_CONTENT = "recommended", "best", "refined", "no content"  # roles of candidates
SHOWN = 3  # rivals that a sentence names
NO_SET = f"over fewer than {ENOUGH} topics there is no set that has the best with 95 % confidence"


def study_finding(
    table: pd.DataFrame,
    options: StudyOptions,
    compared: Compared,
    candidates: pd.DataFrame | None = None,
) -> Finding:
    """The best of the measures that a study compares, its differences to others, and the choice of g.

    :func:`joined_finding` adds the line on the reading.
    """
    sizes, over = compared.lists, compared.over
    cautions = (*sizes.cautions, *options.cautions)
    if over is None:
        return Finding(
            f"no measure is the best: {no_common_list(table)}",
            (sizes.text,),
            cautions,
            lists=sizes.lists,
            topics=sizes.topics,
            reading=options.scope,
        )
    best, best_set, level = over.best, over.best_set, compared.level
    differences = sorted_differences(over.to(best).drop(best))
    labels = map(measure_label, compared.names[best].split("; "))
    same = [label for label in labels if label and label != measure_label(best)]
    alike = f" (the same on these lists: {'; '.join(same)})" if same else ""
    among = _among(best_set, differences, _number_of(compared.names))
    sentence = f"best: {measure_label(best)}{alike}{among}{_no_better(level, options.scope)}"
    error = f"mean RMS error {over.means[best]:.4f}{thresholds_text(compared.weights, options.thresholds)}"
    named_first = _compared_first(best_set, differences)
    lines = [
        f"{error}, on {sizes.text}",
        *([level_text(level)] if level else []),
        *_difference_lines(differences, [*named_first, *_usual(best, differences)]),
    ]
    if compared.constant:
        shown = ", ".join(map(measure_label, compared.constant))
        lines.append(f"not ranked, as the counts alone fix most of their values: {shown}")
    if candidates is not None:
        lines.append(f"recommended g, of {len(candidates)} candidates: {_chosen(candidates)}")
        lines += [SIMPLE] if simplest(candidates) != best_of(candidates) else []
    return Finding(
        sentence,
        tuple(lines),
        cautions,
        best=best,
        recommended=None if candidates is None else simplest(candidates),
        set=best_set,
        null=level,
        differences=differences,
        lists=sizes.lists,
        topics=sizes.topics,
        reading=options.scope,
    )


def sorted_differences(table: pd.DataFrame) -> tuple[Difference, ...]:
    """The rows of a table of differences with their intervals, the smallest first."""
    rows = table.sort_values("difference", kind="stable")[["difference", "difference_low", "difference_high"]]
    return tuple(Difference(str(name), *map(float, row)) for name, *row in rows.itertuples())


def _number_of(names: Iterable[str]) -> str:
    """Number of measures, and of those that are GAP if these are several."""
    listed = list(names)
    graded = sum(name.startswith("GAP(") for name in listed)
    return many(len(listed), "measure") + (f", {graded} of them GAP" if graded > 1 else "")


def _among(best_set: Sequence[str] | None, differences: Sequence[Difference], number: str) -> str:
    """Clause on the set of measures that has the best one; ``number`` has the number of all of them in words."""
    if not differences:
        return ", the only measure"
    if best_set is None:
        return f", the smallest mean error (of {number}); {NO_SET}"
    labels = list(dict.fromkeys(map(measure_label, best_set)))
    if len(labels) == 1:
        return f", with 95 % confidence (of {number})"
    if len(labels) > 2 and len(best_set) == len(differences) + 1:
        return f", the smallest mean error; any may be the best (95 %; of {number})"
    more = len(labels) - SHOWN - 1
    listed = labels if more <= 1 else [*labels[: SHOWN + 1], many(more, "other")]
    return f"; with 95 % confidence the best is among {', '.join(listed[:-1])} and {listed[-1]} (of {number})"


def _no_better(level: Level | None, reading: Mapping[str, object]) -> str:
    """Clause that the best measure is not ahead of one without content; empty if it is, or if none was solved."""
    if level is None or level.is_passed:
        return ""
    hint = "" if not reading or is_standard(reading) else "; see the standard reading"
    as_well = "may do as well" if level.difference < -ROUNDING else "does as well"
    does = "does better" if level.low > ROUNDING else as_well
    return f". In this reading a measure without content, the broken stick, {does}{hint}"


def level_text(level: Level) -> str:
    """Line on the error of the broken stick, and the difference of the best from it."""
    gains = " with linear gains" if "linear" in level.name else ""
    stick = f"broken stick{gains}, a measure without content: mean RMS error {level.rms:.4f}"
    return f"{stick}; {_ahead(level, 'the best')}"


def _ahead(level: Level, subject: str) -> str:
    """Clause on the difference of a measure from the broken stick."""
    is_ahead = level.difference < 0
    low, high = (-level.high, -level.low) if is_ahead else (level.low, level.high)
    ends = f", 95 % [{low:.4f}, {high:.4f}]" if np.isfinite(low) else ", without an interval"
    return f"{subject} is {'ahead of' if is_ahead else 'behind'} it by {abs(level.difference):.4f}{ends}"


def joined_finding(findings: Mapping[str, Finding], lists: str = "") -> Finding:
    """The findings of a study for one or several counts as one, with a line that explains ties on the ``lists``."""
    explained = (lists,) if lists else ()
    if len(findings) == 1:
        (alone,) = findings.values()
        return replace(alone, support=(*alone.support, *reading_lines(alone.reading), *explained))
    *_, last = findings.values()
    reading = {**(last.reading or {}), "count": " and ".join(findings)}
    lines = [
        line
        for count, finding in findings.items()
        for line in (f"{QUESTIONS[count]}: {finding.support[0]}", *finding.support[1:])
    ]
    return Finding(
        ".\n".join(f"{QUESTIONS[count]}, {finding.sentence}" for count, finding in findings.items()),
        (*lines, *reading_lines(reading), *explained),
        tuple(dict.fromkeys(caution for finding in findings.values() for caution in finding.cautions)),
        reading=reading,
        parts=findings,
    )


def choice_finding(
    candidates: pd.DataFrame,
    excess: pd.DataFrame,
    sizes: ListCounts,
    reading: Mapping[str, object],
    cautions: tuple[str, ...],
    weights: Mapping[int, float] | None = None,
    levels: Sequence[Level] = (),
) -> Finding:
    """The recommended g and its differences, among candidates as in ``GChoice.table``, and a refined g if any.

    ``excess`` has the differences to the best candidate of the grid; ``levels`` has its difference from the broken
    stick, and that of the recommended one.
    """
    best, simple = best_of(candidates), simplest(candidates)
    grid, refined = of_grid(candidates), candidates[candidates["role"] == REFINED]
    rows, alike = grid.set_index("measure"), set(grid["measure"][may_be_best(grid)])
    differences = sorted_differences(excess.loc[grid["measure"]].drop(index=best))
    gains = best.startswith("nDCG")
    thresholds = [int(name.removeprefix("rms_t")) for name in map(str, candidates) if name.startswith("rms_t")]
    error = f"mean RMS error of the best {rows['objective'][best]:.4f}"
    if np.isfinite(rows["low"][best]):
        error += f", 95 % [{rows['low'][best]:.4f}, {rows['high'][best]:.4f}]"
    lines = [f"{error},{thresholds_text(weights, thresholds)} on {sizes.text}"]
    also = [_ahead(level, "the recommended one") for level in levels[1:] if simple != best]
    lines += ["; ".join((level_text(level), *also)) for level in levels[:1]]
    plain = [name for name in rows.index if rows["g_1"][name] == 1]
    reasons = dict.fromkeys(plain, "flat gains" if gains else "AP") | {simple: "recommended"}
    second = [difference.name for difference in differences[:1]]
    outside = [difference.name for difference in differences if difference.name not in alike]
    lines += _difference_lines(differences, [simple, *second, *outside[:1], *plain], reasons)
    lines += [_refined(excess.loc[name]) for name in refined["measure"]]
    lines += [SIMPLE_GAINS if gains else SIMPLE] if simple != best else []
    level = levels[0] if levels else None
    what = "gains of nDCG" if gains else "g"
    sentence = f"recommended {what}: {_chosen(candidates)}{_no_better(level, reading)}"
    return Finding(
        sentence,
        (*lines, *reading_lines(reading)),
        (*sizes.cautions, *cautions),
        best=best,
        recommended=simple,
        set=best_set_of(grid),
        null=level,
        differences=differences,
        lists=sizes.lists,
        topics=sizes.topics,
        reading=reading,
    )


def of_grid(candidates: pd.DataFrame) -> pd.DataFrame:
    """The candidates that decide what is recommended: all but a refined one, which was sought on the same lists."""
    return candidates[candidates["role"] != REFINED] if "role" in candidates else candidates


def best_set_of(grid: pd.DataFrame) -> tuple[str, ...] | None:
    """The candidates among which the best is with 95 % confidence, by increasing error; None over few topics."""
    if grid["may_be_best"].isna().any():
        return None
    return tuple(grid[grid["may_be_best"].astype(bool)].sort_values("objective", kind="stable")["measure"])


def may_be_best(grid: pd.DataFrame) -> pd.Series:
    """Which candidates may be the best: those of the set or, over few topics, by unadjusted intervals."""
    lows = dict(zip(grid["measure"], grid["excess_low"], strict=True))
    return grid["measure"].isin({best_of(grid), *_rivals(best_set_of(grid), lows)})


def _rivals(best_set: Sequence[str] | None, lows: Mapping[str, float]) -> list[str]:
    """Those that may be the best: of the set or, over few topics, by the lower ends of unadjusted intervals."""
    return [name for name, low in lows.items() if (low <= ROUNDING if best_set is None else name in best_set)]


def simplest(candidates: pd.DataFrame) -> str:
    """The recommended candidate, the simplest that may be the best: AP, equal g_k, fewest decimals."""
    grid = of_grid(candidates)
    rows = grid[may_be_best(grid)].set_index("measure")
    g_by_name = {str(name): tuple(g) for name, g in rows.filter(regex="^g_").T.items()}

    def effort(name: str) -> tuple[bool, bool, int, float]:
        g = g_by_name[name]
        decimals = max(len(np.format_float_positional(x, trim="-").partition(".")[2]) for x in g)
        return g[0] != 1, len(set(g)) > 1, decimals, float(rows["objective"][name])

    return min(g_by_name, key=effort)


def thresholds_text(weights: Mapping[int, float] | None, thresholds: Iterable[int]) -> str:
    """Thresholds over which an error is averaged, in words; empty for a single one."""
    if weights is not None:
        return f" over thresholds with weights {', '.join(f'{t}: {w:g}' for t, w in sorted(weights.items()))}"
    *listed, last = map(str, thresholds)
    return f" over thresholds {', '.join(listed)} and {last}" if listed else ""


def _usual(best: str, differences: Sequence[Difference]) -> Iterator[str]:
    """Best variants of AP and of nDCG, which readers expect in a comparison."""
    order = [best, *(difference.name for difference in differences)]
    for kind in ("AP", "nDCG"):
        yield from [name for name in order if re.split("[(@]", measure_label(name))[0] == kind][:1]


def _compared_first(best_set: Sequence[str] | None, differences: Sequence[Difference]) -> list[str]:
    """Up to ``SHOWN`` others that may be the best, then the first that may not."""
    rivals = _rivals(best_set, {difference.name: difference.low for difference in differences})
    rest = [difference.name for difference in differences if difference.name not in rivals]
    return [*rivals[:SHOWN], *rest[:1]]


def _difference_lines(
    differences: Sequence[Difference], names: Iterable[str], reasons: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A line for each named measure except the best: its rank, and its error above the smallest.

    ``reasons`` gives, for some measures, why they are named.
    """
    ranked = {difference.name: (rank, difference) for rank, difference in enumerate(differences, 2)}
    for name in dict.fromkeys(names):
        if name not in ranked:  # the best
            continue
        rank, difference = ranked[name]
        shown, reason = measure_label(name), (reasons or {}).get(name, "")
        why = "" if not reason or reason in shown else f"{reason}, "
        ends = f", unadjusted 95 % [{difference.low:.4f}, {difference.high:.4f}]"
        certain = ends if np.isfinite(difference.low) else ""
        yield f"{shown} ({why}rank {rank}): larger by {difference.difference:.4f}{certain}"


def _chosen(candidates: pd.DataFrame) -> str:
    """The recommended g, and the best of the grid, in words."""
    best, simple, grid = best_of(candidates), simplest(candidates), of_grid(candidates)
    few = best_set_of(grid) is None
    number = int(may_be_best(grid).sum())
    rule = "indistinguishable from the best by unadjusted intervals" if few else "that may be the best (95 %)"
    if best != simple:
        which = f"all {number}" if number == len(grid) else f"{number}"
        return f"{_g_name(simple)}, the simplest of {which} {rule}; the smallest error has {_g_name(best)}"
    if number > 1:
        return f"{_g_name(best)}, the smallest error and the simplest of {number} {rule}"
    certain = "" if few or len(grid) < 2 else ", the best with 95 % confidence"
    return f"{_g_name(best)}{', the smallest error' if few else certain}"


def _refined(row: pd.Series) -> str:
    """Line on a refined g and its difference to the best of the grid, to which nothing else is compared."""
    ends = f", 95 % [{-row['difference_high']:.4f}, {-row['difference_low']:.4f}]"
    certain = ends if np.isfinite(row["difference_low"]) else ""
    refined = f"refined from the best of the grid: {_g_name(str(row.name))}"
    return f"{refined}, smaller by {-row['difference']:.4f}{certain}"


def best_of(candidates: pd.DataFrame) -> str:
    """The candidate of the grid with the smallest error."""
    grid = of_grid(candidates)
    return str(grid["measure"].iloc[int(grid["objective"].to_numpy().argmin())])


def _g_name(candidate: str) -> str:
    """The g of a GAP, or the gains of an nDCG, in words."""
    numbers = [float(x) for x in candidate[candidate.index("=") + 1 : -1].split(",")]
    return f"({g_label(numbers)}){', which is AP' if measure_label(candidate) == 'AP' else ''}"
